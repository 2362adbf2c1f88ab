"""What became of a hostile file, and what reading it took. For `hostile.py`."""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conspectus.core.errors import ConspectusError, LimitError
from conspectus.parse.process.pool import WORKER, Limits
from conspectus.parse.process.wire import Order
from conspectus.parse.process.worker_process import WorkerProcess

UNFORESEEN = re.compile(r"^Reading '.*' failed: ", re.S)


@dataclass
class Outcome:
    """What became of a file."""

    name: str
    papers: int = 0
    bad: int = 0
    error: ConspectusError | None = None
    seconds: float = 0.0
    peak_mb: float = 0.0
    fault: str = ""

    def __str__(self) -> str:
        return f"{self.kind:10} {self.seconds:7.2f} s {self.peak_mb:6.0f} MB {self.papers:4} {self.name}"

    @property
    def kind(self) -> str:
        """One of `KINDS`."""
        if self.error is None:
            return "read"
        message = self.error.message
        if UNFORESEEN.match(message):
            return "unforeseen"
        if "crashed the program" in message:
            return "crash"
        if isinstance(self.error, LimitError) and "took longer than" in message:
            return "time"
        if isinstance(self.error, LimitError) and "MB of memory" in message:
            return "memory"
        return "refused"


KINDS = ("read", "refused", "time", "memory", "crash", "unforeseen")


class MeasuredWorker(WorkerProcess):
    """A child that notes how long each file took and how much memory, as the system counts it."""

    def __init__(self, limits: Limits, notes: dict[str, tuple[float, float]]) -> None:
        super().__init__(WORKER, limits.seconds, limits.memory_mb)
        self._notes = notes
        self._peak = 0.0

    def read(self, order: Order) -> Iterator[Any]:
        """As `WorkerProcess.read`."""
        started, self._peak = time.monotonic(), 0.0
        self._reset()
        done = threading.Event()
        watch = threading.Thread(target=self._watch, args=(done,), daemon=True)
        watch.start()
        for report, error in super().read(order):
            if report.done:
                self._look()
                done.set()
                self._notes[os.fsdecode(order.path)] = (time.monotonic() - started, self._peak)
            yield report, error

    def _watch(self, done: threading.Event) -> None:
        while not done.wait(0.05):
            self._look()

    def _look(self) -> None:
        if self._process is not None:
            self._peak = max(self._peak, memory_mb(self._process.pid, "VmHWM"))

    def _reset(self) -> None:
        if self._process is not None:
            with contextlib.suppress(OSError):
                Path(f"/proc/{self._process.pid}/clear_refs").write_text("5")


def memory_mb(process: int | str, field: str) -> float:
    """Megabytes of a process (`self` for this one): `VmRSS` is now, `VmHWM` the most; 0 if it is gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) / 1024
    return 0.0
