"""An answer by quoting (`method: extractive`): the sentences that answer best, from several papers if several speak."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from conspectus.answer.out_of_scope import count_instead, declined
from conspectus.answer.prose import prose
from conspectus.answer.quote_decision import judge
from conspectus.answer.quote_order import READ_TOGETHER, order_quotes
from conspectus.answer.sentences import QuotableSentence, overlap, read
from conspectus.core.errors import UsageError
from conspectus.core.text import identifier, words_in
from conspectus.evidence.candidates import trace_summaries
from conspectus.lexicon import STOP_WORDS
from conspectus.models.protocol import Embedder
from conspectus.records import Answer, Citation, Filters, Statement, Usage
from conspectus.records.paper import label_papers
from conspectus.search.candidates import ScoredPassage
from conspectus.search.encoded_query import EncodedQuery
from conspectus.search.retriever import Retriever
from conspectus.search.search import explain_nothing
from conspectus.settings import AnswerSettings

METHOD = "extractive"
NEAR_DUPLICATE = 0.6
REACH = 0.85
"""A further sentence is quoted only when its score is at least this part of the best one's."""
REACH_BEARING = 0.5
"""The same of the probability that it bears an answer."""
FURTHER = 0.2
"""The probability that a further sentence needs, unless the best one has less than half of this."""


def answer(retriever: Retriever, question: str, filters: Filters, settings: AnswerSettings) -> Answer:
    """Quotes that answer `question`, or the reason why there are none.

    Raises:
        UsageError: an empty question.
    """
    if not question.strip():
        raise UsageError("The question is empty.", "Ask something in words.")
    with retriever.at_one_moment() as now:
        return _answer(now, question, filters, settings)


def _answer(retriever: Retriever, question: str, filters: Filters, settings: AnswerSettings) -> Answer:
    began = time.perf_counter()
    if reason := declined(question):
        counted = count_instead(question, retriever, filters)
        reason = f"{counted} {reason}".strip()
        return Answer(question, False, reason, METHOD, "", (), usage=Usage(time.perf_counter() - began))
    query = retriever.encode(question, filters)
    hits = retriever.retrieve(query, filters, max(retriever.settings.candidates, settings.passages))
    sources = follow(retriever, query, hits[: settings.passages])
    reading = read(retriever, query, sources.passages, sources.only)
    language_note = foreign(question, retriever.embedder)
    scores: dict[str, float] = {}
    best = order_quotes(retriever, question, reading.candidates, scores)[:READ_TOGETHER]
    verdict = judge(retriever, query, reading, settings, best, is_foreign=bool(language_note))
    chosen = by_paper(choose(order_quotes(retriever, question, verdict.quotable, scores), settings))
    labels = label_papers([candidate.paper for candidate in chosen])
    statements = tuple(_statement(candidate, labels[candidate.paper.id]) for candidate in chosen)
    reason = verdict.reason if sources.passages else explain_nothing(retriever, filters)
    notes = (retriever.note, language_note)
    return Answer(
        question=question,
        answered=bool(statements),
        reason="" if statements else reason,
        method=METHOD,
        text=prose(statements),
        statements=statements,
        models=(retriever.embedder.id, *sources.models),
        usage=Usage(time.perf_counter() - began, len(sources.passages), len(reading.candidates)),
        note=" ".join(part for part in notes if part),
        probability=verdict.probability,
        closest=verdict.closest if sources.passages else None,
    )


def choose(sentences: Sequence[QuotableSentence], settings: AnswerSettings) -> list[QuotableSentence]:
    """The best sentences, without neighbours and near-duplicates, and not too many from one paper."""
    chosen: list[QuotableSentence] = []
    for candidate in sentences:
        reach = REACH if candidate.bears is None else REACH_BEARING
        if len(chosen) == settings.statements or candidate.rank < reach * sentences[0].rank:
            break
        if chosen and candidate.bears is not None and candidate.bears < FURTHER <= 2 * chosen[0].rank:
            break
        same = [other for other in chosen if other.paper.id == candidate.paper.id]
        if len(same) < settings.per_paper and not any(_too_near(candidate, other) for other in chosen):
            chosen.append(candidate)
    return chosen


