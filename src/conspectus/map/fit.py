"""A map fitted to texts: where they stand, in which regions, and what became of those that there were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.job_context import emit
from conspectus.map.projection import NEAREST, moved, neighbours, place_near, project
from conspectus.map.region_namer import Embed, RegionNamer, write_name
from conspectus.map.region_phrases import MinedPaper, PhraseCounter, PhraseTable
from conspectus.map.regions import levels
from conspectus.records import Metadata
from conspectus.records.atlas import LEVELS, ProjectionMethod, RegionChange, RegionMethod
from conspectus.records.events import Progress
from conspectus.store import facets
from conspectus.store.catalog import Catalog
from conspectus.store.text_vectors import Name, TextVectors

Ints = npt.NDArray[np.int64]
_BATCH = 5000


@dataclass(frozen=True, slots=True)
class EarlierMap:
    """The map as it was: the row of each text, positions, the keys of its regions [rows, LEVELS], and their names."""

    rows: Mapping[Name, int]
    positions: FloatArray
    regions: Ints
    names: Mapping[int, str]

    def of(self, names: Sequence[Name]) -> Ints:
        """The rows of texts; -1 of those that are new."""
        return np.array([self.rows.get(name, -1) for name in names], np.int64)


@dataclass(frozen=True, slots=True)
class FittedMap:
    """A map of texts.

    Attributes:
        texts: to which it was fitted.
        positions: float32 [texts, 2].
        labels: the regions of each, numbered at each level: int64 [texts, LEVELS].
        same: by levels: number -> the key of the region that it was.
        names, terms: by levels, by numbers.
        moved: see `records.atlas.Atlas`.
        changes: see there.
    """

    texts: TextVectors
    positions: FloatArray
    labels: Ints
    same: tuple[Mapping[int, int], ...]
    names: tuple[Mapping[int, str], ...]
    terms: tuple[Mapping[int, tuple[str, ...]], ...]
    moved: float | None
    changes: tuple[RegionChange, ...]

    def parents(self, level: int) -> dict[int, int]:
        """Region of a level -> the one of the level above that it lies in."""
        return dict(np.unique(self.labels[:, [level, level - 1]], axis=0).tolist())


def fit_map(
    catalog: Catalog,
    texts: TextVectors,
    method: ProjectionMethod,
    by: RegionMethod,
    perplexity: float,
    before: EarlierMap | None,
    embed: Embed | None,
) -> FittedMap:
    """Fit a map to texts; where some of them stood already, it begins there.

    `embed` gives the vectors of phrases as of texts; None: regions are named without.
    """
    rows = before.of(texts.names) if before else np.full(len(texts.names), -1)
    start = _start(texts, before, rows) if before and (rows >= 0).sum() >= NEAREST else None
    positions = project(texts.vectors, method, perplexity=perplexity, start=start)
    old = np.full((len(rows), LEVELS), -1)
    if before:
        old[rows >= 0] = before.regions[rows[rows >= 0]]
    numbered = [_number_keys(old[:, level]) for level in range(LEVELS)]
    emit(Progress("making regions", 0, 1, "maps"))
    labels = levels(texts.vectors, positions, by, np.stack([column for column, _ in numbered], axis=1))
    called, terms = name_by_phrases(catalog, texts, labels, embed)
    same, region_changes = [], []
    for level, (column, keys) in enumerate(numbered):
        matches = match_regions(column, labels[:, level])
        old_names = {number: before.names.get(key, "") for number, key in enumerate(keys)} if before else {}
        same.append({new: keys[old_number] for new, old_number in matches.items()})
        region_changes += changes(column, labels[:, level], (old_names, called[level]), matches, level)
    far = None if before is None or start is None else moved(start[rows >= 0], positions[rows >= 0])
    return FittedMap(texts, positions, labels, tuple(same), called, terms, far, tuple(region_changes) if before else ())


def _start(texts: TextVectors, before: EarlierMap, rows: Ints) -> FloatArray:
    """Where texts stood; new ones beside those that they are like."""
    known, new = np.flatnonzero(rows >= 0), np.flatnonzero(rows < 0)
    start = np.empty((len(rows), 2), np.float32)
    start[known] = before.positions[rows[known]]
    if len(new):
        _, near = neighbours(texts.vectors[known], texts.vectors[new], NEAREST)
        start[new] = place_near(near, start[known])[0]
    return start


def _number_keys(keys: Ints) -> tuple[Ints, list[int]]:
    """Keys as numbers from 0, -1 where there is none, and which is which."""
    known = np.unique(keys[keys >= 0])
    return np.where(keys >= 0, np.searchsorted(known, keys), -1), known.tolist()


def _by_size(labels: Ints) -> list[int]:
    return [int(label) for label in np.argsort(-np.bincount(labels), kind="stable")]


def name_by_phrases(
    catalog: Catalog, texts: TextVectors, labels: Ints, embed: Embed | None
) -> tuple[tuple[dict[int, str], ...], tuple[dict[int, tuple[str, ...]], ...]]:
    """Name the regions of texts by their phrases.

    Returns by levels: region -> its name; region -> what its texts mention more than others.
    """
    table = mine_phrases(catalog, [key for key, _ in texts.names], "naming regions")
    level_names = RegionNamer(table, labels, texts.vectors, embed).names()
    names, terms = [], []
    for level, regions in enumerate(level_names):
        spelt = {key: [table.spellings[phrase] for phrase in name.phrases] for key, name in regions.items()}
        order = _by_size(labels[:, level])
        names.append({key: write_name(spelt[key]) or f"unnamed {number}" for number, key in enumerate(order, 1)})
        terms.append({key: tuple(table.spellings[phrase] for phrase in regions[key].terms) for key in order})
    return tuple(names), tuple(terms)


def mine_phrases(catalog: Catalog, papers: Sequence[int], doing: str) -> PhraseTable:
    """The phrases of papers' titles, abstracts and key phrases; `papers`: the key of each text's, which may repeat."""
    keys = list(dict.fromkeys(papers))
    key_phrases = facets.key_phrase_terms(catalog, keys)
    counter = PhraseCounter(key_phrases.values())
    for batch in _read_papers(catalog, keys, doing):
        counter.define(f"{paper.title}. {paper.abstract}" for paper in batch.values())
    counts = {
        key: counter.count(MinedPaper(key_phrases.get(key, ()), paper.title, paper.abstract))
        for batch in _read_papers(catalog, keys, doing)
        for key, paper in batch.items()
    }
    return counter.table(counts.get(key, {}) for key in papers)


def _read_papers(catalog: Catalog, keys: Sequence[int], doing: str) -> Iterator[dict[int, Metadata]]:
    for start in range(0, len(keys), _BATCH):
        emit(Progress(doing, start, len(keys), "papers"))
        yield catalog.metadata_by_key(keys[start : start + _BATCH])


SAME = 0.3
"""Of the texts of both together so many are in both, at least, where they are the same region."""
PART = 0.25
"""A region is told to have split, or to be put together, of parts that are so much of it at least."""


def match_regions(before: Ints, after: Ints) -> dict[int, int]:
    """New region -> old one, by the texts that they have in common, those with the most in common first.

    `before` has -1 for texts that were in none.
    """
    old, new, both = _shared(before, after)
    union = old[:, None] + new[None] - both
    alike = np.divide(both, union, out=np.zeros(both.shape), where=union > 0)
    matches: dict[int, int] = {}
    for at in np.argsort(-alike, axis=None, kind="stable"):
        old_number, new_number = np.unravel_index(at, alike.shape)
        if alike[old_number, new_number] < SAME:
            break
        if int(new_number) not in matches and int(old_number) not in matches.values():
            matches[int(new_number)] = int(old_number)
    return matches


def changes(
    before: Ints, after: Ints, names: tuple[Mapping[int, str], Mapping[int, str]], same: Mapping[int, int], level: int
) -> list[RegionChange]:
    """What became of regions that are not simply the same; `names` of old and of new ones, by their numbers."""
    old, new, both = _shared(before, after)
    region_changes: list[RegionChange] = []

    def add_change(kind: str, old_regions: Sequence[int], new_regions: Sequence[int]) -> None:
        name_pair = (
            tuple(names[0].get(region, "") for region in old_regions),
            tuple(names[1].get(region, "") for region in new_regions),
        )
        region_changes.append(RegionChange(kind, level, *name_pair))  # type: ignore[arg-type]

    split = {
        region: np.flatnonzero(row >= PART * old[region]).tolist() for region, row in enumerate(both) if old[region]
    }
    merged = {
        region: np.flatnonzero(row >= PART * new[region]).tolist() for region, row in enumerate(both.T) if new[region]
    }
    for region, parts in split.items():
        if len(parts) > 1 and any(part not in same for part in parts):
            add_change("split", [region], parts)
        elif region not in same.values() and not any(region in parts for parts in merged.values()):
            add_change("gone", [region], [])
    for region, parts in merged.items():
        if len(parts) > 1 and any(part not in same.values() for part in parts):
            add_change("merged", parts, [region])
        elif region not in same and not any(region in parts for parts in split.values()):
            add_change("new", [], [region])
    return region_changes


def _shared(before: Ints, after: Ints) -> tuple[Ints, Ints, Ints]:
    """How many texts old and new regions have, and have in common; of texts that were there before."""
    known = before >= 0
    old_labels, new_labels = before[known], after[known]
    both = np.zeros((int(before.max(initial=-1)) + 1, int(after.max(initial=-1)) + 1), np.int64)
    np.add.at(both, (old_labels, new_labels), 1)
    return both.sum(axis=1), np.bincount(after, minlength=both.shape[1]), both
