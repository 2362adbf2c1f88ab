"""Figures and tables by words: by their captions, and by the passages that speak of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from conspectus.core.errors import UsageError
from conspectus.figures import sql
from conspectus.figures.figure_images import find_figure
from conspectus.ingest.paper_merge import merge
from conspectus.records import FigureHit, FigureResult, Filters, FoundFigure, FoundPanel, Paper, PassageKind
from conspectus.records.figures import FigureCard, Shown
from conspectus.records.views import pick_fields
from conspectus.search.candidates import Candidates, ScoredPassage, fuse_scores
from conspectus.search.encoded_query import EncodedQuery
from conspectus.search.query_syntax import Query
from conspectus.search.retriever import LATE, Retriever, compare_again
from conspectus.search.search import MOST_CANDIDATES, explain_nothing, too_few_error
from conspectus.session.session import Session
from conspectus.store import figures as stored_figures
from conspectus.store.facets import filtered_paper_keys
from conspectus.store.figures import StoredPicture
from conspectus.store.rows import StoredFigure, StoredPassage

WEIGHTS = {"caption": 0.7, "mention": 0.3, "inside": 0.2, "picture": 0.3}
"""What a figure's caption counts, the best of the passages that speak of it, the words that stand in its picture, and
how near the picture is to the words, where the encoder takes texts."""
_PASSAGES: dict[str, tuple[PassageKind, ...]] = {"caption": ("caption", "table"), "mention": ("abstract", "body")}
_AMONG = 3
"""Passages looked at for each figure that is wanted: several may lead to one, and some to none."""
Factors = dict[str, float]
Scores = Mapping[str, Mapping[int, float]]
"""Factor -> key of a picture -> its score, 0..1."""
Known = tuple[int, StoredFigure]
"""A figure, with its paper's key."""


def find_figures(
    retriever: Retriever,
    query: Query,
    k: int,
    filters: Filters,
    kinds: Sequence[Shown],
    picture_scores: Scores | None = None,
) -> FigureResult:
    """The k figures and tables that fit words best; without words those of the newest papers, in reading order.

    The score is `0.7 caption + 0.3 mention`: of each passage that of `Retriever.retrieve`, as if captions, tables and
    the passages of the text had been found together; of several that speak of a figure the best; 0 where none does.
    What is seen in pictures is added, with the weights in `WEIGHTS`: of several pictures of a figure the best;
    the sum is then divided by that of the weights.

    Args:
        retriever: finds passages.
        query: what it asks beside its words is asked of captions, and of the passages that speak of figures.
        k: how many.
        filters: which papers.
        picture_scores: the scores of pictures for the words.
        kinds: of what they are called, or of what they show where that is known; none: all.

    Raises:
        UsageError: k below 1, or `filters` ask for a kind of passage.
    """
    if k < 1:
        raise too_few_error(k)
    if filters.kind:
        raise UsageError(
            "Figures are found by their captions and by the text that mentions them.", "Leave the kind of passage out."
        )
    began, settings = time.perf_counter(), replace(retriever.settings, use="raw", mmr=1.0)
    with replace(retriever, where=query.where, settings=settings).at_one_moment() as now:
        words, best_figures = (
            query.words.strip(),
            _best_figures(now, _Asking(query, filters, picture_scores or {}), k, kinds),
        )
        explanation = "" if best_figures else explain_nothing(now, filters)
    used = {name: weight for name, weight in WEIGHTS.items() if name in _PASSAGES or name in (picture_scores or {})}
    most = sum(used.values()) if words else 1.0
    hits = tuple(
        FigureHit(rank, _score(factors) / most, factors, figure)
        for rank, (figure, factors) in enumerate(best_figures, 1)
    )
    method = " + ".join(f"{weight:g} {name}" for name, weight in used.items()) if words else "newest first"
    note = " ".join(filter(None, (retriever.note, explanation)))
    took = time.perf_counter() - began
    return FigureResult(query.text, hits, method, (retriever.embedder.id,) if words else (), took, note)


@dataclass(frozen=True, slots=True)
class _Asking:
    """What is asked, of which papers, and what is seen in pictures."""

    query: Query
    filters: Filters
    picture_scores: Scores


