"""Limits of services hold for all processes of a user together, and a process that is gone holds nobody up."""

import os
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from contextvars import copy_context
from pathlib import Path

import pytest

from conspectus.core.errors import ServiceAwayError
from conspectus.core.job_context import JobContext, Notice, Stopped
from conspectus.services import gate
from conspectus.services.client import ServiceClient
from conspectus.services.protocol import RateLimit
from helpers import until
from service_clients import UNLIMITED, ServiceServer, asking_process, client_of, service_server

PACE = gate.PACE
OK = (200, b"{}", {})


@pytest.fixture(autouse=True)
def service_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder for this test, and limits as users have them."""
    monkeypatch.setattr(gate, "PACE", PACE)
    monkeypatch.setenv("CONSPECTUS_STATE", str(tmp_path / "state"))
    return tmp_path / "state" / "services"


def test_two_processes_keep_a_rate_together(service_state: Path) -> None:
    """Two commands at once would get the user's address blocked."""
    limits = RateLimit(requests=4, seconds=1, at_once=20)
    with service_server() as server:
        client_of(server.url, limits).get("/first")
        with closing(sqlite3.connect(service_state / "limits.sqlite")) as db:
            db.execute("CREATE TABLE log (at REAL)")
            db.execute(
                "CREATE TRIGGER began AFTER UPDATE OF started ON turns BEGIN INSERT INTO log VALUES (new.started); END"
            )
            before = time.time()
            _ask_from_two(server, 8, limits)
            started = [at for (at,) in db.execute("SELECT at FROM log ORDER BY at")]
    assert len(started) == len(server.requests) - 1 == 16
    gaps = [later - first for first, later in zip(started, started[limits.requests :], strict=False)]
    assert min(gaps) >= limits.seconds
    assert server.requests[-1].began - before >= (16 / limits.requests - 1) * limits.seconds


def test_two_processes_keep_the_number_at_once_together() -> None:
    """Crossref and Semantic Scholar refuse those that ask more at once."""
    with service_server() as server:
        server.answer = lambda *_: (time.sleep(0.03), OK)[1]
        _ask_from_two(server, 12, RateLimit(requests=10_000, seconds=1, at_once=2))
    assert len(server.requests) == 24
    assert server.most_at_once == 2


def test_a_killed_process_frees_its_place() -> None:
    """After a crash nothing could be asked for the rest of a timeout, or ever."""
    limits = RateLimit(requests=10_000, seconds=1, at_once=1)
    is_over = threading.Event()
    with service_server() as server, asking_process(server.url, "/slow", 1, limits) as process:
        server.answer = lambda request, _: (is_over.wait(30) if "slow" in request.path else None, OK)[1]
        until(lambda: server.requests)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gate, "MOST_WAIT", 0.3)
            with pytest.raises(ServiceAwayError, match="permits 1 request at once"):
                client_of(server.url, limits).get("/quick")
        process.kill()
        process.wait()
        assert client_of(server.url, limits).get("/quick") == b"{}"
        is_over.set()


def test_a_process_without_a_sign_of_life_leaves_the_line(monkeypatch: pytest.MonkeyPatch, service_state: Path) -> None:
    """On another machine with the same home folder a process can only be known by its signs of life."""
    with service_server() as server:
        client_of(server.url).get("/first")
        with closing(sqlite3.connect(service_state / "limits.sqlite")) as db, db:
            for alive, started in ((time.time() - 1, None), (time.time() - 1, time.time() - 100)):
                row = (client_of(server.url).address, "elsewhere", 1, alive, started)
                db.execute("INSERT INTO turns (gate, host, pid, alive, started) VALUES (?, ?, ?, ?, ?)", row)
        monkeypatch.setattr(gate, "MOST_WAIT", 0.0)
        assert client_of(server.url, RateLimit(requests=100, seconds=1, at_once=1)).get("/second")


