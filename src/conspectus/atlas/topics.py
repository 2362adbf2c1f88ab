"""What there is to say of a region: how it grows, what is typical of it, what is new."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from conspectus.records.atlas import Atlas, MapPaper, Region, Topic

Ints = npt.NDArray[np.int64]
SHOWN = 5
"""Papers of each list."""
SPAN = 3
"""Years that are held against as many before; the year of the newest paper is not over and does not count."""
FEWEST = 5
"""Papers of the years before, and to be expected since, below which no growth is told."""


def topic(found: Atlas, region: Region, among: Ints | None = None) -> Topic:
    """See `records.atlas.Topic`; `among`: the texts that count (None: all)."""
    rows = _rows(found, region, among)
    years = _years(found, rows)
    newest = rows[np.argsort(-found.years[rows], kind="stable")]
    return Topic(
        region,
        len({found.papers[row] for row in rows.tolist()}),
        dict(sorted(Counter(years.tolist()).items())),
        growth_of(found, rows, among),
        typical(found, region, among=among),
        listed(found, newest[found.years[newest] > 0]),
    )


def _rows(found: Atlas, region: Region, among: Ints | None) -> Ints:
    if among is None:
        return np.flatnonzero(found.region_ids[:, region.level] == region.id)
    rows: Ints = among[found.region_ids[among, region.level] == region.id]
    return rows


def typical(found: Atlas, region: Region, count: int = SHOWN, among: Ints | None = None) -> tuple[MapPaper, ...]:
    """The papers nearest to the region's middle; see `topic`."""
    rows = _rows(found, region, among)
    far = ((found.positions[rows] - (region.x, region.y)) ** 2).sum(axis=1)
    return listed(found, rows[np.argsort(far, kind="stable")], count)


def _years(found: Atlas, rows: Ints) -> Ints:
    """The years of the papers of texts, each paper once, but for those that are not known."""
    if found.of == "papers":
        years = found.years[rows].astype(np.int64)
    else:
        years = np.array(list({found.papers[row]: found.years[row] for row in rows.tolist()}.values()), np.int64)
    return years[years > 0]


def growth_of(found: Atlas, rows: Ints, among: Ints | None = None) -> float | None:
    """How much faster the papers of texts come than before, held against those of all or of `among`; see `Topic`."""
    of_all = _years(found, np.arange(len(found)) if among is None else among)
    return growth(_years(found, rows), of_all, int(found.years.max(initial=-1)))


def growth(years: Ints, of_all: Ints, newest: int | None = None) -> float | None:
    """How much faster papers of some years come than before, as a multiple of what it is for all; see `Topic`.

    The year `newest` is not over and does not count; None: that is the last of all.
    """
    if not len(of_all):
        return None
    end = int(of_all.max()) + 1
    end = end - 1 if newest is None else min(end, newest)
    (late, early), (all_late, all_early) = (_spans(one, end) for one in (years, of_all))
    expected = early * all_late / all_early if all_early else 0.0
    return late / expected if early >= FEWEST and expected >= FEWEST else None


def _spans(years: Ints, end: int) -> tuple[int, int]:
    late = int(((years >= end - SPAN) & (years < end)).sum())
    return late, int(((years >= end - 2 * SPAN) & (years < end - SPAN)).sum())


def listed(found: Atlas, rows: Ints, count: int = SHOWN) -> tuple[MapPaper, ...]:
    """The first papers of texts, each once."""
    first: dict[str, int] = {}
    for row in rows.tolist():
        first.setdefault(found.papers[row], row)
        if len(first) == count:
            break
    years = {paper: int(found.years[row]) for paper, row in first.items()}
    return tuple(
        MapPaper(paper, found.titles[row], years[paper] if years[paper] > 0 else None) for paper, row in first.items()
    )
