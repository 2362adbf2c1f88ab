"""Search for papers with the settings of one search: the kind of its question, what a model writes for it, outliers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sqlalchemy import select

from conspectus.core.errors import BudgetError, SettingsError, UnavailableError, UsageError
from conspectus.core.http import once_only
from conspectus.map.region_phrases import LIKELY, MinedPaper, PhraseCounter
from conspectus.map.subject_model import singular_words, subject_log_odds
from conspectus.papers.retriever import make_retriever
from conspectus.records import Filters, Outlying, Routing, SearchResult, Use, WordCount, normal_name
from conspectus.records.results import FacetCounts, PaperCounts, SubjectNeighbours, SubjectOverview
from conspectus.session.session import Session
from conspectus.settings import NO_MODEL, set_name
from conspectus.store.schema import papers

if TYPE_CHECKING:
    from conspectus.search.query_syntax import Query
    from conspectus.search.retriever import Retriever


OF_A_SEARCH = ("search.", "language.", "budget.")
"""Groups of settings that can be set for one search."""
FACETED = 300
"""Papers found for words that are counted by year, venue …"""
NOT_STEERED = "Not steered: the query has conditions only, and no words to search for."
_QUICK = {"search.reranker": "none", "search.mmr": 1.0, "search.expand": "no", "search.outliers": False}
"""Settings of a search of which only the papers are wanted."""
Expansions = tuple[tuple[str, ...], tuple[str, ...]]
"""Texts that a language model writes for a question, and the names of the models that wrote them."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is asked of a search besides its words; the fields are those of `Library.search`."""

    k: int | None = None
    filters: Filters = Filters()
    use: Use | Literal[""] = ""
    prefer: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    less: tuple[str, ...] = ()


def with_settings(session: Session, values: Mapping[str, Any]) -> Session:
    """The session with the settings of one search.

    Raises:
        UsageError: a setting that cannot be set for one search.
        SettingsError: an unknown setting, or a value that it cannot have.
    """
    for key in values:
        if not key.startswith(OF_A_SEARCH) and key != "model":
            raise UsageError(
                f"'{key}' cannot be set for one search.",
                f"These can: {', '.join(group + '…' for group in OF_A_SEARCH)}. Others: Library(…, settings=…).",
            )
    return session.with_settings(values)


def search(
    session: Session, query: str, request: SearchRequest, *, auto: bool = False, plain: bool = False
) -> SearchResult:
    """Find the papers that best fit words or a question; see `Library.search`."""
    from conspectus.search import query_syntax
    from conspectus.search.search import empty_query_error

    query = query_syntax.check_query(query)
    if not query.strip():
        raise empty_query_error()
    parsed = query_syntax.plain_query(query) if plain else query_syntax.parse_query(query)
    began = time.perf_counter()
    if not all(map(normal_name, request.prefer)):
        raise UsageError("A keyword to prefer is empty.", "Leave it out, or give a word.")
    if auto and parsed.words:
        result = _search_suited(session, parsed, request)
    else:
        result = _search_once(session, parsed, request)
        result = replace(result, routing=route_by_rules(session, parsed.words)) if parsed.words else result
    result = _mark_outliers(session, result) if session.settings.search.outliers else result
    return replace(result, took=time.perf_counter() - began)


def _search_once(session: Session, query: Query, request: SearchRequest) -> SearchResult:
    from conspectus.search.search import search_papers, too_few_error

    settings = session.settings.search
    k = settings.k if request.k is None else request.k
    if k < 1:
        raise too_few_error(k)  # before a model is asked to write
    retriever, steering_note = _steer(session, make_retriever(session, request.use, request.prefer), request)
    models: tuple[str, ...] = ()
    if settings.expand in ("hyde", "rephrase") and query.words:
        texts, models = _write_expansions(session, retriever, query, request.filters)
        retriever = replace(retriever, expansions=texts)
    with session.parts.searching if retriever.reranker is None else nullcontext():  # a reranker may be a service
        result = search_papers(retriever, query, k, request.filters)
    if steering_note and not query.words:
        steering_note = NOT_STEERED
    note = " ".join(filter(None, (result.note, steering_note)))
    return replace(result, models=(*result.models, *models), note=note)


