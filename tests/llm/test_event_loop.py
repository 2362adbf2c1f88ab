"""Where answers are made: ended, closed, shared by threads, or with a full disk, nothing that was paid is lost."""

import asyncio
import gc
import logging
import random
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from conspectus import Library
from conspectus.core.errors import UsageError
from conspectus.llm import event_loop as engine_module
from conspectus.llm import sql as llm_sql
from conspectus.llm.event_loop import AnswerLoop
from conspectus.records.events import Searching
from helpers import HANG, InlinePool, markdown, open_library, until, write
from language_server import LanguageServer, Say, serve_script
from oracle import reader, sentences, task

QUESTION = "Why does the rotation curve stay flat?"
Tell = Callable[[str], None]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
    halo = "The rotation curve stays flat because of a dark halo."
    texts = [markdown(f"Halo {n}", f"Number {n}. {halo}", authors=f"Rubin{n}, V") for n in range(4)]
    with open_library(tmp_path / "lib") as library:
        library.add([write(tmp_path / f"{n}.md", text) for n, text in enumerate(texts)])
    return tmp_path / "lib"


async def waits(tell: Tell) -> None:
    """A job that would take a minute."""
    tell("begun")
    await asyncio.sleep(60)


def fill_disk(library: Library) -> None:
    """From here on the catalog may not grow: SQLite says that the disk is full."""
    engine = library.session.catalog.engine
    with engine.connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("VACUUM")  # no page is free
        connection.exec_driver_sql("BEGIN")
    engine.dispose()
    event.listen(engine, "connect", lambda link, _: link.execute("PRAGMA max_page_count = 1"))


def test_closing_waits_for_a_last_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-C the library is closed at once: what models have said must be written nevertheless."""
    monkeypatch.setattr(engine_module, "LET_GO", 0.05)
    written = []

    async def job(tell: Tell) -> None:
        try:
            await waits(tell)
        finally:
            await asyncio.sleep(0.4)
            written.append("reply")

    engine = AnswerLoop()
    events = engine.events(job)
    assert next(events) == "begun"
    events.close()
    engine.close()
    assert written == ["reply"]


def test_what_was_paid_is_kept_when_an_ask_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who presses Ctrl-C while the disk is slow does not pay again for what has been read."""
    monkeypatch.setattr(engine_module, "LET_GO", 0.05)
    keep, script = llm_sql.keep_calls, reader("flat")

    def slowly(*given: Any) -> None:
        time.sleep(0.4)
        keep(*given)

    monkeypatch.setattr("conspectus.llm.sql.keep_calls", slowly)

    def hangs(body: dict[str, Any]) -> Any:
        return Say(object=script(body), delay=HANG if task(body) == "write" else 0.0)  # type: ignore[arg-type]

    with serve_script(hangs) as server:
        with open_library(folder) as library:
            events = library.events(QUESTION, model=server.url)
            asked = threading.Thread(target=lambda: _end_when(events, server.requests))
            asked.start()
            asked.join()
        read = sum(task(body) == "gather" for body in server.requests)
        server.requests.clear()
        server.script = script
        with open_library(folder) as library:
            assert library.ask(QUESTION, model=server.url).answered
    assert read
    assert "gather" not in [task(body) for body in server.requests]


def _end_when(events: Any, requests: list[dict[str, Any]]) -> None:
    """Listen until passages are read, wait until all have come back, and end."""
    for _ in events:
        if any(task(body) == "gather" for body in requests):
            until(lambda: any(task(body) == "write" for body in requests))
            break
    events.close()


def test_closing_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Something that holds the loop up must not hold up the end of the program."""
    monkeypatch.setattr(engine_module, "LET_GO", 0.05)
    monkeypatch.setattr(engine_module, "LAST_WRITE", 0.05)
    go_on = threading.Event()

    async def job(tell: Tell) -> None:
        tell("begun")
        go_on.wait(HANG)

    engine = AnswerLoop()
    events = engine.events(job)
    next(events)
    engine.close()
    assert engine._thread.is_alive(), "it is held up still"
    go_on.set()
    events.close()
    engine._thread.join(HANG)


def test_an_iterator_left_open_says_that_the_library_was_closed() -> None:
    """Else it ends with a bare `CancelledError`, and a warning of a coroutine that nobody knows."""
    engine = AnswerLoop()
    events, thrown_away = engine.events(waits), engine.events(waits)
    next(events), next(thrown_away)
    engine.close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UsageError, match="was closed"):
            next(events)
        thrown_away.close()
        gc.collect()


def test_an_ask_in_an_event_loop_ends_with_the_library(folder: Path) -> None:
    """A server that shuts down while someone waits must not leave them waiting."""

    async def ask(library: Library, server: LanguageServer) -> None:
        asked = asyncio.create_task(library.aask(QUESTION, model=server.url))
        while not server.requests:
            await asyncio.sleep(0.01)
        await asyncio.to_thread(library.close)
        with pytest.raises(UsageError, match="closed"):
            await asyncio.wait_for(asked, HANG)

    with serve_script(lambda _: Say("", delay=2 * HANG)) as server:
        asyncio.run(ask(open_library(folder), server))


def test_a_closed_library_is_not_asked(folder: Path) -> None:
    """Else each question begins a thread that nobody ends."""
    library = open_library(folder)
    library.close()
    library.close()
    before = threading.active_count()
    with pytest.raises(UsageError, match=r"The library is closed\."):
        library.ask(QUESTION)
    assert threading.active_count() == before


def test_first_questions_of_several_threads_share_one_engine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else one of the two threads is never ended, and limits of a provider are kept twice over."""
    made = []

    class Slow(AnswerLoop):
        def __init__(self) -> None:
            made.append(self)
            time.sleep(0.1)
            super().__init__()

    monkeypatch.setattr("conspectus.session.session.AnswerLoop", Slow)
    with open_library(folder) as library, ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: library.ask(QUESTION), range(4)))
    assert len(made) == 1
    assert all(answer.answered and not answer.note for answer in answers)


