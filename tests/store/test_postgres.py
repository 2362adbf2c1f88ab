"""The catalog on a server: addresses, rights, complaints, the writer lock, and machines that share it."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import Connection, Engine, text

from conspectus import Library
from conspectus.cli.app import app
from conspectus.core.errors import (
    BusyError,
    ConspectusError,
    LibraryDamagedError,
    LibraryError,
    ServiceAwayError,
    ServiceError,
    SettingsError,
    UnavailableError,
)
from conspectus.core.job_context import listen
from conspectus.records.events import Progress
from conspectus.store import postgres
from conspectus.store.connection import open_engine, transact, writing
from conspectus.store.postgres import PostgresStore
from helpers import HANG, assert_consistent, markdown, write
from postgres_server import PASSWORD, USER, Server

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("quick_pool")]

CATS = markdown("Cats", "Cats purr when they are happy and warm.")
DOGS = markdown("Dogs", "Dogs bark when they hear a stranger come.")


@pytest.fixture
def store(server: Server, schema: str) -> PostgresStore:
    return PostgresStore(server.url(), schema)


@pytest.fixture
def engine(store: PostgresStore) -> Iterator[Engine]:
    made = open_engine(store)
    yield made
    made.dispose()


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
    assert (
        "se" not in store.display_name.replace("postgres", "").replace("schema", "").replace("tester", "").split("(")[0]
    )


def test_the_password_is_not_shown(server: Server, shared: Callable[..., Library], tmp_path: Path) -> None:
    """Else it lies in every log and in every report of a fault."""
    library = shared()
    library.add(write(tmp_path / "cats.md", CATS))
    shown = [
        repr(library.settings),
        str(library.doctor().findings),
        str(library.status()),
        repr(library.session.catalog.engine),
    ]
    assert not any("se cret" in told or "se%20cret" in told for told in shown)
    found = {finding.check: finding for finding in library.doctor().findings}["catalog"]
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


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_server_restarted_while_papers_are_added(
    server: Server, shared: Callable[..., Library], tmp_path: Path, mode: str
) -> None:
    """Else an upgrade of the server in the night leaves half a paper, or papers twice after the next `add`."""
    library = shared()
    paths = [write(tmp_path / f"{number}.md", CATS.replace("Cats", f"Cats {number}")) for number in range(12)]
    library.add(paths[0])

    def restart(*_: Any) -> None:
        if not stopped:
            stopped.append(mode)
            server.stop(mode)
            server.start()

    stopped: list[str] = []
    with suppress(ServiceAwayError), listen(restart, Progress):
        library.add(paths)
    assert stopped
    library.add(paths)
    assert sorted(paper.title for paper in library.papers()) == sorted(f"Cats {number}" for number in range(12))
    assert_consistent(library)


@pytest.mark.parametrize("idle", [postgres.IDLE_SECONDS, -1])
def test_a_connection_lost_while_nobody_used_it(
    engine: Engine, admin: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, idle: float
) -> None:
    """Else the first search after a pause fails; or each one asks twice."""
    monkeypatch.setattr(postgres, "IDLE_SECONDS", idle)  # -1: it is asked, as after a pause
    asked: list[Any] = []
    ping = engine.dialect.do_ping

    def heard(connection: Any) -> bool:
        asked.append(connection)
        return ping(connection)

    monkeypatch.setattr(engine.dialect, "do_ping", heard)
    for _ in range(2):
        with engine.connect() as connection:
            lost = connection.scalar(text("SELECT pg_backend_pid()"))
    assert bool(asked) == (idle < 0)
    admin(f"SELECT pg_terminate_backend({lost}, 5000)")
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT pg_backend_pid()")) != lost


def test_a_change_given_up_for_another_is_tried_again(engine: Engine) -> None:
    """Else two users who meet lose what one of them did."""
    with writing(engine) as connection:
        connection.execute(text("INSERT INTO meta (name, value) VALUES ('a', '0'), ('b', '0')"))
    met = threading.Barrier(2, timeout=HANG)
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
        thread.join(HANG)
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


def test_the_command_line(server: Server, schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the library of a group cannot be named in the environment, or a look at it makes an empty one."""

    def run(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["--library", str(tmp_path / "lib"), *words])
        assert "se%20cret" not in done.output and PASSWORD not in done.output
        return done.exit_code, done.output

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
    from conspectus.parse.process.worker_process import _environment

    monkeypatch.setenv("CONSPECTUS_CATALOG_URL", server.url())
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert not any(PASSWORD in value or server.url() == value for value in _environment().values())
