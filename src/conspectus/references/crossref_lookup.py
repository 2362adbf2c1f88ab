"""Crossref as the audit of references asks it."""

from __future__ import annotations

from dataclasses import replace

from conspectus.records import Author, Metadata
from conspectus.services.client import ServiceClient
from conspectus.services.crossref import Crossref, look_up_agency, look_up_work, search_works
from conspectus.settings.groups import SourcesSettings


class CrossrefLookup:
    """A `ReferenceService` that asks Crossref.

    Args:
        settings: where it is, and how long is waited.
    """

    def __init__(self, settings: SourcesSettings) -> None:
        self._client = ServiceClient(Crossref(), settings)

    @property
    def shown(self) -> str:
        """The address without a password in it."""
        scheme, _, rest = self._client.url.partition("://")
        return f"{scheme}://{rest.rpartition('@')[2]}"

    def work(self, doi: str) -> Metadata | None:
        """What it has under a DOI; None where it has nothing. `extra["years"]` has all years if they differ.

        Raises:
            ServiceAwayError: it does not answer now.
            ServiceError: it refused, or its answer cannot be read.
        """
        work = look_up_work(self._client, doi)
        return _with_editors(work) if work else None

    def works(self, words: str, rows: int = 5) -> tuple[Metadata, ...]:
        """The works that fit a title, or a whole reference, best: at most `rows`. Errors as `work`."""
        return tuple(map(_with_editors, search_works(self._client, words, rows)))

    def agency(self, doi: str) -> str:
        """Who registered a DOI (`Crossref`, `DataCite`); "" where nobody did. Errors as `work`."""
        return look_up_agency(self._client, doi)


def _with_editors(work: Metadata) -> Metadata:
    """A book without authors is cited by its editors."""
    return work if work.authors else replace(work, authors=tuple(map(Author, work.extra.get("editor", ()))))
