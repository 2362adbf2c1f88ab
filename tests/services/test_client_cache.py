"""Answers of services are used again while they are young, renewed cheaply, and never half, wrong or another's."""

import os
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.services import state
from conspectus.services.client import ServiceClient
from conspectus.settings.secret import Secret
from helpers import until
from service_clients import UNLIMITED, asking_process, client_of, service_server

OK = (200, b'{"works": 1}', {})


@pytest.fixture(autouse=True)
def service_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder for this test."""
    monkeypatch.setenv("CONSPECTUS_STATE", str(tmp_path / "state"))
    return tmp_path / "state" / "services"


def test_the_same_question_is_sent_once(service_state: Path) -> None:
    """Each run would ask everything again, and pay for it."""
    with service_server() as server:
        first = client_of(server.url)
        assert first.get("/works", {"q": "lace"}, price=0.0) == OK[1]
        again = client_of(server.url)
        assert again.get_json("/works", {"q": "lace"}) == {"works": 1}
    assert (len(server.requests), first.requests, again.requests) == (1, 1, 0)


@pytest.mark.parametrize(
    ("path", "options"),
    [
        ("/other", {"params": {"q": "lace"}}),
        ("/works", {"params": {"q": "plant"}}),
        ("/works", {"params": {"q": "lace"}, "headers": {"Accept": "text/xml"}}),
        ("/works", {"params": {"q": "lace"}, "body": {"ids": [1]}}),
        ("/works", {"params": {"q": "lace"}, "body": {"ids": [2]}}),
    ],
)
def test_another_question_is_sent(path: str, options: dict[str, Any]) -> None:
    """The answer to another question would be taken for this one's."""
    with service_server() as server:
        client = client_of(server.url)
        client.get("/works", {"q": "lace"})
        client.get("/works", {"q": "lace"}, body={"ids": [3]})
        client.get(path, **options)
    assert len(server.requests) == 3


def test_who_asks_does_not_matter() -> None:
    """A new key or address of mail would make all answers useless."""
    with service_server() as server:
        client_of(server.url).get("/works", {"q": "lace"})
        keyed = client_of(server.url, openalex_key=Secret("k-1"), mailto="a@b.org")
        keyed.get("/works", {"q": "lace", "api_key": "k-1", "mailto": "a@b.org"}, headers={"Authorization": "k-1"})
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "days", "sent"),
    [(OK, 6.0, 1), (OK, 8.0, 2), (OK, -1.0, 2), ((404, b"", {}), 0.9, 1), ((404, b"", {}), 1.1, 2)],
)
def test_answers_have_an_age(answer: tuple[int, bytes, dict[str, str]], days: float, sent: int) -> None:
    """Old answers would hide what is new; that a work is not there changes soonest."""
    with service_server(answer) as server:
        client = client_of(server.url)
        expected = client.get("/works")
        _change(f"at = at - {86400 * days}")
        assert client.get("/works") == expected
    assert len(server.requests) == sent


