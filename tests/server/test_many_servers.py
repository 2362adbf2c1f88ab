"""Two servers over one catalog on PostgreSQL, as behind a proxy: a page may ask either."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from starlette.testclient import TestClient

from conspectus import Library
from conspectus.core.job_context import emit, sleep
from conspectus.records.events import Progress
from conspectus.server import shared_jobs
from conspectus.server.access import Access
from conspectus.server.board import Board
from helpers import HANG, markdown, open_library, until, write
from postgres_server import Server
from serving import body, collect_notices, make_client

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("quick_pool")]
ROOT = "/api/v1"

Instance = tuple[Library, TestClient]


@pytest.fixture
def instances(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Instance]]:
    """Two, each with a folder of its own."""
    monkeypatch.setattr(shared_jobs, "ROUND_SECONDS", 0.02)
    flags = {"catalog__url": server.url(), "catalog__schema": f"t_{abs(hash(tmp_path)):x}"}
    with (
        open_library(tmp_path / "one", **flags) as one,
        open_library(tmp_path / "two", **flags) as two,
        make_client(one) as first,
        make_client(two) as second,
    ):
        yield [(one, first), (two, second)]


def board(client: TestClient) -> Board:
    found: Board = client.app.state.board  # type: ignore[attr-defined]
    return found


def states(client: TestClient) -> list[tuple[str, str]]:
    return [(job["job"], job["state"]) for job in body(client, "/jobs")["jobs"]]


@pytest.fixture
def stalled(instances: list[Instance]) -> Iterator[str]:
    """The id of a job of the first server that goes on until it is cancelled, and tells how far it is."""
    ended = threading.Event()

    def work() -> None:
        for number in range(10**6):
            emit(Progress("counting", number, 0, "numbers"))
            if ended.is_set():
                return
            sleep(0.01)

    (_, client), _ = instances
    yield board(client).begin(work).id
    ended.set()


def test_a_job_is_followed_at_either_server(instances: list[Instance], tmp_path: Path) -> None:
    """A page would be told that there is no such job whenever the proxy sends it to the other server."""
    (_, first), (other, second) = instances
    path = write(tmp_path / "ants.md", markdown("Ants", "Ants follow trails."))
    job = first.post(f"{ROOT}/files", files={"file": ("ants.md", path.read_bytes())}).json()["job"]
    told = collect_notices(second, job)
    assert [one.event for one in told if one.event in ("started", "file", "done")] == ["started", "file", "done"]
    assert told[-1].event == "end" and [one.data for one in told[:-1]] == [
        one.data for one in collect_notices(first, job)[:-1] if one.id in {each.id for each in told}
    ]
    shown = body(second, f"/jobs/{job}")
    assert (shown["state"], shown["verb"], shown["event"]["kind"]) == ("done", "add", "done")
    assert states(first) == states(second) == [(job, "done")]
    assert [hit.paper.title for hit in other.search("ants").hits] == ["Ants"]


def test_a_removed_paper_is_not_kept_in_what_jobs_told(instances: list[Instance], tmp_path: Path) -> None:
    """Its sentences would stay in the database, in an answer that was told to the other servers."""
    (one, first), (_, second) = instances
    one.add(write(tmp_path / "ants.md", markdown("Ants", "Ants follow trails of scent to their nest.")))
    job = first.post(f"{ROOT}/ask", json={"question": "What do ants follow?"}).json()["job"]
    assert collect_notices(second, job)[-1].event == "end"
    bodies = "SELECT count(*) FROM server_events WHERE strpos(body, 'trails of scent') > 0"

    def told() -> int:
        with one.session.catalog.engine.connect() as connection:
            return int(connection.scalar(text(bodies)) or 0)

    assert told() > 0
    one.remove("Ants")
    assert told() == 0


def test_a_job_is_ended_at_either_server(instances: list[Instance], stalled: str) -> None:
    """Nobody could end a job but by asking again and again until the proxy meets its server."""
    (_, first), (_, second) = instances
    until(lambda: (stalled, "running") in states(second))
    assert second.delete(f"{ROOT}/jobs/{stalled}").status_code == 202
    until(lambda: states(first) == states(second) == [(stalled, "cancelled")])
    assert board(first).is_unwanted(board(first).own_jobs()[0])


def test_all_events_of_both_come_in_one_stream(instances: list[Instance], stalled: str) -> None:
    """A page would not show what a colleague's job does, or show it only now and then."""
    (_, second) = instances[1]
    until(lambda: (stalled, "running") in states(second))
    before = board(second).feed.place
    until(lambda: board(second).feed.place != before)


