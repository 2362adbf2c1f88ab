"""Kept answers and conversations: read, written to files with their pages and figures; and what was spent."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, get_args

from conspectus.answer import sql as answer_sql
from conspectus.answer.conversation import open_conversations
from conspectus.answer.prose import prose
from conspectus.core.errors import InputError, LimitError, NotFoundError, UsageError
from conspectus.figures.figure_images import figure_image
from conspectus.figures.page_images import GONE, of_notes
from conspectus.llm import sql as llm_sql
from conspectus.records import Answer, FoundFigure
from conspectus.records.notes import Drawn, PagePicture, noted
from conspectus.records.usage import By, Totals
from conspectus.session.session import Session

if TYPE_CHECKING:
    from conspectus.core.output import Output
    from conspectus.records.answer import SavedAnswer, SavedConversation


def saved_answer(session: Session, name: str = "last") -> SavedAnswer:
    """The answer called `name` (its id, the beginning of it, or `last`), with how it was asked for.

    Raises:
        NotFoundError: no answer, or more than one, is called so.
    """
    from conspectus.figures.answer_figures import add_cited_figures

    saved = answer_sql.load_answer(session.catalog, name, prose)
    return replace(saved, answer=add_cited_figures(session, saved.answer))


def saved_conversation(session: Session, name: str = "last") -> SavedConversation:
    """The conversation called `name`: its id, the beginning of it, or `last`; with its answers, in their order.

    Raises:
        NotFoundError: no conversation, or more than one, is called so.
    """
    from conspectus.figures.answer_figures import add_cited_figures

    conversation = open_conversations(session).read(name)
    return replace(conversation, answers=tuple(add_cited_figures(session, answer) for answer in conversation.answers))


def export_answer(session: Session, name: str, to: str, output: Output, *, pictures: bool = True) -> Answer:
    """Write an answer with its sources and quotes; returns it.

    Args:
        name: as for `saved_answer`.
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

    answer = saved_answer(session, name).answer
    write(answer, to, output, partial(drawn, session) if pictures else None)
    return answer


def export_conversation(
    session: Session, name: str, to: str, output: Output, *, pictures: bool = True
) -> SavedConversation:
    """Write a conversation, each answer with its sources and quotes; returns it.

    Args:
        name: as for `saved_conversation`.
        to: `md` (with footnotes), `html` (a page that needs nothing else), `json`, or `bib`, `ris`, `csv` (the
            papers cited).
        output: a file, which is replaced when all is written, or anything with `write(text)`.
        pictures: as in `export_answer`.

    Raises:
        NotFoundError: as `saved_conversation`.
        UsageError: no such format, or the file cannot be written.
    """
    from conspectus.export.answer import write_conversation

    conversation = saved_conversation(session, name)
    write_conversation(conversation, to, output, partial(drawn, session) if pictures else None)
    return conversation


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
    if by not in get_args(By):
        raise UsageError(f"Nothing is added up by '{by}'.", f"There are: {', '.join(get_args(By))}.")
    answer_id = answer_sql.find_answer(session.catalog, answer).id if answer else None
    return llm_sql.sum_spending(session.catalog, _moment(since), by, answer_id)


def _moment(text: str) -> str:
    """A date as the catalog compares it.

    Raises:
        UsageError: it is none.
    """
    if not text.strip():
        return ""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise UsageError(f"'{text}' is not a date.", "Write 2026-01-31, or 2026-01-31T12:00.") from error
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return moment.replace(tzinfo=UTC).isoformat(timespec="seconds")


LONGEST = 1000
"""Pixels of the longer side of a figure in a document."""
_SCALE = 2.0
_COLOURS = 256


def drawn(session: Session, answers: Sequence[Answer]) -> Drawn:
    """The pages behind the notes of a document, and the figures of its answers."""
    figures = (cited_figure.figure for answer in answers for cited_figure in answer.figures)
    return Drawn(of_notes(session, noted(answers)), _pictures(session, figures))


def _pictures(session: Session, figures: Iterable[FoundFigure]) -> dict[str, PagePicture]:
    """Of each that has one; none of those of which it is not known where they stand."""
    pictures: dict[str, PagePicture] = {}
    for name, page in {figure.id: figure.page or 0 for figure in figures}.items():
        with suppress(InputError):
            pictures[name] = _picture(session, name, page)
    return pictures


def _picture(session: Session, name: str, page: int) -> PagePicture:
    try:
        image = figure_image(session, name, scale=_SCALE)
    except NotFoundError:
        return PagePicture(page, why=GONE)
    except LimitError as error:
        return PagePicture(page, why=error.message)
    image.thumbnail((LONGEST, LONGEST))
    buffer = io.BytesIO()
    image.convert("RGB").quantize(_COLOURS).save(buffer, "PNG", optimize=True)
    return PagePicture(page, buffer.getvalue())
