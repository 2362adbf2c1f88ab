"""The full-text half of the embedded engine: BM25 by tantivy."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tantivy

from conspectus.disk import number_of
from conspectus.index.protocol import Candidate, IndexRow, WordHits
from conspectus.records import FACETS, Filters
from conspectus.words import STOP_WORDS

HEAP = 64_000_000
MOST_WORDS = 1000
"""Different words of one query that are looked for; more come only from texts pasted whole."""

_RAISED = re.compile(r"(?<=[^\W\d_])(?=[⁰¹²³⁴-⁹])")


def create(folder: Path) -> None:
    """An empty text index in `folder`."""
    folder.mkdir()
    tantivy.Index(_schema(), path=str(folder))


def open_index(folder: Path) -> Any:
    """The text index in `folder`."""
    index = tantivy.Index.open(str(folder))
    index.register_tokenizer("science", _analyser())
    return index


def _link(folder: Path, made: Path) -> None:
    """Fill a folder with links to the index's files, so that tantivy can take its locks there."""
    for path in folder.iterdir():
        if not path.name.startswith(".tantivy-"):
            (made / path.name).symlink_to(path)


class TextSearcher:
    """Searches one generation's text index."""

    def __init__(self, folder: Path) -> None:
        segments = json.loads((folder / "meta.json").read_text("utf-8"))["segments"]
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
        self._schema = self._index.schema
        self._analyser = _analyser()

    def search(self, query: str, k: int, filters: Filters) -> list[Candidate]:
        """See `SearchIndex.search_text`."""
        terms = self._terms(query)
        if not terms:
            return []
        # Terms, not the query language: what looks like its signs is only text here.
        parsed = self._all([self._any([self._term("text", term) for term in terms]), *self._conditions(filters)])
        limit = k + 1  # one more shows whether equals were cut off at the border; then all of them are wanted
        while len(hits := self._searcher.search(parsed, limit, count=False).hits) == limit:
            if hits[-1][0] < hits[k - 1][0]:
                break
            limit *= 4
        found = [Candidate(self._searcher.doc(address)["key"][0], score) for score, address in hits]
        return sorted(found, key=lambda candidate: (-candidate.score, candidate.key))[:k]

    def count(self, words: str, filters: Filters) -> WordHits:
        """See `SearchIndex.count`. A word with a hyphen or the like is looked for by its parts."""
        asked = {word: self._terms(word) for word in dict.fromkeys(words.split())}
        terms = {word: found for word, found in asked.items() if found}
        conditions = self._conditions(filters)
        alone = {
            word: self._papers([*(self._term("text", term) for term in found), *conditions])
            for word, found in terms.items()
        }
        if not alone:
            return WordHits({}, 0, 0)
        every = [self._term("text", term) for term in dict.fromkeys(term for found in terms.values() for term in found)]
        papers, passages = next(iter(alone.values())) if len(alone) == 1 else self._papers([*every, *conditions])
        return WordHits({word: found for word, (found, _) in alone.items()}, papers, passages)

    def _papers(self, conditions: list[Any]) -> tuple[int, int]:
        """How many papers, and passages, meet all of the conditions."""
        hits = self._searcher.search(self._all(conditions), max(self._searcher.num_docs, 1), count=False).hits
        keys = self._searcher.fast_field_values("paper", [address for _, address in hits])
        return len(set(keys)), len(hits)

    def _terms(self, text: str) -> list[str]:
        """The terms that words are looked for by, each once."""
        plain = text.encode(errors="replace").decode()
        return list(dict.fromkeys(self._analyser.analyze(_parted(plain))))[:MOST_WORDS]

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """See `SearchIndex.frequencies`; a word that is taken apart counts by its rarest part, a stop word as 0."""
        parts = [self._analyser.analyze(_parted(word)) for word in words]
        return [min((self._number(part) for part in found), default=0) for found in parts]

    def _number(self, term: str) -> int:
        """How many passages have a term; tantivy's own number, which is there at once, has the dead ones too."""
        if not self.dead:
            return int(self._searcher.doc_freq("text", term))
        return int(self._searcher.search(self._term("text", term), 1, count=True).count)

    def _conditions(self, filters: Filters) -> list[Any]:
        found = [self._any([self._term("kind", kind) for kind in filters.kind])] if filters.kind else []
        if filters.full_text is not None:
            found.append(self._term("full_text", str(filters.full_text)))
        if filters.year is not None:
            low, high = filters.year
            bounds = (-(10**6) if low is None else low, 10**6 if high is None else high)
            found.append(tantivy.Query.range_query(self._schema, "year", tantivy.FieldType.Integer, *bounds))
        wanted = [(facet, filters.terms(facet)) for facet in FACETS]
        found += [
            self._any([self._term("facets", f"{facet}:{term}") for term in terms]) for facet, terms in wanted if terms
        ]
        return [tantivy.Query.const_score_query(condition, 0.0) for condition in found]

    def _term(self, field: str, value: str) -> Any:
        return tantivy.Query.term_query(self._schema, field, value)

    @staticmethod
    def _all(queries: list[Any]) -> Any:
        if len(queries) == 1:
            return queries[0]
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in queries])

    @staticmethod
    def _any(queries: list[Any]) -> Any:
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])


def any_key(schema: Any, keys: list[int]) -> Any:
    """A query for the rows with these keys. (A deletion by term takes a key for a signed number and finds nothing.)"""
    return tantivy.Query.term_set_query(schema, "key", keys)


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="science")
    builder.add_unsigned_field("key", stored=True, indexed=True)
    builder.add_unsigned_field("paper", fast=True)
    builder.add_integer_field("year", indexed=True, fast=True)
    for name in ("kind", "full_text", "facets"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


def _analyser() -> Any:
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(64))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .filter(tantivy.Filter.custom_stopword(sorted(STOP_WORDS)))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


def _parted(text: str) -> str:
    """The text with raised numbers off the words before them: who looks for `Powell` means `Powell³` too."""
    return _RAISED.sub(" ", text)


def document(row: IndexRow) -> Any:
    """A row as tantivy takes it."""
    made = tantivy.Document()
    made.add_text("text", _parted(row.text))
    made.add_unsigned("key", row.key)
    made.add_unsigned("paper", row.paper)
    made.add_text("kind", row.kind)
    made.add_text("full_text", str(row.full_text))
    if row.year is not None:
        made.add_integer("year", row.year)
    for facet, term in row.facets:
        made.add_text("facets", f"{facet}:{term}")
    return made
