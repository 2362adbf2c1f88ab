"""What calls of language models took."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal

By = Literal["day", "model", "role", "prompt", "answer"]


@dataclass(frozen=True, slots=True)
class Totals:
    """What the calls of one day, model, role, prompt or answer (`name`) took together.

    Attributes:
        calls: those that a model was asked, the failed ones too; tokens, `cost` and `seconds` are of these.
        from_cache: those that the library had the reply to.
        unpriced: those asked whose price is not known; `cost` is without them.
        saved: what those from the cache would have cost, in US dollars.
    """

    name: str
    calls: int
    from_cache: int
    failed: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    unpriced: int
    cost: float
    saved: float
    seconds: float

    def __add__(self, other: Totals) -> Totals:
        """Both together, under this one's name."""
        sums = {field.name: getattr(self, field.name) + getattr(other, field.name) for field in fields(self)[1:]}
        return replace(self, **sums)


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What language models took.

    Attributes:
        since: only calls from this day or time on; "": all.
        by: what each row adds up.
    """

    since: str
    by: By
    rows: tuple[Totals, ...]