def test_what_is_kept_of_progress_is_the_last(instances: list[Instance], stalled: str) -> None:
    """A long `add` would fill the catalog with how far it was."""
    (library, _), _ = instances
    seen = "SELECT count(*), max(seq) FROM server_events"

    def rows() -> tuple[int, int]:
        with library.session.catalog.engine.connect() as connection:
            count, last = connection.execute(text(seen)).one()
        return count, last or 0

    until(lambda: rows()[1] > 5)
    assert rows()[0] == 2, "what began it, and how far it is"


def test_jobs_of_a_server_that_was_killed_end(
    instances: list[Instance], stalled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would be shown as running for ever, and a page would wait for them."""
    (_, first), (_, second) = instances
    until(lambda: (stalled, "running") in states(second))
    shared = board(first).shared
    assert shared
    monkeypatch.setattr(shared, "_write_entries", lambda: None)  # it is heard of no more
    monkeypatch.setattr(shared_jobs, "LOST_SECONDS", 0)
    assert [one.event for one in collect_notices(second, stalled)][-2:] == ["failed", "end"]
    assert "The server that ran this job has ended" in body(second, f"/jobs/{stalled}")["event"]["error"]["message"]


def test_jobs_of_a_server_that_ends_in_order_end(server: Server, tmp_path: Path) -> None:
    """Each restart of one of the servers would leave jobs that seem to run for another minute."""
    flags = {"catalog__url": server.url(), "catalog__schema": f"t_{abs(hash(tmp_path)):x}"}
    gone = threading.Event()
    with open_library(tmp_path / "one", **flags) as one, open_library(tmp_path / "two", **flags) as two:
        with make_client(two) as second:
            with make_client(one) as first:
                name = board(first).begin(lambda: gone.wait(HANG)).id
                until(lambda: states(second) == [(name, "running")])
            until(lambda: states(second) == [(name, "failed")])
        gone.set()


def test_two_servers_of_one_host_know_the_same_cookie() -> None:
    """A page that was let in by one server would be shut out by the other."""
    assert len({Access(port=port, token="a", names=("papers.example.org",)).cookie for port in (1, 2)}) == 1
    assert len({Access(port=port, token="a").cookie for port in (1, 2)}) == 2


def test_who_guesses_at_one_server_is_shut_out_by_both(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever guesses tokens would have as many tries more as there are servers."""
    monkeypatch.setattr(shared_jobs, "ROUND_SECONDS", 0.02)
    flags = {"catalog__url": server.url(), "catalog__schema": f"t_{abs(hash(tmp_path)):x}"}
    with (
        open_library(tmp_path / "one", **flags) as one,
        open_library(tmp_path / "two", **flags) as two,
        make_client(one, Access(port=80, token="right")) as first,
        make_client(two, Access(port=80, token="right")) as second,
    ):

        def status(client: TestClient, token: str) -> int:
            return client.get(f"{ROOT}/status", headers={"authorization": f"Bearer {token}"}).status_code

        assert status(second, "right") == 200
        assert [status(first, f"wrong {number}") for number in range(10)] == [401] * 10
        until(lambda: status(second, "right") == 429)


def test_a_role_that_may_make_no_tables_serves_its_own_jobs(
    instances: list[Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that may only read would not start."""
    (library, _), _ = instances
    monkeypatch.setattr(shared_jobs, "_TABLES", ("CREATE TABLE pg_catalog.server_jobs (id text)",))
    with make_client(library) as client:
        job = board(client).begin(lambda: 1)
        job.wait(HANG)
        assert (job.id, "done") in states(client)
