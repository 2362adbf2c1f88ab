"""Questions to an index of the engine `postgres`, within one transaction."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, text

from conspectus.core.arrays import FloatArray
from conspectus.index.postgres_sql import SqlConditions
from conspectus.index.postgres_tables import EXACT, IndexState
from conspectus.index.postings import BLOCK, FIELDS, RECORD, Keys, Scoreboard, Scores, within_edits
from conspectus.index.protocol import Candidate, WordHits
from conspectus.index.queries import Wording
from conspectus.records import Filters
from conspectus.records.filters import Condition

FEW = 5_000
"""Keys that pass a filter, where they are fetched before the best are chosen among them."""
EFFORT = 400
"""Vectors that HNSW keeps in view for each question, at least."""
_NO_YEAR = -32768.0
_BINARY = {"binary": True}


class PostgresReader:
    """See `SearchIndex`.

    Args:
        connection: in a transaction that sees one state of the database.
        schema: of pgvector.
    """

    def __init__(self, connection: Connection, state: IndexState, schema: str, wording: Wording) -> None:
        self.state = state
        self._connection, self._schema, self._wording = connection, schema, wording
        self._rows, self._postings = state.rows_table, state.postings_table

    def _select(self, query: str, values: Mapping[str, Any]) -> Sequence[Any]:
        return self._connection.execute(text(query), values, execution_options=_BINARY).all()

    def _build_conditions(self, filters: Filters, where: Condition | None) -> tuple[str, dict[str, Any]]:
        sql_conditions = SqlConditions(self._wording)
        return sql_conditions.combine(filters, where), sql_conditions.values

    # by words

    def search_text(self, query: str, k: int, filters: Filters, where: Condition | None) -> list[Candidate]:
        """See `SearchIndex.search_text`."""
        terms = [FIELDS["text"] + term for term in self._wording.terms(query)]
        board = self._scoreboard(terms)
        scores = board.bm25(terms, self.state.rows, max(self.state.words, 1) / max(self.state.rows, 1))
        return self._best(board, scores, k, filters, where)

    def search_exact(self, query: str, k: int, filters: Filters, where: Condition | None) -> list[Candidate]:
        """See `SearchIndex.search_exact`."""
        board, scores = self._exactness(query)
        return self._best(board, scores, k, filters, where)

    def exactness(self, query: str, keys: Sequence[int]) -> dict[int, float]:
        """See `SearchIndex.exactness`."""
        board, scores = self._exactness(query, sorted({key // BLOCK for key in keys}))
        hits = zip(*(values.tolist() for values in board.best(scores, len(scores))), strict=True)
        key_set = set(keys)
        return {key: score for key, score in hits if key in key_set}

    def _scoreboard(self, terms: Collection[str], blocks: Sequence[int] | None = None) -> Scoreboard:
        """The postings of terms (in some blocks)."""
        if not terms:
            return Scoreboard(())
        query = f"SELECT term, block, postings FROM {self._postings} WHERE term = ANY (:terms)"  # noqa: S608
        within = " AND block = ANY (:blocks)" if blocks is not None else ""
        return Scoreboard(
            (term, block, postings)
            for term, block, postings in self._select(query + within, {"terms": list(terms), "blocks": blocks})
        )

    def _exactness(self, query: str, blocks: Sequence[int] | None = None) -> tuple[Scoreboard, Scores]:
        forms = self._wording.with_forms(query)
        rows = self.state.rows
        numbers = {term: min(number, rows) for term, number in self._numbers(list(forms), ("text", "names")).items()}
        rarities = {term: math.log1p(rows / (1 + number)) for term, number in numbers.items() if number}
        total = sum(rarities.values())
        weights = {term: rarity / total for term, rarity in rarities.items()}
        letters = [FIELDS[field] for field in ("text", "title", "lead", "names")]
        terms = {letter + term for term in weights for letter in letters} | {"f" + forms[term] for term in weights}
        board = self._scoreboard(terms, blocks)
        return board, board.exactness(weights, forms)

    def _best(
        self, board: Scoreboard, scores: Scores, k: int, filters: Filters, where: Condition | None
    ) -> list[Candidate]:
        """The k best that pass: those of the best few are asked for first, unless few pass at all."""
        condition, values = self._build_conditions(filters, where)
        few: Keys | None = None
        if condition:
            query = f"SELECT key FROM {self._rows} WHERE {condition} LIMIT {FEW + 1}"  # noqa: S608
            few = np.array([key for (key,) in self._select(query, values)], np.int64)
        limit = k if few is None or len(few) > FEW else len(scores) + 1
        while True:
            keys, best = board.best(scores, limit)
            if few is not None:
                passing = few if len(few) <= FEW else self._among(keys, condition, values)
                is_passing = np.isin(keys, passing)
                is_all = len(keys) < limit
                keys, best = keys[is_passing], best[is_passing]
            if few is None or len(keys) >= k or is_all:
                return [Candidate(*hit) for hit in zip(keys[:k].tolist(), best[:k].tolist(), strict=True)]
            limit *= 8

    def _among(self, keys: Keys, condition: str, values: Mapping[str, Any]) -> Keys:
        """Those of some keys that pass."""
        query = f"SELECT key FROM {self._rows} WHERE key = ANY (CAST(:among AS bigint[])) AND {condition}"  # noqa: S608
        return np.array([key for (key,) in self._select(query, {**values, "among": keys.tolist()})], np.int64)

    def _numbers(self, terms: Sequence[str], fields: Sequence[str]) -> dict[str, int]:
        """How many passages have each term, added up over fields; those that none has are left out."""
        query = f"SELECT term, sum(length(postings)) FROM {self._postings} WHERE term = ANY (:terms) GROUP BY term"  # noqa: S608
        letters = [FIELDS[field] for field in fields]
        numbers: Counter[str] = Counter()
        prefixed_terms = [letter + term for term in terms for letter in letters]
        for term, size in self._select(query, {"terms": prefixed_terms}) if prefixed_terms else ():
            numbers[term[1:]] += size // RECORD.itemsize
        return dict(numbers)

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """See `SearchIndex.frequencies`; a word that is taken apart counts by its rarest part, a stop word as 0."""
        parts = [self._wording.all_terms(word) for word in words]
        numbers = self._numbers(sorted({part for terms in parts for part in terms}), ("text",))
        return [min((numbers.get(part, 0) for part in terms), default=0) for terms in parts]

    def has(self, word: str) -> bool:
        """See `SearchIndex.has`; of a word that is taken apart, all of its parts."""
        terms = self._wording.terms(word)
        return len(self._numbers(terms, ("text", "names"))) == len(terms)

    def near(self, word: str, edits: int, k: int) -> list[int]:
        """See `SearchIndex.near`."""
        form = self._wording.form(word)
        query = (
            f"SELECT DISTINCT substr(term, 2) FROM {self._postings} WHERE term >= 'f' AND term < 'g' "  # noqa: S608
            "AND length(term) - 1 BETWEEN :shortest AND :longest"
        )
        lengths = {"shortest": len(form) - edits, "longest": len(form) + edits}
        forms = within_edits(form, [other for (other,) in self._select(query, lengths)], edits)
        keys: list[int] = self._scoreboard(["f" + other for other in forms]).keys()[:k].tolist()
        return keys

    def count(self, words: str, filters: Filters, where: Condition | None) -> WordHits:
        """See `SearchIndex.count`. A word with a hyphen or the like is looked for by its parts."""
        parts = {word: self._wording.terms(word) for word in dict.fromkeys(words.split())}
        alone = {word: self._count(terms, filters, where) for word, terms in parts.items() if terms}
        if not alone:
            return WordHits({}, *(self._count((), filters, where) if where else (0, 0)))
        every = list(dict.fromkeys(term for terms in parts.values() for term in terms))
        papers, passages = next(iter(alone.values())) if len(alone) == 1 else self._count(every, filters, where)
        return WordHits({word: number for word, (number, _) in alone.items()}, papers, passages)

    def _count(self, terms: Sequence[str], filters: Filters, where: Condition | None) -> tuple[int, int]:
        """How many papers, and passages, have all of the terms and pass."""
        sql_conditions = SqlConditions(self._wording)
        conditions = [sql_conditions.combine(filters, where), sql_conditions.words(terms) if terms else ""]
        condition = " AND ".join(filter(None, conditions)) or "TRUE"
        query = f"SELECT count(DISTINCT paper), count(*) FROM {self._rows} WHERE {condition}"  # noqa: S608
        papers, passages = self._select(query, sql_conditions.values)[0]
        return papers, passages

    # by vectors and columns

    def search_vector(self, vector: FloatArray, k: int, filters: Filters, where: Condition | None) -> list[Candidate]:
        """See `SearchIndex.search_vector`."""
        condition, values = self._build_conditions(filters, where)
        passing = f"WHERE {condition}" if condition else ""
        values["vector"] = "[" + ",".join(map(str, vector.tolist())) + "]"
        distance = f"vector OPERATOR({self._schema}.<#>) CAST(:vector AS {self._schema}.halfvec)"
        near = f"SELECT key, {distance} AS distance FROM {self._rows} {passing}"  # noqa: S608
        if not self._is_exact(passing, values):
            effort = min(max(EFFORT, 2 * k), 1000)
            self._select(
                "SELECT set_config('hnsw.ef_search', :effort, TRUE), set_config('hnsw.max_scan_tuples', :most, TRUE), "
                "set_config('hnsw.iterative_scan', 'relaxed_order', TRUE)",
                {"effort": str(effort), "most": str(self.state.rows)},
            )
            near += f" ORDER BY {distance} LIMIT {k}"
        query = f"WITH near AS MATERIALIZED ({near}) SELECT key, -distance FROM near ORDER BY distance, key LIMIT {k}"  # noqa: S608
        return [Candidate(key, score) for key, score in self._select(query, values)]

    def _is_exact(self, passing: str, values: Mapping[str, Any]) -> bool:
        """Whether few enough pass for all of them to be compared."""
        if self.state.rows <= EXACT or not passing:
            return self.state.rows <= EXACT
        few = f"SELECT FROM {self._rows} {passing} LIMIT {EXACT + 1}"
        return bool(self._select(f"SELECT count(*) <= {EXACT} FROM ({few}) AS few", values)[0][0])  # noqa: S608

    def newest(self, k: int, filters: Filters, where: Condition | None) -> list[Candidate]:
        """See `SearchIndex.newest`."""
        condition, values = self._build_conditions(filters, where)
        first = (
            f"SELECT DISTINCT ON (paper) key, year FROM {self._rows} WHERE {condition or 'TRUE'} ORDER BY paper, key"  # noqa: S608
        )
        query = f"SELECT key, year FROM ({first}) AS first ORDER BY year DESC NULLS LAST, key LIMIT {k}"  # noqa: S608
        hits = self._select(query, values)
        return [Candidate(key, _NO_YEAR if year is None else float(year)) for key, year in hits]

    def keys(self) -> Keys:
        """See `SearchIndex.keys`."""
        rows = self._select(f"SELECT key FROM {self._rows} ORDER BY key", {})  # noqa: S608
        return np.array([key for (key,) in rows], np.int64)
