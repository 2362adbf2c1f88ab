"""Embedders behind HTTP: any OpenAI-compatible server, and Ollama."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import ServiceError
from conspectus.core.http import NoAnswerError, Reply, exchange
from conspectus.core.retry import RETRY
from conspectus.models.protocol import Embedding

BATCH = 32
MOST_WORDS = 2**20
"""Bytes of an answer beside its vectors."""
MOST_VECTOR = 2**18
"""Bytes of one vector: of 10,000 numbers with all their digits."""


class _Row(msgspec.Struct):
    index: int
    embedding: list[float]


class _Rows(msgspec.Struct):
    data: list[_Row]


class _Embeddings(msgspec.Struct):
    embeddings: list[list[float]]


class _HttpEmbedder(ABC):
    """Batches, retries with back-off where that can help, and checks of what came back."""

    def __init__(self, url: str, model: str, *, key: str = "", timeout: float = 60.0) -> None:
        self._url = url.rstrip("/")
        self._model = model
        self._key = key
        self._timeout = timeout
        self._dimensions = 0

    @property
    def id(self) -> str:
        """The server's address and the model's name."""
        return f"{self._url}#{self._model}"

    @property
    def dimensions(self) -> int:
        """As the server gives them; asked with one text the first time."""
        if not self._dimensions:
            self._dimensions = len(self.embed_query("dimensions").vector)
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        """The embeddings of `texts`, in their order, fetched in batches of 32."""
        for start in range(0, len(texts), BATCH):
            for vector in self._checked(list(texts[start : start + BATCH])):
                yield Embedding(vector)

    def embed_query(self, text: str) -> Embedding:
        """The embedding of a question."""
        return Embedding(self._checked([text])[0])

    def _checked(self, texts: list[str]) -> FloatArray:
        most = MOST_WORDS + MOST_VECTOR * len(texts)
        answer = self._post(self._path(), {"model": self._model, "input": texts}, most)
        try:
            vectors = np.array(self._vectors(answer), np.float32)
        except (ValueError, RecursionError) as error:  # msgspec's errors are of the first kind
            raise self._error("answered with something that is not a list of vectors") from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise self._error(f"answered with vectors of shape {vectors.shape} for {len(texts)} texts")
        if self._dimensions and vectors.shape[1] != self._dimensions:
            raise self._error(f"answered with {vectors.shape[1]} dimensions after {self._dimensions}")
        self._dimensions = vectors.shape[1]
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not norms.all():
            raise self._error("answered with a vector of zeros")
        return np.asarray(vectors / norms, np.float32)

    def _post(self, path: str, body: dict[str, Any], most: int) -> bytes:
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            reply = exchange("POST", self._url + path, headers=headers, body=body, timeout=self._timeout, most=most)
        except NoAnswerError as error:
            raise self._error(f"did not answer ({error})", retry=error.retry) from error
        if not reply.ok:
            raise self._refused(reply)
        return reply.body

    def _refused(self, reply: Reply) -> ServiceError:
        hints = {
            401: "Check the key: models.api_key.",
            403: "Check the key: models.api_key.",
            404: "Check the model's name.",
        }
        error = self._error(f"refused: HTTP {reply.status}, {reply.words()!r}", retry=RETRY.may_pass(reply.status))
        error.hint = hints.get(reply.status, error.hint)
        return error

    def _error(self, what: str, *, retry: bool = False) -> ServiceError:
        hint = "Check that the server runs, then try again." if retry else "Check models.embedder."
        return ServiceError(f"The embedding service '{self.id}' {what}.", hint, retry=retry)

    @abstractmethod
    def _path(self) -> str: ...

    @abstractmethod
    def _vectors(self, answer: bytes) -> list[list[float]]: ...


class OpenAIEmbedder(_HttpEmbedder):
    """`POST URL/embeddings` as OpenAI, vLLM, llama.cpp, LM Studio, TEI and others serve it."""

    def _path(self) -> str:
        return "/embeddings"

    def _vectors(self, answer: bytes) -> list[list[float]]:
        rows = sorted(msgspec.json.decode(answer, type=_Rows).data, key=lambda row: row.index)
        return [row.embedding for row in rows]


class OllamaEmbedder(_HttpEmbedder):
    """`POST URL/api/embed` of an Ollama server."""

    def _path(self) -> str:
        return "/api/embed"

    def _vectors(self, answer: bytes) -> list[list[float]]:
        return msgspec.json.decode(answer, type=_Embeddings).embeddings
