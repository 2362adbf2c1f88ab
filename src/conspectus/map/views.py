"""How the map, its regions and what it says of a field look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize
from conspectus.records.atlas import (
    Atlas,
    GapList,
    Impact,
    Overlay,
    OverlayRegion,
    Region,
    RegionNames,
    TopicList,
    Trend,
)

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.atlas import MapPaper, RegionChange

MIDDLE = 1
BAR = 40
PLACES = {"one": "They are in one place", "two": "They are in two places", "spread": "They are spread over the map"}


def show(out: Printer, atlas: Atlas, *, to: Path | None = None, terrain: Path | None = None) -> None:
    """The map, or its overlay, by regions, and the files that were written."""
    if atlas.overlay is not None:
        overlay(out, atlas.overlay)
    else:
        build(out, atlas)
    for path in filter(None, (to, terrain)):
        out.line(f"Wrote {one_line(str(path))}")


def build(out: Printer, atlas: Atlas) -> None:
    """What is mapped, what changed, and the regions."""
    fitted = "" if atlas.fitted >= len(atlas) else f", fitted to {atlas.fitted} of them"
    summary = f"  made {atlas.made[:16].replace('T', ' ')}{fitted}"
    out.line((pluralize(len(atlas), atlas.of[:-1]), "title"), (summary, "dim"))
    if atlas.moved is not None:
        out.line((f"When fitted again, they moved by {atlas.moved:.1%} of its width (median).", "dim"))
    for change in atlas.changes:
        out.line((one_line(_change(change)), "dim"))
    _regions(out, atlas.at(MIDDLE), atlas.of[:-1])
    if atlas.left_out:
        out.line(f"{pluralize(atlas.left_out, 'paper')} without embedded text: not on the map.")
    _notes(out, atlas.notes)


def _change(change: RegionChange) -> str:
    before, after = ", ".join(map(repr, change.before)), ", ".join(map(repr, change.after))
    if change.kind in ("split", "merged"):
        return f"{before} became {after}."
    return f"{after} is new." if change.kind == "new" else f"{before} is gone."


def _regions(out: Printer, regions: Sequence[Region], unit: str) -> None:
    for region in regions:
        _row(out, region.id, region.name, f"{pluralize(region.size, unit)} · {one_line(', '.join(region.terms))}")


def _row(out: Printer, number: int, name: str, details: str) -> None:
    out.line((f"{number:>4}  ", "dim"), (one_line(name), "title"), (f"  {details}", "dim"))


def _notes(out: Printer, notes: Sequence[str]) -> None:
    for note in notes:
        out.advise(note)


def _paper(out: Printer, paper: MapPaper) -> str:
    """Its title and year; with its id where a program or a model reads."""
    known = f" {paper.id}" if out.width is None else ""
    return one_line(f"{paper.title} ({paper.year or 'no year'}){known}")


_CLEAR = 1.15
"""Growth, or its inverse, from which it is told: nearer to 1 a few papers make it."""


def _growth(growth: float | None) -> str:
    if growth is None:
        return ""
    if growth < 1 / _CLEAR:
        return ", growing more slowly than the library"
    return ", growing " + (f"{growth:.1f} times as fast" if growth >= _CLEAR else "as fast") + " as the library"


def topics(out: Printer, topic_list: TopicList, *, region: int | None = None) -> None:
    """A line a region; of one that was asked for also its papers, elsewhere than on a terminal a typical one."""
    if topic_list.meaning:
        out.line((one_line(topic_list.overlay), "title"), (f"  {one_line(topic_list.meaning)}", "dim"))
    for topic in topic_list:
        value = "" if topic.value is None else f", {topic.category or 'value'} {topic.value:.4g}"
        number = pluralize(topic.papers, "paper")
        terms = one_line(", ".join(topic.region.terms))
        _row(
            out,
            topic.region.id,
            topic.region.name,
            f"{number}{value}{_growth(topic.growth)} · {terms}",
        )
        if region is not None:
            for head, papers in (("typical", topic.typical), ("newest", topic.newest)):
                for paper in papers:
                    out.line((f"{head:>10}  ", "dim"), _paper(out, paper))
        elif out.width is None and topic.typical:
            out.line(("   typical  ", "dim"), _paper(out, topic.typical[0]))
    _notes(out, topic_list.notes)


def gaps(out: Printer, gap_list: GapList) -> None:
    """Regions, each with its last review, what is unusual of its citations, and two of its reviews or papers."""
    if not gap_list:
        out.line("No paper of the map is of these years.")
    for gap in gap_list:
        since = f"{pluralize(gap.papers_since_review, 'paper')} since the review of {gap.last_review} near its centre"
        last = "no review near its centre" if gap.last_review is None else since
        _row(out, gap.id, gap.name, f"{pluralize(gap.papers, 'paper')}, {last}{_growth(gap.growth)}")
        for pattern in gap.patterns:
            out.line(f"{pattern.reason[0].upper()}{pattern.reason[1:]}.", indent=6)
        for paper in (gap.latest_reviews or gap.newest)[:2]:
            out.line(("      ", "dim"), _paper(out, paper))
    _notes(out, gap_list.notes)


def trends(out: Printer, trend: Trend) -> None:
    """A bar a year."""
    peak = f", the greatest share in {trend.peak}" if trend.peak else ""
    out.line((one_line(trend.name), "title"), (f"  {pluralize(trend.papers, 'paper')}{peak}", "dim"))
    top = max((year.share for year in trend.years), default=0.0) or 1.0
    for year in trend.years:
        share = f"  {year.share:.2%} ({year.low:.2%} to {year.high:.2%}), {year.papers} of {year.all}"
        bar = "█" * round(BAR * year.share / top)
        out.line((f"{year.year}  ", "dim"), bar, (share if year.all else "  no papers", "dim"))


def impact(out: Printer, impact_report: Impact) -> None:
    """How many papers, since when, over how many regions, and in which."""
    since = f" since {impact_report.first}" if impact_report.first else ""
    share = f"  {pluralize(impact_report.papers, 'paper')}{since}, {impact_report.share:.1%} of the map"
    out.line((one_line(impact_report.name), "title"), (share, "dim"))
    interval = f"{impact_report.low:.1f} to {impact_report.high:.1f}"
    spread, possible = impact_report.spread, impact_report.possible
    out.line(f"Spread over {spread:.1f} regions in effect ({interval}); all papers: {possible:.1f}.")
    for row in impact_report.regions:
        _row(out, row.region.id, row.region.name, f"{pluralize(row.papers, 'paper')}, {row.share:.1%} of the region")


def name(out: Printer, region: Region) -> None:
    """The region's number and name."""
    out.line(one_line(f"{region.id}: {region.name}"))


