"""Reading and embedding on the workers of a Dask cluster (extra `cluster`), which a scheduler's address names.

Whoever runs the scheduler or a worker can run programs here: Dask unpickles what they send. What a worker says of a
file is nonetheless decoded, bounded and checked as what a child process says: it has read hostile bytes.
"""

from __future__ import annotations

import logging
import os
import queue
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import msgspec
import numpy as np

from conspectus.core.bounds import BOUNDS
from conspectus.core.disk import read_file as read_bytes
from conspectus.core.errors import ConspectusError, InputError, ServiceAwayError, SettingsError, UnavailableError
from conspectus.core.text import line
from conspectus.core.version import __version__
from conspectus.ingest.cluster_tasks import (
    FileOrder,
    FileReply,
    TextOrder,
    TextReply,
    check_worker,
    embed_texts,
    read_file,
)
from conspectus.ingest.executor import LocalExecutor, ReadingPool
from conspectus.models.protocol import Embedder, Embedding, TokenVectors
from conspectus.models.wrappers import ValidatingEmbedder
from conspectus.parse.process.pool import Limits, ParsedBatch, ReadingJob
from conspectus.parse.process.wire import Report

S = TypeVar("S")

CONNECT_SECONDS = 10.0
NO_WORKER_SECONDS = 60.0
"""So long a cluster may be without workers, as when they are started again, before the run ends."""
MOST_BYTES = 256 * 2**20
"""Of files that are on their way to workers; larger ones, which workers do not see, are read here."""
TASKS_PER_SLOT = 2
TEXTS = 32
"""The most texts of one task: a second of work."""
LANES = (16, 64)
_POLL_SECONDS = 0.2
_EMBEDDING_FIRST = 10  # the priority of a task; reading has 0
SELF_CONTAINED = frozenset(
    {"pdf", "pdf-ocr", "html", "docx", "epub", "latex-archive", "jats", "tei", "markdown", "text"}
)
"""Readers of files that are one paper and need no other file. Others read here: lists of records are quickly read and
long, LaTeX looks for its parts next to it, and readers of other packages may do either."""


@dataclass(frozen=True, slots=True)
class ClusterTask(Generic[S]):
    """A call on a worker: what it is about, its arguments, and the bytes of them that count."""

    subject: S
    arguments: tuple[bytes | None, ...]
    size: int = 0