def _steer(session: Session, retriever: Retriever, request: SearchRequest) -> tuple[Retriever, str]:
    """The retriever as the user steers it, and what it then does, in words."""
    from conspectus.directions.query_turn import make_steering

    steering = make_steering(session, request.more, request.less)
    if steering is None:
        return retriever, ""

    def lift(passages: Sequence[int]) -> dict[int, float]:
        papers = session.catalog.papers_of_passages(passages)
        return {passage: steering.lifts.get(paper, steering.unlifted) for passage, paper in papers.items()}

    return replace(retriever, turn=steering.turn, lift=lift), steering.about


def _search_suited(session: Session, query: Query, request: SearchRequest) -> SearchResult:
    """Search with the settings that suit the question."""
    from conspectus.search.router import adapt_settings, merge_results, nearness_to_question

    routing, settings = route(session, query.words), session.settings
    search_settings, note = adapt_settings(settings.search, routing, model=bool(set_name(settings.language.of("ask"))))
    k = request.k
    if k is None:
        k = routing.suggested.k[1] if routing.suggested else search_settings.k
    session, request = replace(session, settings=replace(settings, search=search_settings)), replace(request, k=k)
    queries = [query, *(replace(query, text=part, words=part, soft=part) for part in routing.parts)]
    results = [_search_once(session, subquery, request) for subquery in queries]
    first = results[0]
    if routing.parts:
        papers = (hit.paper for result in results for hit in result.hits)
        nearness = nearness_to_question(make_retriever(session, request.use, reranked=False), query.words, papers)
        first = merge_results(results, k, nearness)
    return replace(first, routing=routing, note=" ".join(part for part in (first.note, note) if part))


def _mark_outliers(session: Session, result: SearchResult) -> SearchResult:
    from conspectus.search.outliers import FEWEST, find_outliers

    keys = session.catalog.keys_of([hit.paper.id for hit in result.hits])
    distances = find_outliers(
        session.catalog, session.index, session.embedder.id, list(keys.values()), session.settings.search
    )
    by_id, nothing = dict(zip(keys, distances, strict=True)), Outlying(None, None, False)
    hits = tuple(replace(hit, outlying=by_id.get(hit.paper.id, nothing)) for hit in result.hits)
    if any(outlying.cut is not None for outlying in distances) or not hits:
        return replace(result, hits=hits)
    note = "There are too few papers to say which are far from the others."
    if len(keys) >= FEWEST:
        note = "No paper can be far from the others: the library has no more than these."
    return replace(result, hits=hits, note=f"{result.note} {note}".strip())


def _write_expansions(session: Session, retriever: Retriever, query: Query, filters: Filters) -> Expansions:
    from conspectus.answer.query_expansion import PROMPTS, expansions, near

    settings = session.settings.search
    session.role_models().of("ask")  # a wrong setting is reported before anything is searched
    near_texts = near(retriever, query, filters)

    async def job(put: Callable[[Expansions], None]) -> None:
        async with session.client() as client:
            await client.prepare(("ask",), [PROMPTS[settings.expand]])
            put((await expansions(client, query.words, settings, near_texts), client.names()))

    (new_texts,) = session.loop.events(job)
    return new_texts


def count(session: Session, words: str, filters: Filters, *, plain: bool) -> WordCount:
    """Count the papers that have all the words; see `Library.count`."""
    from conspectus.search import query_syntax
    from conspectus.search.search import count_matches

    words = query_syntax.check_query(words) or words
    query = query_syntax.plain_query(words) if plain else query_syntax.parse_query(words)
    return replace(count_matches(make_retriever(session, "raw", reranked=False), query, filters), query=words)


