"""Values of another kind than their column's: SQLite keeps whatever it is given, or finds in a damaged page."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Float,
    Integer,
    LargeBinary,
    func,
    not_,
    or_,
    select,
)
from sqlalchemy.exc import StatementError

from conspectus.catalog.schema import metadata

OF_VALUES = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError, StatementError)
"""What values raise that cannot be what was written; of other errors the catalog is not the cause."""
LARGEST = 2**31 - 1
_KINDS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (Boolean, ("integer",)),
    (Integer, ("integer",)),
    (Float, ("real", "integer")),
    (LargeBinary, ("blob",)),
)


def ill_typed(connection: Connection) -> list[str]:
    """`table.column: so many values` for each column of a SQLite catalog with values that cannot stand there."""
    found = []
    for table in metadata.sorted_tables:
        columns = list(table.c)
        counts = connection.execute(select(*(func.count().filter(_is_odd(column)) for column in columns))).one()
        odd = zip(columns, counts, strict=True)
        found += [f"{table.name}.{column.name}: {count} of another kind" for column, count in odd if count]
    return found


def _is_odd(column: Column[object]) -> ColumnElement[bool]:
    kinds = next((kinds for kind, kinds in _KINDS if isinstance(column.type, kind)), ("text",))
    wrong = func.typeof(column).not_in((*kinds, "null") if column.nullable else kinds)
    if isinstance(column.type, Boolean):
        return or_(wrong, not_(func.coalesce(func.cast(column, Integer).in_((0, 1)), True)))
    if isinstance(column.type, Integer) and not isinstance(column.type, BigInteger) and not column.primary_key:
        return or_(wrong, func.abs(column) > LARGEST)
    return wrong
