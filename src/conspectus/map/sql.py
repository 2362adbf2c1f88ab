"""Maps of the library, read and written: vectors of what is mapped, places, regions, and these when papers go."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import asdict
from sqlalchemy import Connection, delete, func, insert, select, update

from conspectus.core.arrays import FloatArray
from conspectus.records import Metadata
from conspectus.records.atlas import LEVELS, ChangeKind, Mapped, NamedBy, ProjectionMethod, RegionMethod
from conspectus.store.codec import unpack_json, unpack_metadata
from conspectus.store.connection import CatalogReader, count_on, delete_where
from conspectus.store.derivations import is_of
from conspectus.store.map_tables import maps, positions, regions
from conspectus.store.removal import MAP_CHANGE, tidy_regions
from conspectus.store.schema import citations, derivations, derived, papers


class _Facts(msgspec.Struct):
    """What a map says of itself; see `records.atlas.Atlas`."""

    method: ProjectionMethod
    model: str
    regions_by: RegionMethod
    made: str
    fitted: int
    moved: float | None
    changes: list[tuple[ChangeKind, int, list[str], list[str]]]


@dataclass(frozen=True, slots=True)
class RegionRow:
    """A region as it is kept; see `records.atlas.Region`. `key` None: not yet."""

    key: int | None
    level: int
    parent: int | None
    name: str
    named_by: NamedBy
    given: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Places:
    """Where texts stand, in columns: the papers' keys, units, positions [texts, 2], and the smallest regions' keys."""

    papers: npt.NDArray[np.int64]
    units: list[str]
    positions: FloatArray
    regions: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cards:
    """What is on a map, in columns: ids and titles of papers, units, positions [texts, 2], and numbers.

    These are years and citations, -1 where one is not known, and the smallest regions' keys.
    """

    papers: list[str]
    titles: list[str]
    units: list[str]
    positions: FloatArray
    years: npt.NDArray[np.int64]
    citations: npt.NDArray[np.int64]
    regions: npt.NDArray[np.int64]


def read_map_facts(catalog: CatalogReader, of: Mapped) -> tuple[str, dict[str, Any]] | None:
    """The version of a map and what it says of itself; None: there is none."""
    row = next(iter(catalog.rows(select(maps.c.version, maps.c.facts).where(maps.c.of == of))), None)
    return None if row is None else (row.version, asdict(unpack_json(row.facts, _Facts, "what the map says of itself")))


def put_map_facts(connection: Connection, of: Mapped, version: str, facts: Mapping[str, Any]) -> None:
    """Let this be the map."""
    connection.execute(delete(maps).where(maps.c.of == of))
    connection.execute(insert(maps).values(of=of, version=version, facts=json.dumps(facts)))


def forget_places(connection: Connection, of: Mapped, name: str, keys: Sequence[int] | None = None) -> None:
    """Let no text of papers (a `CHUNK` at most; None: of all) have a place."""
    for table, same in ((positions, positions.c.of == of), (derived, is_of(name))):
        query = delete(table).where(same)
        connection.execute(query if keys is None else query.where(table.c.paper_key.in_(keys)))


def mapped_papers(catalog: CatalogReader, name: str, version: str) -> npt.NDArray[np.int64]:
    """The keys of the papers that are on a map, int64, ascending."""
    query = select(derived.c.paper_key).where(derived.c.derivation_key == _derivation(name, version))
    return catalog.numbers(query.order_by(derived.c.paper_key))


def _derivation(name: str, version: str) -> Any:
    mine = select(derivations.c.key).where(derivations.c.name == name, derivations.c.version == version)
    return mine.scalar_subquery()


def read_places(
    catalog: CatalogReader, of: Mapped, name: str, version: str, keys: Sequence[int] | None = None
) -> Places:
    """The places of a map, of these papers (None: all); those that were mapped otherwise before have none."""
    query = _select_places(of, name, version, [positions.c.paper_key, *_POSITION])
    if keys is None:
        columns = catalog.columns(query)
    else:
        rows = list(catalog.rows_where(query, positions.c.paper_key, keys))
        columns = [list(column) for column in zip(*rows, strict=True)] or [[]] * 5
    owners, units, x, y, smallest = columns
    spots = np.array([x, y], np.float32).T.copy()
    return Places(np.array(owners, np.int64), units, spots, np.array(smallest, np.int64))


_POSITION = (positions.c.unit, positions.c.x, positions.c.y, positions.c.region)


def _select_places(of: Mapped, name: str, version: str, columns: Sequence[Any]) -> Any:
    query = select(*columns).select_from(positions).join(derived, derived.c.paper_key == positions.c.paper_key)
    query = query.where(derived.c.derivation_key == _derivation(name, version), positions.c.of == of)
    return query.order_by(positions.c.paper_key, positions.c.unit)


def region_rows(catalog: CatalogReader, of: Mapped) -> list[RegionRow]:
    """The regions of a map."""
    rows = catalog.rows(select(regions).where(regions.c.of == of).order_by(regions.c.level, regions.c.key))
    return [
        RegionRow(
            row.key,
            row.level,
            row.parent_key,
            row.name,
            row.named_by,
            row.given,
            tuple(unpack_json(row.terms, list[str], "the terms of a region")),
        )
        for row in rows
    ]


def put_region(connection: Connection, of: Mapped, row: RegionRow) -> int:
    """Write a region, new or changed; returns its key."""
    values = {
        **{"of": of, "level": row.level, "parent_key": row.parent, "name": row.name, "named_by": row.named_by},
        **{"given": row.given, "terms": json.dumps(row.terms)},
    }
    if row.key is None:
        primary_key = connection.execute(insert(regions).values(values)).inserted_primary_key
        assert primary_key is not None
        return int(primary_key[0])
    connection.execute(update(regions).where(regions.c.key == row.key).values(values))
    return row.key


def drop_other_regions(connection: Connection, of: Mapped, keys: Sequence[int]) -> None:
    """Let go of a map's other regions."""
    connection.execute(delete(regions).where(regions.c.of == of, regions.c.key.not_in(list(keys))))


