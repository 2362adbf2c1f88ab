"""`search` and `similar`."""

from __future__ import annotations

import re
from typing import Any

import click

from conspectus.cli.app import Verb, verb
from conspectus.cli.options import (
    count_option,
    filter_options,
    filters_of,
    preferred,
    ranking_of,
    ranking_options,
    use_option,
)
from conspectus.cli.piped import read_input
from conspectus.cli.snippet import Mark, marker, snippet
from conspectus.cli.state import State
from conspectus.cli.typed import typed
from conspectus.core.bounds import BOUNDS
from conspectus.core.plural import pluralize
from conspectus.faces.describe import under_title, where
from conspectus.faces.printer import Printer, one_line
from conspectus.records import Filters, Hit, Routing, SearchResult, Use, WordCount
from conspectus.wire import encode

_explain = click.option("--explain", is_flag=True, help="Show what each score is made of.")
INDENT = 10
_EXCLUDED = re.compile(r"-(?!k=?\d)(?:[^\W\d_]|[\"“„(]).+", re.S)
_DASH = "\ue000"
"""Stands for the dash of an excluded word while click looks for options."""


class SearchVerb(Verb):
    """Takes `-mouse` for a word of the query, not for options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words that are left."""
        return super().parse_args(ctx, [_DASH + arg[1:] if _EXCLUDED.fullmatch(arg) else arg for arg in args])


@verb("search", cls=SearchVerb)
@click.argument("query", nargs=-1, metavar="WORDS…")
@count_option
@filter_options()
@use_option
@ranking_options
@_explain
@click.option("--count", is_flag=True, help="Count the papers that have all the words, or that pass the filters.")
@click.option("--plain", is_flag=True, help='Take all signs of the query ("", -, AND, author: …) for text.')
def search_verb(
    state: State,
    /,
    query: tuple[str, ...],
    k: int | None,
    use: Use | None,
    explain: bool,
    count: bool,
    **chosen: Any,
) -> None:
    """Find the papers that best fit words or a question.

    Each with the passage that fits best, and under it the id with which `conspectus open` shows its sentence.

    WORDS may have signs: "a phrase", -excluded, author:NAME, year:2005..2015, venue:NAME, keyword:WORD, title:WORD,
    kind:caption, has:figure, AND, OR, NOT and parentheses. Put the whole of them in single quotes, for the shell.

    With --count the papers are counted, exactly, that have a passage (with its title and section) with all of the
    words, in any of their forms; without words, those that pass the filters.
    """
    words, plain = " ".join(query).replace(_DASH, "-"), chosen.pop("plain")
    if count:
        if use not in (None, "raw"):
            raise click.UsageError("--count counts papers' own words; leave --use out.", click.get_current_context())
        if ranking := ranking_of(chosen, explain=explain, k=k):
            text = f"--count ranks nothing; leave {ranking[0]} out."
            raise click.UsageError(text, click.get_current_context())
        _count(state, words, filters_of(chosen), plain=plain)
        return
    if not query:
        raise click.UsageError("Missing argument 'WORDS…'.", click.get_current_context())
    auto = chosen.pop("auto")
    prefer = preferred(state, chosen)
    with state.library() as library:
        result = library.search(words, k, filters_of(chosen), use=use or "", prefer=prefer, auto=auto, plain=plain)
    mark = marker(result.words)
    state.tell(lambda: encode.body(result), lambda out: _say(out, result, explain, mark, auto=auto))


@verb("similar")
@click.argument("papers", nargs=-1, metavar="PAPER…")
@click.option("--text", metavar="TEXT", help="Compare with this text, for example an abstract; `-`: standard input.")
@count_option
@filter_options()
@_explain
def similar_verb(
    state: State, /, papers: tuple[str, ...], text: str | None, k: int | None, explain: bool, **chosen: Any
) -> None:
    """Find the papers nearest in meaning to papers or to a text.

    PAPER is its id, or any other name of it: DOI, arXiv id, PMID, file or title. Of several it is the mean of their
    vectors that others are compared with.
    """
    if text == "-":
        text = read_input(BOUNDS.query.most)
    with state.library() as library:
        result = library.similar(papers, text=text, k=k, filters=filters_of(chosen))
    state.tell(lambda: encode.body(result), lambda out: _say(out, result, explain))


