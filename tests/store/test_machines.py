"""Machines that share the catalog on a server: they take turns, and each follows what the others did."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from conspectus import Library
from conspectus.core.errors import (
    BusyError,
    ServiceAwayError,
    UnavailableError,
)
from conspectus.core.job_context import listen
from conspectus.records.events import Progress
from conspectus.store.catalog import Catalog
from conspectus.store.connection import writing
from conspectus.store.lock import writer_lock
from helpers import HANG, HashEmbedder, assert_consistent, markdown, until, write, write_jsonl
from postgres_server import Server

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("quick_pool")]

CATS = markdown("Cats", "Cats purr when they are happy and warm.")
DOGS = markdown("Dogs", "Dogs bark when they hear a stranger come.")


QUEUED = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


# the writer lock


def folders(tmp_path: Path) -> list[Path]:
    found = [tmp_path / "one", tmp_path / "two"]
    for folder in found:
        folder.mkdir()
    return found


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits are told at once."""
    monkeypatch.setattr("conspectus.core.job_context._PATIENCE", 0.0)


@pytest.mark.usefixtures("no_patience")
def test_machines_take_turns_and_say_so(catalogs: list[Catalog], admin: Callable[..., Any], tmp_path: Path) -> None:
    """Else two machines that add at once make one paper twice, or one of them hangs without a word."""
    here, there = folders(tmp_path)
    waits: list[Progress] = []
    assert not catalogs[1].is_being_written()
    with writer_lock(catalogs[0], here):
        assert catalogs[1].is_being_written()
        with (
            pytest.raises(BusyError, match=r"did not finish in 0\.3 s"),
            listen(waits.append, Progress),
            writer_lock(catalogs[1], there, 0.3),
        ):
            raise AssertionError("two at once")
        assert waits and waits[0].stage == "waiting for another writer"
        waits.clear()
        came: list[str] = []

        def wait() -> None:
            with listen(waits.append, Progress), writer_lock(catalogs[1], there, 600):
                came.append("two")

        thread = threading.Thread(target=wait)
        thread.start()
        until(lambda: admin(QUEUED))  # so it comes in as soon as the other lets go
        came.append("one")
    thread.join(HANG)
    assert waits and came == ["one", "two"]
    assert not catalogs[0].is_being_written()


def test_another_schema_is_another_lock(server: Server, catalogs: list[Catalog], tmp_path: Path) -> None:
    """Else the libraries of two groups on one server wait for each other."""
    here, there = folders(tmp_path)
    with (
        Catalog(tmp_path / "x", server.url(), "another_one") as other,
        writer_lock(catalogs[0], here),
        writer_lock(other, there, 0.2),
    ):
        assert catalogs[0].is_being_written() and other.is_being_written()


def test_the_lock_goes_with_its_connection(catalogs: list[Catalog], admin: Callable[..., Any], tmp_path: Path) -> None:
    """Else a killed `add` locks the group out; or one that lost its lock goes on beside the next."""
    here, there = folders(tmp_path)
    with pytest.raises(ServiceAwayError), writer_lock(catalogs[0], here):
        with writing(catalogs[0].engine) as connection:
            process = connection.scalar(text("SELECT pg_backend_pid()"))
        admin(f"SELECT pg_terminate_backend({process})")
        with writer_lock(catalogs[1], there, 5):
            for _ in range(2):
                with pytest.raises(ServiceAwayError), writing(catalogs[0].engine) as connection:
                    connection.execute(text("INSERT INTO meta (name, value) VALUES ('late', '')"))
        with writing(catalogs[0].engine):
            raise AssertionError("it writes without the lock")
    assert catalogs[0].meta("late") == ""
    with writer_lock(catalogs[0], here, 1), writing(catalogs[0].engine) as connection:
        connection.execute(text("INSERT INTO meta (name, value) VALUES ('again', 'yes')"))
    assert catalogs[1].meta("again") == "yes"


def test_a_connection_lost_after_all_was_written(
    catalogs: list[Catalog], admin: Callable[..., Any], tmp_path: Path
) -> None:
    """Else an `add` that is done ends with an error."""
    here, there = folders(tmp_path)
    with writer_lock(catalogs[0], here), writing(catalogs[0].engine) as connection:
        process = connection.scalar(text("SELECT pg_backend_pid()"))
        connection.execute(text("INSERT INTO meta (name, value) VALUES ('all', 'well')"))
        connection.commit()
        admin(f"SELECT pg_terminate_backend({process})")
    with writer_lock(catalogs[1], there, 5):
        assert catalogs[0].meta("all") == "well"


