"""What a service's reply says of its limits: pauses, rates, requests at once, and money that is left."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from conspectus.core.http import HttpReply
from conspectus.core.retry import read_retry_after
from conspectus.services.protocol import RateLimit

LONGEST_PAUSE = 2 * 86400.0
"""Seconds for which a service can hold off everybody."""
MOST_REQUESTS = 10_000
"""Where a service does not limit them."""
_INTERVAL = re.compile(r"\s*+(\d{1,6})\s*+([smh]?)\s*+", re.ASCII)
_NUMBER = re.compile(r"\s*+(\d{1,12}(?:\.\d{1,12})?)\d*+\s*+", re.ASCII)
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}
_FIRST_EPOCH = 10**9
"""A reset from here on is a time (ADS), before it is in so many seconds (OpenAlex)."""


@dataclass(frozen=True, slots=True)
class ReplyLimits:
    """What a reply says of limits.

    Attributes:
        pause: seconds in which nobody is to ask; 0: none.
        limit: rate and requests at once; None where it says neither.
        cost: US dollars that it cost; None where it does not say.
        credit: US dollars that it gives for nothing today and that are left; None where it does not say.
        prepaid: US dollars that were paid before and are left.
    """

    pause: float = 0.0
    limit: RateLimit | None = None
    cost: float | None = None
    credit: float | None = None
    prepaid: float = 0.0


def read_limits(reply: HttpReply, now: float) -> ReplyLimits:
    """What a reply says, within bounds; what cannot be understood is left out.

    Args:
        reply: of any status.
        now: seconds since 1970.
    """
    headers = reply.headers
    credit = _number(headers.get("x-ratelimit-remaining-usd"))
    pause = read_retry_after(reply.retry_after)
    has_money_left = credit is None or credit > 0
    if credit is None and _number(headers.get("x-ratelimit-remaining")) == 0:
        reset = _number(headers.get("x-ratelimit-reset")) or 0.0
        pause = max(pause, reset - now if reset >= _FIRST_EPOCH else reset)
    return ReplyLimits(
        pause=min(pause, LONGEST_PAUSE) if has_money_left else 0.0,  # what costs nothing goes on
        limit=_read_rate(headers),
        cost=_number(headers.get("x-ratelimit-cost-usd")),
        credit=credit,
        prepaid=_number(headers.get("x-ratelimit-prepaid-remaining-usd")) or 0.0,
    )


def _read_rate(headers: Mapping[str, str]) -> RateLimit | None:
    requests, at_once = (_count(headers.get(name)) for name in ("x-rate-limit-limit", "x-concurrency-limit"))
    interval = _INTERVAL.fullmatch(headers.get("x-rate-limit-interval", ""))
    seconds = float(interval[1]) * _SECONDS[interval[2]] if interval else 0.0
    if not requests or not 0 < seconds <= LONGEST_PAUSE:
        return RateLimit(requests=MOST_REQUESTS, at_once=at_once) if at_once else None
    return RateLimit(requests=requests, seconds=seconds, at_once=at_once or MOST_REQUESTS)


def _count(text: str | None) -> int:
    return min(int(_number(text) or 0), MOST_REQUESTS)


def _number(text: str | None) -> float | None:
    match = _NUMBER.fullmatch(text or "")
    return float(match[1]) if match else None
