"""Streams of events that are open: so many at most, and all of them end at once when the server does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from anyio import CancelScope, move_on_after
from starlette.datastructures import Headers

from conspectus.server.problems import refusal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST = 100
"""Streams at one time. A browser needs one for all its tabs (`GET /events`)."""
_TOO_MANY = refusal(503, f"{MOST} streams of events are open, and no more can be.", "Close one.", retry=True)
_NO_TIME = 0.5
"""Seconds that a caller has to take the last words: who does not read would keep the server from ending."""


class Open:
    """The streams that are open."""

    def __init__(self) -> None:
        self._scopes: set[CancelScope] = set()
        self.is_closing = False

    def __len__(self) -> int:
        """How many there are."""
        return len(self._scopes)

    def close(self) -> None:
        """End them all, in the event loop's own thread; those that are asked for from now on end as they begin."""
        self.is_closing = True
        for scope in self._scopes:
            scope.cancel()

    def begin(self, scope: CancelScope) -> bool:
        """Take one more; whether there was room."""
        if len(self._scopes) >= MOST:
            return False
        self._scopes.add(scope)
        if self.is_closing:
            scope.cancel()
        return True

    def end(self, scope: CancelScope) -> None:
        """One has ended."""
        self._scopes.discard(scope)


class Streams:
    """Knows an answer that is a stream by its type, and ends it when it is told to.

    Args:
        app: what answers.
        streams: those that are open.
        farewells: path -> what a stream there says at last, when the server ends it.
    """

    def __init__(self, app: ASGIApp, streams: Open, farewells: Mapping[str, bytes]) -> None:
        self.app, self.streams, self.farewells = app, streams, farewells

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_open = is_refused = is_ended = False

        async def answer(message: Message) -> None:
            nonlocal is_open, is_refused, is_ended
            if message["type"] == "http.response.start" and is_stream(message):
                is_open = self.streams.begin(cut)
                is_refused = not is_open
            if is_refused:
                cut.cancel()
                return
            await send(message)
            is_ended = message["type"] == "http.response.body" and not message.get("more_body", False)

        try:
            with CancelScope() as cut:
                await self.app(scope, receive, answer)
        finally:
            self.streams.end(cut)
        if is_refused:
            await _TOO_MANY(scope, receive, send)
        elif is_open and cut.cancel_called and not is_ended:
            last = self.farewells.get(scope["path"], b"")
            with move_on_after(_NO_TIME):
                await send({"type": "http.response.body", "body": last, "more_body": False})


def is_stream(message: Message) -> bool:
    """Whether an answer that begins so is a stream of events."""
    return Headers(raw=message["headers"]).get("content-type", "").startswith("text/event-stream")
