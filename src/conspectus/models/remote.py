"""Embedders and rerankers behind HTTP: OpenAI-compatible servers, Ollama, Cohere, text-embeddings-inference."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec
import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.http import RETRY, HttpReply, NoAnswerError, exchange
from conspectus.models.languages.backends import sendable
from conspectus.models.pairs import replace_surrogates
from conspectus.models.protocol import Embedding
from conspectus.settings import Secret

EMBED_BATCH = 32
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
        for start in range(0, len(texts), EMBED_BATCH):
            for vector in self._check_vectors(list(texts[start : start + EMBED_BATCH])):
                yield Embedding(vector)

    def embed_query(self, text: str) -> Embedding:
        """The embedding of a question."""
        return Embedding(self._check_vectors([text])[0])

    def _check_vectors(self, texts: list[str]) -> FloatArray:
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
            raise self._make_refusal(reply)
        return reply.body

    def _make_refusal(self, reply: HttpReply) -> ServiceError:
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


RERANK_BATCH = 32
"""Texts in one request: what text-embeddings-inference takes unless it is told otherwise."""
COHERE_BATCH = 100
"""What Cohere counts as one search."""
MOST_ANSWER = 4 * 2**20
"""Bytes: the scores of one request, with their texts where a server repeats them."""
PATHS = ("/rerank", "/v2/rerank", "/v1/rerank")
"""Where it is looked for on a host without a path; else behind the path."""
NOT_UNDERSTOOD = frozenset({400, 422})
NOT_HERE = frozenset({404, 405})
TOO_MUCH = 413
LARGEST = float(np.finfo(np.float32).max)
CUT_FOR = frozenset({400, TOO_MUCH, 422})
TOO_LONG = ("too long", "too large", "context length", "context size", "larger than", "exceed")
"""What servers that do not cut say of a text that is longer than their model reads."""
SHORTER = 0.75
LEAST_CHARS = 50

Shape = Callable[[str, str, list[str]], dict[str, Any]]


def documents(model: str, query: str, texts: list[str]) -> dict[str, Any]:
    """As Cohere, Jina and those like them are asked. All scores are given back where no number is asked for."""
    model_field = {"model": model} if model else {}
    return {**model_field, "query": query, "documents": texts}


def documents_cut(model: str, query: str, texts: list[str]) -> dict[str, Any]:
    """As vLLM is asked to cut what is longer than the model reads."""
    return {**documents(model, query, texts), "truncate_prompt_tokens": -1}


def texts_cut(model: str, query: str, texts: list[str]) -> dict[str, Any]:  # noqa: ARG001 - it serves one model
    """As text-embeddings-inference is asked."""
    return {"query": query, "texts": texts, "truncate": True}


SHAPES: tuple[Shape, ...] = (documents, documents_cut, texts_cut)


class HttpReranker:
    """See `Reranker`. Scores are as the server gives them: 0..1 by most, logits by some.

    Args:
        url: with or without the path.
        model: its name there; may be empty where the server has only one.
        key: goes to this address only.
        timeout: seconds for an answer.
    """

    shapes = SHAPES
    batch = RERANK_BATCH
    keys = "models.rerank_key"

    def __init__(self, url: str, model: str, *, key: Secret | None = None, timeout: float = 60.0) -> None:
        self._url = url.rstrip("/")
        self._model = model
        self._key = sendable(key or Secret(), self.keys)
        self._timeout = timeout
        self._shape = self.shapes[0]
        self._address = ""

    @property
    def id(self) -> str:
        """The server's address and the model's name."""
        return f"{self._url}#{self._model}" if self._model else self._url

    def scores(self, query: str, texts: Sequence[str], papers: Sequence[str] = ()) -> FloatArray:  # noqa: ARG002
        """See `Reranker`."""
        question, left = replace_surrogates(query), [replace_surrogates(text) for text in texts]
        score_blocks = [np.empty(0, np.float32)]
        while left:
            part = left[: self.batch]
            reply = self._try_shapes(question, part)
            if reply.status == TOO_MUCH and len(part) > 1:
                self.batch = len(part) // 2  # from now on
                continue
            score_blocks.append(self._read(reply, len(part)) if reply.ok else self._cut(question, part, reply))
            left = left[len(part) :]
        return np.concatenate(score_blocks)

    def _cut(self, query: str, texts: list[str], refused: HttpReply) -> FloatArray:
        """The scores of texts that were refused as too long: those that are get shorter until they are taken.

        Each is cut by itself, so that its score does not depend on what is next to it.
        """
        if refused.status not in CUT_FOR or not _says_too_long(refused):
            raise self._make_refusal(refused)
        half = len(texts) // 2
        parts = [texts[:half], texts[half:]] if half else [[texts[0][: int(len(texts[0]) * SHORTER)]]]
        if len(parts[0][0]) < LEAST_CHARS and not half:
            raise self._make_refusal(refused)
        score_blocks = []
        for part in parts:
            reply = self._try_shapes(query, part)
            score_blocks.append(self._read(reply, len(part)) if reply.ok else self._cut(query, part, reply))
        return np.concatenate(score_blocks)

    def _try_shapes(self, query: str, texts: list[str]) -> HttpReply:
        """The reply to the first way of asking that the server understands, else to the first of all."""
        first: HttpReply | None = None
        for shape in dict.fromkeys((self._shape, *self.shapes)):
            reply = self._try_addresses(shape(self._model, query, texts))
            if reply.status not in NOT_UNDERSTOOD:
                self._shape = shape if reply.ok else self._shape
                return reply
            first = first or reply
        assert first is not None
        return first

    def _try_addresses(self, body: dict[str, Any]) -> HttpReply:
        """The reply of the first address that is there, else of the first of all."""
        first: HttpReply | None = None
        for address in [self._address] if self._address else self._addresses():
            reply = self._post(address, body)
            if reply.status not in NOT_HERE:
                self._address = address
                return reply
            first = first or reply
        assert first is not None
        return first

    def _addresses(self) -> list[str]:
        path = urlsplit(self._url).path
        if path.endswith(("/rerank", "/reranking")):
            return [self._url]
        return [self._url + path for path in (PATHS if not path else PATHS[:1])]

    def _post(self, address: str, body: dict[str, Any]) -> HttpReply:
        headers = {"Authorization": f"Bearer {self._key.reveal()}"} if self._key else {}
        try:
            return exchange("POST", address, headers=headers, body=body, timeout=self._timeout, most=MOST_ANSWER)
        except NoAnswerError as error:
            what = f"The reranker '{self.id}' did not answer ({str(error).rstrip('.')})."
            if error.retry:
                raise ServiceAwayError(what, "Check that the server runs, then try again.") from error
            raise ServiceError(what, "Check search.reranker.") from error

    def _make_refusal(self, reply: HttpReply) -> ServiceError:
        words = reply.words()
        if self._key:
            words = words.replace(self._key.reveal(), "***")
        what = f"The reranker '{self.id}' refused: HTTP {reply.status}, {words!r}."
        if reply.status in {*CUT_FOR, 500} and _says_too_long(reply):
            hint = "A text may be too long for it: start it with room for more tokens, or lower passages.chars."
            return ServiceError(what, hint)
        if RETRY.may_pass(reply.status):
            return ServiceAwayError(what, "Try again later.")
        if reply.status in {401, 403}:
            return ServiceError(what, f"Check the key: {self.keys}.")
        if reply.status in NOT_HERE:
            return ServiceError(what, "Check the address and the model's name in search.reranker.")
        return ServiceError(what, "Check that it serves a reranker, and its name in search.reranker.")

    def _read(self, reply: HttpReply, count: int) -> FloatArray:
        """The scores in the order of the texts; each text has to have one, and a number."""
        content = reply.json()
        rows = content if isinstance(content, list) else None
        if isinstance(content, dict):
            rows = content.get("results", content.get("data"))
        if not isinstance(rows, list):
            raise self._useless(f"something that is no list of scores, {reply.words(80)!r}")
        score_by_index: dict[int, float] = {}
        for row in rows:
            index, score = _row(row)
            if index is None or not 0 <= index < count or index in score_by_index:
                raise self._useless(f"a score for no text, or a second one for a text ({_shorten(row)})")
            if score is None:
                raise self._useless(f"a score that is no number ({_shorten(row)})")
            score_by_index[index] = score
        if len(score_by_index) != count:
            raise self._useless(f"{len(score_by_index)} scores for {count} texts")
        return np.array([score_by_index[index] for index in range(count)], np.float32)

    def _useless(self, what: str) -> ServiceError:
        return ServiceError(f"The reranker '{self.id}' answered with {what}.", "Check that it serves a reranker.")


class CohereReranker(HttpReranker):
    """Cohere's own service, `POST /v2/rerank`. Scores are 0..1."""

    shapes = (documents,)
    batch = COHERE_BATCH
    keys = "COHERE_API_KEY or models.rerank_key"

    @property
    def id(self) -> str:
        """`cohere:` and the name."""
        return f"cohere:{self._model}"

    def _addresses(self) -> list[str]:
        return [f"{self._url}/v2/rerank"]


def _says_too_long(reply: HttpReply) -> bool:
    words = reply.words(1000).lower()
    return any(sign in words for sign in TOO_LONG)


def _row(row: Any) -> tuple[int | None, float | None]:
    """The index and the score of a row, each None where it is none."""
    if not isinstance(row, dict):
        return None, None
    index, score = row.get("index"), row.get("relevance_score", row.get("score"))
    number = None
    if isinstance(score, int | float) and not isinstance(score, bool) and abs(score) <= LARGEST:
        number = float(score)
    return index if type(index) is int else None, number


def _shorten(row: Any) -> str:
    return repr(row)[:80]
