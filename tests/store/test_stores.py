"""What both catalogs do alike: made, migrated, refused, read while another writes, clean of what one cannot hold."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, inspect, select, text

from conspectus import Filters, Library
from conspectus.core.errors import LibraryDamagedError, LibraryTooNewError, NotFoundError
from conspectus.store.connection import Store, open_engine, writing
from conspectus.store.postgres import PostgresStore
from conspectus.store.schema import facets, files, papers
from conspectus.store.sqlite import SqliteStore
from helpers import assert_consistent, catalog_flags, markdown, open_library, table_rows, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")


@pytest.fixture
def make_store(tmp_path: Path) -> Callable[[str], Store]:
    def make(name: str = "lib") -> Store:
        flags = catalog_flags(tmp_path / name)
        if flags:
            return PostgresStore(flags["catalog.url"], flags["catalog.schema"])
        return SqliteStore(tmp_path / f"{name}.sqlite")

    return make


@pytest.fixture
def store(make_store: Callable[..., Store]) -> Store:
    return make_store()


@pytest.fixture
def engine(store: Store) -> Iterator[Engine]:
    made = open_engine(store)
    yield made
    made.dispose()


def test_keys_are_never_used_twice(engine: Engine) -> None:
    """Else the index takes a new passage for the removed one that had its key before."""
    values = {"external_id": "", "title": "", "has_full_text": False, "metadata": b""}
    keys = []
    for number in range(3):
        with writing(engine) as connection:
            connection.execute(papers.insert().values(id=f"p{number}", **values))
            keys.append(connection.scalar(select(papers.c.key)))
            connection.execute(papers.delete())
    assert keys == sorted(set(keys)) and len(keys) == 3


def test_a_newer_library_is_refused_untouched(tmp_path: Path) -> None:
    """Else an old version on another machine breaks what a new one made."""
    with open_library(tmp_path) as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "Tides"}]))
        with writing(library.session.catalog.engine) as connection:
            connection.execute(text("UPDATE conspectus_schema SET version = 9999"))
        before = table_rows(library)
        with pytest.raises(LibraryTooNewError) as caught:
            open_library(tmp_path)
        assert table_rows(library) == before
    assert caught.value.exit_code == 4
    assert "pip install --upgrade" in caught.value.hint


def test_tables_of_another_program_are_refused_untouched(store: Store) -> None:
    """Else a wrong address means tables in the middle of somebody else's."""
    engine = store.make_engine()
    with writing(engine) as connection:
        store.begin_making(connection)
        connection.execute(text("CREATE TABLE places (url TEXT)"))
    with pytest.raises(LibraryDamagedError, match="not a catalog that Conspectus"):
        open_engine(store)
    assert inspect(engine).get_table_names() == ["places"]
    engine.dispose()


def test_looking_makes_no_catalog(store: Store) -> None:
    """Else a mistyped address leaves an empty library behind, and nobody notices the mistake."""
    for _ in range(2):
        with pytest.raises(NotFoundError, match="no library"):
            open_engine(store, create=False)


def test_a_reader_sees_a_writer_only_when_it_is_done(engine: Engine, store: Store) -> None:
    """Else a search fails while an `add` runs, or finds half a paper."""
    other = open_engine(store)
    count = text("SELECT count(*) FROM meta WHERE name = 'a'")
    with writing(engine) as writer:
        writer.execute(text("INSERT INTO meta (name, value) VALUES ('a', 'b')"))
        with other.connect() as reader:
            assert reader.scalar(count) == 0
    with other.connect() as reader:
        assert reader.scalar(count) == 1
    other.dispose()


OPEN = """
import sys
sys.path.insert(0, sys.argv[1])
from helpers import open_library
sys.stdin.readline()
with open_library(sys.argv[2]) as library:
    print(library.status().counts["papers"])
"""


def test_many_may_make_it_at_once(tmp_path: Path) -> None:
    """Else the first day of a group's library begins with 'database is locked'."""
    command = [sys.executable, "-c", OPEN, str(Path(__file__).parents[1]), str(tmp_path / "lib")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    started = [subprocess.Popen(command, **pipes) for _ in range(4)]  # type: ignore[call-overload]
    for process in started:
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.communicate(timeout=60) for process in started] == [("0\n", "")] * 4


def test_a_snapshot_stands_still(tmp_path: Path) -> None:
    """Else a search that found a paper fails when another user removes it before it is shown."""
    with open_library(tmp_path / "lib") as library, open_library(tmp_path / "lib") as other:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "Tides"}, {"title": "Dunes"}]))
        with library.session.catalog.snapshot() as now, now.snapshot() as same:
            assert [paper.title for paper in now.papers()] == ["Tides", "Dunes"]
            other.remove("Tides")
            assert [paper.title for paper in now.papers()] == ["Tides", "Dunes"]
            assert same is now and len(now.passage_keys()) == 2
        assert [paper.title for paper in library.papers()] == ["Dunes"]


def test_what_a_database_cannot_hold_is_asked_for_in_peace(tmp_path: Path) -> None:
    """Else a name pasted from a broken file ends in a traceback, on one catalog or on both."""
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "Tides", "id": "x"}]))
        for name in ("a\0b", "\ud800", "x" * 10_000, "\0", "' OR 1=1 --", "%", "\U0010ffff"):
            with pytest.raises(NotFoundError):
                library.paper(name)
            assert library.session.catalog.known_ids([name]) == set()
            assert list(library.session.catalog.file_rows([name])) == []