def test_bringing_the_index_up_to_date_holds_nobody_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else Ctrl-C has no effect, and other questions stand still, for as long as that takes."""
    begun, go_on = threading.Event(), threading.Event()

    def slow(*_: Any) -> str:
        begun.set()
        assert go_on.wait(HANG)
        return ""

    async def other(tell: Tell) -> None:
        tell("here")

    monkeypatch.setattr("conspectus.ingest.index_sync.is_synced", lambda *_: False)
    monkeypatch.setattr("conspectus.ingest.index_sync.catch_up", slow)
    with open_library(folder) as library, ThreadPoolExecutor(1) as pool:
        first = pool.submit(lambda: next(library.events(QUESTION)))
        assert begun.wait(HANG)
        assert list(library.session.loop.events(other)) == ["here"]
        assert not first.done()
        go_on.set()
        assert first.result() == Searching(QUESTION)


@pytest.mark.parametrize("written", [False, True])
def test_a_full_disk_does_not_take_the_answer(folder: Path, written: bool, caplog: pytest.LogCaptureFixture) -> None:
    """An answer that was made, and paid, is shown also where it cannot be kept."""
    letters = str.maketrans("0123456789", "ghijklmnop")  # or they look like names, which the library lacks
    words = [f"{random.Random(n).getrandbits(64):x}".translate(letters) for n in range(1100)]
    long = " ".join(words)  # more than what is left of a page

    def read(body: Mapping[str, Any]) -> Mapping[str, Any]:
        found = [number for number, text in sentences(body).items() if "flat" in text]
        return {"relevant": bool(found), "score": 9, "spans": found, "summary": long}

    with serve_script(reader("flat", gather=read)) as server, open_library(folder, answer__threshold=0.0) as library:
        fill_disk(library)
        with caplog.at_level(logging.ERROR):
            answer = library.ask(f"{QUESTION} {'' if written else long}", model=server.url if written else "none")
        assert answer.answered and answer.statements
        assert answer.id == "" and "kept" in answer.note and "full" in answer.note
        assert library.answers.list() == ()
    gc.collect()
    assert not caplog.records


@pytest.mark.parametrize(
    "options", [{"kind": "nuanced"}, {"kind": "bibliometric"}, {"agent": True}, {"second_opinion": "openai:gpt-4o"}]
)
def test_what_needs_a_model_is_refused_without_one(folder: Path, options: Any) -> None:
    """Quotes in place of a critique, a query or a second opinion would be passed off as what was asked for."""
    with open_library(folder) as library:
        with pytest.raises(UsageError, match=next(iter(options))) as raised:
            library.ask(QUESTION, **options)
        assert "`model=NAME`" in raised.value.hint


def test_options_without_effect_are_named(folder: Path) -> None:
    """Who asks for Spanish and gets English quotes must be told why."""
    with open_library(folder) as library:
        note = library.ask(QUESTION, language="es", level="child", strict=True).note
        assert "no effect: level, strict." in note
        assert "answer in 'es', name a language model" in note and "`model=NAME`" in note
        assert library.ask(QUESTION, kind="single", depth="quick", background=True).note.count("kind, depth, b") == 1
        assert library.ask(QUESTION).note == ""


def test_a_model_that_only_rephrases_is_told_to_be_of_no_use(folder: Path) -> None:
    """Who sets language.ask alone believes to have a model, and gets quotes."""
    with open_library(folder, language__ask="openai:gpt-4o") as library:
        assert "language.ask is set, but no model that writes" in library.ask(QUESTION).note
        assert library.ask(QUESTION, model="none").note == "", "quotes were asked for"
