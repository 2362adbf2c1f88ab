"""What a service costs stops at the budget, and what is known of it can be listed."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.http import once_only
from conspectus.services.client import ServiceClient, service_facts
from conspectus.services.protocol import RateLimit
from conspectus.settings.groups import SourcesSettings
from conspectus.settings.secret import Secret
from service_clients import PretendedService, client_of, service_server

FREE = RateLimit(requests=10_000, seconds=1, at_once=50, free_dollars=0.01)
KEYED = RateLimit(requests=10_000, seconds=1, at_once=50, free_dollars=0.1)
PRICE = 0.001
OK = (200, b"{}", {})


@pytest.fixture(autouse=True)
def service_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder for this test; tries follow at once."""
    monkeypatch.setenv("CONSPECTUS_STATE", str(tmp_path / "state"))
    monkeypatch.setattr("conspectus.core.http.RetryPolicy.pause", lambda *_: 0.0)
    return tmp_path / "state" / "services"


@pytest.mark.parametrize(
    ("options", "requests", "budget"),
    [
        ({}, 10, "$0.01"),
        ({"openalex_key": Secret("key")}, 100, "$0.10"),
        ({"max_cost": 0.0055}, 5, "$0.0055"),
        ({"max_cost": 0.02}, 20, "$0.02"),
    ],
)
def test_requests_stop_at_the_budget(options: dict[str, Any], requests: int, budget: str) -> None:
    """A search in a loop would cost the user money that nobody agreed to."""
    with service_server(OK) as server:
        with pytest.raises(ServiceAwayError) as refused:
            for number in range(200):
                client_of(server.url, FREE, KEYED, **options).get(f"/{number}", price=PRICE)
        client = client_of(server.url, FREE, KEYED, **options)
        assert client.get("/free") == b"{}", "what costs nothing goes on"
        assert client.get("/0", price=PRICE) == b"{}", "and what is remembered"
    assert len(server.requests) == requests + 1
    assert budget in refused.value.message
    assert "sources.max_cost" in refused.value.hint
    assert client.budget_left() == pytest.approx(float(budget[1:]) - requests * PRICE)
    assert service_facts(*_of(client)).requests == requests + 1


def test_threads_do_not_spend_a_budget_twice() -> None:
    """Requests at once would each see the money that is left, and spend it."""
    with service_server() as server, ThreadPoolExecutor(16) as threads:
        server.answer = lambda *_: (time.sleep(0.01), OK)[1]
        client = client_of(server.url, FREE)

        def ask(number: int) -> bool:
            try:
                return client.get(f"/{number}", price=PRICE) == b"{}"
            except ServiceAwayError:
                return False

        assert sum(threads.map(ask, range(40))) == 10
    assert len(server.requests) == 10
    assert client.cost == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("headers", "options", "left"),
    [
        ({"X_RateLimit_Remaining_USD": "0.0042"}, {}, 0.0042),
        ({"X_RateLimit_Remaining_USD": "5"}, {}, 0.009),
        ({"X_RateLimit_Remaining_USD": "0.0042", "X_RateLimit_Prepaid_Remaining_USD": "3"}, {}, 0.0042),
        (
            {"X_RateLimit_Remaining_USD": "0.0042", "X_RateLimit_Prepaid_Remaining_USD": "3"},
            {"max_cost": 1.0},
            0.999,
        ),
        ({"X_RateLimit_Cost_USD": "0.004"}, {}, 0.006),
        ({"X_RateLimit_Cost_USD": "0"}, {}, 0.01),
        ({"X_RateLimit_Cost_USD": "-4", "X_RateLimit_Remaining_USD": "many"}, {}, 0.009),
    ],
)
def test_what_the_service_says_of_money_holds(headers: dict[str, str], options: dict[str, Any], left: float) -> None:
    """The same key is used on another machine, or a request cost more than was thought."""
    with service_server((200, b"{}", headers)) as server:
        client = client_of(server.url, FREE, **options)
        client.get("/works", price=PRICE)
        assert client_of(server.url, FREE, **options).budget_left() == pytest.approx(left)