def names(out: Printer, region_names: RegionNames, *, of: str = "papers") -> None:
    """The regions of the middle level with their names."""
    _regions(out, [region for region in region_names.regions if region.level == MIDDLE], of[:-1])
    _notes(out, region_names.notes)


def overlay(out: Printer, map_overlay: Overlay) -> None:
    """What is shown, and its value in each region, the greatest first."""
    since = f", since {map_overlay.since}" if map_overlay.since is not None else ""
    out.line((one_line(f"{map_overlay.name}{since}"), "title"), (f"  {one_line(map_overlay.legend.meaning)}", "dim"))
    unit = map_overlay.of[:-1]
    texts = sum(value == value for value in map_overlay.values.tolist())  # noqa: PLR0124 - NaN
    is_range = map_overlay.kind == "number" and map_overlay.legend.low is not None
    ends = f", from {map_overlay.legend.low:.4g} to {map_overlay.legend.high:.4g}" if is_range else ""
    out.line(f"{texts} of {pluralize(len(map_overlay), unit)}{ends}")
    if map_overlay.modes:
        region_names = {row.id: row.name for row in map_overlay.regions}
        groups = "; ".join(
            f"{group.texts} about {region_names.get(group.region, '')}" for group in map_overlay.modes.groups
        )
        out.line(one_line(f"{PLACES[map_overlay.modes.kind]}{': ' if groups else ''}{groups}."))
    for step in map_overlay.path:
        out.line((f"{step.year}  ", "title"), f"{pluralize(step.papers, 'paper')} at {step.x:.1f}, {step.y:.1f}")
    rows = [row for row in map_overlay.regions if row.level == MIDDLE]
    for row in sorted(rows, key=lambda row: -(row.value if row.value is not None else float("-inf"))):
        _row(out, row.id, row.name, f"{_value(map_overlay, row)} · {pluralize(row.texts, unit)}")
    _notes(out, map_overlay.notes)


def _value(map_overlay: Overlay, row: OverlayRegion) -> str:
    if row.value is None:
        return "none"
    if map_overlay.since is not None and row.before is not None and row.after is not None:
        return f"{row.value:+.1%} ({row.before:.1%} before, {row.after:.1%} after)"
    if map_overlay.kind == "number":
        return f"{row.value:.4g} {map_overlay.legend.unit}".rstrip()
    return one_line(f"{row.value:.1%} {row.category}".strip())
