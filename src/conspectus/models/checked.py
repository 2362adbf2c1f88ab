"""An embedder of somebody else, held to what an embedder is: a wrong vector would be stored, and found by nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from conspectus.core.errors import ConspectusError, ServiceError, UsageError
from conspectus.models.protocol import Embedder, Embedding

NEAR = 0.01
"""How far from 1 the length of a unit vector may be."""


class CheckedEmbedder:
    """See `Embedder`; what `inner` has beside is there, too.

    Raises:
        UsageError: `inner` is no embedder.
        ServiceError: when it embeds: it gives too few or too many vectors, or one that is no unit vector.
    """

    def __init__(self, inner: Embedder) -> None:
        if not callable(getattr(inner, "embed", None)):
            raise UsageError(f"{inner!r} is no embedder.", "It needs what conspectus.models.protocol.Embedder has.")
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        if name == "inner":  # of a copy that is not made yet
            raise AttributeError(name)
        return getattr(self.inner, name)

    @property
    def id(self) -> str:
        """See `Embedder`."""
        return self.inner.id

    @property
    def dimensions(self) -> int:
        """See `Embedder`."""
        return self.inner.dimensions

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        """See `Embedder`."""
        count = 0
        for found in self.inner.embed(texts):  # where it fails at a text, that costs the text's file
            yield self._checked(found)
            count += 1
        if count != len(texts):
            raise self._wrong(f"gives {count} vectors of {len(texts)} texts")

    def embed_query(self, text: str) -> Embedding:
        """See `Embedder`."""
        try:
            return self._checked(self.inner.embed_query(text))
        except ConspectusError:
            raise
        except Exception as error:
            raise self._wrong(f"fails: {type(error).__name__}: {error}") from error

    def _checked(self, found: Embedding) -> Embedding:
        vector = np.asarray(found.vector)
        if vector.shape != (self.dimensions,):
            raise self._wrong(f"gives {vector.size} numbers, not {self.dimensions}")
        if not abs(float(np.linalg.norm(vector)) - 1) < NEAR:  # nor is what is no number
            raise self._wrong("gives what is no unit vector")
        return found

    def _wrong(self, what: str) -> ServiceError:
        hint = "Mend it, or take another; conspectus.testing.models.EmbedderConformance tests it."
        return ServiceError(f"The embedder '{self.id}' {what}.", hint)
