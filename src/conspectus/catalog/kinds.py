"""Values of another kind than their column's: SQLite keeps whatever it is given, or finds in a damaged page.

They are told as they are read, so that nobody above the catalog meets a value that is not what its type says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
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
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    distinct,
    func,
    not_,
    or_,
    select,
)
from sqlalchemy.exc import StatementError

from conspectus.catalog.codec import damaged
from conspectus.catalog.columns import metadata
from conspectus.catalog.schema import models, token_vectors, vectors

OF_VALUES = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError, StatementError)
"""What values raise that cannot be what was written; of other errors the catalog is not the cause."""
LARGEST = 2**31 - 1
_KINDS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (Boolean, ("integer",)),
    (Integer, ("integer",)),
    (Float, ("real", "integer")),
    (LargeBinary, ("blob",)),
)
_READ: dict[type[Any], tuple[type, ...]] = {
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
    dialect.colspecs = {**dialect.colspecs, **_checks()}


@cache
def _checks() -> dict[type[Any], type[Any]]:
    return {kind: _checked(kind, known) for kind, known in _READ.items()}


def _checked(kind: type[Any], known: tuple[type, ...]) -> type[Any]:
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


def ill_typed(connection: Connection) -> list[str]:
    """`table.column: so many values` for each column of a SQLite catalog with values that cannot stand there."""
    found = []
    for table in metadata.sorted_tables:
        odd = zip(table.c, connection.execute(_odd_ones(table)).one(), strict=True)
        found += [f"{table.name}.{column.name}: {count} of another kind" for column, count in odd if count]
    if not found:
        found += [f"{name}: {count} of another length" for name, count in _lengths(connection) if count]
    return found


@cache
def _odd_ones(table: Table) -> Executable:
    """Counts, for each column, the values that cannot stand there."""
    return select(*(func.count().filter(_is_odd(column)) for column in table.c))


def _lengths(connection: Connection) -> Iterator[tuple[str, int]]:
    """How many vectors have not the length of their model's."""
    short = func.length(vectors.c.vector) != 4 * models.c.dimensions
    yield "vectors.vector", connection.scalar(select(func.count()).select_from(vectors.join(models)).where(short)) or 0
    starts, words = func.length(token_vectors.c.starts), func.length(token_vectors.c.vectors)
    widths = func.count(distinct(4.0 * words / starts))
    uneven = select(widths).where(starts > 0).group_by(token_vectors.c.model_key)
    yield "token_vectors.vectors", sum(width > 1 for width in connection.scalars(uneven))


def _is_odd(column: Column[object]) -> ColumnElement[bool]:
    kinds = next((kinds for kind, kinds in _KINDS if isinstance(column.type, kind)), ("text",))
    wrong = func.typeof(column).not_in((*kinds, "null") if column.nullable else kinds)
    if isinstance(column.type, Boolean):
        return or_(wrong, not_(func.coalesce(func.cast(column, Integer).in_((0, 1)), True)))
    if isinstance(column.type, Integer) and not isinstance(column.type, BigInteger) and not column.primary_key:
        return or_(wrong, func.abs(column) > LARGEST)
    return wrong
