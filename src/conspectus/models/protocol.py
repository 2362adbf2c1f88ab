"""What an embedder is: the one thing that the rest of the program knows about embedding models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]


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