def test_turns_are_taken_in_order() -> None:
    """A thread that is never first would wait until its bound, and fail."""
    limits = RateLimit(requests=10_000, seconds=1, at_once=1)
    is_open = threading.Event()
    with service_server() as server, ThreadPoolExecutor(6) as threads:
        server.answer = lambda *_: (is_open.wait(30), OK)[1]
        client = client_of(server.url, limits)
        answers = []
        for number in range(6):
            answers.append(threads.submit(client.get, f"/{number}"))
            until(lambda: _count_turns(client) == number + 1)  # noqa: B023
        is_open.set()
        assert [answer.result() for answer in answers] == [b"{}"] * 6
    assert [request.path for request in server.requests] == [f"/{number}" for number in range(6)]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((429, b"slow", {"retry_after": "5000"}), "asks for a pause until"),
        ((503, b"away", {"retry_after": "5000"}), "asks for a pause until"),
        (
            (200, b"{}", {"x_ratelimit_remaining": "0", "x_ratelimit_reset": str(time.time() + 9000)}),
            "asks for a pause",
        ),
        ((200, b"{}", {"x_ratelimit_remaining": "0", "x_ratelimit_reset": "5000"}), "asks for a pause until"),
        ((200, b"{}", {"x_rate_limit_limit": "1", "x_rate_limit_interval": "3600s"}), "permits 1 request in 3600 s"),
        ((200, b"{}", {"x_rate_limit_limit": "1", "x_rate_limit_interval": "1h"}), "permits 1 request in 3600 s"),
    ],
)
def test_what_one_hears_holds_for_others(answer: tuple[int, bytes, dict[str, str]], why: str) -> None:
    """A second process would go on asking a service that asked for a pause."""
    with service_server(answer, OK) as server:
        with asking_process(server.url, "/first", 1, UNLIMITED) as process:
            process.wait()
        with pytest.raises(ServiceAwayError, match=why) as refused:
            client_of(server.url).get("/second")
    assert len(server.requests) == 1
    assert "Try again then" in refused.value.hint


@pytest.mark.parametrize(
    "headers",
    [
        {"x_ratelimit_remaining": "7", "x_ratelimit_reset": "5000"},
        {"x_ratelimit_remaining": "0", "x_ratelimit_remaining_usd": "0", "x_ratelimit_reset": "5000"},
        {"x_rate_limit_limit": "0", "x_rate_limit_interval": "3600s"},
        {"x_rate_limit_limit": "1", "x_rate_limit_interval": "a while"},
        {"x_rate_limit_limit": "-1", "x_rate_limit_interval": "9" * 30},
        {"x_ratelimit_remaining": "nan", "x_ratelimit_reset": "inf", "retry_after": "-5"},
        {"retry_after": "x" * 5000},
        {"x_concurrency_limit": "0"},
    ],
)
def test_headers_that_mean_nothing_hold_nobody_up(headers: dict[str, str]) -> None:
    """A service that sends nonsense, or says only what costs money is used up, could not be asked any more."""
    with service_server((200, b"{}", headers)) as server:
        client = client_of(server.url)
        assert (client.get("/first"), client.get("/second")) == (b"{}", b"{}")


def test_a_service_may_permit_fewer_at_once_than_published() -> None:
    """Crossref says in its replies how many requests it takes at once."""
    with service_server() as server, ThreadPoolExecutor(8) as threads:
        server.answer = lambda *_: (time.sleep(0.02), (200, b"{}", {"x_concurrency_limit": "2"}))[1]
        client = client_of(server.url)
        client.get("/first")
        list(threads.map(client.get, [f"/{number}" for number in range(16)]))
    assert server.most_at_once == 2
    assert client.facts().stated_limit == RateLimit(requests=10_000, seconds=1, at_once=2)


