"""The full-text half of the embedded engine: BM25 by tantivy."""

from __future__ import annotations

import json
import math
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tantivy

from conspectus.core.disk import number_of, read_text
from conspectus.index.protocol import Candidate, IndexRow, WordHits
from conspectus.index.queries import IndexQueries, Wording, all_of, analyser, any_key, any_of, forms, paired, parted
from conspectus.records import Filters
from conspectus.records.filters import Condition

HEAP = 20_000_000
"""Bytes that tantivy fills before it writes a segment. With three times as many it is no faster, only larger."""
SAID = ("text", "names")
"""The fields in which all words stand, in some form."""
_BETWEEN = ("",) * 8
"""Each adds a place between title and text, so that no phrase goes from one into the other."""


def create(folder: Path) -> None:
    """An empty text index in `folder`."""
    folder.mkdir()
    tantivy.Index(_schema(), path=str(folder))


def open_index(folder: Path) -> Any:
    """The text index in `folder`."""
    index = tantivy.Index.open(str(folder))
    index.register_tokenizer("science", analyser())
    index.register_tokenizer("forms", forms())
    return index


def _link(folder: Path, link_folder: Path) -> None:
    """Fill a folder with links to the index's files, so that tantivy can take its locks there."""
    for path in folder.iterdir():
        if not path.name.startswith(".tantivy-"):
            (link_folder / path.name).symlink_to(path)


