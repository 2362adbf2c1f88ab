"""Answers that were kept: removing, asking again, writing them with their pages and figures; and what was spent."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Unpack, cast, get_args

from conspectus.answer.conversation import open_conversations
from conspectus.answer.rendering import prose
from conspectus.catalog import answers as kept
from conspectus.catalog import calls
from conspectus.catalog.connection import aside, transact
from conspectus.core.errors import ForbiddenError, InputError, LimitError, NotFoundError, UsageError
from conspectus.core.job_context import listen
from conspectus.library.asking import AskKeywords, asked_models, job
from conspectus.library.configuring import is_configured
from conspectus.library.figure_pictures import figure_image
from conspectus.library.pictures import GONE, of_notes
from conspectus.library.reading_figures import illustrated
from conspectus.records import Answer, AskOptions, FoundFigure, Rerun
from conspectus.records.events import Done, Event
from conspectus.records.notes import Drawn, PagePicture, noted
from conspectus.session.session import Session
from conspectus.settings import without_user

if TYPE_CHECKING:
    from conspectus.catalog.calls import By
    from conspectus.catalog.stored_records import AnswerRow, SavedAnswer, SavedConversation, Totals
    from conspectus.core.output import Output


def answers(session: Session, limit: int | None = None, conversation: str = "") -> tuple[AnswerRow, ...]:
    """The answers that the library keeps, the newest first; of one conversation (any name of it), by its turns."""
    name = kept.find_conversation(session.catalog, conversation).id if conversation else ""
    return kept.list_answers(session.catalog, limit, name)


def saved_answer(session: Session, name: str = "last") -> SavedAnswer:
    """`answer`, with how it was asked for."""
    found = kept.load_answer(session.catalog, name, prose)
    return replace(found, answer=illustrated(session, found.answer))


def conversation(session: Session, name: str = "last") -> SavedConversation:
    """The conversation called `name`: its id, the beginning of it, or `last`; with its answers, in their order.

    Raises:
        NotFoundError: no conversation, or more than one, is called so.
    """
    found = open_conversations(session).saved(name)
    return replace(found, answers=tuple(illustrated(session, one) for one in found.answers))


def remove_answer(session: Session, name: str) -> AnswerRow:
    """Remove an answer with its evidence; returns its row. What models answered stays, and what it took.

    Raises:
        NotFoundError: no answer, or more than one, is called so.
        LibraryReadOnlyError: the library cannot be written.
    """
    row = kept.find_answer(session.catalog, name)
    transact(session.catalog.engine, lambda connection: kept.remove_answer(connection, row.id), aside)
    return row


def rerun(
    session: Session,
    name: str = "last",
    tell: Callable[[Event], None] | None = None,
    **changed: Unpack[AskKeywords],
) -> Rerun:
    """Ask again what was asked, with the same options and filters; says what has changed.

    A question of a conversation is asked as it was understood, outside the conversation. What models answered
    since is used, also where it was asked without that then (`cache=False`).

    Args:
        name: as for `answer`.
        tell: told the events as they come.
        changed: options that go before those of then.

    Raises:
        NotFoundError: no answer, or more than one, is called so.
        ForbiddenError: the answer was made with a language model that this user has named neither in a question nor in
            the settings. Else as `ask`.
    """
    from conspectus.answer.changes import compared

    saved = saved_answer(session, name)
    before, options = saved.answer, replace(saved.options, conversation="")
    _check_named(session, options, changed)
    again: AskKeywords = {**cast(AskKeywords, asdict(replace(options, cache=True))), **changed}
    asked = job(session, before.standalone or before.question, saved.filters, again)
    with listen(tell, *get_args(Event)):
        for event in session.loop.events(asked):
            if isinstance(event, Done):
                return compared(before, event.answer)
    raise AssertionError("events end with `Done`, or with an error")


def _check_named(session: Session, options: AskOptions, changed: AskKeywords) -> None:
    """Refuse a model that only the catalog names: a stranger's catalog may name any address."""
    named = {"model": options.model, "second_opinion": options.second_opinion}
    for name, model in named.items():
        if name in changed or model in asked_models(session) or is_configured(session, model):
            continue
        raise ForbiddenError(
            f"The answer was made with {name} '{without_user(model)}', which you have named neither in a "
            "question to this library, nor in your settings.",
            f"Name it yourself: `rerun {name}=MODEL`.",
        )


