"""Usage of language models, and a budget held against it and against what calls under way may take."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Protocol

import msgspec

from conspectus.core.errors import BudgetError, SettingsError
from conspectus.models.language import CHARS_PER_TOKEN, PICTURE_TOKENS, ModelReply, Request, Tokens
from conspectus.records import Usage
from conspectus.records.models import Role
from conspectus.settings import BudgetSettings


@dataclass(frozen=True, slots=True)
class CallUsage:
    """What one call took. `from_cache`: nothing, for the library had the answer."""

    role: Role
    model: str
    prompt: str
    reply: ModelReply
    from_cache: bool = False
    failed: bool = False


@dataclass(slots=True)
class UsageMeter:
    """What calls took together, added up as they come: a long run does not look at all of them at each.

    Attributes:
        calls: how many.
        from_cache: those of them that the library had the answer to; what follows is of the others.
        answered: those that a model answered.
        tokens: of prompts and answers.
        cost: in US dollars, of those whose price is known.
        unpriced: those whose price is not known.
        seconds: of the models, also where they ran at the same time.
        models: those that were used, in the order of their first use; the values mean nothing.
    """

    calls: int = 0
    from_cache: int = 0
    answered: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    cost: float = 0.0
    unpriced: int = 0
    seconds: float = 0.0
    models: dict[str, None] = field(default_factory=dict)

    def add(self, spent: CallUsage) -> None:
        """Count a call."""
        self.calls += 1
        self.models.setdefault(spent.model)
        if spent.from_cache:
            self.from_cache += 1
            return
        reply = spent.reply
        self.answered += not spent.failed
        self.tokens += reply.tokens
        self.cost += reply.cost or 0.0
        self.unpriced += reply.cost is None
        self.seconds += reply.seconds

    def usage(self, seconds: float) -> Usage:
        """What was spent so far; `seconds` by the clock."""
        return Usage(
            seconds=seconds,
            prompt_tokens=self.tokens.prompt,
            completion_tokens=self.tokens.completion,
            cached_tokens=self.tokens.cached,
            calls=self.calls,
            from_cache=self.from_cache,
            cost=None if self.unpriced else self.cost,
            model_seconds=self.seconds,
            estimated=self.tokens.estimated,
        )


class CallCache(Protocol):
    """Where answers of models are kept, and what they took."""

    def find_replies(self, digests: Sequence[str]) -> Mapping[str, ModelReply]:
        """Those answers that are there."""

    def keep(self, digest: str, reply: ModelReply, papers: Sequence[str]) -> None:
        """Keep an answer to a prompt that has words of these papers (ids) in it; written soon."""

    def spend(self, spent: CallUsage) -> None:
        """Note what a call took; written soon."""


_COUNTED: ContextVar[tuple[list[CallUsage], ...]] = ContextVar("counted", default=())


@contextmanager
def count_calls() -> Iterator[list[CallUsage]]:
    """What is spent within, also by tasks begun there; what goes on beside it is not counted."""
    spent: list[CallUsage] = []
    token = _COUNTED.set((*_COUNTED.get(), spent))
    try:
        yield spent
    finally:
        _COUNTED.reset(token)


def count_call(spent: CallUsage) -> None:
    """Tell those that are `counting` of a call."""
    for counted in _COUNTED.get():
        counted.append(spent)


def usage_of(spent: Sequence[CallUsage], seconds: float) -> Usage:
    """What calls took together."""
    meter = UsageMeter()
    for call in spent:
        meter.add(call)
    return meter.usage(seconds)


EXPECTED_ANSWER = 200
"""Tokens of an answer to a prompt that has not been answered yet."""
LEAST_ANSWER = 50
"""Tokens that have to be left for an answer, else its call is not begun."""


@dataclass(frozen=True, slots=True, eq=False)
class CallEstimate:
    """What a call is estimated to take; of tokens, while it is under way, at most.

    `cost` is in US dollars; None: nobody knows yet what the model costs.
    """

    tokens: float
    cost: float | None


@dataclass(slots=True)
class _RunningMean:
    """Of numbers that come one by one; `weight` is what they are divided by."""

    total: float = 0.0
    weight: float = 0.0

    def add(self, total: float, weight: float) -> None:
        self.total += total
        self.weight += weight


class Budget:
    """Lets calls begin as long as the budget reaches for them.

    A call waits while those under way may use up what it needs. When it is alone, its answer may be as long as what is
    left of the tokens allows; a call whose prompt leaves no room for an answer is refused. So tokens are exceeded only
    by what estimates were wrong by, and dollars by one call at most.

    Args:
        budget: what all calls together may take.
        meter: what they have taken.
        most: calls that may be under way at a time, where tokens or dollars are limited.
        began: when the question was asked, by `time.monotonic`; None: now.
    """

    def __init__(self, budget: BudgetSettings, meter: UsageMeter, most: int, began: float | None = None) -> None:
        self._budget = budget
        self._meter = meter
        self._most = most
        self._began = time.monotonic() if began is None else began
        self._under_way: list[CallEstimate] = []
        self._changed = asyncio.Event()
        self._answers: dict[str, _RunningMean] = {}
        self._prices: dict[str, _RunningMean] = {}
        self._unpriced: set[str] = set()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._began

    def remaining_seconds(self, share: float) -> float | None:
        """Seconds until a part of the budget's time is over, a little at least; None: no limit."""
        limit = self._budget.seconds
        return max(share * limit - self.seconds, 0.01) if limit else None

    @property
    def tokens_left(self) -> int | None:
        """Tokens that are left, 1 at least; None: no limit."""
        return max(self._budget.tokens - self._tokens(), 1) if self._budget.tokens else None

    def check(self, share: float = 1.0) -> None:
        """See that a part of the budget is left.

        Raises:
            BudgetError: it is not.
        """
        for limit, amount, unit, key in (
            (self._budget.cost, self._meter.cost, "$", "cost"),
            (self._budget.tokens, self._tokens(), "tokens", "tokens"),
            (self._budget.seconds, self.seconds, "s", "seconds"),
        ):
            if limit and amount >= share * limit:
                raise _over(limit, unit, key, is_whole=amount >= limit)

    def check_price(self, model: str) -> None:
        """See that a limit in dollars can hold for a model; known after its first call.

        Raises:
            SettingsError: its price is not known, and nothing else was asked yet.
            BudgetError: its price is not known; what was paid for before is there.
        """
        if self._budget.cost and model in self._unpriced:
            kind = SettingsError if self._meter.answered <= 1 else BudgetError
            raise kind(
                f"The price of '{model}' is not known, so budget.cost cannot hold.",
                "Use budget.tokens instead.",
            )

    def out_of_time(self, share: float) -> BudgetError:
        """The error of a call that a part of the time did not reach for."""
        return _over(self._budget.seconds, "s", "seconds", is_whole=share == 1)

    def learn(self, spent: CallUsage) -> None:
        """Know better, by a call that was answered, what the next will take."""
        reply = spent.reply
        if spent.failed or spent.from_cache:
            return
        self._answers.setdefault(spent.prompt, _RunningMean()).add(reply.tokens.completion, 1)
        if reply.cost is None:
            self._unpriced.add(spent.model)
        else:
            tokens = reply.tokens.prompt + reply.tokens.completion
            self._prices.setdefault(spent.model, _RunningMean()).add(reply.cost, tokens)

    @asynccontextmanager
    async def hold(self, model: str, prompt: str, request: Request, share: float) -> AsyncIterator[Request]:
        """Wait until a call can be afforded, and set aside what it is estimated to take until it has come back.

        Gives the request, its answer no longer than what is left allows.

        Raises:
            BudgetError, SettingsError: it cannot be afforded.
        """
        while True:
            self.check(share)
            self.check_price(model)
            estimate = self._estimate(model, prompt, request)
            if not self._under_way or self._affords(estimate, share):
                break
            await self._changed.wait()
        if self._budget.tokens:
            request = self._limit_answer(request, share)
            estimate = replace(estimate, tokens=_prompt_tokens(request) + request.max_tokens)
        self._under_way.append(estimate)
        try:
            yield request
        finally:
            self._under_way.remove(estimate)
            self._changed.set()  # all that wait look again, in their order
            self._changed = asyncio.Event()

    def _limit_answer(self, request: Request, share: float) -> Request:
        """The request, its answer limited to the tokens that are left.

        Raises:
            BudgetError: none are.
        """
        limit = self._budget.tokens
        prompt_tokens = _prompt_tokens(request)
        left = share * limit - self._tokens() - sum(call.tokens for call in self._under_way) - prompt_tokens
        if left < LEAST_ANSWER:
            if share < 1 and not self._tokens() and not self._under_way:
                least = ceil((prompt_tokens + LEAST_ANSWER) / share)
                raise BudgetError(
                    f"A question needs at least {least:,} tokens; the budget is {limit:,g}.", "Raise budget.tokens."
                )
            raise _over(limit, "tokens", "tokens", is_whole=share == 1)
        return replace(request, max_tokens=min(request.max_tokens, int(left)))

    def _tokens(self) -> int:
        return self._meter.tokens.prompt + self._meter.tokens.completion

    def _has_limit(self) -> bool:
        return bool(self._budget.tokens or self._budget.cost)

    def _estimate(self, model: str, prompt: str, request: Request) -> CallEstimate:
        if not self._has_limit():
            return CallEstimate(0.0, 0.0)
        prompt_tokens = _prompt_tokens(request)
        known = self._answers.get(prompt)
        tokens = prompt_tokens + min(known.total / known.weight if known else EXPECTED_ANSWER, request.max_tokens)
        price = self._prices.get(model)
        if price is None:
            return CallEstimate(tokens, None)
        return CallEstimate(tokens, tokens * price.total / price.weight if price.weight else 0.0)

    def _affords(self, mine: CallEstimate, share: float) -> bool:
        if not self._has_limit():
            return True
        if len(self._under_way) >= self._most:
            return False
        estimates = [*self._under_way, mine]
        tokens = self._tokens() + sum(call.tokens for call in estimates)
        if self._budget.tokens and tokens > share * self._budget.tokens:
            return False
        if not self._budget.cost:
            return True
        costs = [call.cost for call in estimates if call.cost is not None]
        if len(costs) < len(estimates):  # the first call of a model goes alone: it tells the price
            return False
        return self._meter.cost + sum(costs) <= share * self._budget.cost


def _prompt_tokens(request: Request) -> float:
    """Tokens of a prompt, about; by its JSON, so that the marks between turns count too."""
    tokens = len(msgspec.json.encode((request.messages, request.tools, request.schema))) / CHARS_PER_TOKEN
    return tokens + (PICTURE_TOKENS if request.picture else 0)


def _over(limit: float, unit: str, key: str, *, is_whole: bool) -> BudgetError:
    amount = f"${limit:g}" if unit == "$" else f"{limit:,g} {unit}"
    what = f"The budget of {amount} is used up" + ("" if is_whole else ", except for what is kept for writing")
    return BudgetError(f"{what}.", f"Raise budget.{key}, or ask again.")
