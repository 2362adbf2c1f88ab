"""Verbs that run in threads: their events, numbered for any number of listeners, their end and their result."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Sized
from concurrent.futures import Future, wait
from contextlib import aclosing, contextmanager, suppress
from functools import partial
from inspect import isgenerator
from typing import Any, Generic, TypeVar, cast, get_args

from conspectus.core.errors import StoppedError
from conspectus.core.job_context import JobContext, Stopped, emit
from conspectus.records.events import (
    Cancelled,
    Ending,
    Event,
    Failed,
    Filed,
    Finished,
    JobEvent,
    JobLogEntry,
    JobState,
    PartialResult,
    Progress,
    Reading,
    Reset,
    Started,
    Text,
)

T = TypeVar("T")
_TOLD = (Progress, Filed, PartialResult, *get_args(Event))
_ENDS: dict[type, JobState] = {Finished: "done", Failed: "failed", Cancelled: "cancelled"}
MOST = 2000
"""Entries kept, at most."""


class Journal:
    """The entries of one job. A listener has a place in it and no queue: one that is slow costs nothing.

    What a newer event takes the place of (how far a stage was, a text that is written anew) is left out; when there are
    more than `most` entries the oldest are dropped, and whoever had not seen them is told `Reset`.

    Args:
        job: its id.
        most: entries kept, at most.
    """

    def __init__(self, job: str, most: int = MOST) -> None:
        self.job = job
        self._most = most
        self._last = self._dropped = 0
        self._entries: dict[int, JobLogEntry] = {}
        self._current: dict[object, list[int]] = {}
        self._changed = threading.Condition()
        self._hears: list[Callable[[JobLogEntry], object]] = []
        self._wakes: list[Callable[[], object]] = []

    def put(self, event: JobEvent) -> None:
        """Take an event; after one that ends the job nothing more is taken."""
        with self._changed:
            if not self._is_ended:
                self._take(JobLogEntry(self.job, self._last + 1, time.time(), event))

    def relay(self, entry: JobLogEntry) -> None:
        """Take an entry of the same job's journal elsewhere, if it is not here yet."""
        with self._changed:
            if entry.seq > self._last and not self._is_ended:
                self._take(entry)

    @property
    def last(self) -> int:
        """The number of the last entry; 0 where there is none."""
        with self._changed:
            return self._last

    def hear(self, call: Callable[[JobLogEntry], object]) -> None:
        """Call it, in the thread that tells it, for each entry: those that are here, and all that come."""
        with self._changed:
            self._hears.append(call)
            for entry in self._entries.values():
                call(entry)

    def after(self, seq: int = 0) -> tuple[JobLogEntry, ...]:
        """What was told after the entry `seq`; first `Reset`, where some of it is dropped or there was no such one."""
        with self._changed:
            if self._dropped <= seq <= self._last:
                return tuple(entry for number, entry in self._entries.items() if number > seq)
            return JobLogEntry(self.job, self._dropped, time.time(), Reset()), *self._entries.values()

    def follow(self, seq: int = 0) -> Iterator[JobLogEntry]:
        """`after`, and what comes, until the job has ended."""
        while True:
            with self._changed:
                while not (entries := self.after(seq)) and not self._is_ended:
                    self._changed.wait()
            if not entries:
                return
            yield from entries
            seq = entries[-1].seq

    async def afollow(self, seq: int = 0) -> AsyncGenerator[JobLogEntry]:
        """`follow` for an event loop."""
        loop, more = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody listens
                if not more.is_set():
                    loop.call_soon_threadsafe(more.set)

        with self._register_wake(wake):
            while True:
                more.clear()
                is_ended = self._is_ended
                for entry in self.after(seq):
                    yield entry
                    seq = entry.seq
                if is_ended:
                    return
                await more.wait()

    @property
    def _is_ended(self) -> bool:
        with self._changed:
            return self._last > 0 and isinstance(self._entries[self._last].event, Ending)

    def _take(self, entry: JobLogEntry) -> None:
        self._last = entry.seq
        self._supersede(entry.event)
        self._entries[self._last] = entry
        if len(self._entries) > self._most:
            self._dropped = next(iter(self._entries))
            del self._entries[self._dropped]
        for hear in self._hears:
            hear(entry)
        self._changed.notify_all()
        for wake in self._wakes:
            wake()

    def _supersede(self, event: JobEvent) -> None:
        """Leave out what this one takes the place of."""
        if not isinstance(event, Progress | Reading | Text):
            return
        place = self._current.setdefault((type(event), event.stage if isinstance(event, Progress) else ""), [])
        if not isinstance(event, Text) or event.fresh:
            for number in place:
                self._entries.pop(number, None)
            place.clear()
        place.append(self._last)

    @contextmanager
    def _register_wake(self, wake: Callable[[], object]) -> Iterator[None]:
        with self._changed:
            self._wakes.append(wake)
        try:
            yield
        finally:
            with self._changed:
                self._wakes.remove(wake)


