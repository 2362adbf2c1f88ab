"""An index engine without an index: all rows in one file, looked at one by one. Slow, and plainly right."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
from filelock import FileLock

from conspectus.core.arrays import FloatArray
from conspectus.errors import LibraryDamagedError
from conspectus.index.protocol import Candidate, IndexRow, IndexStats, WordHits
from conspectus.index.queries import Wording
from conspectus.lexicon import STOP_WORDS
from conspectus.records import Filters
from conspectus.records.filters import HAS, AllOf, Among, AnyOf, Condition, Has, Not, Passes, Stands

WORDING = Wording()
Kept = tuple[list[IndexRow], IndexStats]
"""What the file holds, in MessagePack: it may come from anybody, so it is decoded into what it has to be."""


class _Row:
    """A row and its words."""

    def __init__(self, row: IndexRow) -> None:
        self.row = row
        self.title, self.text = WORDING.all_terms(row.title), WORDING.all_terms(row.text)
        self.words = Counter([*self.title, *self.text])
        self.names = set(WORDING.all_terms(row.names))
        self.lead = set(WORDING.all_terms(row.lead))
        said = f"{row.title} {row.text} {row.names}".split()
        self.forms = {WORDING.form(word.strip(".,;:!?()")) for word in said} - STOP_WORDS


class _State:
    def __init__(self, rows: dict[int, _Row] | None = None, stats: IndexStats | None = None) -> None:
        self.rows = rows or {}
        self.stats = stats or IndexStats(0, "", -1, 0, 0.0)

    @cached_property
    def length(self) -> float:
        return sum(sum(one.words.values()) for one in self.rows.values()) / max(1, len(self.rows))

    def number(self, term: str, where: Callable[[_Row], bool] | None = None) -> int:
        meets = where or (lambda one: term in one.words)
        return sum(map(meets, self.rows.values()))


class _Writer:
    def __init__(self, file: Path, rows: dict[int, _Row], model: str) -> None:
        self.file, self.rows, self.model = file, rows, model

    def delete(self, keys: npt.NDArray[np.int64]) -> None:
        for key in keys.tolist():
            self.rows.pop(key, None)

    def add(self, rows: Sequence[IndexRow]) -> None:
        self.rows |= {row.key: _Row(row) for row in rows}

    def commit(self, change: int) -> None:
        made = IndexStats(len(self.rows), self.model, change, change, 0.1)
        whole = self.file.with_suffix(".new")
        rows = [one.row for one in self.rows.values()]
        whole.write_bytes(msgspec.msgpack.encode((rows, made), enc_hook=lambda vector: vector.tobytes()))
        whole.replace(self.file)


class PlainIndex:
    """As `SearchIndex`; it has no `Upkeep`. Its file is opened also where it is not `trusted`: nothing in it runs."""

    def __init__(self, folder: Path, *, trusted: bool = True) -> None:
        self.folder = folder
        self._read: tuple[float, _State] = (0.0, _State())

    def beside(self, owner: str) -> PlainIndex:
        return PlainIndex(self.folder / owner)

    @contextmanager
    def writing(self, model: str, dimensions: int, *, fresh: bool = False) -> Iterator[_Writer]:
        self.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self.folder / "lock"):
            yield _Writer(self.folder / "rows", {} if fresh else dict(self._now().rows), model)

    def _now(self) -> _State:
        file = self.folder / "rows"
        if not file.exists():
            return _State()
        when = file.stat().st_mtime_ns
        if when != self._read[0]:
            try:
                rows, stats = msgspec.msgpack.decode(file.read_bytes(), type=Kept, dec_hook=_vector)
            except (msgspec.MsgspecError, ValueError) as error:
                raise LibraryDamagedError(f"The index '{file}' is damaged.", "conspectus library reindex") from error
            self._read = when, _State({row.key: _Row(row) for row in rows}, stats)
        return self._read[1]

    def search_text(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        now, terms = self._now(), WORDING.terms(query)
        having = {term: number for term in terms if (number := now.number(term))}
        rarity = {term: math.log(1 + (len(now.rows) - n + 0.5) / (n + 0.5)) for term, n in having.items()}

        def score(one: _Row) -> float:
            long = 0.25 + 0.75 * sum(one.words.values()) / now.length
            return sum(rarity[t] * 2.2 * n / (n + 1.2 * long) for t in rarity if (n := one.words[t]))

        return _best(k, ((one.row.key, score(one)) for one in self._passing(filters, where)))

    def search_vector(
        self, vector: FloatArray, k: int, filters: Filters, where: Condition | None = None
    ) -> list[Candidate]:
        found = ((one.row.key, 2 + float(one.row.vector @ vector)) for one in self._passing(filters, where))
        return [Candidate(one.key, one.score - 2) for one in _best(k, found)]

    def search_exact(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        scores = self._exactness(query)
        return _best(k, ((one.row.key, scores.get(one.row.key, 0.0)) for one in self._passing(filters, where)))

    def exactness(self, query: str, keys: Sequence[int]) -> dict[int, float]:
        scores = self._exactness(query)
        return {key: scores[key] for key in keys if scores.get(key)}

    def _exactness(self, query: str) -> dict[int, float]:
        now = self._now()
        counts = {t: now.number(t, lambda one, t=t: t in one.words or t in one.names) for t in WORDING.terms(query)}
        weights = {term: math.log1p(len(now.rows) / (1 + number)) for term, number in counts.items() if number}
        total = sum(weights.values())

        def part(one: _Row, term: str) -> float:
            if term in one.title or term in one.lead:
                return 1.0
            return 0.97 if term in one.words or term in one.names else 0.0

        return {
            key: sum(weight * part(one, term) for term, weight in weights.items()) / total
            for key, one in now.rows.items()
            if total
        }

    def newest(self, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        first: dict[int, IndexRow] = {}
        for one in self._passing(filters, where):
            first.setdefault(one.row.paper, one.row)
        none = -math.inf
        order = sorted(first.values(), key=lambda row: (-(none if row.year is None else row.year), row.key))
        return [Candidate(row.key, none if row.year is None else row.year) for row in order[:k]]

    def frequencies(self, words: Sequence[str]) -> list[int]:
        now = self._now()
        return [min(map(now.number, WORDING.all_terms(word)), default=0) for word in words]

    def has(self, word: str) -> bool:
        rows = self._now().rows.values()
        return all(any(term in one.words or term in one.names for one in rows) for term in WORDING.terms(word))

    def near(self, word: str, edits: int, k: int) -> list[int]:
        form = WORDING.form(word)
        rows = self._now().rows.values()
        return [one.row.key for one in rows if any(_distance(form, other) <= edits for other in one.forms)][:k]

    def count(self, words: str, filters: Filters, where: Condition | None = None) -> WordHits:
        asked = {word: terms for word in dict.fromkeys(words.split()) if (terms := WORDING.terms(word))}
        rows = self._passing(filters, where)
        if not asked:
            rows = rows if where else []
            return WordHits({}, len({one.row.paper for one in rows}), len(rows))

        def having(terms: list[str]) -> set[int]:
            return {one.row.key for one in rows if all(term in one.words for term in terms)}

        found = {word: having(terms) for word, terms in asked.items()}
        both = set.intersection(*found.values())
        paper = {one.row.key: one.row.paper for one in rows}
        alone = {word: len({paper[key] for key in keys}) for word, keys in found.items()}
        return WordHits(alone, len({paper[key] for key in both}), len(both))

    def keys(self) -> npt.NDArray[np.int64]:
        return np.array(sorted(self._now().rows), np.int64)

    def stats(self) -> IndexStats:
        return self._now().stats

    def close(self) -> None:
        self._read = (0.0, _State())

    def _passing(self, filters: Filters, where: Condition | None) -> list[_Row]:
        rows = sorted(self._now().rows.values(), key=lambda one: one.row.key)
        return [one for one in rows if _passes(one.row, filters) and (where is None or _holds(one, where))]


def _vector(_: object, data: object) -> FloatArray:
    return np.frombuffer(data, np.float32)


def _best(k: int, found: Iterator[tuple[int, float]]) -> list[Candidate]:
    """The best, ties by key; what has no score is not found."""
    order = sorted((one for one in found if one[1] > 0), key=lambda one: (-round(one[1], 6), one[0]))
    return [Candidate(key, score) for key, score in order[:k]]


def _passes(row: IndexRow, filters: Filters) -> bool:
    low, high = filters.year or (None, None)
    if filters.year and (row.year is None or row.year < (low or -9999) or row.year > (high or 9999)):
        return False
    if (filters.kind and row.kind not in filters.kind) or filters.full_text not in (None, row.full_text):
        return False
    asked = [(facet, filters.terms(facet)) for facet in ("venue", "author", "keyword")]
    return all(not terms or any((facet, term) in row.facets for term in terms) for facet, terms in asked)


def _holds(one: _Row, condition: Condition) -> bool:
    match condition:
        case Stands(words, "title"):
            return _stands(words, one.row.title)
        case Stands(words):
            return _stands(words, one.row.title) or _stands(words, one.row.text)
        case Passes(filters):
            return _passes(one.row, filters)
        case Has(thing):
            return (HAS, thing) in one.row.facets
        case Among(keys):
            return one.row.key in keys
        case Not(part):
            return not _holds(one, part)
        case AllOf(parts):
            return all(_holds(one, part) for part in parts)
        case AnyOf(parts):
            return any(_holds(one, part) for part in parts)


def _stands(phrase: str, text: str) -> bool:
    asked, there = WORDING.places(phrase), set(WORDING.places(text))
    begins = {place for place, term in there if asked and term == asked[0][1]}
    return any(all((place + begin, term) in there for place, term in asked) for begin in begins)


def _distance(one: str, other: str) -> int:
    """Letters to change, neighbours exchanged as one; 3 where the lengths differ by more than two."""
    if abs(len(one) - len(other)) > 2:
        return 3
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]
