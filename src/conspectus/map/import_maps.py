"""Import the maps of another library from its export: positions of papers, and regions with their names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec.structs import asdict
from sqlalchemy import Connection

from conspectus.core.job_context import Notice, emit
from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize
from conspectus.ingest.derivations.facts import PositionRows
from conspectus.map import sql as map_sql
from conspectus.map.sql import note_map_change
from conspectus.parse.bibliography.record_lines import MAP_LINE, MAP_LINES, PLACE_LINE, REGION_LINE, ExportLines
from conspectus.records.atlas import LEVELS, ChangeKind, Mapped, NamedBy, ProjectionMethod, RegionMethod
from conspectus.session.session import Session
from conspectus.store import derivations, removal
from conspectus.store.connection import transact
from conspectus.store.derivations import Derived

if TYPE_CHECKING:
    from conspectus.store.text_vectors import TextVectors

Name = Annotated[str, msgspec.Meta(max_length=200)]
Level = Annotated[int, msgspec.Meta(ge=0, lt=LEVELS)]
Place = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]
Change = tuple[ChangeKind, Level, list[Name], list[Name]]


class _Map(msgspec.Struct, tag_field="schema", tag=MAP_LINE):
    map: Mapped
    method: ProjectionMethod
    model: Name
    regions_by: RegionMethod
    made: Name
    fitted: Annotated[int, msgspec.Meta(ge=0)]
    moved: float | None = None
    changes: list[Change] = []


class _Region(msgspec.Struct, tag_field="schema", tag=REGION_LINE):
    map: Mapped
    region: int
    level: Level
    name: Name
    within: int | None = None
    named_by: NamedBy = "phrases"
    given: Name = ""
    terms: list[Name] = []


class _Place(msgspec.Struct, tag_field="schema", tag=PLACE_LINE):
    map: Mapped
    paper: Name
    x: Place
    y: Place
    region: int
    unit: Name = ""


_decode = msgspec.json.Decoder(_Map | _Region | _Place).decode
Spots = Mapping[str, Mapping[str, _Place]]
"""Paper id -> unit -> its place."""


@dataclass(slots=True)
class _MapLines:
    header: _Map
    regions: list[_Region] = field(default_factory=list)
    places: dict[str, dict[str, _Place]] = field(default_factory=lambda: defaultdict(dict))


def import_maps(session: Session, path: str) -> None:
    """Import the maps of a library's export where the library has none; papers that are not here are left out.

    A map by another embedder is fitted again to the library's own vectors when it is next built, beginning there.
    """
    read: dict[Mapped, _MapLines] = {}
    lines = ExportLines(path, MAP_LINES, _decode)
    for line in lines:
        if isinstance(line, _Map):
            read[line.map] = _MapLines(line)
        elif line.map in read and isinstance(line, _Region):
            read[line.map].regions.append(line)
        elif line.map in read and isinstance(line, _Place):
            read[line.map].places[line.paper][line.unit] = line
    lines.emit("maps")
    for of, map_lines in read.items():
        if map_sql.read_map_facts(session.catalog, of) is not None:
            emit(Notice(f"The map of {of} in '{path}' was not taken over: the library has one."))
            continue
        with session.writing():
            number = transact(
                session.catalog.engine,
                lambda connection, map_lines=map_lines: _store_map(connection, session, map_lines),  # type: ignore[misc]
            )
        emit(Notice(f"The map of {of} in '{path}' was taken over, with {pluralize(number, 'paper')}."))


def _store_map(connection: Connection, session: Session, read: _MapLines) -> int:
    """Write a map; returns how many papers are on it."""
    from conspectus.store.text_vectors import texts

    catalog, of = session.catalog, read.header.map
    keys, regions = catalog.keys_of(list(read.places)), _regions(connection, read)
    ids = {key: paper for paper, key in keys.items()}
    counts, kind, number = catalog.model_counts(), PositionRows(of, "1"), 0
    for batch in texts(catalog, max(counts, key=lambda model: counts[model], default=""), of, sorted(keys.values())):
        rows = dict(_rows(batch, read.places, ids, regions))
        digests = {key: batch.digests[key] for key in rows}
        derived_rows = {key: (paper_rows,) for key, paper_rows in rows.items()}
        derivations.save_derivation(connection, Derived(kind.name, kind.version, kind.parts, derived_rows, digests))
        number += len(rows)
    if number:
        map_sql.put_map_facts(
            connection, of, kind.version, {name: value for name, value in asdict(read.header).items() if name != "map"}
        )
    removal.tidy_regions(connection)
    note_map_change(connection)
    return number


def _regions(connection: Connection, read: _MapLines) -> dict[int, tuple[int, int]]:
    """Number there -> key here, and level; those that lie in none that there is are left out."""
    region_by_number: dict[int, tuple[int, int]] = {}
    for region_line in sorted(read.regions, key=lambda region: region.level):
        parent = None if region_line.within is None else region_by_number.get(region_line.within)
        if (
            (region_line.level > 0) != (parent is not None)
            or (parent and parent[1] != region_line.level - 1)
            or region_line.region in region_by_number
        ):
            continue
        name, terms = one_line(region_line.name) or "unnamed", tuple(map(one_line, region_line.terms))
        row = map_sql.RegionRow(
            None,
            region_line.level,
            parent and parent[0],
            name,
            region_line.named_by,
            one_line(region_line.given),
            terms,
        )
        region_by_number[region_line.region] = map_sql.put_region(connection, read.header.map, row), region_line.level
    return region_by_number


def _rows(
    texts: TextVectors, places: Spots, ids: Mapping[int, str], regions: Mapping[int, tuple[int, int]]
) -> Iterator[tuple[int, Sequence[derivations.Row]]]:
    """Each paper with where its texts stand, where that is said of all of them."""
    units: dict[int, list[str]] = defaultdict(list)
    for key, unit in texts.names:
        units[key].append(unit)
    for key, paper_units in units.items():
        unit_places = [places[ids[key]].get(unit) for unit in paper_units]
        valid_places = [place for place in unit_places if place and regions.get(place.region, (0, 0))[1] == LEVELS - 1]
        if len(valid_places) == len(paper_units):
            yield (
                key,
                [
                    {
                        "of": place.map,
                        "unit": place.unit,
                        "x": place.x,
                        "y": place.y,
                        "region": regions[place.region][0],
                    }
                    for place in valid_places
                ],
            )
