"""`gaps`, `trends` and `impact`: what the map tells of a field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from conspectus.cli.app import verb
from conspectus.cli.options import only_years
from conspectus.cli.printer import Printer, one_line
from conspectus.cli.showing import showing
from conspectus.cli.state import State
from conspectus.core.plural import pluralize
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.records.atlas import Gap, Impact, Trend

BAR = 40


@verb("gaps")
@click.option("--level", type=click.IntRange(0, 2), default=1, show_default=True, help="0: the largest regions.")
@click.option("--k", "shown", type=click.IntRange(1), default=10, show_default=True, help="Regions shown.")
@only_years
def gaps_verb(state: State, level: int, shown: int, year: Any) -> None:
    """List regions of the map without a review, the large and growing first.

    Those whose last review is old follow. A paper is a review by its publication type, its venue's name, its title, or
    its abstract.
    """
    with showing(state), state.library() as library:
        found = library.gaps(level=level, year=year)[:shown]
    state.tell(lambda: {"gaps": encode.plain(found)}, lambda out: _gaps(out, found))


def _gaps(out: Printer, found: tuple[Gap, ...]) -> None:
    if not found:
        out.line("No paper of the map is of these years.")
    for gap in found:
        since = pluralize(gap.since, "paper")
        last = "without a review" if gap.last is None else f"{since} since the review of {gap.last}"
        grown = "" if gap.growth is None else f", grows {gap.growth:.1f} times as fast as all"
        told = f"  {pluralize(gap.papers, 'paper')}, {last}{grown}"
        out.line((f"{gap.region.id:>4}  ", "dim"), (one_line(gap.region.name), "title"), (told, "dim"))
        for paper in (gap.latest or gap.newest)[:2]:
            out.line(("      ", "dim"), one_line(f"{paper.title} ({paper.year or 'no year'}) {paper.id}"))


@verb("trends")
@click.argument("words", default="")
@click.option("--topic", type=int, metavar="N", help="Of a region of the map.")
@click.option("--author", default="", metavar="NAME", help="Of the papers by somebody.")
@only_years
def trends_verb(state: State, words: str, topic: int | None, author: str, year: Any) -> None:
    """Show how many papers have words by years, or are of a region or an author.

    Each year with their share of the library's papers, and its 95 % interval.
    """
    with showing(state), state.library() as library:
        found = library.trends(words, topic=topic, author=author, year=year)
    state.tell(lambda: encode.plain(found), lambda out: _trend(out, found))


def _trend(out: Printer, found: Trend) -> None:
    peak = f", the greatest share in {found.peak}" if found.peak else ""
    out.line((one_line(found.name), "title"), (f"  {pluralize(found.papers, 'paper')}{peak}", "dim"))
    top = max((one.share for one in found.years), default=0.0) or 1.0
    for one in found.years:
        bar = "█" * round(BAR * one.share / top)
        told = (
            f"  {one.share:.2%} ({one.low:.2%} to {one.high:.2%}), {one.papers} of {one.all}"
            if one.all
            else "  no papers"
        )
        out.line((f"{one.year}  ", "dim"), bar, (told if one.all else "  no papers", "dim"))


@verb("impact")
@click.argument("words")
@only_years
def impact_verb(state: State, words: str, year: Any) -> None:
    """Show how far words have spread over the regions of the map.

    Words are a facility, a method, a keyword: how many papers have them, since when, and in which regions.
    """
    with showing(state), state.library() as library:
        found = library.impact(words, year=year)
    state.tell(lambda: encode.plain(found), lambda out: _impact(out, found))


def _impact(out: Printer, found: Impact) -> None:
    since = f" since {found.first}" if found.first else ""
    told = f"  {pluralize(found.papers, 'paper')}{since}, {found.share:.1%} of the map"
    out.line((one_line(found.name), "title"), (told, "dim"))
    spread = (
        f"{found.spread:.1f} regions in effect ({found.low:.1f} to {found.high:.1f}); all papers: {found.possible:.1f}"
    )
    out.line(f"Spread over {spread}.")
    for one in found.regions:
        said = f"  {pluralize(one.papers, 'paper')}, {one.share:.1%} of the region"
        out.line((f"{one.region.id:>4}  ", "dim"), (one_line(one.region.name), "title"), (said, "dim"))
