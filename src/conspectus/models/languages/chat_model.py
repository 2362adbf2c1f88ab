"""A language model behind chat completions: one HTTP client, limits, tries, and the form that its server takes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, TypeVar, cast

import httpx2

from conspectus.core.daemon_threads import run_in_daemon
from conspectus.core.errors import ServiceError
from conspectus.core.http import user_agent
from conspectus.core.transport import BoundedClient
from conspectus.models.language import Reply, Request
from conspectus.models.languages.backend import Backend
from conspectus.models.languages.chat_errors import RefusedError, UnreadableAnswerError
from conspectus.models.languages.chat_protocol import Frame, ReplyBuilder, read_frame, request_body
from conspectus.models.languages.limits import RateLimits
from conspectus.models.languages.prices import price
from conspectus.models.languages.request_forms import RequestForm, ServerQuirks
from conspectus.models.languages.retries import CALL_ERRORS, CallRetries
from conspectus.settings import LanguageSettings

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

    async def complete(self, request: Request) -> Reply:
        """See `LanguageModel`."""
        async with aclosing(self._ask(request, stream=False)) as parts:
            async for part in parts:
                if isinstance(part, Reply):
                    return part
        raise AssertionError("unreachable")

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
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

    async def _ask(self, request: Request, *, stream: bool) -> AsyncGenerator[str | Reply]:
        """The pieces of the answer, where it is streamed, then the reply; tried again where that can help."""
        retries = CallRetries(lambda: self._backend.label, self._limiter.pause, self._settings.timeout, self._sleep)
        first: RequestForm | None = None
        while True:
            client = await self._connect()
            form = self._quirks.form
            first = first or form
            shown = False
            try:
                async with aclosing(self._try(client, request, form, stream=stream)) as parts:
                    async for part in parts:
                        shown = True
                        yield part
                return
            except CALL_ERRORS as error:
                if shown:
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
    ) -> AsyncGenerator[str | Reply]:
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

    async def _frames(self, client: BoundedClient, body: dict[str, Any]) -> AsyncGenerator[Frame]:
        """What the server sends: one frame, or those of a stream."""
        key = self._backend.key
        headers = {"User-Agent": user_agent()} | ({"Authorization": f"Bearer {key.reveal()}"} if key else {})
        asked = client.build_request("POST", f"{self._backend.url}/chat/completions", json=body, headers=headers)
        response = await client.send(asked, stream=True)
        async with aclosing(response):
            if not response.is_success:
                raise RefusedError(response.status_code, await response.aread(), response.headers)
            if not response.headers.get("content-type", "").lower().startswith(EVENTS):
                frame = read_frame(await response.aread())
                if not frame.choices:
                    raise UnreadableAnswerError("it has no choices")
                yield frame
                return
            found = cast(AsyncGenerator[httpx2.ServerSentEvent], aiter(httpx2.EventSource(response, MOST_ANSWER)))
            async with aclosing(found) as events:
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
