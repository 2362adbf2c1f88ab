"""`chat` and `conversations`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from conspectus.cli.answer_view import say
from conspectus.cli.app import Verb
from conspectus.cli.commands.ask import asking_options
from conspectus.cli.describe import counted
from conspectus.cli.options import budgeted, filter_options, filters_of, quotes_option
from conspectus.cli.printer import Printer, one_line
from conspectus.cli.state import State
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.catalog.stored_records import Conversation, SavedConversation


@click.command("chat", cls=Verb)
@click.option("--resume", default="", metavar="ID|last", help="Go on with this conversation.")
@asking_options
@quotes_option
@filter_options(kind_option="--passage-kind")
@click.pass_obj
def chat_verb(state: State, /, resume: str, quotes: bool, **chosen: Any) -> int:
    """Ask questions that go on from the one before; each answer as of `ask`.

    A follow-up is made into a question that stands alone, which is shown; so it needs a language model. Lines that
    begin with a slash are commands: /help lists them. Where standard input is no terminal, each of its lines is a
    question or a command. Budgets are for each answer. The conversation is kept: `conspectus conversations`.
    """
    from conspectus.cli.chatting import Chat

    filters = filters_of(chosen)
    options = {name: value for name, value in budgeted(state, chosen).items() if value is not None}
    with state.library() as library:
        chat = Chat(state, library, options, filters, resume, quotes=quotes)
        chat.run()
    return int(chat.failed and not chat.typed)


@click.command("conversations", cls=Verb)
@click.argument("name", required=False, metavar="[ID|last]")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the N that went on last.")
@click.option("--remove", metavar="ID", help="Remove this conversation, with its answers.")
@click.option("--rename", nargs=2, metavar="ID TITLE", help="Give a conversation another title.")
@quotes_option
@click.pass_obj
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
            _show(state, library.conversation(name), quotes)
        else:
            _list(state, library.conversations(limit))


def _done(state: State, what: str, found: Conversation) -> None:
    if state.json:
        state.out.json("conversations", {what: encode.plain(found)})
    else:
        state.out.line(f"{what.capitalize()} {found.id}  {one_line(found.title)}")


def _show(state: State, saved: SavedConversation, quotes: bool) -> None:
    if state.json:
        state.out.json("conversations", {"conversation": encode.conversation(saved)})
        return
    state.out.line((one_line(saved.conversation.title), "title"))
    state.out.line((f"{saved.conversation.id} · {saved.conversation.made}", "dim"))
    for number, answer in enumerate(saved.answers, 1):
        state.out.line()
        state.out.line((f"{number}. {one_line(answer.question)}", "title"))
        state.out.line()
        say(state.out, answer, quotes=quotes)


def _list(state: State, found: Sequence[Conversation]) -> None:
    if state.json:
        state.out.json("conversations", {"conversations": encode.plain(found)})
        return
    for one in found:
        _row(state.out, one)
    if not found and state.out.width is not None:
        state.out.line("There are no conversations yet: `conspectus chat` begins one.")


def _row(out: Printer, one: Conversation) -> None:
    when, title = one.updated[:16].replace("T", " "), one_line(one.title) or "(nothing asked yet)"
    if out.width is None:
        out.line("\t".join((one.id, when, str(one.turns), title)))
    else:
        out.line((one.id, "dim"), f"  {when}  {counted(one.turns, 'answer'):>10}  ", (title, "title"))
