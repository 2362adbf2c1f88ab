"""When a service is asked again, and how long is waited before: one policy, whatever the service."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and when.

    Attributes:
        tries: how often is asked, in all.
        first: seconds before the second try; they double from try to try.
        longest: seconds, at most, before the next try, whatever the service asks for.
        statuses: what a service says when the same question may be answered later; all else is permanent.
    """

    tries: int = 4
    first: float = 0.5
    longest: float = 30.0
    statuses: frozenset[int] = frozenset({408, 409, 425, 429, *range(500, 600)}) - {501, 505}

    def pause(self, attempt: int, retry_after: str = "") -> float:
        """Seconds to wait after the try of this number, from 0: as `Retry-After` says, where it says something."""
        return min(read_retry_after(retry_after) or self.first * 2.0 ** min(attempt, 60), self.longest)

    def may_pass(self, status: int) -> bool:
        """Whether the same question may be answered later."""
        return status in self.statuses


RETRY = RetryPolicy()
"""What holds where nothing else is said."""
once_only: ContextVar[bool] = ContextVar("once_only", default=False)
"""Whether nothing is asked again, because the caller can do without."""


def read_retry_after(retry_after: str) -> float:
    """The seconds that `Retry-After` asks for, given as such or as a date; 0 where it says nothing to go by."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text[:6])
    try:
        until = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return 0.0
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max((until - datetime.now(UTC)).total_seconds(), 0.0)
