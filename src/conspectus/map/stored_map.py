"""The map of a library as it is stored: fitted once, then extended by new papers without moving the others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Connection

from conspectus.core.errors import LibraryReadOnlyError, NotFoundError, UsageError
from conspectus.core.job_context import emit
from conspectus.ingest.derivations.facts import PositionRows
from conspectus.map import sql as map_sql
from conspectus.map.sql import note_map_change
from conspectus.records import Metadata
from conspectus.records.atlas import (
    LEVELS,
    Atlas,
    Mapped,
    MapText,
    ProjectionMethod,
    Region,
    RegionChange,
    RegionMethod,
)
from conspectus.records.events import Progress
from conspectus.session.session import Session
from conspectus.store import derivations, removal
from conspectus.store.catalog import Catalog
from conspectus.store.connection import split_chunks, transact
from conspectus.store.derivations import Derived
from conspectus.store.text_vectors import (
    Name,
    TextVectors,
    count_vectors,
    papers_with_vectors,
    sample_texts,
    texts,
)

if TYPE_CHECKING:
    from conspectus.map.fit import EarlierMap, FittedMap
    from conspectus.map.region_namer import Embed

NONE = "The library has no map of its {of} yet."
BUILD = "Build the map first: `map build`."
LISTED = "`map topics` lists the regions with their numbers."
NO_TEXT = "The map of {of} has no text {row}: it has {count}."
CHANGED = "The map of {of} has changed since."
EMPTY = "No {of} of the library was embedded, so there is nothing to map."
GROWN = 0.3
"""Share of texts added since the map was fitted, above which a note suggests fitting it again."""


def build_map(
    session: Session,
    of: Mapped,
    method: ProjectionMethod | None = None,
    regions: RegionMethod | None = None,
    *,
    refit: bool = False,
) -> Atlas:
    """Fit the map if there is none, else add what is new to it; returns it.

    Raises:
        LibraryReadOnlyError: it has to be fitted, and the library cannot be written to.
        UsageError: nothing of the library was embedded.
        UnavailableError: the package that projects is not installed.
        BusyError: another process, or job of this one, is writing to the library.
    """
    return read_map(session, of, _update(session, of, method, regions, refit=refit))


def _update(
    session: Session, of: Mapped, method: ProjectionMethod | None, by: RegionMethod | None, *, refit: bool
) -> str:
    """Fit the map, or place what is new on it; returns a note if that was not possible."""
    catalog = session.catalog
    current = map_sql.read_map_facts(catalog, of)
    model = _model(catalog, of)
    facts = current[1] if current else {}
    options = {
        "method": method or facts.get("method") or session.settings.atlas.method,
        "regions_by": by or facts.get("regions_by") or "kmeans",
        "model": model,
    }
    is_other = current is None or refit or any(facts.get(name) != value for name, value in options.items())
    try:
        if is_other:
            _fit(session, of, options)
        elif current is not None:
            _place(session, of, model, current[0])
    except LibraryReadOnlyError:
        if current is None or refit or method or by:
            raise
        return "The library cannot be written to: what came since it was mapped is not on the map."
    return ""


def _model(catalog: Catalog, of: Mapped) -> str:
    counts = catalog.model_counts()
    if not counts:
        raise UsageError(EMPTY.format(of=of), "`add` adds papers, and embeds them.")
    return max(counts, key=lambda model: counts[model])


def _fit(session: Session, of: Mapped, options: Mapping[str, Any]) -> None:
    from conspectus.map.fit import fit_map
    from conspectus.map.projection import SEED

    catalog, settings = session.catalog, session.settings.atlas
    with session.writing():
        keys = papers_with_vectors(catalog, options["model"]).tolist()
        if not keys:
            raise UsageError(EMPTY.format(of=of), "`add` adds papers, and embeds them.")
        emit(Progress("reading vectors", 0, len(keys), "papers"))
        current = map_sql.read_map_facts(catalog, of)  # now that nobody else is making it
        drawn = sample_texts(catalog, options["model"], of, keys, settings.sample, SEED)
        before = _before(catalog, of, current[0], drawn) if current else None
        fitted = fit_map(
            catalog,
            drawn,
            options["method"],
            options["regions_by"],
            settings.perplexity,
            before,
            embed_with(session, options["model"]),
        )
        facts = {
            **options,
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "fitted": len(drawn.names),
            "moved": fitted.moved,
            "changes": [[change.kind, change.level, change.before, change.after] for change in fitted.changes],
        }
        version = str(int(current[0]) + 1 if current else 1)
        transact(catalog.engine, lambda connection: _keep(connection, catalog, of, keys, fitted, version, facts))


def embed_with(session: Session, model: str) -> Embed | None:
    """Embeds phrases as the texts of the map were; None if the library's embedder is another now."""
    embedder = session.embedder
    if embedder.id != model:
        return None
    return lambda phrases: np.array([embedding.vector for embedding in embedder.embed(phrases)])


