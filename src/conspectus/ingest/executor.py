"""Where files are read and texts are embedded: in processes and threads of this machine, or on a cluster's workers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from conspectus.models.protocol import Embedder
from conspectus.parse.process.pool import Limits, ParsedBatch, ParsePool, ReadingJob
from conspectus.settings import Settings


class ReadingPool(Protocol):
    """Reads files; `ParsePool` does so in child processes of this one."""

    def run(self, jobs: Iterable[ReadingJob]) -> Iterator[ParsedBatch]:
        """See `ParsePool.run`. Whoever stops listening has what is not read yet broken off."""


class Executor(Protocol):
    """What does the work of `add` that needs no catalog.

    Attributes:
        embedder: embeds texts; may be asked by `lanes` threads at a time.
        lanes: so many parts of files are embedded at a time, 1 or more.
    """

    @property
    def embedder(self) -> Embedder: ...  # noqa: D102 - see above

    @property
    def lanes(self) -> int: ...  # noqa: D102

    def reading_pool(self, files: int, limits: Limits) -> AbstractContextManager[ReadingPool]:
        """What reads so many files, each within `limits`."""


@dataclass(frozen=True, slots=True)
class LocalExecutor:
    """See `Executor`: child processes, and one thread that embeds; `workers` 0: as many as processors, at most 8."""

    embedder: Embedder
    workers: int = 0
    lanes: int = 1

    def reading_pool(self, files: int, limits: Limits) -> ParsePool:
        """See `Executor`."""
        return ParsePool(max(1, min(self.workers or min(os.cpu_count() or 1, 8), files)), limits)


def open_executor(settings: Settings, embedder: Embedder, name: str) -> AbstractContextManager[Executor]:
    """What `parse.cluster` names, connected; empty: this machine.

    Args:
        settings: of the library.
        embedder: of the library.
        name: what `models.embedder` calls it, by which workers make it; "": no setting names it, or it is a service,
            and texts are embedded here.

    Raises:
        UnavailableError: the cluster cannot be used; the message says why, and of which worker.
    """
    local = LocalExecutor(embedder, settings.parse.workers)
    if not settings.parse.cluster:
        return nullcontext(local)
    from conspectus.ingest.cluster import ClusterExecutor

    return ClusterExecutor(settings.parse.cluster, local, name)
