"""What calls of language models took: call by call within a step, added up for all of a run, and kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol

from conspectus.core.roles import Role
from conspectus.models.language import Reply, Tokens
from conspectus.records import Usage


@dataclass(frozen=True, slots=True)
class CallUsage:
    """What one call took. `from_cache`: nothing, for the library had the answer."""

    role: Role
    model: str
    prompt: str
    reply: Reply
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

    def known(self, digests: Sequence[str]) -> Mapping[str, Reply]:
        """Those answers that are there."""

    def keep(self, digest: str, reply: Reply, papers: Sequence[str]) -> None:
        """Keep an answer to a prompt that has words of these papers (ids) in it; written soon."""

    def spend(self, spent: CallUsage) -> None:
        """Note what a call took; written soon."""


_COUNTED: ContextVar[tuple[list[CallUsage], ...]] = ContextVar("counted", default=())


@contextmanager
def counting() -> Iterator[list[CallUsage]]:
    """What is spent within, also by tasks begun there; what goes on beside it is not counted."""
    spent: list[CallUsage] = []
    token = _COUNTED.set((*_COUNTED.get(), spent))
    try:
        yield spent
    finally:
        _COUNTED.reset(token)


def count(spent: CallUsage) -> None:
    """Tell those that are `counting` of a call."""
    for counted in _COUNTED.get():
        counted.append(spent)


def usage_of(spent: Sequence[CallUsage], seconds: float) -> Usage:
    """What calls took together."""
    meter = UsageMeter()
    for one in spent:
        meter.add(one)
    return meter.usage(seconds)
