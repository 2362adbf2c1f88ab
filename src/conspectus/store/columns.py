"""The types of the catalog's columns, and checks of the values in them.

SQLite stores whatever it is given, or finds in a damaged page. Values of another type than their column's are reported
as they are read, so that nobody above the catalog meets them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import blake2b
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Dialect,
    Executable,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    func,
    not_,
    or_,
    select,
)
from sqlalchemy.exc import StatementError
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

from conspectus.store.codec import damaged

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


class CleanText(TypeDecorator[str]):
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


VALUE_ERRORS = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError, StatementError)
"""What values raise that cannot be what was written; of other errors the catalog is not the cause."""
LARGEST_INTEGER = 2**31 - 1
_STORAGE_CLASSES: tuple[tuple[type, tuple[str, ...]], ...] = (
    (Boolean, ("integer",)),
    (Integer, ("integer",)),
    (Float, ("real", "integer")),
    (LargeBinary, ("blob",)),
)
_PYTHON_TYPES: dict[type[Any], tuple[type, ...]] = {
    Boolean: (int,),
    Integer: (int,),
    BigInteger: (int,),
    Float: (float, int),
    LargeBinary: (bytes,),
    Text: (str,),
    String: (str,),
}


def check_values(dialect: Dialect) -> None:
    """Have what is read through a dialect raise `LibraryDamagedError` where it is of another kind than its column."""
    dialect.colspecs = {**dialect.colspecs, **_checking_types()}


@cache
def _checking_types() -> dict[type[Any], type[Any]]:
    return {kind: _checking_type(kind, known) for kind, known in _PYTHON_TYPES.items()}


def _checking_type(kind: type[Any], known: tuple[type, ...]) -> type[Any]:
    """A column's type that looks at the values that come from the database."""

    class Checked(kind):  # type: ignore[misc]
        def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:
            then = super().result_processor(dialect, coltype)

            def process(value: Any) -> Any:
                if value is not None and type(value) not in known:
                    raise damaged("a value", f"is of the kind {type(value).__name__}, not {known[0].__name__}")
                return value if then is None else then(value)

            return process

    return Checked


def find_ill_typed(connection: Connection) -> list[str]:
    """`table.column: so many values` for each column of a SQLite catalog with values that cannot stand there."""
    problems = []
    for table in metadata.sorted_tables:
        odd = zip(table.c, connection.execute(_count_ill_typed(table)).one(), strict=True)
        problems += [f"{table.name}.{column.name}: {count} of another kind" for column, count in odd if count]
    if not problems:
        problems += [f"{name}: {count} of another length" for name, count in _count_odd_lengths(connection) if count]
    return problems


@cache
def _count_ill_typed(table: Table) -> Executable:
    """Counts, for each column, the values that cannot stand there."""
    return select(*(func.count().filter(_is_ill_typed(column)) for column in table.c))


def _count_odd_lengths(connection: Connection) -> Iterator[tuple[str, int]]:
    """How many vectors have not the length of their model's."""
    models, token_vectors, vectors = (metadata.tables[name] for name in ("models", "token_vectors", "vectors"))
    short = func.length(vectors.c.vector) != 2 * models.c.dimensions
    yield "vectors.vector", connection.scalar(select(func.count()).select_from(vectors.join(models)).where(short)) or 0
    starts, words = func.length(token_vectors.c.starts), func.length(token_vectors.c.vectors)
    widths = select(token_vectors.c.model_key, (2.0 * words / starts).label("width")).where(starts > 0)
    each = widths.distinct().subquery()  # grouped at once, SQLite would read all bytes of the vectors
    uneven = select(func.count()).select_from(each).group_by(each.c.model_key)
    yield "token_vectors.vectors", sum(width > 1 for width in connection.scalars(uneven))


def _is_ill_typed(column: Column[object]) -> ColumnElement[bool]:
    kinds = next((kinds for kind, kinds in _STORAGE_CLASSES if isinstance(column.type, kind)), ("text",))
    wrong = func.typeof(column).not_in((*kinds, "null") if column.nullable else kinds)
    if isinstance(column.type, Boolean):
        return or_(wrong, not_(func.coalesce(func.cast(column, Integer).in_((0, 1)), True)))
    if isinstance(column.type, Integer) and not isinstance(column.type, BigInteger) and not column.primary_key:
        return or_(wrong, func.abs(column) > LARGEST_INTEGER)
    return wrong