class DaskCluster:
    """The connection to a scheduler.

    Raises:
        SettingsError: that is no address.
        UnavailableError: `distributed` is not installed, nothing answers, or there are no workers.
    """

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client

            connect: Any = Client  # it has no types
        except ImportError as error:
            raise UnavailableError("Dask is not installed.", "Install it: pip install 'conspectus[cluster]'") from error
        self.address = address
        for name in ("distributed", "distributed.client", "tornado.application"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what it would say is raised, too
        try:
            self._client: Any = connect(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except OSError as error:
            raise ServiceAwayError(
                f"No Dask scheduler answers at {address}.",
                "Start one (`dask scheduler`), or correct parse.cluster. A scheduler with TLS has an address `tls://…`.",
            ) from error
        except (ValueError, TypeError, RuntimeError) as error:
            raise SettingsError(
                f"parse.cluster is '{address}', which cannot be used: {error}.", "It is like tcp://HOST:8786."
            ) from error
        self._slots, self._counted, self._manned = 0, 0.0, time.monotonic()
        if not self.slots:
            self.close()
            raise UnavailableError(
                f"The Dask scheduler at {address} has no workers.",
                f"Start some on your machines: `dask worker {address}`.",
            )

    def close(self) -> None:
        """Leave; what was asked and is not done is not done."""
        with suppress(Exception):  # a scheduler that is gone need not be taken leave of
            self._client.close(CONNECT_SECONDS)

    @property
    def slots(self) -> int:
        """So many tasks run at a time; at most a second old."""
        now = time.monotonic()
        if now > self._counted + 1:
            with self._translate_errors():
                self._slots, self._counted = sum(self._client.nthreads().values()), now
        if self._slots:
            self._manned = now
        elif now > self._manned + NO_WORKER_SECONDS:
            raise self._away("has had no workers for a while")
        return self._slots

    def check(self, embedder: str, model_id: str) -> None:
        """See that all workers are of this version, and have the model.

        Raises:
            UnavailableError: one is not, or has not; it is named.
        """
        with self._translate_errors():
            replies = self._client.run(check_worker, embedder, model_id, __version__, on_error="return")
        for worker, reply in replies.items():
            if reply:
                raise self._refusal(worker, reply if isinstance(reply, str) else f"cannot run Conspectus: {reply}")

    def results(
        self, function: Callable[..., bytes], take: Callable[[], ClusterTask[S] | None], *, alone: bool = False
    ) -> Generator[tuple[S, bytes | ConspectusError], None, None]:
        """What `function` gives for each task, as it comes; an error where workers died of it.

        Tasks are taken one by one, not long before a worker is free, and again after each result: `take` may give None
        and later more. With `alone` one is under way at a time. When this ends, those that are not done are cancelled.
        """
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        sent: dict[str, tuple[Any, ClusterTask[S]]] = {}
        try:
            while True:
                while not sent or (
                    not alone
                    and len(sent) < TASKS_PER_SLOT * self.slots
                    and sum(task.size for _, task in sent.values()) < MOST_BYTES
                ):
                    if (task := take()) is None:
                        break
                    future = self._submit(function, *task.arguments)
                    sent[future.key] = future, task
                    future.add_done_callback(done.put)
                if not sent:
                    return
                future, task = sent.pop(self._next(done).key)
                yield task.subject, self._result(future)
        finally:
            if sent:
                with suppress(Exception):
                    self._client.cancel([future for future, _ in sent.values()])

    def begin(self, function: Callable[..., bytes], order: bytes) -> Callable[[], bytes | ConspectusError]:
        """Begin a task that goes before those of `results`; what is given back waits for it."""
        future = self._submit(function, order, priority=_EMBEDDING_FIRST)
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        future.add_done_callback(done.put)
        return lambda: self._result(self._next(done))

    def refuse(self, machine: str, refusal: str) -> None:
        """Raise what a worker has refused to do, if anything."""
        if refusal:
            raise self._refusal(clean_machine(machine), refusal)

    def _submit(self, function: Callable[..., bytes], *arguments: bytes | None, priority: int = 0) -> Any:
        import dask

        with (
            self._translate_errors(),
            dask.config.set({"distributed.admin.large-graph-warning-threshold": 2 * MOST_BYTES}),
        ):
            return self._client.submit(function, *arguments, pure=False, priority=priority)

    def _next(self, done: queue.SimpleQueue[Any]) -> Any:
        while True:  # a wait without end could not be interrupted by Ctrl-C on Windows
            try:
                return done.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                self.slots  # noqa: B018 - raises where nobody is left to wait for

    def _result(self, future: Any) -> bytes | ConspectusError:
        from distributed import KilledWorker

        with self._translate_errors():
            try:
                reply = future.result()
            except KilledWorker:
                return InputError(
                    "All workers to which it was given died, one after the other.",
                    "See their logs; they may lack memory. Or read it here, without parse.cluster.",
                )
            return reply if isinstance(reply, bytes) else b""

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Whatever Dask raises, as one of our errors."""
        from concurrent.futures import CancelledError

        try:
            yield
        except ConspectusError:
            raise
        except (CancelledError, OSError) as error:
            raise self._away("is gone") from error
        except Exception as error:
            raise UnavailableError(
                f"A worker of the cluster at {self.address} cannot run Conspectus: {type(error).__name__}: {error}.",
                _INSTALL,
            ) from error

    def _away(self, what: str) -> ServiceAwayError:
        return ServiceAwayError(
            f"The Dask scheduler at {self.address} {what}.", "What was added is kept. Start it again, then add again."
        )

    def _refusal(self, worker: str, fault: str) -> UnavailableError:
        return UnavailableError(f"The worker {worker} of the cluster at {self.address} {line(fault)[:500]}.", _INSTALL)


_INSTALL = (
    "All workers need the same Conspectus and models as this machine: "
    f"pip install 'conspectus[cluster]=={__version__}' and `models fetch` there, then start them again."
)


def clean_machine(name: str) -> str:
    """The name of a machine, as a worker there says it."""
    return line(name)[:64]


class ClusterExecutor:
    """See `Executor`; a context manager that is connected meanwhile.

    Args:
        address: of the scheduler.
        local: does what workers cannot.
        embedder: what workers call the embedder in `models.embedder`; "": they cannot have it.

    Raises:
        SettingsError, UnavailableError: see `DaskCluster`.
    """

    def __init__(self, address: str, local: LocalExecutor, embedder: str) -> None:
        self._cluster, self._local = DaskCluster(address), local
        self.embedder: Embedder = local.embedder
        if embedder:
            self.embedder = ValidatingEmbedder(ClusterEmbedder(self._cluster, local.embedder, embedder))
        try:
            self._cluster.check(embedder, local.embedder.id)
        except BaseException:
            self._cluster.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._cluster.close()

    @property
    def lanes(self) -> int:
        """See `Executor`."""
        if self.embedder is self._local.embedder:
            return self._local.lanes
        return min(max(LANES[0], TASKS_PER_SLOT * self._cluster.slots), LANES[1])

    @contextmanager
    def reading_pool(self, files: int, limits: Limits) -> Iterator[ReadingPool]:
        """See `Executor`."""
        with self._local.reading_pool(files, limits) as local:
            yield ClusterPool(self._cluster, local, limits)


class ClusterPool:
    """See `ReadingPool`: workers read files that are one paper, then `local` the others.

    A worker takes a file from its path if it sees the same file there. Where one does not, the bytes of this file and
    of all others in its folder are sent. Files that workers had when they died are read again at the end, one by one:
    of several that a worker had, one is to blame.
    """

    def __init__(self, cluster: DaskCluster, local: ReadingPool, limits: Limits) -> None:
        self._cluster, self._local, self._limits = cluster, local, limits
        self._unseen_folders: set[str] = set()

    def run(self, jobs: Iterable[ReadingJob]) -> Iterator[ParsedBatch]:
        """See `ReadingPool`."""
        unread, retries, here, suspects = iter(jobs), deque[ReadingJob](), list[ReadingJob](), list[ReadingJob]()

        def take() -> ClusterTask[ReadingJob] | None:
            while (job := retries.popleft() if retries else next(unread, None)) is not None:
                task = self._task(job) if job.reader in SELF_CONTAINED else None
                if task:
                    return task
                here.append(job)
            return None

        for alone in (False, True):
            with closing(self._cluster.results(read_file, take, alone=alone)) as results:
                for job, outcome in results:
                    if isinstance(outcome, bytes):
                        reply = _decode(outcome, FileReply) or FileReply("", (_NONSENSE,))
                        self._cluster.refuse(reply.machine, reply.refusal)
                        if not reply.unseen:
                            yield from _batches(job, reply)
                            continue
                        self._unseen_folders.add(str(Path(job.path).parent))
                        retries.append(job)
                    elif alone:
                        yield ParsedBatch(job, (), True, outcome)
                    else:
                        suspects.append(job)
            retries += suspects
        yield from self._local.run(here)

    def _task(self, job: ReadingJob) -> ClusterTask[ReadingJob] | None:
        """A job as a worker is given it; None where its bytes cannot be sent."""
        data = None
        if str(Path(job.path).parent) in self._unseen_folders:
            try:
                data = read_bytes(Path(job.path), MOST_BYTES)
            except (OSError, ConspectusError):
                return None
        order = FileOrder(
            *(os.fsencode(job.path), job.reader, job.key, job.size, job.sha256),
            *(self._limits.seconds, self._limits.memory_mb),
        )
        return ClusterTask(job, (msgspec.msgpack.encode(order), data), len(data or b""))


class ClusterEmbedder:
    """See `Embedder`: what workers embed is as `own_embedder` would; for several threads."""

    def __init__(self, cluster: DaskCluster, own_embedder: Embedder, name: str) -> None:
        self._cluster, self._own_embedder, self._name = cluster, own_embedder, name
        self.id, self.dimensions = own_embedder.id, own_embedder.dimensions

    def embed_query(self, text: str) -> Embedding:
        """See `Embedder`; this machine does it."""
        return self._own_embedder.embed_query(text)

    def embed(self, texts: Iterable[str]) -> Iterator[Embedding]:
        """See `Embedder`; some tasks are under way at a time."""
        texts, most = list(texts), max(TASKS_PER_SLOT * self._cluster.slots, 1)
        parts = [tuple(texts[start : start + TEXTS]) for start in range(0, len(texts), TEXTS)]
        begun: deque[tuple[tuple[str, ...], Callable[[], bytes | ConspectusError]]] = deque()
        for part in parts:
            order = TextOrder(part, self._name, self.id)
            begun.append((part, self._cluster.begin(embed_texts, msgspec.msgpack.encode(order))))
            if len(begun) == most:
                yield from self._embeddings(*begun.popleft())
        while begun:
            yield from self._embeddings(*begun.popleft())

    def _embeddings(self, texts: tuple[str, ...], wait: Callable[[], bytes | ConspectusError]) -> Iterator[Embedding]:
        outcome = wait()
        if isinstance(outcome, ConspectusError):
            raise outcome
        reply = _decode(outcome, TextReply) or TextReply("", failure=("InputError", *_SENSELESS))
        self._cluster.refuse(reply.machine, reply.refusal)
        if (error := Report(error=reply.failure).exception) is not None:
            raise error
        vectors = _numbers(reply.vectors, np.float32, len(texts), self.dimensions)
        for text, vector, words in zip(texts, vectors, reply.words, strict=False):  # how many there are is counted
            yield Embedding(vector, words and _token_vectors(text, *words))


_SENSELESS = ("What a worker sent back makes no sense.", "It may be another version, or damaged: start it again.")
_NONSENSE = Report(done=True, error=("InputError", *_SENSELESS))
_M = TypeVar("_M", FileReply, TextReply)


def _decode(data: bytes, kind: type[_M]) -> _M | None:
    """A worker's reply; None where it is none."""
    with suppress(msgspec.MsgspecError, ValueError):
        if len(data) <= BOUNDS.report.most:
            return msgspec.msgpack.decode(data, type=kind)
    return None


def _batches(job: ReadingJob, reply: FileReply) -> Iterator[ParsedBatch]:
    """The batches of a file; the last is `done`, whatever the worker says."""
    last = next((number for number, report in enumerate(reply.reports) if report.done), None)
    reports = reply.reports if last is None else reply.reports[: last + 1]
    machine = clean_machine(reply.machine)
    for report in (*reports, *(() if last is not None else (_NONSENSE,))):
        yield ParsedBatch(job, report.unpack(), report.done, report.exception, report.fraction, machine=machine)


def _numbers(data: bytes, kind: Any, rows: int, columns: int) -> Any:
    """Numbers of a worker as an array [rows, columns].

    Raises:
        InputError: there are more or less.
    """
    if len(data) != rows * columns * np.dtype(kind).itemsize:
        raise InputError(*_SENSELESS)
    return np.frombuffer(data, kind).reshape(rows, columns)


def _token_vectors(text: str, starts: bytes, vectors: bytes) -> TokenVectors:
    places = _numbers(starts, np.uint32, len(starts) // 4, 1)[:, 0]
    if places.size and int(places.max()) >= len(text):
        raise InputError(*_SENSELESS)
    columns = len(vectors) // max(places.size, 1)
    return TokenVectors(places, _numbers(vectors, np.int8, places.size, columns))
