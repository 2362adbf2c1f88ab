"""Key phrases of a paper (F2), and its date and citations as numbers to weigh it by (F4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conspectus.ingest.derivations.of_paper import Made, OfPaper, Subject
from conspectus.ingest.derivations.protocol import Facets
from conspectus.ingest.derivations.words import words_of
from conspectus.parse.text.key_phrases import key_phrases
from conspectus.records import KeyPhrase, normal_name
from conspectus.records.passage import digest_of
from conspectus.store import facets as kept
from conspectus.store import schema
from conspectus.store.connection import CatalogReader
from conspectus.store.derivations import Part

MOST_CITED = 2**31 - 1
"""The largest number that the column can hold."""


class KeyPhrases(OfPaper):
    """See `Derivation`; phrases count as keywords of their paper."""

    name = "key phrases"
    version = "2"
    parts: tuple[Part, ...] = (Part(schema.key_phrases), Part(schema.papers, columns=("published", "cited_by")))
    told = True

    def digest(self, paper: Subject) -> bytes:
        """See `Derivation.digest`."""
        metadata = paper.metadata
        return digest_of(metadata.title, words_of(paper), metadata.published, metadata.citation_count)

    def make(self, batch: Sequence[Subject]) -> Sequence[Made]:
        """See `Derivation.make`."""
        return [_rows(paper) for paper in batch]

    def facets(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Facets:
        """See `Derivation.facets`."""
        terms = kept.key_phrase_terms(catalog, paper_keys)
        return {key: [("keyword", term) for term in group] for key, group in terms.items()}

    def exported(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Mapping[int, Sequence[KeyPhrase]]:
        """See `Derivation.exported`."""
        return kept.scored_key_phrases(catalog, paper_keys)


def _rows(paper: Subject) -> Made:
    metadata = paper.metadata
    phrases = [
        {"rank": rank, "term": normal_name(one.text), "text": one.text, "score": one.score}
        for rank, one in enumerate(key_phrases(metadata.title, words_of(paper)), 1)
    ]
    count = metadata.citation_count
    cited_by = None if count is None or count < 0 else min(count, MOST_CITED)
    return phrases, [{"published": metadata.published, "cited_by": cited_by}]
