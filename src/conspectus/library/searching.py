"""Finding papers: a search's own settings, the kind of its question, what a model writes for it, outliers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conspectus.core.errors import UsageError
from conspectus.library.retrieving import Wanted, retriever_of
from conspectus.library.routing import by_rules, route
from conspectus.records import FigureResult, Filters, Outlying, SearchResult, WordCount, normal_name
from conspectus.records.figures import Shown, check_kinds
from conspectus.records.results import FacetCounts
from conspectus.session.session import Session
from conspectus.settings import set_name

if TYPE_CHECKING:
    from conspectus.search.retrieve import Retriever
    from conspectus.search.syntax import Query

OF_A_SEARCH = ("search.", "language.", "budget.")
"""Groups of settings that one search can have of its own."""
Written = tuple[tuple[str, ...], tuple[str, ...]]
"""What a language model writes for a question, and the names of the models that wrote."""


def search(
    session: Session, query: str, wanted: Wanted, settings: Mapping[str, Any], *, auto: bool, plain: bool
) -> SearchResult:
    """See `Library.search`."""
    from conspectus.search import syntax
    from conspectus.search.search import nothing_asked

    query = syntax.asked(query)
    if not query.strip():
        raise nothing_asked()
    asked = syntax.plain(query) if plain else syntax.parse(query)
    began = time.perf_counter()
    own = _for_a_search(session, settings)
    if not all(map(normal_name, wanted.prefer)):
        raise UsageError("A keyword to prefer is empty.", "Leave it out, or give a word.")
    if auto and asked.words:
        found = _suited(own, asked, wanted)
    else:
        found = _searched(own, asked, wanted)
        found = replace(found, routing=by_rules(own, asked.words)) if asked.words else found
    found = _with_outliers(own, found) if own.settings.search.outliers else found
    return replace(found, took=time.perf_counter() - began)


def _for_a_search(session: Session, values: Mapping[str, Any]) -> Session:
    for key in values:
        if not key.startswith(OF_A_SEARCH) and key != "model":
            raise UsageError(
                f"'{key}' cannot be set for one search.",
                f"These can: {', '.join(group + '…' for group in OF_A_SEARCH)}. Others: Library(…, settings=…).",
            )
    return session.changed(values)


def _with_outliers(session: Session, found: SearchResult) -> SearchResult:
    from conspectus.search.outliers import FEWEST, outliers

    keys = session.catalog.keys_of([hit.paper.id for hit in found.hits])
    asked = list(keys.values())
    far = outliers(session.catalog, session.index, session.embedder.id, asked, session.settings.search)
    by_id, nothing = dict(zip(keys, far, strict=True)), Outlying(None, None, False)
    hits = tuple(replace(hit, outlying=by_id.get(hit.paper.id, nothing)) for hit in found.hits)
    if any(one.cut is not None for one in far) or not hits:
        return replace(found, hits=hits)
    note = "Which papers are far from the others cannot be said of so few."
    if len(keys) >= FEWEST:
        note = "No paper can be far from the others: the library has no more than these."
    return replace(found, hits=hits, note=f"{found.note} {note}".strip())


def _suited(session: Session, query: Query, wanted: Wanted) -> SearchResult:
    """A search with the settings that suit the question."""
    from conspectus.search.suited import merged, nearness, suited

    routing, settings = route(session, query.words), session.settings
    own, note = suited(settings.search, routing, model=bool(set_name(settings.language.of("ask"))))
    k = wanted.k
    if k is None:
        k = routing.suggested.k[1] if routing.suggested else own.k
    session, wanted = replace(session, settings=replace(settings, search=own)), replace(wanted, k=k)
    asked = [query, *(replace(query, text=part, words=part, soft=part) for part in routing.parts)]
    found = [_searched(session, one, wanted) for one in asked]
    first = found[0]
    if routing.parts:
        papers = (hit.paper for result in found for hit in result.hits)
        near = nearness(retriever_of(session, wanted.use, reranked=False), query.words, papers)
        first = merged(found, k, near)
    return replace(first, routing=routing, note=" ".join(part for part in (first.note, note) if part))


def _searched(session: Session, query: Query, wanted: Wanted) -> SearchResult:
    from conspectus.search.search import search, too_few

    settings = session.settings.search
    k = settings.k if wanted.k is None else wanted.k
    if k < 1:
        raise too_few(k)  # before a model is asked to write
    found_by = retriever_of(session, wanted.use, wanted.prefer)
    models: tuple[str, ...] = ()
    if settings.expand in ("hyde", "rephrase") and query.words:
        written, models = _written(session, found_by, query, wanted.filters)
        found_by = replace(found_by, expansions=written)
    with session.parts.searching if found_by.reranker is None else nullcontext():  # a reranker may be a service
        found = search(found_by, query, k, wanted.filters)
    return replace(found, models=(*found.models, *models))


def _written(session: Session, found_by: Retriever, query: Query, filters: Filters) -> Written:
    from conspectus.answer.expanding import PROMPTS, expansions, near

    settings = session.settings.search
    session.role_models().of("ask")  # a setting that is wrong is told before anything is searched
    shown = near(found_by, query, filters)

    async def job(put: Callable[[Written], None]) -> None:
        async with session.client() as client:
            await client.prepare(("ask",), [PROMPTS[settings.expand]])
            put((await expansions(client, query.words, settings, shown), client.names()))

    (found,) = session.loop.events(job)
    return found


def count(session: Session, words: str = "", filters: Filters | None = None, *, plain: bool = False) -> WordCount:
    """How many papers have a passage with all of the words, in any of their forms; exact, by the words alone.

    A passage counts with its paper's title and its section's heading; summaries do not count. Without words: the
    papers that pass the filters. `words` may have signs as in `search`.

    Raises:
        UsageError: there is a mistake in the signs, or none of the words can be looked for.
    """
    from conspectus.search import syntax
    from conspectus.search.count import count

    asked = syntax.plain(words) if plain else syntax.parse(words)
    return count(retriever_of(session, "raw", reranked=False), asked, filters or Filters())


def figures(
    session: Session,
    query: str = "",
    k: int | None = None,
    filters: Filters | None = None,
    *,
    kinds: Sequence[Shown] = (),
    plain: bool = False,
) -> FigureResult:
    """The k figures and tables whose captions, and the passages that speak of them, fit words or a question best.

    Args:
        query: with signs as in `search`; without words the figures of the newest papers that pass.
        k: how many; None: as the setting `search.k` says.
        filters: which papers; no kind of passage.
        kinds: of what they are called (`figure`, `table`), or show, where it was looked at (`plot` …); none: all.
        plain: take all signs of the query for text.

    Raises:
        UsageError: a mistake in the query's signs, k is below 1, a kind that there is not, or a kind of passage.
    """
    from conspectus.figures.finding import find
    from conspectus.library.likening import in_pictures
    from conspectus.search import syntax

    check_kinds(kinds)
    query = syntax.asked(query)
    asked = syntax.plain(query) if plain else syntax.parse(query)
    found_by = retriever_of(session, "raw", reranked=False)
    seen, note = in_pictures(session, asked.words)
    found_by = replace(found_by, note=" ".join(filter(None, (found_by.note, note))))
    with session.parts.searching:
        return find(found_by, asked, session.settings.search.k if k is None else k, filters or Filters(), kinds, seen)


FACETED = 300
"""So many papers found for words are counted by year, venue …"""
_QUICKLY = {"search.reranker": "none", "search.mmr": 1.0, "search.expand": "no", "search.outliers": False}
"""Settings of a search of which only the papers are wanted."""


def facets(session: Session, query: str = "", filters: Filters | None = None, *, most: int = 20) -> FacetCounts:
    """How many papers there are of each year, venue, keyword, language and kind of text.

    Without a query of all papers that pass the filters; with one of the 300 best that are found.

    Args:
        query: as for `search`.
        filters: which papers.
        most: how many venues and keywords are told.

    Raises:
        UsageError: there is a mistake in the query's signs.
    """
    from conspectus.store.listing import count_facets

    filters = filters or Filters()
    if not query.strip():
        change, count = session.catalog.change(), lambda: count_facets(session.catalog, filters, None, most)
        return session.parts.held("facets", count, change, filters, most)
    found = search(session, query, Wanted(FACETED, filters), _QUICKLY, auto=False, plain=False)
    keys = session.catalog.keys_of([hit.paper.id for hit in found.hits])
    return count_facets(session.catalog, Filters(), list(keys.values()), most)


def similar(
    session: Session,
    names: str | Sequence[str] = (),
    *,
    text: str | None = None,
    k: int | None = None,
    filters: Filters | None = None,
) -> SearchResult:
    """The k papers nearest in meaning to papers of the library, or to a text (F16).

    Of several papers it is the mean of their vectors that others are compared with; they themselves are left out.

    Args:
        names: one paper or several, by any names.
        text: instead of them, or beside them.
        k: how many; None: as the setting `search.k` says.
        filters: which papers and kinds of text.

    Raises:
        UsageError: nothing to compare with, or a text that is longer than `BOUNDS.query`.
        NotFoundError: no paper, or more than one, is called so.
    """
    from conspectus.search import syntax
    from conspectus.search.search import similar

    text = None if text is None else syntax.asked(text, "text")
    papers = [session.paper(name) for name in ([names] if isinstance(names, str) else names)]
    if not papers and text is None:
        raise UsageError(
            "There is nothing to compare with.", "Give papers or a text: `similar PAPER…` or `similar text=TEXT`"
        )
    wanted = session.settings.search.k if k is None else k
    return similar(retriever_of(session, reranked=False), papers, text, wanted, filters or Filters())
