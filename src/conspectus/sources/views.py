"""How papers found online, kept searches and services look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conspectus.core.text import pluralize
from conspectus.faces.describe import describe_count
from conspectus.faces.printer import one_line
from conspectus.services.identifiers import identifiers_of

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.sources import (
        CitationGraph,
        CitationNode,
        EnrichReport,
        FoundWork,
        KeptSearch,
        OnlineResults,
        ServiceReport,
        ServiceState,
    )


def find(out: Printer, results: OnlineResults) -> None:
    """The works, best first, and what went wrong."""
    if out.width is not None and any(service.some_words for service in results.services):
        out.line("No paper has all of your words; these have some of them.")
    for work in results.results:
        _work(out, work)
    if not results.results:
        silent = results.services and len(results.failed) == len(results.services)
        out.empty("No service answered." if silent else "Nothing was found.")
    _services(out, results.services)
    _unread(out, results.unread)
    if results.added is not None:
        out.line(f"{pluralize(results.added, 'paper')} added.")
    elif results.results and out.width is not None:
        out.line(("Add them with --add, or some: conspectus add IDENTIFIER…", "dim"))


news = find


def _work(out: Printer, work: FoundWork) -> None:
    paper = work.paper
    title = one_line(paper.title) or "(no title)"
    marks = [
        "retracted" if work.retracted else "",
        "open" if work.open_access else "",
        f"in the library ({work.in_library})" if work.in_library else "",
    ]
    name = next(map(str, identifiers_of(paper)), "")
    about = [paper.byline, str(paper.year or ""), paper.venue, name, ", ".join(work.services), *marks]
    cells = (str(work.rank), name, str(paper.year or ""), paper.byline, title)
    out.row(cells, f"{work.rank:>3}  ", (title, "title"))
    if out.width is not None:
        out.line((" · ".join(one_line(text) for text in about if text), "dim"), indent=5)


def _services(out: Printer, services: tuple[ServiceReport, ...]) -> None:
    for service in services:
        total = f" of about {service.total:,}" if service.total is not None and service.total > service.found else ""
        cost = f", ${service.cost:.4f}" if service.cost else ""
        requests = pluralize(service.requests, "request")
        if out.width is not None:
            partly = ", with some of the words only" if service.some_words else ""
            out.line((f"{service.name}: {pluralize(service.found, 'work')}{total}{partly} ({requests}{cost})", "dim"))
        if service.note:
            out.fold(service.note, indent=2)


def _unread(out: Printer, unread: Sequence[str]) -> None:
    if unread:
        out.line(f"No full text of {pluralize(len(unread), 'paper')}:")
        for text in unread:
            out.fold(one_line(text), indent=2)


def enrich(out: Printer, report: EnrichReport) -> None:
    """For how many papers each field is new or changed."""
    for name, papers in report.fields.items():
        out.row((name, str(papers)), f"{name.replace('_', ' '):<20} {pluralize(papers, 'paper')}")
    _services(out, report.services)
    _unread(out, report.unread)
    unknown = f"; nobody knew {len(report.unknown)}" if report.unknown else ""
    out.line(f"{report.known} of {pluralize(report.papers, 'paper')} were looked up{unknown}.")


_RELATIONS = {"seed": "Seeds", "earlier": "Earlier work", "later": "Later work", "near": "Near by citations"}


def graph(out: Printer, citation_graph: CitationGraph) -> None:
    """The works by what they are to the seeds, in each part the most connected first."""
    for relation, title in _RELATIONS.items():
        works = [node for node in citation_graph.nodes if node.relation == relation]
        if works and out.width is not None:
            out.line((title, "title"))
        for work in sorted(works, key=lambda node: -node.links):
            _graph_node(out, work)
    _services(out, citation_graph.services)
    if citation_graph.left_out and out.width is not None:
        out.line((f"{pluralize(citation_graph.left_out, 'further work')} not shown; -k shows more.", "dim"))
    if (
        len(citation_graph.nodes) == sum(node.relation == "seed" for node in citation_graph.nodes)
        and out.width is not None
    ):
        out.line("Nothing around them is known: conspectus sources graph PAPER… --online")


def _graph_node(out: Printer, node: CitationNode) -> None:
    year, title = str(node.year or ""), one_line(node.title) or node.id
    cells = (node.relation, node.id, year, one_line(node.byline), one_line(node.title), str(node.links))
    out.row(cells, f"{year:>6}  ", (title, "title" if node.in_library else ""))
    if out.width is not None:
        absence = "" if node.in_library else "not in the library"
        counted = describe_count(node.citation_count, node.counted_by, node.counted)
        about = [node.byline, node.id if node.title else "", pluralize(node.links, "link"), counted, absence]
        out.line((" · ".join(one_line(text) for text in about if text), "dim"), indent=8)


def followed(out: Printer, searches: Sequence[KeptSearch]) -> None:
    """A line a kept search."""
    for search in searches:
        cells = (search.name, search.query, ",".join(search.services), search.asked, str(search.known))
        about = f"{', '.join(search.services)} · {pluralize(search.known, 'work')} known · asked {search.asked[:10]}"
        query = "" if search.query == search.name else f"  {one_line(search.query)}"
        out.row(cells, (one_line(search.name), "title"), query, (f"  {about}", "dim"))
    if not searches:
        out.empty("There is none yet: conspectus sources follow WORDS")


def follow(out: Printer, search: KeptSearch) -> None:
    """That a search is kept."""
    known = f"{pluralize(search.known, 'work')} {'is' if search.known == 1 else 'are'} already known"
    out.line(f"Kept the search '{one_line(search.name)}'; {known}.")
    out.line("conspectus sources news shows what is new.")


def unfollow(out: Printer, search: KeptSearch) -> None:
    """That a search is forgotten."""
    out.line(f"Forgot the search '{one_line(search.name)}'.")


def list(out: Printer, services: Sequence[ServiceState]) -> None:
    """A service with its limits in two lines."""
    for service in services:
        key = f"needs {service.missing}" if service.missing else "has a key" if service.has_key else "no key needed"
        out.row(
            (service.name, service.address, key, service.limit),
            (f"{service.name:<16}", "title"),
            f"{service.title} · {service.address}",
        )
        if out.width is not None:
            left = f" · ${service.budget_left:.2f} left today" if service.budget_left is not None else ""
            last = f" · {service.last}" if service.last else ""
            today = f" · {pluralize(service.requests_today, 'request')} today" if service.requests_today else ""
            out.line((f"{key} · {service.limit}{left}{today}{last}", "dim"), indent=16)
            out.line((f"finds by {', '.join(service.finds) or 'identifier only'}", "dim"), indent=16)
