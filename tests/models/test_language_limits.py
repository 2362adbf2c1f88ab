"""How often and how fast a provider is asked, and when it is asked again."""

import asyncio
import datetime
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import pytest

from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.job_context import Notice, listen
from conspectus.models.language import Message, ModelReply, Request
from conspectus.models.languages import chat_model
from conspectus.models.languages.chat_model import RateLimits
from conspectus.models.languages.registry import language_model
from conspectus.settings import load_settings
from grobid_server import address_of_nobody
from language_server import LanguageServer, Say, error, serve_script

WORDS = Request((Message("user", "What is graphene?"),))


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def limits(self) -> RateLimits:
        return RateLimits(self.clock, self.sleep)


@pytest.fixture
def time() -> Time:
    return Time()


def ask(server: LanguageServer | str, time: Time, times: int = 1, **settings: Any) -> list[ModelReply]:
    url = server if isinstance(server, str) else server.url
    flags = {"language.model": url} | {f"language.{name}": value for name, value in settings.items()}
    model = language_model(f"{url}#m", load_settings(None, flags).language, time.limits())

    async def run() -> list[ModelReply]:
        try:
            return await asyncio.gather(*(model.complete(WORDS) for _ in range(times)))
        finally:
            await model.close()

    return asyncio.run(run())


