"""A change to an index of the engine `postgres`, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, text

from conspectus.index.postgres_sql import LAST_YEAR, facet_code
from conspectus.index.postgres_tables import IndexState, create_indexes, speed_up
from conspectus.index.postings import BLOCK, RowTerms, without
from conspectus.index.protocol import IndexRow
from conspectus.index.queries import Wording

_BUFFERED = 2_000_000
"""Postings that are gathered before they are written: rather more than a block has."""
_AT_ONCE = 500
PARTS = 16
"""With so many parts of their own the postings of commits are appended to the others: each time all of a block's
postings are written again, which for every commit would be a hundred times as much as the commit itself."""
_WRITTEN = 20_000
"""Blocks of postings in one statement."""
_BLOCKS = (
    "(SELECT * FROM unnest(CAST(:terms AS text[]), CAST(:blocks AS integer[]), CAST(:parts AS integer[]), "
    "CAST(:records AS bytea[])) AS given (term, block, part, records))"
)
_APPEND = "ON CONFLICT (term, block, part) DO UPDATE SET postings = old.postings || excluded.postings"


class PostgresWriter:
    """See `IndexWriter`.

    Args:
        schema: of pgvector.
        owner: of the index.
        is_new: whether the tables were made for this change, so that nobody else sees them.
        is_part: whether it is one of many small changes, each in a transaction of the catalog.
    """

    def __init__(
        self,
        connection: Connection,
        state: IndexState,
        schema: str,
        owner: str,
        wording: Wording,
        *,
        is_new: bool,
        is_part: bool = False,
    ) -> None:
        self.is_committed = False
        self.is_new = is_new
        self.on_commit: Callable[[], None] = connection.commit
        self._connection, self._state, self._schema, self._owner = connection, state, schema, owner
        self._wording, self._is_part = wording, is_part
        self._buffer: dict[tuple[str, int], bytearray] = {}
        self._buffered = 0

    def delete(self, keys: npt.NDArray[np.int64]) -> None:
        """See `IndexWriter.delete`."""
        for start in range(0, len(keys), _AT_ONCE):
            self._delete(keys[start : start + _AT_ONCE])

    def _delete(self, keys: npt.NDArray[np.int64]) -> None:
        """Delete rows, and their records from the postings of their terms."""
        rows, postings = self._state.rows_table, self._state.postings_table
        gone = self._connection.execute(
            text(
                f"DELETE FROM {rows} WHERE key = ANY (CAST(:keys AS bigint[])) "  # noqa: S608
                "RETURNING key, length, tsvector_to_array(words) || forms"
            ),
            {"keys": keys.tolist()},
        ).all()
        self._state = replace(
            self._state, rows=self._state.rows - len(gone), words=self._state.words - sum(row[1] for row in gone)
        )
        places = sorted({(term, key // BLOCK) for key, _, terms in gone for term in terms})
        if not places:
            return
        blocks = self._connection.execute(
            text(
                f"SELECT term, block, part, postings FROM {postings} JOIN unnest(CAST(:terms AS text[]), "  # noqa: S608
                "CAST(:blocks AS integer[])) AS wanted (term, block) USING (term, block)"
            ),
            {"terms": [term for term, _ in places], "blocks": [block for _, block in places]},
            execution_options={"binary": True},
        ).all()
        left = {(term, block, part): without(records, block, keys) for term, block, part, records in blocks}
        self._replace(left)

    def _replace(self, blocks: dict[tuple[str, int, int], bytes]) -> None:
        """Write blocks of postings in the place of what is there; those without any go."""
        table = self._state.postings_table
        match = f"FROM {_BLOCKS} AS new WHERE {table}.term = new.term AND {table}.block = new.block "
        match += f"AND {table}.part = new.part"
        self._each(f"UPDATE {table} SET postings = new.records {match}", {k: v for k, v in blocks.items() if v})  # noqa: S608
        self._each(
            f"DELETE FROM {table} USING {match.removeprefix('FROM ')}",  # noqa: S608
            {place: records for place, records in blocks.items() if not records},
        )

    def _each(self, statement: str, blocks: dict[tuple[str, int, int], bytes]) -> None:
        """Execute a statement for blocks of postings."""
        places = sorted(blocks)
        for start in range(0, len(places), _WRITTEN):
            part = places[start : start + _WRITTEN]
            values: dict[str, Any] = {
                "terms": [term for term, _, _ in part],
                "blocks": [block for _, block, _ in part],
                "parts": [number for _, _, number in part],
                "records": [blocks[place] for place in part],
            }
            self._connection.execute(text(statement), values)

    def add(self, rows: Sequence[IndexRow]) -> None:
        """See `IndexWriter.add`."""
        if not rows:
            return
        values = []
        for row in rows:
            terms = RowTerms.of(row, self._wording)
            for place, record in terms.postings(row.key):
                self._buffer.setdefault(place, bytearray()).extend(record)
            self._buffered += len(terms.places) + len(terms.forms)
            values.append(_columns(row, terms))
        statement = (
            f"INSERT INTO {self._state.rows_table} VALUES (:paper, :key, :kind, :full_text, :year, "  # noqa: S608
            f"CAST(:facets AS bigint[]), :length, CAST(:vector AS {self._schema}.halfvec), CAST(:words AS tsvector), "
            "CAST(:forms AS text[]))"
        )
        self._connection.execute(text(statement), values)
        words = self._state.words + sum(columns["length"] for columns in values)
        self._state = replace(self._state, rows=self._state.rows + len(rows), words=words)
        if self._buffered > _BUFFERED:
            self._flush()

    def _flush(self, part: int = 0) -> None:
        """Append what is gathered to the postings; as a part of its own, for another than 0."""
        table = self._state.postings_table
        self._each(
            f"INSERT INTO {table} AS old SELECT term, block, part, records FROM {_BLOCKS} AS new {_APPEND}",  # noqa: S608
            {(*place, part): bytes(records) for place, records in self._buffer.items()},
        )
        self._buffer, self._buffered = {}, 0

    def _flush_separately(self) -> None:
        """Write what is gathered as a part of its own; many of these become one."""
        table = self._state.postings_table
        last = self._connection.scalar(text(f"SELECT max(part) FROM {table} WHERE part > 0")) or 0  # noqa: S608
        self._flush(last + 1)
        if last + 1 >= PARTS:
            gone = f"DELETE FROM {table} WHERE part > 0 RETURNING term, block, part, postings"  # noqa: S608
            joined = "SELECT term, block, 0, string_agg(postings, '' ORDER BY part) FROM gone GROUP BY term, block"
            self._connection.execute(text(f"WITH gone AS ({gone}) INSERT INTO {table} AS old {joined} {_APPEND}"))

    def keys_of(self, papers: Sequence[int]) -> npt.NDArray[np.int64]:
        """See `FollowingWriter.keys_of`."""
        query = f"SELECT key FROM {self._state.rows_table} WHERE paper = ANY (CAST(:papers AS bigint[])) ORDER BY key"  # noqa: S608
        return np.array(self._connection.scalars(text(query), {"papers": list(papers)}).all(), np.int64)

    def commit(self, change: int) -> None:
        """See `IndexWriter.commit`."""
        connection = self._connection
        if self._is_part and not self.is_new:
            self._flush_separately()
        else:
            self._flush()
        state = self._state
        if self.is_new:
            create_indexes(connection, state)
        if not self._is_part:
            speed_up(connection, state, self._schema)
        size = text("SELECT pg_total_relation_size(CAST(:rows AS regclass)) + pg_total_relation_size(:postings)")
        size_of = connection.scalar(size, {"rows": state.rows_table, "postings": state.postings_table})
        values = {"owner": self._owner, "generation": state.generation, "model": state.model}
        values |= {"dimensions": state.dimensions, "change": change, "rows": state.rows, "words": state.words}
        connection.execute(
            text(
                "INSERT INTO search_indexes (owner, generation, model, dimensions, change, rows, words, megabytes) "
                "VALUES (:owner, :generation, :model, :dimensions, :change, :rows, :words, :megabytes) "
                "ON CONFLICT (owner) DO UPDATE SET (generation, model, dimensions, change, rows, words, megabytes) = "
                "(excluded.generation, excluded.model, excluded.dimensions, excluded.change, excluded.rows, "
                "excluded.words, excluded.megabytes)"
            ),
            values | {"megabytes": round((size_of or 0) / 1e6, 3)},
        )
        self.on_commit()
        self.is_committed = True


def _columns(row: IndexRow, terms: RowTerms) -> dict[str, Any]:
    """The values of a row of the table."""
    year = None if row.year is None else max(-LAST_YEAR, min(row.year, LAST_YEAR))
    return {
        "key": row.key,
        "paper": row.paper,
        "kind": row.kind,
        "full_text": row.full_text,
        "year": year,
        "facets": [facet_code(*facet) for facet in row.facets],
        "length": terms.length,
        "vector": "[" + ",".join(map(str, row.vector.tolist())) + "]",
        "words": terms.lexemes(),
        "forms": sorted(terms.forms),
    }
