"""Where answers are made: one event loop in a thread of its own, for as long as the library is open.

So `ask` works wherever it is called, also where an event loop runs already, and connections to servers are kept from
one question to the next.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from conspectus.core.errors import UsageError, closed
from conspectus.core.job_context import Stopped, check, emit, on_cancel

T = TypeVar("T")
Job = Callable[[Callable[[T], None]], Coroutine[Any, Any, None]]
"""Makes an answer, or something else that takes long, and tells events on the way."""
Last = Callable[[], Coroutine[Any, Any, None]]

LAST_WRITE = 30.0
"""Seconds that jobs which were ended have, when the library is closed, to write what models have said."""
LET_GO = 5.0
"""Seconds to wait for anything else that was ended."""
THREADS_LET_GO = 1.0
"""Seconds to wait for threads, which cannot be ended: one may wait for a service, or build an index."""


class _RunningJob:
    """A job that was begun. `ended` is set when nothing of it runs any more; with its error, if it has one."""

    def __init__(self, notify: Callable[[], None]) -> None:
        self.ended: Future[None] = Future()
        self.task: asyncio.Task[None] | None = None
        self._notify = notify
        self._is_ending = False

    def end(self) -> None:
        """Cancel, once: what the job does at its end, such as a last write, is not cancelled too. In the loop."""
        if self.task and not self._is_ending:
            self._is_ending = True
            self.task.cancel()

    def note_end(self, task: asyncio.Task[None]) -> None:
        """Pass on how the task ended."""
        error = CancelledError() if task.cancelled() else task.exception()
        if error:
            self.ended.set_exception(error)
        else:
            self.ended.set_result(None)
        self._notify()

    def result(self) -> None:
        """Raise what the job raised; where the library was closed meanwhile, say so."""
        try:
            self.ended.result()
        except CancelledError:
            raise UsageError("The library was closed before all was done.", "Open it again to ask.") from None


class AnswerLoop:
    """Runs coroutines in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._pool = ThreadPoolExecutor(32, "conspectus-answers")
        self._loop.set_default_executor(self._pool)
        self._jobs: set[_RunningJob] = set()
        self._lock = threading.Lock()
        self._is_closed = False
        self._last: Last | None = None
        self._thread = threading.Thread(target=self._work, name="conspectus-answers", daemon=True)
        self._thread.start()

    def events(self, job: Job[T]) -> Generator[T, None, None]:
        """The events of a job as they come; closing the iterator ends it.

        Raises:
            UsageError: the engine is closed, or was before the job was done.
        """
        waiting: queue.SimpleQueue[T | Stopped | None] = queue.SimpleQueue()
        begun = self._begin(job, waiting.put)
        try:
            with on_cancel(lambda: waiting.put(Stopped())):
                while (event := waiting.get()) is not None:
                    if isinstance(event, Stopped):
                        check()  # the wish is met
                        raise event
                    emit(event)
                    yield event
            begun.result()
        finally:
            self._end(begun)

    async def aevents(self, job: Job[T]) -> AsyncGenerator[T]:
        """`events` for a caller's own event loop, which goes on meanwhile."""
        loop = asyncio.get_running_loop()
        waiting: asyncio.Queue[T | None] = asyncio.Queue()

        def put(event: T | None) -> None:
            with suppress(RuntimeError):  # the caller's loop is closed: nobody listens
                loop.call_soon_threadsafe(waiting.put_nowait, event)

        begun = self._begin(job, put)
        try:
            while (event := await waiting.get()) is not None:
                yield event
            begun.result()
        finally:
            self._cancel(begun)

    def close(self, last: Last | None = None) -> None:
        """End what is running, and the thread; closing again does nothing.

        Args:
            last: what is to be done when no job runs any more: giving connections back.
        """
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            self._last = last
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(LAST_WRITE + 3 * LET_GO)  # something may hold the loop up: it is left to itself
        shut = threading.Thread(target=self._pool.shutdown, kwargs={"cancel_futures": True}, daemon=True)
        shut.start()
        shut.join(THREADS_LET_GO)  # a thread that builds an index, say, cannot be ended: it goes on

    def _work(self) -> None:
        self._loop.run_forever()  # until it is closed
        self._loop.run_until_complete(self._end_all())
        self._loop.close()

    def _begin(self, job: Job[T], put: Callable[[T | None], None]) -> _RunningJob:
        begun = _RunningJob(lambda: put(None))

        def begin() -> None:
            begun.task = self._loop.create_task(job(put))
            self._jobs.add(begun)
            begun.task.add_done_callback(begun.note_end)
            begun.task.add_done_callback(lambda _: self._jobs.discard(begun))

        with self._lock:  # else the loop could be closed in between
            if self._is_closed:
                raise closed()
            self._loop.call_soon_threadsafe(begin)
        return begun

    def _cancel(self, begun: _RunningJob) -> None:
        with suppress(RuntimeError):  # the loop is closed
            if not begun.ended.done():
                self._loop.call_soon_threadsafe(begun.end)

    def _end(self, begun: _RunningJob) -> None:
        """Cancel, and wait until what was begun has let go; `close` waits longer."""
        self._cancel(begun)
        if threading.current_thread() is not self._thread:  # an iterator is thrown away wherever it happens to be
            with suppress(Exception):
                begun.ended.exception(LET_GO)

    async def _end_all(self) -> None:
        for begun in list(self._jobs):
            begun.end()
        if jobs := [begun.task for begun in self._jobs if begun.task]:
            await asyncio.wait(jobs, timeout=LAST_WRITE)
        if self._last:
            with suppress(Exception):  # connections that cannot be given back go with the process
                await asyncio.wait_for(self._last(), LET_GO)
        await _end_others()


async def _end_others() -> None:
    current = asyncio.current_task()
    others = [task for task in asyncio.all_tasks() if task is not current]
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=LET_GO)
