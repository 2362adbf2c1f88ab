"""What a paper has (`records.conditions.THINGS`), kept among its facets."""

from __future__ import annotations

from collections.abc import Sequence

from conspectus.catalog import schema
from conspectus.catalog.connected import Connected
from conspectus.catalog.derivations import Part
from conspectus.catalog.facets import terms_of
from conspectus.ingest.derivations.of_paper import Made, OfPaper, Subject
from conspectus.ingest.derivations.protocol import Facets, digest_of
from conspectus.records.conditions import HAS, things


class ContentFlags(OfPaper):
    """See `Derivation`."""

    name = "content flags"
    parts: tuple[Part, ...] = (Part(schema.facets, "facet", (HAS,)),)
    told = True
    awaited = True

    def digest(self, paper: Subject) -> bytes:
        """See `Derivation.digest`."""
        return digest_of(*things(paper.parsed))

    def make(self, batch: Sequence[Subject]) -> Sequence[Made]:
        """See `Derivation.make`."""
        return [([{"facet": HAS, "term": thing} for thing in things(paper.parsed)],) for paper in batch]

    def facets(self, catalog: Connected, paper_keys: Sequence[int]) -> Facets:
        """See `Derivation.facets`."""
        return {key: [(HAS, term) for term in terms] for key, terms in terms_of(catalog, HAS, paper_keys).items()}