def export_answer(session: Session, name: str, to: str, output: Output, *, pictures: bool = True) -> Answer:
    """Write an answer with its sources and quotes; returns it.

    Args:
        name: as for `answer`.
        to: `md` (with footnotes), `html` (a page that needs nothing else), `json` (as `ask --json`), or
            `bib`, `ris`, `csv` (the papers that it cites).
        output: a file, which is replaced when all is written, or anything with `write(text)`.
        pictures: behind the notes of `html` and `md` stand pictures of the pages, the cited sentences lit up; those
            of `md` in a folder beside the file.

    Raises:
        NotFoundError: no answer, or more than one, is called so.
        UsageError: no such format, or the file cannot be written.
    """
    from conspectus.export.answer import write

    found = saved_answer(session, name).answer
    write(found, to, output, partial(drawn, session) if pictures else None)
    return found


def export_conversation(
    session: Session, name: str, to: str, output: Output, *, pictures: bool = True
) -> SavedConversation:
    """Write a conversation, each answer with its sources and quotes; returns it.

    Args:
        name: as for `conversation`.
        to: `md` (with footnotes), `html` (a page that needs nothing else), `json`, or `bib`, `ris`, `csv` (the
            papers cited).
        output: a file, which is replaced when all is written, or anything with `write(text)`.
        pictures: as in `export_answer`.

    Raises:
        NotFoundError: as `conversation`.
        UsageError: no such format, or the file cannot be written.
    """
    from conspectus.export.answer import write_conversation

    found = conversation(session, name)
    write_conversation(found, to, output, partial(drawn, session) if pictures else None)
    return found


def usage(session: Session, since: str = "", by: By = "day", answer: str = "") -> tuple[Totals, ...]:
    """What language models took, added up.

    Args:
        since: a day or a moment, ISO 8601, UTC; "": from the first on.
        by: what is added up together: `day`, `model`, `role`, `prompt` or `answer`.
        answer: the calls made for one answer only, by any name of it; "": all.

    Raises:
        UsageError: `since` is no date, or `by` is none of these.
        NotFoundError: there is no such answer.
    """
    if by not in get_args(calls.By):
        raise UsageError(f"Nothing is added up by '{by}'.", f"There are: {', '.join(get_args(calls.By))}.")
    named = kept.find_answer(session.catalog, answer).id if answer else None
    return calls.sum_spending(session.catalog, _moment(since), by, named)


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


LONGEST = 1000
"""Pixels of the longer side of a figure in a document."""
_SCALE = 2.0
_COLOURS = 256


def drawn(session: Session, answers: Sequence[Answer]) -> Drawn:
    """The pages behind the notes of a document, and the figures of its answers."""
    figures = (one.figure for answer in answers for one in answer.figures)
    return Drawn(of_notes(session, noted(answers)), _pictures(session, figures))


def _pictures(session: Session, figures: Iterable[FoundFigure]) -> dict[str, PagePicture]:
    """Of each that has one; none of those of which it is not known where they stand."""
    found: dict[str, PagePicture] = {}
    for name, page in {one.id: one.page or 0 for one in figures}.items():
        with suppress(InputError):
            found[name] = _picture(session, name, page)
    return found


def _picture(session: Session, name: str, page: int) -> PagePicture:
    try:
        image = figure_image(session, name, scale=_SCALE)
    except NotFoundError:
        return PagePicture(page, why=GONE)
    except LimitError as error:
        return PagePicture(page, why=error.message)
    image.thumbnail((LONGEST, LONGEST))
    held = io.BytesIO()
    image.convert("RGB").quantize(_COLOURS).save(held, "PNG", optimize=True)
    return PagePicture(page, held.getvalue())
