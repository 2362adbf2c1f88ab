"""`show`, `remove`, which asks before it removes, and `audit`, which reads a file or standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import click

from conspectus.cli.app import verb
from conspectus.cli.commands.open import FIGURE
from conspectus.cli.options import quotes_option, read_input
from conspectus.cli.state import State
from conspectus.cli.verb_commands import run_verb
from conspectus.core.disk import user_path
from conspectus.core.errors import ConspectusError, InputError
from conspectus.core.groups import grouped
from conspectus.core.text import pluralize
from conspectus.curation.views import notes as show_notes
from conspectus.faces.declare import Option, Verb
from conspectus.faces.describe import accounted, describe_count, describe_document, describe_place, under_title
from conspectus.faces.printer import Printer, is_terminal, one_line
from conspectus.figures.views import show, show_cells
from conspectus.parse.text.blocks import hidden_notes
from conspectus.records import (
    CitedWork,
    Paper,
    PaperDocument,
    ParsedPaper,
    Passage,
    Summary,
    describe_lacking,
    names_answer,
)
from conspectus.records.sources import INTERNAL
from conspectus.summaries.views import show_summaries
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.library import Library


def run_remove(
    state: State,
    verb: Verb,
    values: dict[str, Any],
    *,
    yes: Annotated[bool, Option("Do not ask for confirmation.")] = False,
) -> int:
    """Remove papers, on a terminal after a question."""
    if not yes and is_terminal(sys.stdin) and is_terminal(sys.stderr):
        with state.library() as library:
            found = {paper.id: paper for paper in map(library.paper, values["papers"])}
        for paper in found.values():
            click.echo(f"{paper.id}  {one_line(paper.heading)}", err=True)
        is_sure = click.confirm(f"Remove {pluralize(len(found), 'paper')} from the library?", err=True)
        values = {"papers": tuple(found) if is_sure else ()}
    return run_verb(state, verb, values)


def show_figure(state: State, name: str) -> None:
    """Tell of a figure, by its id, and where its picture is kept."""
    with state.library() as library:
        card = library.figures.show(name)
        path, why = _picture(library, name)
    state.tell(lambda: encode.body(card) | {"path": path, "why": why}, lambda out: show(out, card, picture=path or why))


def _picture(library: Library, name: str) -> tuple[str | None, str]:
    """The file of a figure's picture, or why there is none."""
    try:
        return str(library.figures.file(name)), ""
    except ConspectusError as error:
        return None, f"{error.message} {error.hint}".strip()


_OF_COUNT = ("counted", "counted_by")
_MOST_PLACES = 12
"""So many affiliations are shown on a page."""


@verb("show")
@click.argument("name", metavar="PAPER|ANSWER|FIGURE")
@click.option("--passages", is_flag=True, help="Also show its passages, with the ids of their sentences.")
@click.option("--summaries", is_flag=True, help="Also show its summaries, with the sentences they rest on.")
@click.option("--references", is_flag=True, help="Also show its references, and which of them the library has.")
@click.option("--figures", is_flag=True, help="Also show its figures and tables, with the sentences that mention them.")
@quotes_option
def show_verb(
    state: State, name: str, passages: bool, summaries: bool, references: bool, figures: bool, quotes: bool
) -> None:
    """Show a paper, an answer or a figure.

    PAPER is its id or another identifier: its id in the source, DOI, arXiv id, PMID, file or title. ANSWER is `last`
    or an id that begins with `ans-` (`conspectus answers list` lists them); its statements, evidence, drafts, steps
    and cost are shown. FIGURE is an id that `figures search` printed, or PAPER.f3; its caption, the sentences that
    mention it, and the file with its picture are shown.
    """
    if names_answer(name):
        _show_answer(state, name, quotes)
        return
    if FIGURE.fullmatch(name):
        show_figure(state, name)
        return
    with state.library() as library:
        found = library.paper(name)
        parts = list(library.passages(found.id))
        made_of = library.documents(found.id)
        versions = library.versions(found.id)
        works = library.references(found.id) if references else ()
        parsed = library.parsed(found.id)
        written = library.summaries(found.id)
        notes = library.collections.notes(found.id)

    def body() -> dict[str, Any]:
        said = {"paper": encode.body(found), "passage_count": len(parts)}
        said |= {"summary_count": len(written), "documents": encode.plain(made_of)}
        said |= {"versions": [encode.brief(one) for one in versions]} if versions else {}
        said |= {"notes": encode.plain(notes)} if notes else {}
        said |= {"summaries": encode.body(written)} if summaries else {}
        said |= {"passages": encode.plain(parts)} if passages else {}
        said |= {"references": encode.body(works)} if references else {}
        said |= {"accounts": encode.plain(parsed.accounts)} if parsed.accounts else {}
        said |= {"hidden": encode.plain(parsed.hidden)} if parsed.hidden else {}
        return said | ({"figures": encode.figures(parsed)} if figures else {})

    def show(out: Printer) -> None:
        _show(out, found, len(parts), written, parsed, made_of)
        for one in versions:
            out.line(("another version ", "dim"), one_line(f"{one.id}  {one.heading} ({one.doi or one.arxiv_id})"))
        if notes:
            out.line()
            out.line(("Notes", "title"))
            show_notes(out, notes)
        if passages:
            _show_passages(out, parts)
        if summaries:
            show_summaries(out, written)
        if references:
            _show_references(out, works)
        if figures:
            _show_figures(out, parsed)

    state.tell(body, show)


