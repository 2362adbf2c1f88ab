"""How probable it is that what was read answers the question: measures of the passages, and a small network.

The weights lie in `answerable.json` beside this module; `benchmarks/refusal.py` makes them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import msgspec
import numpy as np
import numpy.typing as npt

from conspectus.answer.small_network import SmallNetwork
from conspectus.core.arrays import FloatArray
from conspectus.search.encoded_query import QueryWords

Values = npt.NDArray[np.float64]
Quote = tuple[str, float]
"""The paper of a sentence, and the probability that it bears an answer, as computed by `quote_order`."""
SHORTEST = 4
"""Letters of a stem, at least."""
NEAR = 0.65
"""A question's word counts as met where the cosine of some word of the passage is at least this."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A passage that was read, held against the question.

    Attributes:
        title: the words of the paper's title, in small letters; so of each of the passage's sentences.
        cosine: of the vectors of passage and question.
        near: of each word of the question the best cosine with a word of the passage, title included.
        by_sentence: the same for each sentence alone, [sentences, words].
        rows: of each sentence what the next is made of, [sentences, measures].
        bears: of each sentence the probability that it bears an answer, [sentences].
    """

    paper: str
    title: Sequence[str]
    sentences: Sequence[Sequence[str]]
    cosine: float
    near: FloatArray
    by_sentence: FloatArray
    rows: FloatArray
    bears: FloatArray


@lru_cache(maxsize=1)
def model() -> SmallNetwork:
    """The one that comes with the program."""
    return msgspec.json.decode(files("conspectus.answer").joinpath("answerable.json").read_bytes(), type=SmallNetwork)


def probability(embedder: str, words: QueryWords, read: Sequence[Measured], quotes: Sequence[Quote]) -> float | None:
    """That the best of what was `read` answers; None where it cannot be told: another embedder, no words, no quotes."""
    answer_model = model()
    if not embedder.startswith(answer_model.embedder) or not words.texts or not read or not quotes:
        return None
    by_name = measures(words, read, quotes)
    return float(answer_model.probabilities(np.array([[by_name[name] for name in answer_model.names]], np.float32))[0])


def measures(words: QueryWords, read: Sequence[Measured], quotes: Sequence[Quote]) -> dict[str, float]:
    """What the probability is made of, by name: how near the best passage is, how far ahead of other papers, which of
    the question's words it has, and how probable it is that the best sentences bear an answer."""
    weights = words.weights(np.float64)
    late = np.array([float(weights @ passage.near) for passage in read])
    cosine = np.array([passage.cosine for passage in read])
    support = (late + cosine) / 2
    sentences = np.array([float((passage.by_sentence @ weights).max(initial=0.0)) for passage in read])
    known = _by_stem(words, weights)
    stems = [[_find_stems(sentence, known) for sentence in passage.sentences] for passage in read]
    titles = [_find_stems(passage.title, known) for passage in read]
    literal = np.array(
        [_sum(title.union(*passage_stems), known) for title, passage_stems in zip(titles, stems, strict=True)]
    )
    alone = max((_sum(sentence, known) for passage_stems in stems for sentence in passage_stems), default=0.0)
    ahead, others = _ahead(read, support)
    bears = np.array([passage.bears.max(initial=0.0) for passage in read])
    best = int(late.argmax())
    return {
        "cosine": float(cosine.max()),
        "late": float(late.max()),
        "sentence": float(sentences.max()),
        "literal": float(literal.max()),
        "literal in a sentence": alone,
        "support ahead": ahead,
        "support above others": others,
        "literal ahead": _ahead(read, literal)[0],
        "sentence ahead": float(np.ptp(np.sort(sentences)[-2:])),
        "support of all": float(support.mean()),
        "far": float(weights @ (read[best].near < NEAR)),
        "rarest": float(read[best].near[weights.argmax()]),
        "unknown": float(weights @ (np.array(words.frequencies) == 0)),
        "passages": float(np.log10(max(words.passages, 1))),
        "words": float(min(len(words.texts), 20)),
        "bears": _log_odds(float(bears.max())),
        "bears ahead": _ahead(read, bears)[0],
        "bears in the best": _log_odds(float(bears[best])),
        "sentences that bear": float(np.log1p(sum(passage.bears.sum() for passage in read))),
        **_quote_measures(quotes),
    }


def _quote_measures(quotes: Sequence[Quote]) -> dict[str, float]:
    bears = np.sort([bears for _, bears in quotes])[::-1]
    return {
        "best quote": _log_odds(float(bears[0])),
        "best three quotes": _log_odds(float(bears[:3].mean())),
        "best quote ahead": _lead((paper for paper, _ in quotes), (bears for _, bears in quotes))[0],
        "quotes": float(np.log1p(bears.sum())),
    }


def _ahead(read: Sequence[Measured], values: Values) -> tuple[float, float]:
    return _lead((passage.paper for passage in read), values.tolist())


def _lead(papers_of_values: Iterable[str], values: Iterable[float]) -> tuple[float, float]:
    """How far the best paper is before the second, and before the mean of all others."""
    papers: dict[str, float] = defaultdict(float)
    for paper, value in zip(papers_of_values, values, strict=True):
        papers[paper] = max(papers[paper], value)
    first, *others = sorted(papers.values(), reverse=True)
    return (first - others[0], first - float(np.mean(others))) if others else (first, first)


def _log_odds(probability: float) -> float:
    clipped_probability = min(max(probability, 0.001), 0.999)
    return float(np.log(clipped_probability / (1 - clipped_probability)))


def _by_stem(words: QueryWords, weights: Values) -> dict[str, float]:
    weight_by_stem: dict[str, float] = defaultdict(float)
    for text, weight in zip(words.texts, weights.tolist(), strict=True):
        weight_by_stem[stem(text)] += weight
    return dict(weight_by_stem)


def _find_stems(words: Iterable[str], known: dict[str, float]) -> set[str]:
    """The stems of a question's words that are among those said."""
    begins = {known_stem[:SHORTEST] for known_stem in known}
    return {stem(word) for word in words if word[:SHORTEST] in begins} & known.keys()


def _sum(stems: set[str], known: dict[str, float]) -> float:
    return sum(known[stem] for stem in stems)


def stem(word: str) -> str:
    """A word without what most often changes at its end."""
    return word.lower()[: max(SHORTEST, len(word) - 3)]
