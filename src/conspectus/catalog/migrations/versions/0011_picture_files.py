"""Which files the pictures of figures were, when somebody looked at these, or where they were not."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

Exact = sa.Text(collation="C")
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "picture_files",
        sa.Column("key", Key, primary_key=True),
        sa.Column("paper_key", Key, _parent("papers"), nullable=False, index=True),
        *(sa.Column(name, _text(), nullable=False) for name in ("source", "href", "path")),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("size", "mtime_ns")),
        sqlite_autoincrement=True,
    )


def _parent(table: str) -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.key", ondelete="CASCADE")


def _text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(Exact, "postgresql")