def _show_answer(state: State, name: str, quotes: bool) -> None:
    from conspectus.library.answer_views import show as show_answer

    with state.library() as library:
        saved = library.answers.show(name)
    state.tell(lambda: encode.body(saved), lambda out: show_answer(out, saved, quotes=quotes))


def _places(paper: Paper) -> Iterator[str]:
    """Where the authors work, each place with their names unless it is everybody's."""
    places = grouped((place, author.surname) for author in paper.authors for place in author.affiliations)
    for place, names in list(places.items())[:_MOST_PLACES]:
        yield place if len(names) == len(paper.authors) else f"{place} ({', '.join(names)})"
    if len(places) > _MOST_PLACES:
        yield f"… and {len(places) - _MOST_PLACES} more, in --json"


def _show(
    out: Printer,
    paper: Paper,
    passages: int,
    summaries: Sequence[Summary],
    parsed: ParsedPaper,
    made_of: Sequence[PaperDocument],
) -> None:
    out.line((one_line(paper.heading), "title"))
    out.fold(", ".join(author.name for author in paper.authors))
    if said := under_title(paper):
        out.line(one_line(said))
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
    rows.append(("text", f"{kind}, {pluralize(passages, 'passage')}" if passages else "no text: it cannot be searched"))
    rows += [("letters", accounted(parsed.accounts)), ("not searched", describe_lacking(parsed.accounts))]
    rows += [("hidden", note) for note in hidden_notes(parsed.hidden)]
    if summaries:
        models = ", ".join(dict.fromkeys(one.model for one in summaries))
        rows.append(("summary", f"{pluralize(len(summaries), 'passage')} by {models}"))
    if len(made_of) == 1:
        rows += [("file", file.path) for file in paper.files]
    else:
        why = [_describe_reason(one) for one in made_of]
        rows += [
            (f"document {one.number}", describe_document(one) + said) for one, said in zip(made_of, why, strict=True)
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
        return "; ".join(f"{name}: {_in_line(one)}" for name, one in value.items() if one not in ("", None))
    if isinstance(value, list):
        return "; ".join(str(_in_line(one)) for one in value if one not in ("", None))
    return value


def _describe_reason(document: PaperDocument) -> str:
    """Why a document is of the paper, and which fields it gives."""
    said = [*document.why, f"gives {', '.join(document.gives)}" if document.gives else ""]
    return f" ({'; '.join(part for part in said if part)})" if any(said) else ""


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
        show_cells(out, figure.cells)
        for mention in encode.mentions(parsed, figure):
            page = f"p. {mention['page']}: " if mention["page"] else ""
            out.fold(f"{page}{mention['text']}", indent=4)


def run_audit(
    state: State,
    verb: Verb,
    values: dict[str, Any],
    *,
    strict: Annotated[bool, Option("Exit with 1 if any reference is wrong or was not found.")] = False,
) -> int:
    """Check the references of a file that is there, or of standard input."""
    if values["references"] == "-":
        from conspectus.parse.references.lists import MAX_TEXT

        source: Any = read_input(MAX_TEXT) + "\n"
    else:
        source = user_path(values["references"])
        if not source.exists():
            raise InputError(f"There is no file '{source}'.", "Check its name; `-` reads standard input.")
    return run_verb(state, verb, values | {"references": source, "strict": strict})
