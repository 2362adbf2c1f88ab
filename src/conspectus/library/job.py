"""A verb of a library that runs in a thread of its own: its events, its end, its result."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast, get_args

from conspectus.core.errors import StoppedError
from conspectus.core.listening import Ear, Stopped
from conspectus.core.waiting import hearing_waits
from conspectus.ingest.progress import Progress
from conspectus.records.events import Event, Told

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Started:
    """The first event: which verb it is."""

    verb: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of a verb that came to its end, with what it returns."""

    result: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """The last event of one that did not."""

    error: BaseException


JobEvent = Started | Progress | Event | Finished | Failed
"""What a job tells: how far it is (`Progress`), notes (`Told`), and what there is of the result already (`Event`)."""
_TOLD = (Progress, *get_args(Event))


class Job(Generic[T]):
    """A verb that runs in a thread of its own.

    Args:
        verb: its name.
        work: runs it.
    """

    def __init__(self, verb: str, work: Callable[[], T]) -> None:
        self.verb = verb
        self._lock = threading.Lock()
        self._kept: list[JobEvent] = [Started(verb)]
        self._last: Progress | None = None
        self._listeners: list[Callable[[JobEvent | None], object]] = []
        self._future: Future[T] = Future()
        self._ear = Ear(self._hear)
        threading.Thread(target=self._run, args=(work,), name=f"conspectus-{verb}", daemon=True).start()

    @property
    def is_done(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self._future.done()

    def cancel(self) -> None:
        """Have it end soon, from any thread; what was stored or paid for until then stays. Done: nothing happens.

        An `add` ends between two files and makes its index; cancelled once more, it leaves that to the next search.
        """
        self._ear.stop()

    def result(self, timeout: float | None = None) -> T:
        """What the verb returns, when it has ended.

        Raises:
            StoppedError: it was cancelled.
            TimeoutError: it has not ended after `timeout` seconds. Else as the verb.
        """
        return self._future.result(timeout)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has ended, in whatever way; whether it has."""
        return not wait([self._future], timeout).not_done

    def events(self) -> Iterator[JobEvent]:
        """What it tells, from the beginning, until it ends. Of how far it was before, only the newest is told."""
        from queue import SimpleQueue

        waiting: SimpleQueue[JobEvent | None] = SimpleQueue()
        self._attach(waiting.put)
        try:
            while (event := waiting.get()) is not None:
                yield event
        finally:
            self._detach(waiting.put)

    async def aevents(self) -> AsyncIterator[JobEvent]:
        """`events` for an event loop."""
        loop, waiting = asyncio.get_running_loop(), asyncio.Queue[JobEvent | None]()

        def put(event: JobEvent | None) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody listens
                loop.call_soon_threadsafe(waiting.put_nowait, event)

        self._attach(put)
        try:
            while (event := await waiting.get()) is not None:
                yield event
        finally:
            self._detach(put)

    def __await__(self) -> Generator[Any, None, T]:
        """`await job`: as `result`; who gives up waiting does not end the job."""
        return asyncio.shield(asyncio.wrap_future(self._future)).__await__()

    def _run(self, work: Callable[[], T]) -> None:
        error: BaseException | None = None
        try:
            with self._ear.listening(), hearing_waits(lambda text: self._hear(Told(text))):
                result = work()
        except Stopped:
            error = StoppedError(f"'{self.verb}' was stopped before its end.", "The same call goes on from there.")
        except BaseException as failure:  # noqa: BLE001 - it is raised by `result`
            error = failure
        if error is None:
            self._future.set_result(result)
        else:
            self._future.set_exception(error)
        self._hear(Finished(result) if error is None else Failed(error), last=True)

    def _hear(self, event: object, *, last: bool = False) -> None:
        if not last and not isinstance(event, _TOLD):
            return
        with self._lock:
            if isinstance(event, Progress):
                self._last = event
            else:
                self._kept.append(cast(JobEvent, event))
            for put in self._listeners:
                put(cast(JobEvent, event))
                if last:
                    put(None)

    def _attach(self, put: Callable[[JobEvent | None], object]) -> None:
        with self._lock:
            ends = isinstance(self._kept[-1], Finished | Failed)
            known = self._kept[:-1] if ends else self._kept
            for event in (*known, *filter(None, [self._last]), *(self._kept[-1:] if ends else ())):
                put(event)
            self._listeners.append(put)
            if ends:
                put(None)

    def _detach(self, put: Callable[[JobEvent | None], object]) -> None:
        with self._lock:
            self._listeners.remove(put)