def facets(session: Session, query: str, filters: Filters, most: int) -> FacetCounts:
    """Count papers by year, venue, keyword, language and kind of text; see `Library.facets`."""
    from conspectus.store.paper_pages import count_facets

    if not query.strip():
        change, count = session.catalog.change(), lambda: count_facets(session.catalog, filters, None, most, is_subject)
        return session.parts.get_cached("facets", count, change, filters, most)
    result = search(with_settings(session, _QUICK), query, SearchRequest(FACETED, filters))
    keys = session.catalog.keys_of([hit.paper.id for hit in result.hits])
    return count_facets(session.catalog, Filters(), list(keys.values()), most, is_subject)


def similar(
    session: Session, names: Sequence[str], text: str | None, request: SearchRequest, by: str = "meaning"
) -> SearchResult:
    """Find the papers nearest in meaning, or by citations; see `Library.similar`."""
    from conspectus.search import query_syntax
    from conspectus.search.citation_links import find_by_citations
    from conspectus.search.search import find_similar

    text = None if text is None else query_syntax.check_query(text, "text")
    papers = [session.paper(name) for name in names]
    if not papers and text is None:
        raise UsageError(
            "There is nothing to compare with.", "Give papers or a text: `similar PAPER…` or `similar text=TEXT`"
        )
    k, filters = session.settings.search.k if request.k is None else request.k, request.filters
    retriever, steering_note = _steer(session, make_retriever(session, reranked=False), request)
    if by == "citations":
        if text is not None:
            raise UsageError("A text has no citations.", "Give papers, or compare by meaning.")
        if steering_note:
            raise UsageError("Citations have no directions.", "Compare by meaning, or steer nothing.")
        return find_by_citations(retriever, papers, k, filters)
    result = find_similar(retriever, papers, text, k, filters)
    return replace(result, note=" ".join(filter(None, (result.note, steering_note))))


def route(session: Session, question: str, *, model: str = "", cache: bool = True) -> Routing:
    """Tell what kind of question it is; see `Library.route`.

    If the language model of the settings cannot be asked, the rules decide at once, with a note: this is a suggestion.
    """
    from conspectus.search.query_syntax import check_query

    question = check_query(question)
    name = model or session.settings.language.of("ask")
    if not name or name == NO_MODEL:
        return route_by_rules(session, question)
    if model:
        return _route_by_model(session, question, model, cache)
    token = once_only.set(True)
    try:
        return _route_by_model(session, question, "", cache)
    except (UnavailableError, BudgetError, SettingsError) as error:
        note = f"The language model cannot be reached, so rules decide: {error.message}"
        return replace(route_by_rules(session, question), note=note)
    finally:
        once_only.reset(token)


def route_by_rules(session: Session, question: str) -> Routing:
    """Tell what kind of question it is by rules for English, whatever language model is set."""
    from conspectus.search.question_flags import load_word_knowledge
    from conspectus.search.router import route_question

    return route_question(question, load_word_knowledge(session.settings.models.store, session.own_index()))


def _route_by_model(session: Session, question: str, model: str, cache: bool) -> Routing:
    from conspectus.answer.question_kind import route

    async def job(tell: Callable[[Routing], None]) -> None:
        async with session.client(model, fresh=not cache) as client:
            tell(await route(client, question))

    (routing,) = session.loop.events(job)
    return routing


READ = 1000
"""Papers whose words are read, spread evenly over the library."""
_SUBJECT = 0.5
"""Quality of a phrase (`PhraseTable`) from which on it is shown."""
_COMMON = 3
"""A phrase that more than one paper in so many has says little of the library; of few papers all may have it."""
_FEW = 10
"""Papers of a library that is small."""
_COMPARED = 60
"""Subjects that are compared with each other."""
_NEIGHBOURS = 5


def is_subject(phrase: str) -> bool:
    """Whether a paper's own phrase, as `normal_name` has it, is rather a subject than words of prose."""
    words = singular_words(phrase)
    return bool(words) and float(subject_log_odds([words])[0]) >= LIKELY


@dataclass(frozen=True, slots=True)
class _Subject:
    """A noun phrase, and the papers that have it, by their places among those that are read."""

    name: str
    rows: frozenset[int]


