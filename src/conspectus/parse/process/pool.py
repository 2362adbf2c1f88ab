"""Files read in child processes, with limits on time and memory.

The children are programs of their own (`worker`) and not forks of this one: that is safe with threads, in notebooks and
in scripts without a main guard. None is started before there is a file to read.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from conspectus.core.errors import ConspectusError, InputError, UsageError
from conspectus.parse.process.wire import ImagePage, Order
from conspectus.parse.process.worker_process import WorkerProcess
from conspectus.parse.protocol import Item

WORKER = (sys.executable, "-P", "-m", "conspectus.parse.process.worker")
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Limits:
    """What reading may take. `seconds` are of processor time and count between two reports; in all a file has them
    once, and once a megabyte. On the clock it has `worker_process.PATIENCE` times as long."""

    seconds: float = 120.0
    memory_mb: int = 2000


def drawing_child(limits: Limits) -> closing[WorkerProcess]:
    """A child process that draws, and reads pictures; to be used in a `with` statement, behind which it is gone."""
    return closing(WorkerProcess((*WORKER, "draws"), limits.seconds, limits.memory_mb))


@dataclass(frozen=True, slots=True)
class ReadingJob:
    """A file, and the name of the reader for it; for other machines also the reader's `key` and the file's bytes."""

    path: str
    reader: str
    key: str = ""
    size: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class ParsedBatch:
    """Some items of a file, at most 64. With `done` there are no more; `error` is why a file could not be read (on).

    `done_fraction`, 0 to 1, says how much of the file has been read, where that is known. Of a file of pictures there
    are `images`. It was read on another `machine` where that has a name.
    """

    job: ReadingJob
    items: tuple[Item, ...]
    done: bool
    error: ConspectusError | None = None
    done_fraction: float | None = None
    images: tuple[ImagePage, ...] = ()
    machine: str = ""


class ParsePool:
    """A context manager that reads files in up to `workers` processes at a time.

    Args:
        workers: From 1.
        limits: What each file may take.
        command: The program that the children run, before the memory limit in MB; for tests.
    """

    def __init__(self, workers: int, limits: Limits, command: Sequence[str] = WORKER) -> None:
        if workers < 1:
            raise UsageError(f"workers is {workers} but must be at least 1.")
        self._children = [WorkerProcess(command, limits.seconds, limits.memory_mb) for _ in range(workers)]
        self._run: _Run | None = None

    def __enter__(self) -> ParsePool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends all children at once."""
        if self._run is not None:
            self._run.stop()
        for child in self._children:
            child.close()

    def run(self, jobs: Iterable[ReadingJob]) -> Iterator[ParsedBatch]:
        """The batches of all jobs as they come; those of one job are in order and end with one that is `done`.

        Jobs are taken one by one, in the caller's thread and not long before there is a worker for them; the workers
        are about two batches ahead of the caller. One run at a time.
        """
        self._run = run = _Run(self._children)
        try:
            yield from run.batches(iter(jobs))
        finally:
            run.stop()


class _Run:
    """One run of the pool: a thread for each child, between a queue of jobs and a queue of batches."""

    def __init__(self, children: list[WorkerProcess]) -> None:
        self._children = children
        self._todo: queue.Queue[ReadingJob | None] = queue.Queue()
        self._ready: queue.Queue[ParsedBatch] = queue.Queue(maxsize=len(children))
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._busy: set[WorkerProcess] = set()

    def batches(self, jobs: Iterator[ReadingJob]) -> Iterator[ParsedBatch]:
        outstanding, more = 0, True
        while True:
            while more and outstanding < 2 * len(self._children):
                job = next(jobs, None)
                if job is None:
                    more = False
                    break
                self._todo.put(job)
                outstanding += 1
                self._need_thread(outstanding)
            if not outstanding:
                return
            batch = self._take()
            outstanding -= batch.done
            yield batch

    def stop(self) -> None:
        """Ends the threads; children in the midst of a file that nobody waits for any more are killed."""
        self._stopping.set()
        for _ in self._threads:
            self._todo.put(None)
        while any(thread.is_alive() for thread in self._threads):
            self._kill_busy()
            for thread in self._threads:
                thread.join(_POLL_SECONDS / 2)
        self._kill_busy()

    def _kill_busy(self) -> None:
        for child in list(self._busy):
            child.kill()

    def _need_thread(self, outstanding: int) -> None:
        count = len(self._threads)
        if count < min(outstanding, len(self._children)):
            thread = threading.Thread(target=self._serve, args=(self._children[count],), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _take(self) -> ParsedBatch:
        while True:  # a wait without end could not be interrupted by Ctrl-C on Windows
            try:
                return self._ready.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue

    def _serve(self, child: WorkerProcess) -> None:
        while (job := self._todo.get()) is not None and not self._stopping.is_set():
            self._busy.add(child)
            try:
                self._serve_job(child, job)
            except Exception as error:  # noqa: BLE001 - a thread that dies unheard would leave the caller waiting
                failure = InputError(
                    f"Reading '{Path(job.path).name}' failed: {type(error).__name__}: {error}.", "Please report this."
                )
                self._put(ParsedBatch(job, (), True, failure))

    def _serve_job(self, child: WorkerProcess, job: ReadingJob) -> None:
        for report, error in child.read(Order(os.fsencode(job.path), job.reader)):
            self._put(ParsedBatch(job, report.unpack(), report.done, error, report.fraction, report.images))
            if self._stopping.is_set():
                return
        self._busy.discard(child)

    def _put(self, batch: ParsedBatch) -> None:
        while not self._stopping.is_set():
            try:
                return self._ready.put(batch, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
        return None
