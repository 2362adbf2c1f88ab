"""Where answers are made: one event loop in a thread of its own, for as long as the library is open.

So `ask` works wherever it is called, also where an event loop runs already, and connections to servers are kept from
one question to the next.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
Job = Callable[[Callable[[T], None]], Coroutine[Any, Any, None]]
"""Makes an answer, or something else that takes long, and tells events on the way."""


class Engine:
    """Runs coroutines in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="conspectus-answers", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """What a coroutine returns. An exception here, such as Ctrl-C, ends it."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            self._end(future)
            raise

    def events(self, job: Job[T]) -> Generator[T, None, None]:
        """The events of a job as they come; closing the iterator ends it."""
        waiting: queue.SimpleQueue[T | None] = queue.SimpleQueue()
        future = self._begin(job, waiting.put)
        try:
            while (event := waiting.get()) is not None:
                yield event
            future.result()
        finally:
            self._end(future)

    async def aevents(self, job: Job[T]) -> AsyncGenerator[T]:
        """`events` for a caller's own event loop, which goes on meanwhile."""
        loop = asyncio.get_running_loop()
        waiting: asyncio.Queue[T | None] = asyncio.Queue()

        def put(event: T | None) -> None:
            with suppress(RuntimeError):  # the caller's loop is closed: nobody listens
                loop.call_soon_threadsafe(waiting.put_nowait, event)

        future = self._begin(job, put)
        try:
            while (event := await waiting.get()) is not None:
                yield event
            future.result()
        finally:
            future.cancel()

    def close(self) -> None:
        """End what is running, and the thread."""
        if not self._loop.is_closed():
            self.run(_end_others())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _begin(self, job: Job[T], put: Callable[[T | None], None]) -> Future[None]:
        async def run() -> None:
            try:
                await job(put)
            finally:
                put(None)

        return asyncio.run_coroutine_threadsafe(run(), self._loop)

    def _end(self, future: Future[Any]) -> None:
        """Cancel, and wait until what was begun has let go."""
        if future.cancel():
            with suppress(BaseException):
                asyncio.run_coroutine_threadsafe(_end_cancelled(), self._loop).result(5)


async def _end_others() -> None:
    own = asyncio.current_task()
    others = [task for task in asyncio.all_tasks() if task is not own]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


async def _end_cancelled() -> None:
    """A turn of the loop, in which cancelled tasks let go."""
    for _ in range(3):
        await asyncio.sleep(0)
