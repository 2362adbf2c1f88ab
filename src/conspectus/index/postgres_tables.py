"""The tables of the engine `postgres` in the catalog's schema.

`search_indexes` has a row for each index. Its `generation` is the number in the names of two tables: `search_rows_N`,
with a row for each passage, and `search_postings_N`. An index that is built again gets new tables, so that searches go
on meanwhile. Postings of a block that were written with commits of the catalog are parts of their own, numbered from 1,
until there are so many that they are appended to part 0.

A paper is in the primary key of the rows and a term in that of the postings, and the two are never joined: so an
extension like Citus can distribute them over servers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlalchemy import Connection, text

from conspectus.core.errors import ServiceError
from conspectus.index.protocol import IndexStats

OLDEST_VECTOR = (0, 8, 4)
"""Before, pgvector damaged HNSW indexes when it removed rows from them."""
EXACT = 50_000
"""So many vectors are compared one by one: in a smaller index, or where no more pass a filter."""
MOST_DIMENSIONS = 4000
"""Of vectors that pgvector makes an HNSW index of."""
_MEMORY = 4000
"""Megabytes, at most, in which the server may build an HNSW index."""


@dataclass(frozen=True, slots=True)
class IndexState:
    """A row of `search_indexes`; `words`: terms in all titles and texts."""

    generation: int
    model: str
    dimensions: int
    change: int
    rows: int
    words: int
    megabytes: float

    @property
    def rows_table(self) -> str:
        """Its table of passages."""
        return f"search_rows_{self.generation}"

    @property
    def postings_table(self) -> str:
        """Its table of postings."""
        return f"search_postings_{self.generation}"

    def stats(self) -> IndexStats:
        """See `SearchIndex.stats`."""
        return IndexStats(self.rows, self.model, self.change, self.generation, self.megabytes)

    @property
    def vectors_index(self) -> str:
        """The HNSW index of its vectors, where there is one."""
        return f"search_rows_{self.generation}_vector"


def read_state(connection: Connection, owner: str) -> IndexState | None:
    """The index of `owner`; None where there is none. The table has to be there."""
    query = text(
        "SELECT generation, model, dimensions, change, rows, words, megabytes FROM search_indexes WHERE owner = :owner"
    )
    row = connection.execute(query, {"owner": owner}).one_or_none()
    return IndexState(*row) if row else None


def has_indexes(connection: Connection) -> bool:
    """Whether any index was ever made."""
    return bool(connection.scalar(text("SELECT to_regclass('search_indexes') IS NOT NULL")))


def vector_schema(connection: Connection, display_name: str) -> str:
    """The schema of pgvector, quoted; "" where the database does not have it.

    Raises:
        ServiceError: it is too old.
    """
    query = "SELECT extversion, quote_ident(nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace"
    row = connection.execute(text(f"{query} WHERE extname = 'vector'")).one_or_none()
    if row is None:
        return ""
    version = tuple(int(part) for part in re.findall(r"\d+", row[0])[:3])
    if version < OLDEST_VECTOR:
        raise ServiceError(
            f"The database of '{display_name}' has pgvector {row[0]}, which damages its own indexes.",
            "Install pgvector 0.8.4 or newer on the server, then, as its administrator: ALTER EXTENSION vector UPDATE",
        )
    return str(row[1])


def create_extension(connection: Connection, display_name: str) -> str:
    """Install pgvector in the database; its schema.

    Raises:
        ServiceError: only an administrator may do so, or the server does not have it.
    """
    there = text("SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'")
    may = text("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
    if not connection.scalar(there):
        raise ServiceError(
            f"index.engine is `postgres`, but the server of '{display_name}' does not have pgvector.",
            "Install it there (0.8.4 or newer), then, as the server's administrator: CREATE EXTENSION vector",
        )
    if not connection.scalar(may):
        raise ServiceError(
            f"index.engine is `postgres`, but the database of '{display_name}' does not have the extension pgvector.",
            "As the server's administrator, in this database: CREATE EXTENSION vector",
        )
    connection.execute(text("CREATE EXTENSION vector SCHEMA public"))
    return vector_schema(connection, display_name)


def create_tables(connection: Connection, state: IndexState, schema: str) -> None:
    """Make the tables of a generation; who may read passages may read them."""
    connection.execute(
        text(
            f"CREATE TABLE {state.rows_table} (paper bigint, key bigint, PRIMARY KEY (paper, key), kind text "
            "NOT NULL, full_text boolean NOT NULL, year integer, facets bigint[] NOT NULL, length integer NOT NULL, "
            f"vector {schema}.halfvec({state.dimensions}) NOT NULL, words tsvector NOT NULL, forms text[] NOT NULL)"
        )
    )
    connection.execute(text(f"ALTER TABLE {state.rows_table} ALTER COLUMN vector SET STORAGE MAIN"))
    connection.execute(
        text(
            f'CREATE TABLE {state.postings_table} (term text COLLATE "C", block integer, part integer, '
            "postings bytea NOT NULL, PRIMARY KEY (term, block, part))"
        )
    )
    connection.execute(text(f"ALTER TABLE {state.postings_table} ALTER COLUMN postings SET STORAGE EXTERNAL"))
    connection.execute(text(f"CREATE INDEX ON {state.postings_table} (part) WHERE part > 0"))
    readers = text(
        "SELECT DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END "
        "FROM pg_class, aclexplode(coalesce(relacl, acldefault('r', relowner))) "
        "WHERE oid = 'passages'::regclass AND privilege_type = 'SELECT' "
    )
    for reader in connection.scalars(readers).all():
        connection.execute(
            text(f"GRANT SELECT ON search_indexes, {state.rows_table}, {state.postings_table} TO {reader}")
        )


def create_indexes(connection: Connection, state: IndexState) -> None:
    """Index the columns by which rows are filtered."""
    for column, kind in (("words", "gin"), ("facets", "gin"), ("year", "btree"), ("key", "btree")):
        connection.execute(text(f"CREATE INDEX ON {state.rows_table} USING {kind} ({column})"))


def speed_up(connection: Connection, state: IndexState, schema: str) -> None:
    """Make the HNSW index of the vectors where there are many, and count anew what the server plans by."""
    if state.rows > EXACT and state.dimensions <= MOST_DIMENSIONS:
        _create_vector_index(connection, state, schema)
    connection.execute(text(f"ANALYZE {state.rows_table}, {state.postings_table}"))


def lacks_speed(connection: Connection, state: IndexState) -> bool:
    """Whether `speed_up` is due: for want of an index, or because a fifth of the rows came or went since."""
    indexed = text("SELECT to_regclass(:name) IS NOT NULL")
    wants = state.rows > EXACT and state.dimensions <= MOST_DIMENSIONS
    if wants and not connection.scalar(indexed, {"name": state.vectors_index}):
        return True
    counted = connection.scalar(
        text("SELECT reltuples FROM pg_class WHERE oid = to_regclass(:table)"), {"table": state.rows_table}
    )
    return abs(state.rows - (counted or 0)) > state.rows / 5


def _create_vector_index(connection: Connection, state: IndexState, schema: str) -> None:
    """Make the HNSW index of the vectors, if there is none; in memory, if the server lets us have so much."""
    megabytes = min(_MEMORY, 64 + state.rows * (2 * state.dimensions + 400) // 1_000_000)
    connection.execute(text(f"SET LOCAL maintenance_work_mem = '{megabytes}MB'"))
    connection.execute(
        text(
            f"CREATE INDEX IF NOT EXISTS {state.vectors_index} ON {state.rows_table} "
            f"USING hnsw (vector {schema}.halfvec_ip_ops) WITH (m = 16, ef_construction = 100)"
        )
    )


def drop_unused(connection: Connection) -> None:
    """Drop the tables that no index has any more; those of another owner, or that are being searched, stay."""
    query = text(
        "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() "
        "AND tablename ~ '^search_(rows|postings)_[0-9]+$' "
        "AND substring(tablename FROM '[0-9]+$')::integer NOT IN (SELECT generation FROM search_indexes) "
        "AND pg_has_role(tableowner, 'USAGE')"
    )
    for table in connection.scalars(query).all():
        connection.execute(text(f"DROP TABLE {table}"))
