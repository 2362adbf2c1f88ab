"""Passages that may say something on a question, and the order in which they are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from conspectus.core.groups import grouped
from conspectus.evidence.reader import PassageToRead, deduplicate_sentences
from conspectus.lexicon.word_lists import is_back_matter
from conspectus.records import Filters, Paper, Passage, Span, Summary
from conspectus.records.events import Event, PassagesFound, Searching
from conspectus.search.retriever import Retriever, diversify
from conspectus.settings import EvidenceSettings
from conspectus.store import summaries
from conspectus.store.catalog import Catalog
from conspectus.store.rows import StoredPassage, StoredSummary


@dataclass(frozen=True, slots=True)
class SummarySource:
    """A paper's own passage, by its key, and those of its spans that a summary rests on."""

    key: int
    passage: Passage
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class TracedSummary:
    """A summary with its sources, in the order of the paper; each sentence in one passage only."""

    summary: Summary
    sources: tuple[SummarySource, ...]


def trace_summaries(catalog: Catalog, keys: Sequence[int]) -> dict[int, TracedSummary]:
    """Those of the passages, by key, that are summaries, with what they rest on."""
    stored_summaries = summaries.by_key(catalog, keys)
    stored = catalog.passages_of(sorted({summary.paper_key for summary in stored_summaries.values()})).values()
    passages_of = grouped((passage.paper_key, passage) for passage in stored)
    return {
        key: TracedSummary(summary.summary, _sources(summary, passages_of.get(summary.paper_key, [])))
        for key, summary in stored_summaries.items()
    }


def _sources(stored_summary: StoredSummary, passages: Sequence[StoredPassage]) -> tuple[SummarySource, ...]:
    """As few passages as have all sentences: each time the one with most of those that are left."""
    left = set(stored_summary.summary.sources)
    having = {stored.key: {span.id for span in stored.passage.spans} & left for stored in passages}
    chosen: list[SummarySource] = []
    while left:
        best = max(passages, key=lambda stored: (len(having[stored.key] & left), -stored.passage.ordinal), default=None)
        taken = having[best.key] & left if best else set()
        if best is None or not taken:  # never: a summary goes when a sentence of it does
            break
        spans = tuple(span for span in best.passage.spans if span.id in taken)
        chosen.append(SummarySource(best.key, best.passage, spans))
        left -= taken
    return tuple(sorted(chosen, key=lambda source: source.passage.ordinal))


POOL = 80
"""Passages taken from a search, at least: the table that answers is often far behind the prose of its paper."""
OWN_TURNS = 2
"""So many passages found by the question itself come before each that only other phrasings find."""
TABLE_TURNS = 2
"""Tables read per prose passage after the first batch."""
FOCUS = 1 / 3
"""Share of the first batch above which a paper is in focus."""
BARREN = 3
"""Passages of a paper that were read, none of them relevant, after which no more of its prose is read."""
K = TypeVar("K", bound=Hashable)
Tell = Callable[[Event], None]


def search(
    retriever: Retriever, question: str, filters: Filters, settings: EvidenceSettings, tell: Tell
) -> dict[int, float]:
    """Scores of passages for one phrasing, by key."""
    tell(Searching(question))
    with retriever.at_one_moment() as now:
        count = max(now.settings.candidates, 2 * settings.read, POOL)
        ranked = now.retrieve(now.encode(question, filters), filters, count)
    return {scored.key: scored.score for scored in ranked}


def candidates(
    retriever: Retriever,
    searched: Sequence[Mapping[int, float]],
    settings: EvidenceSettings,
    tell: Tell,
    most_of_one: int = 0,
) -> list[PassageToRead]:
    """The best of the passages found by any phrasing, `settings.read` at most, best first.

    Args:
        retriever: what they were found by.
        searched: scores by key, for each phrasing; the question itself first.
        settings: how many are read.
        tell: told how many there are.
        most_of_one: passages of one paper, at most, unless there are no others; 0: no limit.
    """
    passages = rank_passages(retriever, searched, settings)
    if most_of_one:
        count: Counter[str] = Counter()
        places = {}
        for item in passages:
            count[item.paper.id] += 1
            places[item.passage.id] = count[item.paper.id] > most_of_one
        passages.sort(key=lambda item: places[item.passage.id])
    passages = passages[: settings.read]
    tell(PassagesFound(len(passages), len({item.paper.id for item in passages})))
    return passages


def rank_passages(
    retriever: Retriever, searched: Sequence[Mapping[int, float]], settings: EvidenceSettings
) -> list[PassageToRead]:
    """All passages found that can bear on a question: in the order of its own search, between them those of the others.

    What says nothing of the matter, such as thanks, is left out. With `search.mmr` below 1 they are chosen by marginal
    relevance (P2).
    """
    best: dict[int, float] = {}
    for scores in searched:
        for key, score in scores.items():
            best[key] = max(best.get(key, 0.0), score)
    with retriever.at_one_moment() as now:
        order = merge_rankings([sorted(scores, key=lambda key: (-scores[key], key)) for scores in searched])
        if now.settings.mmr < 1:
            order = list(diversify(now, {key: best[key] for key in order}, settings.read))
        return _load_candidates(now, order, best)


def merge_rankings(rankings: Sequence[Sequence[int]]) -> list[int]:
    """The keys of the first ranking in their order, and after each `OWN_TURNS` of them one of the others, each once."""
    first, *others = rankings
    further = interleave(*others)
    return interleave(first, further, turns=(OWN_TURNS, 1))


