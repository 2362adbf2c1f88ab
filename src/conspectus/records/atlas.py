"""The map of a library: where its texts stand, and the regions that they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from conspectus.records.answer import Usage
from conspectus.records.views import show_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

Mapped = Literal["papers", "passages"]
ProjectionMethod = Literal["tsne", "umap", "pca"]
RegionMethod = Literal["kmeans", "published"]
NamingMethod = Literal["phrases", "vocabulary", "model"]
NamedBy = NamingMethod | Literal["user"]
ChangeKind = Literal["split", "merged", "new", "gone"]
GapPatternKind = Literal["cites old work", "cites only itself", "not followed up"]
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
        terms: what its texts have more than others, the phrases of its name first.
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
class RegionNames:
    """What regions are called now.

    Attributes:
        regions: all of the map.
        named: how many have a name by what was asked for; the others are called as before.
        model: the language model that was asked; "" where none was.
        usage: what that took.
        notes: what is to be told.
    """

    regions: tuple[Region, ...]
    named: int
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RegionChange:
    """What became of regions when the map was made again.

    Attributes:
        kind: `split`: one became several; `merged`: several became one; `new`, `gone`: few of its texts were together.
        before: names of what there was, and `after` of what there is.
    """

    kind: ChangeKind
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
class MapText:
    """A text of the map: its number in the map's columns, its paper, and what that is.

    Attributes:
        row: from 0 on.
        paper: the paper's id; `unit`: the passage's, "" on a map of papers.
        byline: its authors, as a label has them; "" where none is known.
        year, citations: None: not known.
    """

    row: int
    paper: str
    unit: str
    title: str
    byline: str
    year: int | None
    citations: int | None


@dataclass(frozen=True, slots=True)
class Topic:
    """What there is to say of a region.

    Attributes:
        region: which it is.
        papers: how many papers its texts are of.
        years: year -> how many of these.
        growth: papers a year of the last three years by those of the three before, of the region as a multiple of what
            it is for the whole map: 1 is as all; None: too few have years (fewer than 5 before,
            or to be expected since).
        typical: those nearest to the region's middle.
        newest: those of the last years, the newest first.
        value, category: of the overlay that was asked for, as of `OverlayRegion`; None and "" if there is none.
    """

    region: Region
    papers: int
    years: Mapping[int, int]
    growth: float | None
    typical: tuple[MapPaper, ...]
    newest: tuple[MapPaper, ...]
    value: float | None = None
    category: str = ""


@dataclass(frozen=True, slots=True)
class TopicList:
    """Regions of the map, the largest first; iterates over `topics`.

    Attributes:
        overlay: the overlay that their values are of; "": none.
        meaning: what these values mean.
        notes: remarks about the map and the overlay.
    """

    topics: tuple[Topic, ...]
    overlay: str = ""
    meaning: str = ""
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.topics)

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.topics)

    def __getitem__(self, index: int) -> Topic:
        return self.topics[index]


@dataclass(frozen=True, slots=True)
class GapPattern:
    """Something unusual of how a region's papers cite and are cited.

    Attributes:
        kind: `cites old work`; `cites only itself`: few of its citations lead to or come from other regions; `not
            followed up`: others cite it, but it has few new papers.
        value: the share of what it cites that is not older than half of what all papers cite; the share of its
            citations that cross its border; its papers of the last three years.
        usual: the same of all papers, of the median region, or as many papers as were to be expected.
        citations: by which it is found: works of a known age; citations; citations by other regions in these years.
        reason: this in words.
    """

    kind: GapPatternKind
    value: float
    usual: float
    citations: int
    reason: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A region of the map and how far its papers are reviewed.

    Attributes:
        id, name, level: of the region.
        score: papers since the newest review, each 1 and the logarithm of 1 and its citations where these are known,
            times the growth where that is known, at least half and at most twice (1 if it is not followed up), and 1.5
            times for each pattern of citations.
        papers: how many papers the region has; `reviews`: how many of them are reviews of it, near its middle.
        papers_since_review: papers published after the year of the newest review; all papers if there is no review.
        last_review: the year of the newest review; None: there is none.
        growth: as of `Topic`.
        latest_reviews: reviews of it, the newest first.
        newest: its newest papers.
        patterns: what is unusual of its citations.
    """

    id: int
    name: str
    level: int
    score: float
    papers: int
    reviews: int
    papers_since_review: int
    last_review: int | None
    growth: float | None
    latest_reviews: tuple[MapPaper, ...]
    newest: tuple[MapPaper, ...]
    patterns: tuple[GapPattern, ...] = ()


@dataclass(frozen=True, slots=True)
class GapList:
    """Regions of the map, those that lack a review most first; iterates over `regions`.

    Attributes:
        notes: remarks, such as that no citations are known.
    """

    regions: tuple[Gap, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.regions)

    def __iter__(self) -> Iterator[Gap]:
        return iter(self.regions)

    def __getitem__(self, index: int) -> Gap:
        return self.regions[index]


