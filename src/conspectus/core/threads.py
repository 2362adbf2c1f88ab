"""Threads that are not waited for longer than the caller wants, and do not hold up the end of the process."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import copy_context
from typing import TypeVar

from conspectus.core.job_context import check, on_cancel

S = TypeVar("S")
T = TypeVar("T")


def call_side_by_side(
    call: Callable[[S], T], items: Sequence[S], at_once: int, seconds: float | None = None
) -> list[T | None]:
    """What `call` returns for each item, in threads that emit to the listener of this one.

    Threads that are late go on until their call ends, and begin no other; they do not keep the program from ending.

    Args:
        call: is given an item; the first error that it raises is raised here.
        items: in this order.
        at_once: calls at one time, at most.
        seconds: after which calls are not waited for; None: all are.

    Returns:
        A list as long as `items`; None for a call that had not ended.
    """
    results: list[T | None] = [None] * len(items)
    errors: list[BaseException] = []
    lock, done, is_late = threading.Lock(), threading.Event(), threading.Event()
    waiting = [(number, item, copy_context()) for number, item in reversed(list(enumerate(items)))]
    left = len(items)

    def work() -> None:
        nonlocal left
        while not is_late.is_set():
            with lock:
                if not waiting:
                    return
                number, item, context = waiting.pop()
            try:
                results[number] = context.run(call, item)
            except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
                errors.append(error)
            with lock:
                left -= 1
                if not left or errors:
                    done.set()

    for _ in range(min(at_once, len(items))):
        threading.Thread(target=work, daemon=True).start()
    try:
        with on_cancel(done.set):
            if items:
                done.wait(seconds)
        check()
        if errors:
            raise errors[0]
        return list(results)
    finally:
        is_late.set()


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
