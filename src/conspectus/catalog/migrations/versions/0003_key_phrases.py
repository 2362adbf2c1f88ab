"""Key phrases of papers; dates and citation counts as columns. What is missing is computed by the next `add`."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

Exact = sa.Text(collation="C")
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the table, and the columns, empty."""
    words = sa.Text().with_variant(Exact, "postgresql")
    op.create_table(
        "key_phrases",
        sa.Column("paper_key", Key, sa.ForeignKey("papers.key", ondelete="CASCADE"), primary_key=True),
        sa.Column("rank", sa.Integer, primary_key=True),
        sa.Column("term", words, nullable=False, index=True),
        sa.Column("text", words, nullable=False),
        sa.Column("score", sa.Float, nullable=False),
        sqlite_with_rowid=False,
    )
    op.add_column("papers", sa.Column("published", sa.Float))
    op.add_column("papers", sa.Column("cited_by", sa.Integer))
    op.add_column("papers", sa.Column("derived", sa.Integer))
    op.create_index("ix_papers_derived", "papers", ["derived"])
