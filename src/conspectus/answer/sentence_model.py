"""How probable it is that a sentence bears an answer: measures of question, sentence and paper, and a small network.

The weights are in `sentence_model.json` beside this module; `benchmarks/bearing.py` makes them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import msgspec
import numpy as np

from conspectus.answer.answerable import NEAR, stem
from conspectus.answer.requested_kind import requested_kind
from conspectus.answer.small_network import SmallNetwork
from conspectus.answer.zones import ZONES, find_zones
from conspectus.core.arrays import FloatArray
from conspectus.lexicon import STOP_WORDS
from conspectus.models.protocol import TokenVectors
from conspectus.records import Passage
from conspectus.search.encoded_query import EncodedQuery

_ASKS_WHETHER = re.compile(
    r"(?:do|does|did|is|are|was|were|can|could|has|have|will|would|should|may|might)\b", re.IGNORECASE
)
_ASKS = re.compile(r"\?|\b(?:what|which|how|why|when|where|who|whom|whose)\b", re.IGNORECASE)
_DANGLES = re.compile(
    r"(?:(?:however|thus|moreover|hence|therefore|also|and|but),? )?"
    r"(?:this|these|those|it|its|they|their|such|here|both|he|she)\b"
    r"(?! (?:study|work|paper|review|meta|article|report|primer|letter|trial|survey|is (?:known|thought)))",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"^(?:\S+ ){1,6}?(?:\([^)]*\) )?(?:is|are|refers? to|represents?|comprises?)"
    r" (?:an?|the|one|defined|characteri[sz]ed|among|considered)\b"
)
_NUMBER = re.compile(r"(?<![A-Za-z-])\d")


def is_dangling(sentence: str) -> bool:
    """Whether a sentence begins with a word that stands for something said before it."""
    return _DANGLES.match(sentence) is not None


@dataclass(frozen=True, slots=True)
class PassageNearness:
    """A passage held against a question, word by word.

    Attributes:
        cosine: of the vectors of passage and question.
        near: of each word of the question the best cosine with a word of the passage, title included.
        by_sentence: the same for each sentence alone, [sentences, words].
        title: the same for the title alone.
        means: of each sentence the cosine of its words' mean and the question's words' mean.
    """

    cosine: float
    near: FloatArray
    by_sentence: FloatArray
    title: FloatArray
    means: FloatArray


def mean_cosines(
    query: TokenVectors, words: TokenVectors, places: Sequence[tuple[int, int]], weights: FloatArray
) -> FloatArray:
    """Of each stretch of a text the cosine of its words' mean vector with the question's, weighed by rarity."""
    bounds = np.searchsorted(words.starts, np.array(places, np.int64).reshape(-1, 2))
    query_vector = weights @ query.vectors.astype(np.float32)
    sums = np.concatenate(
        [np.zeros((1, words.vectors.shape[1]), np.float32), words.vectors.astype(np.float32).cumsum(axis=0)]
    )
    means = sums[bounds[:, 1]] - sums[bounds[:, 0]]
    lengths = np.linalg.norm(means, axis=1) * np.linalg.norm(query_vector)
    return np.asarray(means @ query_vector / np.maximum(lengths, 1e-6), np.float32)


def bearing_measures(
    query: EncodedQuery,
    passage: Passage,
    title: Sequence[str],
    sentence_words: Sequence[Sequence[str]],
    near: PassageNearness,
) -> FloatArray:
    """What the probability is made of, but for `OF_ALL`: float32 [sentences, measures], in the order of `MEASURES`."""
    count, weights = len(passage.spans), query.weights
    late = near.by_sentence @ weights
    both = np.maximum(near.by_sentence, near.title) @ weights
    texts = [span.text for span in passage.spans]
    known = {stem(word): float(weight) for word, weight in zip(query.content.texts, weights, strict=True)}
    of_title = {stem(word) for word in title}
    stems = [{stem(word) for word in words if word not in STOP_WORDS} for words in sentence_words]
    zones = find_zones(passage)
    thing = requested_kind(query.text)
    whether = bool(_ASKS_WHETHER.match(query.text))
    bare = not _ASKS.search(query.text) and not whether
    number = np.array([bool(_NUMBER.search(text)) for text in texts], np.float32)
    abstract = passage.kind == "abstract"
    at = np.arange(count, dtype=np.float32)

    def all_of(value: float) -> FloatArray:
        return np.full(count, value, np.float32)

    measures = {
        "late": late,
        "late with title": both,
        "late of passage": all_of(float(near.near @ weights)),
        "late behind best": late - late.max(initial=0.0),
        "late with title behind best": both - both.max(initial=0.0),
        "cosine": all_of(near.cosine),
        "mean": near.means,
        "mean behind best": near.means - near.means.max(initial=-1.0),
        "literal": _sum_known(known, stems),
        "literal with title": _sum_known(known, [of_sentence | of_title for of_sentence in stems]),
        "met": (near.by_sentence >= NEAR) @ weights,
        "least near": np.maximum(near.by_sentence, near.title).min(axis=1, initial=1.0),
        "rarest": np.maximum(near.by_sentence, near.title)[:, int(weights.argmax())] if len(weights) else all_of(0),
        **{zone: zones[:, place] for place, zone in enumerate(ZONES)},
        "first": (at == 0) * all_of(abstract),
        "place": at / max(count - 1, 1) * abstract,
        "body": all_of(not abstract),
        "length": np.log1p(np.array([len(words) for words in sentence_words], np.float32)),
        "new": np.log1p(np.array([len(of_sentence - known.keys() - of_title) for of_sentence in stems], np.float32)),
        "number": number,
        "dangling": np.array([is_dangling(text) for text in texts], np.float32),
        "defines": np.array([bool(_DEFINES.match(text)) for text in texts], np.float32),
        "asks whether": all_of(whether),
        "bare words": all_of(bare),
        "asks for a thing": all_of(thing is not None),
        "has the thing": np.array([thing is not None and bool(thing.is_in(text)) for text in texts], np.float32),
        "result, whether": zones[:, 3] * whether,
        "words asked": all_of(min(len(query.content.texts), 12)),
    }
    return np.column_stack([measures[name] for name in MEASURES[: -len(OF_ALL)]]).astype(np.float32)


def _sum_known(known: Mapping[str, float], stems: Sequence[set[str]]) -> FloatArray:
    """The weights of the question's words that each sentence has, float32 [sentences]."""
    return np.array(
        [sum(weight for word, weight in known.items() if word in of_sentence) for of_sentence in stems], np.float32
    )


