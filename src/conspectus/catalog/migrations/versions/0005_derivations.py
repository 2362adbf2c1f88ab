"""What is derived of papers, by which version; figures as rows; the last change that the index has to follow."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

Exact = sa.Text(collation="C")
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables, and note what papers have already; the rest is made by the next `add`."""
    op.create_table(
        "derivations",
        sa.Column("key", Key, primary_key=True),
        sa.Column("name", _text(32), nullable=False),
        sa.Column("version", _text(255), nullable=False),
        sa.UniqueConstraint("name", "version", name="uq_derivations_name"),
    )
    op.create_table(
        "derived",
        sa.Column("paper_key", Key, sa.ForeignKey("papers.key", ondelete="CASCADE"), primary_key=True),
        sa.Column("derivation_key", Key, sa.ForeignKey("derivations.key", ondelete="CASCADE"), primary_key=True),
        sa.Column("digest", sa.LargeBinary),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "figures",
        sa.Column("key", Key, primary_key=True),
        sa.Column("paper_key", Key, sa.ForeignKey("papers.key", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("id", _text(16), nullable=False),
        sa.Column("name", _text(), nullable=False),
        sa.Column("kind", _text(16), nullable=False),
        sa.Column("label", _text(), nullable=False),
        sa.Column("caption", _text(), nullable=False),
        sa.Column("page", sa.Integer),
        sa.Column("box", sa.LargeBinary),
        sa.Column("mentions", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
    op.add_column("papers", sa.Column("changed", sa.BigInteger))
    op.execute("UPDATE papers SET changed = (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'facets_changed')")
    _note("key phrases", "papers.derived = 1")
    _note("content flags", "EXISTS (SELECT 1 FROM meta WHERE name = 'has' AND value = '1')")
    op.execute("DELETE FROM meta WHERE name IN ('facets_changed', 'has')")
    op.drop_index("ix_papers_derived", "papers")
    op.drop_column("papers", "derived")
    op.create_index("ix_papers_changed", "papers", ["changed"])


def _note(name: str, condition: str) -> None:
    """Note that the papers for which a condition holds have what version 1 of a derivation makes."""
    connection, of = op.get_bind(), {"name": name}
    some = f"WHERE EXISTS (SELECT 1 FROM papers WHERE {condition})"  # noqa: S608 - our own words
    connection.execute(sa.text(f"INSERT INTO derivations (name, version) SELECT CAST(:name AS TEXT), '1' {some}"), of)
    put = "INSERT INTO derived (paper_key, derivation_key) SELECT papers.key, derivations.key FROM papers, derivations"
    connection.execute(sa.text(f"{put} WHERE derivations.name = :name AND {condition}"), of)


def _text(length: int | None = None) -> sa.types.TypeEngine[str]:
    return (sa.Text() if length is None else sa.String(length)).with_variant(Exact, "postgresql")
