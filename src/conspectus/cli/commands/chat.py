"""`chat` and `conversations`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from conspectus.cli.answer_view import say
from conspectus.cli.app import verb
from conspectus.cli.commands.ask import asking_options
from conspectus.cli.options import budgeted, filter_options, filters_of, quotes_option
from conspectus.cli.printer import Printer, one_line
from conspectus.cli.state import State
from conspectus.core.plural import pluralize
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.catalog.stored_records import Conversation, SavedConversation


@verb("chat")
@click.option("--resume", default="", metavar="ID|last", help="Go on with this conversation.")
@asking_options
@quotes_option
@filter_options(kind_option="--passage-kind")
def chat_verb(state: State, /, resume: str, quotes: bool, **chosen: Any) -> int:
    """Ask questions that go on from the one before; each answer as of `ask`.

    A follow-up is made into a question that stands alone, which is shown; so it needs a language model. Lines that
    begin with a slash are commands: /help lists them. Where standard input is no terminal, each of its lines is a
    question or a command. Budgets are for each answer. The conversation is kept: `conspectus conversations`.
    """
    from conspectus.cli.chatting import Chat

    filters = filters_of(chosen)
    options = budgeted(state, chosen)
    with state.library() as library:
        chat = Chat(state, library, options, filters, resume, quotes=quotes)
        chat.run()
    return int(chat.failed and not chat.typed)


@verb("conversations")
@click.argument("name", required=False, metavar="[ID|last]")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the N that went on last.")
@click.option("--remove", metavar="ID", help="Remove this conversation, with its answers.")
@click.option("--rename", nargs=2, metavar="ID TITLE", help="Give a conversation another title.")
@quotes_option
def conversations_verb(
    state: State, name: str | None, limit: int | None, remove: str | None, rename: tuple[str, str] | None, quotes: bool
) -> None:
    """List the conversations that the library keeps, or show, rename or remove one.

    `conspectus chat --resume ID` goes on with one, `conspectus export ID --to md` writes it.
    """
    with state.library() as library:
        if remove is not None:
            _done(state, "removed", library.remove_conversation(remove))
        elif rename is not None:
            _done(state, "renamed", library.rename_conversation(*rename))
        elif name is not None:
            saved = library.conversation(name)
            state.tell(lambda: {"conversation": encode.body(saved)}, lambda out: _show(out, saved, quotes))
        else:
            found = library.conversations(limit)
            state.tell(lambda: {"conversations": encode.plain(found)}, lambda out: _list(out, found))


def _done(state: State, what: str, found: Conversation) -> None:
    state.tell(lambda: {what: encode.plain(found)}, [f"{what.capitalize()} {found.id}  {one_line(found.title)}"])


def _show(out: Printer, saved: SavedConversation, quotes: bool) -> None:
    out.line((one_line(saved.conversation.title), "title"))
    out.line((f"{saved.conversation.id} · {saved.conversation.made}", "dim"))
    for number, answer in enumerate(saved.answers, 1):
        out.line()
        out.line((f"{number}. {one_line(answer.question)}", "title"))
        out.line()
        say(out, answer, quotes=quotes)


def _list(out: Printer, found: Sequence[Conversation]) -> None:
    for one in found:
        when, title = one.updated[:16].replace("T", " "), one_line(one.title) or "(nothing asked yet)"
        answers = f"{pluralize(one.turns, 'answer'):>10}"
        out.row((one.id, when, str(one.turns), title), (one.id, "dim"), f"  {when}  {answers}  ", (title, "title"))
    if not found and out.width is not None:
        out.line("There are no conversations yet: `conspectus chat` begins one.")
