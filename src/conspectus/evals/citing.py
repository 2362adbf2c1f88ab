"""What an answer cites, held against the papers and sentences that are known to answer; and when it declines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from conspectus.records import Answer, Paper

_WORD = re.compile(r"\w+")
LEAST_WORDS = 4
"""Words that a sentence needs, to be found as a part of another."""

Gold = Mapping[str, Sequence[str]]


def citation_scores(answer: Answer, gold: Gold, name: Callable[[Paper], str]) -> dict[str, float]:
    """Precision and recall of what an answer cites; nothing of one that did not answer, or where nothing is known.

    `paper P` is the share of the cited papers that are gold, `paper R` the share of the gold papers that are cited;
    `sentence P` and `sentence R` the same of sentences, where gold sentences are known. A cited sentence is gold where
    one of the two has the other in it, word for word, in the same paper: sets cut their texts otherwise.
    Statements that the program itself marks as unsupported are not counted.

    Args:
        answer: the answer.
        gold: the papers that answer the question, each with its sentences.
        name: what the set calls a paper.
    """
    if not (answer.answered and gold):
        return {}
    cited = [
        (name(citation.paper), span.text)
        for statement in answer.statements
        if statement.status != "unsupported"
        for citation in statement.citations
        for span in citation.spans
    ]
    papers = {paper for paper, _ in cited}
    if not papers:
        return {}
    right = papers & set(gold)
    found = {"paper P": len(right) / len(papers), "paper R": len(right) / len(gold)}
    known = [(paper, words(text)) for paper, texts in gold.items() for text in texts]
    if known:
        spans = list(dict.fromkeys((paper, words(text)) for paper, text in cited))
        hits = [span for span in spans if any(same(span, one) for one in known)]
        met = [one for one in known if any(same(span, one) for span in spans)]
        found |= {"sentence P": len(hits) / len(spans), "sentence R": len(met) / len(known)}
    return found


def refusal_scores(answered: bool, answerable: bool | None) -> dict[str, float]:
    """Of one question: the mean of `refusal P` over questions is the share of refusals that were right, of `refusal R`
    the share of unanswerable questions that were refused, of `answered R` the share of answerable ones answered."""
    if answerable is None:
        return {}
    refused = not answered
    return {
        **({"refusal P": float(not answerable)} if refused else {}),
        **({"answered R": float(answered)} if answerable else {"refusal R": float(refused)}),
    }


def words(text: str) -> str:
    """The words of a text for comparing: no case, no punctuation."""
    return " ".join(_WORD.findall(text.casefold()))


def same(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two sentences (paper, words) are of one paper, and one has the other in it."""
    if one[0] != other[0]:
        return False
    short, long = sorted((one[1], other[1]), key=len)
    return short == long or (len(short.split()) >= LEAST_WORDS and f" {short} " in f" {long} ")
