"""Several papers may claim one identifier; documents that were split stay apart."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

Exact = sa.Text(collation="C")
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the table of splits, and that of identifiers anew with the paper in its key."""
    op.rename_table("identifiers", "identifiers_before")
    op.drop_index("ix_identifiers_paper_key", "identifiers_before")
    op.create_table(
        "identifiers",
        sa.Column("scheme", _text(16), nullable=False),
        sa.Column("value", _text(255), nullable=False),
        sa.Column("paper_key", Key, sa.ForeignKey("papers.key", ondelete="CASCADE"), nullable=False),
        sa.PrimaryKeyConstraint("scheme", "value", "paper_key", name="pk_identifiers_claimed"),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO identifiers SELECT scheme, value, paper_key FROM identifiers_before")
    op.drop_table("identifiers_before")
    op.create_index("ix_identifiers_paper_key", "identifiers", ["paper_key"])
    op.create_table(
        "splits",
        sa.Column("split", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("scheme", _text(16), primary_key=True),
        sa.Column("value", _text(255), primary_key=True, index=True),
        sa.Column("side", sa.Integer, nullable=False),
    )


def _text(length: int | None = None) -> sa.types.TypeEngine[str]:
    return (sa.Text() if length is None else sa.String(length)).with_variant(Exact, "postgresql")
