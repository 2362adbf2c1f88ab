"""The language that a paper is written in, kept among its facets."""

from __future__ import annotations

from collections.abc import Sequence

from conspectus.catalog import schema
from conspectus.catalog.connected import Connected
from conspectus.catalog.derivations import Part
from conspectus.catalog.facets import terms_of
from conspectus.core.languages import language_of
from conspectus.ingest.derivations.of_paper import Made, OfPaper, Subject
from conspectus.ingest.derivations.protocol import Facets, digest_of
from conspectus.ingest.derivations.words import words_of

FACET = "language"


class Language(OfPaper):
    """See `Derivation`: an ISO 639-1 code; none where there is too little text to tell."""

    name = "language"
    parts: tuple[Part, ...] = (Part(schema.facets, "facet", (FACET,)),)
    told = True

    def digest(self, paper: Subject) -> bytes:
        """See `Derivation.digest`."""
        return digest_of(paper.metadata.title, words_of(paper))

    def make(self, batch: Sequence[Subject]) -> Sequence[Made]:
        """See `Derivation.make`."""
        return [([{"facet": FACET, "term": code}] if (code := _code(paper)) else [],) for paper in batch]

    def facets(self, catalog: Connected, paper_keys: Sequence[int]) -> Facets:
        """See `Derivation.facets`."""
        return {key: [(FACET, term) for term in terms] for key, terms in terms_of(catalog, FACET, paper_keys).items()}

    def exported(self, catalog: Connected, paper_keys: Sequence[int]) -> dict[int, str]:
        """See `Derivation.exported`."""
        return {key: terms[0] for key, terms in terms_of(catalog, FACET, paper_keys).items()}


def _code(paper: Subject) -> str:
    """Of the title alone where there is no other text."""
    return language_of(words_of(paper) or paper.metadata.title)
