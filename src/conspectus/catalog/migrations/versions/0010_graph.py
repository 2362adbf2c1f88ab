"""Vocabularies, and what papers say of their concepts."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

Exact = sa.Text(collation="C")
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables."""
    _vocabularies()
    op.create_table(
        "name_rules",
        *(sa.Column(name, _text(), primary_key=True) for name in ("term", "concept")),
        sa.Column("verdict", _text(8), nullable=False),
        sa.Column("source", _text(8), nullable=False),
        sa.Column("made", _text(32), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "merges",
        sa.Column("concept_key", Key, _parent("concepts"), primary_key=True),
        sa.Column("said_key", Key, _parent("concepts"), nullable=False, index=True),
        sa.Column("into_key", Key, _parent("concepts"), nullable=False, index=True),
        sa.Column("made", _text(32), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "mentions",
        sa.Column("paper_key", Key, _parent("papers"), primary_key=True),
        sa.Column("span", _text(16), primary_key=True),
        sa.Column("start", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("passage", _text(16), nullable=False),
        sa.Column("stop", sa.Integer, nullable=False),
        sa.Column("concept_key", Key, _parent("concepts"), nullable=False),
        sa.Column("score", sa.Float, nullable=False),
        sa.Column("method", _text(16), nullable=False),
        sa.Column("others", sa.LargeBinary),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_mentions_concept_key", "mentions", ["concept_key", "paper_key", "span"])
    op.create_table(
        "relations",
        sa.Column("key", Key, primary_key=True),
        sa.Column("paper_key", Key, _parent("papers"), nullable=False, index=True),
        sa.Column("passage", _text(16), nullable=False),
        sa.Column("concept_key", Key, _parent("concepts"), nullable=False, index=True),
        sa.Column("other_key", Key, _parent("concepts"), index=True),
        sa.Column("spans", sa.LargeBinary, nullable=False),
        sa.Column("model", _text(), nullable=False),
        sqlite_autoincrement=True,
    )


def _vocabularies() -> None:
    op.create_table(
        "vocabularies",
        sa.Column("key", Key, primary_key=True),
        sa.Column("name", _text(), nullable=False),
        sa.Column("term", _text(), nullable=False, unique=True),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("source", _text(), nullable=False),
        sa.Column("sha256", _text(64), nullable=False),
        sa.Column("version", _text(), nullable=False),
        sa.Column("options", _text(), nullable=False),
        sa.Column("made", _text(32), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "concepts",
        sa.Column("key", Key, primary_key=True),
        sa.Column("vocabulary_key", Key, _parent("vocabularies"), nullable=False),
        sa.Column("id", _text(), nullable=False, index=True),
        *(sa.Column(name, _text(), nullable=False) for name in ("iri", "label", "definition")),
        sa.Column("deprecated", sa.Boolean, nullable=False),
        sa.Column("state", _text(8), nullable=False),
        sa.UniqueConstraint("vocabulary_key", "id", name="uq_concepts_vocabulary_key"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "concept_names",
        sa.Column("concept_key", Key, _parent("concepts"), primary_key=True),
        sa.Column("ordinal", sa.Integer, primary_key=True),
        sa.Column("text", _text(), nullable=False),
        sa.Column("term", _text(), nullable=False, index=True),
        sa.Column("kind", _text(16), nullable=False),
        sa.Column("left_out", _text(32), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "concept_links",
        sa.Column("concept_key", Key, _parent("concepts"), primary_key=True),
        sa.Column("kind", _text(16), primary_key=True),
        sa.Column("target", _text(), primary_key=True, index=True),
        sqlite_with_rowid=False,
    )


def _parent(table: str) -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.key", ondelete="CASCADE")


def _text(length: int | None = None) -> sa.types.TypeEngine[str]:
    return (sa.Text() if length is None else sa.String(length)).with_variant(Exact, "postgresql")
