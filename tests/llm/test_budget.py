"""What a budget lets begin, when many calls are wanted at once; and what is seen before the first is paid for."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from test_usage import Memory, Models

from conspectus.core.errors import BudgetError, ServiceAwayError, ServiceError, SettingsError, UsageError
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import Prompts, built_in_text
from conspectus.models.language import LanguageModel, Message, ModelReply, Request, Tokens
from conspectus.records.models import Role
from conspectus.settings import BudgetSettings, LanguageSettings
from helpers import HANG

QUESTION = Message("user", "And then? " * 40)
"""About a hundred tokens."""


class Slow:
    """A language model that answers after a moment; knows how often it was asked, and how much at a time."""

    context = 0
    calls_tools = True

    def __init__(self, cost: float | None = 0.01, said: str = "Yes.", completion: int = 20) -> None:
        self.id = "slow"
        self.cost, self.said, self.completion = cost, said, completion
        self.asked = self.now = self.most = 0

    async def complete(self, request: Request) -> ModelReply:
        self.asked += 1
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.01)
        self.now -= 1
        return ModelReply(self.said, tokens=Tokens(100, 0, self.completion), cost=self.cost)

    async def stream(self, request: Request) -> AsyncIterator[str | ModelReply]:
        yield await self.complete(request)

    async def close(self) -> None:
        return


def caller_of(
    model: LanguageModel, memory: Memory | None = None, *, cache: bool = False, fresh: bool = False, **budget: Any
) -> LlmClient:
    settings = LanguageSettings(cache=cache, concurrency=5)
    return LlmClient(Models(model), Prompts(), memory or Memory(), settings, BudgetSettings(**budget), fresh=fresh)


async def turns(client: LlmClient, count: int) -> list[ModelReply | BaseException]:
    calls = [
        client.turn("summarise", "turn@1", (Message("user", f"{number} {QUESTION.text}"),), ())
        for number in range(count)
    ]
    return await asyncio.gather(*calls, return_exceptions=True)


@pytest.mark.parametrize(
    ("budget", "answered"),
    [({"tokens": 250}, 1), ({"tokens": 1000}, 7), ({"cost": 0.035}, 4), ({"cost": 1.0}, 20), ({}, 20)],
)
def test_twenty_calls_at_once_keep_to_a_budget(budget: dict[str, Any], answered: int) -> None:
    """All twenty would begin before the first is counted: a limit of 200 tokens would cost 2,400."""
    model = Slow()
    results = asyncio.run(turns(caller_of(model, **budget), 20))
    errors = [result for result in results if isinstance(result, BaseException)]
    assert model.asked == 20 - len(errors) == answered
    assert all(isinstance(error, BudgetError) for error in errors)
    assert 120 * answered <= budget.get("tokens", 2400), "a call that would go over it is not begun"


def test_an_answer_is_no_longer_than_what_is_left_of_the_tokens() -> None:
    """Lost otherwise: thousands of tokens more than the limit, to the one long answer at its end."""

    class Verbose(Slow):
        async def complete(self, request: Request) -> ModelReply:
            reply = await super().complete(request)
            return ModelReply(reply.text, tokens=Tokens(100, 0, request.max_tokens), cost=reply.cost)

    for limit in (300, 600, 5000):
        client = caller_of(Verbose(), tokens=limit)
        asyncio.run(turns(client, 20))
        used = client.usage.prompt_tokens + client.usage.completion_tokens
        assert 0 < used <= limit


def test_what_a_budget_reaches_for_goes_on_at_the_same_time() -> None:
    """A limit far away would make a survey ten times as slow; and a wrong guess be as dear as all that is wanted."""
    model = Slow()
    asyncio.run(turns(caller_of(model, tokens=100_000, cost=50.0), 20))
    assert (model.asked, model.most) == (20, 5)
    verbose = Slow(completion=3000)
    asyncio.run(turns(caller_of(verbose, tokens=8000), 20))
    assert verbose.asked == 3, "it keeps to no limit of an answer, so the last call goes over the budget"


def test_a_call_that_waits_for_the_budget_ends_with_its_time_and_when_it_is_cancelled() -> None:
    """An answer would hang behind a call that does not come back, or hold what nobody wants any more."""

    class Hanging(Slow):
        async def complete(self, request: Request) -> ModelReply:
            await asyncio.sleep(HANG)
            raise AssertionError("it was waited for")

    results = asyncio.run(turns(caller_of(Hanging(), tokens=300, seconds=0.2), 4))
    assert all(isinstance(result, BudgetError) for result in results)

    async def run() -> int:
        client, model = caller_of(Slow(), tokens=1000), Slow()
        client.models = Models(Hanging())
        left = asyncio.create_task(turns(client, 3))
        await asyncio.sleep(0.05)
        left.cancel()
        await asyncio.gather(left, return_exceptions=True)
        client.models = Models(model)
        await turns(client, 2)
        return model.asked

    assert asyncio.run(run()) == 2


def test_dollars_cannot_be_limited_where_the_price_is_not_known() -> None:
    """A limit of one dollar would let a thousand be spent on a model whose price nobody knows."""
    model, memory = Slow(cost=None), Memory()
    client = caller_of(model, memory, cache=True, cost=1.0)
    results = asyncio.run(turns(client, 20))
    assert model.asked == 1 and len(memory.kept) == 1, "what was paid for is kept"
    assert all(isinstance(result, SettingsError) and "budget.tokens" in str(result) for result in results)

    async def after_another() -> None:
        late = caller_of(Slow(), cost=1.0)
        await turns(late, 2)
        unknown = Slow(cost=None)
        unknown.id = "unknown"
        late.models = Models(unknown)
        found = await turns(late, 3)
        assert unknown.asked == 1 and all(isinstance(one, BudgetError) for one in found), "what there is, is answered"

    asyncio.run(after_another())


class Yes(msgspec.Struct):
    yes: bool


async def ask(client: LlmClient, wanted: OutputSpec[Yes]) -> Yes:
    values = {"question": "Is it?", "count": "1"}
    return await client.ask("ask", "rephrase", values, wanted)


def test_a_kept_answer_that_no_longer_passes_is_replaced() -> None:
    """It would be asked for again with every question, and be called free though it was paid for."""
    memory, old, new = Memory(), Slow(said='{"yes": false}'), Slow(said='{"yes": true}')
    strict = OutputSpec(Yes, lambda said: "" if said.yes else "it has to be yes")
    asyncio.run(ask(caller_of(old, memory, cache=True), OutputSpec(Yes)))
    for asked, cached in ((1, 0), (1, 1)):
        client = caller_of(new, memory, cache=True)
        assert asyncio.run(ask(client, strict)).yes
        assert (new.asked, client.usage.calls, client.usage.from_cache) == (asked, 1, cached)


def test_a_fresh_caller_reads_nothing_and_keeps_all() -> None:
    """Who asks anew to get rid of a bad answer would get it back the next time."""
    memory, old, new = Memory(), Slow(said='{"yes": false}'), Slow(said='{"yes": true}')
    asyncio.run(ask(caller_of(old, memory, cache=True), OutputSpec(Yes)))
    assert asyncio.run(ask(caller_of(new, memory, cache=True, fresh=True), OutputSpec(Yes))).yes
    assert asyncio.run(ask(caller_of(old, memory, cache=True), OutputSpec(Yes))).yes and old.asked == 1
    unkept = Memory()
    asyncio.run(ask(caller_of(new, unkept, cache=False, fresh=True), OutputSpec(Yes)))
    assert not unkept.kept


class Named(Slow):
    """A model whose server is asked for its name, and takes its time."""

    def __init__(self, wait: float = 0.2, away: bool = False) -> None:
        self.wait, self.away, self.named_in = wait, away, list[int]()
        self.named = threading.Event()
        super().__init__()

    @property
    def id(self) -> str:
        self.named_in.append(threading.get_ident())
        self.named.wait(self.wait)
        if self.away:
            raise ServiceAwayError("It is away.", "")
        return "named"

    @id.setter
    def id(self, name: str) -> None:
        return


def test_a_servers_name_is_asked_for_beside_the_others_and_within_the_time() -> None:
    """All that is being answered would stand still until a slow server tells its name, whatever budget.seconds says."""
    model = Named(HANG)

    async def run() -> int:
        ticks = 0
        going = asyncio.create_task(turns(caller_of(model), 5))
        while not going.done():
            await asyncio.sleep(0.01)
            ticks += 1
            if ticks > 5 and model.named_in:
                model.named.set()
        return ticks

    assert asyncio.run(run()) > 5
    assert len(model.named_in) == 1 and threading.get_ident() not in model.named_in and model.asked == 5
    late = Named(1.0)
    results = asyncio.run(turns(caller_of(late, seconds=0.1), 2))
    assert all(isinstance(result, BudgetError) for result in results) and late.asked == 0


class Roles(Models):
    """One model for all roles but one, of which a key is missing."""

    def of(self, role: Role) -> LanguageModel:
        if role == "judge":
            raise ServiceError("There is no key.", "")
        return self.model


def test_what_is_known_beforehand_is_told_before_anything_is_paid_for(tmp_path: Path) -> None:
    """A missing key of the last model, or a slip in the last prompt, would be told after twenty-one paid calls."""
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "write.md").write_text(built_in_text("write").replace("{question}", ""), "utf-8")
    model = Slow()
    settings = LanguageSettings()

    async def run() -> None:
        client = LlmClient(Roles(model), Prompts(folder), Memory(), settings, BudgetSettings())
        await client.prepare(["ask", "write"], ["gather", "rephrase"], ["another"])
        with pytest.raises(ServiceError, match="no key"):
            await client.prepare(["ask", "judge"], ["gather"])
        with pytest.raises(SettingsError, match="question"):
            await client.prepare(["ask"], ["gather", "write"])
        with pytest.raises(UsageError, match="wirte"):
            await client.prepare(["ask"], ["wirte"])
        away = LlmClient(Models(Named(away=True)), Prompts(), Memory(), settings, BudgetSettings())
        await away.prepare(["ask"], ["gather"])
        with pytest.raises(ServiceAwayError):
            await away.turn("ask", "turn@1", (QUESTION,), ())

    asyncio.run(run())
    assert model.asked == 0


def test_time_counts_from_the_question_and_for_all_that_it_waits_for() -> None:
    """Lost otherwise: seconds beyond `--max-seconds`, to opening the index before a model is asked, or to a search."""

    async def run() -> None:
        late = LlmClient(
            Models(Slow()),
            Prompts(),
            Memory(),
            LanguageSettings(),
            BudgetSettings(seconds=5),
            began=time.monotonic() - 6,
        )
        with pytest.raises(BudgetError, match="5 s"):
            await late.turn("ask", "turn@1", (QUESTION,), ())
        with pytest.raises(BudgetError):
            await caller_of(Slow(), seconds=0.01).within_budget(asyncio.sleep(HANG))
        assert await caller_of(Slow()).within_budget(asyncio.sleep(0, "found")) == "found"

    asyncio.run(run())