def test_what_a_database_cannot_hold_is_replaced(tmp_path: Path, engine: Engine) -> None:
    """Else one bad character in one of 10,000 papers stops the run; and places in a text must stay what they are."""
    values = {"id": "a", "external_id": "x\0y", "title": "half \ud83d a \0 pair", "has_full_text": True}
    with writing(engine) as connection:
        connection.execute(papers.insert().values(metadata=b"\0", **values))
    with engine.connect() as connection:
        assert connection.execute(select(papers.c.external_id, papers.c.title)).all() == [
            ("x\ufffdy", "half \ufffd a \ufffd pair")
        ]
        assert connection.scalar(select(papers.c.id).where(papers.c.external_id == "x\0y")) == "a"


def test_long_names_can_be_looked_up(tmp_path: Path) -> None:
    """Else a record with a page of text for a title, keyword or id cannot be added to one of the catalogs."""
    draw = "".join(chr(0x4E00 + (number * 7919) % 20000) for number in range(1900))  # what cannot be compressed
    record = {"title": f"T {draw}", "id": draw[::-1], "keywords": [draw, draw + "!?", draw + "x"], "venue": draw}
    with open_library(tmp_path / "lib") as library:
        assert not library.add(write_jsonl(tmp_path / "a.jsonl", [record, {"title": "Other"}])).failed
        assert library.paper(draw[::-1]).title == f"T {draw}"
        assert library.paper(f"t {draw}").external_id == draw[::-1]
        with library.session.catalog.engine.connect() as connection:
            terms = connection.scalars(select(facets.c.term).where(facets.c.facet == "keyword")).all()
        assert len(terms) == 2 and max(map(len, terms)) <= 600
        assert_consistent(library)


def test_a_path_that_is_too_long_is_told(tmp_path: Path) -> None:
    """Else one file deep in a tree stops the run."""
    deep = tmp_path
    while len(str(deep)) < 2500:
        deep /= "n" * 200
    deep.mkdir(parents=True)
    write(deep / "cats.md", markdown("Cats", "Cats purr when they are warm."))
    write(tmp_path / "dogs.md", markdown("Dogs", "Dogs bark when they are cold."))
    with open_library(tmp_path / "lib") as library:
        report = library.add(tmp_path)
        assert [row.reason for row in report.failed] == ["its path is too long; move it to where it is shorter"]
        assert [paper.title for paper in library.papers()] == ["Dogs"]


def test_names_are_in_the_order_of_their_bytes(engine: Engine, store: Store, tmp_path: Path) -> None:
    """Else two catalogs of the same files list them in another order, by the server's language."""
    names = ["b", "a", "B", "ä", "Z", "_", "ab", "a b", "\U0001f30c", "\ufb01", "z"]
    row = dict.fromkeys(("sha256", "reader", "state", "reason", "notes", "machine", "updated"), "") | {
        "size": 2**40,
        "mtime_ns": 2**60,
        "retry": False,
    }
    with writing(engine) as connection:
        connection.execute(files.insert(), [{"path": name, **row} for name in names])
        found = connection.scalars(select(files.c.path).order_by(files.c.path)).all()
    assert found == sorted(names, key=str.encode)


def test_years_out_of_all_bounds(tmp_path: Path) -> None:
    """Else a typing error in a filter ends in a traceback."""
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "Tides", "year": 1999}]))
        assert len(list(library.papers(Filters(year=(-(10**30), 10**30))))) == 1
        assert not list(library.papers(Filters(year=(10**30, None))))


def test_both_catalogs_hold_the_same(tmp_path: Path, both_catalogs: str) -> None:
    """Else moving a library to a server changes what it says. (Keys may differ, order may not.)"""
    records = [
        {
            "title": f"Paper {n % 7} of {n}",
            "doi": f"10.1/{n % 9}",
            "authors": ["Ünal, Ö", "li wei"],
            "keywords": ["b", "B", "ä"],
        }
        for n in range(30)
    ]
    path = write_jsonl(tmp_path / "a.jsonl", records)
    with open_library(tmp_path / "one") as one, pytest.MonkeyPatch.context() as patch:
        one.add(path)
        patch.delenv("TEST_CATALOG_URL", raising=False)
        with open_library(tmp_path / "two") as two:
            two.add(path)
            assert list(one.papers()) == list(two.papers())
            assert _all_passages(one) == _all_passages(two)
            for facet in ("author", "keyword", "title"):
                assert one.session.catalog.facet_values(facet) == two.session.catalog.facet_values(facet)
            hits = [[(hit.paper.id, hit.score) for hit in lib.search("paper of seven").hits] for lib in (one, two)]
            assert hits[0] == hits[1]


def _all_passages(library: Library) -> list[object]:
    return [list(library.passages(paper.id)) for paper in library.papers()]


def test_a_paper_that_was_removed_meanwhile(tmp_path: Path) -> None:
    """Else a paper that another user removes between two steps of a command ends in a traceback."""
    with open_library(tmp_path / "lib") as library, pytest.raises(NotFoundError):
        library.session.catalog.paper_key("gone")
