"""Whether what was read answers the question: its probability, what is asked for, what the library never names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor

from conspectus.answer import answerable
from conspectus.answer.missing_words import drop_other_subjects, explain_missing
from conspectus.answer.requested_kind import requested_kind
from conspectus.answer.sentences import QuotableSentence, ReadPassages
from conspectus.parse.text.figure_mentions import label_of
from conspectus.records import Citation, Filters
from conspectus.records.paper import label_papers
from conspectus.search.encoded_query import EncodedQuery
from conspectus.search.retriever import Retriever
from conspectus.settings import AnswerSettings

REACH = 0.7
"""A sentence that has what is asked for is quoted only when its score is at least this part of the best one's."""
_OF_A_PAPER = re.compile(
    r"(?<![\w'’-])(?P<name>[A-Z][\w'’-]++)(?:,? et al\.?,?|(?:,? and|,? &) [A-Z][\w'’-]++,?),? "
    r"\(?(?P<year>(?:19|20)\d\d)[a-z]?\b"
)
"""A paper named by authors and year: "Smith et al. (2019)", "Smith and Jones 2019"."""


@dataclass(frozen=True, slots=True)
class QuoteDecision:
    """What may be quoted, best first; where nothing may, the `reason`, and the sentence that comes `closest`.

    Attributes:
        probability: that the library answers; None where it cannot be told.
    """

    quotable: list[QuotableSentence]
    reason: str = ""
    probability: float | None = None
    closest: Citation | None = None


def judge(
    retriever: Retriever,
    query: EncodedQuery,
    reading: ReadPassages,
    settings: AnswerSettings,
    best: Sequence[QuotableSentence],
    *,
    is_foreign: bool = False,
) -> QuoteDecision:
    """What of the sentences read answers the question; of one in another language its words decide nothing.

    Args:
        best: the best sentences, as `quote_order` orders them.
    """
    quotes = [(sentence.paper.id, sentence.bears) for sentence in best if sentence.bears is not None]
    probability = answerable.probability(retriever.embedder.id, query.content, reading.measured, quotes)
    if probability is None:
        quotable = [sentence for sentence in reading.candidates if sentence.support >= settings.threshold]
        reason = _too_little_support(reading, settings.threshold)
    else:
        least = min(settings.threshold, max((sentence.support for sentence in reading.candidates), default=0.0))
        quotable = [
            sentence
            for sentence in reading.candidates
            if sentence.support >= least and probability >= settings.probability
        ]
        reason = _improbable(reading, probability, settings.probability)
    about = replace(query, text=_OF_A_PAPER.sub(" ", query.text))
    premise = "" if is_foreign else _false_premise(retriever, query, about, reading)
    thing, others = requested_kind(query.text), reading.candidates
    if premise:
        quotable, reason = [], premise
    elif quotable and thing:
        least = REACH * quotable[0].score
        others = [sentence for sentence in others if thing.is_in(_with_label(sentence))]
        quotable = [sentence for sentence in quotable if sentence.score >= least and thing.is_in(_with_label(sentence))]
        reason = f"The question asks for {thing.thing}, but no sentence that was read has one."
    if quotable and not is_foreign:
        quotable, unnamed = drop_other_subjects(retriever, about, reading, quotable, others)
        if unnamed:
            reason = (
                f"The question is about '{unnamed}', and no paper with a sentence that may answer it mentions that."
            )
    if quotable:
        return QuoteDecision([sentence for sentence in quotable if sentence.stands] or quotable, "", probability)
    return QuoteDecision([], reason, probability, _closest(best))


def _with_label(sentence: QuotableSentence) -> str:
    """A sentence; of a caption, with the label that it begins with."""
    label = label_of(sentence.passage.text) if sentence.passage.kind in ("caption", "table") else None
    return f"{label[0]}. {sentence.span.text}" if label else sentence.span.text


def _too_little_support(reading: ReadPassages, threshold: float) -> str:
    best = _down(max((sentence.support for sentence in reading.candidates), default=0.0))
    return (
        f"No passage answers this question. The best one has a support of {best:.2f} (needed: {threshold:.2f}, "
        "answer.threshold)."
    )


def _improbable(reading: ReadPassages, probability: float, needed: float) -> str:
    read = len(reading.measured)
    return (
        f"No passage answers this question. The best of {read} does with a probability of {_down(probability):.2f} "
        f"(needed: {needed:.2f}, answer.probability)."
    )


def _down(share: float) -> float:
    """Rounded so that it is never shown as what is needed."""
    return floor(100 * share) / 100


def _closest(candidates: Sequence[QuotableSentence]) -> Citation | None:
    if not candidates:
        return None
    best = candidates[0]
    label = label_papers([best.paper])[best.paper.id]
    return Citation(best.paper, best.passage.id, (best.span,), best.span.text, label)


def _false_premise(retriever: Retriever, query: EncodedQuery, about: EncodedQuery, reading: ReadPassages) -> str:
    """What the question takes for granted and the library does not have; "": nothing. `about` is it without papers."""
    for match in _OF_A_PAPER.finditer(query.text):
        if not _has_paper(retriever, match["name"], int(match["year"]), reading):
            citation = f"{match['name']} from {match['year']}"
            return f"The library has no paper by {citation}, and no passage that was read cites one."
    return explain_missing(retriever, about, reading)


def _has_paper(retriever: Retriever, name: str, year: int, reading: ReadPassages) -> bool:
    if retriever.index.newest(1, Filters(author=(name,), year=(year, year))):
        return True
    return any(name in sentence.span.text and str(year) in sentence.span.text for sentence in reading.candidates)
