"""What users keep about papers and answers: tags, collections, notes, edited metadata, feedback."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

Exact = sa.Text(collation="C")
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "sets",
        sa.Column("key", Key, primary_key=True),
        sa.Column("id", _text(16), nullable=False, unique=True),
        sa.Column("kind", _text(16), nullable=False),
        sa.Column("name", _text(), nullable=False),
        sa.Column("term", _text(), nullable=False),
        sa.Column("made", _text(32), nullable=False),
        sa.UniqueConstraint("kind", "term", name="uq_sets_kind"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "set_papers",
        sa.Column("set_key", Key, _parent("sets"), primary_key=True),
        sa.Column("paper_key", Key, _parent("papers"), primary_key=True, index=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "notes",
        sa.Column("key", Key, primary_key=True),
        sa.Column("id", _text(16), nullable=False, unique=True),
        sa.Column("paper_key", Key, _parent("papers"), nullable=False, index=True),
        sa.Column("text", _text(), nullable=False),
        sa.Column("made", _text(32), nullable=False),
        sa.Column("updated", _text(32), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "edits",
        sa.Column("paper_key", Key, _parent("papers"), primary_key=True),
        sa.Column("field", _text(32), primary_key=True),
        sa.Column("value", _text(), nullable=False),
        sa.Column("made", _text(32), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "feedback",
        sa.Column("answer_key", Key, _parent("answers"), primary_key=True),
        sa.Column("statement", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("verdict", _text(8), nullable=False),
        sa.Column("comment", _text(), nullable=False),
        sa.Column("made", _text(32), nullable=False),
        sqlite_with_rowid=False,
    )


def _parent(table: str) -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.key", ondelete="CASCADE")


def _text(length: int | None = None) -> sa.types.TypeEngine[str]:
    return (sa.Text() if length is None else sa.String(length)).with_variant(Exact, "postgresql")