class TextSearcher:
    """Searches one generation's text index."""

    def __init__(self, folder: Path) -> None:
        segments = json.loads(read_text(folder / "meta.json"))["segments"]
        self.dead = sum((segment["deletes"] or {}).get("num_deleted_docs", 0) for segment in segments)
        """Passages that were taken out and still count where words are weighed."""
        try:
            self._index = open_index(folder)
        except ValueError as error:  # tantivy locks to read, now and when it looks for newer files: perhaps it may not
            if number_of(error) is None:
                raise
            links = Path(tempfile.mkdtemp(prefix="conspectus-"))
            weakref.finalize(self, shutil.rmtree, links, ignore_errors=True)
            _link(folder, links)
            self._index = open_index(links)
        self._searcher = self._index.searcher()
        self._wording = Wording()
        self._queries = IndexQueries(self._index.schema, self._wording)

    def search(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        """See `SearchIndex.search_text`."""
        terms = self._wording.terms(query)
        if not terms:
            return []
        # Terms, not the query language: what looks like its signs is only text here.
        words = any_of([self._queries.term("text", term) for term in terms])
        parsed = all_of([words, *self._queries.conditions(filters, where)])
        limit = k + 1  # one more shows whether equals were cut off at the border; then all of them are wanted
        while len(hits := self._searcher.search(parsed, limit, count=False).hits) == limit:
            if hits[-1][0] < hits[k - 1][0]:
                break
            limit *= 4
        keys = self._searcher.fast_field_values("key", [address for _, address in hits])
        candidates = [Candidate(key, score) for key, (score, _) in zip(keys, hits, strict=True)]
        return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.key))[:k]

    def search_exact(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        """See `SearchIndex.search_exact`."""
        return self._exact(query, k, self._queries.conditions(filters, where))

    def exactness(self, query: str, keys: Sequence[int]) -> dict[int, float]:
        """See `SearchIndex.exactness`."""
        if not keys:
            return {}
        among = self._queries.still(any_key(self._index.schema, list(keys)))
        return {candidate.key: candidate.score for candidate in self._exact(query, len(keys), [among])}

    def _exact(self, query: str, k: int, conditions: list[Any]) -> list[Candidate]:
        forms = self._wording.with_forms(query)
        weights = self._rarities(list(forms))
        total = sum(weights.values())
        if not total:
            return []
        words = any_of([self._queries.anywhere(term, forms[term], part / total) for term, part in weights.items()])
        hits = self._searcher.search(all_of([words, *conditions]), k, count=False).hits
        keys = self._searcher.fast_field_values("key", [address for _, address in hits])
        candidates = [Candidate(key, min(score, 1.0)) for key, (score, _) in zip(keys, hits, strict=True)]
        return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.key))

    def _rarities(self, terms: Sequence[str]) -> dict[str, float]:
        """How much each term weighs; those that nothing has are left out."""
        passages = self._searcher.num_docs
        numbers = {term: sum(self._number(term, field) for field in SAID) for term in terms}
        return {term: math.log1p(passages / (1 + min(number, passages))) for term, number in numbers.items() if number}

    def number(self, where: Condition) -> int:
        """For how many passages a condition holds."""
        return int(self._searcher.search(all_of(self._queries.conditions(Filters(), where)), 1, count=True).count)

    def keys(self, where: Condition) -> npt.NDArray[np.int64]:
        """The keys of the passages for which a condition holds."""
        return np.array(self._values("key", all_of(self._queries.conditions(Filters(), where))), np.int64)

    def count(self, words: str, filters: Filters, where: Condition | None = None) -> WordHits:
        """See `SearchIndex.count`. A word with a hyphen or the like is looked for by its parts."""
        terms_by_word = {word: self._wording.terms(word) for word in dict.fromkeys(words.split())}
        terms = {word: word_terms for word, word_terms in terms_by_word.items() if word_terms}
        conditions = self._queries.conditions(filters, where)
        alone = {
            word: self._papers([*(self._queries.term("text", term) for term in word_terms), *conditions])
            for word, word_terms in terms.items()
        }
        if not alone:
            return WordHits({}, *(self._papers(conditions) if where else (0, 0)))
        every = [
            self._queries.term("text", term)
            for term in dict.fromkeys(term for word_terms in terms.values() for term in word_terms)
        ]
        papers, passages = next(iter(alone.values())) if len(alone) == 1 else self._papers([*every, *conditions])
        return WordHits({word: paper_count for word, (paper_count, _) in alone.items()}, papers, passages)

    def _papers(self, conditions: list[Any]) -> tuple[int, int]:
        """How many papers, and passages, meet all of the conditions."""
        keys = self._values("paper", all_of(conditions))
        return len(set(keys)), len(keys)

    def _values(self, field: str, query: Any) -> list[Any]:
        """The numbers in a field of all that a query finds."""
        hits = self._searcher.search(query, max(self._searcher.num_docs, 1), count=False).hits
        return list(self._searcher.fast_field_values(field, [address for _, address in hits]))

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """See `SearchIndex.frequencies`; a word that is taken apart counts by its rarest part, a stop word as 0."""
        parts = [self._wording.all_terms(word) for word in words]
        return [min((self._number(part) for part in word_parts), default=0) for word_parts in parts]

    def has(self, word: str) -> bool:
        """See `SearchIndex.has`; of a word that is taken apart, all of its parts."""
        terms = self._wording.terms(word)
        return all(any(self._number(term, field) for field in SAID) for term in terms)

    def near(self, word: str, edits: int, k: int) -> list[int]:
        """See `SearchIndex.near`."""
        near = tantivy.Query.fuzzy_term_query(self._index.schema, "forms", self._wording.form(word), distance=edits)
        hits = self._searcher.search(near, k, count=False).hits
        return list(self._searcher.fast_field_values("key", [address for _, address in hits]))

    def _number(self, term: str, field: str = "text") -> int:
        """How many passages have a term; tantivy's own number, which is there at once, has the dead ones too."""
        if not self.dead:
            return int(self._searcher.doc_freq(field, term))
        return int(self._searcher.search(self._queries.term(field, term), 1, count=True).count)


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="science")
    for name in ("title", "lead", "names"):
        builder.add_text_field(name, tokenizer_name="science")
    builder.add_text_field("forms", tokenizer_name="forms", index_option="basic")
    builder.add_unsigned_field("key", stored=True, indexed=True, fast=True)
    builder.add_unsigned_field("paper", fast=True)
    builder.add_integer_field("year", indexed=True, fast=True)
    for name in ("kind", "full_text", "facets"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


def document(row: IndexRow) -> Any:
    """A row as tantivy takes it."""
    tantivy_document = tantivy.Document()
    title = parted(row.title)
    for text in (title, *_BETWEEN, parted(row.text)):
        tantivy_document.add_text("text", text)
    for name, words in (("title", title), ("lead", parted(row.lead)), ("names", parted(row.names))):
        if words:
            tantivy_document.add_text(name, words)
    tantivy_document.add_text("forms", paired("\n".join((row.title, row.names, row.text))))
    tantivy_document.add_unsigned("key", row.key)
    tantivy_document.add_unsigned("paper", row.paper)
    tantivy_document.add_text("kind", row.kind)
    tantivy_document.add_text("full_text", str(row.full_text))
    if row.year is not None:
        tantivy_document.add_integer("year", row.year)
    for facet, term in row.facets:
        tantivy_document.add_text("facets", f"{facet}:{term}")
    return tantivy_document