def _keep(
    connection: Connection,
    catalog: Catalog,
    of: Mapped,
    keys: Sequence[int],
    fitted: FittedMap,
    version: str,
    facts: Mapping[str, Any],
) -> None:
    """Write a map whole: its regions, and a place for each text."""
    old_rows = {row.key: row for row in map_sql.region_rows(catalog, of)}
    numbers: list[dict[int, int]] = []
    for level in range(LEVELS):
        parents = fitted.parents(level) if level else {}
        key_by_number = {}
        for number, name in fitted.names[level].items():
            key = fitted.same[level].get(number)
            stays = old_rows.get(key)
            is_named = stays is not None and stays.named_by != "phrases"
            row = map_sql.RegionRow(
                key,
                level,
                numbers[-1][parents[number]] if level else None,
                stays.name if stays and is_named else name,
                stays.named_by if stays and is_named else "phrases",
                stays.given if stays else "",
                fitted.terms[level].get(number, ()),
            )
            key_by_number[number] = map_sql.put_region(connection, of, row)
        numbers.append(key_by_number)
    map_sql.drop_other_regions(connection, of, [key for level_keys in numbers for key in level_keys.values()])
    smallest = np.array([numbers[-1][number] for number in range(len(numbers[-1]))], np.int64)
    map_sql.forget_places(connection, of, PositionRows(of).name)
    others = (count_vectors(catalog, facts["model"]) if of == "passages" else len(keys)) - len(fitted.texts.names)
    spots = _Spots(fitted.texts, fitted.positions, smallest[fitted.labels[:, -1]], others)
    _place_batch(connection, catalog, of, facts["model"], keys, spots, version)
    map_sql.put_map_facts(connection, of, version, facts)


class _Spots:
    """Where some texts stand; others, about so many, are put beside those that they are like."""

    def __init__(self, texts: TextVectors, positions: Any, regions: Any, others: int) -> None:
        from conspectus.map.projection import NearestTexts

        self._positions, self._regions = positions, regions
        self._likest = NearestTexts(texts.vectors, others)
        self._rows = {name: row for row, name in enumerate(texts.names)}

    def of(self, texts: TextVectors) -> list[tuple[float, float, int]]:
        """x, y and the smallest region of each."""
        from conspectus.map.projection import NEAREST, place_near

        rows = np.array([self._rows.get(name, -1) for name in texts.names], np.int64)
        spots, regions = self._positions[rows], self._regions[rows]
        if len(new := np.flatnonzero(rows < 0)):
            spots[new], nearest = place_near(self._likest.of(texts.vectors[new], NEAREST), self._positions)
            regions[new] = self._regions[nearest]
        return list(zip(spots[:, 0].tolist(), spots[:, 1].tolist(), regions.tolist(), strict=True))


def _place_batch(
    connection: Connection, catalog: Catalog, of: Mapped, model: str, keys: Sequence[int], spots: _Spots, version: str
) -> None:
    """Let papers that have no places have them, batch by batch."""
    kind, done = PositionRows(of, version), 0
    for batch in texts(catalog, model, of, keys):
        rows: dict[int, list[dict[str, Any]]] = {key: [] for key in batch.digests}
        for (key, unit), (x, y, region) in zip(batch.names, spots.of(batch), strict=True):
            rows[key].append({"of": of, "unit": unit, "x": x, "y": y, "region": region})
        derived_rows = {key: (paper_rows,) for key, paper_rows in rows.items()}
        derivations.save_derivation(
            connection, Derived(kind.name, version, kind.parts, derived_rows, batch.digests), derived_rows
        )
        done += len(batch.digests)
        emit(Progress("placing", done, len(keys), "papers"))
    note_map_change(connection)