@dataclass(frozen=True, slots=True)
class TrendYear:
    """A year: papers of the trend, of all papers, and their share, with a 95 % interval (Wilson)."""

    year: int
    papers: int
    all: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Trend:
    """Papers of something by years.

    Attributes:
        name: of what.
        papers: how many there are; those without a year are in no row.
        years: from the first to the newest of the library.
        peak: the year with the surely greatest share, by the lower end of its interval: one of two papers is no peak;
            None: no paper has a year.
    """

    name: str
    papers: int
    years: tuple[TrendYear, ...]
    peak: int | None

    def _repr_html_(self) -> str:
        return show_record("html", "trend", self)


@dataclass(frozen=True, slots=True)
class ImpactRegion:
    """Papers of something in a region: how many, and the share of the region's."""

    region: Region
    papers: int
    share: float


@dataclass(frozen=True, slots=True)
class Impact:
    """How far something has spread over the library.

    Attributes:
        name: of what; `papers`: how many have it, `share`: of all on the map.
        first: the year of the first; None: no year is known.
        regions: of the map's middle level, those with the most papers first; those without any are left out.
        spread: the effective number of regions: the exponential of the entropy of the shares of its papers, 1 where
            all are in one; `low`, `high`: 95 % of what 1,000 samples of its papers give, drawn with replacement.
        possible: the same of all papers of the map.
    """

    name: str
    papers: int
    share: float
    first: int | None
    regions: tuple[ImpactRegion, ...]
    spread: float
    low: float
    high: float
    possible: float

    def _repr_html_(self) -> str:
        return show_record("html", "impact", self)


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
        state: a token that changes when a place, a region, its name or a paper does.
        overlay: what it was asked to show; None: nothing.
        with_points: whether its JSON has the place of each text.
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
    state: str = ""
    overlay: Overlay | None = field(default=None, repr=False)
    with_points: bool = field(default=False, repr=False)

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
        return show_record("html", "atlas", self)


OverlayKind = Literal["number", "category", "lit"]


@dataclass(frozen=True, slots=True)
class OverlayRegion:
    """What an overlay says of a region.

    Attributes:
        id: of the region; `level` and `name`: its own.
        texts: how many of the region's texts have a value.
        value: of numbers the median, of what is lit the share of the region's texts (of the years shown), of categories
            that of `category` among those that have one; with `since` the difference of `after` and `before`; None:
            there is nothing to say it of.
        category: the one that most texts have; "" of numbers and of what is lit.
        before, after: the shares of both spans of years; None without `since`.
    """

    id: int
    level: int
    name: str
    texts: int
    value: float | None
    category: str = ""
    before: float | None = None
    after: float | None = None


@dataclass(frozen=True, slots=True)
class MapGroup:
    """Texts lit up that stand together: their median place, how many they are, and the region that most are in."""

    x: float
    y: float
    texts: int
    region: int


@dataclass(frozen=True, slots=True)
class Modes:
    """Whether what is lit up stands in one place of the map, in two, or is spread over it (`map.modality`).

    Attributes:
        kind: which of the three.
        groups: the places, those with the most texts first; none where it is spread.
        share: of what is lit that stands in these.
        method: how it was told.
    """

    kind: Literal["one", "two", "spread"]
    groups: tuple[MapGroup, ...]
    share: float
    method: str


@dataclass(frozen=True, slots=True)
class PathStep:
    """A year of an author's path: the median place of that year's papers, and how many they are."""

    year: int
    x: float
    y: float
    papers: int


@dataclass(frozen=True, slots=True)
class Legend:
    """What the values of an overlay mean.

    Attributes:
        meaning: in words.
        unit: of the values; "" of categories.
        low, high: the least and the greatest value; None where there is none.
        scale: how they are best shown; `diverging`: around 0.
    """

    meaning: str
    unit: str
    low: float | None
    high: float | None
    scale: Literal["linear", "log", "diverging"] = "linear"


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """What is shown on a map: a value for each of its texts.

    Attributes:
        name: as it was asked for.
        of: which map.
        since: the year from which on is compared with before; None: nothing is compared.
        kind: `number`; `category`: a value is a number of `categories`, from 0; `lit`: those with a value are lit up,
            the more the greater it is.
        values: float32 [texts], in the order of the map's; NaN where a text has none.
        categories: their names.
        legend: what the values mean.
        regions: in the order of the map's.
        modes: of what is lit up by a query; None of anything else.
        path: of an author, by years.
        notes: what is to be told.
        state: of the map that the values are of, as of `Atlas`.
    """

    name: str
    of: Mapped
    since: int | None
    kind: OverlayKind
    values: npt.NDArray[np.float32] = field(repr=False)
    categories: tuple[str, ...]
    legend: Legend
    regions: tuple[OverlayRegion, ...] = field(repr=False)
    modes: Modes | None = None
    path: tuple[PathStep, ...] = ()
    notes: tuple[str, ...] = ()
    state: str = ""

    def __len__(self) -> int:
        return len(self.values)

    def _repr_html_(self) -> str:
        return show_record("html", "overlay", self)
