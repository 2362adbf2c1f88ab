"""A reranker that is not asked the same twice."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import ServiceError
from conspectus.models.protocol import Reranker

MOST = 50_000
"""Scores that are kept, about 10 MB; the one used longest ago goes first."""


class Remembered:
    """Keeps the scores of a reranker in memory, by hashes of question and text, for as long as it lives.

    A search that is repeated, or widened, asks only for what is new. Nothing is written: a search writes nothing.
    """

    def __init__(self, inner: Reranker, most: int = MOST) -> None:
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
        found = self._recalled(digests)
        new = {digest: place for place, digest in enumerate(digests) if digest not in found}
        if new:
            places = sorted(new.values())
            own = [papers[place] for place in places] if papers else ()
            fresh = self.inner.scores(query, [texts[place] for place in places], own)
            if len(fresh) != len(places) or not np.isfinite(fresh).all():
                said = f"{len(fresh)} scores" if len(fresh) != len(places) else "scores that are no numbers"
                raise ServiceError(f"The reranker '{self.id}' gives {said} of {len(places)} texts.", "Take another.")
            came = dict(zip((digests[place] for place in places), np.asarray(fresh, np.float32).tolist(), strict=True))
            self._keep(came)
            found |= came
        return np.array([found[digest] for digest in digests], np.float32)

    def _recalled(self, digests: Sequence[bytes]) -> dict[bytes, float]:
        with self._lock:
            found = {digest: self._known[digest] for digest in digests if digest in self._known}
            for digest in found:
                self._known.move_to_end(digest)
        return found

    def _keep(self, came: dict[bytes, float]) -> None:
        with self._lock:
            self._known.update(came)
            while len(self._known) > self._most:
                self._known.popitem(last=False)


def _digest(query: str, text: str) -> bytes:
    whole = f"{len(query)} {query}{text}"
    return blake2b(whole.encode(errors="surrogatepass"), digest_size=16).digest()
