"""`figures`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from conspectus.cli.app import verb
from conspectus.cli.options import filter_options, filters_of
from conspectus.cli.showing import showing
from conspectus.cli.state import State
from conspectus.cli.typed import typed
from conspectus.core.errors import UsageError
from conspectus.core.plural import pluralize
from conspectus.faces.printer import Printer, one_line
from conspectus.faces.snippet import marker
from conspectus.records import FigureHit, FigureResult, Filters, Measure
from conspectus.records.figures import KINDS, MOST, crop_of
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.library import Library

INDENT = 10


@verb("figures")
@click.argument("query", nargs=-1, metavar="WORDS…")
@click.option(
    "-k", "--k", type=click.IntRange(1, MOST), metavar="N", help="How many figures (else the setting search.k)."
)
@click.option("--image", type=click.Path(path_type=Path), metavar="FILE", help="Those that are like a picture.")
@click.option("--like", default="", metavar="FIGURE", help="Those that are like a figure of the library, by its id.")
@click.option("--crop", default="", metavar="X,Y,W,H", help="Of that picture a part: in pixels, or all at most 1.")
@click.option("--measure", type=click.Choice(get_args(Measure)), help="How near pictures are (else cosine).")
@click.option("--only", type=click.Choice(KINDS), help="What is called so, or looks so.")
@filter_options(kinds=False)
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@click.option("--plain", is_flag=True, help='Take all signs of the query ("", -, AND, author: …) for text.')
def figures_verb(
    state: State,
    /,
    query: tuple[str, ...],
    k: int | None,
    explain: bool,
    **chosen: Any,
) -> None:
    """Find figures and tables by their captions and by the text that mentions them.

    Without WORDS those of the newest papers. WORDS may have signs, as for `search`. Under each is the id with which
    `conspectus open` cuts its picture from the page. With --image or --like those that look alike, panels too; the
    first time all figures of the library are looked at for it.
    """
    sought = {name: chosen.pop(name) for name in ("image", "like", "crop", "measure", "only", "plain")}
    with showing(state), state.library() as library:
        found = _found(library, " ".join(query), k, filters_of(chosen), sought)
    state.tell(lambda: encode.body(found), lambda out: _say(out, found, explain))


def _found(library: Library, words: str, k: int | None, filters: Filters, sought: dict[str, Any]) -> FigureResult:
    crop = crop_of(sought["crop"])
    kinds, like = (sought["only"],) if sought["only"] else (), sought["image"] or sought["like"]
    if bool(words) + bool(sought["image"]) + bool(sought["like"]) > 1:
        raise UsageError("Figures are found by words, by --image, or by --like.", "Give one of them.")
    if sought["like"] and Path(sought["like"]).is_file():
        raise UsageError(f"'{sought['like']}' is a file, and no figure of the library.", "Give it with --image.")
    if not like:
        if crop or sought["measure"]:
            raise UsageError(
                "--crop and --measure are of a picture, and none is given.", "Give --image or --like, too."
            )
        return library.figures(words, k, filters, kinds=kinds, plain=sought["plain"])
    return library.figures_like(like, k, filters, crop=crop, measure=sought["measure"] or "cosine", kinds=kinds)


def _say(out: Printer, found: FigureResult, explain: bool) -> None:
    mark = marker(found.query)
    for hit in found.hits:
        _hit(out, hit, explain)
        out.fold(hit.figure.caption, INDENT, mark)
        out.line((hit.figure.id, "dim"), indent=INDENT)
        out.line()
    if found.note:
        out.line(typed(found.note))
    number = pluralize(len(found.hits), "figure or table", "figures and tables") if found.hits else ""
    out.line((" · ".join(filter(None, (number, found.method, *found.models, f"{found.took:.2f} s"))), "dim"))


def _hit(out: Printer, hit: FigureHit, explain: bool) -> None:
    figure, paper = hit.figure, hit.figure.paper
    page = f"p. {figure.page}" if figure.page else ""
    name = (figure.label or figure.kind.capitalize()) + _panel(hit)
    out.line(f"{hit.rank:>3}  {hit.score:.2f} ", (one_line(name), "title"), f" · {one_line(paper.heading)}")
    said = (paper.byline, str(paper.year or ""), page, figure.shows)
    out.line(one_line(" · ".join(filter(None, said))), indent=INDENT)
    if explain and hit.factors:
        out.line(("  ".join(f"{name} {value:.3g}" for name, value in hit.factors.items()), "dim"), indent=INDENT)


def _panel(hit: FigureHit) -> str:
    """Which panel it is, if it is one."""
    return f" ({hit.panel.label or 'a panel'})" if hit.panel else ""