def _place(session: Session, of: Mapped, model: str, version: str) -> None:
    """Put what is new beside what it is like."""
    catalog = session.catalog
    if not (new := _lacking(catalog, of, model, version)):
        return
    with session.writing():
        near, before = sample_map(session, of)
        if not near.names:
            return
        spots = _Spots(near, before.positions, before.regions[:, -1], len(new))

        def put(connection: Connection) -> None:
            for chunk in split_chunks(new):
                map_sql.forget_places(connection, of, PositionRows(of).name, chunk)
            _place_batch(connection, catalog, of, model, new, spots, version)
            removal.tidy_regions(connection)

        transact(catalog.engine, put)


def sample_map(session: Session, of: Mapped) -> tuple[TextVectors, EarlierMap]:
    """Texts of the map, at most about as many as it is fitted to, and the map in their order.

    Raises:
        NotFoundError: there is none.
    """
    from conspectus.map.projection import SEED

    catalog = session.catalog
    if (facts := map_sql.read_map_facts(catalog, of)) is None:
        raise NotFoundError(NONE.format(of=of), BUILD)
    known = map_sql.mapped_papers(catalog, PositionRows(of).name, facts[0]).tolist()
    texts = sample_texts(catalog, facts[1]["model"], of, known, session.settings.atlas.sample, SEED)
    before = _before(catalog, of, facts[0], texts)
    rows = before.of(texts.names)
    return texts, replace(before, positions=before.positions[rows], regions=before.regions[rows])


def _lacking(catalog: Catalog, of: Mapped, model: str, version: str) -> list[int]:
    """Papers that were embedded and are not on the map."""
    kind = PositionRows(of, version)
    lacking = derivations.lacking(catalog, kind.name, version, 0, 10**9)
    return sorted(set(lacking) & set(papers_with_vectors(catalog, model).tolist())) if lacking else []


def _before(catalog: Catalog, of: Mapped, version: str, texts: TextVectors) -> EarlierMap:
    """The map as it was, of papers of which there are texts."""
    from conspectus.map.fit import EarlierMap

    places = map_sql.read_places(
        catalog, of, PositionRows(of).name, version, list(dict.fromkeys(key for key, _ in texts.names))
    )
    names: list[Name] = list(zip(places.papers.tolist(), places.units, strict=True))
    rows = map_sql.region_rows(catalog, of)
    called = {row.key: row.given or row.name for row in rows if row.key is not None}
    return EarlierMap(
        {name: row for row, name in enumerate(names)}, places.positions, levels_above(places.regions, rows), called
    )


def levels_above(smallest: Any, rows: Sequence[map_sql.RegionRow]) -> Any:
    """The region of each text at each level: keys, int64 [texts, LEVELS]; `smallest`: those of the last level."""
    parents = {row.key: row.parent for row in rows}
    small, at = np.unique(smallest, return_inverse=True)
    chains = []
    for key in small.tolist():
        middle = parents.get(key)
        chains.append((-1 if middle is None else parents.get(middle, -1) or -1, -1 if middle is None else middle, key))
    return np.array(chains, np.int64).reshape(-1, LEVELS)[at]


class MapCache:
    """The last map of papers, and of passages, that was read."""

    def __init__(self) -> None:
        self._maps: dict[Mapped, Atlas] = {}
        self._reading = threading.Lock()

    def get(self, of: Mapped, state: str, read: Callable[[], Atlas]) -> Atlas:
        """The map in this state of the library; `read` reads it if it is not in the cache."""
        with self._reading:
            atlas = self._maps.get(of)
            if atlas is None or atlas.state != state:
                self._maps.pop(of, None)  # so that memory never holds two
                atlas = self._maps[of] = read()
            return atlas


