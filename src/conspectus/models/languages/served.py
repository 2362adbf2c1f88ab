"""A language model over pydantic-ai: limits, tries, and the way of asking that its server takes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from conspectus.core.daemon_threads import run_in_daemon
from conspectus.core.errors import ServiceError
from conspectus.models.language import Reply, Request
from conspectus.models.languages import wire
from conspectus.models.languages.backend import Backend, Connection
from conspectus.models.languages.failures import BrokenAnswerError, Effort, caught, unreadable_told
from conspectus.models.languages.limits import Limits
from conspectus.models.languages.prices import price
from conspectus.models.languages.server_quirks import ServerQuirks, Way
from conspectus.settings import LanguageSettings

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

T = TypeVar("T")

CHARS_OF_A_TOKEN = 8
"""Characters, at most: a stream of more than so many for each token that was asked for is ended here."""


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


class ServedModel:
    """See `LanguageModel`. One event loop at a time; after it another may follow.

    `imported` returns when another thread has imported what calls need; it is never waited for in the event loop.
    """

    def __init__(
        self,
        backend: Backend,
        settings: LanguageSettings,
        limits: Limits,
        imported: Callable[[], object] = lambda: None,
    ) -> None:
        self._backend = backend
        self._imported = imported
        self._settings = settings
        self._limits = limits
        at_once = min(settings.concurrency, backend.at_once or settings.concurrency)
        self._lane = limits.limiter(backend.place, at_once, settings.requests_per_minute, settings.tokens_per_minute)
        self._habits = ServerQuirks(doubtful=backend.doubtful)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening = asyncio.Lock()
        self._open: dict[bool, Connection] = {}
        """Connections of this event loop, by the name that the limit of an answer has."""

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
        return self._habits.way.tools and self._backend.facts().tools

    async def complete(self, request: Request) -> Reply:
        """See `LanguageModel`."""
        effort = self._effort()
        first = (await self._ready())[1]
        while True:
            model, way = await self._ready()
            try:
                async with self._lane.turn(wire.prompt_estimate(request)) as turn:
                    start = time.perf_counter()
                    async with asyncio.timeout(self._settings.timeout):
                        response = await self._ask(model, request, way)
                    reply = self._reply(request, response, time.perf_counter() - start)
                    turn.settle(reply.tokens.prompt)
            except caught() as error:
                if not self._habits.learn(error, request, way):
                    await self._again(effort, error, first)
                continue
            self._habits.heard(request, reply, way)
            return reply

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        """See `LanguageModel`. What breaks off after a piece was given is not tried again."""
        effort = self._effort()
        first = (await self._ready())[1]
        while True:
            model, way = await self._ready()
            shown = False
            try:
                async with aclosing(self._pieces(model, request, way)) as pieces:
                    async for piece in pieces:
                        shown = True
                        yield piece
                return
            except caught() as error:
                if shown:
                    raise effort.failed(error) from None
                if not self._habits.learn(error, request, way):
                    await self._again(effort, error, first)

    async def close(self) -> None:
        """See `LanguageModel`."""
        if self._loop is asyncio.get_running_loop():
            for connection in self._open.values():
                await connection.close()
        self._open.clear()
        await asyncio.to_thread(self._backend.close)

    async def _again(self, effort: Effort, error: Exception, first: Way) -> None:
        try:
            await effort.again(error)
        except ServiceError:
            self._habits.forget(first)
            raise

    async def _ask(self, model: Model, request: Request, way: Way) -> ModelResponse:
        """One try of a whole answer."""
        from pydantic_ai.direct import model_request
        from pydantic_ai.exceptions import ContentFilterError
        from pydantic_ai.messages import ModelResponse

        asked = wire.parameters(request, way.mode, tools=way.tools, shown=way.shown)
        said, how = wire.messages(request), self._how(request, way)
        try:
            with unreadable_told():
                return await model_request(model, said, model_settings=how, model_request_parameters=asked)
        except ContentFilterError as error:
            return ModelResponse(parts=[], finish_reason="content_filter", provider_details={"refusal": str(error)})

    async def _pieces(self, model: Model, request: Request, way: Way) -> AsyncGenerator[str | Reply]:
        """One try of a stream."""
        found = wire.Pieces(request)
        async with self._lane.turn(wire.prompt_estimate(request)) as turn:
            start = time.perf_counter()
            async with aclosing(self._events(model, request, way)) as events:
                async for event in within(events, self._settings.timeout):
                    if isinstance(event, wire.Whole):
                        reply = self._reply(request, event.response, time.perf_counter() - start)
                        break
                    for piece in found.of(event):
                        yield piece
            turn.settle(reply.tokens.prompt)
        for piece in found.rest():
            yield piece
        self._habits.heard(request, reply, way)
        yield reply

    async def _events(
        self, model: Model, request: Request, way: Way
    ) -> AsyncGenerator[ModelResponseStreamEvent | wire.Whole]:
        """What a stream says, then the whole."""
        from pydantic_ai.direct import model_request_stream

        asked = wire.parameters(request, way.mode, tools=way.tools, shown=way.shown)
        said, how = wire.messages(request), self._how(request, way)
        with unreadable_told():
            async with model_request_stream(model, said, model_settings=how, model_request_parameters=asked) as stream:
                written = 0
                async for event in stream:
                    yield event
                    written += wire.size(event)
                    if written > CHARS_OF_A_TOKEN * request.max_tokens:
                        break  # this server knows no limit
                response = stream.get()
        if written > CHARS_OF_A_TOKEN * request.max_tokens:
            response = replace(response, finish_reason="length")
        if response.finish_reason is None:
            raise BrokenAnswerError("the answer stopped in its middle")
        yield wire.Whole(response)

    def _how(self, request: Request, way: Way) -> ModelSettings:
        how: ModelSettings = {"max_tokens": request.max_tokens, "timeout": self._settings.timeout}
        if way.temperature:
            how["temperature"] = request.temperature
        if effort := self._settings.effort:
            how["thinking"] = False if effort == "none" else effort
        return how

    def _reply(self, request: Request, response: ModelResponse, seconds: float) -> Reply:
        if response.finish_reason == "error":
            raise BrokenAnswerError("the server says that the model failed")
        backend = self._backend
        cost = 0.0 if backend.free else price(response.usage, backend.model, backend.address)
        return replace(wire.reply(request, response), cost=cost, seconds=seconds)

    def _connect(self, *, long_limit: bool) -> Connection:
        self._imported()
        return self._backend.connect(long_limit=long_limit)

    def _effort(self) -> Effort:
        return Effort(lambda: self._backend.service, self._lane, self._settings.timeout, self._limits.sleep)

    async def _ready(self) -> tuple[Model, Way]:
        """The open connection's model; opened in a thread, since that may load a model or ask a server."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._opening, self._open = loop, asyncio.Lock(), {}
        async with self._opening:
            long_limit = self._habits.way.long_limit
            if long_limit not in self._open:
                made = await run_in_daemon(partial(self._connect, long_limit=long_limit))
                self._habits.start(made.model.profile)
                self._open[long_limit] = made
            return self._open[long_limit].model, self._habits.way
