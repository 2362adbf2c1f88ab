"""What the columns of the catalog are made of."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Any

from sqlalchemy import BigInteger, Dialect, ForeignKey, Integer, MetaData, String, Table, Text, TypeDecorator
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

LONGEST = 600
"""Characters of an indexed text; PostgreSQL's index takes 2,700 bytes."""

_UNSTORABLE = re.compile("[\\0\\ud800-\\udfff]")


class Words(TypeDecorator[str]):
    """Text that is compared by its bytes, and clean: PostgreSQL takes no NUL, and no database half of a pair.

    What cannot be stored becomes U+FFFD one for one, on the way in and in questions alike, so that places in the text
    stay what they are. With `key` a long text is cut and a digest put behind it, since it is only compared.
    """

    impl = Text
    cache_ok = True

    def __init__(self, length: int | None = None, *, key: bool = False) -> None:
        super().__init__()
        self.length = length
        self.key = key

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[str]:
        """The column's type in a database."""
        if dialect.name == "postgresql":
            return Text(collation="C")
        return Text() if self.length is None else String(self.length)

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """The text as it is stored and compared."""
        if value is None:
            return None
        if not value.isascii() or "\0" in value:
            value = _UNSTORABLE.sub("\ufffd", value)
        if self.key and len(value) > LONGEST:
            return f"{value[: LONGEST - 50]} {blake2b(value.encode(), digest_size=16).hexdigest()}"
        return value


def table(name: str, *columns: SchemaItem, **options: Any) -> Table:
    """A table of the catalog."""
    return Table(name, metadata, *columns, **options)


# SQLite's own row number must be INTEGER; elsewhere keys are 64 bits wide.
Key = BigInteger().with_variant(Integer, "sqlite")


def parent(table: str) -> ForeignKey:
    """A key of a row of another table; the row goes with that one."""
    return ForeignKey(f"{table}.key", ondelete="CASCADE")
