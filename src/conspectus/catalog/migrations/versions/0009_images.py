"""Collections of images of any kind: their files, their pictures, and what is said of these."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

Exact = sa.Text(collation="C")
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "image_collections",
        sa.Column("key", Key, primary_key=True),
        sa.Column("name", _text(), nullable=False),
        sa.Column("term", _text(), nullable=False, unique=True),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "image_files",
        sa.Column("key", Key, primary_key=True),
        sa.Column("collection_key", Key, _parent("image_collections"), nullable=False),
        sa.Column("path", _text(), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("mtime_ns", sa.BigInteger, nullable=False),
        sa.Column("sha256", _text(64), nullable=False),
        sa.UniqueConstraint("collection_key", "path", name="uq_image_files_collection_key"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "images",
        sa.Column("key", Key, primary_key=True),
        sa.Column("id", _text(16), nullable=False, unique=True),
        sa.Column("file_key", Key, _parent("image_files"), nullable=False),
        sa.Column("page", sa.Integer, nullable=False),
        sa.Column("width", sa.Integer, nullable=False),
        sa.Column("height", sa.Integer, nullable=False),
        sa.Column("note", _text(), nullable=False),
        sa.Column("encoder", _text(255), nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sa.Column("thumbnail", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("file_key", "page", name="uq_images_file_key"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "image_facts",
        sa.Column("image_key", Key, _parent("images"), primary_key=True),
        sa.Column("name", _text(64), primary_key=True),
        sa.Column("term", _text(), primary_key=True),
        sa.Column("value", _text(), nullable=False),
        sa.Column("source", _text(8), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_image_facts_name_term", "image_facts", ["name", "term", "image_key"])


def _parent(table: str) -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.key", ondelete="CASCADE")


def _text(length: int | None = None) -> sa.types.TypeEngine[str]:
    return (sa.Text() if length is None else sa.String(length)).with_variant(Exact, "postgresql")
