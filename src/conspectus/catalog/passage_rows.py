"""The passages of papers that are stored again: what they still say keeps its row, and all that hangs on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from conspectus.catalog.codec import pack_spans
from conspectus.catalog.connection import CatalogReader, delete_where, insert_rows, keys_by_id
from conspectus.catalog.rows import Draft
from conspectus.catalog.schema import passages
from conspectus.core.grouped import grouped
from conspectus.records import Passage

_COLUMNS = ("id", "paper_key", "ordinal", "spans")
"""What may become otherwise of a row that stays."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Rows of the papers that drafts are of.

    Attributes:
        kept: id of a passage as it is to be -> the row that it has.
        gone: the keys of all other rows.
    """

    kept: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    gone: Sequence[int] = ()


def own_name(name: str) -> str:
    """What a passage or a span is called within its paper."""
    return name.partition(".")[2]


def standing(catalog: CatalogReader, drafts: Sequence[Draft]) -> Standing:
    """Which passages of drafts have a row already, in their paper or in one that it takes up."""
    keys = [key for draft in drafts for key in draft.keys]
    if not keys:
        return Standing()
    rows = _rows(catalog, keys)
    kept: dict[str, Mapping[str, Any]] = {}
    for draft in drafts:
        mine: dict[tuple[str, ...], Mapping[str, Any]] = {}
        for key in draft.keys:  # of two rows of one passage the older paper's
            for row in rows.get(key, ()):
                mine.setdefault((own_name(row["id"]), row["kind"], row["section"], row["text"]), row)
        for passage in draft.all_passages:
            if found := mine.get((own_name(passage.id), passage.kind, passage.section, passage.text)):
                kept[passage.id] = found
    stay = {row["key"] for row in kept.values()}
    gone = [row["key"] for group in rows.values() for row in group if row["key"] not in stay]
    return Standing(kept, gone)


def _rows(catalog: CatalogReader, keys: Sequence[int]) -> dict[int, list[Mapping[str, Any]]]:
    query = select(passages).order_by(passages.c.key)
    rows = catalog.rows_where(query, passages.c.paper_key, keys)
    return grouped((row.paper_key, dict(row._mapping)) for row in rows)


def put(connection: Connection, named: Sequence[tuple[int, Passage]], held: Standing) -> set[int]:
    """Let the passages be these, each with its paper's key; returns the papers that took up others' rows.

    Those that have no row yet are left to be inserted.
    """
    delete_where(connection, passages.c.key, held.gone)
    moved: set[int] = set()
    rows = []
    for paper_key, passage in named:
        if row := held.kept.get(passage.id):
            values = _values(paper_key, passage)
            if any(values[name] != row[name] for name in _COLUMNS):
                rows.append({"b_key": row["key"], **{name: values[name] for name in _COLUMNS}})
            if paper_key != row["paper_key"]:
                moved.add(paper_key)
    if rows:
        names: dict[str, Any] = {name: bindparam(name) for name in _COLUMNS}
        connection.execute(update(passages).where(passages.c.key == bindparam("b_key")).values(names), rows)
    return moved


def add(connection: Connection, new: Sequence[tuple[int, Passage]]) -> dict[str, int]:
    """Insert passages, each with its paper's key; their keys by their ids."""
    insert_rows(connection, passages, [_values(paper_key, passage) for paper_key, passage in new])
    return keys_by_id(connection, passages, [passage.id for _, passage in new])


def _values(paper_key: int, passage: Passage) -> dict[str, Any]:
    return {
        "id": passage.id,
        "paper_key": paper_key,
        "ordinal": passage.ordinal,
        "kind": passage.kind,
        "section": passage.section,
        "text": passage.text,
        "spans": pack_spans(passage.spans),
    }
