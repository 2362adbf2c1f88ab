"""A verb of a library that runs in a thread of its own: its events, its end, its result."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sized
from concurrent.futures import Future, wait
from contextlib import aclosing
from functools import partial
from inspect import isgenerator
from typing import Any, Generic, TypeVar, cast, get_args

from conspectus.core.errors import StoppedError
from conspectus.core.job_context import JobContext, Stopped, emit
from conspectus.library.journal import Journal
from conspectus.records.events import Event
from conspectus.records.jobs import (
    Cancelled,
    Ending,
    Failed,
    Filed,
    Finished,
    JobEvent,
    JobState,
    Part,
    Progress,
    Started,
)

T = TypeVar("T")
_TOLD = (Progress, Filed, Part, *get_args(Event))
_ENDS: dict[type, JobState] = {Finished: "done", Failed: "failed", Cancelled: "cancelled"}


class Job(Generic[T]):
    """A verb that runs in a thread of its own.

    Args:
        verb: its name.
        work: runs it.

    Attributes:
        id: that nobody can guess.
        state: `running`, or how it ended.
        journal: what it has told.
    """

    def __init__(self, verb: str, work: Callable[[], T]) -> None:
        self.verb = verb
        self.id = f"job-{secrets.token_hex(8)}"
        self.state: JobState = "running"
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
            with self._ear.listening():
                result = cast(T, list(_parts(made))) if isgenerator(made := work()) else made
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


def _parts(made: Iterator[T]) -> Iterator[T]:
    """What comes of a generator, each told."""
    for one in made:
        emit(Part(one))
        yield one
