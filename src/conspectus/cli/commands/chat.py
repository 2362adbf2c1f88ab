"""`chat`."""

from __future__ import annotations

from typing import Any

import click

from conspectus.cli.app import verb
from conspectus.cli.commands.ask import asking_options
from conspectus.cli.options import quotes_option
from conspectus.cli.state import State
from conspectus.cli.verb_commands import limit_run, options_of, take_options
from conspectus.faces.filters import make_question_filters


@verb("chat")
@click.option("--resume", default="", metavar="ID|last", help="Continue this conversation.")
@asking_options
@quotes_option
@options_of(make_question_filters)
def chat_verb(state: State, /, resume: str, quotes: bool, **chosen: Any) -> int:
    """Ask follow-up questions.

    A language model turns each follow-up into a complete question, which is shown. Lines that begin with a slash are
    commands; /help lists them. If standard input is not a terminal, each of its lines is a question or a command.
    Limits such as --max-cost apply to each answer. The conversation is saved: `conspectus answers conversations`.
    """
    from conspectus.cli.chat_session import Chat

    filters = take_options(make_question_filters, chosen)
    limit_run(state, chosen)
    options = {name: value for name, value in chosen.items() if value is not None}
    with state.library() as library:
        chat = Chat(state, library, options, filters, resume, quotes=quotes)
        chat.run()
    return int(chat.failed and not chat.typed)
