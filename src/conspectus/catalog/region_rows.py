"""Regions of maps when papers go, and when a removal is undone: what only papers said that are gone is gone too."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, exists, insert, select, update

from conspectus.catalog.codec import unpack_json
from conspectus.catalog.connection import CatalogReader, delete_where, rows_in
from conspectus.catalog.derivations import is_of
from conspectus.catalog.schema import derived, key_phrases, maps, positions, regions
from conspectus.records import normal_name
from conspectus.records.atlas import LEVELS

Row = Mapping[str, Any]
IN_NAME = 2
"""Words that a region without a name of its own is called by."""


@dataclass(frozen=True, slots=True)
class Regions:
    """Rows of the tables `regions` and `maps`, by their keys."""

    regions: Mapping[int, Row]
    maps: Mapping[str, Row]

    def otherwise(self, now: Regions) -> Regions:
        """Regions that are no longer as they were, and the maps that they may be of."""
        changed = {key: row for key, row in self.regions.items() if now.regions.get(key) != row}
        return Regions(changed, self.maps if changed else {})


def all_rows(connection: Connection) -> Regions:
    """All there are."""
    found, facts = (connection.execute(select(table)).mappings() for table in (regions, maps))
    return Regions({row["key"]: dict(row) for row in found}, {row["of"]: dict(row) for row in facts})


def put_back(connection: Connection, before: Regions) -> None:
    """Let regions be as they were; of a map that was made again since nothing is done."""
    now = all_rows(connection)
    same = {of for of, row in before.maps.items() if now.maps.get(of, row)["version"] == row["version"]}
    for of in same:
        connection.execute(delete(maps).where(maps.c.of == of))
        connection.execute(insert(maps).values(**before.maps[of]))
    for key, row in before.regions.items():
        if row["of"] in same and key not in now.regions:
            connection.execute(insert(regions).values(**row))
        elif row["of"] in same and now.regions[key]["named_by"] == row["named_by"]:
            connection.execute(update(regions).where(regions.c.key == key).values(name=row["name"], terms=row["terms"]))
    tidy(connection)  # they may have words of what was removed later


def astray(catalog: CatalogReader, of: str) -> list[int]:
    """The keys of papers that have a place in no region of a map, or in one that lies in none."""
    rows = catalog.rows(select(regions.c.key, regions.c.parent_key, regions.c.level).where(regions.c.of == of))
    whole: set[int] = set()
    for level in range(LEVELS):
        whole |= {row.key for row in rows if row.level == level and (not level or row.parent_key in whole)}
    smallest = [row.key for row in rows if row.level == LEVELS - 1 and row.key in whole]
    query = select(positions.c.paper_key).where(positions.c.of == of, positions.c.region.not_in(smallest)).distinct()
    return [int(key) for key in catalog.numbers(query.order_by(positions.c.paper_key))]


def take_off(connection: Connection, of: str, derivation: str, paper_keys: Sequence[int]) -> None:
    """Let papers have no place on a map, so that they are placed anew."""
    delete_where(connection, positions.c.paper_key, paper_keys, positions.c.of == of)
    delete_where(connection, derived.c.paper_key, paper_keys, is_of(derivation))
    tidy(connection)


def tidy(connection: Connection) -> None:
    """Let go of maps and regions without texts, and of words for regions that no paper has as a key phrase any more.

    Names by users, by vocabularies and by models stay as long as their region does.
    """
    found = [dict(row) for row in connection.execute(select(regions)).mappings()]
    left = _left(connection, found) if found else []
    connection.execute(delete(maps).where(maps.c.of.not_in(sorted({row["of"] for row in left}))))
    if not found:
        return
    delete_where(connection, regions.c.key, sorted({row["key"] for row in found} - {row["key"] for row in left}))
    changed = _without_lost_words(connection, left)
    for row in changed:
        now = {"name": row["name"], "terms": row["terms"]}
        connection.execute(update(regions).where(regions.c.key == row["key"]).values(now))
    if changed or len(left) < len(found):
        for of, said in connection.execute(select(maps.c.of, maps.c.facts)).all():
            facts = unpack_json(said, dict[str, Any], "what the map says of itself")
            told = json.dumps({**facts, "changes": []})  # it has names
            connection.execute(update(maps).where(maps.c.of == of).values(facts=told))


def _left(connection: Connection, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those in which texts stand."""
    stands = exists().where(positions.c.region == regions.c.key)
    inner = set(connection.scalars(select(regions.c.key).where(regions.c.level == LEVELS - 1, stands)))
    for level in reversed(range(LEVELS - 1)):
        parents = {row["parent_key"] for row in found if row["level"] == level + 1 and row["key"] in inner}
        inner |= parents
    return [row for row in found if row["key"] in inner]


def _without_lost_words(connection: Connection, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Regions called by words that are gone, as they are called without them."""
    terms = {row["key"]: unpack_json(row["terms"], list[str], "the terms of a region") for row in rows}
    wanted = sorted({normal_name(term) for own in terms.values() for term in own})
    query = select(key_phrases.c.term).distinct()
    said = {row.term for row in rows_in(connection, query, key_phrases.c.term, wanted)}
    changed = []
    for row in rows:
        own = [term for term in terms[row["key"]] if normal_name(term) in said]
        if len(own) < len(terms[row["key"]]):
            by_phrases = row["named_by"] == "phrases"
            name = f"{', '.join(own[:IN_NAME]) or 'unnamed'} ({row['key']})" if by_phrases else row["name"]
            changed.append({**row, "terms": json.dumps(own), "name": name})
    return changed
