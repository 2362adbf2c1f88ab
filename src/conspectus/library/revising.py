"""What users say is otherwise than it is: edited fields, and feedback on answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from conspectus.catalog import answers as kept
from conspectus.catalog.connection import utc_now
from conspectus.core.errors import NotFoundError
from conspectus.curation.verbs import write_aside
from conspectus.records import Paper
from conspectus.records.curation import Edit, Feedback, Judgement, checked_text, checked_verdict
from conspectus.session.session import Session

if TYPE_CHECKING:
    from conspectus.core.output import Output

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def edits(session: Session, paper: str) -> tuple[Edit, ...]:
    """What was written of a paper by hand, and what its files say instead; the paper by any of its names."""
    from conspectus.ingest.editing import edits_of

    return edits_of(session.catalog, session.catalog.paper_key(session.paper(paper).id))


def edit(session: Session, paper: str, changes: Mapping[str, Any] = _NOTHING, revert: Sequence[str] = ()) -> Paper:
    """Write fields of a paper's metadata by hand; returns the paper as it is then.

    They go before what any of its files says, now and when it is read again, until they are reverted. Search,
    filters and exports follow. By an identifier that was written it is found, and is one with what else has it, if
    that agrees.

    Args:
        paper: by any of its names.
        changes: field -> value: `title`, `authors` (names, in a list or apart by `;`), `abstract`, `year`, `date`,
            `doi`, `arxiv_id`, `pmid`, `bibcode`, `venue`, `keywords`, `citation_count`, `url`. None or "" empties
            a field. The year and the date follow each other.
        revert: fields that are to be as the files say again.

    Raises:
        NotFoundError: no paper, or more than one, is called so.
        UsageError: there is no such field, or it cannot have this value; nothing was done.
        ModelMissingError, ModelMismatchError, BusyError: as `Library.add`.
    """
    from conspectus.ingest import editing

    with session.writing():
        session.check_model()
        key = session.catalog.paper_key(session.paper(paper).id)
        key = editing.edit(session.paper_store(), key, changes, revert)
        session.follow()
    return session.catalog.papers_by_key([key])[key]


def feedback(session: Session, answer: str = "") -> tuple[Feedback, ...]:
    """What was said of an answer (by its id, the beginning of it, or `last`), or of all that are kept."""
    name = kept.find_answer(session.catalog, answer).id if answer else ""
    return kept.list_feedback(session.catalog, name)


def judge(
    session: Session,
    answer: str = "last",
    verdict: Judgement | None = None,
    comment: str | None = None,
    *,
    statement: int = 0,
) -> tuple[Feedback, ...]:
    """Say what you think of an answer, or of one of its statements; returns all that is said of the answer then.

    It goes with the answer.

    Args:
        answer: as for `Library.answer`.
        verdict: `up`, `down`, or "" to take it back; None: as it was.
        comment: at most 20,000 characters, or "" to take it back; None: as it was.
        statement: the number of a statement, from 1; 0: the whole answer.

    Raises:
        NotFoundError: no answer, or more than one, is called so; or it has no such statement.
        UsageError: no such verdict, or the comment is too long.
    """
    found = kept.load_answer(session.catalog, answer).answer
    if not 0 <= statement <= len(found.statements):
        raise NotFoundError(
            f"The answer '{found.id}' has no statement {statement}.",
            f"It has {len(found.statements)}, numbered from 1; 0 is the answer itself.",
        )
    said = {
        "verdict": verdict if verdict is None else checked_verdict(verdict),
        "comment": comment if comment is None else checked_text(comment, "comment"),
    }
    write_aside(session, lambda connection: kept.put_feedback(connection, found.id, statement, utc_now(), **said))
    return kept.list_feedback(session.catalog, found.id)


def export_feedback(session: Session, to: str, output: Output) -> int:
    """Write all that was said of answers, each with the words that it is about; returns how many.

    Args:
        to: `csv` or `jsonl`.
        output: a file, which is replaced when all is written, or anything with `write(text)`.

    Raises:
        UsageError: no such format, or the file cannot be written.
    """
    from conspectus.export.feedback import write
    from conspectus.library.history import saved_answer

    return write(feedback(session), lambda name: saved_answer(session, name).answer, to, output)
