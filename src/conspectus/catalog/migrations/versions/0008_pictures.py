"""What figures show: their pictures, and their panels', with vectors."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

Exact = sa.Text(collation="C")
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "pictures",
        sa.Column("key", Key, primary_key=True),
        sa.Column("paper_key", Key, _parent("papers"), nullable=False, index=True),
        sa.Column("figure", _text(16), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("label", _text(), nullable=False),
        sa.Column("caption", _text(), nullable=False),
        sa.Column("box", sa.LargeBinary),
        sa.Column("kind", _text(16), nullable=False),
        sa.Column("probability", sa.Float, nullable=False),
        sa.Column("words", _text(), nullable=False),
        sa.Column("recognised", sa.Boolean, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )


def _parent(table: str) -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.key", ondelete="CASCADE")


def _text(length: int | None = None) -> sa.types.TypeEngine[str]:
    return (sa.Text() if length is None else sa.String(length)).with_variant(Exact, "postgresql")
