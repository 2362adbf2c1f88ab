"""Maps of the library: where texts stand, and the regions that they make."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

Exact = sa.Text(collation="C")
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "maps",
        sa.Column("of", _text(8), primary_key=True),
        sa.Column("version", _text(), nullable=False),
        sa.Column("facts", _text(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "regions",
        sa.Column("key", Key, primary_key=True),
        sa.Column("of", _text(8), nullable=False, index=True),
        sa.Column("level", sa.Integer, nullable=False),
        sa.Column("parent_key", sa.Integer),
        sa.Column("name", _text(), nullable=False),
        sa.Column("named_by", _text(16), nullable=False),
        sa.Column("given", _text(), nullable=False),
        sa.Column("terms", _text(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "positions",
        sa.Column("paper_key", Key, sa.ForeignKey("papers.key", ondelete="CASCADE"), primary_key=True),
        sa.Column("of", _text(8), primary_key=True),
        sa.Column("unit", _text(16), primary_key=True),
        *(sa.Column(name, sa.Float, nullable=False) for name in ("x", "y")),
        sa.Column("region", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_positions_region", "positions", ["region"])


def _text(length: int | None = None) -> sa.types.TypeEngine[str]:
    return (sa.Text() if length is None else sa.String(length)).with_variant(Exact, "postgresql")