def interleave(*rankings: Sequence[K], turns: Sequence[int] = ()) -> list[K]:
    """The items of several rankings in turn, `turns` of each at a time (else one), each item once."""
    left = [list(reversed(ranking)) for ranking in rankings]
    order: dict[K, None] = {}
    while any(left):
        for ranking, turn in zip(left, turns or [1] * len(left), strict=True):
            for _ in range(turn):
                while ranking and ranking[-1] in order:
                    ranking.pop()
                if ranking:
                    order[ranking.pop()] = None
    return list(order)


def _load_candidates(now: Retriever, order: Sequence[int], scores: Mapping[int, float]) -> list[PassageToRead]:
    stored = now.catalog.passages_by_key(order)
    chosen = [key for key in order if key in stored and worth_reading(stored[key].passage)]
    papers = now.catalog.papers_by_key(sorted({stored[key].paper_key for key in chosen}))
    traced = trace_summaries(now.catalog, chosen) if now.use != "raw" else {}
    abstracts = _abstracts(now.catalog, [stored[key] for key in chosen], papers)
    to_read: list[PassageToRead] = []
    whole_papers: set[int] = set()
    for key in chosen:
        passage = stored[key]
        abstract = abstracts.get(passage.paper_key, ()) if passage.passage.kind == "abstract" else ()
        if passage.paper_key in papers and not (
            abstract and passage.paper_key in whole_papers
        ):  # it comes with its other part
            sources = traced[key].sources if key in traced else ()
            parts = abstract or tuple((source.passage, source.spans) for source in sources)
            to_read.append(PassageToRead(passage.passage, papers[passage.paper_key], scores[key], parts))
            whole_papers |= {passage.paper_key} if abstract else set()
    return to_read


def _abstracts(
    catalog: Catalog, chosen: Sequence[StoredPassage], papers: Mapping[int, Paper]
) -> dict[int, tuple[tuple[Passage, tuple[Span, ...]], ...]]:
    """All of the abstracts, by their papers' keys, of which a part was chosen: a model reads them whole."""
    cut = {
        passage.paper_key
        for passage in chosen
        if passage.passage.kind == "abstract"
        and passage.paper_key in papers
        and len(passage.passage.text) < len(papers[passage.paper_key].abstract)
    }
    abstracts = (passage for passage in catalog.passages_of(sorted(cut)).values() if passage.passage.kind == "abstract")
    parts = grouped((passage.paper_key, (passage.passage, passage.passage.spans)) for passage in abstracts)
    return {key: deduplicate_sentences(abstract) for key, abstract in parts.items() if len(abstract) > 1}


@dataclass(slots=True)
class ReadingQueue:
    """Passages that wait to be read. What was read decides what comes next.

    The first are the best by the question's own search. After these come, in turn, the tables of the papers that the
    question is about, since a search ranks rows of numbers behind any prose of the same paper; the question's next; and
    what only other phrasings find. No further prose is read of papers of which nothing was relevant.

    Attributes:
        passages: in the order of the search.
        beginning: how many of the best are read before any other.
    """

    passages: list[PassageToRead]
    beginning: int
    _taken_ids: set[str] = field(default_factory=set)
    _read: Counter[str] = field(default_factory=Counter)
    _relevant: Counter[str] = field(default_factory=Counter)

    @property
    def focus(self) -> set[str]:
        """The papers that the question is about, by id: those with many of the first passages."""
        count = Counter(item.paper.id for item in self.passages[: self.beginning])
        return {paper for paper, passages in count.items() if passages >= max(2, FOCUS * self.beginning)}

    def widen(self, further: Iterable[PassageToRead]) -> None:
        """Add what other phrasings find, each after `OWN_TURNS` of those that wait."""
        known = {item.passage.id: item for item in self.passages}
        by_id = {item.passage.id: item for item in further} | known
        taken = [name for name in known if name in self._taken_ids]
        waiting = [name for name in known if name not in self._taken_ids]
        others = [name for name in by_id if name not in known]
        self.passages = [by_id[name] for name in (*taken, *interleave(waiting, others, turns=(OWN_TURNS, 1)))]

    def take(self, count: int) -> list[PassageToRead]:
        """The next passages to be read."""
        chosen = [item for item in self.passages if item.passage.id not in self._taken_ids]
        if self._taken_ids:
            chosen = self._in_turn(chosen)
        chosen = chosen[:count]
        self._taken_ids |= {item.passage.id for item in chosen}
        return chosen

    def learn(self, read: Iterable[PassageToRead], relevant: Collection[str]) -> None:
        """Note what was read, and the ids of those passages that were relevant."""
        for item in read:
            self._read[item.paper.id] += 1
            self._relevant[item.paper.id] += item.passage.id in relevant

    def _in_turn(self, waiting: Sequence[PassageToRead]) -> list[PassageToRead]:
        focus = self.focus
        tables = [
            place for place, item in enumerate(waiting) if item.passage.kind == "table" and item.paper.id in focus
        ]
        prose = [
            place
            for place, item in enumerate(waiting)
            if place not in tables and not (self._read[item.paper.id] >= BARREN and not self._relevant[item.paper.id])
        ]
        return [waiting[place] for place in interleave(tables, prose, turns=(TABLE_TURNS, 1))]


_LEAST_WORDS = 6
"""Of a caption: `Figure 3. Continued.` has fewer."""


def worth_reading(passage: Passage) -> bool:
    """Whether a passage can bear on a question: by the headings above it, and what a caption says."""
    if passage.kind == "caption":
        return len(passage.text.split()) >= _LEAST_WORDS
    if passage.kind in ("abstract", "summary", "table"):
        return True
    return not is_back_matter(passage.section)