def test_a_service_whose_credit_is_used_up_is_not_asked_again() -> None:
    """It refuses until the next day; four tries and the same error again for each page would be all there is."""
    refusal = (429, b"out of money", {"X_RateLimit_Remaining_USD": "0", "retry_after": "40000"})
    with service_server(refusal, OK) as server:
        client = client_of(server.url, FREE)
        for path in ("/first", "/second"):
            with pytest.raises(ServiceAwayError, match=r"service says that \$0\.00 are left"):
                client.get(path, price=PRICE)
        assert len(server.requests) == 1
        assert client.get("/free") == b"{}"
    assert client.cost == 0


@pytest.mark.parametrize("answer", [(500, b"no", {}), (400, b"no", {})])
def test_what_fails_costs_nothing(answer: tuple[int, bytes, dict[str, str]]) -> None:
    """A service that is down would use up the day's budget."""
    with service_server(answer) as server:
        client = client_of(server.url, FREE)
        with pytest.raises(ServiceError):
            client.get("/works", price=PRICE)
        assert client.budget_left() == pytest.approx(0.01)


def test_a_new_day_has_a_new_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """A budget that was used up once would stay so."""
    with service_server() as server:
        client = client_of(server.url, FREE)
        client.get("/works", price=PRICE)
        later = time.time() + 86400
        monkeypatch.setattr("conspectus.services.gate.time.time", lambda: later)
        assert client.budget_left() == pytest.approx(0.01)
        assert client.facts().requests == 0


def test_a_service_without_prices_has_no_budget() -> None:
    """A list of services would show a budget of nothing."""
    with service_server() as server:
        assert client_of(server.url).budget_left() is None


def test_facts_say_what_is_known_and_ask_nothing() -> None:
    """The user could not see what is set, what was asked, and why a service does not answer."""
    with service_server(
        (200, b"{}", {"x_rate_limit_limit": "5", "x_rate_limit_interval": "1s"}), (404, b"", {})
    ) as server:
        client = client_of(server.url.replace("//", "//me:secret@"), FREE, KEYED, openalex_key=Secret("key"))
        before = service_facts(*_of(client))
        client.get("/works", price=PRICE)
        client.get("/none")
        after = service_facts(*_of(client))
    assert (before.answered, before.status, before.requests, before.stated_limit) == (None, None, 0, None)
    assert (after.address, after.has_key, after.limit) == (server.url, True, KEYED)
    assert after.stated_limit == RateLimit(requests=5, seconds=1, at_once=10_000)
    assert (after.requests, after.status) == (2, 404)
    assert after.budget_left == pytest.approx(0.099)
    assert after.answered is not None
    assert abs(after.answered - time.time()) < 60


def test_nobody_who_listens_is_said_at_once() -> None:
    """A local service that is not running would be tried for a while."""
    client = client_of("http://127.0.0.1:9", FREE)
    with pytest.raises(ServiceAwayError, match="did not answer"):
        client.get("/works", price=PRICE)
    assert client.requests == 1
    assert client.budget_left() == pytest.approx(0.01)
    assert client.facts().status == 0


@pytest.mark.parametrize(
    ("statuses", "requests"), [((503, 200), 2), ((500, 502, 504, 200), 4), ((500,), 4), ((403,), 1)]
)
def test_what_may_pass_is_tried_again(statuses: tuple[int, ...], requests: int) -> None:
    """A service that is busy for a moment would fail a whole run; one that refuses would be asked for nothing."""
    with service_server(*((status, b"{}", {}) for status in statuses)) as server:
        client = client_of(server.url)
        if statuses[-1] == 200:
            assert client.get("/works") == b"{}"
        else:
            with pytest.raises(ServiceAwayError if statuses[-1] == 500 else ServiceError):
                client.get("/works")
    assert len(server.requests) == client.requests == requests


def test_who_can_do_without_asks_once() -> None:
    """An answer would wait for what it does not need."""
    token = once_only.set(True)
    try:
        with service_server((503, b"", {})) as server, pytest.raises(ServiceAwayError):
            client_of(server.url).get("/works")
    finally:
        once_only.reset(token)
    assert len(server.requests) == 1


def test_counts_are_right_whatever_the_threads() -> None:
    """A report of a run would count too few requests."""
    with service_server() as server, ThreadPoolExecutor(8) as threads:
        client = client_of(server.url, FREE)
        list(threads.map(lambda number: client.get(f"/{number}"), range(64)))
    assert client.requests == len(server.requests) == 64
    assert client.facts().requests == 64
    assert threading.active_count() < 40


def _of(client: ServiceClient) -> tuple[PretendedService, SourcesSettings]:
    return client._service, client._settings  # type: ignore[return-value]
