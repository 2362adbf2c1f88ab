"""How long a child process has worked, and when it has had its time: processor time counts, as far as it is known."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading
import time
from collections.abc import Callable

PATIENCE = 10
"""The most times its processor time that a child may take on the clock.

A child has at least a tenth of a processor where ten processes want each: more than that, and the machine is swapping,
or the child sleeps."""

_LEAST_PAUSE = 0.05
_PS_SECONDS = 10.0
_TICKS = 1e-7  # of Windows, in seconds


def processor_seconds(process: subprocess.Popen[bytes]) -> float | None:
    """The processor time that the process has used, in seconds; None where the system does not tell it, or it is gone.

    Linux has a clock for each process, Windows counts by handle, and all others (macOS, BSD) are asked with `ps`.
    """
    try:
        if sys.platform == "linux":
            return time.clock_gettime(~process.pid << 3 | 2)  # as clock_getcpuclockid makes it
        if sys.platform == "win32":
            return _windows_seconds(int(process._handle))  # type: ignore[attr-defined, unused-ignore]
        return _ps_seconds(process.pid)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _windows_seconds(handle: int) -> float | None:
    times = [ctypes.c_ulonglong() for _ in range(4)]  # of its start, its end, in the kernel, and of its own
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined, unused-ignore]
    if not kernel.GetProcessTimes(ctypes.c_void_p(handle), *map(ctypes.byref, times)):
        return None
    return (times[2].value + times[3].value) * _TICKS


def _ps_seconds(pid: int) -> float:
    command = ["ps", "-o", "time=", "-p", str(pid)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_PS_SECONDS).stdout  # noqa: S603
    return seconds_shown(shown)


def seconds_shown(text: str) -> float:
    """The seconds of a time as `ps` shows it: `[[days-]hours:]minutes:seconds`, with or without a fraction.

    Raises:
        ValueError: it is no such time.
    """
    days, _, rest = text.strip().rpartition("-")
    seconds = 0.0
    for part in rest.split(":"):
        seconds = 60 * seconds + float(part)
    return 86400 * int(days or 0) + seconds


class Stopwatch:
    """Calls `stop` once the process has worked for `seconds`, or has been at it for `PATIENCE` times as long.

    Where a process works in several threads, the time on the clock counts if it is less: none is read in less time
    because it uses more processors. It begins at once and runs until `end`.
    """

    def __init__(self, process: subprocess.Popen[bytes], seconds: float, stop: Callable[[], None]) -> None:
        self._process, self._seconds, self._stop = process, seconds, stop
        self._before, self._began = processor_seconds(process), time.monotonic()
        self._ended = threading.Event()
        self.spent = 0.0
        """Seconds that it has worked, as of the last look."""
        self.late = False
        """Whether it has had its time."""
        self.waited = 0.0
        """Seconds on the clock, as of the last look."""
        threading.Thread(target=self._watch, daemon=True).start()

    def end(self) -> None:
        """Ends it; `spent` is final then."""
        self._ended.set()
        if not self.late:
            self._look()

    def _watch(self) -> None:
        while not self._ended.wait(max(self._left(), _LEAST_PAUSE)):
            if self._left() <= 0:
                self.late = True
                self._stop()
                return

    def _left(self) -> float:
        """Seconds on the clock in which it cannot have had its time."""
        self._look()
        return min(self._seconds - self.spent, PATIENCE * self._seconds - self.waited)

    def _look(self) -> None:
        now = processor_seconds(self._process)
        self.waited = time.monotonic() - self._began
        worked = self.waited if now is None or self._before is None else now - self._before
        self.spent = min(worked, self.waited)
