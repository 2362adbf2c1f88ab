"""A question, ready to be searched for; with expansion (F5) moved towards texts that an answer would resemble."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.models.protocol import Embedder, TokenVectors
from conspectus.settings import SearchSettings

Number = TypeVar("Number", np.float32, np.float64)
_WORD = re.compile(r"\w+")
_OTHERS = re.compile(r"\bet\.? al\b\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Words:
    """The content words of a question.

    Attributes:
        texts: as they stand in it.
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
class Asked:
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
    content: Words
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

    def towards(self, others: Sequence[FloatArray], share: float) -> Asked:
        """The question with the vector that is searched for moved; its words are looked for as before."""
        return replace(self, moved=combined(self.vector, others, share)) if len(others) else self


def ask(
    text: str,
    embedder: Embedder,
    frequencies: Callable[[Sequence[str]], list[int]],
    passages: int,
    settings: SearchSettings,
) -> Asked:
    """The question `text`; `frequencies` says in how many of the `passages` each word is."""
    embedding = embedder.embed_query(text)
    starts = [] if embedding.tokens is None else embedding.tokens.starts.tolist()
    texts = [found[0] if (found := _WORD.match(text, start)) else "" for start in starts]
    words = Words(tuple(texts), tuple(frequencies(texts)), passages)
    return Asked(text, embedding.vector, embedding.tokens, words, words.weights(np.float32), settings)


def combined(question: FloatArray, others: Sequence[FloatArray], share: float) -> FloatArray:
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
    made = (1 - share) * question + share * np.mean(np.stack(list(others)), axis=0)
    length = float(np.linalg.norm(made))
    return np.asarray(made / length, np.float32) if length else question


def how_many(settings: SearchSettings) -> int:
    """How many texts are written or passages taken: as set, else one abstract, three wordings or passages."""
    return settings.expansions or (1 if settings.expand == "hyde" else 3)