def name_region(connection: Connection, key: int, name: str) -> None:
    """Let a region be called as a user says; "": as it was before."""
    connection.execute(update(regions).where(regions.c.key == key).values(given=name))


def read_cards(catalog: CatalogReader, of: Mapped, name: str, version: str) -> Cards:
    """All that is on a map, in the order of `places`."""
    year, cited_by = _or_unknown(papers.c.year), _or_unknown(papers.c.cited_by)
    columns: list[Any] = [papers.c.id, papers.c.title, year, cited_by]
    query = _select_places(of, name, version, [*columns, *_POSITION]).join(
        papers, papers.c.key == positions.c.paper_key
    )
    ids, titles, years, citations, units, x, y, smallest = catalog.columns(query)
    numbers = (np.array(column, np.int64) for column in (years, citations, smallest))
    if of == "passages":  # those of a paper have its title and its id in common
        ids, titles = (list(map({}.setdefault, column, column)) for column in (ids, titles))
    return Cards(ids, titles, units, np.array([x, y], np.float32).T.copy(), *numbers)


def years_of(catalog: CatalogReader, keys: Sequence[int] | None) -> npt.NDArray[np.int64]:
    """The years of papers, of all for None: int64, -1 where one is not known, in no order."""
    query = select(_or_unknown(papers.c.year))
    if keys is None:
        return catalog.numbers(query)
    return np.array([year for (year,) in catalog.rows_where(query, papers.c.key, keys)], np.int64)


def _or_unknown(number: Any) -> Any:
    return func.coalesce(number, -1)


def read_metadata(catalog: CatalogReader, ids: Sequence[str]) -> dict[str, Metadata]:
    """By their ids what is said of papers."""
    rows = catalog.rows_where(select(papers.c.id, papers.c.metadata), papers.c.id, ids)
    return {row.id: unpack_metadata(row.metadata) for row in rows}


def read_citations(catalog: CatalogReader) -> tuple[list[Any], list[Any], Any]:
    """Citations in columns, int64.

    Returns:
        Those within the library (the keys of both papers, and the year that the list of references says, or -1), works
        whose year a list of references says (the citing paper's key, the year), and the keys of papers that cite.
    """
    own_citations, cites = citations.alias(), ~citations.c.own
    within = select(citations.c.paper_key, own_citations.c.paper_key, func.max(_or_unknown(citations.c.year)))
    within = within.join(own_citations, (own_citations.c.work == citations.c.work) & own_citations.c.own).where(cites)
    years = select(citations.c.paper_key, citations.c.year).where(cites, citations.c.year.is_not(None))
    return (
        [
            np.array(column, np.int64)
            for column in catalog.columns(within.group_by(citations.c.paper_key, own_citations.c.paper_key))
        ],
        [np.array(column, np.int64) for column in catalog.columns(years)],
        catalog.numbers(select(citations.c.paper_key).where(cites).distinct()),
    )


def count_papers(catalog: CatalogReader) -> int:
    """How many papers there are."""
    return int(catalog.scalar(select(func.count()).select_from(papers)))


def map_state(catalog: CatalogReader) -> str:
    """Otherwise than before where a place, a region, a name or a paper of a map is."""
    return f"{catalog.meta('change') or 0}.{catalog.meta(MAP_CHANGE) or 0}"


def note_map_change(connection: Connection) -> None:
    """Places or regions are others now, or are called otherwise."""
    count_on(connection, MAP_CHANGE)


def find_misplaced(catalog: CatalogReader, of: str) -> list[int]:
    """The keys of papers that have a place in no region of a map, or in one that lies in none."""
    rows = catalog.rows(select(regions.c.key, regions.c.parent_key, regions.c.level).where(regions.c.of == of))
    valid_keys: set[int] = set()
    for level in range(LEVELS):
        valid_keys |= {row.key for row in rows if row.level == level and (not level or row.parent_key in valid_keys)}
    smallest = [row.key for row in rows if row.level == LEVELS - 1 and row.key in valid_keys]
    query = select(positions.c.paper_key).where(positions.c.of == of, positions.c.region.not_in(smallest)).distinct()
    return [int(key) for key in catalog.numbers(query.order_by(positions.c.paper_key))]


def take_off_map(connection: Connection, of: str, derivation: str, paper_keys: Sequence[int]) -> None:
    """Let papers have no place on a map, so that they are placed again."""
    delete_where(connection, positions.c.paper_key, paper_keys, positions.c.of == of)
    delete_where(connection, derived.c.paper_key, paper_keys, is_of(derivation))
    tidy_regions(connection)
