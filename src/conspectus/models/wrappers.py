"""Wrappers of models: embedders and encoders of others, validated; rerankers that are not asked the same twice."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import ConspectusError, ServiceError, UsageError
from conspectus.models.protocol import Embedder, Embedding, Encoder, Reranker

if TYPE_CHECKING:
    from PIL.Image import Image

T = TypeVar("T")
NEAR = 0.01
"""How far from 1 the length of a unit vector may be."""


class _Validating(Generic[T]):
    """What `inner` has, of which subclasses check a part; `what` it is called, and the suite that tests it."""

    what: str
    suite: str

    def __init__(self, inner: T, method: str) -> None:
        if not callable(getattr(inner, method, None)):
            kind = self.suite.removesuffix("Conformance")
            raise UsageError(f"{inner!r} is no {self.what}.", f"It needs what conspectus.models.protocol.{kind} has.")
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        if name == "inner":  # of a copy that is not made yet
            raise AttributeError(name)
        return getattr(self.inner, name)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Whatever it raises, as one of our errors."""
        try:
            yield
        except ConspectusError:
            raise
        except Exception as error:
            raise self._wrong(f"fails: {type(error).__name__}: {error}") from error

    def _wrong(self, what: str) -> ServiceError:
        hint = f"Mend it, or take another; conspectus.testing.models.{self.suite} tests it."
        return ServiceError(f"The {self.what} '{self.inner.id}' {what}.", hint)  # type: ignore[attr-defined]


class ValidatingEmbedder(_Validating[Embedder]):
    """See `Embedder`; what `inner` has beside is there, too.

    Raises:
        UsageError: `inner` is no embedder.
        ServiceError: when it embeds: it gives too few or too many vectors, or one that is no unit vector.
    """

    what, suite = "embedder", "EmbedderConformance"

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner, "embed")

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
        for embedding in self.inner.embed(texts):  # where it fails at a text, that costs the text's file
            yield self._check_embedding(embedding)
            count += 1
        if count != len(texts):
            raise self._wrong(f"gives {count} vectors of {len(texts)} texts")

    def embed_query(self, text: str) -> Embedding:
        """See `Embedder`."""
        with self._translate_errors():
            return self._check_embedding(self.inner.embed_query(text))

    def _check_embedding(self, embedding: Embedding) -> Embedding:
        vector = np.asarray(embedding.vector)
        if vector.shape != (self.dimensions,):
            raise self._wrong(f"gives {vector.size} numbers, not {self.dimensions}")
        if not abs(float(np.linalg.norm(vector)) - 1) < NEAR:  # nor is what is no number
            raise self._wrong("gives what is no unit vector")
        return embedding


class ValidatingEncoder(_Validating[Encoder]):
    """See `Encoder`; what `inner` has beside is there, too.

    Raises:
        UsageError: `inner` is no encoder.
        ServiceError: when it makes vectors: it fails, gives too few or too many, or one that is of another length or
            has what is no number.
    """

    what, suite = "image encoder", "EncoderConformance"

    def __init__(self, inner: Encoder) -> None:
        super().__init__(inner, "images")

    @property
    def id(self) -> str:
        """See `Encoder`."""
        return self.inner.id

    @property
    def dimensions(self) -> int:
        """See `Encoder`."""
        with self._translate_errors():
            return self.inner.dimensions

    @property
    def takes(self) -> frozenset[Literal["image", "text"]]:
        """See `Encoder`."""
        with self._translate_errors():
            return self.inner.takes

    def images(self, pictures: Iterable[Image]) -> Iterator[FloatArray]:
        """See `Encoder`."""
        waiting, taken, count = iter(pictures), Counter[str](), 0
        with self._translate_errors():
            for count, vector in enumerate(self.inner.images(_count_pictures(waiting, taken)), 1):  # noqa: B007
                yield self._check_vector(vector)
        left = sum(1 for _ in waiting)
        if count != taken["pictures"] or left:
            raise self._wrong(f"gives {count} vectors of {taken['pictures'] + left} pictures")

    def text(self, words: str) -> FloatArray:
        """See `Encoder`."""
        with self._translate_errors():
            return self._check_vector(self.inner.text(words))

    def _check_vector(self, raw_vector: FloatArray) -> FloatArray:
        vector = np.asarray(raw_vector, np.float32)
        if vector.shape != (self.inner.dimensions,):
            raise self._wrong(f"gives {vector.size} numbers, not {self.inner.dimensions}")
        if not np.isfinite(vector).all():
            raise self._wrong("gives what are no numbers")
        return vector


def _count_pictures(pictures: Iterator[Image], taken: Counter[str]) -> Iterator[Image]:
    for picture in pictures:
        taken["pictures"] += 1
        yield picture


MOST_SCORES = 50_000
"""Scores that are kept, about 10 MB; the one used longest ago goes first."""


class CachingReranker:
    """Keeps the scores of a reranker in memory, by hashes of question and text, for as long as it lives.

    A search that is repeated, or widened, asks only for what is new. Nothing is written: a search writes nothing.
    """

    def __init__(self, inner: Reranker, most: int = MOST_SCORES) -> None:
        self.inner = inner
        self._most = most
        self._known: OrderedDict[bytes, float] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def id(self) -> str:
        """See `Reranker`."""
        return self.inner.id

    def scores(self, query: str, texts: Sequence[str], papers: Sequence[str] = ()) -> FloatArray:
        """See `Reranker`."""
        digests = [_digest(query, text) for text in texts]
        score_by_digest = self._load_scores(digests)
        new = {digest: place for place, digest in enumerate(digests) if digest not in score_by_digest}
        if new:
            places = sorted(new.values())
            new_papers = [papers[place] for place in places] if papers else ()
            fresh = self.inner.scores(query, [texts[place] for place in places], new_papers)
            if len(fresh) != len(places) or not np.isfinite(fresh).all():
                problem = f"{len(fresh)} scores" if len(fresh) != len(places) else "scores that are no numbers"
                raise ServiceError(f"The reranker '{self.id}' gives {problem} of {len(places)} texts.", "Take another.")
            came = dict(zip((digests[place] for place in places), np.asarray(fresh, np.float32).tolist(), strict=True))
            self._keep(came)
            score_by_digest |= came
        return np.array([score_by_digest[digest] for digest in digests], np.float32)

    def _load_scores(self, digests: Sequence[bytes]) -> dict[bytes, float]:
        with self._lock:
            score_by_digest = {digest: self._known[digest] for digest in digests if digest in self._known}
            for digest in score_by_digest:
                self._known.move_to_end(digest)
        return score_by_digest

    def _keep(self, came: dict[bytes, float]) -> None:
        with self._lock:
            self._known.update(came)
            while len(self._known) > self._most:
                self._known.popitem(last=False)


def _digest(query: str, text: str) -> bytes:
    content = f"{len(query)} {query}{text}"
    return blake2b(content.encode(errors="surrogatepass"), digest_size=16).digest()
