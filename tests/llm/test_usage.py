"""What calls of language models took, added up while a run goes on."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from conspectus.core.errors import BudgetError, ServiceError
from conspectus.llm.budget import CallUsage, count_calls, usage_of
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import Prompts
from conspectus.models.language import LanguageModel, Message, ModelReply, Request, Tokens
from conspectus.models.languages.registry import language_model
from conspectus.records import Usage
from conspectus.records.models import Role
from conspectus.settings import BudgetSettings, LanguageSettings
from helpers import HANG
from language_server import Say, serve_script

QUESTION = Message("user", "And then?")


class AtOnce:
    """A language model that needs no time: what is left is the account's."""

    context = 0
    calls_tools = True

    def __init__(self, name: str = "at-once", cost: float | None = 0.01, trouble: bool = False) -> None:
        self.id, self.cost, self.trouble = name, cost, trouble

    async def complete(self, request: Request) -> ModelReply:
        if self.trouble:
            raise ServiceError("It is away.", "")
        return ModelReply("Yes.", tokens=Tokens(10, 4, 2), cost=self.cost, seconds=0.5)

    async def stream(self, request: Request) -> AsyncIterator[str | ModelReply]:
        yield await self.complete(request)

    async def close(self) -> None:
        return


class Models:
    def __init__(self, model: LanguageModel) -> None:
        self.model = model

    def of(self, role: Role) -> LanguageModel:
        return self.model

    def get_model(self, name: str) -> LanguageModel:
        return self.model

    def entailment(self) -> None:
        return None


class Memory:
    """Keeps answers, and notes what calls took, one by one."""

    def __init__(self) -> None:
        self.kept: dict[str, ModelReply] = {}
        self.spent: list[CallUsage] = []

    def find_replies(self, digests: Sequence[str]) -> Mapping[str, ModelReply]:
        return {digest: self.kept[digest] for digest in digests if digest in self.kept}

    def keep(self, digest: str, reply: ModelReply, papers: Sequence[str]) -> None:
        self.kept[digest] = reply

    def spend(self, spent: CallUsage) -> None:
        self.spent.append(spent)


def caller_of(model: LanguageModel, memory: Memory, *, cache: bool = False, **budget: Any) -> LlmClient:
    return LlmClient(Models(model), Prompts(), memory, LanguageSettings(cache=cache), BudgetSettings(**budget))


async def turn(client: LlmClient) -> ModelReply:
    return await client.turn("summarise", "turn@1", (QUESTION,), ())


def without_seconds(usage: Usage) -> tuple[Any, ...]:
    return (
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.cached_tokens,
        usage.calls,
        usage.from_cache,
        usage.cost,
    )


@pytest.mark.clock
def test_a_long_run_does_not_slow_down() -> None:
    """`summarise` makes tens of thousands of calls: each would look at all before it, and the last take for ever."""
    client = caller_of(AtOnce(), Memory(), tokens=10**9, cost=10.0**9)

    async def took(count: int) -> float:
        began = time.thread_time()
        for _ in range(count):
            await turn(client)
            assert client.usage.calls
        return time.thread_time() - began

    async def run() -> tuple[float, float]:
        first = await took(500)
        await took(5000)
        return first, await took(500)

    first, last = asyncio.run(run())
    assert last < 4 * first


def test_what_is_added_up_is_what_each_call_took(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer would be told to cost what it does not."""
    memory, now = Memory(), [100.0]
    monkeypatch.setattr("conspectus.llm.budget.time", SimpleNamespace(monotonic=lambda: now[0]))

    async def run() -> LlmClient:
        client = caller_of(AtOnce(), memory, cache=True)
        await turn(client)
        now[0] += 3
        await turn(client)
        client.models = Models(AtOnce("other", cost=0.25))
        await turn(client)
        return client

    client = asyncio.run(run())
    assert without_seconds(client.usage) == (20, 4, 8, 3, 1, 0.26)
    assert without_seconds(usage_of(memory.spent, 0)) == without_seconds(client.usage)
    assert client.names() == ("at-once", "other") and client.meter.answered == 2
    assert client.usage.model_seconds == 1.0 and client.usage.seconds == 3.0


def test_what_has_no_price_is_not_free() -> None:
    """A bill would be told that leaves out the calls nobody knows the price of; or a limit on them never end a run."""

    async def run() -> LlmClient:
        client = caller_of(AtOnce(cost=None), Memory(), tokens=2500)
        await turn(client)
        client.models = Models(AtOnce(trouble=True))
        with pytest.raises(ServiceError):
            await turn(client)
        client.models = Models(AtOnce())
        await turn(client)
        client._budget.check()
        return client

    client = asyncio.run(run())
    assert client.usage.cost is None and (client.usage.calls, client.meter.answered) == (3, 2)


@pytest.mark.parametrize(("budget", "calls"), [({"cost": 0.035}, 4), ({"tokens": 100}, 3), ({"cost": 0.0}, 9)])
def test_a_budget_ends_it_at_the_same_call_as_ever(budget: dict[str, Any], calls: int) -> None:
    """Else more is spent than was said."""

    async def run() -> int:
        client = caller_of(AtOnce(), Memory(), **budget)
        for done in range(9):
            try:
                await turn(client)
            except BudgetError:
                return done
        return 9

    assert asyncio.run(run()) == calls


def test_a_step_counts_its_own_calls_only() -> None:
    """A step of an agent would be told to have cost what went on beside it."""

    async def step(client: LlmClient, count: int) -> int:
        with count_calls() as spent:
            for _ in range(count):
                await asyncio.sleep(0)
                await turn(client)
        return len(spent)

    async def run() -> list[int]:
        client = caller_of(AtOnce(), Memory())
        await turn(client)
        found = await asyncio.gather(step(client, 2), step(client, 5))
        return [*found, client.usage.calls]

    assert asyncio.run(run()) == [2, 5, 8]


def test_a_call_that_is_cancelled_while_it_streams_is_closed_and_counted() -> None:
    """Else a server goes on writing for nobody, and what was asked is in no account."""
    memory = Memory()

    async def run(url: str) -> None:
        model = language_model(url, LanguageSettings())
        begun = asyncio.Event()
        spec = OutputSpec(dict, schema={"type": "object", "required": ["a"]})
        client = caller_of(model, memory)
        values = dict.fromkeys(client.prompts.get("rephrase").values, "x")
        asked = asyncio.create_task(client.ask("ask", "rephrase", values, spec, watch=lambda _: begun.set()))
        await asyncio.wait_for(begun.wait(), HANG)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        for _ in range(100 * int(HANG)):
            if server.left:
                break
            await asyncio.sleep(0.01)
        await model.close()

    with serve_script(lambda _: Say('{"a": "', endless=0.01)) as server:
        asyncio.run(run(f"{server.url}#m"))
    assert server.left == 1
    (spent,) = memory.spent
    assert spent.failed and spent.reply.seconds > 0