def test_a_short_pause_is_waited_for_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user would not know why nothing happens."""
    monkeypatch.setattr(gate, "_NOTICE_SECONDS", 0.0)
    with service_server((429, b"slow", {"retry_after": "1"}), OK) as server:
        events: list[object] = []
        with JobContext(events.append).listen():
            assert client_of(server.url).get("/works") == b"{}"
    first, second = server.requests
    assert second.began - first.ended > 0.9
    assert [event for event in events if isinstance(event, Notice) and "asks for a pause until" in event.text]


def test_a_refusal_without_a_time_holds_everybody_for_a_moment() -> None:
    """Other threads would go on, and all would be refused."""
    with service_server((429, b"slow", {}), OK) as server:
        client_of(server.url).get("/works")
        assert client_of(server.url)._gate.state().blocked_until > server.requests[0].began + 0.4
    assert len(server.requests) == 2


@pytest.mark.parametrize("in_thread", [False, True])
def test_waiting_ends_when_the_job_is_cancelled(in_thread: bool) -> None:
    """A cancelled job would go on waiting for a service."""
    with service_server((200, b"{}", {"retry_after": "60"})) as server:
        client = client_of(server.url)
        client.get("/first")
        job = JobContext(lambda _: None)
        ended = []

        def ask() -> None:
            with job.listen(), ThreadPoolExecutor(1) as threads:
                try:
                    if in_thread:
                        threads.submit(copy_context().run, client.get, "/second").result()
                    else:
                        client.get("/second")
                except Stopped:
                    ended.append(True)

        thread = threading.Thread(target=ask)
        thread.start()
        until(lambda: _count_turns(client, "started IS NULL"))
        job.stop()
        thread.join(30)
        assert ended == [True]
        assert _count_turns(client, "started IS NULL") == 0
    assert len(server.requests) == 1


def test_a_rate_is_kept_where_nothing_can_be_written(service_state: Path) -> None:
    """On a medium that cannot be written services would be asked without any limit, or not at all."""
    service_state.parent.write_text("a file where the folder should be")
    limits = RateLimit(requests=1, seconds=0.3, at_once=1)
    events: list[object] = []
    with service_server() as server, JobContext(events.append).listen():
        client = client_of(server.url, limits)
        before = time.time()
        for _ in range(3):
            assert client.get("/same")
    assert len(server.requests) == 3, "nothing is remembered"
    assert server.requests[2].began - before >= 2 * limits.seconds
    assert "hold for this process only" in str(events[0])


def test_a_damaged_file_of_limits_is_thrown_away(service_state: Path) -> None:
    """After a power cut no service could be asked."""
    service_state.mkdir(parents=True)
    (service_state / "limits.sqlite").write_bytes(b"SQLite format 3\0" + os.urandom(5000))
    with service_server() as server:
        assert client_of(server.url).get("/works")
    assert client_of(server.url).facts().requests == 1


def test_files_are_the_users_alone(service_state: Path) -> None:
    """Other users of the machine could read what this one looks for."""
    with service_server() as server:
        client_of(server.url).get("/works")
    assert service_state.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in service_state.iterdir()} == {0o600}
    assert {path.name for path in service_state.iterdir()} == {"limits.sqlite", "answers.sqlite"}


def test_a_clock_that_is_set_back_holds_nobody_up(service_state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the clock of a machine is corrected a service could not be asked for hours."""
    limits = RateLimit(requests=1, seconds=0.1, at_once=1)
    with service_server((200, b"{}", {"retry_after": "1"}), OK) as server:
        client_of(server.url, limits).get("/first")
        with closing(sqlite3.connect(service_state / "limits.sqlite")) as db, db:
            db.execute("UPDATE turns SET started = started + 1e6, ended = ended + 1e6")
            db.execute("UPDATE gates SET held = held + 1e6, heard = heard + 1e6")
        monkeypatch.setattr(gate, "MOST_WAIT", 1.0)
        assert client_of(server.url, limits).get("/second")


def _ask_from_two(server: ServiceServer, times: int, limits: RateLimit) -> None:
    with ExitStack() as stack:
        both = [stack.enter_context(asking_process(server.url, f"/{name}", times, limits)) for name in "ab"]
        assert [(process.wait(), process.stderr.read()) for process in both if process.stderr] == [(0, b"")] * 2


def _count_turns(client: ServiceClient, where: str = "1") -> int:
    count = client._gate.run(lambda db: db.execute(f"SELECT count(*) FROM turns WHERE {where}").fetchone())
    return int(count[0])
