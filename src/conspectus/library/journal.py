"""What a job has told, numbered: for any number of listeners, from any thread, also those that come late or again."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager, suppress

from conspectus.records.events import Reading, Text
from conspectus.records.jobs import Ending, Entry, JobEvent, Progress, Reset

MOST = 2000
"""Entries kept, at most."""


class Journal:
    """The entries of one job. A listener has a place in it and no queue: one that is slow costs nothing.

    What a newer event takes the place of (how far a stage was, a text that is written anew) is left out; when there are
    more than `most` entries the oldest are dropped, and whoever had not seen them is told `Reset`.

    Args:
        job: its id.
        most: entries kept, at most.
    """

    def __init__(self, job: str, most: int = MOST) -> None:
        self.job = job
        self._most = most
        self._last = self._dropped = 0
        self._kept: dict[int, Entry] = {}
        self._current: dict[object, list[int]] = {}
        self._changed = threading.Condition()
        self._hears: list[Callable[[Entry], object]] = []
        self._wakes: list[Callable[[], object]] = []

    def put(self, event: JobEvent) -> None:
        """Take an event; after one that ends the job nothing more is taken."""
        with self._changed:
            if self._is_ended:
                return
            self._last += 1
            self._supersede(event)
            self._kept[self._last] = Entry(self.job, self._last, time.time(), event)
            if len(self._kept) > self._most:
                self._dropped = next(iter(self._kept))
                del self._kept[self._dropped]
            for hear in self._hears:
                hear(self._kept[self._last])
            self._changed.notify_all()
            for wake in self._wakes:
                wake()

    def hear(self, call: Callable[[Entry], object]) -> None:
        """Call it, in the thread that tells it, for each entry: those that are here, and all that come."""
        with self._changed:
            self._hears.append(call)
            for entry in self._kept.values():
                call(entry)

    def after(self, seq: int = 0) -> tuple[Entry, ...]:
        """What was told after the entry `seq`; first `Reset`, where some of it is dropped or there was no such one."""
        with self._changed:
            if self._dropped <= seq <= self._last:
                return tuple(entry for number, entry in self._kept.items() if number > seq)
            return Entry(self.job, self._dropped, time.time(), Reset()), *self._kept.values()

    def follow(self, seq: int = 0) -> Iterator[Entry]:
        """`after`, and what comes, until the job has ended."""
        while True:
            with self._changed:
                while not (entries := self.after(seq)) and not self._is_ended:
                    self._changed.wait()
            if not entries:
                return
            yield from entries
            seq = entries[-1].seq

    async def afollow(self, seq: int = 0) -> AsyncGenerator[Entry]:
        """`follow` for an event loop."""
        loop, more = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody listens
                if not more.is_set():
                    loop.call_soon_threadsafe(more.set)

        with self._waking(wake):
            while True:
                more.clear()
                is_ended = self._is_ended
                for entry in self.after(seq):
                    yield entry
                    seq = entry.seq
                if is_ended:
                    return
                await more.wait()

    @property
    def _is_ended(self) -> bool:
        with self._changed:
            return self._last > 0 and isinstance(self._kept[self._last].event, Ending)

    def _supersede(self, event: JobEvent) -> None:
        """Leave out what this one takes the place of."""
        if not isinstance(event, Progress | Reading | Text):
            return
        place = self._current.setdefault((type(event), event.stage if isinstance(event, Progress) else ""), [])
        if not isinstance(event, Text) or event.fresh:
            for number in place:
                self._kept.pop(number, None)
            place.clear()
        place.append(self._last)

    @contextmanager
    def _waking(self, wake: Callable[[], object]) -> Iterator[None]:
        with self._changed:
            self._wakes.append(wake)
        try:
            yield
        finally:
            with self._changed:
                self._wakes.remove(wake)
