"""What a paper has (`records.filters.THINGS`), kept among its facets."""

from __future__ import annotations

from conspectus.ingest.derivations.of_paper import OfFacet, Subject
from conspectus.records.filters import HAS, list_things


class ContentFlags(OfFacet):
    """See `Derivation`."""

    name = "content flags"
    facet = HAS
    awaited = True

    def terms(self, paper: Subject) -> tuple[str, ...]:
        """See `OfFacet.terms`."""
        return tuple(list_things(paper.parsed))
