"""Between reading and writing: what was read waits in order while its texts are embedded in a thread."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Self, TypeVar

from conspectus.ingest.blame import is_its_own
from conspectus.models.protocol import Embedder, Embedding

T = TypeVar("T")

MOST_TEXTS = 256
"""So many texts may wait to be embedded or written; then reading has to wait."""
MOST_WAITING = 64
"""So many things may wait, though they have few texts."""
LET_GO = 0.5
"""Seconds to wait for the text in hand where nobody wants it any more."""
_POLL_SECONDS = 0.2

Made = dict[bytes, Embedding]
"""Digest of a text -> its embedding."""


@dataclass(slots=True)
class _Waiting(Generic[T]):
    thing: T
    made: Future[Made]
    texts: int


class Ahead(Generic[T]):
    """A queue of things with their texts, which are embedded meanwhile; a context manager. For one thread."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._waiting: deque[_Waiting[T]] = deque()
        self._texts = 0
        self._thread = ThreadPoolExecutor(1, "ahead")
        self._stopping = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._thread.shutdown(wait=False, cancel_futures=True)
        running = [waiting.made for waiting in self._waiting if not waiting.made.cancelled()]
        wait(running, LET_GO)  # until the text in hand is embedded; a server that takes longer is left to itself

    def put(self, thing: T, texts: Mapping[bytes, str]) -> None:
        """Queue a thing; `texts`, by their digests, are embedded in a thread."""
        made: Future[Made] = Future()
        if texts:
            made = self._thread.submit(self._embed, texts)
        else:
            made.set_result({})
        self._waiting.append(_Waiting(thing, made, len(texts)))
        self._texts += len(texts)

    def ready(self) -> Iterator[None]:
        """Once for each thing to `take` now: those that wait for nothing, and what is too much to wait."""
        while self._waiting and (self._full or self._waiting[0].made.done()):
            self._wait()
            yield

    def rest(self) -> Iterator[None]:
        """Once for each thing that is left, when it can be taken."""
        while self._waiting:
            self._wait()
            yield

    def take(self) -> tuple[T, Made]:
        """The first thing with its embeddings. Who is interrupted before this call has lost nothing."""
        first = self._waiting.popleft()
        self._texts -= first.texts
        return first.thing, first.made.result()

    @property
    def _full(self) -> bool:
        return self._texts > MOST_TEXTS or len(self._waiting) > MOST_WAITING

    def _wait(self) -> None:
        while not wait([self._waiting[0].made], _POLL_SECONDS).done:  # without an end Windows could not interrupt it
            pass

    def _embed(self, texts: Mapping[bytes, str]) -> Made:
        try:
            return self._made(texts)
        except Exception as error:
            if not is_its_own(error):
                raise
            return {}  # it fails again where it can be said of which document

    def _made(self, texts: Mapping[bytes, str]) -> Made:
        made: Made = {}
        for digest, embedding in zip(texts, self._embedder.embed(list(texts.values())), strict=True):
            if self._stopping.is_set():
                raise CancelledError
            made[digest] = embedding
        return made
