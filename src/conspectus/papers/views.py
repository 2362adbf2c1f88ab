"""How papers look in a terminal: lists, hits with their snippets, counts, changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

from conspectus.core.text import pluralize
from conspectus.faces.declare import Option
from conspectus.faces.describe import Mark, describe_document, describe_place, marker, snippet, under_title
from conspectus.faces.printer import Printer, one_line
from conspectus.models.languages.model_titles import list_titles

if TYPE_CHECKING:
    from conspectus.records import Hit, LedgerRow, Paper, Routing, SearchResult, Suggestion, WordCount
    from conspectus.records.curation import EditedPaper, RemovedPapers, SplitPaper
    from conspectus.records.results import FormattedReference


def papers(out: Printer, papers: Iterable[Paper]) -> None:
    """A line a paper: a table on a terminal, tab-separated elsewhere."""
    for paper in papers:
        year, kind = str(paper.year or ""), paper.extent
        if out.width is None:
            out.row([one_line(part) for part in (paper.id, year, paper.byline, paper.heading, kind)])
            continue
        room = max(out.width - 50, 20)
        byline, title = _fit(paper.byline, 22), _fit(paper.heading, room)
        out.line((_fit(paper.id, 11), "dim"), f"{year:>4}  ", byline, " ", (title, "title"), " ", (kind, "dim"))


def cite(out: Printer, references: Iterable[FormattedReference]) -> None:
    """The references, each in a paragraph; in a terminal with the marks by which a text cites them."""
    for at, reference in enumerate(references):
        if at:
            out.line()
        out.line(reference.text)
        if out.width is not None:
            out.line((f"  cited as {reference.mark}", "dim"))


def _fit(text: str, cells: int) -> str:
    from rich.cells import cell_len, set_cell_size

    text = one_line(text)
    return set_cell_size(text, cells) if cell_len(text) <= cells else set_cell_size(text, cells - 1) + "…"


def remove(out: Printer, done: RemovedPapers) -> None:
    """A line a paper."""
    for paper in done.removed:
        out.line(f"Removed {paper.id}  {one_line(paper.heading)}")
    if not done.removed:
        out.line("Nothing was removed.")


def forget(out: Printer, rows: Sequence[LedgerRow]) -> None:
    """A line a file."""
    for row in rows:
        out.line(f"Forgot {row.path}")


def split(out: Printer, papers: Sequence[SplitPaper]) -> None:
    """The papers, each with its documents."""
    for split_paper in papers:
        out.line(f"{split_paper.paper.id}  {one_line(split_paper.paper.heading)}")
        for document in split_paper.documents:
            out.line((one_line(describe_document(document)), "dim"), indent=4)


def edit_fields(out: Printer, edited: EditedPaper) -> None:
    """A line a field that was edited."""
    for edit in edited.edits:
        original = one_line(str(edit.files_say if edit.files_say is not None else ""))
        value = one_line(str(edit.value if edit.value is not None else ""))
        out.row(
            (edit.field, value, original),
            (f"{edit.field:<15} ", "dim"),
            value,
            (f"  (files say: {original or 'nothing'})", "dim"),
        )
    if not edited.edits:
        out.empty("All is as its files say.")


Explain = Annotated[bool, Option("Show the scores and their parts, the ids of sentences, and the search method.")]
INDENT = 5


def search(out: Printer, result: SearchResult, *, explain: Explain = False, auto: bool = False) -> None:
    """The hits with the words of the query marked, and the settings that suit the question."""
    _show_hits(out, result, explain, marker(result.words))
    if result.routing:
        _suggest(out, result.routing, applied=auto)
    _show_method(out, result, explain)


def similar(out: Printer, result: SearchResult, *, explain: Explain = False) -> None:
    """The nearest papers."""
    _show_hits(out, result, explain, None)
    _show_method(out, result, explain)


def _show_hits(out: Printer, result: SearchResult, explain: bool, mark: Mark | None) -> None:
    for hit in result.hits:
        _show_hit(out, hit, result.words, explain, mark)
    if result.note or not result.hits:
        out.line(out.remedy(result.note) or "Nothing was found.")
    if result.conditions:
        out.line((f"only: {one_line(result.conditions)}", "dim"))
    for text in result.expansions:
        out.line(("Written by a model to search by; no paper says this:", "dim"))
        out.fold(one_line(text), INDENT, None)


def _show_method(out: Printer, result: SearchResult, explain: bool) -> None:
    how = (result.method, ", ".join(result.models)) if explain else ()
    parts = (pluralize(len(result.hits), "paper"), *how, f"{result.took:.2f} s")
    out.line((" · ".join(part for part in parts if part), "dim"))


def _suggest(out: Printer, routing: Routing, *, applied: bool) -> None:
    """Which settings suit a question, or what it was taken for; of some words nothing is said."""
    if applied:
        suffix = f"; {len(routing.parts)} sub-questions apart:" if routing.parts else ""
        out.line((f"taken for: {routing.kind} question{suffix}", "dim"))
        for part in routing.parts:
            out.line((one_line(part), "dim"), indent=INDENT)
        return
    suggestion = routing.suggested
    if suggestion is None or not routing.question.rstrip().endswith("?"):
        return
    weights = [name for name in ("keywords", "recency", "citations") if getattr(suggestion, name)]
    parts = [f"{suggestion.k[0]}–{suggestion.k[1]} papers", *([f"weights {', '.join(weights)}"] if weights else [])]
    parts += ["a hypothetical abstract"] if suggestion.expand else []
    parts += [f"{len(routing.parts)} sub-questions apart"] if routing.parts else []
    out.line((f"{routing.kind} question: suggested: {' · '.join(parts)} (--auto)", "dim"))


def count(out: Printer, word_count: WordCount) -> None:
    """How many papers have the words, and each of them."""
    out.line((str(word_count.papers), "title"), f" {'paper' if word_count.papers == 1 else 'papers'}")
    if len(word_count.words) > 1:
        for word, papers in word_count.words.items():
            out.line(f"{papers:>9}  {one_line(word)}")
    if word_count.note:
        out.line(out.remedy(word_count.note))
    if word_count.conditions:
        suffix = "" if word_count.words else f" · {pluralize(word_count.passages, 'passage')}"
        out.line((f"only: {one_line(word_count.conditions)}{suffix}", "dim"))
    if word_count.words:
        out.line((f"all the words in one passage · {pluralize(word_count.passages, 'passage')}", "dim"))


def _show_hit(out: Printer, hit: Hit, query: str, explain: bool, mark: Mark | None) -> None:
    part = snippet(hit.passage, query)
    title = one_line(hit.paper.heading)
    out.line(f"{hit.rank:>3}  ", (title, "title"))
    if line := under_title(hit.paper):
        out.line(one_line(line), indent=INDENT)
    if hit.outlying and hit.outlying.outlier:
        out.line(
            (f"far from the others found: {hit.outlying.distance:.2f}, cut {hit.outlying.cut:.2f}", "bad"),
            indent=INDENT,
        )
    place = describe_place(hit.passage, part.span)
    if hit.summary:
        place = f"Summary by {list_titles(hit.summary.model)}" + (f" of: {place}" if hit.passage.section else "")
    out.line((one_line(place), "dim"), indent=INDENT)
    if part.span.text != hit.paper.title:
        out.fold(part.text, INDENT, mark)
    if explain:
        factors = "  ".join(f"{name} {value:.3g}" for name, value in hit.factors.items())
        names = hit.summary.links[hit.passage.spans.index(part.span)] if hit.summary else (part.span.id,)
        for line in (f"score {hit.score:.2f}: {factors}", *names):
            out.line((line, "dim"), indent=INDENT)
    out.line()


def route(out: Printer, routing: Routing) -> None:
    """The kind of a question, the reasons, and the settings that suit it."""
    out.line((routing.kind, "title"), *(f" · {flag}" for flag in routing.flags))
    for reason in routing.reasons:
        out.fold(one_line(reason), 2)
    if routing.suggested is None:
        out.line("Nothing is suggested: the settings stay as they are.")
    else:
        _show_suggestion(out, routing.suggested)
    if routing.parts:
        out.line("Sub-questions:")
    for part in routing.parts:
        out.fold(f"- {one_line(part)}", 2)
    out.line((f"by {one_line(routing.by)}", "dim"))
    if routing.note:
        out.fold(one_line(out.remedy(routing.note)))


def _show_suggestion(out: Printer, suggestion: Suggestion) -> None:
    low, high = suggestion.k
    out.line(f"Suggested: {low} to {high} papers")
    for name, on in (
        ("keywords weigh", suggestion.keywords),
        ("recent papers weigh more", suggestion.recency),
        ("papers cited much weigh more", suggestion.citations),
        ("search by a hypothetical answer, too", suggestion.expand),
        ("rank again with a better model", suggestion.rerank),
        ("let a model choose the steps", suggestion.agent),
    ):
        out.line(f"{'on ' if on else 'off'}  {name}", indent=2)
