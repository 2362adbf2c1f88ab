"""The catalog on a server: addresses, rights, complaints, the writer lock, and machines that share it."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, NullPool, create_engine, text

from conspectus import Library
from conspectus.catalog import postgres
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.engine import open_engine, transact, writing
from conspectus.catalog.lock import writer_lock
from conspectus.catalog.postgres import PostgresStore
from conspectus.errors import (
    BusyError,
    ConspectusError,
    LibraryDamagedError,
    LibraryError,
    ServiceAwayError,
    ServiceError,
    SettingsError,
    UnavailableError,
)
from conspectus.ingest.progress import Progress
from helpers import HashEmbedder, assert_consistent, markdown, open_library, write, write_jsonl
from postgres_server import PASSWORD, USER, Server

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("quick_pool")]

CATS = markdown("Cats", "Cats purr when they are happy and warm.")
DOGS = markdown("Dogs", "Dogs bark when they hear a stranger come.")


@pytest.fixture(scope="module")
def admin(server: Server) -> Iterator[Callable[..., Any]]:
    """Runs a statement as the server's owner."""
    url = server.url().replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url, isolation_level="AUTOCOMMIT", poolclass=NullPool)

    def run(statement: str) -> Any:
        with engine.connect() as connection:
            result = connection.execute(text(statement))
            return result.scalar() if result.returns_rows else None

    yield run
    engine.dispose()


@pytest.fixture
def schema(request: pytest.FixtureRequest) -> str:
    return f"s{abs(hash(request.node.name)):x}"


@pytest.fixture
def store(server: Server, schema: str) -> PostgresStore:
    return PostgresStore(server.url(), schema)


@pytest.fixture
def engine(store: PostgresStore) -> Iterator[Engine]:
    made = open_engine(store)
    yield made
    made.dispose()


@pytest.fixture
def shared(server: Server, schema: str, tmp_path: Path) -> Iterator[Callable[..., Library]]:
    """Libraries in folders of their own, as on several machines, with one catalog."""
    made: list[Library] = []

    def make(name: str = "lib", **settings: Any) -> Library:
        flags = {"catalog__url": server.url(), "catalog__schema": schema}
        made.append(open_library(tmp_path / name, **(flags | settings)))
        return made[-1]

    yield make
    for library in made:
        library.close()


def refusal(url: str, schema: str = "conspectus", kind: type[ConspectusError] = ConspectusError) -> ConspectusError:
    with pytest.raises(kind) as caught:
        open_engine(PostgresStore(url, schema))
    told = "".join(traceback.format_exception(caught.value))
    assert PASSWORD not in told and "se%20cret" not in told and "se cret" not in told, told
    assert caught.value.hint
    return caught.value


# addresses