def _best_figures(now: Retriever, asking: _Asking, k: int, kinds: Sequence[Shown]) -> list[tuple[FoundFigure, Factors]]:
    """The k best of these kinds; where too many are of others, more are looked at."""
    count, seen = k, -1
    while True:
        by_words = bool(asking.query.words.strip())
        candidates = list(_by_words(now, asking, count) if by_words else _newest(now, count, asking.filters))
        figures = [
            pair for pair in _load_figures(now, candidates if kinds else candidates[:k]) if is_of_kind(pair[0], kinds)
        ][:k]
        if len(figures) == k or len(candidates) == seen or count >= MOST_CANDIDATES:
            return figures
        count, seen = min(4 * count, MOST_CANDIDATES), len(candidates)


def _score(factors: Mapping[str, float]) -> float:
    return sum(WEIGHTS[name] * value for name, value in factors.items()) if factors else 1.0


def _load_figures(now: Retriever, candidates: Sequence[tuple[Known, Factors]]) -> list[tuple[FoundFigure, Factors]]:
    keys = sorted({paper for (paper, _), _ in candidates})
    papers, pictures = now.catalog.papers_by_key(keys), stored_figures.pictures_of_papers(now.catalog, keys)
    return [
        (
            make_figure(
                figure, papers[paper], [picture for picture in pictures.get(paper, ()) if picture.figure == figure.id]
            ),
            factors,
        )
        for (paper, figure), factors in candidates
    ]


def _newest(now: Retriever, k: int, filters: Filters) -> Iterator[tuple[Known, Factors]]:
    """The figures of the newest papers that have captions."""
    best = now.newest(replace(filters, kind=_PASSAGES["caption"]), k)
    paper_of = now.catalog.papers_of_passages([scored.key for scored in best])
    papers = [paper_of[scored.key] for scored in best if scored.key in paper_of]
    figures = stored_figures.figures_of_papers(now.catalog, papers)
    return (((paper, figure), {}) for paper in papers for figure in figures.get(paper, ()))


def _by_words(now: Retriever, asking: _Asking, k: int) -> list[tuple[Known, Factors]]:
    """The figures that passages and pictures lead to, best first; ties: in the order of papers, and of reading."""
    encoded_query, count = now.encode(asking.query.words, asking.filters), max(now.settings.candidates, _AMONG * k)
    plain = replace(encoded_query, settings=replace(encoded_query.settings, rerank=0))
    groups = {
        name: now.retrieve(plain, replace(asking.filters, kind=kinds), count) for name, kinds in _PASSAGES.items()
    }
    scores = _on_one_scale(now, encoded_query, [scored for group in groups.values() for scored in group])
    passages = now.catalog.passages_by_key([scored.key for group in groups.values() for scored in group])
    scored_pictures = _picture_scores(now, asking)
    keys = {stored.paper_key for stored in passages.values()} | {paper for paper, *_ in scored_pictures}
    figures = stored_figures.figures_of_papers(now.catalog, sorted(keys))
    factors: dict[int, Factors] = {}

    def take(figure: StoredFigure, name: str, score: float) -> None:
        figure_factors = factors.setdefault(figure.key, dict.fromkeys((*_PASSAGES, *asking.picture_scores), 0.0))
        figure_factors[name] = max(figure_factors[name], score)

    for name, group in groups.items():
        for scored in group:
            stored = passages.get(scored.key)
            for figure in _LEADS[name](stored, figures.get(stored.paper_key, ())) if stored else ():
                take(figure, name, scores[scored.key])
    by_id = {figure.id: figure for group in figures.values() for figure in group}
    for _, figure_id, name, score in scored_pictures:
        if figure_id in by_id:
            take(by_id[figure_id], name, score)
    every = [
        ((paper, figure), factors[figure.key])
        for paper, group in figures.items()
        for figure in group
        if figure.key in factors
    ]
    return sorted(
        ((known, figure_factors) for known, figure_factors in every if figure_factors),
        key=lambda pair: (-_score(pair[1]), pair[0][0]),
    )


def _picture_scores(now: Retriever, asking: _Asking) -> list[tuple[int, str, str, float]]:
    """(paper, figure, factor, score) of the pictures in which something is seen, of papers that pass.

    What a query asks beside its words is asked of passages: then pictures lead to no figure that these do not.
    """
    keys = sorted({key for scores in asking.picture_scores.values() for key in scores})
    if not keys or now.where is not None:
        return []
    owners = sql.figures_of_pictures(now.catalog, keys)
    passing = set(filtered_paper_keys(now.catalog, asking.filters).tolist()) if asking.filters != Filters() else None
    return [
        (*owners[key], name, score)
        for name, scores in asking.picture_scores.items()
        for key, score in scores.items()
        if key in owners and (passing is None or owners[key][0] in passing)
    ]


