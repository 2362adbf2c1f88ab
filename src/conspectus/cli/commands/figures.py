"""`figures`."""

from __future__ import annotations

from typing import Any

import click

from conspectus.cli.app import verb
from conspectus.cli.options import count_option, filter_options, filters_of
from conspectus.cli.printer import Printer, one_line
from conspectus.cli.snippet import marker
from conspectus.cli.state import State
from conspectus.cli.typed import typed
from conspectus.records import FigureHit, FigureKind, FigureResult
from conspectus.wire import encode

INDENT = 10


@verb("figures")
@click.argument("query", nargs=-1, metavar="WORDS…")
@count_option
@click.option("--only", type=click.Choice(["figure", "table"]), help="Figures only, or tables.")
@filter_options(kinds=False)
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@click.option("--plain", is_flag=True, help='Take all signs of the query ("", -, AND, author: …) for text.')
def figures_verb(
    state: State,
    /,
    query: tuple[str, ...],
    k: int | None,
    only: FigureKind | None,
    explain: bool,
    plain: bool,
    **chosen: Any,
) -> None:
    """Find the figures and tables that fit words best, by captions and by what the text says of them.

    Without WORDS those of the newest papers. WORDS may have signs, as for `search`. Under each is the id with which
    `conspectus open` cuts its picture from the page.
    """
    words, kinds = " ".join(query), (only,) if only else ()
    with state.library() as library:
        found = library.figures(words, k, filters_of(chosen), kinds=kinds, plain=plain)
    state.tell(lambda: encode.figure_result(found), lambda out: _say(out, found, explain))


def _say(out: Printer, found: FigureResult, explain: bool) -> None:
    mark = marker(found.query)
    for hit in found.hits:
        _hit(out, hit, explain)
        out.fold(hit.figure.caption, INDENT, mark)
        out.line((hit.figure.id, "dim"), indent=INDENT)
        out.line()
    if found.note:
        out.line(typed(found.note))
    number = f"{len(found.hits)} of figures and tables" if found.hits else ""
    out.line((" · ".join(filter(None, (number, found.method, *found.models, f"{found.took:.2f} s"))), "dim"))


def _hit(out: Printer, hit: FigureHit, explain: bool) -> None:
    figure, paper = hit.figure, hit.figure.paper
    page = f"p. {figure.page}" if figure.page else ""
    name = figure.label or figure.kind.capitalize()
    out.line(f"{hit.rank:>3}  {hit.score:.2f} ", (one_line(name), "title"), f" · {one_line(paper.heading)}")
    said = (paper.byline, str(paper.year or ""), page)
    out.line(one_line(" · ".join(filter(None, said))), indent=INDENT)
    if explain and hit.factors:
        out.line(("  ".join(f"{name} {value:.3g}" for name, value in hit.factors.items()), "dim"), indent=INDENT)
