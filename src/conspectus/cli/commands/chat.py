"""`chat`."""

from __future__ import annotations

from typing import Any

import click

from conspectus.cli.app import verb
from conspectus.cli.commands.ask import asking_options
from conspectus.cli.options import budgeted, filter_options, filters_of, quotes_option
from conspectus.cli.state import State


@verb("chat")
@click.option("--resume", default="", metavar="ID|last", help="Go on with this conversation.")
@asking_options
@quotes_option
@filter_options(kind_option="--passage-kind")
def chat_verb(state: State, /, resume: str, quotes: bool, **chosen: Any) -> int:
    """Ask follow-up questions.

    A follow-up is made into a question that stands alone, which is shown; so it needs a language model. Lines that
    begin with a slash are commands: /help lists them. Where standard input is no terminal, each of its lines is a
    question or a command. Budgets are for each answer. The conversation is kept: `conspectus answers
    conversations`.
    """
    from conspectus.cli.chat_session import Chat

    filters = filters_of(chosen)
    options = budgeted(state, chosen)
    with state.library() as library:
        chat = Chat(state, library, options, filters, resume, quotes=quotes)
        chat.run()
    return int(chat.failed and not chat.typed)
