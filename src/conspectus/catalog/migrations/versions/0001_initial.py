"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

# PostgreSQL compares by bytes, as SQLite does, and its texts need no length.
Exact = sa.Text(collation="C")
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables of version 0.1."""
    _files_and_papers()
    _passages()
    _vectors()


def _files_and_papers() -> None:
    op.create_table(
        "meta",
        sa.Column("name", _text(64), primary_key=True),
        sa.Column("value", _text(), nullable=False),
    )
    op.create_table(
        "files",
        sa.Column("key", Key, primary_key=True),
        sa.Column("path", _text(), nullable=False, unique=True),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("mtime_ns", sa.BigInteger, nullable=False),
        sa.Column("sha256", _text(64), nullable=False),
        sa.Column("reader", _text(64), nullable=False),
        sa.Column("state", _text(16), nullable=False),
        sa.Column("reason", _text(), nullable=False),
        sa.Column("retry", sa.Boolean, nullable=False),
        sa.Column("notes", _text(), nullable=False),
        sa.Column("updated", _text(32), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "papers",
        sa.Column("key", Key, primary_key=True),
        sa.Column("id", _text(16), nullable=False, unique=True),
        sa.Column("external_id", _text(), nullable=False, index=True),
        sa.Column("title", _text(), nullable=False),
        sa.Column("year", sa.Integer, index=True),
        sa.Column("has_full_text", sa.Boolean, nullable=False),
        sa.Column("metadata", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "identifiers",
        sa.Column("scheme", _text(16), primary_key=True),
        sa.Column("value", _text(255), primary_key=True),
        sa.Column("paper_key", Key, _parent("papers"), nullable=False, index=True),
    )
    op.create_table(
        "facets",
        sa.Column("paper_key", Key, _parent("papers"), primary_key=True),
        sa.Column("facet", _text(16), primary_key=True),
        sa.Column("term", _text(), primary_key=True),
        sa.Index("ix_facets_facet_term", "facet", "term"),
    )


def _passages() -> None:
    op.create_table(
        "documents",
        sa.Column("key", Key, primary_key=True),
        sa.Column("file_key", Key, _parent("files"), nullable=False, index=True),
        sa.Column("paper_key", Key, _parent("papers"), nullable=False, index=True),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("parsed", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "passages",
        sa.Column("key", Key, primary_key=True),
        sa.Column("id", _text(32), nullable=False, unique=True),
        sa.Column("paper_key", Key, _parent("papers"), nullable=False, index=True),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("kind", _text(16), nullable=False),
        sa.Column("section", _text(), nullable=False),
        sa.Column("text", _text(), nullable=False),
        sa.Column("spans", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )


def _vectors() -> None:
    op.create_table(
        "models",
        sa.Column("key", Key, primary_key=True),
        sa.Column("id", _text(255), nullable=False, unique=True),
        sa.Column("dimensions", sa.Integer, nullable=False),
    )
    op.create_table(
        "vectors",
        sa.Column("passage_key", Key, _parent("passages"), primary_key=True),
        sa.Column("model_key", Key, _parent("models"), primary_key=True),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "token_vectors",
        sa.Column("passage_key", Key, _parent("passages"), primary_key=True),
        sa.Column("model_key", Key, _parent("models"), primary_key=True),
        sa.Column("starts", sa.LargeBinary, nullable=False),
        sa.Column("vectors", sa.LargeBinary, nullable=False),
    )


def _parent(table: str) -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.key", ondelete="CASCADE")


def _text(length: int | None = None) -> sa.types.TypeEngine[str]:
    return (sa.Text() if length is None else sa.String(length)).with_variant(Exact, "postgresql")