def compare_passages(passages: Sequence[FloatArray]) -> list[FloatArray]:
    """Measures of the sentences of passages, with `OF_ALL`: how far each passage is behind the best that was read."""
    columns = [MEASURES.index("late of passage"), MEASURES.index("cosine")]
    measures = [rows[:, : len(MEASURES) - len(OF_ALL)] for rows in passages]
    maxima = [rows[:, columns].max(axis=0) for rows in measures if len(rows)]
    best = np.max(maxima, axis=0) if maxima else np.zeros(len(columns))
    return [np.column_stack([rows, rows[:, columns] - best]).astype(np.float32) for rows in measures]


OF_ALL = ("passage behind best", "cosine behind best")
MEASURES = (
    "late",
    "late with title",
    "late of passage",
    "late behind best",
    "late with title behind best",
    "cosine",
    "mean",
    "mean behind best",
    "literal",
    "literal with title",
    "met",
    "least near",
    "rarest",
    *ZONES,
    "first",
    "place",
    "body",
    "length",
    "new",
    "number",
    "dangling",
    "defines",
    "asks whether",
    "bare words",
    "asks for a thing",
    "has the thing",
    "result, whether",
    "words asked",
    *OF_ALL,
)


@lru_cache(maxsize=1)
def load_bearing_model() -> SmallNetwork:
    """The one that comes with the program."""
    return msgspec.json.decode(
        files("conspectus.answer").joinpath("sentence_model.json").read_bytes(), type=SmallNetwork
    )
