"""What an embedder is: the one thing that the rest of the program knows about embedding models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray

if TYPE_CHECKING:
    from PIL.Image import Image


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """A vector for each content word of a text, for late interaction.

    Attributes:
        starts: uint32 [words], where each word begins in the text that was embedded, in characters.
        vectors: int8 [words, d], each a unit vector times 127.
    """

    starts: npt.NDArray[np.uint32]
    vectors: npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Embedding:
    """One text's unit vector, float32 [dimensions], and its word vectors where the model gives them."""

    vector: FloatArray
    tokens: TokenVectors | None = None


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product is their similarity.

    A text's embedding depends on nothing but the text and `id`. Vectors of different ids are never compared.
    One that knows a single language may name it in an attribute `language`: questions in others are then told of.
    """

    @property
    def id(self) -> str:
        """Model, version and quantisation; stored with every vector."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        """The embeddings of `texts`, in their order, as they are ready.

        Raises:
            ServiceError: a remote model did not answer, or refused.
        """

    def embed_query(self, text: str) -> Embedding:
        """The embedding of a question."""


@runtime_checkable
class Encoder(Protocol):
    """Turns pictures into vectors: alike ones into near ones.

    Vectors are raw, as the model gives them: their lengths may say something. A picture's depends on nothing but the
    picture and `id`; those of different ids are never compared. One that takes texts gives each a vector that is near
    those of pictures that show what the text says.
    """

    @property
    def id(self) -> str:
        """Model, version and quantisation; stored with every vector."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    @property
    def takes(self) -> frozenset[Literal["image", "text"]]:
        """Of what it makes vectors."""

    def images(self, pictures: Iterable[Image]) -> Iterator[FloatArray]:
        """The vectors of pictures of any size and mode, float32 [dimensions], in their order, as they are ready.

        Pictures are taken as they are needed, in batches of the encoder's own.
        """

    def text(self, words: str) -> FloatArray:
        """The vector of a text, float32 [dimensions]; asked only of one that takes texts."""


@runtime_checkable
class Reranker(Protocol):
    """Says how much each text bears on a question, reading the two together.

    Scores have a scale of the reranker's own (logits without bounds, or 0..1) and are compared within one call's
    `id` and question only.
    """

    @property
    def id(self) -> str:
        """What made a score, as it is shown: kind, name, and a version, hash or address. May load the model."""

    def scores(self, query: str, texts: Sequence[str], papers: Sequence[str] = ()) -> FloatArray:
        """How much each text bears on the query, float32 [texts], higher is better, finite.

        A text that is longer than the model reads is cut at its end. The same question and text have the same score,
        whatever is next to them, up to rounding by services that compute in batches.

        Args:
            query: what is asked.
            texts: none is an empty result.
            papers: the ids of the papers that the texts are of, one each. What a language model answers is kept with
                them, so that it goes when they go; without them it is not kept. Others have no use for them.

        Raises:
            ServiceError: a service did not answer, refused, or answered with what cannot be used.
            ModelMissingError, ModelDamagedError: a local model cannot be loaded or run.
        """
