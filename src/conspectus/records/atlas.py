"""The map of a library: where its texts stand, and the regions that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from conspectus.records.views import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

Mapped = Literal["papers", "passages"]
ProjectionMethod = Literal["tsne", "umap", "pca"]
RegionMethod = Literal["kmeans", "published"]
NamedBy = Literal["phrases", "vocabulary", "model", "user"]
LEVELS = 3
"""Of regions: 0 the largest, 2 the smallest; each lies within one of the level above."""


@dataclass(frozen=True, slots=True)
class Region:
    """Texts that stand together on the map.

    Attributes:
        id: a number that it keeps while most of its texts do.
        level: 0 for the largest.
        parent: the region of the level above that it lies in; None at level 0.
        name: as it is shown.
        named_by: who gave the name.
        terms: what its texts speak of more than others do, the first the most.
        size: how many texts it has.
        x, y: the median place of these.
    """

    id: int
    level: int
    parent: int | None
    name: str
    named_by: NamedBy
    terms: tuple[str, ...]
    size: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class RegionChange:
    """What became of regions when the map was made again.

    Attributes:
        kind: `split`: one became several; `merged`: several became one; `new`, `gone`: few of its texts were together.
        before: names of what there was, and `after` of what there is.
    """

    kind: Literal["split", "merged", "new", "gone"]
    level: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MapPaper:
    """A paper as lists of the map name it; `year` None: not known."""

    id: str
    title: str
    year: int | None


@dataclass(frozen=True, slots=True)
class Topic:
    """What there is to say of a region.

    Attributes:
        region: which it is.
        papers: how many papers its texts are of.
        years: year -> how many of these.
        growth: papers a year of the last three years by those of the three before, of the region as a multiple of what
            it is for the whole map: 1 is as all; None: too few have years (fewer than 5 before).
        typical: those nearest to the region's middle.
        newest: those of the last years, the newest first.
    """

    region: Region
    papers: int
    years: Mapping[int, int]
    growth: float | None
    typical: tuple[MapPaper, ...]
    newest: tuple[MapPaper, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Atlas:
    """A map: columns of texts, and regions.

    Attributes:
        of: what each place is of.
        method: of projection; `model`: the embedder whose vectors were projected.
        regions_by: how the regions were made.
        made: when it was fitted; ISO 8601.
        fitted: how many texts it was fitted to; the others were placed beside those that they are like.
        left_out: papers that have no text that was embedded.
        moved: how far the texts moved, in the median, when it was fitted last, as a share of the map's width; None: the
            first time.
        changes: what became of regions then.
        papers: the id of each text's paper, `units`: its passage's id; "" on a map of papers.
        titles: of the papers; `years` and `citations`, int64: of these; -1 where it is not known.
        positions: float32 [texts, 2].
        region_ids: int64 [texts, LEVELS].
        regions: by level, the largest first.
        notes: what is to be told.
    """

    of: Mapped
    method: ProjectionMethod
    model: str
    regions_by: RegionMethod
    made: str
    fitted: int
    left_out: int
    moved: float | None
    changes: tuple[RegionChange, ...]
    papers: Sequence[str] = field(repr=False)
    units: Sequence[str] = field(repr=False)
    titles: Sequence[str] = field(repr=False)
    years: npt.NDArray[np.int64] = field(repr=False)
    citations: npt.NDArray[np.int64] = field(repr=False)
    positions: npt.NDArray[np.float32] = field(repr=False)
    region_ids: npt.NDArray[np.int64] = field(repr=False)
    regions: tuple[Region, ...] = field(repr=False)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.papers)

    def at(self, level: int) -> tuple[Region, ...]:
        """The regions of a level, the largest first."""
        return tuple(region for region in self.regions if region.level == level)

    @property
    def names(self) -> Mapping[int, str]:
        """Region id -> its name."""
        return {region.id: region.name for region in self.regions}

    def _repr_html_(self) -> str:
        return shown("html", "atlas", self)
