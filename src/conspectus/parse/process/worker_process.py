"""One child process of the pool, as its parent sees it: started when needed, stopped when it takes too long.

Processor time counts, as far as it is known; else time on the clock does.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from conspectus.core.bounds import BOUNDS, Bound
from conspectus.core.errors import ConspectusError, InputError, LimitError, UnavailableError
from conspectus.parse.process.wire import Order, Report, receive, send

_START_SECONDS = 60.0
_RECOGNISING = 4
"""Pages that are pictures take so much longer for their bytes than others."""
_ABORTED = 6
"""SIGABRT, by which libraries in C++ end where they get no memory."""
_SECRETS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "CATALOG_URL")

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
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_PS_SECONDS).stdout  # noqa: S603
    return parse_clock_time(output)


def parse_clock_time(text: str) -> float:
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
        while not self._ended.wait(max(self._remaining_seconds(), _LEAST_PAUSE)):
            if self._remaining_seconds() <= 0:
                self.late = True
                self._stop()
                return

    def _remaining_seconds(self) -> float:
        """Seconds on the clock in which it cannot have had its time."""
        self._look()
        return min(self._seconds - self.spent, PATIENCE * self._seconds - self.waited)

    def _look(self) -> None:
        now = processor_seconds(self._process)
        self.waited = time.monotonic() - self._began
        worked = self.waited if now is None or self._before is None else now - self._before
        self.spent = min(worked, self.waited)


class WorkerProcess:
    """A child process that reads one file at a time. Not for more than one thread, but for `kill`."""

    def __init__(self, command: Sequence[str], seconds: float, memory_mb: int) -> None:
        self._command = [*command, str(memory_mb)]
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, order: Order) -> Iterator[tuple[Report, ConspectusError | None]]:
        """The reports on one file until one is `done`; whatever goes wrong is the error of the last."""
        try:
            process = self._send_order(order)
        except UnavailableError as error:
            yield Report(done=True), error
            return
        done = False
        left = self._seconds * _shares(order)
        while not done:
            report, watch = self._next(  # the time in which its reports wait to be taken does not count
                process, min(self._seconds, max(left, 0.0)), BOUNDS.picture if order.drawing else BOUNDS.report
            )
            left -= watch.spent
            if report is None:
                yield Report(done=True), self._death(order, watch, left)
                return
            done = report.done
            if report.leaving:
                self.kill()
            yield report, report.exception

    def answers(self, order: Order) -> Iterator[Report]:
        """The same; whatever goes wrong is raised."""
        for report, error in self.read(order):
            if error:
                raise error
            yield report

    def kill(self) -> None:
        """Ends the process at once, whatever it does. May be called from another thread."""
        process = self._process
        if process is None:
            return
        with contextlib.suppress(OSError):
            process.kill()
        process.wait()

    def close(self) -> None:
        """Ends the process and closes its pipes."""
        self.kill()
        process, self._process = self._process, None
        for pipe in (process.stdin, process.stdout) if process else ():
            with contextlib.suppress(OSError):
                if pipe:
                    pipe.close()

    def _send_order(self, order: Order) -> subprocess.Popen[bytes]:
        """The process with the order sent; a new one if there is none, or if the old one has died."""
        for _ in range(2):
            if self._process is None or self._process.poll() is not None:
                self.close()
                self._process = self._start()
            try:
                send(_pipe(self._process.stdin), order)
            except OSError:
                self.close()
            else:
                return self._process
        raise UnavailableError("The process that reads files ended at once.", "`doctor` says more.")

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        except OSError as error:
            raise UnavailableError(f"The process that reads files cannot be started: {error}.") from error
        self._process = process
        if self._next(process, _START_SECONDS)[0] is None:
            self.close()
            raise UnavailableError("The process that reads files did not start.", "`doctor` says more.")
        return process

    def _next(
        self, process: subprocess.Popen[bytes], seconds: float, bound: Bound = BOUNDS.report
    ) -> tuple[Report | None, Stopwatch]:
        """The next report, or None if the process died or had to be killed; and what it took."""
        watch = Stopwatch(process, seconds, process.kill)
        try:
            report = receive(_pipe(process.stdout), Report, bound.most)
        except (ValueError, OSError, msgspec.MsgspecError):  # nonsense from a child that has been taken over
            report = None
        finally:
            watch.end()
        if report is None:
            self.kill()
        return report, watch

    def _death(self, order: Order, watch: Stopwatch, left: float) -> ConspectusError:
        name = Path(os.fsdecode(order.path)).name
        if watch.late:
            seconds = self._seconds if left > 0 else self._seconds * _shares(order)
            took = f"{seconds:g} s of processor time to read{'' if left > 0 else ' in all'}"
            limit = min(self._seconds, left + watch.spent)
            if watch.spent < limit:
                took = f"{PATIENCE * limit:g} s on the clock to read, of which it worked for {watch.spent:.1f} s"
            return LimitError(f"'{name}' took longer than {took}.", "The setting is parse.timeout.")
        if self._process is not None and self._process.returncode == -_ABORTED:
            return LimitError(
                f"Reading '{name}' was broken off, most likely for want of memory: it has {self._memory_mb:,} MB.",
                "The setting is parse.memory. If more does not help, the file is damaged.",
            )
        return InputError(
            f"Reading '{name}' crashed the program that reads files.",
            "The file is damaged or made to do that: download or export it again.",
        )


def _shares(order: Order) -> int:
    """How often the time between two signs of life a file may take in all: once, and once for each megabyte begun."""
    try:
        size = Path(os.fsdecode(order.path)).stat().st_size
    except OSError:
        size = 0
    return (1 + -(-size // 2**20)) * (_RECOGNISING if order.reader.startswith("pdf-ocr") else 1)


def _pipe(stream: object) -> BinaryIO:
    assert stream is not None  # asked for when the process was started
    return stream  # type: ignore[return-value]


def _environment() -> dict[str, str]:
    """The parent's without what looks like a secret, and with the place of this package."""
    env = {name: value for name, value in os.environ.items() if not any(word in name.upper() for word in _SECRETS)}
    root = str(Path(__file__).resolve().parents[3])
    env["PYTHONPATH"] = os.pathsep.join(filter(None, (root, env.get("PYTHONPATH"))))
    return env
