"""Figures that are like a picture: by the vectors of their pictures and panels."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import UsageError
from conspectus.figures import sql
from conspectus.figures.telling import is_of, told, told_panel
from conspectus.records import FigureHit, FigureResult, Filters, Measure
from conspectus.records.figures import Shown
from conspectus.search.search import MOST_CANDIDATES, too_few_error
from conspectus.store import figures as kept
from conspectus.store.catalog import Catalog
from conspectus.store.facets import filtered_paper_keys
from conspectus.store.rows import StoredFigure

if TYPE_CHECKING:
    from conspectus.search.picture_index import PictureIndex

_AMONG = 4
"""Pictures looked at for each figure that is wanted: several may be panels of one."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A picture that is asked for.

    Attributes:
        what: how it is told, in one line.
        vector: float32 [dimensions].
        measure: how near two vectors are.
        figure: the id of the figure that it is, which is not to be found; "": it is none.
    """

    what: str
    vector: FloatArray
    measure: Measure
    figure: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """All that was looked at: the pictures' vectors, and the papers of each, int64 [pictures]."""

    index: PictureIndex
    papers: np.ndarray
    model: str


def find_like(
    catalog: Catalog, seen: Seen, asked: Asked, k: int, filters: Filters, kinds: Sequence[Shown], note: str = ""
) -> FigureResult:
    """The k figures of which the whole, or a panel, is most like a picture; `note` is told with them.

    The score is that of `asked.measure` on the raw vectors of the encoder; of a figure's pictures the best counts.

    Raises:
        UsageError: k below 1, or `filters` ask for a kind of passage.
    """
    if k < 1:
        raise too_few_error(k)
    if filters.kind:
        raise UsageError("Figures like a picture are in no kind of passage.", "Leave the kind of passage out.")
    began = time.perf_counter()
    mask = None if filters == Filters() else np.isin(seen.papers, filtered_paper_keys(catalog, filters))
    hits = tuple(_hits(catalog, seen, asked, k, mask, kinds))
    took, method = time.perf_counter() - began, f"{asked.measure} of pictures"
    if not hits and not note:
        other = "other figure" if asked.figure else "figure"
        note = f"No {other} that was looked at passes." if len(seen.index) else "No paper has figures with pictures."
    return FigureResult(asked.what, hits, method, (seen.model,), took, note)


def _hits(
    catalog: Catalog, seen: Seen, asked: Asked, k: int, mask: np.ndarray | None, kinds: Sequence[Shown]
) -> list[FigureHit]:
    count = min(_AMONG * k, MOST_CANDIDATES)
    while True:
        near = seen.index.nearest(asked.vector, count, asked.measure, mask)
        hits = _figures(catalog, near, asked, kinds)[:k]
        if len(hits) == k or len(near) < count or count >= MOST_CANDIDATES:
            return hits
        count = min(_AMONG * count, MOST_CANDIDATES)


def _figures(
    catalog: Catalog, near: Sequence[tuple[int, float]], asked: Asked, kinds: Sequence[Shown]
) -> list[FigureHit]:
    """The figures of pictures, best first, each once."""
    keys = sorted({paper for paper, _ in sql.figures_of_pictures(catalog, [key for key, _ in near]).values()})
    papers, figures = catalog.papers_by_key(keys), kept.figures_of_papers(catalog, keys)
    shown = kept.pictures_of_papers(catalog, keys)
    by_key = {one.key: one for group in shown.values() for one in group}
    by_id: dict[str, tuple[int, StoredFigure]] = {
        one.id: (paper, one) for paper, group in figures.items() for one in group
    }
    hits: dict[str, FigureHit] = {}
    for key, score in near:
        picture = by_key.get(key)
        if picture is None or picture.figure in hits or picture.figure == asked.figure or picture.figure not in by_id:
            continue
        paper, figure = by_id[picture.figure]
        found = told(figure, papers[paper], [one for one in shown[paper] if one.figure == figure.id])
        if is_of(found, kinds):
            factors = {"picture": score}
            panel = told_panel(picture) if picture.number else None
            hits[figure.id] = FigureHit(len(hits) + 1, score, factors, found, panel)
    return list(hits.values())
