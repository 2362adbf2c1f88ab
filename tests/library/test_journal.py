"""What a job has told, for listeners that are late, slow, or come again."""

import asyncio
import threading

import pytest

from conspectus.records.events import Finished, JobEvent, JobLogEntry, Notice, Progress, Reset, Searching, Started, Text
from conspectus.session.jobs import Journal
from helpers import HANG


def journal(*events: JobEvent, most: int = 100) -> Journal:
    made = Journal("job-1", most)
    for event in events:
        made.put(event)
    return made


def told(entries: tuple[JobLogEntry, ...]) -> list[tuple[int, JobEvent]]:
    return [(entry.seq, entry.event) for entry in entries]


def test_who_comes_back_hears_the_rest() -> None:
    """A page that lost its connection would show things twice, or never the end."""
    kept = journal(Started("add"), Notice("a"), Notice("b"), Finished(1))
    assert told(kept.after(2)) == [(3, Notice("b")), (4, Finished(1))]
    assert told(kept.after(4)) == [] == list(kept.follow(4))


def test_what_is_out_of_date_is_left_out() -> None:
    """A job of hours would hold each step of its progress, and a late listener would be shown all of them."""
    news = [Progress("adding", done, 9, "files") for done in range(5)]
    kept = journal(Started("add"), *news[:3], Progress("indexing", 1, 1, "papers"), *news[3:])
    assert told(kept.after()) == [(1, Started("add")), (5, Progress("indexing", 1, 1, "papers")), (7, news[4])]
    kept = journal(Text("old", True), Text(" words"), Searching("again"), Text("new", True), Text(" words"))
    assert [entry.event for entry in kept.after()] == [Searching("again"), Text("new", True), Text(" words")]


def test_what_was_dropped_is_told() -> None:
    """Memory would grow with the job; or a listener would miss some and take what it has for all."""
    kept = journal(*(Notice(str(number)) for number in range(1, 11)), most=3)
    assert told(kept.after(7)) == [(8, Notice("8")), (9, Notice("9")), (10, Notice("10"))]
    assert told(kept.after(6)) == [(7, Reset()), *told(kept.after(7))]
    assert told(kept.after(99))[0] == (7, Reset()), "a number of another journal, as after a restart"
    assert told(kept.after(kept.after(99)[0].seq)) == told(kept.after(7)), "and it is told once"


def test_nothing_comes_after_the_end() -> None:
    """A view that is closed would be told more."""
    kept = journal(Finished(None), Notice("late"))
    assert told(kept.after()) == [(1, Finished(None))]


def test_listeners_of_threads_and_loops_hear_the_same() -> None:
    """Two tabs would show two histories."""
    kept, ready = journal(Started("x"), most=1000), threading.Barrier(3, timeout=HANG)
    heard: dict[str, list[JobLogEntry]] = {}

    def follow() -> None:
        ready.wait()
        heard["sync"] = list(kept.follow())

    async def afollow() -> None:
        ready.wait()
        heard["async"] = [entry async for entry in kept.afollow()]

    threads = [threading.Thread(target=follow), threading.Thread(target=lambda: asyncio.run(afollow()))]
    for thread in threads:
        thread.start()
    ready.wait()
    for number in range(500):
        kept.put(Notice(str(number)))
    kept.put(Finished(None))
    for thread in threads:
        thread.join(HANG)
    assert heard["sync"] == heard["async"] == list(kept.after())
    assert [entry.seq for entry in heard["sync"]] == list(range(1, 503))


def test_who_stops_listening_is_forgotten() -> None:
    """A server would hold something for each page that was ever open."""
    kept = journal(Started("x"))

    async def glance() -> None:
        entries = kept.afollow()
        await anext(entries)
        await entries.aclose()

    asyncio.run(glance())
    assert not kept._wakes
    kept.put(Notice("to nobody"))


@pytest.mark.parametrize("most", [1, 2])
def test_the_end_is_never_dropped(most: int) -> None:
    """Whoever comes late would wait for ever."""
    kept = journal(Started("x"), Notice("a"), Finished(1), most=most)
    assert [entry.event for entry in kept.follow()][-1] == Finished(1)
