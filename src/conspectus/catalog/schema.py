"""The tables of the catalog, the source of truth. Migrations make them; a test holds the two against each other."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

HEAD = "0001"
"""The newest migration: what a library of this version is at."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite's own row number must be INTEGER; elsewhere keys are 64 bits wide.
Key = BigInteger().with_variant(Integer, "sqlite")


def _parent(table: str) -> ForeignKey:
    return ForeignKey(f"{table}.key", ondelete="CASCADE")


meta = Table(
    "meta",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

files = Table(
    "files",
    metadata,
    Column("key", Key, primary_key=True),
    Column("path", Text, nullable=False, unique=True),
    Column("size", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("reader", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    Column("retry", Boolean, nullable=False),
    Column("notes", Text, nullable=False),
    Column("updated", String(32), nullable=False),
    sqlite_autoincrement=True,
)

papers = Table(
    "papers",
    metadata,
    Column("key", Key, primary_key=True),
    Column("id", String(16), nullable=False, unique=True),
    Column("external_id", Text, nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("year", Integer, index=True),
    Column("has_full_text", Boolean, nullable=False),
    Column("metadata", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)

identifiers = Table(
    "identifiers",
    metadata,
    Column("scheme", String(16), primary_key=True),
    Column("value", String(255), primary_key=True),
    Column("paper_key", Key, _parent("papers"), nullable=False, index=True),
)

facets = Table(
    "facets",
    metadata,
    Column("paper_key", Key, _parent("papers"), primary_key=True),
    Column("facet", String(16), primary_key=True),
    Column("term", Text, primary_key=True),
    Index("ix_facets_facet_term", "facet", "term"),
)

# What one file says of one paper. A paper is the merger of its documents, and can be made anew from them at any time.
documents = Table(
    "documents",
    metadata,
    Column("key", Key, primary_key=True),
    Column("file_key", Key, _parent("files"), nullable=False, index=True),
    Column("paper_key", Key, _parent("papers"), nullable=False, index=True),
    Column("ordinal", Integer, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("parsed", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)

# A passage row is never changed, only added and deleted, so that the index follows by comparing keys.
passages = Table(
    "passages",
    metadata,
    Column("key", Key, primary_key=True),
    Column("id", String(32), nullable=False, unique=True),
    Column("paper_key", Key, _parent("papers"), nullable=False, index=True),
    Column("ordinal", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("section", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("spans", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)

models = Table(
    "models",
    metadata,
    Column("key", Key, primary_key=True),
    Column("id", String(255), nullable=False, unique=True),
    Column("dimensions", Integer, nullable=False),
)

vectors = Table(
    "vectors",
    metadata,
    Column("passage_key", Key, _parent("passages"), primary_key=True),
    Column("model_key", Key, _parent("models"), primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("vector", LargeBinary, nullable=False),
)

# Apart from the vectors, which are read as a whole when the index is built.
token_vectors = Table(
    "token_vectors",
    metadata,
    Column("passage_key", Key, _parent("passages"), primary_key=True),
    Column("model_key", Key, _parent("models"), primary_key=True),
    Column("starts", LargeBinary, nullable=False),
    Column("vectors", LargeBinary, nullable=False),
)

CHILDREN = tuple((table, column) for table in metadata.sorted_tables for column in table.columns if column.foreign_keys)
"""Tables with the columns that name a row of another table, parents before their children."""
