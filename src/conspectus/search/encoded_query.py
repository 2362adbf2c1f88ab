"""A question as it is searched for: its vectors, its words, and the weights that suit it.

A question is weighed as the settings say. The more a query is words typed into a search box for something known, the
more it counts that a passage, with the title of its paper, holds all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.lexicon import STOP_WORDS
from conspectus.models.protocol import Embedder, TokenVectors
from conspectus.settings import SearchSettings

Number = TypeVar("Number", np.float32, np.float64)
_WORD = re.compile(r"\w+")
_OTHERS = re.compile(r"\bet\.? al\b\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The content words of a question.

    Attributes:
        texts: as they are in it.
        frequencies: in how many passages of the library each is, in any of its forms.
        passages: how many there are.
    """

    texts: tuple[str, ...]
    frequencies: tuple[float, ...]
    passages: float

    def weights(self, kind: type[Number]) -> npt.NDArray[Number]:
        """The rarer the more, summing to 1: numbers of a kind, [words]."""
        rarity = np.log1p(self.passages / (1 + np.array(self.frequencies, kind)))
        return np.asarray(rarity / max(float(rarity.sum()), 1e-9), kind)


@dataclass(frozen=True, slots=True)
class EncodedQuery:
    """A question, ready to be compared.

    Attributes:
        vector: float32 [dimensions].
        tokens: vectors of its content words; None where the embedder gives none.
        content: these words.
        weights: of theirs, float32 [words].
        settings: how it is searched, with the weights that suit it.
        moved: the vector that is searched for instead, float32 [dimensions]; None: the question's own.
    """

    text: str
    vector: FloatArray
    tokens: TokenVectors | None
    content: QueryWords
    weights: FloatArray
    settings: SearchSettings
    moved: FloatArray | None = None

    @property
    def target(self) -> FloatArray:
        """The vector that is searched for."""
        return self.vector if self.moved is None else self.moved

    @property
    def words(self) -> str:
        """What is looked for word by word: `et al.` stands for others."""
        return _OTHERS.sub(" ", self.text)

    def towards(self, others: Sequence[FloatArray], share: float) -> EncodedQuery:
        """The question with the vector that is searched for moved; its words are looked for as before."""
        return replace(self, moved=combine_vectors(self.vector, others, share)) if len(others) else self


def encode_query(
    text: str,
    embedder: Embedder,
    frequencies: Callable[[Sequence[str]], list[int]],
    passages: int,
    settings: SearchSettings,
) -> EncodedQuery:
    """The question `text`; `frequencies` says in how many of the `passages` each word is."""
    embedding = embedder.embed_query(text)
    starts = [] if embedding.tokens is None else embedding.tokens.starts.tolist()
    texts = [match[0] if (match := _WORD.match(text, start)) else "" for start in starts]
    words = QueryWords(tuple(texts), tuple(frequencies(texts)), passages)
    return EncodedQuery(text, embedding.vector, embedding.tokens, words, words.weights(np.float32), settings)


def combine_vectors(question: FloatArray, others: Sequence[FloatArray], share: float) -> FloatArray:
    """`(1 - share) question + share * mean of the others`, brought to length 1: float32 [dimensions].

    With a share of n / (n + 1) that is the mean of all, as HyDE has it (Gao et al. 2022, eq. 8); with passages found
    first it is Rocchio's feedback without what is not relevant (1971).

    Args:
        question: of length 1, as are the others.
        others: none: the question stays what it is.
        share: 0 (the question alone) to 1 (the others alone).
    """
    if not len(others):
        return question
    mixture = (1 - share) * question + share * np.mean(np.stack(list(others)), axis=0)
    length = float(np.linalg.norm(mixture))
    return np.asarray(mixture / length, np.float32) if length else question


def count_expansions(settings: SearchSettings) -> int:
    """How many texts are written or passages taken: as set, else one abstract, three wordings or passages."""
    return settings.expansions or (1 if settings.expand == "hyde" else 3)


@dataclass(frozen=True, slots=True)
class QueryWeights:
    """Weights, as the settings of these names have them."""

    dense_weight: float
    rerank_weight: float
    exact_weight: float


# Chosen on the development part of `benchmarks/known_items.py`, so that questions lose nothing (SciFact, Cranfield).
TYPED = QueryWeights(dense_weight=0.5, rerank_weight=0.2, exact_weight=0.85)
"""The weights of what is surely typed for something known."""
MOST_FUNCTION_WORDS = 0.2
"""With such a part of function words, it is surely a question, or a sentence."""
FEW, MANY = 4, 7
"""Of so few words, one passage need not hold all for them to be surely typed; of so many it has to."""
HALF, MOST, WHOLE = 0.45, 0.6, 0.86
"""Which part of the words the best passage holds: from here on it counts; enough of few words; what a text can hold."""
ORDERS = frozenset("compare define describe discuss explain list name outline summarise summarize tell".split())
"""With these at its beginning it is a question, too."""
WEIGHED = tuple(field.name for field in fields(QueryWeights))
"""Settings that a user who sets one has weighed."""


STATIC_WEIGHT = 0.3
"""`search.dense_weight` of static vectors, unless a user sets it: with 0.7 they do harm to full text. By fusion alone
nDCG@10 is 0.641, 0.691 and 0.681 with 0.7, 0.3 and 0 on SciFact, and 0.485, 0.522 and 0.513 on Cranfield."""


def query_shape(query: str) -> tuple[float, float]:
    """How much a query looks typed, not asked, and how much of one it has few words; each 0..1."""
    words = _WORD.findall(query.lower())
    if not words or "?" in query or words[0] in ORDERS:
        return 0.0, 0.0
    content = sum(word not in STOP_WORDS for word in words)
    looks = max(0.0, 1 - (1 - content / len(words)) / MOST_FUNCTION_WORDS)
    return looks, _scale(MANY - content, 0, MANY - FEW)


def typed_share(query: str, best: float) -> float:
    """How surely a query is typed for something known, 0..1.

    `best` is which part of its words the passage holds that holds most of them (`SearchIndex.search_exact`).
    """
    looks, short = query_shape(query)
    return looks * _scale(best, HALF, WHOLE + short * (MOST - WHOLE))


def balance_weights(settings: SearchSettings, words: str, coverage: Callable[[], float]) -> SearchSettings:
    """The settings with the weights that suit a query; with their own where they are set.

    Args:
        settings: the settings.
        words: the query (`EncodedQuery.words`).
        coverage: tells which part of the words the passage holds that holds most of them; asked where it counts.
    """
    if not settings.by_query:
        return settings
    looks, _ = query_shape(words)
    return mix_weights(settings, typed_share(words, coverage()) if looks else 0.0)


def mix_weights(settings: SearchSettings, surely: float) -> SearchSettings:
    """Settings with the weights between their own (a question: 0) and `TYPED` (1), in hundredths."""
    mixed: dict[str, Any] = {}
    for name in WEIGHED:
        own_weight = getattr(settings, name)
        mixed[name] = round(own_weight + surely * (getattr(TYPED, name) - own_weight), 2)
    return replace(settings, by_query=False, **mixed)


def _scale(value: float, low: float, high: float) -> float:
    """0 at `low` and below, 1 at `high` and above."""
    return min(1.0, max(0.0, (value - low) / (high - low)))
