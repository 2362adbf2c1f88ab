"""Threads that do not hold up the end of the process, for what may wait for a server or import much."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def run_in_daemon(work: Callable[[], T]) -> T:
    """What `work` returns, or raises, in a thread of its own.

    As `asyncio.to_thread`, whose threads Python waits for at its end, also where nobody wants their result any more.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def finish(result: T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(result)  # type: ignore[arg-type]
        else:
            done.set_exception(error)

    def run() -> None:
        result, failed = None, None
        try:
            result = context.run(work)
        except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
            failed = error
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            loop.call_soon_threadsafe(finish, result, failed)

    threading.Thread(target=run, name="conspectus-aside", daemon=True).start()
    return await done
