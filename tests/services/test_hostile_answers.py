"""Answers of services that want to do harm: each ends with an error that names the service, soon, and nothing kept."""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from conspectus.core import http
from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.public_hosts import is_public
from conspectus.services import client as client_module
from conspectus.services.arxiv import Arxiv
from conspectus.services.pool import ServicePool
from conspectus.services.protocol import WorkQuery
from conspectus.settings.groups import SourcesSettings
from scripted_service import scripted_service
from service_clients import Answer, client_of, service_server

MEGABYTE = 2**20
BOMB = b'{"works": "' + b"a" * (96 * MEGABYTE) + b'"}'
ENTITIES = b"<!DOCTYPE a [<!ENTITY b0 'aaaaaaaaaa'>" + b"".join(
    b"<!ENTITY b%d '%s'>" % (number, b"&b%d;" % (number - 1) * 10) for number in range(1, 12)
)
OUTSIDE = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><feed><entry><title>&x;</title></entry></feed>'


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "sleep", lambda _: None)


@pytest.mark.parametrize("packings", [(gzip.compress,), (zlib.compress,), (gzip.compress, gzip.compress)])
def test_what_unfolds_to_too_much_is_refused(packings: Sequence[Callable[[bytes, int], bytes]]) -> None:
    """Memory would run out, for an answer of some kilobytes."""
    body, names = BOMB, []
    for pack in packings:
        body = pack(body, 9)
        names.append("gzip" if pack is gzip.compress else "deflate")
    test_hostile_bodies_are_refused((200, body, {"Content-Encoding": ", ".join(names)}))


@pytest.mark.parametrize(
    "answer",
    [
        (200, b"\x28\xb5\x2f\xfd" + b"\x00" * 100, {"Content-Encoding": "zstd"}),
        (200, b"\x00" * 100, {"Content-Encoding": "br"}),
        (200, b"[" * 10**6, {"Content-Type": "application/json"}),
        (200, b'{"a":' * 10**6, {}),
        (200, b"9" * 10**6, {"Content-Type": "text/html"}),
        (200, b'{"works": 1e999999999}', {}),
        (200, b"\xff\xfe\x00\x00", {"Content-Type": "application/json; charset=utf-32"}),
        (200, b'{"works": 1}', {"Content-Encoding": "gzip"}),
    ],
    ids=["zstd", "br", "deep lists", "deep objects", "long number", "infinite number", "charset", "not packed"],
)  # fmt: skip
def test_hostile_bodies_are_refused(answer: Answer) -> None:
    """Memory would run out, or what is no answer be taken for one."""
    with service_server(answer) as server:
        client = client_of(server.url, timeout=20.0, max_age=1.0)
        with pytest.raises(ServiceError) as caught:
            read = client.get_json("/works")
            assert isinstance(read, dict), "a number is no answer"
            raise client.failure(f"gave {read}")
    assert "Pretended Works" in caught.value.message and len(caught.value.message) < 1000


@pytest.mark.parametrize("body", [ENTITIES + b"]><feed>&b11;</feed>", OUTSIDE], ids=["entities", "file"])
def test_entities_are_not_expanded(body: bytes) -> None:
    """A short answer would become a billion letters, or a file of the user be a title."""
    with scripted_service() as server, pytest.raises(ServiceError):
        found = server.find(Arxiv(), WorkQuery(words="tides"), body)
        assert "root:" not in str(found)


@pytest.mark.parametrize("retry", ["31536000", "-5", "1e9", "Fri, 31 Dec 9999 23:59:59 GMT", "nan", "inf", "9" * 400])
def test_a_pause_that_makes_no_sense_ends_at_once(retry: str) -> None:
    """A program would sleep for a year, or a service not be asked until somebody deletes a file."""
    began = time.monotonic()
    with service_server((429, b"no", {"Retry-After": retry}), (200, b'{"works": 1}', {})) as server:
        client = client_of(server.url, timeout=5.0)
        try:
            assert client.get_json("/works") == {"works": 1}
        except ServiceAwayError as error:
            assert "pause" in error.message
        state = client._gate.state()
    assert state.blocked_until <= time.time() + 2 * 86400 + 1 and time.monotonic() - began < 60


@pytest.mark.parametrize("length", ["5", "99999999", "-1", "x"])
def test_a_length_that_is_a_lie_is_no_whole_answer(length: str) -> None:
    """The first five bytes of an answer would be read as the answer."""
    import socket
    import threading

    listening = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        for _ in range(8):
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n".encode()
                connection.sendall(head + b'{"works": 1}')

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        client = client_of(f"http://127.0.0.1:{listening.getsockname()[1]}", timeout=3.0)
        with pytest.raises(ServiceError):
            client.get_json("/works")
    finally:
        listening.close()


@pytest.mark.parametrize(
    "address",
    ["::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2001:0:4136:e378::1",
     "fe80::1%eth0", "fd00::1", "::", "ff02::1", "fec0::1", "::ffff:0:127.0.0.1", "0:0:0:0:0:ffff:a9fe:a9fe"],
)  # fmt: skip
def test_forms_of_ipv6_that_mean_this_network(address: str) -> None:
    """A redirect would lead to the user's own machine, or to the keys of a cloud."""
    assert not is_public(address)


def test_a_service_that_redirects_to_a_private_host_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that was taken over would read what only the user's machine may."""
    monkeypatch.setattr(http.time, "sleep", lambda _: None)
    with service_server((200, b'{"secret": 1}', {})) as inner:
        with service_server((302, b"", {"Location": f"{inner.url}/admin"})) as server:
            pool = ServicePool(SourcesSettings(crossref_url=server.url, timeout=5.0))
            assert pool.find(["crossref"], WorkQuery(words="x"), 5) == {"crossref": []}
        assert inner.requests == [] and pool.reports()[0].note


def test_drops_end_in_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that sends a byte a second would hold a search for days."""

    def slowly(*_: Any) -> Answer:
        time.sleep(6)
        return 200, b"{}", {}

    monkeypatch.setattr(client_module.RETRY.__class__, "tries", 1, raising=False)
    with service_server() as server:
        server.answer = slowly
        began = time.monotonic()
        with pytest.raises(ServiceAwayError, match="within 1 s"):
            client_of(server.url, timeout=1.0).get_json("/works")
        assert time.monotonic() - began < 30
