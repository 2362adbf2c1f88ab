"""The one HTTP client: an answer has a greatest size, packed and unpacked, and a time in which it has come."""

from __future__ import annotations

import asyncio
import concurrent.futures
import ssl
import threading
from collections.abc import AsyncIterator, Coroutine
from contextlib import aclosing
from functools import cache
from typing import Any, TypeVar

import httpx2

from conspectus.core.http import NoAnswerError
from conspectus.core.job_context import check

T = TypeVar("T")

CONNECT_SECONDS = 10.0
_CONNECTIONS = 1000
_POLL_SECONDS = 0.2
_EVENT_STREAM = "text/event-stream"


class BoundedClient(httpx2.AsyncClient):
    """A client whose answers raise `NoAnswerError` where they are longer than `most` bytes, as sent or as unpacked.

    It sends a key to nobody but who was asked: it follows no redirects.

    Args:
        most: bytes of an answer.
        seconds: between two parts of an answer; callers bound the whole with `asyncio.timeout`.
        streamed: bytes of an answer that is a stream of events, of which each may have `most`; None: as others.
        direct: whether no proxy is asked, whatever the environment says.
    """

    def __init__(self, most: int, seconds: float, streamed: int | None = None, *, direct: bool = False) -> None:
        super().__init__(
            timeout=httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
            limits=httpx2.Limits(max_connections=_CONNECTIONS),
            follow_redirects=False,
            verify=_certificates(),
            trust_env=not direct,
        )
        self._most = most
        self._streamed = streamed

    async def send(self, request: httpx2.Request, *, stream: bool = False, **more: Any) -> httpx2.Response:
        """See `AsyncClient`."""
        reply = await super().send(request, stream=True, **more)
        bounded = self._bound_reply(reply)
        if not stream:
            async with aclosing(bounded):
                await bounded.aread()
        return bounded

    def _bound_reply(self, reply: httpx2.Response) -> httpx2.Response:
        """The reply with its bytes counted before they are unpacked, unpacked in small parts, and counted again.

        Its extension `headers` has all that were sent; of its own, those that say how it was packed are gone.
        """
        events = self._streamed is not None and reply.headers.get("content-type", "").startswith(_EVENT_STREAM)
        most = self._streamed if events and self._streamed is not None else self._most
        assert isinstance(reply.stream, httpx2.AsyncByteStream)
        packed = httpx2.Response(
            reply.status_code, headers=reply.headers, stream=_BoundedStream(reply.stream, most), request=reply.request
        )
        headers = httpx2.Headers(reply.headers)
        for name in ("content-encoding", "content-length"):
            headers.pop(name, None)
        plain = _BoundedStream(_Unpacked(packed), most, self._most if events else most)
        bounded = httpx2.Response(
            reply.status_code,
            headers=headers,
            stream=plain,
            request=reply.request,
            extensions={**reply.extensions, "headers": reply.headers},
        )
        bounded.next_request = reply.next_request
        return bounded


class _Unpacked(httpx2.AsyncByteStream):
    """What a reply says, unpacked in parts of at most a megabyte."""

    def __init__(self, reply: httpx2.Response) -> None:
        self._reply = reply

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with aclosing(self._reply.aiter_bytes()) as parts:
            async for part in parts:
                yield part

    async def aclose(self) -> None:
        await self._reply.aclose()


class _BoundedStream(httpx2.AsyncByteStream):
    """The parts of a stream, at most `most` bytes; with `together`, at most so many without an empty line."""

    def __init__(self, parts: httpx2.AsyncByteStream, most: int, together: int | None = None) -> None:
        self._parts = parts
        self._most = most
        self._together = most if together is None else together

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = event = 0
        async for part in self._parts:
            length += len(part)
            end = max(part.rfind(b"\n\n"), part.rfind(b"\r\n\r\n"))
            event = event + len(part) if end < 0 else len(part) - end
            if length > self._most or event > self._together:
                most = self._most if length > self._most else self._together
                raise NoAnswerError(f"its answer is larger than {most / 2**20:.3g} MB", retry=False)
            yield part

    async def aclose(self) -> None:
        await self._parts.aclose()


def wait_for(call: Coroutine[Any, Any, T]) -> T:
    """What `call` returns, run in the one event loop of all such calls; it is cancelled if its caller is."""
    future = asyncio.run_coroutine_threadsafe(call, _loop())
    try:
        while not future.done():  # a wait without end could not be interrupted by Ctrl-C on Windows
            check()
            concurrent.futures.wait([future], _POLL_SECONDS)
        return future.result()
    finally:
        future.cancel()


def load() -> None:
    """Do what the first request would spend time on."""
    _certificates()
    _loop()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="http", daemon=True).start()
    return loop


@cache
def _certificates() -> ssl.SSLContext:
    """Who is trusted; reading it takes longer than most answers."""
    return httpx2.create_ssl_context()
