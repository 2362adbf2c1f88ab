"""A change to an index of the engine `postgres`, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, text

from conspectus.index.postgres_reader import EXACT
from conspectus.index.postgres_sql import LAST_YEAR, facet_code
from conspectus.index.postgres_tables import MOST_DIMENSIONS, IndexState, create_indexes, create_vector_index
from conspectus.index.postings import BLOCK, RowTerms, without
from conspectus.index.protocol import IndexRow
from conspectus.index.queries import Wording

_BUFFERED = 2_000_000
"""Postings that are gathered before they are written: rather more than a block has."""
_AT_ONCE = 500
_WRITTEN = 20_000
"""Blocks of postings in one statement."""


class PostgresWriter:
    """See `IndexWriter`.

    Args:
        schema: of pgvector.
        owner: of the index.
        is_new: whether the tables were made for this change, so that nobody else sees them.
    """

    def __init__(
        self, connection: Connection, state: IndexState, schema: str, owner: str, wording: Wording, *, is_new: bool
    ) -> None:
        self.is_committed = False
        self.on_commit: Callable[[], None] = connection.commit
        self._connection, self._state, self._schema, self._owner = connection, state, schema, owner
        self._wording, self._is_new = wording, is_new
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
        blocks = self._connection.execute(
            text(
                f"SELECT term, block, postings FROM {postings} JOIN unnest(CAST(:terms AS text[]), "  # noqa: S608
                "CAST(:blocks AS integer[])) AS wanted (term, block) USING (term, block)"
            ),
            {"terms": [term for term, _ in places], "blocks": [block for _, block in places]},
            execution_options={"binary": True},
        ).all()
        left = {(term, block): without(records, block, keys) for term, block, records in blocks}
        self._replace(left)

    def _replace(self, blocks: dict[tuple[str, int], bytes]) -> None:
        """Write blocks of postings in the place of what is there; those without any go."""
        table = self._state.postings_table
        match = "FROM unnest(CAST(:terms AS text[]), CAST(:blocks AS integer[]), CAST(:records AS bytea[])) "
        match += f"AS new (term, block, records) WHERE {table}.term = new.term AND {table}.block = new.block"
        self._each(f"UPDATE {table} SET postings = new.records {match}", {k: v for k, v in blocks.items() if v})  # noqa: S608
        self._each(
            f"DELETE FROM {table} USING {match.removeprefix('FROM ')}",  # noqa: S608
            {place: records for place, records in blocks.items() if not records},
        )

    def _each(self, statement: str, blocks: dict[tuple[str, int], bytes]) -> None:
        """Execute a statement for blocks of postings."""
        places = sorted(blocks)
        for start in range(0, len(places), _WRITTEN):
            part = places[start : start + _WRITTEN]
            values: dict[str, Any] = {
                "terms": [term for term, _ in part],
                "blocks": [block for _, block in part],
                "records": [blocks[place] for place in part],
            }
            self._connection.execute(text(statement), values)

    def add(self, rows: Sequence[IndexRow]) -> None:
        """See `IndexWriter.add`."""
        if not rows:
            return
        made = []
        for row in rows:
            terms = RowTerms.of(row, self._wording)
            for place, record in terms.postings(row.key):
                self._buffer.setdefault(place, bytearray()).extend(record)
            self._buffered += len(terms.places) + len(terms.forms)
            made.append(_columns(row, terms))
        statement = (
            f"INSERT INTO {self._state.rows_table} VALUES (:key, :paper, :kind, :full_text, :year, "  # noqa: S608
            f"CAST(:facets AS bigint[]), :length, CAST(:vector AS {self._schema}.halfvec), CAST(:words AS tsvector), "
            "CAST(:forms AS text[]))"
        )
        self._connection.execute(text(statement), made)
        words = self._state.words + sum(columns["length"] for columns in made)
        self._state = replace(self._state, rows=self._state.rows + len(rows), words=words)
        if self._buffered > _BUFFERED:
            self._flush()

    def _flush(self) -> None:
        """Append what is gathered to the postings."""
        table = self._state.postings_table
        new = "unnest(CAST(:terms AS text[]), CAST(:blocks AS integer[]), CAST(:records AS bytea[]))"
        self._each(
            f"INSERT INTO {table} AS old SELECT * FROM {new} "  # noqa: S608
            "ON CONFLICT (term, block) DO UPDATE SET postings = old.postings || excluded.postings",
            {place: bytes(records) for place, records in self._buffer.items()},
        )
        self._buffer, self._buffered = {}, 0

    def commit(self, change: int) -> None:
        """See `IndexWriter.commit`."""
        self._flush()
        state, connection = self._state, self._connection
        if self._is_new:
            create_indexes(connection, state)
        if state.rows > EXACT and state.dimensions <= MOST_DIMENSIONS:
            create_vector_index(connection, state, self._schema)
        connection.execute(text(f"ANALYZE {state.rows_table}, {state.postings_table}"))
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
