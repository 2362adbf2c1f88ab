"""Answers that were kept: removing, asking again, writing; and what was spent."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, cast, get_args

from conspectus.core.errors import UntrustedError, UsageError
from conspectus.library.asking import AskKeywords, job
from conspectus.library.illustrating import illustrated
from conspectus.library.session import Session
from conspectus.records import Answer, AskOptions, Rerun
from conspectus.settings import set_name, without_user
from conspectus.settings.standing import origin, remedy

if TYPE_CHECKING:
    from conspectus.catalog.calls import By
    from conspectus.catalog.stored_records import AnswerRow, SavedAnswer, SavedConversation, Totals
    from conspectus.export.answer import Draw
    from conspectus.export.output import Output


def answers(session: Session, limit: int | None, conversation: str) -> tuple[AnswerRow, ...]:
    """See `Library.answers`."""
    from conspectus.catalog import answers, conversations

    name = conversations.find(session.catalog, conversation).id if conversation else ""
    return answers.listed(session.catalog, limit, name)


def saved_answer(session: Session, name: str) -> SavedAnswer:
    """See `Library.saved_answer`."""
    from conspectus.answer.rendering import prose
    from conspectus.catalog import answers

    found = answers.load(session.catalog, name, prose)
    return replace(found, answer=illustrated(session, found.answer))


def conversation(session: Session, name: str = "last") -> SavedConversation:
    """The conversation called `name`: its id, the beginning of it, or `last`; with its answers, in their order.

    Raises:
        NotFoundError: no conversation, or more than one, is called so.
    """
    found = session.conversations.saved(name)
    return replace(found, answers=tuple(illustrated(session, one) for one in found.answers))


def remove_answer(session: Session, name: str) -> AnswerRow:
    """See `Library.remove_answer`."""
    from conspectus.catalog import answers
    from conspectus.catalog.engine import aside, transact

    row = answers.find(session.catalog, name)
    transact(session.catalog.engine, lambda connection: answers.remove(connection, row.id), aside)
    return row


def rerun(session: Session, name: str, changed: AskKeywords) -> Rerun:
    """See `Library.rerun`."""
    from conspectus.answer.changes import compared
    from conspectus.records.events import Done

    saved = saved_answer(session, name)
    before, options = saved.answer, replace(saved.options, conversation="")
    _check_named(session, options, changed)
    again: AskKeywords = {**cast(AskKeywords, asdict(replace(options, cache=True))), **changed}
    asked = job(session, before.standalone or before.question, saved.filters, again)
    for event in session.loop.events(asked):
        if isinstance(event, Done):
            return compared(before, event.answer)
    raise AssertionError("events end with `Done`, or with an error")


def _check_named(session: Session, options: AskOptions, changed: AskKeywords) -> None:
    """A catalog from elsewhere may name any address as the model that was asked."""
    named = {"model": options.model, "second_opinion": options.second_opinion}
    for name, model in named.items():
        if set_name(model) and name not in changed and not session.standing.whole:
            raise UntrustedError(
                f"The answer was made with {name} '{without_user(model)}', and the library {origin(session.folder)}.",
                f"Name a model yourself. {remedy(session.folder)}",
            )


def export_answer(session: Session, name: str, to: str, output: Output, *, pictures: bool) -> Answer:
    """See `Library.export_answer`."""
    from conspectus.export.answer import write

    found = saved_answer(session, name).answer
    write(found, to, output, _drawing(session) if pictures else None)
    return found


def export_conversation(session: Session, name: str, to: str, output: Output, *, pictures: bool) -> SavedConversation:
    """See `Library.export_conversation`."""
    from conspectus.export.answer import write_conversation

    found = conversation(session, name)
    write_conversation(found, to, output, _drawing(session) if pictures else None)
    return found


def _drawing(session: Session) -> Draw:
    """What draws the pages behind notes, and figures."""
    from conspectus.library.answer_pictures import drawn

    return partial(drawn, session)


def usage(session: Session, since: str, by: By, answer: str) -> tuple[Totals, ...]:
    """See `Library.usage`."""
    from conspectus.catalog import answers, calls

    if by not in get_args(calls.By):
        raise UsageError(f"Nothing is added up by '{by}'.", f"There are: {', '.join(get_args(calls.By))}.")
    named = answers.find(session.catalog, answer).id if answer else None
    return calls.spent(session.catalog, _moment(since), by, named)


def _moment(text: str) -> str:
    """A date as the catalog compares it.

    Raises:
        UsageError: it is none.
    """
    if not text.strip():
        return ""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise UsageError(f"'{text}' is not a date.", "Write 2026-01-31, or 2026-01-31T12:00.") from error
    if found.tzinfo is not None:
        found = found.astimezone(UTC)
    return found.replace(tzinfo=UTC).isoformat(timespec="seconds")
