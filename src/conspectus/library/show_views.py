"""How a paper, an answer or a figure looks in a terminal when it is shown alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from conspectus.core.groups import grouped
from conspectus.core.text import pluralize
from conspectus.curation.views import notes as show_notes
from conspectus.faces.describe import accounted, describe_count, describe_document, describe_place, under_title
from conspectus.faces.printer import Printer, one_line
from conspectus.figures import views as figure_views
from conspectus.library import answer_views
from conspectus.library.answer_views import Quotes
from conspectus.parse.text.blocks import hidden_notes
from conspectus.records import CitedWork, Paper, PaperDocument, ParsedPaper, Passage, describe_lacking
from conspectus.records.answer import SavedAnswer
from conspectus.records.figures import FigureView
from conspectus.records.results import PaperView
from conspectus.records.sources import INTERNAL
from conspectus.summaries.views import show_summaries
from conspectus.wire import encode

_OF_COUNT = ("counted", "counted_by")
_MOST_PLACES = 12
"""So many affiliations are shown on a page."""


def show(out: Printer, view: PaperView | SavedAnswer | FigureView, *, quotes: Quotes = False) -> None:
    """A paper, an answer or a figure with all that belongs to it."""
    if isinstance(view, SavedAnswer):
        answer_views.show(out, view, quotes=quotes)
    elif isinstance(view, FigureView):
        figure_views.show(out, view.card, picture=view.path or view.why)
    else:
        _show_paper(out, view)


def _show_paper(out: Printer, view: PaperView) -> None:
    _show_record(out, view)
    for version in view.versions:
        out.line(
            ("another version ", "dim"),
            one_line(f"{version.id}  {version.heading} ({version.doi or version.arxiv_id})"),
        )
    if view.notes:
        out.line()
        out.line(("Notes", "title"))
        show_notes(out, view.notes)
    if "passages" in view.parts:
        _show_passages(out, view.passages)
    if "summaries" in view.parts:
        show_summaries(out, view.summaries)
    if "references" in view.parts:
        _show_references(out, view.references)
    if "figures" in view.parts:
        _show_figures(out, view.parsed)


def _places(paper: Paper) -> Iterator[str]:
    """Where the authors work, each place with their names unless it is everybody's."""
    places = grouped((place, author.surname) for author in paper.authors for place in author.affiliations)
    for place, names in list(places.items())[:_MOST_PLACES]:
        yield place if len(names) == len(paper.authors) else f"{place} ({', '.join(names)})"
    if len(places) > _MOST_PLACES:
        yield f"… and {len(places) - _MOST_PLACES} more, in --json"


def _show_record(out: Printer, view: PaperView) -> None:
    paper, parsed, count = view.paper, view.parsed, len(view.passages)
    out.line((one_line(paper.heading), "title"))
    out.fold(", ".join(author.name for author in paper.authors))
    if subtitle := under_title(paper):
        out.line(one_line(subtitle))
    names = ("id", "external_id", "doi", "arxiv_id", "pmid", "bibcode", "date", "url")
    rows = [(name.replace("_", " "), getattr(paper, name)) for name in names]
    date, service = (str(paper.extra.get(name, "")) for name in _OF_COUNT)
    rows.append(("citations", describe_count(paper.citation_count, service, date)))
    rows.append(("status", paper.status_words))
    rows += [("affiliation", place) for place in _places(paper)]
    rows.append(("keywords", "; ".join(paper.keywords)))
    rows.append(("key phrases", "; ".join(paper.key_phrases)))
    rows += paper.facts.items()
    rows += [(name, "; ".join(getattr(paper, name))) for name in ("tags", "collections", "edited")]
    rows.append(("references", len(paper.references) or ""))
    kind = paper.extent
    rows.append(("text", f"{kind}, {pluralize(count, 'passage')}" if count else "no text: it cannot be searched"))
    rows += [("letters", accounted(parsed.accounts)), ("not searched", describe_lacking(parsed.accounts))]
    rows += [("hidden", note) for note in hidden_notes(parsed.hidden)]
    if view.summaries:
        models = ", ".join(dict.fromkeys(summary.model for summary in view.summaries))
        rows.append(("summary", f"{pluralize(len(view.summaries), 'passage')} by {models}"))
    if len(view.documents) == 1:
        rows += [("file", file.path) for file in paper.files]
    else:
        why = [_describe_reason(document) for document in view.documents]
        rows += [
            (f"document {document.number}", describe_document(document) + reason)
            for document, reason in zip(view.documents, why, strict=True)
        ]
    rows += [("found for", paper.extra["found_for"])] if paper.extra.get("found_for") else []
    rows += [(name, _in_line(value)) for name, value in paper.extra.items() if name not in INTERNAL]
    for name, value in rows:
        if value not in ("", None):
            out.line((f"{one_line(name):<15} ", "dim"), one_line(str(value)))
    if paper.abstract:
        out.line()
        out.fold(paper.abstract)


def _in_line(value: object) -> object:
    """What a source says besides, on one line: its lists and mappings without the signs of a program."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_in_line(part)}" for name, part in value.items() if part not in ("", None))
    if isinstance(value, list):
        return "; ".join(str(_in_line(part)) for part in value if part not in ("", None))
    return value


def _describe_reason(document: PaperDocument) -> str:
    """Why a document is of the paper, and which fields it gives."""
    reasons = [*document.why, f"gives {', '.join(document.gives)}" if document.gives else ""]
    return f" ({'; '.join(part for part in reasons if part)})" if any(reasons) else ""


def _show_passages(out: Printer, passages: Iterable[Passage]) -> None:
    for passage in passages:
        out.line()
        out.line((describe_place(passage), "title"), "  ", (passage.id, "dim"))
        for span in passage.spans:
            page = f"  p. {span.page}" if span.page else ""
            out.fold(span.text, indent=2)
            out.line((f"{span.id}{page}", "dim"), indent=4)


def _show_references(out: Printer, works: Iterable[CitedWork]) -> None:
    out.line()
    out.line(("References", "title"))
    for work in works:
        label = f"{work.reference.label} " if work.reference.label else ""
        out.fold(label + work.reference.text, indent=2)
        if work.paper_id:
            out.line((f"in the library: {work.paper_id} (by its {work.by.replace('_', ' ')})", "dim"), indent=4)


def _show_figures(out: Printer, parsed: ParsedPaper) -> None:
    for figure in parsed.figures:
        out.line()
        out.line((one_line(figure.label) or figure.kind.capitalize(), "title"))
        out.fold(encode.caption(parsed, figure), indent=2)
        figure_views.show_cells(out, figure.cells)
        for mention in encode.mentions(parsed, figure):
            page = f"p. {mention['page']}: " if mention["page"] else ""
            out.fold(f"{page}{mention['text']}", indent=4)
