"""`summarise`."""

from __future__ import annotations

from typing import Any

import click

from conspectus.cli.app import verb
from conspectus.cli.commands.papers import show_summaries
from conspectus.cli.polite import step_back
from conspectus.cli.progress_display import showing
from conspectus.cli.remedies import typed
from conspectus.cli.state import State
from conspectus.cli.verb_commands import limit_run, options_of, take_options
from conspectus.core.plural import pluralize
from conspectus.faces.describe import spent
from conspectus.faces.filters import make_budget, make_filters
from conspectus.faces.printer import Printer, one_line
from conspectus.records import SummariseReport
from conspectus.wire import encode


@verb("summarise")
@click.argument("papers", nargs=-1, metavar="[PAPER…]")
@options_of(make_filters)
@click.option(
    "--model", default="", metavar="NAME", help="The language model (default: the setting language.summarise)."
)
@click.option("--again", is_flag=True, help="Also redo existing summaries, without reusing earlier replies.")
@click.option("--abstracts", is_flag=True, help="Also papers with only an abstract.")
@options_of(make_budget)
def summarise_verb(
    state: State,
    /,
    papers: tuple[str, ...],
    model: str,
    again: bool,
    abstracts: bool,
    **chosen: Any,
) -> int:
    """Have a language model summarise papers, so that search can use the summaries.

    Summarises the named papers, those that pass the filters, or all with full text; skips papers that already have
    summaries. Each sentence of a summary leads to the sentences of the paper that support it, and these are what
    answers cite. Search with --use summary or --use both. Run the same command again to continue after an
    interruption.
    """
    filters = take_options(make_filters, chosen)
    limit_run(state, chosen)
    step_back()
    with showing(state), state.library() as library:
        report = library.summarise(papers, filters, model=model, again=again, abstracts=abstracts)
        titles = {name: library.paper(name).heading for name in (*report.failed, *report.summarised)}
        made = {name: library.summaries(name) for name in report.summarised}

    def show(out: Printer) -> None:
        for name, summaries in made.items():
            out.line((name, "dim"), "  ", (one_line(titles[name]), "title"))
            show_summaries(out, summaries)
            out.line()
        _print_report(out, report, titles, abstracts)

    state.tell(lambda: encode.summarise_report(report, made), show)
    return int(bool(report.failed or report.stopped))


def _print_report(out: Printer, report: SummariseReport, titles: dict[str, str], abstracts: bool) -> None:
    for name, reason in report.failed.items():
        out.line((name, "bad"), f": {titles[name]}")
        out.fold(reason, indent=4)
    for note in (*report.notes, report.stopped):
        out.fold(typed(note))
    made = pluralize(sum(report.summarised.values()), "passage")
    parts = [f"{pluralize(len(report.summarised), 'paper')} summarised ({made})", f"{len(report.failed)} failed"]
    parts += [f"{report.already} had summaries"] if report.already else []
    if report.short:
        parts.append(f"{report.short} have too little text{'' if abstracts else ' (--abstracts takes abstracts)'}")
    parts += [f"{report.left} are left"] if report.left else []
    out.line(", ".join(parts) + ".")
    if report.usage.calls:
        out.line((spent(report.model, report.usage), "dim"))