def _say(out: Printer, result: SearchResult, explain: bool, mark: Mark | None = None, *, auto: bool = False) -> None:
    for hit in result.hits:
        _hit(out, hit, result.words, explain, mark)
    if result.note or not result.hits:
        out.line(typed(result.note) or "Nothing was found.")
    if result.conditions:
        out.line((f"only: {one_line(result.conditions)}", "dim"))
    for text in result.expansions:
        out.line(("Written by a model to search by; no paper says this:", "dim"))
        out.fold(one_line(text), INDENT, None)
    if result.routing:
        _suggest(out, result.routing, applied=auto)
    found = pluralize(len(result.hits), "paper")
    parts = (found, result.method, ", ".join(result.models), f"{result.took:.2f} s")
    out.line((" · ".join(part for part in parts if part), "dim"))


def _suggest(out: Printer, found: Routing, *, applied: bool) -> None:
    """Which settings suit a question, or what it was taken for; of some words nothing is said."""
    if applied:
        apart = f"; {len(found.parts)} sub-questions apart:" if found.parts else ""
        out.line((f"taken for: {found.kind} question{apart}", "dim"))
        for part in found.parts:
            out.line((one_line(part), "dim"), indent=INDENT)
        return
    wanted = found.suggested
    if wanted is None or not found.question.rstrip().endswith("?"):
        return
    weights = [name for name in ("keywords", "recency", "citations") if getattr(wanted, name)]
    parts = [f"{wanted.k[0]}–{wanted.k[1]} papers", *([f"weights {', '.join(weights)}"] if weights else [])]
    parts += ["a hypothetical abstract"] if wanted.expand else []
    parts += [f"{len(found.parts)} sub-questions apart"] if found.parts else []
    out.line((f"{found.kind} question: suggested: {' · '.join(parts)} (--auto)", "dim"))


def _count(state: State, words: str, filters: Filters, *, plain: bool) -> None:
    with state.library() as library:
        found = library.count(words, filters, plain=plain)
    state.tell(lambda: {"query": words, "count": encode.plain(found)}, lambda out: _say_count(out, found))


def _say_count(out: Printer, found: WordCount) -> None:
    out.line((str(found.papers), "title"), f" {'paper' if found.papers == 1 else 'papers'}")
    if len(found.words) > 1:
        for word, papers in found.words.items():
            out.line(f"{papers:>9}  {one_line(word)}")
    if found.note:
        out.line(typed(found.note))
    if found.conditions:
        said = "" if found.words else f" · {pluralize(found.passages, 'passage')}"
        out.line((f"only: {one_line(found.conditions)}{said}", "dim"))
    if found.words:
        out.line((f"all the words in one passage · {pluralize(found.passages, 'passage')}", "dim"))


def _hit(out: Printer, hit: Hit, query: str, explain: bool, mark: Mark | None) -> None:
    part = snippet(hit.passage, query)
    title = one_line(hit.paper.heading)
    out.line(f"{hit.rank:>3}  {hit.score:.2f} ", (title, "title"))
    if said := under_title(hit.paper):
        out.line(one_line(said), indent=INDENT)
    if hit.outlying and hit.outlying.outlier:
        out.line(
            (f"far from the others found: {hit.outlying.distance:.2f}, cut {hit.outlying.cut:.2f}", "bad"),
            indent=INDENT,
        )
    place = where(hit.passage, part.span)
    if hit.summary:
        place = f"Summary by {hit.summary.model}" + (f" of: {place}" if hit.passage.section else "")
    out.line((one_line(place), "dim"), indent=INDENT)
    if part.span.text != hit.paper.title:
        out.fold(part.text, INDENT, mark)
    if explain:
        said = "  ".join(f"{name} {value:.3g}" for name, value in hit.factors.items())
        out.line((said, "dim"), indent=INDENT)
    names = hit.summary.links[hit.passage.spans.index(part.span)] if hit.summary else (part.span.id,)
    for name in names:
        out.line((name, "dim"), indent=INDENT)
    out.line()
