"""What the tools of the map return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from conspectus.mcp.results import result_of
from conspectus.records.atlas import Gap, Impact, MapPaper, Overlay, OverlayRegion, Topic, Trend, TrendYear
from conspectus.records.views import pick_fields

SHOWN = 3
"""Papers of each list."""
MODES = {"one": "in one place of the map", "two": "in two places of the map", "spread": "spread over the map"}


class MapPaperCard(BaseModel):
    """A paper of a region; `get_paper` has more."""

    id: str
    title: str
    year: int | None


class RegionCard(BaseModel):
    """Papers that mean alike, by a name made of their own words, a vocabulary's, a model's or the user's."""

    id: int
    level: int = Field(description="0: the largest regions; each lies within one of the level above")
    within: int | None = Field(description="the region that it lies in")
    name: str
    terms: list[str] = Field(description="what its papers speak of more than others do")
    papers: int
    growth: float | None = Field(description="how fast it grows; 1: as the whole library; null: too few have years")
    typical: list[MapPaperCard]
    newest: list[MapPaperCard]
    value: float | None = Field(description="of the overlay, as `meaning` says; of what is lit the share of its papers")
    category: str = Field(description="of the overlay, the one that most have")


class MapCard(BaseModel):
    """Regions of the library, the largest first."""

    regions: list[RegionCard]
    overlay: str
    meaning: str = Field(description="what the overlay's values mean")
    note: str


class GapCard(BaseModel):
    """A region, by the reviews that it has."""

    id: int
    name: str
    score: float
    papers: int
    reviews: int
    papers_since_review: int = Field(description="all papers if there is no review")
    last_review: int | None = Field(description="the year of the newest review")
    growth: float | None
    latest_reviews: list[MapPaperCard] = Field(description="the newest first")
    newest: list[MapPaperCard]


class GapsCard(BaseModel):
    """Regions without a review first, the large and growing before the others; those with one follow."""

    regions: list[GapCard]
    note: str


class SpreadCard(BaseModel):
    """In which regions words stand, and over how many they are spread in effect, with a 95 % interval."""

    spread: float
    low: float
    high: float
    possible: float = Field(description="the same of all papers of the library")
    regions: list[tuple[str, int]] = Field(description="names, with how many papers have the words")


class TrendCard(BaseModel):
    """Papers by years; `spread` of words only, where there is a map."""

    name: str
    papers: int
    peak: int | None = Field(description="the year with the greatest share")
    years: list[TrendYear]
    spread: SpreadCard | None


def regions(topics: Sequence[Topic], shown: Overlay | None, notes: Sequence[str]) -> CallToolResult:
    """The regions of a map, and what an overlay says of them."""
    told = {row.id: row for row in shown.regions} if shown else {}
    cards = [_region(topic, told) for topic in topics]
    meaning = f"{shown.legend.meaning}{_unit(shown)}" if shown else ""
    found = [MODES[shown.modes.kind]] if shown and shown.modes else []
    note = " ".join([*notes, *(shown.notes if shown else ()), *(f"The hits stand {where}." for where in found)])
    body = MapCard(regions=cards, overlay=shown.name if shown else "", meaning=meaning, note=note)
    return result_of(body, [meaning, *map(_region_line, cards), note], ())


def gaps(found: Sequence[Gap], most: int) -> CallToolResult:
    """Regions by their reviews."""
    cards = [
        GapCard(
            latest_reviews=_papers(gap.latest_reviews),
            newest=_papers(gap.newest),
            **pick_fields(gap, "id", "name", "score", "papers", "reviews"),
            **pick_fields(gap, "papers_since_review", "last_review", "growth"),
        )
        for gap in found[:most]
    ]
    note = "A paper counts as a review by its type, its venue, its title or its abstract; others may be one, too."
    lines = [
        f"{card.id}. {card.name}: papers: {card.papers}, "
        + (
            f"since the review of {card.last_review}: {card.papers_since_review}"
            if card.last_review
            else f"reviews: {card.reviews}"
        )
        for card in cards
    ]
    return result_of(GapsCard(regions=cards, note=note), [*lines, note], ())


def trend(found: Trend, spread: Impact | None) -> CallToolResult:
    """How something comes and goes, and how widely it is spread."""
    wide = spread and SpreadCard(
        regions=[(one.region.name, one.papers) for one in spread.regions],
        **pick_fields(spread, "spread", "low", "high", "possible"),
    )
    body = TrendCard(years=list(found.years), spread=wide or None, **pick_fields(found, "name", "papers", "peak"))
    lines = [
        f"{one.year}: {one.papers} of {one.all} ({one.share:.2%}, {one.low:.2%} to {one.high:.2%})"
        for one in found.years
    ]
    over = f"Spread over {wide.spread:.1f} regions in effect, of {wide.possible:.1f}." if wide else ""
    places = [f"   {name}: {papers}" for name, papers in wide.regions] if wide else []
    return result_of(body, [f"{found.name}: {found.papers} papers", *lines, over, *places], ())


def _region(found: Topic, told: Mapping[int, OverlayRegion]) -> RegionCard:
    region, row = found.region, told.get(found.region.id)
    return RegionCard(
        within=region.parent,
        terms=list(region.terms),
        papers=found.papers,
        growth=None if found.growth is None else round(found.growth, 2),
        typical=_papers(found.typical),
        newest=_papers(found.newest),
        value=None if row is None or row.value is None else round(row.value, 4),
        category=row.category if row else "",
        **pick_fields(region, "id", "level", "name"),
    )


def _region_line(one: RegionCard) -> str:
    value = "" if one.value is None else f", {one.category or 'value'}: {one.value:g}"
    grown = "" if one.growth is None else f", growth: {one.growth:g}"
    such = f". Such as: {one.typical[0].title}" if one.typical else ""
    return f"{one.id}. {one.name}: papers: {one.papers}{grown}{value}{such}"


def _unit(shown: Overlay) -> str:
    return f" ({shown.legend.unit})" if shown.legend.unit and shown.kind == "number" else ""


def _papers(found: Sequence[MapPaper]) -> list[MapPaperCard]:
    return [MapPaperCard(**pick_fields(one, "id", "title", "year")) for one in found[:SHOWN]]