def by_paper(chosen: Sequence[QuotableSentence]) -> list[QuotableSentence]:
    """Paper by paper, that of the best sentence first; of a paper the best sentence first."""
    papers = list(dict.fromkeys(candidate.paper.id for candidate in chosen))
    return sorted(chosen, key=lambda candidate: papers.index(candidate.paper.id))


def _too_near(candidate: QuotableSentence, other: QuotableSentence) -> bool:
    near = candidate.begin - 1 <= other.position and other.begin - 1 <= candidate.position
    return (near and candidate.passage.id == other.passage.id) or overlap(
        candidate.words, other.words
    ) >= NEAR_DUPLICATE


def _statement(candidate: QuotableSentence, label: str) -> Statement:
    spans = candidate.passage.spans[candidate.begin : candidate.position + 1]
    quote = " … ".join(span.text for span in spans)
    return Statement(
        quote, "quoted", (Citation(candidate.paper, candidate.passage.id, spans, quote, label),), candidate.rank
    )


CODES = {"English": "en"}
"""Embedders' languages, as the identifier calls them: by ISO 639-1."""
UNLIKELY = 0.005
"""A question is in another language where its probability of being in the embedder's is less. Names alone have 0.005
and more; see `benchmarks/answers.md`."""


def language_of(question: str, known: str = "English") -> str:
    """The code of the language that a question is in: that of `known` where nothing speaks against it."""
    code = CODES.get(known, known)
    if code == "en" and len(words_in(question) & STOP_WORDS) >= 3:
        return code  # for four of five English questions, without the half second in which the identifier is read
    ranking = identifier().rank(question)
    return str(ranking[0][0]) if dict(ranking).get(code, 1.0) < UNLIKELY else code


def foreign(question: str, embedder: Embedder) -> str:
    """What to tell of a question in a language that the embedder does not know, with the remedy; "": nothing."""
    known: str = getattr(embedder, "language", "")
    code = language_of(question, known) if known else ""
    if code in ("", CODES.get(known, known)):
        return ""
    return (
        f"The question reads as another language than {known} ('{code}'), and the embedder '{embedder.id}' knows "
        f"{known} only, so what fits may not be found: ask in {known}, or use an embedder of several languages "
        "(models.embedder)."
    )


@dataclass(frozen=True, slots=True)
class Followed:
    """Papers' own passages, best first.

    Attributes:
        passages: a passage to which a summary led stands where the summary stood, with its own cosine.
        only: of those to which nothing but a summary led, the ids of the sentences that it rests on.
        models: that wrote the summaries.
    """

    passages: list[ScoredPassage]
    only: Mapping[int, frozenset[str]] = field(default_factory=dict)
    models: tuple[str, ...] = ()


def follow(retriever: Retriever, query: EncodedQuery, hits: Sequence[ScoredPassage]) -> Followed:
    """What the passages found are, or lead to."""
    if retriever.use == "raw":
        return Followed(list(hits))
    traces = trace_summaries(retriever.catalog, [scored.key for scored in hits])
    direct_keys = {scored.key for scored in hits} - traces.keys()
    only: dict[int, frozenset[str]] = {}
    for trace in traces.values():
        for source in trace.sources:
            only[source.key] = only.get(source.key, frozenset()) | {span.id for span in source.spans}
    cosines = retriever.cosines(query.vector, [key for key in only if key not in direct_keys])
    followed: dict[int, ScoredPassage] = {}
    for scored in hits:
        if scored.key not in traces:
            followed[scored.key] = scored  # in the place that a summary may have led it to
            continue
        for source in traces[scored.key].sources:
            if source.key in cosines:
                followed.setdefault(
                    source.key, ScoredPassage(source.key, scored.score, {"cosine": cosines[source.key]})
                )
    return Followed(
        list(followed.values()),
        {key: spans for key, spans in only.items() if key not in direct_keys},
        tuple(dict.fromkeys(trace.summary.model for trace in traces.values())),
    )
