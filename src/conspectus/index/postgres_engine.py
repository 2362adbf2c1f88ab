"""The engine `postgres`: the index in the catalog's own PostgreSQL database, shared by all machines.

Vectors are of pgvector. Words are postings in a table, a row for each term and block of passages, that are fetched and
scored here: over 30,000 abstracts that took 2 ms of processor time a question, the same sums in SQL 8 ms, and BM25 over
the rows that a `tsvector` with GIN finds 187 ms, as each has to be opened. It gives the scores of the embedded
engine, by its tokens and lengths. A `tsvector` is there too, for phrases, counts and conditions, where SQL is simplest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, text

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import ConspectusError, LibraryDamagedError, SettingsError
from conspectus.index.postgres_reader import PostgresReader
from conspectus.index.postgres_tables import (
    IndexState,
    create_extension,
    create_tables,
    drop_unused,
    has_indexes,
    lacks_speed,
    read_state,
    speed_up,
    vector_schema,
)
from conspectus.index.postgres_writer import PostgresWriter
from conspectus.index.protocol import Candidate, IndexStats, WordHits
from conspectus.index.queries import Wording
from conspectus.records import Filters
from conspectus.records.filters import Condition
from conspectus.store.catalog import Catalog
from conspectus.store.connection import writing
from conspectus.store.postgres import PostgresStore

T = TypeVar("T")

LOCK_SECONDS = 60
_TRIES = 5
_EMPTY = IndexStats(0, "", -1, 0, 0.0)


class PostgresIndex:
    """See `SearchIndex`. All machines have the same one, and whoever adds or removes papers brings it up to date.

    Args:
        catalog: in whose database it is.
        owner: of one beside that of the papers' own passages.

    Raises:
        SettingsError: the catalog is not in PostgreSQL.
    """

    is_shared = True

    def __init__(self, catalog: Catalog, owner: str = "") -> None:
        if not isinstance(catalog.store, PostgresStore):
            raise SettingsError(
                "index.engine is `postgres`, but the catalog is not in a PostgreSQL database.",
                "Set index.engine to `embedded`, or name a database in catalog.url.",
            )
        self._catalog, self._store, self._owner = catalog, catalog.store, owner
        self._engine = catalog.engine
        self._wording = Wording()
        self._schema = ""
        self._exists = False
        self._side_indexes: dict[str, PostgresIndex] = {}

    def beside(self, owner: str) -> PostgresIndex:
        """See `SearchIndex.beside`; in tables of its own."""
        if owner not in self._side_indexes:
            self._side_indexes[owner] = PostgresIndex(self._catalog, owner)
        return self._side_indexes[owner]

    @contextmanager
    def writing(self, model: str, dimensions: int, *, fresh: bool = False) -> Iterator[PostgresWriter]:
        """See `SearchIndex.writing`; a transaction, by the connection that holds the writer lock where there is one."""
        with ExitStack() as transaction:
            connection = transaction.enter_context(writing(self._engine))
            self._lock(connection)
            writer = self._writer(connection, model, dimensions, fresh=fresh, is_part=False)
            writer.on_commit = transaction.close
            yield writer
            if not writer.is_committed and (begun := connection.get_transaction()) is not None:
                begun.rollback()
        if writer.is_committed and writer.is_new:
            self._drop_unused()

    def _writer(
        self, connection: Connection, model: str, dimensions: int, *, fresh: bool, is_part: bool
    ) -> PostgresWriter:
        schema = vector_schema(connection, self._store.display_name) or create_extension(
            connection, self._store.display_name
        )
        state = read_state(connection, self._owner)
        is_new = fresh or state is None or not state.rows
        if state is None or is_new:
            number = connection.scalar(text("SELECT coalesce(max(generation), 0) + 1 FROM search_indexes"))
            state = IndexState(number, model, dimensions, -1, 0, 0, 0.0)
            create_tables(connection, state, schema)
        elif state.model != model:
            raise AssertionError(f"an index of {state.model} cannot take vectors of {model}")
        return PostgresWriter(connection, state, schema, self._owner, self._wording, is_new=is_new, is_part=is_part)

    def _drop_unused(self) -> None:
        with suppress(ConspectusError), writing(self._engine) as connection:
            connection.execute(text("SET LOCAL lock_timeout = '2s'"))
            drop_unused(connection)

    def within(self, connection: Connection) -> IndexStats:
        """See `InCatalog.within`."""
        self._lock(connection)
        state = read_state(connection, self._owner)
        return state.stats() if state else _EMPTY

    @contextmanager
    def following(
        self, connection: Connection, model: str, dimensions: int, *, fresh: bool = False
    ) -> Iterator[PostgresWriter]:
        """See `InCatalog.following`; after `within` of the same transaction."""
        writer = self._writer(connection, model, dimensions, fresh=fresh, is_part=True)
        writer.on_commit = lambda: None
        yield writer

    def settle(self) -> None:
        """See `InCatalog.settle`."""
        with writing(self._engine) as connection:
            self._lock(connection)
            state = read_state(connection, self._owner)
            if state is not None and lacks_speed(connection, state):
                speed_up(connection, state, vector_schema(connection, self._store.display_name))
        self._drop_unused()

    def _lock(self, connection: Connection) -> None:
        """Wait until nobody else changes an index of this schema, and see that there is the table of all of them."""
        connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_SECONDS * 1000:.0f}'"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": self._store.lock_key("indexing")})
        connection.execute(text("SET LOCAL lock_timeout TO DEFAULT"))
        if not has_indexes(connection):
            connection.execute(
                text(
                    "CREATE TABLE search_indexes (owner text PRIMARY KEY, generation integer NOT NULL, "
                    "model text NOT NULL, dimensions integer NOT NULL, change bigint NOT NULL, rows bigint NOT NULL, "
                    "words bigint NOT NULL, megabytes double precision NOT NULL)"
                )
            )

    def search_text(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        """See `SearchIndex.search_text`."""
        return self._ask(lambda now: now.search_text(query, k, filters, where), [])

    def search_vector(
        self, vector: FloatArray, k: int, filters: Filters, where: Condition | None = None
    ) -> list[Candidate]:
        """See `SearchIndex.search_vector`; scores are of 16-bit numbers."""
        return self._ask(lambda now: now.search_vector(vector, k, filters, where), [])

    def search_exact(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        """See `SearchIndex.search_exact`."""
        return self._ask(lambda now: now.search_exact(query, k, filters, where), [])

    def exactness(self, query: str, keys: Sequence[int]) -> dict[int, float]:
        """See `SearchIndex.exactness`."""
        return self._ask(lambda now: now.exactness(query, keys), {})

    def newest(self, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        """See `SearchIndex.newest`."""
        return self._ask(lambda now: now.newest(k, filters, where), [])

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """See `SearchIndex.frequencies`."""
        return self._ask(lambda now: now.frequencies(words), [0] * len(words))

    def has(self, word: str) -> bool:
        """See `SearchIndex.has`."""
        return self._ask(lambda now: now.has(word), False)

    def near(self, word: str, edits: int, k: int) -> list[int]:
        """See `SearchIndex.near`."""
        return self._ask(lambda now: now.near(word, edits, k), [])

    def count(self, words: str, filters: Filters, where: Condition | None = None) -> WordHits:
        """See `SearchIndex.count`."""
        return self._ask(lambda now: now.count(words, filters, where), WordHits({}, 0, 0))

    def keys(self) -> npt.NDArray[np.int64]:
        """See `SearchIndex.keys`."""
        return self._ask(lambda now: now.keys(), np.empty(0, np.int64))

    def stats(self) -> IndexStats:
        """See `SearchIndex.stats`."""
        return self._ask(lambda now: now.state.stats(), _EMPTY)

    def close(self) -> None:
        """See `SearchIndex.close`; the connections are the catalog's."""

    def _ask(self, question: Callable[[PostgresReader], T], nothing: T) -> T:
        """What the index answers; `nothing` where there is none.

        Raises:
            LibraryDamagedError: it lacks a table.
        """
        for number in range(_TRIES):
            try:
                connected = self._engine.connect().execution_options(isolation_level="REPEATABLE READ")
                with connected as connection, connection.begin():
                    self._exists = self._exists or has_indexes(connection)
                    state = read_state(connection, self._owner) if self._exists else None
                    if state is None:
                        return nothing
                    self._schema = self._schema or vector_schema(connection, self._store.display_name)
                    return question(PostgresReader(connection, state, self._schema, self._wording))
            except LibraryDamagedError as error:  # a writer has just replaced its tables
                if getattr(error.__cause__, "sqlstate", "") != "42P01" or number == _TRIES - 1:
                    raise LibraryDamagedError(
                        f"The index in '{self._store.display_name}' cannot be read: {error.message}",
                        "Rebuild it from the catalog: `library reindex`",
                    ) from error
                self._exists = False
        raise AssertionError("the last try returns or raises")
