"""Names of the regions of the map: from key phrases, a vocabulary, a language model, or users."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from sqlalchemy import Connection

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.job_context import emit
from conspectus.core.text import line
from conspectus.ingest.derivations.facts import PositionRows
from conspectus.map import sql as map_sql
from conspectus.map.sql import note_map_change
from conspectus.map.stored_map import LISTED, levels_above, read_map
from conspectus.records.answer import Usage
from conspectus.records.atlas import LEVELS, Atlas, Mapped, NamingMethod, Region, RegionNames
from conspectus.records.events import Progress
from conspectus.session.session import Session
from conspectus.store import entities
from conspectus.store.connection import transact

if TYPE_CHECKING:
    from conspectus.map.name_candidates import SiblingRegion

T = TypeVar("T")
NO_LINKS = (
    "`graph link` finds the entities that papers mention; `vocabulary list` lists by which, `vocabulary add` adds one."
)
LONGEST = 200
"""Characters of a name that a user gives."""
TITLES = 12
"""Of a region, the nearest to its middle, that a model is shown."""


def name_region(session: Session, region: int, name: str) -> Region:
    """Store a user's name of a region; "": remove it.

    Raises:
        UsageError: the name has more than 200 characters, or none that can be read.
        NotFoundError: no map has a region of this number.
    """
    called = line(name).strip()
    if len(called) > LONGEST or (name and not called):
        raise UsageError(
            f"'{called[:40]}' is no name of a region.", f"It has 1 to {LONGEST} characters that can be read."
        )
    with session.writing():
        for of in ("papers", "passages"):
            if any(row.key == region for row in map_sql.region_rows(session.catalog, of)):

                def give(connection: Connection) -> None:
                    map_sql.name_region(connection, region, called)
                    note_map_change(connection)

                transact(session.catalog.engine, give)
                return next(map_region for map_region in read_map(session, of).regions if map_region.id == region)
    raise NotFoundError(f"No map of the library has a region {region}.", LISTED)


def name_regions(
    session: Session, by: NamingMethod, of: Mapped, vocabulary: str, language: str, model: str
) -> RegionNames:
    """Name all regions of the map but those that a user named; see `MapVerbs.names`."""
    atlas = read_map(session, of)
    name, usage = "", Usage()
    if by == "model":
        called, name, usage = _names_by_model(session, atlas, language, model)
    else:
        called = _name_by_vocabulary(session, of, vocabulary) if by == "vocabulary" else _names_by_phrases(session, of)
    _keep(session, of, by, called)
    left = len(atlas.regions) - len(called)
    note = f"{left} of {len(atlas.regions)} regions are called as before: no concept covers them." if left else ""
    return RegionNames(read_map(session, of).regions, len(called), name, usage, (note,) if note else ())


def _names_by_phrases(session: Session, of: Mapped) -> dict[int, str]:
    """As when the map was fitted."""
    from conspectus.map.fit import name_by_phrases
    from conspectus.map.stored_map import embed_with, sample_map

    texts, before = sample_map(session, of)
    keys = [np.unique(before.regions[:, level]) for level in range(LEVELS)]
    labels = np.stack([np.searchsorted(keys[level], before.regions[:, level]) for level in range(LEVELS)], axis=1)
    model = read_map(session, of).model
    names, _ = name_by_phrases(session.catalog, texts, labels, embed_with(session, model))
    return {int(keys[level][number]): name for level in range(LEVELS) for number, name in names[level].items()}


def _name_by_vocabulary(session: Session, of: Mapped, name: str) -> dict[int, str]:
    from conspectus.map.name_candidates import (
        COVERED,
        cover_texts,
        name_by_concepts,
        one_or_two,
        rows_by_concept,
    )

    with session.catalog.snapshot() as now:
        if name and not len(entities.concepts_of_vocabulary(now, name)):
            raise NotFoundError(f"The library has no vocabulary '{name}'.", "`vocabulary list` lists them.")
        labels, parents = entities.broader_labels(now, name)
        places, rows = (
            map_sql.read_places(now, of, PositionRows(of).name, _version(session, of)),
            map_sql.region_rows(now, of),
        )
        regions = levels_above(places.regions, rows)
        texts = {name: row for row, name in enumerate(zip(places.papers.tolist(), places.units, strict=True))}
        emit(Progress("reading links", 0, len(texts), "texts"))
        mentions = (mention for mention in _group_mentions(entities.iterate_mentions(now), of) if mention[0] in texts)
        spoken = [(texts[text], concepts) for text, concepts in _with_progress(mentions, "reading links", len(texts))]
        silent = dict(enumerate(regions[:, -1].tolist()))
        counted = _with_progress(spoken, "counting concepts", len(spoken))
        phrases = cover_texts(((silent.pop(row), concepts) for row, concepts in counted), labels, parents)
        if len(silent) == len(texts):
            raise UsageError("No text of the map is linked to a concept.", NO_LINKS)
        for region in silent.values():
            phrases.add(region, {})
        terms: dict[int, tuple[str, ...]] = {}
        for level in reversed(range(LEVELS)):
            terms |= phrases.best(COVERED)
            if level:
                phrases = phrases.above({row.key: row.parent or 0 for row in rows if row.key and row.level == level})
        all_terms = {term for region_terms in terms.values() for term in region_terms}
        rows_by_term = rows_by_concept(
            _with_progress(spoken, "finding concepts", len(spoken)), labels, parents, all_terms
        )
    called: dict[int, str] = {}
    for level in range(LEVELS):
        keys = [row.key for row in rows if row.key is not None and row.level == level]
        masks = {key: regions[:, level] == key for key in keys}
        naming = _with_progress(keys, f"naming level {level + 1}", len(keys), "regions", 1)
        best = {key: one_or_two(terms.get(key, ()), rows_by_term, masks[key]) for key in naming}
        called |= name_by_concepts(best, terms, sorted(keys, key=lambda key: -int(masks[key].sum())))
    return called


def _with_progress(entries: Iterable[T], stage: str, total: int, unit: str = "texts", every: int = 1000) -> Iterator[T]:
    """The same; how many there were is told now and then."""
    for number, entry in enumerate(entries):
        if number % every == 0:
            emit(Progress(stage, number, total, unit))
        yield entry


def _version(session: Session, of: Mapped) -> str:
    current = map_sql.read_map_facts(session.catalog, of)
    return current[0] if current else ""


def _group_mentions(
    rows: Iterator[tuple[int, str, str, int]], of: Mapped
) -> Iterator[tuple[tuple[int, str], tuple[int, ...]]]:
    """Each text with the concepts that it mentions."""
    for key, mentions in groupby(rows, key=lambda row: row[0]):
        concepts_by_unit: dict[str, set[int]] = {}
        for _, passage, _, concept in mentions:
            concepts_by_unit.setdefault(passage if of == "passages" else "", set()).add(concept)
        for unit, concepts in concepts_by_unit.items():
            yield (key, unit), tuple(concepts)


def _names_by_model(session: Session, atlas: Atlas, language: str, model: str) -> tuple[dict[int, str], str, Usage]:
    from conspectus.map.name_candidates import name_by_model

    client, cache = session.caller(model)
    families = _families(atlas)

    async def job(put: Callable[[dict[int, str]], None]) -> None:
        try:
            for siblings in families:
                put(await name_by_model(client, siblings, line(language)))
        finally:
            await cache.finish()

    called: dict[int, str] = {}
    for number, names in enumerate(session.loop.events(job), start=1):
        called |= names
        emit(Progress("naming", number, len(families), "groups of regions"))
    return called, ", ".join(client.names()), client.usage


def _families(atlas: Atlas) -> list[list[SiblingRegion]]:
    """The regions that lie within the same one, the largest first."""
    from conspectus.map.name_candidates import SiblingRegion
    from conspectus.map.survey import typical

    families: dict[int | None, list[SiblingRegion]] = {}
    for region in atlas.regions:
        titles = [paper.title for paper in typical(atlas, region, TITLES)]
        families.setdefault(region.parent, []).append(SiblingRegion(region.id, region.terms, titles))
    return list(families.values())


def _keep(session: Session, of: Mapped, by: NamingMethod, called: Mapping[int, str]) -> None:
    """Write the names of regions that there still are."""
    with session.writing():
        rows: Sequence[map_sql.RegionRow] = map_sql.region_rows(session.catalog, of)
        new = [replace(row, name=called[row.key], named_by=by) for row in rows if row.key and row.key in called]

        def put(connection: Connection) -> None:
            for row in new:
                map_sql.put_region(connection, of, row)
            note_map_change(connection)

        transact(session.catalog.engine, put)
