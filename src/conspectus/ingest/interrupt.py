"""Ctrl-C while adding: what is in hand is finished first, where that is soon; a second one does not wait."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Self

GRACE = 0.7
"""Seconds from the first Ctrl-C, after which it counts as a second one."""


class Interruption:
    """A context manager that lets Ctrl-C wait while something is `held`. Where it is not Python's own, it stays so."""

    def __init__(self) -> None:
        self._asked = self._holding = False
        self._timer = threading.Timer(GRACE, _thread.interrupt_main)
        self._timer.daemon = True
        self._before: object = None

    def __enter__(self) -> Self:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._heard)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        if self._before is not None:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    @contextmanager
    def held(self) -> Iterator[None]:
        """What is done in here is done to its end; the first Ctrl-C is raised after it."""
        heard, self._holding = self._asked, True
        try:
            yield
        finally:
            self._holding = False
        if self._asked and not heard:
            raise KeyboardInterrupt

    def _heard(self, _number: int, _frame: FrameType | None) -> None:
        again, self._asked = self._asked, True
        if not again:
            self._timer.start()
        if again or not self._holding:
            raise KeyboardInterrupt


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """What is done in the main thread in here ends after `seconds` as by Ctrl-C."""
    timer = threading.Timer(seconds, _thread.interrupt_main)
    timer.daemon = True
    if threading.current_thread() is threading.main_thread():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
