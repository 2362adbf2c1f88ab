"""The language that a paper is written in, kept among its facets."""

from __future__ import annotations

from collections.abc import Sequence

from conspectus.core.languages import language_of
from conspectus.ingest.derivations.of_paper import OfFacet, Subject
from conspectus.ingest.derivations.words import words_of
from conspectus.records.passage import digest_of
from conspectus.store.connection import CatalogReader
from conspectus.store.facets import facet_terms


class Language(OfFacet):
    """See `Derivation`: an ISO 639-1 code; none where there is too little text to tell."""

    name = "language"
    facet = "language"

    def digest(self, paper: Subject) -> bytes:
        """See `OfPaper.digest`."""
        return digest_of(paper.metadata.title, words_of(paper))

    def terms(self, paper: Subject) -> tuple[str, ...]:
        """See `OfFacet.terms`: of the title alone where there is no other text."""
        code = language_of(words_of(paper) or paper.metadata.title)
        return (code,) if code else ()

    def exported(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, str]:
        """See `Derivation.exported`."""
        return {key: terms[0] for key, terms in facet_terms(catalog, self.facet, paper_keys).items()}