def test_what_can_pass_is_tried_again_after_longer_and_longer(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else one hiccup of a server costs a whole answer."""
    monkeypatch.setattr(chat_model, "time", SimpleNamespace(perf_counter=time.clock))
    with serve_script([error(503), error(500), Say("never", cut=5), "Carbon."]) as server:
        (reply,) = ask(server, time)
    assert reply.text == "Carbon." and len(server.requests) == 4
    assert [low <= wait <= 2 * low for low, wait in zip((0.5, 1, 2), time.slept, strict=True)] == [True] * 3
    assert reply.seconds == 0, "waiting is not counted"


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_it_ends_after_four_tries(status: int, time: Time) -> None:
    """Else a run hangs for ever on a server that is gone."""
    with serve_script(lambda _: error(status, "not now")) as server, pytest.raises(ServiceAwayError) as caught:
        ask(server, time)
    assert len(server.requests) == 4
    assert f"HTTP {status}" in caught.value.message and "4 times" in caught.value.message
    assert caught.value.retry and server.url in caught.value.message


@pytest.mark.parametrize(
    ("status", "remedy"),
    [(400, "name"), (401, "key"), (403, "key"), (404, "name"), (413, "name"), (422, "name")],
)
def test_what_stays_is_not_tried_again(status: int, remedy: str, time: Time) -> None:
    """Else a wrong name takes as long as an outage, and the user is not told what to change."""
    with serve_script(lambda _: error(status, "never")) as server, pytest.raises(ServiceError) as caught:
        ask(server, time)
    assert len(server.requests) == 1 and not caught.value.retry
    assert remedy in caught.value.hint and time.slept == []


def test_an_account_with_nothing_left_is_not_tried_again(time: Time) -> None:
    """Else a user waits for what never comes: such a refusal has the status of 'too many requests'."""
    body = (
        b'{"error": {"message": "You exceeded your quota", "code": "insufficient_quota", "type": "insufficient_quota"}}'
    )
    with serve_script(lambda _: Say(status=429, raw=body)) as server, pytest.raises(ServiceError) as caught:
        ask(server, time)
    assert len(server.requests) == 1 and "account" in caught.value.hint


def test_a_server_that_asks_to_wait_is_waited_for(time: Time) -> None:
    """Else it refuses again and again, and may close the account."""
    late = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=2)
    answers = [error(429, "slow", retry_after="7"), error(429, "slow", retry_after=format_datetime(late, usegmt=True))]
    with serve_script([*answers, error(503, "x", retry_after="3600"), "Carbon."]) as server:
        (reply,) = ask(server, time)
    assert reply.text == "Carbon."
    assert time.slept == [7, 60, 60]


def test_how_long_it_asks_to_wait_is_told(time: Time) -> None:
    """Else a user does not know when to come back."""
    answer = error(429, "slow", retry_after="3600")
    with serve_script(lambda _: answer) as server, pytest.raises(ServiceAwayError, match="wait 3600 s"):
        ask(server, time)


def test_a_server_that_is_not_there(time: Time) -> None:
    """Else it is taken for one that has nothing to say."""
    url = address_of_nobody() + "/v1"
    with pytest.raises(ServiceAwayError, match="cannot be reached") as caught:
        ask(url, time)
    assert url in caught.value.message and "runs" in caught.value.hint and len(time.slept) == 3


def test_a_server_that_takes_too_long(time: Time) -> None:
    """Else one call that hangs holds up everything."""
    late = Say("late", delay=1.0)
    with serve_script(lambda _: late) as server, pytest.raises(ServiceAwayError, match=r"within 0\.2 s") as caught:
        ask(server, time, timeout=0.2)
    assert "language.timeout" in caught.value.hint and len(server.requests) == 4


def test_something_else_at_the_address(time: Time) -> None:
    """Else a web page is taken for an answer."""
    page = Say(raw=b"<html>", headers=(("content-type", "text/html"),))
    with serve_script(lambda _: page) as server, pytest.raises(ServiceError, match="no chat completion") as caught:
        ask(server, time)
    assert not caught.value.retry and server.url in caught.value.hint


def test_calls_in_a_minute(time: Time) -> None:
    """Else a provider refuses, which costs more time than waiting does."""
    begun: list[float] = []

    def answer(_: Any) -> str:
        begun.append(time.now)
        return "Carbon."

    with serve_script(answer) as server:  # one at a time: else the clock moves on before the server sees a call
        ask(server, time, 25, requests_per_minute=10, concurrency=1)
    assert len(begun) == 25
    assert all(late - early >= 60 for early, late in zip(begun, begun[10:], strict=False))
    assert time.now - 1000 == pytest.approx(120, abs=1), "and no longer than needed"


def test_calls_side_by_side_in_a_minute(time: Time) -> None:
    """The limit is that of all calls together, also where three are under way."""
    limiter, begun = time.limits().limiter("x", 3, requests=10), []

    async def call() -> None:
        async with limiter.turn(0):
            begun.append(time.now)
            await asyncio.sleep(0)

    async def run() -> None:
        await asyncio.gather(*(call() for _ in range(25)))

    asyncio.run(run())
    assert len(begun) == 25
    assert all(late - early >= 60 for early, late in zip(begun, begun[10:], strict=False))
    assert time.now - 1000 == pytest.approx(120, abs=1)


def test_tokens_in_a_minute(time: Time) -> None:
    """Else many long prompts are refused; what the server counted is what counts."""
    begun: list[float] = []

    def answer(_: Any) -> Say:
        begun.append(time.now)
        return Say("Carbon.", usage=(400, 5, 0))

    with serve_script(answer) as server:
        ask(server, time, 5, tokens_per_minute=1000, concurrency=1)
    assert max(len([late for late in begun if 0 <= late - early < 60]) for early in begun) <= 3


def test_a_prompt_larger_than_the_bucket_goes_alone(time: Time) -> None:
    """Else it waits for ever."""
    with serve_script(["Carbon.", "Carbon."]) as server:
        assert len(ask(server, time, 2, tokens_per_minute=1, concurrency=1)) == 2
    assert time.now - 1000 == pytest.approx(60, abs=1)


def test_roles_share_the_limits_of_a_provider() -> None:
    """Else five roles ask five times as often as the provider allows."""
    limits = RateLimits()
    with serve_script(lambda _: Say("Hi.", delay=0.2)) as one, serve_script(lambda _: Say("Hi.", delay=0.2)) as two:
        known = load_settings(None, {"language.concurrency": 2}).language
        models = [language_model(f"{server.url}#{name}", known, limits) for server in (one, two) for name in "ab"]

        async def run() -> None:
            await asyncio.gather(*(model.complete(WORDS) for model in models for _ in range(4)))
            for model in models:
                await model.close()

        asyncio.run(run())
    assert (one.most, two.most) == (2, 2)


def test_all_wait_when_one_is_told_to(time: Time) -> None:
    """Else nine others run into the same refusal."""
    limits = time.limits()
    limiter = limits.limiter("x", 10)

    heard: list[str] = []

    async def run() -> float:
        limiter.pause(30)
        with listen(lambda told: heard.append(told.text), Notice):
            async with limiter.turn(1):
                return time.now

    assert asyncio.run(run()) == 1030
    assert heard == ["Waiting 30 s: No more may be asked of the provider just now."]
