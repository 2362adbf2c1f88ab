"""Verbs as jobs: one stream of events for all that listen, an end from any thread, and the same result."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core import job_context
from conspectus.core.errors import NotFoundError, StoppedError, UsageError
from conspectus.records.events import Cancelled, Done, Failed, Filed, Finished, JobEvent, Progress, Searching, Started
from conspectus.session.jobs import Job
from helpers import HANG, assert_consistent, open_library, until, write_jsonl
from language_server import Say, serve_script

pytestmark = pytest.mark.usefixtures("quick_pool")
RECORDS = [
    {"id": f"p{n}", "title": f"Work {n}", "abstract": f"Cats purr at {n} hertz, says work {n}."} for n in range(200)
]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "library") as made:
        yield made


def test_add_is_a_job_in_a_thread_of_its_own(library: Library, tmp_path: Path) -> None:
    """A server, or a notebook, would stand still while papers are added, and could not say how far it is."""
    job = library.begin(library.add, write_jsonl(tmp_path / "a.jsonl", RECORDS))
    events = list(job.events())
    assert events[0] == Started("add") and isinstance(events[-1], Finished)
    assert events[-1].result == job.result() and len(job.result().added) == 1 and job.is_done
    stages = {event.stage for event in events if isinstance(event, Progress)}
    assert {"adding", "indexing"} <= stages
    assert library.search("cats").hits


def test_who_listens_late_hears_the_end(library: Library, tmp_path: Path) -> None:
    """A page that is loaded again would wait for ever."""
    job = library.begin(library.add, write_jsonl(tmp_path / "a.jsonl", RECORDS[:3]))
    job.result(HANG)
    first, *told, last = job.events()
    assert isinstance(first, Started) and isinstance(last, Finished)
    stages = [event.stage for event in told if isinstance(event, Progress)]
    assert len(stages) == len(set(stages)), "of how far a stage was, only the newest"
    (filed,) = (event for event in told if isinstance(event, Filed))
    assert (filed.outcome, Path(filed.file.path).name) == ("added", "a.jsonl")


def test_an_add_is_cancelled_and_goes_on_later(library: Library, tmp_path: Path) -> None:
    """Else who begins a long `add` by mistake has to kill the program; or the library is left half written."""
    files = [write_jsonl(tmp_path / f"{n:02}.jsonl", RECORDS[10 * n : 10 * n + 10]) for n in range(20)]
    job = library.begin(library.add, files)
    for event in job.events():
        if isinstance(event, Progress) and event.files[0] >= 1:
            job.cancel()
    with pytest.raises(StoppedError, match="'add' was stopped"):
        job.result(HANG)
    stored = library.counts()["papers"]
    assert stored < 200
    assert_consistent(library)
    assert len(library.search("cats", 200).hits) == stored, "what was stored can be found"
    library.add(files)
    assert library.counts()["papers"] == 200
    assert_consistent(library)


def test_a_question_is_cancelled_while_a_model_is_waited_for(tmp_path: Path) -> None:
    """A model that takes minutes would be waited for, and paid."""
    with serve_script(lambda _: Say("never", delay=HANG)) as server, open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", RECORDS[:5]))
        job = library.begin(library.ask, "At how many hertz do cats purr?", model=server.url)
        until(lambda: server.requests)
        job.cancel()
        with pytest.raises(StoppedError):
            job.result(HANG / 2)
        assert isinstance(list(job.events())[-1], Cancelled)
        assert library.ask("At how many hertz do cats purr?").id, "the library goes on"


def test_a_wish_that_comes_before_the_wait_ends_it_too(library: Library) -> None:
    """Who cancels a moment too early would wait for all of it."""
    begun, wished = threading.Event(), threading.Event()

    async def endless(_: Any) -> None:
        await asyncio.sleep(HANG)

    def work() -> None:
        begun.set()
        assert wished.wait(HANG)
        list(library.session.loop.events(endless))

    job = Job("wait", work)
    assert begun.wait(HANG)
    job.cancel()
    wished.set()
    with pytest.raises(StoppedError):
        job.result(HANG / 2)


def test_what_a_thread_of_the_work_waits_for_ends_too(library: Library) -> None:
    """A model that ranks within an answer would be waited for, and paid, after all else has ended."""
    begun, ended = threading.Event(), threading.Event()

    async def endless(_: Any) -> None:
        begun.set()
        try:
            await asyncio.sleep(HANG)
        finally:
            ended.set()

    async def ranked(_: Any) -> None:
        await asyncio.to_thread(lambda: list(library.session.loop.events(endless)))

    job = Job("rank", lambda: list(library.session.loop.events(ranked)))
    assert begun.wait(HANG)
    job.cancel()
    with pytest.raises(StoppedError):
        job.result(HANG / 2)
    assert ended.wait(HANG / 2)


def test_what_a_thread_begins_to_wait_for_when_the_work_has_ended_ends_at_once(library: Library) -> None:
    """Who cancels just before a thread of an answer asks its model would have that call go on, and pay it."""
    begun, over, ended = threading.Event(), threading.Event(), threading.Event()

    async def endless(_: Any) -> None:
        await asyncio.sleep(HANG)

    def late() -> None:
        begun.set()
        assert over.wait(HANG)
        with suppress(job_context.Stopped):
            list(library.session.loop.events(endless))
        ended.set()

    async def ranked(_: Any) -> None:
        await asyncio.to_thread(late)

    job = Job("rank", lambda: list(library.session.loop.events(ranked)))
    assert begun.wait(HANG)
    job.cancel()
    with pytest.raises(StoppedError):
        job.result(HANG / 2)
    over.set()
    assert ended.wait(HANG / 2)


def test_an_answer_is_told_as_it_is_made(library: Library, tmp_path: Path) -> None:
    """Nothing could be shown before all of an answer is there."""
    library.add(write_jsonl(tmp_path / "a.jsonl", RECORDS[:5]))
    job = library.begin(library.ask, "At how many hertz do cats purr?")
    events = list(job.events())
    assert any(isinstance(event, Searching) for event in events)
    done = next(event for event in events if isinstance(event, Done))
    assert done.answer == job.result() and events[-1] == Finished(done.answer)


def test_the_same_in_an_event_loop(library: Library, tmp_path: Path) -> None:
    """A server has an event loop, and may not block it."""
    path = write_jsonl(tmp_path / "a.jsonl", RECORDS[:5])

    async def run() -> tuple[list[JobEvent], Any]:
        job = library.begin(library.add, path)
        return [event async for event in job.aevents()], await job

    events, report = asyncio.run(run())
    assert events[0] == Started("add") and events[-1] == Finished(report)


def test_an_error_is_told_and_raised(library: Library) -> None:
    """Who only listens would not know why it ended."""
    job = library.begin(library.remove, "nothing")
    with pytest.raises(NotFoundError):
        job.result(HANG)
    last = list(job.events())[-1]
    assert isinstance(last, Failed) and isinstance(last.error, NotFoundError)


def test_closing_ends_jobs(tmp_path: Path) -> None:
    """Else a thread goes on writing to a library that is closed."""
    begun, ends = threading.Event(), []

    def hold(paths: Any) -> Iterator[Path]:
        try:
            begun.set()
            while True:
                job_context.check()
        finally:
            ends.append(1)
        yield

    with open_library(tmp_path / "lib") as library, pytest.MonkeyPatch.context() as patch:
        patch.setattr("conspectus.library.paper_changes.names_of", hold)
        patch.setattr("conspectus.ingest.adder.Adder.run", lambda _, names: list(names))
        job = library.begin(library.add, [])
        assert begun.wait(HANG)
    assert ends and job.wait(HANG)
    with pytest.raises(StoppedError):
        job.result()


@pytest.mark.parametrize("verb", ["aask", "stream", "events", "watch"])
def test_what_is_no_job_is_refused(library: Library, tmp_path: Path, verb: str) -> None:
    """A job that gives back a generator has done nothing."""
    with pytest.raises(UsageError, match=f"'{verb}' cannot be a job"):
        library.begin(getattr(library, verb), "x")
    with open_library(tmp_path / "other") as other, pytest.raises(UsageError):
        library.begin(other.counts)


def test_two_jobs_do_not_hear_each_other() -> None:
    """The progress of one user's work would be shown to another."""
    both = threading.Barrier(2, timeout=HANG)

    def work(name: str) -> str:
        both.wait()
        job_context.emit(Progress(name, 0, 1, "papers"))
        both.wait()
        return name

    jobs = [Job(name, lambda name=name: work(name)) for name in ("one", "two")]  # type: ignore[misc]
    for job in jobs:
        heard = [event.stage for event in job.events() if isinstance(event, Progress)]
        assert heard == [job.result()]
