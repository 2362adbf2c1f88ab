"""The jobs of a server: those that run and the last that ended; and what all of them report, as one stream."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar
from weakref import WeakSet

from conspectus.core.errors import BusyError, NotFoundError
from conspectus.core.text import json_text
from conspectus.library import Library
from conspectus.records.events import JobLogEntry, Progress, Reading
from conspectus.server.problems import log
from conspectus.server.shared_jobs import RelayedJob, SharedJobs
from conspectus.session.jobs import Job
from conspectus.wire import events

MOST = 2000
"""Entries kept."""


@dataclass(frozen=True, slots=True)
class Sent:
    """An entry as it is sent: its place in the row, for who comes back; its kind; its JSON."""

    place: str
    kind: str
    text: str


class Feed:
    """The last entries of all jobs. A listener has a place in the row and no queue: one that is slow costs nothing.

    How far a stage of a job is takes the place of how far it was. Places name the server that gave them: those of one
    that has ended mean nothing to the next. An entry is written as JSON once, when somebody listens.
    """

    def __init__(self) -> None:
        self._name = secrets.token_hex(4)
        self._last_number = self._last_dropped = 0
        self._entries: dict[int, JobLogEntry | Sent] = {}
        self._current_numbers: dict[object, int] = {}
        self._lock = threading.Lock()
        self._listeners: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    @property
    def place(self) -> str:
        """Where the row ends now."""
        return f"{self._name}-{self._last_number}"

    def put(self, entry: JobLogEntry) -> None:
        """Take an entry, from any thread."""
        with self._lock:
            self._last_number += 1
            if isinstance(entry.event, Progress | Reading):
                stage = entry.job, type(entry.event), getattr(entry.event, "stage", "")
                self._entries.pop(self._current_numbers.pop(stage, 0), None)
                self._current_numbers[stage] = self._last_number
            self._entries[self._last_number] = entry
            if len(self._entries) > MOST:
                self._last_dropped = next(iter(self._entries))
                del self._entries[self._last_dropped]
            if len(self._current_numbers) > MOST:
                self._current_numbers = {
                    stage: number for stage, number in self._current_numbers.items() if number in self._entries
                }
            for loop, more in self._listeners:
                with suppress(RuntimeError):  # the loop is closed: nobody listens
                    if not more.is_set():
                        loop.call_soon_threadsafe(more.set)

    def knows(self, place: str) -> bool:
        """Whether all that was told after a place is still there."""
        return self._last_dropped <= self._number(place) <= self._last_number

    async def follow(self, place: str) -> AsyncGenerator[Sent | None]:
        """What was told after a place, and what comes; None at last, where the listener was too slow for some of it."""
        listener = asyncio.get_running_loop(), asyncio.Event()
        more, seen = listener[1], self._number(place)
        with self._lock:
            self._listeners.add(listener)
        try:
            while True:
                more.clear()
                for number in self._list_after(seen):
                    if number <= self._last_dropped or seen < self._last_dropped:
                        yield None
                        return
                    if sent := await self._read_sent(number):  # else another has taken its place meanwhile
                        yield sent
                    seen = number
                await more.wait()
        finally:
            with self._lock:
                self._listeners.discard(listener)

    def _list_after(self, seen: int) -> list[int]:
        with self._lock:
            return [number for number in self._entries if number > seen] if seen < self._last_number else []

    async def _read_sent(self, number: int) -> Sent | None:
        entry = self._entries.get(number)
        if not isinstance(entry, JobLogEntry):
            return entry
        sent = await asyncio.to_thread(self._encode_entry, entry, number)  # the end of a large `add` takes its time
        with self._lock:
            if number in self._entries:
                self._entries[number] = sent
        return sent

    def _encode_entry(self, entry: JobLogEntry, number: int) -> Sent:
        event = events.event(entry)
        return Sent(f"{self._name}-{number}", event["kind"], json_text(event))

    def _number(self, place: str) -> int:
        """-1: it is no place of this row."""
        name, _, number = place.partition("-")
        return int(number) if name == self._name and number.isdecimal() and len(number) < 20 else -1


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
        self._unwanted_jobs: WeakSet[Job[Any]] = WeakSet()
        self._lock = threading.Lock()

    def begin(self, verb: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Job[T]:
        """Begin a verb of the library.

        Raises:
            BusyError: as many as may be are running.
        """
        with self._lock:
            ended_ids = [name for name, job in self._jobs.items() if job.is_done]
            for name in ended_ids[: max(0, len(ended_ids) - ENDED)]:
                del self._jobs[name]
            if len(self._jobs) - len(ended_ids) >= RUNNING:
                raise BusyError(f"{RUNNING} jobs are running, and no more can.", "Wait for one of them, or end it.")
            job = self._library.begin(verb, *args, **kwargs)
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
        with self._lock:
            self._unwanted_jobs.add(job)
        job.cancel()
        return job

    def is_unwanted(self, job: Job[Any]) -> bool:
        """Whether somebody wished that it ends."""
        with self._lock:
            return job in self._unwanted_jobs

    def job(self, name: str) -> Job[Any] | RelayedJob:
        """The job with this id.

        Raises:
            NotFoundError: there is none, or no longer.
        """
        with self._lock:
            if name in self._jobs:
                return self._jobs[name]
        if self.shared and (job := self.shared.find(name)):
            return job
        hint = "The server forgets old jobs, and all when it ends; its lists of files and answers stay."
        raise NotFoundError(f"There is no job '{name}'.", hint)

    def own_jobs(self) -> list[Job[Any]]:
        """Those of this server, in the order in which they were begun."""
        with self._lock:
            return list(self._jobs.values())

    def jobs(self) -> list[Job[Any] | RelayedJob]:
        """All of them, in the order in which they were begun."""
        jobs = [*self.own_jobs(), *(self.shared.jobs() if self.shared else ())]
        return sorted(jobs, key=lambda job: job.begun)
