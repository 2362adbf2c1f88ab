"""Facts found in a paper's words: what it has, its key phrases, its language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from conspectus.core.languages import language_of
from conspectus.ingest.derivations.protocol import Facets, Made, OfFacet, OfPaper, Subject
from conspectus.parse.text.key_phrases import READ, key_phrases
from conspectus.records import KeyPhrase, Passage, normal_name
from conspectus.records.filters import HAS, list_things
from conspectus.records.passage import digest_of
from conspectus.store import facets as kept
from conspectus.store import schema
from conspectus.store.connection import CatalogReader
from conspectus.store.derivations import DerivedRows
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


def words_of(paper: Subject) -> str:
    """A paper's abstract, else how its text begins."""
    return paper.metadata.abstract or _beginning(paper.passages)


def _beginning(own: Iterable[Passage]) -> str:
    """The first sentences, each once, for passages share some."""
    found: dict[str, str] = {}
    length = 0
    for passage in own:
        for span in passage.spans:
            if span.id not in found:
                found[span.id] = span.text
                length += len(span.text)
        if length > READ:
            break
    return "\n\n".join(found.values())


class ContentFlags(OfFacet):
    """See `Derivation`."""

    name = "content flags"
    facet = HAS
    awaited = True

    def terms(self, paper: Subject) -> tuple[str, ...]:
        """See `OfFacet.terms`."""
        return tuple(list_things(paper.parsed))


MOST_CITED = 2**31 - 1
"""The largest number that the column can hold."""


class KeyPhrases(OfPaper):
    """See `Derivation`; phrases count as keywords of their paper."""

    name = "key phrases"
    version = "2"
    parts: tuple[DerivedRows, ...] = (
        DerivedRows(schema.key_phrases),
        DerivedRows(schema.papers, columns=("published", "cited_by")),
    )
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