@pytest.mark.usefixtures("no_patience")
def test_adding_waits_and_tells(shared: Callable[..., Library], tmp_path: Path) -> None:
    """Else whoever adds while a colleague does sees nothing, or an error after a minute."""
    one, two = shared("one"), shared("two")
    news: list[Progress] = []
    waiting = threading.Event()

    def tell(what: Progress) -> None:
        news.append(what)
        waiting.set()

    with writer_lock(one.session.catalog, one.folder):
        thread = threading.Thread(target=two.add, args=(write(tmp_path / "cats.md", CATS), tell))
        thread.start()
        assert waiting.wait(HANG)
        assert not list(one.papers())
    thread.join(HANG)
    assert (news[0].stage, news[0].unit) == ("waiting for another writer", "s")
    assert [paper.title for paper in one.papers()] == ["Cats"]


# several machines


def test_another_machine_finds_what_was_added_and_removed(shared: Callable[..., Library], tmp_path: Path) -> None:
    """The use of it: one adds, all find."""
    one, two = shared("one"), shared("two")
    one.add(write(tmp_path / "cats.md", CATS))
    assert two.search("purring cats").hits[0].paper.title == "Cats"
    two.add(write(tmp_path / "dogs.md", DOGS))
    two.remove("Cats")
    assert [hit.paper.title for hit in one.search("cats and dogs").hits] == ["Dogs"]
    one.add([tmp_path / "cats.md", tmp_path / "dogs.md"])
    for library in (one, two):
        library.search("anything")
        assert_consistent(library)
        assert sorted(paper.title for paper in library.papers()) == ["Cats", "Dogs"]


def test_while_another_adds_not_every_search_follows(
    shared: Callable[..., Library], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else every search during a colleague's long `add` makes a new index first."""
    one, two = shared("one"), shared("two")
    two.add(write(tmp_path / "cats.md", CATS))
    one.search("cats")
    with writer_lock(two.session.catalog, two.folder):
        with writing(two.session.catalog.engine) as connection:
            connection.execute(text("UPDATE meta SET value = '99' WHERE name = 'change'"))
        result = one.search("happy cats")
        assert result.hits[0].paper.title == "Cats" and "not searched yet" in result.note
        monkeypatch.setattr("conspectus.ingest.index_sync.CATCH_UP_SECONDS", 0)
        assert one.search("happy cats").note == ""


def test_a_catalog_made_anew_is_not_taken_for_the_old_one(
    shared: Callable[..., Library], admin: Callable[..., Any], schema: str, tmp_path: Path
) -> None:
    """Else an index of papers that are gone answers for others with the same numbers."""
    library = shared()
    library.add(write(tmp_path / "cats.md", CATS))
    library.close()
    admin(f"DROP SCHEMA {schema} CASCADE")
    again = shared()
    assert not again.search("cats").hits
    again.add(write(tmp_path / "dogs.md", DOGS))
    assert [hit.paper.title for hit in again.search("cats and dogs").hits] == ["Dogs"]
    assert_consistent(again)


def test_another_model_is_refused_by_all(shared: Callable[..., Library], tmp_path: Path) -> None:
    """Else two members of a group fill one library with vectors that cannot be compared."""
    shared("one").add(write(tmp_path / "cats.md", CATS))
    two = shared("two", embedder=HashEmbedder("other/1"))
    with pytest.raises(UnavailableError, match=r"models\.embedder"):
        two.add(write(tmp_path / "dogs.md", DOGS))


def test_many_papers(shared: Callable[..., Library], tmp_path: Path) -> None:
    """Else lists longer than a statement takes are cut or refused."""
    library = shared()
    records = [{"title": f"Work {number}", "abstract": f"It says {number}."} for number in range(1200)]
    library.add(write_jsonl(tmp_path / "a.jsonl", records))
    assert [paper.title for paper in library.papers()] == [record["title"] for record in records]
    assert len(library.session.catalog.papers_by_key(list(range(1, 5000)))) == 1200
    assert_consistent(library)
