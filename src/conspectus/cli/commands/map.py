"""`map`: where the library's texts stand, and the regions that they make."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conspectus.cli.app import VerbOfParts, verb
from conspectus.cli.options import only_years, stack
from conspectus.cli.polite import step_back
from conspectus.cli.showing import showing
from conspectus.cli.state import State
from conspectus.cli.typed import typed
from conspectus.core.characters import json_text
from conspectus.core.job_context import Notice
from conspectus.core.plural import pluralize
from conspectus.faces.printer import Printer, one_line
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.records.atlas import Atlas, Modes, Overlay, OverlayRegion, Region, RegionChange, RegionNames, Topic

MIDDLE = 1
WRITTEN, DRAWN = (".html", ".json"), (".png", ".svg", ".pdf")
_of = click.option("--of", type=click.Choice(["papers", "passages"]), default="papers", help="What is mapped (papers).")
_making = stack(
    _of,
    click.option("--method", type=click.Choice(["tsne", "umap", "pca"]), help="How texts are brought into the plane."),
    click.option("--regions", type=click.Choice(["kmeans", "published"]), help="How the regions are made."),
    click.option("--refit", is_flag=True, help="Fit it again, beginning where the texts stand."),
)


@verb("map", cls=VerbOfParts)
@_making
@click.option("--overlay", metavar="NAME", help="Show on it: year, density, citations, keyword:WORDS, query:WORDS …")
@click.option("--since", type=click.IntRange(1, 9999), metavar="YEAR", help="From then on, against before.")
@only_years
@click.option("--to", type=click.Path(path_type=Path), metavar="FILE", help="Write it: .html, .json, .png, .svg, .pdf.")
@click.option(
    "--terrain", type=click.Path(path_type=Path), metavar="FILE", help="Draw it as a land (A1): .png, .svg, .pdf."
)
def map_verb(
    state: State,
    to: Path | None,
    terrain: Path | None,
    overlay: str | None,
    since: int | None,
    year: Any,
    **chosen: Any,
) -> None:
    """Show the map of the library: which regions its papers, or their passages, make.

    It is fitted once and kept: papers that come later are put beside those that they are like, and nothing else moves.
    `map topics` lists the regions of one level, or what is in one; `map name` calls one otherwise.

    An overlay (NAME) is density, year, citations, reviews, outliers, vocabulary:NAME, keyword:WORDS, entity:ID,
    query:WORDS, answer:ID or author:NAME; it gives a value for each text, and is told by regions and by pictures.
    """
    if (since or year) and not overlay:
        raise click.UsageError("--since and --year are of an overlay. Give --overlay year, for instance.")
    for path, endings in ((to, (*WRITTEN, *DRAWN)), (terrain, DRAWN)):
        if path and path.suffix.lower() not in endings:
            raise click.UsageError(f"A map cannot be written as '{path.name}'. End it in {', '.join(endings)}.")
    step_back()
    with showing(state), state.library() as library:
        found = library.atlas(**chosen)
        shown = library.overlay(overlay, of=found.of, since=since, year=year) if overlay else None
        for path in filter(None, (to, terrain)):
            if path.suffix.lower() in DRAWN:
                land = path is terrain
                library.draw_map(path, of=found.of, terrain=land, overlay=overlay or "", since=since, year=year)
            elif note := _write(path, found, shown, library.folder.name):
                state.note(Notice(note))

    def say(out: Printer) -> None:
        if shown is None:
            _told(out, found)
        else:
            tell_overlay(out, shown)
        for path in filter(None, (to, terrain)):
            out.line(f"Wrote {one_line(str(path))}")

    state.tell(lambda: _body(found, shown), say)


def _body(found: Atlas, shown: Overlay | None, *, points: bool = False) -> dict[str, Any]:
    told = encode.atlas(found, points=points)
    return told if shown is None else {**told, "overlay": encode.body(shown)}


def _write(path: Path, found: Atlas, shown: Overlay | None, name: str) -> str:
    """Write the map; returns what is to be told of that."""
    from conspectus.core.output import writing_to
    from conspectus.wire.map_file import STILL, is_still, map_file

    is_page = path.suffix.lower() == ".html"
    if is_page:
        text = map_file(found, name, shown)
    else:
        text = json_text({"schema": "conspectus.map.show/1", **_body(found, shown, points=True)})
    with writing_to(path) as stream:
        stream.write(text)
    return STILL if is_page and is_still() else ""


def _told(out: Printer, found: Atlas) -> None:
    fitted = "" if found.fitted >= len(found) else f", fitted to {found.fitted} of them"
    out.line((pluralize(len(found), found.of[:-1]), "title"), (f"  by {found.method}{fitted} · {found.made}", "dim"))
    if found.moved is not None:
        out.line((f"Fitted again, they moved by {found.moved:.1%} of its width in the median.", "dim"))
    for change in found.changes:
        out.line((one_line(_change(change)), "dim"))
    _regions(out, found.at(MIDDLE), found.of)
    if found.left_out:
        out.line(f"{pluralize(found.left_out, 'paper')} without text that was embedded: not on it.")
    for note in found.notes:
        out.fold(typed(note))


def _change(change: RegionChange) -> str:
    one, other = ", ".join(map(repr, change.before)), ", ".join(map(repr, change.after))
    told = {"split": f"{one} became {other}", "merged": f"{one} became {other}", "new": f"{other} is new"}
    return told.get(change.kind, f"{one} is gone") + "."


def _regions(out: Printer, regions: tuple[Region, ...], of: str) -> None:
    for region in regions:
        out.line(
            (f"{region.id:>4}  ", "dim"),
            (one_line(region.name), "title"),
            (f"  {pluralize(region.size, of[:-1])} · {one_line(', '.join(region.terms))}", "dim"),
        )


@verb("topics")
@_of
@click.argument("region", type=int, required=False)
@click.option("--level", type=click.IntRange(0, 2), default=MIDDLE, show_default=True, help="0: the largest regions.")
@only_years
def topics_verb(state: State, of: str, region: int | None, level: int, year: Any) -> None:
    """List the regions of the map, or those within one, with its papers.

    REGION is a number, as the list has it.
    """
    with showing(state), state.library() as library:
        told = library.topics(region, of=of, level=level, year=year)  # type: ignore[arg-type]
    state.tell(lambda: {"topics": encode.plain(told)}, lambda out: _topics(out, told, whole=region is not None))


def _topics(out: Printer, topics: tuple[Topic, ...], *, whole: bool) -> None:
    for one in topics:
        region = one.region
        told = f"  {pluralize(one.papers, 'paper')}{_growth(one)} · {one_line(', '.join(region.terms))}"
        out.line((f"{region.id:>4}  ", "dim"), (one_line(region.name), "title"), (told, "dim"))
        for head, papers in (("typical", one.typical), ("newest", one.newest)) if whole else ():
            for paper in papers:
                out.line((f"{head:>10}  ", "dim"), one_line(f"{paper.title} ({paper.year or 'no year'}) {paper.id}"))


def _growth(one: Topic) -> str:
    return "" if one.growth is None else f", grows {one.growth:.1f} times as fast as all"


@verb("name")
@click.argument("region", type=int, required=False)
@click.argument("name", default="")
@click.option("--by", type=click.Choice(["phrases", "vocabulary", "model"]), help="Name all regions: how.")
@_of
@click.option("--vocabulary", default="", metavar="NAME", help="Whose concepts (all).")
@click.option("--language", default="", metavar="NAME", help="That a model's names are in (English).")
@click.option("--model", default="", metavar="MODEL", help="Instead of the one of the settings.")
def name_verb(state: State, region: int | None, name: str, by: str | None, **chosen: Any) -> None:
    """Call a region of the map NAME, also when the map is fitted again; without NAME: as it was called before.

    With --by all regions are named, but for those that a user named: after their key phrases, after the concepts of
    a vocabulary that cover them (`graph link` finds these), or as a language model calls them, in any language.
    """
    if (region is None) == (by is None):
        raise click.UsageError("Give the number of a region, or --by.")
    with showing(state), state.library() as library:
        if by is not None:
            made = library.name_regions(by, **chosen)  # type: ignore[arg-type]
            state.tell(lambda: encode.plain(made), lambda out: _names(out, made, chosen["of"]))
        elif region is not None:
            found = library.name_region(region, name)
            state.tell(
                lambda: {"region": encode.plain(found)}, lambda out: out.line(one_line(f"{found.id}: {found.name}"))
            )


def _names(out: Printer, made: RegionNames, of: str) -> None:
    _regions(out, tuple(one for one in made.regions if one.level == MIDDLE), of)
    for note in made.notes:
        out.fold(typed(note))


map_verb.commands |= {"topics": topics_verb, "name": name_verb}  # type: ignore[attr-defined]


KINDS = {"one": "They stand in one place", "two": "They stand in two places", "spread": "They are spread over the map"}


def tell_overlay(out: Printer, found: Overlay) -> None:
    """What is shown, and what that is in each region, those with the greatest values first."""
    since = f", since {found.since}" if found.since is not None else ""
    out.line((one_line(f"{found.name}{since}"), "title"), (f"  {one_line(found.legend.meaning)}", "dim"))
    texts = sum(value == value for value in found.values.tolist())  # noqa: PLR0124 - NaN
    is_range = found.kind == "number" and found.legend.low is not None
    ends = f", from {found.legend.low:.4g} to {found.legend.high:.4g}" if is_range else ""
    out.line(f"{texts} of {pluralize(len(found), found.of[:-1])}{ends}")
    if found.modes:
        _modes(out, found.modes, found)
    for step in found.path:
        out.line((f"{step.year}  ", "title"), f"{pluralize(step.papers, 'paper')} at {step.x:.1f}, {step.y:.1f}")
    rows = [row for row in found.regions if row.level == MIDDLE]
    for row in sorted(rows, key=lambda row: -(row.value if row.value is not None else float("-inf"))):
        told = f"  {_value(found, row)} · {pluralize(row.texts, found.of[:-1])}"
        out.line((f"{row.id:>4}  ", "dim"), (one_line(row.name), "title"), (told, "dim"))
    for note in found.notes:
        out.fold(typed(note))


def _modes(out: Printer, told: Modes, found: Overlay) -> None:
    names = {row.id: row.name for row in found.regions}
    places = "; ".join(f"{group.texts} about {names.get(group.region, '')}" for group in told.groups)
    out.line(one_line(f"{KINDS[told.kind]}{': ' if places else ''}{places}."))


def _value(found: Overlay, row: OverlayRegion) -> str:
    if row.value is None:
        return "none"
    if found.since is not None and row.before is not None and row.after is not None:
        return f"{row.value:+.1%} ({row.before:.1%} before, {row.after:.1%} after)"
    if found.kind == "number":
        return f"{row.value:.4g} {found.legend.unit}".rstrip()
    return one_line(f"{row.value:.1%} {row.category}".strip())