@pytest.mark.parametrize(
    "answer",
    [
        (500, b"no", {}),
        (400, b"no", {}),
        (206, b'{"half', {}),
        (203, b"{}", {}),
    ],
)
def test_only_whole_good_answers_are_kept(
    answer: tuple[int, bytes, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure would stay for a week."""
    monkeypatch.setattr("conspectus.core.http.RetryPolicy.pause", lambda *_: 0.0)
    with service_server(*[answer] * (4 if answer[0] == 500 else 1), OK) as server:
        client = client_of(server.url)
        if answer[0] >= 400:
            with pytest.raises(ServiceError):
                client.get("/works")
        else:
            client.get("/works")
        assert client.get("/works") == OK[1]
    assert len(server.requests) == (5 if answer[0] == 500 else 2)


@pytest.mark.parametrize("refuse", [ServiceClient.failure, ServiceClient.away])
def test_an_answer_that_cannot_be_used_is_forgotten(refuse: Callable[[ServiceClient, str], ServiceError]) -> None:
    """A service that answers half once would be half for a week."""
    with service_server((200, b'{"works": ', {}), OK) as server:
        client = client_of(server.url)
        with pytest.raises(ServiceError, match="not JSON"):
            client.get_json("/works")
        assert client.get_json("/works") == {"works": 1}
        refuse(client, "answered half")
        client.get("/works")
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("headers", "condition", "value"),
    [
        ({"ETag": '"v1"'}, "if-none-match", '"v1"'),
        ({"Last-Modified": "Sat, 01 Aug 2026 00:00:00 GMT"}, "if-modified-since", "Sat, 01 Aug 2026 00:00:00 GMT"),
    ],
)
def test_an_old_answer_is_renewed(headers: dict[str, str], condition: str, value: str) -> None:
    """All would be sent again where nothing has changed."""
    with service_server((200, b"{}", headers), (304, b"", {}), (200, b'{"new": 1}', {})) as server:
        client = client_of(server.url)
        client.get("/works")
        _change("at = at - 700000")
        assert client.get("/works") == b"{}"
        assert client.get("/works") == b"{}", "young again"
        _change("at = at - 700000")
        assert client.get("/works") == b'{"new": 1}'
    assert [request.headers.get(condition) for request in server.requests] == [None, value, value]


def test_a_service_that_is_away_costs_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """After an hour of trouble all would be sent again."""
    monkeypatch.setattr("conspectus.core.http.RetryPolicy.pause", lambda *_: 0.0)
    with service_server((200, b"{}", {"ETag": "v"}), *[(503, b"", {})] * 4, (304, b"", {})) as server:
        client = client_of(server.url, max_age=0.0)
        client.get("/works")
        with pytest.raises(ServiceAwayError):
            client.get("/works")
        assert client.get("/works") == b"{}"
    assert len(server.requests) == 6


def test_not_changed_without_a_question_is_a_failure() -> None:
    """An answer without words would be taken for an empty one."""
    with service_server((304, b"", {})) as server, pytest.raises(ServiceError, match="HTTP 304"):
        client_of(server.url).get("/works")


def test_max_age_zero_asks_each_time() -> None:
    """What is new could not be asked for."""
    with service_server((200, b"{}", {"ETag": "v"}), (304, b"", {})) as server:
        client = client_of(server.url, max_age=0.0)
        assert (client.get("/works"), client.get("/works")) == (b"{}", b"{}")
    assert "if-none-match" in server.requests[1].headers


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(os.urandom(9000)),
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: _change("body = zeroblob(30)"),
        lambda path: _change("body = 'text'"),
        lambda path: _change("digest = zeroblob(16)"),
        lambda path: _change("status = 'x'"),
        lambda path: _execute("DROP TABLE answers", "CREATE TABLE answers (question TEXT)"),
    ],
)
def test_a_damaged_answer_is_asked_again(damage: Callable[[Path], object], service_state: Path) -> None:
    """A power cut would stop all searches, or give wrong answers."""
    with service_server() as server:
        client = client_of(server.url)
        client.get("/works")
        damage(service_state / "answers.sqlite")
        assert client.get("/works") == OK[1]
        assert client.get("/works") == OK[1]
    assert len(server.requests) == 2


def test_the_file_has_a_greatest_size(service_state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state folder would fill the disk; what was asked last stays."""
    monkeypatch.setattr(state, "MOST_BYTES", 400_000)
    with service_server() as server:
        server.answer = lambda *_: (200, os.urandom(20_000).hex().encode(), {})
        client = client_of(server.url)
        for number in range(60):
            client.get(f"/{number}")
        client.get("/59")
        assert len(server.requests) == 60
        client.get("/0")
        assert len(server.requests) == 61
    assert (service_state / "answers.sqlite").stat().st_size < 500_000


def test_threads_that_ask_the_same_ask_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight papers that cite one work would ask for it eight times."""
    is_open = threading.Event()
    waiting = set()
    wait = state.wait
    monkeypatch.setattr(state, "wait", lambda *given: (waiting.add(threading.get_ident()), wait(*given))[1])
    with service_server() as server, ThreadPoolExecutor(8) as threads:
        server.answer = lambda *_: (is_open.wait(30), OK)[1]
        clients = [client_of(server.url, max_age=0.0) for _ in range(8)]
        answers = [threads.submit(client.get, "/works") for client in clients]
        until(lambda: server.requests and len(waiting) == 7)
        is_open.set()
        assert {answer.result() for answer in answers} == {OK[1]}
    assert len(server.requests) == 1


def test_a_failure_is_every_askers_failure() -> None:
    """Threads that wait for another's answer would wait without end, or take nothing for an answer."""
    is_open = threading.Event()
    with service_server() as server, ThreadPoolExecutor(4) as threads:
        server.answer = lambda *_: (is_open.wait(30), (400, b"no", {}))[1]
        client = client_of(server.url)
        answers = [threads.submit(client.get, "/works") for _ in range(4)]
        until(lambda: server.requests)
        is_open.set()
        assert [type(answer.exception()) for answer in answers] == [ServiceError] * 4


@pytest.mark.parametrize("echo", ["raw", "quoted", "etag", "mail"])
def test_no_key_and_no_mail_is_in_any_file(echo: str, service_state: Path) -> None:
    """Keys in files of state end up in backups and on other machines."""
    key, mail = "s3cret/key+7", "somebody@example.org"
    texts = {"raw": key, "quoted": "s3cret%2Fkey%2B7", "etag": "", "mail": mail}
    headers = {"ETag": f'"{key}"'} if echo == "etag" else {}
    with service_server((200, f'{{"query": "{texts[echo]}"}}'.encode(), headers)) as server:
        url = server.url.replace("http://", "http://name:passw0rd@")
        client = client_of(url, openalex_key=Secret(key), mailto=mail)
        for path in ("/echo", "/other"):
            client.get(path, {"api_key": key, "mailto": mail}, headers={"Authorization": f"Bearer {key}"})
        client.facts()
    every_byte = b"".join(path.read_bytes() for path in service_state.parent.rglob("*") if path.is_file())
    assert len(every_byte) > 5000
    for secret in ("s3cret", "somebody", "passw0rd"):
        assert secret.encode() not in every_byte
    assert len(server.requests) == 2


def test_no_key_is_in_a_message() -> None:
    """NCBI repeats a wrong key in its refusal; a message ends up in reports of bugs."""
    key = "s3cret/key"
    refusal = (400, b'{"error": "API key invalid", "api-key": "s3cret/key"}', {})
    with service_server(refusal) as server, pytest.raises(ServiceError) as refused:
        client_of(server.url, openalex_key=Secret(key)).get("/works", {"api_key": key})
    assert "s3cret" not in str(refused.value)
    assert "***" in str(refused.value)


def test_a_process_that_uses_the_file_is_no_failure(service_state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another process keeps the file of answers, nothing could be asked."""
    monkeypatch.setattr("conspectus.services.state._BUSY_SECONDS", 0.05)
    with service_server() as server:
        client = client_of(server.url)
        client.get("/first")
        with closing(sqlite3.connect(service_state / "answers.sqlite")) as db:
            db.execute("BEGIN IMMEDIATE")
            assert client.get("/second") == OK[1]
        with closing(sqlite3.connect(service_state / "limits.sqlite")) as db:
            db.execute("BEGIN IMMEDIATE")
            with pytest.raises(ServiceAwayError, match="locked") as refused:
                client.get("/third")
    assert "End the process" in refused.value.hint


def test_another_process_uses_what_one_was_answered() -> None:
    """Each command would ask everything again."""
    with service_server() as server:
        client_of(server.url).get("/works/0", {"q": "lace"})
        with asking_process(server.url, "/works", 2, UNLIMITED) as process:
            assert process.wait() == 0
        client_of(server.url).get("/works/1", {"q": "lace"})
    assert sorted(request.path for request in server.requests) == ["/works/0?q=lace", "/works/1?q=lace"]


def _change(what: str) -> None:
    _execute(f"UPDATE answers SET {what}")


def _execute(*statements: str) -> None:
    with closing(sqlite3.connect(state.ANSWERS_FILE.path)) as db, db:
        for statement in statements:
            db.execute(statement)