@pytest.mark.parametrize(
    "url",
    [
        "mysql://user:se cret@host/db",
        "sqlite:///x.sqlite",
        "no url with se cret",
        "postgresql+pg8000://h/d",
        "://:se cret@",
        "postgresql://u:se cret@h:port/d",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    """Else a typing error ends in a traceback, with the password in it."""
    error = refusal(url, kind=SettingsError)
    assert "postgresql://USER@HOST/DATABASE" in error.hint


@pytest.mark.parametrize("schema", ["", "Upper", "a-b", 'a"b', "1a", "pg_mine", "a" * 64, "ä", "a b"])
def test_what_is_no_schema_is_refused(schema: str) -> None:
    """Else what is typed there becomes part of a statement."""
    assert "catalog.schema" in refusal("postgresql://h/d", schema, SettingsError).message


def test_the_password_may_come_from_elsewhere(
    server: Server, schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it must stand in a file that others read, or in the history of the shell."""
    bare = server.url(password=None)
    error = refusal(bare, kind=ServiceError)
    assert "PGPASSWORD" in error.hint
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    open_engine(PostgresStore(bare, schema)).dispose()
    monkeypatch.delenv("PGPASSWORD")
    kept = tmp_path / "pgpass"
    escaped = PASSWORD.replace("\\", "\\\\").replace(":", "\\:")
    kept.write_text(f"127.0.0.1:{server.port}:*:{USER}:{escaped}\n")
    kept.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(kept))
    open_engine(PostgresStore(bare, schema)).dispose()
    monkeypatch.delenv("PGPASSFILE")
    query = f"{bare}?password=se%20cret%2F%25%40%3A&connect_timeout=5"
    store = PostgresStore(query, schema)
    open_engine(store).dispose()
    assert "se" not in store.shown.replace("postgres", "").replace("schema", "").replace("tester", "").split("(")[0]


def test_the_password_is_not_shown(server: Server, shared: Callable[..., Library], tmp_path: Path) -> None:
    """Else it lies in every log and in every report of a fault."""
    library = shared()
    library.add(write(tmp_path / "cats.md", CATS))
    shown = [repr(library.settings), str(library.doctor()), str(library.status()), repr(library._catalog.engine)]
    assert not any("se cret" in told or "se%20cret" in told for told in shown)
    found = {finding.check: finding for finding in library.doctor()}["catalog"]
    assert found.ok and f"postgresql://{USER}@127.0.0.1:{server.port}/postgres" in found.detail
    assert "PostgreSQL 1" in found.detail


def test_without_the_driver_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else who did not install the extra sees a ModuleNotFoundError."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    error = refusal("postgresql://h/d", kind=UnavailableError)
    assert "conspectus[postgres]" in error.hint and error.exit_code == 3


# what a server refuses


def test_a_server_that_is_away(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a group does not know whether the library or the server is broken."""
    for url in ("postgresql://u@127.0.0.1:1/db", "postgresql://u@no.such.host.invalid/db"):
        error = refusal(url, kind=ServiceAwayError)
        assert error.retry and error.exit_code == 3 and "does not answer" in error.message


def test_a_wrong_password_or_user(server: Server) -> None:
    """Else it looks like a server that is away."""
    for url in (server.url(password="wrong"), server.url(user="nobody")):
        error = refusal(url, kind=ServiceError)
        assert not error.retry and "refused the user or the password" in error.message


def test_a_database_that_is_missing(server: Server) -> None:
    """Else nobody knows that it has to be made first."""
    assert "createdb" in refusal(server.url("missing"), kind=ServiceError).hint


def test_no_right_to_make_a_schema(server: Server, admin: Callable[..., Any], schema: str) -> None:
    """Else a new user of the group sees a traceback on the first day."""
    admin("DROP ROLE IF EXISTS guest")
    admin("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    error = refusal(server.url(user="guest", password="guest"), schema, LibraryError)
    assert "GRANT" in error.hint and "no right" in error.message


def test_who_may_only_read_can_search(
    server: Server, admin: Callable[..., Any], shared: Callable[..., Library], schema: str, tmp_path: Path
) -> None:
    """Else everybody who wants to ask must be given the right to delete."""
    shared().add(write(tmp_path / "cats.md", CATS))
    admin("DROP ROLE IF EXISTS student")
    admin("CREATE ROLE student LOGIN PASSWORD 'pupil'")
    admin(f"GRANT USAGE ON SCHEMA {schema} TO student")
    admin(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO student")
    reader = shared("reader", catalog__url=server.url(user="student", password="pupil"))
    assert reader.search("purring cats").hits[0].paper.title == "Cats"
    assert_consistent(reader)
    with pytest.raises(LibraryError, match="no right"):
        reader.remove("Cats")
    reader.close()
    admin("DROP OWNED BY student")
    assert [paper.title for paper in shared("other").papers()] == ["Cats"]


def test_a_server_that_is_too_old(server: Server, schema: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it fails later, at something that the server does not know."""
    monkeypatch.setattr(postgres, "OLDEST", (99, 1))
    error = refusal(server.url(), schema, ServiceError)
    assert "too old" in error.message and "99.1" in error.hint


def test_a_database_in_another_encoding(server: Server, admin: Callable[..., Any]) -> None:
    """Else the first Greek letter stops a run of hours."""
    admin("DROP DATABASE IF EXISTS latin")
    admin("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    error = refusal(server.url("latin"), kind=ServiceError)
    assert "LATIN1" in error.message and "UTF8" in error.hint


def test_a_database_that_can_only_be_read(server: Server, schema: str) -> None:
    """Else who named the standby server does not find out."""
    url = server.url() + "?options=-cdefault_transaction_read_only%3Don"
    assert "standby" in refusal(url, schema, LibraryError).hint


@pytest.mark.parametrize(
    ("state", "kind", "words"),
    [
        ("53100", LibraryError, "disk"),
        ("53200", ServiceAwayError, "memory"),
        ("53300", ServiceAwayError, "no connection free"),
        ("25006", LibraryError, "only be read"),
        ("42501", LibraryError, "no right"),
        ("42P01", LibraryDamagedError, "lacks a table"),
        ("40001", BusyError, "another's sake"),
        ("40P01", BusyError, "another's sake"),
        ("55P03", BusyError, "holding"),
        ("57014", ServiceAwayError, "stopped the work"),
        ("57P01", ServiceAwayError, "ended the connection"),
        ("08006", ServiceAwayError, "was lost"),
        ("58030", LibraryError, "its files"),
        ("54000", LibraryError, "too large"),
        ("XX001", LibraryDamagedError, "damaged"),
        ("0A000", LibraryError, "cannot be used"),
    ],
)
def test_what_the_server_says_is_told(engine: Engine, state: str, kind: type[ConspectusError], words: str) -> None:
    """Else a full disk in the cellar looks like a broken library."""
    with pytest.raises(kind) as caught, writing(engine) as connection:
        connection.execute(text(f"DO $$ BEGIN RAISE EXCEPTION 'the server''s words' USING ERRCODE = '{state}'; END $$"))
    assert words in caught.value.message and caught.value.hint and "postgresql://" in caught.value.message
    assert caught.value.retry == isinstance(caught.value, BusyError | ServiceAwayError)
    with writing(engine) as connection:  # and the next one works
        assert connection.scalar(text("SELECT 1")) == 1


def test_a_statement_that_takes_too_long(server: Server, schema: str) -> None:
    """Else a server that limits statements looks broken."""
    engine = open_engine(PostgresStore(server.url() + "?options=-cstatement_timeout%3D300", schema))
    with pytest.raises(ServiceAwayError, match="statement timeout"), engine.connect() as connection:
        connection.execute(text("SELECT pg_sleep(5)"))
    engine.dispose()


def test_a_connection_lost_in_the_middle(engine: Engine, admin: Callable[..., Any]) -> None:
    """Else half a paper is kept, or the program must be started anew."""
    with pytest.raises(ServiceAwayError), writing(engine) as connection:
        connection.execute(text("INSERT INTO meta (name, value) VALUES ('a', 'b')"))
        admin(f"SELECT pg_terminate_backend({connection.scalar(text('SELECT pg_backend_pid()'))})")
        connection.execute(text("SELECT 1"))
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM meta WHERE name = 'a'")) == 0


def test_a_server_started_anew_is_found_again(server: Server, shared: Callable[..., Library], tmp_path: Path) -> None:
    """Else every searcher of the group has to be started anew after an upgrade of the server."""
    library = shared()
    library.add(write(tmp_path / "cats.md", CATS))
    server.stop()
    try:
        with pytest.raises(ServiceAwayError):
            library.search("cats")
    finally:
        server.start()
    assert library.search("purring cats").hits[0].paper.title == "Cats"


def test_a_change_given_up_for_another_is_tried_again(engine: Engine) -> None:
    """Else two users who meet lose what one of them did."""
    with writing(engine) as connection:
        connection.execute(text("INSERT INTO meta (name, value) VALUES ('a', '0'), ('b', '0')"))
    met = threading.Barrier(2, timeout=20)
    tries: list[str] = []

    def change(first: str, second: str) -> None:
        def action(connection: Connection) -> None:
            tries.append(first)
            add = text("UPDATE meta SET value = (value::int + 1)::text WHERE name = :name")
            connection.execute(add, {"name": first})
            if len(tries) <= 2:
                met.wait()  # each now holds what the other wants
            connection.execute(add, {"name": second})

        transact(engine, action)

    threads = [threading.Thread(target=change, args=names) for names in (("a", "b"), ("b", "a"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(tries) > 2, "one of the two was given up, and tried again"
    with engine.connect() as connection:
        assert connection.scalars(text("SELECT value FROM meta WHERE name IN ('a', 'b')")).all() == ["2", "2"]


def test_what_fails_for_good_is_not_tried_again(engine: Engine) -> None:
    """Else a full disk is filled five times."""
    tries = []

    def action(connection: Connection) -> None:
        tries.append(1)
        connection.execute(text("DO $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$"))

    with pytest.raises(LibraryError, match="full"):
        transact(engine, action)
    assert len(tries) == 1


# the writer lock


@pytest.fixture
def catalogs(server: Server, schema: str, tmp_path: Path) -> Iterator[list[Catalog]]:
    made = [Catalog(tmp_path / "catalog.sqlite", server.url(), schema) for _ in range(2)]
    yield made
    for catalog in made:
        catalog.close()


def folders(tmp_path: Path) -> list[Path]:
    found = [tmp_path / "one", tmp_path / "two"]
    for folder in found:
        folder.mkdir()
    return found


def test_machines_take_turns_and_say_so(catalogs: list[Catalog], tmp_path: Path) -> None:
    """Else two machines that add at once make one paper twice, or one of them hangs without a word."""
    here, there = folders(tmp_path)
    waits: list[float] = []
    assert not catalogs[1].is_being_written()
    with writer_lock(catalogs[0], here):
        assert catalogs[1].is_being_written()
        with (
            pytest.raises(BusyError, match=r"did not finish in 0\.3 s"),
            writer_lock(catalogs[1], there, 0.3, waits.append),
        ):
            raise AssertionError("two at once")
        assert waits and waits[0] < 0.3
        waits.clear()
        came: list[float] = []

        def wait() -> None:
            with writer_lock(catalogs[1], there, 30, waits.append):
                came.append(time.monotonic())

        thread = threading.Thread(target=wait)
        thread.start()
        while not waits:
            time.sleep(0.01)
        time.sleep(0.2)
        let_go = time.monotonic()
    thread.join(20)
    assert came and came[0] - let_go < 1.5
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


def test_adding_waits_and_tells(shared: Callable[..., Library], tmp_path: Path) -> None:
    """Else whoever adds while a colleague does sees nothing, or an error after a minute."""
    one, two = shared("one"), shared("two")
    news: list[Progress] = []
    waiting = threading.Event()

    def tell(what: Progress) -> None:
        news.append(what)
        waiting.set()

    with writer_lock(one._catalog, one.folder):
        thread = threading.Thread(target=two.add, args=(write(tmp_path / "cats.md", CATS), tell))
        thread.start()
        assert waiting.wait(20)
        assert not list(one.papers())
    thread.join(30)
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
    with writer_lock(two._catalog, two.folder):
        with writing(two._catalog.engine) as connection:
            connection.execute(text("UPDATE meta SET value = '99' WHERE name = 'change'"))
        result = one.search("purring cats")
        assert result.hits[0].paper.title == "Cats" and "not searched yet" in result.note
        monkeypatch.setattr("conspectus.library.CATCH_UP_SECONDS", 0)
        assert one.search("purring cats").note == ""


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
    two = shared("two")
    two.__dict__["_embedder"] = HashEmbedder("other/1")
    with pytest.raises(UnavailableError, match=r"models\.embedder"):
        two.add(write(tmp_path / "dogs.md", DOGS))


def test_the_command_line(
    server: Server, schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else the library of a group cannot be named in the environment, or a look at it makes an empty one."""
    from conspectus.cli import main

    def run(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["conspectus", "--library", str(tmp_path / "lib"), *words])
        with pytest.raises(SystemExit) as caught:
            main()
        code = caught.value.code
        said = capsys.readouterr()
        assert "se%20cret" not in said.out + said.err and PASSWORD not in said.out + said.err
        return (code if isinstance(code, int) else int(code is not None)), said.out + said.err

    monkeypatch.setenv("CONSPECTUS_CATALOG_URL", server.url())
    monkeypatch.setenv("CONSPECTUS_CATALOG_SCHEMA", schema)
    code, said = run("list")
    assert code == 2 and "There is no library at 'postgresql://" in said
    Library(tmp_path / "other").close()
    assert run("list")[0] == 0
    code, said = run("config")
    assert code == 0 and "***" in said and schema in said
    assert f"127.0.0.1:{server.port}" in run("doctor")[1]
    monkeypatch.setenv("CONSPECTUS_CATALOG_URL", server.url(password="wrong"))
    code, said = run("list")
    assert code == 3 and "refused the user or the password" in said


def test_children_that_read_files_do_not_get_the_password(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a hostile file that gets the better of a reader has the group's database as well."""
    from conspectus.parse.lane import _environment

    monkeypatch.setenv("CONSPECTUS_CATALOG_URL", server.url())
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert not any(PASSWORD in value or server.url() == value for value in _environment().values())


def test_many_papers(shared: Callable[..., Library], tmp_path: Path) -> None:
    """Else lists longer than a statement takes are cut or refused."""
    library = shared()
    records = [{"title": f"Work {number}", "abstract": f"It says {number}."} for number in range(1200)]
    library.add(write_jsonl(tmp_path / "a.jsonl", records))
    assert [paper.title for paper in library.papers()] == [record["title"] for record in records]
    assert len(library._catalog.papers_by_key(list(range(1, 5000)))) == 1200
    assert_consistent(library)