class Job(Generic[T]):
    """A verb that runs in a thread of its own.

    Args:
        verb: its name.
        work: runs it.

    Attributes:
        id: that nobody can guess.
        state: `running`, or how it ended.
        begun: when, in seconds since the epoch.
        journal: what it has told.
    """

    def __init__(self, verb: str, work: Callable[[], T]) -> None:
        self.verb = verb
        self.id = f"job-{secrets.token_hex(8)}"
        self.state: JobState = "running"
        self.begun = time.time()
        self.journal = Journal(self.id)
        self.journal.put(Started(verb))
        self._future: Future[T] = Future()
        self._ear = JobContext(self._hear)
        threading.Thread(target=self._run, args=(work,), name=f"conspectus-{verb}", daemon=True).start()

    @property
    def failed(self) -> int:
        """How many of its files, papers … failed, as the result of a job that is done tells; else 0."""
        if self.state != "done" or not self.is_done:
            return 0
        failed: Sized | int = getattr(self.result(), "failed", 0)
        return failed if isinstance(failed, int) else len(failed)

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

    def when_done(self, call: Callable[[], object]) -> None:
        """Call it when the job has ended, in its thread; at once, if it has."""
        self._future.add_done_callback(lambda _: call())

    def events(self, after: int = 0) -> Iterator[JobEvent]:
        """What it tells after the entry of its journal with this number, until it ends; what is kept: `Journal`."""
        return (entry.event for entry in self.journal.follow(after))

    async def aevents(self, after: int = 0) -> AsyncIterator[JobEvent]:
        """`events` for an event loop."""
        async with aclosing(self.journal.afollow(after)) as entries:
            async for entry in entries:
                yield entry.event

    def __await__(self) -> Generator[Any, None, T]:
        """`await job`: as `result`; who gives up waiting does not end the job."""
        return asyncio.shield(asyncio.wrap_future(self._future)).__await__()

    def __repr__(self) -> str:
        """`Job('add', running)`."""
        return f"Job({self.verb!r}, {self.state})"

    def _run(self, work: Callable[[], T]) -> None:
        try:
            with self._ear.listen():
                result = cast(T, list(_parts(outcome))) if isgenerator(outcome := work()) else outcome
        except Stopped:
            error = StoppedError(f"'{self.verb}' was stopped before its end.", "The same call goes on from there.")
            self._end(Cancelled(), partial(self._future.set_exception, error))
        except BaseException as failure:  # noqa: BLE001 - it is raised by `result`
            self._end(Failed(failure), partial(self._future.set_exception, failure))
        else:
            self._end(Finished(result), partial(self._future.set_result, result))

    def _end(self, event: Ending, settle: Callable[[], None]) -> None:
        self.state = _ENDS[type(event)]
        settle()  # first: who hears the end finds it done
        self.journal.put(event)

    def _hear(self, event: object) -> None:
        if isinstance(event, _TOLD):
            self.journal.put(cast(JobEvent, event))


def _parts(parts: Iterator[T]) -> Iterator[T]:
    """What comes of a generator, each told."""
    for part in parts:
        emit(PartialResult(part))
        yield part
