"""What was split: documents that stay apart, by names that outlive their rows, in splits of several sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, func, insert, select

from conspectus.catalog.connection import CatalogReader, delete_where, insert_rows
from conspectus.catalog.rows import Name
from conspectus.catalog.schema import splits


def sides_of(catalog: CatalogReader, names: Iterable[Name]) -> dict[Name, dict[int, int]]:
    """Name -> split -> the side of it on which what is called so is; without those that were never split."""
    found: dict[Name, dict[int, int]] = {}
    for row in catalog.rows_where(select(splits), splits.c.value, sorted({value for _, value in names})):
        found.setdefault((row.scheme, row.value), {})[row.split] = row.side
    return found


def every_split(catalog: CatalogReader) -> list[tuple[int, int, Name]]:
    """(split, side, name) of all that was split, in order."""
    rows = catalog.rows(select(splits).order_by(splits.c.split, splits.c.side, splits.c.scheme, splits.c.value))
    return [(row.split, row.side, (row.scheme, row.value)) for row in rows]


def put_split(connection: Connection, sides: Sequence[Iterable[Name]]) -> None:
    """Keep a split: the names of what is on each side of it."""
    number = int(connection.scalar(select(func.max(splits.c.split))) or 0) + 1
    rows = [
        {"split": number, "side": side, "scheme": scheme, "value": value}
        for side, names in enumerate(sides)
        for scheme, value in dict.fromkeys(names)
    ]
    connection.execute(insert(splits), rows)


def learn_names(connection: Connection, names: Iterable[tuple[int, int, Name]]) -> None:
    """Keep more names, (split, side, name), of what is on the side of a split: its file was moved or changed."""
    rows = [{"split": split, "side": side, "scheme": name[0], "value": name[1]} for split, side, name in names]
    insert_rows(connection, splits, rows)


def drop_splits(connection: Connection, numbers: Sequence[int]) -> None:
    """Forget splits."""
    delete_where(connection, splits.c.split, numbers)
