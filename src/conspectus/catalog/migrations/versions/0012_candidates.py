"""What a language model says of words of papers: which of them speak of an entity."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

Exact = sa.Text(collation="C")
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "candidates",
        sa.Column("paper_key", Key, sa.ForeignKey("papers.key", ondelete="CASCADE"), primary_key=True),
        sa.Column("span", _text(16), primary_key=True),
        *(sa.Column(name, sa.Integer, primary_key=True, autoincrement=False) for name in ("start", "stop")),
        sa.Column("passage", _text(16), nullable=False),
        sa.Column("text", _text(), nullable=False),
        sa.Column("entity", _text(), nullable=False, index=True),
        sa.Column("score", sa.Float, nullable=False),
        sa.Column("method", _text(16), nullable=False),
        sa.Column("others", sa.LargeBinary),
        sa.Column("kept", sa.Boolean, nullable=False),
        sqlite_with_rowid=False,
    )


def _text(length: int | None = None) -> sa.types.TypeEngine[str]:
    return (sa.Text() if length is None else sa.String(length)).with_variant(Exact, "postgresql")
