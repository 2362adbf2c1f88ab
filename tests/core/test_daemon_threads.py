"""Threads that do not hold up the end of the process."""

import asyncio
import threading
from contextvars import ContextVar

import pytest

from conspectus.core.threads import run_in_daemon
from helpers import HANG

WHO: ContextVar[str] = ContextVar("who", default="nobody")


def test_a_result_or_an_error_comes_back_with_the_context() -> None:
    """Lost otherwise: what a server says of its model, or why it says nothing."""

    def fail() -> None:
        raise ValueError("no")

    async def run() -> str:
        WHO.set("somebody")
        with pytest.raises(ValueError, match="no"):
            await run_in_daemon(fail)
        return await run_in_daemon(WHO.get)

    assert asyncio.run(run()) == "somebody"


def test_nobody_waits_for_what_is_not_wanted_any_more() -> None:
    """Lost otherwise: seconds after `--max-seconds`, to a server that does not answer."""
    hanging = threading.Event()

    async def run() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(run_in_daemon(lambda: hanging.wait(HANG)), 0.05)

    asyncio.run(run())
    assert any(thread.name == "conspectus-aside" and thread.daemon for thread in threading.enumerate())
    hanging.set()