def read_map(session: Session, of: Mapped, note: str = "") -> Atlas:
    """The stored map; it is cached until the library changes.

    Raises:
        NotFoundError: there is none.
    """
    state = map_sql.map_state(session.catalog)
    atlas = session.parts.of(MapCache, "maps").get(of, state, lambda: _read(session, of, state))
    return replace(atlas, notes=(note, *atlas.notes)) if note else atlas


def read_texts(session: Session, rows: Sequence[int], of: Mapped, state: str) -> tuple[MapText, ...]:
    """What some texts of the map are, by their numbers in its columns.

    Raises:
        NotFoundError: there is no map, it has no such text, or its state is another.
    """
    atlas = read_map(session, of)
    if state and state != atlas.state:
        raise NotFoundError(CHANGED.format(of=of), "Read it again.")
    if wrong := [row for row in rows if not 0 <= row < len(atlas)]:
        raise NotFoundError(NO_TEXT.format(of=of, row=wrong[0], count=len(atlas)), "Numbers begin with 0.")
    metadata = map_sql.read_metadata(session.catalog, sorted({atlas.papers[row] for row in rows}))
    return tuple(_text(atlas, row, metadata.get(atlas.papers[row])) for row in rows)


def _text(atlas: Atlas, row: int, metadata: Metadata | None) -> MapText:
    year, citations = (int(column[row]) for column in (atlas.years, atlas.citations))
    return MapText(
        row,
        atlas.papers[row],
        atlas.units[row],
        atlas.titles[row],
        metadata.byline if metadata else "",
        year if year >= 0 else None,
        citations if citations >= 0 else None,
    )


def _read(session: Session, of: Mapped, state: str) -> Atlas:
    catalog = session.catalog
    with catalog.snapshot() as now:
        current = map_sql.read_map_facts(now, of)
        if current is None:
            raise NotFoundError(NONE.format(of=of), BUILD)
        version, facts = current
        cards = map_sql.read_cards(now, of, PositionRows(of).name, version)
        rows = map_sql.region_rows(now, of)
        missing = map_sql.count_papers(now) - len(set(cards.papers))
    if not cards.papers:
        raise NotFoundError(NONE.format(of=of), BUILD)
    of_texts, papers = levels_above(cards.regions, rows), cards.papers
    place_near = len(papers) - min(facts["fitted"], len(papers))
    notes = []
    if place_near > GROWN * max(len(papers), 1) and facts["fitted"] < session.settings.atlas.sample:
        notes.append(
            f"{place_near} of its {len(papers)} texts came after it was fitted; `map build refit=True` fits it to all."
        )
    return Atlas(
        of=of,
        method=facts["method"],
        model=facts["model"],
        regions_by=facts["regions_by"],
        made=facts["made"],
        fitted=facts["fitted"],
        left_out=missing,
        moved=facts["moved"],
        changes=tuple(
            RegionChange(kind, level, tuple(before), tuple(after)) for kind, level, before, after in facts["changes"]
        ),
        papers=papers,
        units=[f"{paper}.{unit}" if unit else "" for paper, unit in zip(papers, cards.units, strict=True)],
        titles=cards.titles,
        years=cards.years,
        citations=cards.citations,
        positions=cards.positions,
        region_ids=of_texts,
        regions=_regions(rows, of_texts, cards.positions),
        notes=tuple(notes),
        state=state,
    )


def _regions(rows: Sequence[map_sql.RegionRow], levels_above: Any, positions: Any) -> tuple[Region, ...]:
    regions = []
    for row in rows:
        region_positions = positions[levels_above[:, row.level] == row.key]
        if len(region_positions) and row.key is not None:
            x, y = (float(coordinate) for coordinate in np.median(region_positions, axis=0))
            by, name = ("user", row.given) if row.given else (row.named_by, row.name)
            regions.append(Region(row.key, row.level, row.parent, name, by, row.terms, len(region_positions), x, y))  # type: ignore[arg-type]
    return tuple(sorted(regions, key=lambda region: (region.level, -region.size, region.id)))