def find_subjects(session: Session, most: int) -> tuple[PaperCounts, ...]:
    """Noun phrases with the number of papers that have them, of those that are read, the best first."""
    return tuple(PaperCounts(subject.name, len(subject.rows)) for subject in _subjects(session)[:most])


def overview_subjects(session: Session, most: int) -> SubjectOverview:
    """The best subjects, each with those that stand in the same papers; and the vocabulary that fits them."""
    overview: SubjectOverview = session.parts.get_cached(
        "subjects together", lambda: _overview(session), session.catalog.change()
    )
    return SubjectOverview(overview.subjects[:most], overview.vocabulary)


def _overview(session: Session) -> SubjectOverview:
    best = _subjects(session)[:_COMPARED]
    together: list[SubjectNeighbours] = []
    for subject in best:
        pairs = [(len(subject.rows & other.rows), other) for other in best if not _overlaps(subject.name, other.name)]
        near = sorted((pair for pair in pairs if pair[0] > 1), key=lambda pair: -pair[0] / math.sqrt(len(pair[1].rows)))
        if near:
            counts = tuple(PaperCounts(other.name, count) for count, other in near[:_NEIGHBOURS])
            together.append(SubjectNeighbours(subject.name, len(subject.rows), counts))
    names = [subject.name for subject in best]
    return SubjectOverview(tuple(together), _fitting_vocabulary(session, names))


def _overlaps(first: str, second: str) -> bool:
    """Whether one phrase is within the other, so that it says nothing that they stand together."""
    return not set(first.split()).isdisjoint(second.split())


def _fitting_vocabulary(session: Session, subjects: Sequence[str]) -> str:
    """The well-known vocabulary whose description is the nearest to the subjects."""
    from conspectus.graph.vocabularies.public_vocabularies import KNOWN

    if not subjects:
        return ""
    texts = [f"{vocabulary.title}: {vocabulary.about}" for vocabulary in KNOWN] + ["; ".join(subjects)]
    vectors = np.array([np.asarray(embedding.vector) for embedding in session.embedder.embed(texts)])
    return KNOWN[int(np.argmax(vectors[:-1] @ vectors[-1]))].name


def _subjects(session: Session) -> tuple[_Subject, ...]:
    subjects: tuple[_Subject, ...] = session.parts.get_cached(
        "subjects", lambda: _count_subjects(session), session.catalog.change()
    )
    return subjects


def _count_subjects(session: Session) -> tuple[_Subject, ...]:
    keys = [row.key for row in session.catalog.rows(select(papers.c.key).order_by(papers.c.key))]
    sample_keys = list(islice(keys, 0, None, -(-len(keys) // READ) or 1))
    sample_papers = [*session.catalog.papers_by_key(sample_keys).values()]
    venues = {normal_name(paper.venue) for paper in sample_papers}  # some journals have their name among the keywords
    word_lists = [[normal_name(word) for word in (*paper.keywords, *paper.key_phrases)] for paper in sample_papers]
    phrases = [[word for word in words if word not in venues] for words in word_lists]
    counter = PhraseCounter(phrases)
    counter.define(paper.abstract for paper in sample_papers)
    texts = [
        counter.count(MinedPaper(own_phrases, paper.title, paper.abstract))
        for paper, own_phrases in zip(sample_papers, phrases, strict=True)
    ]
    table = counter.table(texts)
    ranked: list[
        tuple[bool, float, str, frozenset[int]]
    ] = []  # one word alone is rarely a subject that somebody asks about
    for spelling, quality, rows, weights in zip(table.spellings, table.quality, table.rows, table.weights, strict=True):
        is_common = len(sample_papers) > _FEW and _COMMON * len(rows) > len(sample_papers)
        if quality >= _SUBJECT and len(rows) > 1 and not is_common:
            ranked.append((" " not in spelling, -float(quality * np.sum(weights)), spelling, frozenset(map(int, rows))))
    return tuple(_Subject(spelling, rows) for *_, spelling, rows in sorted(ranked, key=lambda row: row[:3]))