def _on_one_scale(now: Retriever, encoded_query: EncodedQuery, passages: Sequence[ScoredPassage]) -> dict[int, float]:
    """The scores of passages that were found apart, as if they had been found together; late interaction is added."""
    settings = encoded_query.settings
    text = {passage.key: passage.factors.get("bm25", 0.0) for passage in passages}
    cosines = {passage.key: passage.factors["cosine"] for passage in passages}
    coverage = {passage.key: passage.factors.get("coverage", 0.0) for passage in passages}
    together = fuse_scores(Candidates.by_cosine(cosines, now.catalog.reading_order), text, coverage, settings)
    if (
        settings.rerank
        and settings.reranker != "none"
        and (raw := compare_again(now, encoded_query, together.best(2 * settings.rerank).keys))
    ):
        together = together.mix_comparison(raw, settings.rerank_weight, LATE)
    return dict(zip(together.keys, together.scores.tolist(), strict=True))


def captioned(stored: StoredPassage, figures: Iterable[StoredFigure]) -> list[StoredFigure]:
    """The figures whose caption a passage is: those that have most of its sentences, of which there are any."""
    sentences = [_words(span.text) for span in stored.passage.spans]
    shared = {figure.key: sum(sentence in _words(figure.caption) for sentence in sentences) for figure in figures}
    most = max(shared.values(), default=0)
    return [figure for figure in figures if most and shared[figure.key] == most]


def _mentioned(stored: StoredPassage, figures: Iterable[StoredFigure]) -> list[StoredFigure]:
    """The figures that a sentence of a passage speaks of."""
    span_ids = {span.id for span in stored.passage.spans}
    return [figure for figure in figures if not span_ids.isdisjoint(figure.mentions)]


_LEADS = {"caption": captioned, "mention": _mentioned}


def _words(text: str) -> str:
    return " ".join(text.split())


_ALL = (0.0, 0.0, 1.0, 1.0)


def make_figure(figure: StoredFigure, paper: Paper, pictures: Sequence[StoredPicture]) -> FoundFigure:
    """A figure, with what its pictures show; none, where nobody has looked at it."""
    page, box = (figure.place.page, figure.place.rect) if figure.place else (None, None)
    fields = pick_fields(figure, "id", "name", "label", "caption", "kind", "mentions")
    whole_picture = next((picture for picture in pictures if not picture.number), None)
    seen = (
        pick_fields(whole_picture, "probability", "words", "recognised") | {"shows": whole_picture.kind}
        if whole_picture
        else {}
    )
    panels = tuple(make_panel(picture) for picture in pictures if picture.number)
    return FoundFigure(paper=paper, page=page, box=box, panels=panels, **fields, **seen)


def make_panel(picture: StoredPicture) -> FoundPanel:
    """A panel of a figure."""
    return FoundPanel(picture.label, picture.caption, picture.box or _ALL)


def is_of_kind(figure: FoundFigure, kinds: Sequence[Shown]) -> bool:
    """Whether a figure is called, or looks like, one of some kinds; none: any."""
    return not kinds or figure.kind in kinds or figure.shows in kinds


def figure_card(session: Session, name: str) -> FigureCard:
    """A figure or table by its id, with the sentences that speak of it, its cells, and where its picture is.

    `PAPER.NAME`, with the name by which its paper's structure has it (`f3`), is its id, too.

    Raises:
        NotFoundError: there is no such figure.
    """
    paper, known = find_figure(session, name)
    (card,) = figure_cards(session, paper, lambda figure: figure.id == known.id)
    return card


def figure_cards(
    session: Session, paper: Paper, is_wanted: Callable[[StoredFigure], bool] = lambda _: True
) -> Iterator[FigureCard]:
    """A paper's figures and tables in their order, or those that are wanted."""
    key = session.catalog.paper_key(paper.id)
    figures = [
        figure for figure in stored_figures.figures_of_papers(session.catalog, [key]).get(key, ()) if is_wanted(figure)
    ]
    if not figures:
        return
    pictures = stored_figures.pictures_of_papers(session.catalog, [key]).get(key, ())
    parsed = {figure.key: figure for figure in merge(session.documents(paper)).figures}
    spans = {span.id: span for passage in session.catalog.passages(paper.id) for span in passage.spans}
    for figure in figures:
        found_figure = make_figure(figure, paper, [picture for picture in pictures if picture.figure == figure.id])
        mentions = tuple(spans[name] for name in figure.mentions if name in spans)
        yield FigureCard(found_figure, mentions, parsed[figure.name].href, parsed[figure.name].cells)
