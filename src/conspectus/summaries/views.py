"""How summaries look in a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from conspectus.core.text import pluralize
from conspectus.faces.describe import spent
from conspectus.faces.printer import Printer, one_line
from conspectus.records import SummariseReport, Summary


def summarise(out: Printer, report: SummariseReport, *, abstracts: bool = False) -> None:
    """The new summaries, what failed, and how many of each there are."""
    for name, summaries in report.summaries.items():
        out.line((name, "dim"), "  ", (one_line(report.titles[name]), "title"))
        show_summaries(out, summaries)
        out.line()
    for name, reason in report.failed.items():
        out.line((name, "bad"), f": {report.titles.get(name, '')}")
        out.fold(reason, indent=4)
    for note in (*report.notes, report.stopped):
        out.fold(out.remedy(note))
    passages = pluralize(sum(report.summarised.values()), "passage")
    parts = [f"{pluralize(len(report.summarised), 'paper')} summarised ({passages})", f"{len(report.failed)} failed"]
    parts += [f"{report.already} had summaries"] if report.already else []
    if report.short:
        parts.append(f"{report.short} have too little text{'' if abstracts else ' (--abstracts takes abstracts)'}")
    parts += [f"{report.left} are left"] if report.left else []
    out.line(", ".join(parts) + ".")
    if report.usage.calls:
        out.line((spent(report.model, report.usage), "dim"))


def show_summaries(out: Printer, summaries: Iterable[Summary]) -> None:
    """What a model wrote, each sentence with the ids of the paper's own that carry it."""
    from conspectus.models.languages.model_titles import list_titles

    for summary in summaries:
        out.line()
        out.line(
            (
                one_line(f"Summary by {list_titles(summary.model)}, {summary.made[:10]}: {summary.passage.section}"),
                "title",
            )
        )
        for span, sources in zip(summary.passage.spans, summary.links, strict=True):
            out.fold(span.text)
            out.line((" ".join(sources), "dim"), indent=4)
