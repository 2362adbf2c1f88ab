"""Rerankers behind HTTP: Cohere, and the servers that speak its language, Jina's, or that of text-embeddings-inference.

They differ in two ways. Where: `/rerank`, `/v1/rerank` or `/v2/rerank`. How: `documents` and `relevance_score` (Cohere,
Jina, Voyage, vLLM, llama.cpp, Infinity, LocalAI), or `texts` and `score` (text-embeddings-inference); and vLLM has to
be told to cut long texts, where Cohere refuses what it does not know. A server is asked in the first way; where it says
that it does not understand, in the next. What it took is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.http import NoAnswerError, Reply, exchange
from conspectus.core.retry import RETRY
from conspectus.models.languages.backend import sendable
from conspectus.models.pairs import whole
from conspectus.settings import Secret

BATCH = 32
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
    named = {"model": model} if model else {}
    return {**named, "query": query, "documents": texts}


def documents_cut(model: str, query: str, texts: list[str]) -> dict[str, Any]:
    """As vLLM is asked to cut what is longer than the model reads."""
    return {**documents(model, query, texts), "truncate_prompt_tokens": -1}


def texts_cut(model: str, query: str, texts: list[str]) -> dict[str, Any]:  # noqa: ARG001 - it serves one model
    """As text-embeddings-inference is asked."""
    return {"query": query, "texts": texts, "truncate": True}


SHAPES: tuple[Shape, ...] = (documents, documents_cut, texts_cut)


class ServedReranker:
    """See `Reranker`. Scores are as the server gives them: 0..1 by most, logits by some.

    Args:
        url: with or without the path.
        model: its name there; may be empty where the server has only one.
        key: goes to this address only.
        timeout: seconds for an answer.
    """

    shapes = SHAPES
    batch = BATCH
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
        question, left = whole(query), [whole(text) for text in texts]
        found = [np.empty(0, np.float32)]
        while left:
            part = left[: self.batch]
            reply = self._asked(question, part)
            if reply.status == TOO_MUCH and len(part) > 1:
                self.batch = len(part) // 2  # from now on
                continue
            found.append(self._read(reply, len(part)) if reply.ok else self._cut(question, part, reply))
            left = left[len(part) :]
        return np.concatenate(found)

    def _cut(self, query: str, texts: list[str], refused: Reply) -> FloatArray:
        """The scores of texts that were refused as too long: those that are get shorter until they are taken.

        Each is cut by itself, so that its score does not depend on what stands beside it.
        """
        if refused.status not in CUT_FOR or not _says_too_long(refused):
            raise self._refused(refused)
        half = len(texts) // 2
        parts = [texts[:half], texts[half:]] if half else [[texts[0][: int(len(texts[0]) * SHORTER)]]]
        if len(parts[0][0]) < LEAST_CHARS and not half:
            raise self._refused(refused)
        found = []
        for part in parts:
            reply = self._asked(query, part)
            found.append(self._read(reply, len(part)) if reply.ok else self._cut(query, part, reply))
        return np.concatenate(found)

    def _asked(self, query: str, texts: list[str]) -> Reply:
        """The reply to the first way of asking that the server understands, else to the first of all."""
        first: Reply | None = None
        for shape in dict.fromkeys((self._shape, *self.shapes)):
            reply = self._found(shape(self._model, query, texts))
            if reply.status not in NOT_UNDERSTOOD:
                self._shape = shape if reply.ok else self._shape
                return reply
            first = first or reply
        assert first is not None
        return first

    def _found(self, body: dict[str, Any]) -> Reply:
        """The reply of the first address that is there, else of the first of all."""
        first: Reply | None = None
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

    def _post(self, address: str, body: dict[str, Any]) -> Reply:
        headers = {"Authorization": f"Bearer {self._key.reveal()}"} if self._key else {}
        try:
            return exchange("POST", address, headers=headers, body=body, timeout=self._timeout, most=MOST_ANSWER)
        except NoAnswerError as error:
            what = f"The reranker '{self.id}' did not answer ({str(error).rstrip('.')})."
            if error.retry:
                raise ServiceAwayError(what, "Check that the server runs, then try again.") from error
            raise ServiceError(what, "Check search.reranker.") from error

    def _refused(self, reply: Reply) -> ServiceError:
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

    def _read(self, reply: Reply, count: int) -> FloatArray:
        """The scores in the order of the texts; each text has to have one, and a number."""
        said = reply.json()
        rows = said if isinstance(said, list) else None
        if isinstance(said, dict):
            rows = said.get("results", said.get("data"))
        if not isinstance(rows, list):
            raise self._useless(f"something that is no list of scores, {reply.words(80)!r}")
        found: dict[int, float] = {}
        for row in rows:
            index, score = _row(row)
            if index is None or not 0 <= index < count or index in found:
                raise self._useless(f"a score for no text, or a second one for a text ({_shown(row)})")
            if score is None:
                raise self._useless(f"a score that is no number ({_shown(row)})")
            found[index] = score
        if len(found) != count:
            raise self._useless(f"{len(found)} scores for {count} texts")
        return np.array([found[index] for index in range(count)], np.float32)

    def _useless(self, what: str) -> ServiceError:
        return ServiceError(f"The reranker '{self.id}' answered with {what}.", "Check that it serves a reranker.")


class CohereReranker(ServedReranker):
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


def _says_too_long(reply: Reply) -> bool:
    words = reply.words(1000).lower()
    return any(sign in words for sign in TOO_LONG)


def _row(row: Any) -> tuple[int | None, float | None]:
    """The index and the score of a row, each None where it is none."""
    if not isinstance(row, dict):
        return None, None
    index, score = row.get("index"), row.get("relevance_score", row.get("score"))
    found = None
    if isinstance(score, int | float) and not isinstance(score, bool) and abs(score) <= LARGEST:
        found = float(score)
    return index if type(index) is int else None, found


def _shown(row: Any) -> str:
    return repr(row)[:80]
