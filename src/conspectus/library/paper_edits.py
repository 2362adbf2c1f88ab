"""Fields of papers' metadata that users write by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from conspectus.records import Paper
from conspectus.records.curation import Edit
from conspectus.session.session import Session

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def edits(session: Session, paper: str) -> tuple[Edit, ...]:
    """What was written of a paper by hand, and what its files say instead; the paper by any of its names."""
    from conspectus.ingest.corrections import edits_of

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
    from conspectus.ingest import corrections

    with session.writing():
        session.check_model()
        key = session.catalog.paper_key(session.paper(paper).id)
        key = corrections.edit(session.paper_store(), key, changes, revert)
        session.follow()
    return session.catalog.papers_by_key([key])[key]
