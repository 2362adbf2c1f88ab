"""The jobs of a server: those that run, and the last that ended."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar
from weakref import WeakSet

from conspectus.core.errors import BusyError, NotFoundError
from conspectus.library import Library
from conspectus.server.feed import Feed
from conspectus.server.problems import log
from conspectus.server.shared_jobs import RelayedJob, SharedJobs
from conspectus.session.jobs import Job

P = ParamSpec("P")
T = TypeVar("T")
RUNNING = 64
"""Jobs at one time."""
ENDED = 200
"""Jobs that ended and can still be asked for."""


def _log(job: Job[Any]) -> None:
    try:
        job.result()
    except BaseException as error:  # noqa: BLE001 - it has been told as the job's end
        log(error, f"The job '{job.verb}'")


class Board:
    """Begins jobs of a library and knows them by their ids; where the catalog is on a server, other servers' jobs too.

    Attributes:
        feed: what all of them tell.
        shared: the jobs of all servers; None: there are no others.
    """

    def __init__(self, library: Library) -> None:
        self.feed = Feed()
        self.shared = SharedJobs(library.session.catalog, self) if library.session.catalog.is_shared else None
        self._library = library
        self._jobs: dict[str, Job[Any]] = {}
        self._unwanted: WeakSet[Job[Any]] = WeakSet()
        self._changing = threading.Lock()

    def begin(self, verb: Callable[P, T], /, *given: P.args, **named: P.kwargs) -> Job[T]:
        """Begin a verb of the library.

        Raises:
            BusyError: as many as may be are running.
        """
        with self._changing:
            ended = [name for name, job in self._jobs.items() if job.is_done]
            for name in ended[: max(0, len(ended) - ENDED)]:
                del self._jobs[name]
            if len(self._jobs) - len(ended) >= RUNNING:
                raise BusyError(f"{RUNNING} jobs are running, and no more can.", "Wait for one of them, or end it.")
            job = self._library.begin(verb, *given, **named)
            self._jobs[job.id] = job
        job.journal.hear(self.feed.put)
        job.when_done(lambda: _log(job))
        if self.shared:
            self.shared.publish(job)
        return job

    def cancel(self, name: str) -> Job[Any] | RelayedJob:
        """Have a job end soon because somebody wishes it, and not because the server ends; the job.

        Raises:
            NotFoundError: there is none, or no longer.
        """
        job = self.job(name)
        if isinstance(job, RelayedJob):
            assert self.shared
            self.shared.cancel(job)
            return job
        with self._changing:
            self._unwanted.add(job)
        job.cancel()
        return job

    def is_unwanted(self, job: Job[Any]) -> bool:
        """Whether somebody wished that it ends."""
        with self._changing:
            return job in self._unwanted

    def job(self, name: str) -> Job[Any] | RelayedJob:
        """The job with this id.

        Raises:
            NotFoundError: there is none, or no longer.
        """
        with self._changing:
            if name in self._jobs:
                return self._jobs[name]
        if self.shared and (job := self.shared.find(name)):
            return job
        hint = "The server forgets old jobs, and all when it ends; its lists of files and answers stay."
        raise NotFoundError(f"There is no job '{name}'.", hint)

    def own_jobs(self) -> list[Job[Any]]:
        """Those of this server, in the order in which they were begun."""
        with self._changing:
            return list(self._jobs.values())

    def jobs(self) -> list[Job[Any] | RelayedJob]:
        """All of them, in the order in which they were begun."""
        jobs = [*self.own_jobs(), *(self.shared.jobs() if self.shared else ())]
        return sorted(jobs, key=lambda job: job.begun)
