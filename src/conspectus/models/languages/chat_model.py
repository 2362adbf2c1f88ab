"""A language model behind chat completions: one HTTP client, rate limits, tries, and the form that its server takes."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import httpx2

from conspectus.core.errors import ServiceError
from conspectus.core.http import user_agent
from conspectus.core.job_context import emit_wait
from conspectus.core.threads import run_in_daemon
from conspectus.core.transport import BoundedClient
from conspectus.models.language import ModelReply, Request
from conspectus.models.languages.backends import Backend
from conspectus.models.languages.chat_protocol import (
    ChatFrame,
    ReplyBuilder,
    RequestForm,
    ServerQuirks,
    read_frame,
    request_body,
)
from conspectus.models.languages.failures import CALL_ERRORS, CallRetries, RefusedError, UnreadableAnswerError
from conspectus.models.services import price
from conspectus.settings import LanguageSettings

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


class RateLimits:
    """The rate limiters of a library, one for each provider and host, shared by all its models there."""

    def __init__(self, clock: Clock = time.monotonic, sleep: Sleep = asyncio.sleep) -> None:
        self.clock = clock
        self.sleep = sleep
        self._limiters: dict[str, RateLimiter] = {}

    def limiter(self, place: str, concurrency: int, requests: int = 0, tokens: int = 0) -> RateLimiter:
        """That of `place`, made when it is first asked for. 0: no limit in a minute."""
        if place not in self._limiters:
            self._limiters[place] = RateLimiter(concurrency, requests, tokens, self.clock, self.sleep)
        return self._limiters[place]


T = TypeVar("T")

CHARS_OF_A_TOKEN = 8
"""Characters, at most: an answer of more than so many for each token that was asked for is ended here."""
MOST_ANSWER = 4 * 2**20
"""Bytes of an answer, or of one event of a stream: more than ten times what a model writes at most."""
MOST_STREAM = 32 * 2**20
"""Bytes of a stream, which says a few hundred with each token."""
IDLE = 600.0
"""Seconds between two parts of an answer; `language.timeout` bounds the whole."""
EVENTS = "text/event-stream"


async def within(items: AsyncIterator[T], seconds: float) -> AsyncGenerator[T]:
    """The items. The waits for them last no longer together; what is done between them is not counted.

    Raises:
        TimeoutError: they would.
    """
    while seconds > 0:
        start = time.perf_counter()
        try:
            async with asyncio.timeout(seconds):
                item = await anext(items)
        except StopAsyncIteration:
            return
        seconds -= time.perf_counter() - start
        yield item
    raise TimeoutError


class ChatModel:
    """See `LanguageModel`. One event loop at a time; after it another may follow."""

    def __init__(self, backend: Backend, settings: LanguageSettings, limits: RateLimits) -> None:
        self._backend = backend
        self._settings = settings
        self._sleep = limits.sleep
        at_once = min(settings.concurrency, backend.at_once or settings.concurrency)
        per_minute = settings.requests_per_minute, settings.tokens_per_minute
        self._limiter = limits.limiter(backend.place, at_once, *per_minute)
        self._quirks = ServerQuirks(backend.form, doubtful=backend.doubtful)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening = asyncio.Lock()
        self._client: BoundedClient | None = None
        """That of this event loop."""

    @property
    def id(self) -> str:
        """See `LanguageModel`. The first time, a server may be asked which model it has."""
        return self._backend.id

    @property
    def context(self) -> int:
        """See `LanguageModel`. The first time, a server may be asked for it."""
        return self._settings.context or self._backend.facts().context

    @property
    def calls_tools(self) -> bool:
        """See `LanguageModel`."""
        return self._quirks.form.tools and self._backend.facts().tools

    async def complete(self, request: Request) -> ModelReply:
        """See `LanguageModel`."""
        async with aclosing(self._ask(request, stream=False)) as parts:
            async for part in parts:
                if isinstance(part, ModelReply):
                    return part
        raise AssertionError("unreachable")

    async def stream(self, request: Request) -> AsyncIterator[str | ModelReply]:
        """See `LanguageModel`. What breaks off after a piece was given is not tried again."""
        async with aclosing(self._ask(request, stream=True)) as parts:
            async for part in parts:
                yield part

    async def close(self) -> None:
        """See `LanguageModel`."""
        if self._client and self._loop is asyncio.get_running_loop():
            await self._client.aclose()
        self._client = None
        await asyncio.to_thread(self._backend.close)

    async def _ask(self, request: Request, *, stream: bool) -> AsyncGenerator[str | ModelReply]:
        """The pieces of the answer, where it is streamed, then the reply; tried again where that can help."""
        retries = CallRetries(lambda: self._backend.label, self._limiter.pause, self._settings.timeout, self._sleep)
        first: RequestForm | None = None
        while True:
            client = await self._connect()
            form = self._quirks.form
            first = first or form
            has_output = False
            try:
                async with aclosing(self._try(client, request, form, stream=stream)) as parts:
                    async for part in parts:
                        has_output = True
                        yield part
                return
            except CALL_ERRORS as error:
                if has_output:
                    raise retries.final(error) from None
                if self._quirks.learn(error, request, form):
                    continue
                try:
                    await retries.wait(error)
                except ServiceError:
                    self._quirks.forget(first)
                    raise

    async def _try(
        self, client: BoundedClient, request: Request, form: RequestForm, *, stream: bool
    ) -> AsyncGenerator[str | ModelReply]:
        """One try."""
        backend, builder = self._backend, ReplyBuilder(request)
        body = request_body(request, backend.model, form, self._settings.effort, stream=stream)
        async with self._limiter.turn(request.tokens) as turn:
            start = time.perf_counter()
            async with aclosing(within(self._frames(client, body), self._settings.timeout)) as frames:
                async for frame in frames:
                    if (piece := builder.add(frame)) and stream:
                        yield piece
                    if stream and builder.size > CHARS_OF_A_TOKEN * request.max_tokens:
                        builder.cut()  # this server knows no limit
                        break
            reply = builder.reply()
            cost = 0.0 if backend.free else price(reply.tokens, backend.model, backend.url)
            reply = replace(reply, cost=cost, seconds=time.perf_counter() - start)
            turn.settle(reply.tokens.prompt)
        if stream and (rest := builder.rest()):
            yield rest
        self._quirks.confirm(request, reply, form)
        yield reply

    async def _frames(self, client: BoundedClient, body: dict[str, Any]) -> AsyncGenerator[ChatFrame]:
        """What the server sends: one frame, or those of a stream."""
        key = self._backend.key
        headers = {"User-Agent": user_agent()} | ({"Authorization": f"Bearer {key.reveal()}"} if key else {})
        http_request = client.build_request("POST", f"{self._backend.url}/chat/completions", json=body, headers=headers)
        response = await client.send(http_request, stream=True)
        async with aclosing(response):
            if not response.is_success:
                raise RefusedError(response.status_code, await response.aread(), response.headers)
            if not response.headers.get("content-type", "").lower().startswith(EVENTS):
                frame = read_frame(await response.aread())
                if not frame.choices:
                    raise UnreadableAnswerError("it has no choices")
                yield frame
                return
            event_source = cast(
                AsyncGenerator[httpx2.ServerSentEvent], aiter(httpx2.EventSource(response, MOST_ANSWER))
            )
            async with aclosing(event_source) as events:
                async for event in events:
                    if event.data == "[DONE]":
                        return
                    yield read_frame(event.data)

    async def _connect(self) -> BoundedClient:
        """The HTTP client of this event loop, of a server that is ready."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._opening, self._client = loop, asyncio.Lock(), None
        async with self._opening:
            if self._client is None:
                await run_in_daemon(self._backend.open)  # it may load a model, or ask a server for its name
                self._client = BoundedClient(MOST_ANSWER, IDLE, MOST_STREAM)
            return self._client
