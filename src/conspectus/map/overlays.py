"""Overlays of a map: a value for each text, what that is in each region, and whether marked texts are together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import UsageError
from conspectus.map.regions import GRID, SMOOTH, smooth_density
from conspectus.map.survey import MIDDLE, gap
from conspectus.records.atlas import (
    Atlas,
    Legend,
    MapGroup,
    Modes,
    Overlay,
    OverlayKind,
    OverlayRegion,
    PathStep,
    Region,
)

Ints = npt.NDArray[np.int64]
NEAR = 0.25
"""Of the map's radius: the root of the mean square of its texts' distances from their middle."""
LEAST, MOST = 0.2, 0.5
FEWEST_MODES = 8
"""Texts, below which nothing is told."""
METHOD = (
    f"groups by single linkage within {NEAR:g} of the map's radius; "
    f"one or two of {LEAST:.0%} of the texts at least, with {MOST:.0%} together"
)


def find_modes(atlas: Atlas, rows: Ints) -> Modes | None:
    """Where the texts of these rows stand; None: they are too few to tell."""
    if len(rows) < FEWEST_MODES:
        return None
    places = atlas.positions[rows]
    labels = link_places(places, NEAR * radius(atlas.positions))
    groups = [rows[labels == label] for label in np.flatnonzero(np.bincount(labels) >= LEAST * len(rows))]
    groups.sort(key=lambda group: -len(group))
    share = sum(map(len, groups)) / len(rows)
    if not 1 <= len(groups) <= 2 or share < MOST:
        return Modes("spread", (), 0.0, METHOD)
    return Modes("one" if len(groups) == 1 else "two", tuple(_group(atlas, group) for group in groups), share, METHOD)


def radius(positions: FloatArray) -> float:
    """How far texts are from their middle: the root of the mean square."""
    return float(np.sqrt(((positions - positions.mean(axis=0)) ** 2).sum(axis=1).mean()))


def link_places(places: FloatArray, near: float) -> Ints:
    """The group of each place, numbered by one of its members."""
    joined = np.linalg.norm(places[:, None] - places[None], axis=2) <= near
    labels = np.arange(len(places))
    while True:
        least = np.where(joined, labels[None], len(places)).min(axis=1)
        if (least == labels).all():
            return labels
        labels = least[least]


def _group(atlas: Atlas, rows: Ints) -> MapGroup:
    x, y = np.median(atlas.positions[rows], axis=0).tolist()
    regions, counts = np.unique(atlas.region_ids[rows, 1], return_counts=True)
    return MapGroup(x, y, len(rows), int(regions[counts.argmax()]))


Mask = npt.NDArray[np.bool_]
ABOUT = f"within about {2**0.5 * SMOOTH / (GRID - 1 - 2 * int(3 * SMOOTH)):.0%} of the map's width"
FEWEST = 5.0
"""Texts about a place, or in a region, of which no share is told below."""


def density(positions: FloatArray, chosen: Mask | None = None) -> FloatArray:
    """How many texts, of all or of those chosen, stand about each text: float32 [texts].

    A text counts the less the farther it stands (Gaussian): at the place itself for 1.
    """
    weights = None if chosen is None else chosen.astype(np.float32)
    field, cells = smooth_density(positions, weights=weights)
    densities: FloatArray = (field[tuple(np.rint(cells).astype(int).T)] * 2 * np.pi * SMOOTH**2).astype(np.float32)
    return densities


def number(
    atlas: Atlas, name: str, values: FloatArray, meaning: str, unit: str, scale: Literal["linear", "log"] = "linear"
) -> Overlay:
    """An overlay of numbers."""

    def row(region: Region, rows: Ints) -> OverlayRegion:
        known = values[rows][np.isfinite(values[rows])]
        median = float(np.median(known)) if len(known) else None
        return OverlayRegion(region.id, region.level, region.name, len(known), median)

    return _with_regions(atlas, name, "number", values, Legend(meaning, unit, *span(values), scale), row)


def mark_texts(
    atlas: Atlas, name: str, values: FloatArray, meaning: str, unit: str, chosen: Mask | None = None
) -> Overlay:
    """An overlay of texts that are lit up: those with a value; of a region as a share of all, or of those chosen."""

    def row(region: Region, rows: Ints) -> OverlayRegion:
        count, of = int(np.isfinite(values[rows]).sum()), len(rows) if chosen is None else int(chosen[rows].sum())
        return OverlayRegion(region.id, region.level, region.name, count, count / of if of else None)

    return _with_regions(atlas, name, "lit", values, Legend(meaning, unit, *span(values)), row)


def reviews(atlas: Atlas, review_mask: Mask, chosen: Mask | None = None) -> Overlay:
    """How many papers the region of each text has since its last review, all of them where there is none; of those
    chosen, or of all. `review_mask`: as `survey.gaps` has its reviews."""
    among = None if chosen is None else np.flatnonzero(chosen)
    since = {region.id: gap(atlas, region, review_mask[:, region.level], among) for region in atlas.regions}

    def row(region: Region, rows: Ints) -> OverlayRegion:
        texts = len(rows) if chosen is None else int(chosen[rows].sum())
        return OverlayRegion(
            region.id, region.level, region.name, texts, float(since[region.id].papers_since_review) if texts else None
        )

    values = np.array(
        [since[region].papers_since_review for region in atlas.region_ids[:, MIDDLE].tolist()], np.float32
    )
    meaning = "papers of the region since its last review, or all of them if there is none"
    return _with_regions(atlas, "reviews", "number", values, Legend(meaning, "papers", *span(values)), row)


def category(atlas: Atlas, name: str, numbers: Ints, categories: Sequence[str], meaning: str) -> Overlay:
    """An overlay of categories, by their numbers; -1: none."""

    def row(region: Region, rows: Ints) -> OverlayRegion:
        counts = np.bincount(numbers[rows][numbers[rows] >= 0], minlength=len(categories))
        if not (total := int(counts.sum())):
            return OverlayRegion(region.id, region.level, region.name, 0, None)
        best = int(counts.argmax())
        summary = (total, float(counts[best] / total), categories[best])
        return OverlayRegion(region.id, region.level, region.name, *summary)

    values = np.where(numbers >= 0, numbers, np.nan).astype(np.float32)
    return _with_regions(atlas, name, "category", values, Legend(meaning, "", None, None), row, categories)


def compare_periods(
    atlas: Atlas, name: str, since: int, chosen: Mask | None = None, among: Mask | None = None
) -> Overlay:
    """How the share of texts that stand about each place, or of those there that are chosen, differs by years.

    Args:
        among: only these texts count; None: all.

    Raises:
        UsageError: no text is of `since` or later, or none of before.
    """
    known = atlas.years > 0 if among is None else (atlas.years > 0) & among
    late, early = known & (atlas.years >= since), known & (atlas.years < since)
    where = "" if among is None else " in the years chosen"
    for part, period in ((late, f"of {since} or later"), (early, f"of before {since}")):
        if not part.any():
            hint = "Compare with another year: `since`." if among is None else "Choose others: `since`, `year`."
            raise UsageError(f"No text of the map is {period}{where}.", hint)

    def row(region: Region, rows: Ints) -> OverlayRegion:
        shares = [_share_in(rows, part, chosen) for part in (early, late)]
        before, after = shares
        change = None if before is None or after is None else after - before
        count = int((late if chosen is None else late & chosen)[rows].sum())
        return OverlayRegion(region.id, region.level, region.name, count, change, "", before, after)

    values = _share_about(atlas, late, chosen) - _share_about(atlas, early, chosen)
    what = f"share of the texts {ABOUT}" if chosen is None else f"share of the texts {ABOUT} that are lit"
    meaning = f"{what}: of {since} and later, less that of before"
    return _with_regions(
        atlas, name, "number", values, Legend(meaning, "share", *span(values), "diverging"), row, (), since
    )


def _share_in(rows: Ints, span: Mask, chosen: Mask | None) -> float | None:
    here = int(span[rows].sum())
    if chosen is None:
        return here / int(span.sum())
    return float((span & chosen)[rows].sum() / here) if here >= FEWEST else None


def _share_about(atlas: Atlas, span: Mask, chosen: Mask | None) -> FloatArray:
    about = density(atlas.positions, span)
    if chosen is None:
        return about / float(span.sum())
    part = density(atlas.positions, span & chosen)
    nothing = np.full(len(about), np.nan, np.float32)
    shares: FloatArray = np.divide(part, about, out=nothing, where=about >= FEWEST)
    return shares


def path(atlas: Atlas, rows: Ints) -> tuple[PathStep, ...]:
    """The median place of texts of each year, in order."""
    years = atlas.years[rows]
    steps = []
    for year in np.unique(years[years > 0]).tolist():
        year_rows = rows[years == year]
        x, y = np.median(atlas.positions[year_rows], axis=0).tolist()
        steps.append(PathStep(year, x, y, len({atlas.papers[row] for row in year_rows.tolist()})))
    return tuple(steps)


def span(values: FloatArray) -> tuple[float | None, float | None]:
    """The least and the greatest of values, None where there is none."""
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if len(known) else (None, None)


def _with_regions(
    atlas: Atlas,
    name: str,
    kind: OverlayKind,
    values: FloatArray,
    legend: Legend,
    row: Callable[[Region, Ints], OverlayRegion],
    categories: Sequence[str] = (),
    since: int | None = None,
) -> Overlay:
    rows = tuple(
        row(region, np.flatnonzero(atlas.region_ids[:, region.level] == region.id)) for region in atlas.regions
    )
    return Overlay(name, atlas.of, since, kind, values.astype(np.float32), tuple(categories), legend, rows)
