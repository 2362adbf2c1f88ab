"""How much is asked of one provider at a time and in a minute, by all that ask it."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from conspectus.core.waiting import emit_wait

MINUTE = 60.0
TOLD = 1.0
"""Seconds; shorter waits are nobody's concern."""

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[object]]


@dataclass(eq=False, slots=True)
class Turn:
    """One call's place. `tokens` is what it is thought to send; `settle` says what it sent."""

    began: float
    tokens: int

    def settle(self, tokens: int) -> None:
        """The tokens that the server counted."""
        self.tokens = tokens


class RateLimiter:
    """The way to one provider: so many calls at a time, so many calls and tokens in any 60 seconds, in their order.

    The buckets of calls and tokens get back what was taken from them a minute ago. One that is refilled evenly would
    let through twice its size in the first minute, which providers refuse.
    """

    def __init__(self, concurrency: int, requests: int, tokens: int, clock: Clock, sleep: Sleep) -> None:
        self.concurrency = concurrency
        self._requests = requests
        self._tokens = tokens
        self._clock = clock
        self._sleep = sleep
        self._begun: deque[Turn] = deque()
        self._closed_until = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator[Turn]:
        """Wait for a turn to send `tokens`, and keep it while the call lasts."""
        self._settle_in()
        async with self._places:
            async with self._door:  # one waits at the door, the others behind it
                while (wait := self._wait(tokens)) > 0:
                    if wait >= TOLD:
                        emit_wait(wait, "No more may be asked of the provider just now.")
                    await self._sleep(wait)
                mine = Turn(self._clock(), tokens)
                self._begun.append(mine)
            yield mine

    def pause(self, seconds: float) -> None:
        """Let nobody through for so long: the provider asked for it."""
        self._closed_until = max(self._closed_until, self._clock() + seconds)

    def _settle_in(self) -> None:
        """Locks belong to an event loop; what was sent counts in the next one too."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            self._places = asyncio.Semaphore(self.concurrency)
            self._door = asyncio.Lock()

    def _wait(self, tokens: int) -> float:
        """Seconds until a call of `tokens` may begin, as far as is known now."""
        now = self._clock()
        while self._begun and self._begun[0].began <= now - MINUTE:
            self._begun.popleft()
        wait = self._closed_until - now
        if self._requests and len(self._begun) >= self._requests:
            wait = max(wait, self._begun[-self._requests].began + MINUTE - now)
        if self._tokens and self._begun and sum(turn.tokens for turn in self._begun) + tokens > self._tokens:
            wait = max(wait, self._begun[0].began + MINUTE - now)  # one larger than the bucket goes alone
        return wait


class Limits:
    """The lanes of a library, one for each provider and host, shared by all its models there."""

    def __init__(self, clock: Clock = time.monotonic, sleep: Sleep = asyncio.sleep) -> None:
        self.clock = clock
        self.sleep = sleep
        self._lanes: dict[str, RateLimiter] = {}

    def limiter(self, place: str, concurrency: int, requests: int = 0, tokens: int = 0) -> RateLimiter:
        """The lane to `place`, made when it is first asked for. 0: no limit in a minute."""
        if place not in self._lanes:
            self._lanes[place] = RateLimiter(concurrency, requests, tokens, self.clock, self.sleep)
        return self._lanes[place]
