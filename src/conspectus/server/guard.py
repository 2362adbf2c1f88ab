"""What stands before all routes: who may ask, how much they may send, and what browsers are told."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from anyio import BrokenResourceError
from sqlalchemy import text
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from conspectus.server.access import ADDRESSES, MINUTE, Access, is_opened
from conspectus.server.problems import refusal
from conspectus.store.catalog import Catalog
from conspectus.store.connection import aside

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


API = "/api/"
OPEN = ("/api/v1/health",)
"""Asked without a token."""
SAFE = ("GET", "HEAD")
READS = (
    "/api/v1/export",
    "/api/v1/similar",
    "/api/v1/images/search",
    "/api/v1/images/map",
    "/api/v1/figures/like",
    "/api/v1/map/texts",
)
"""Asked by POST because of how much they are asked, or take; they change nothing."""
OWNERS = ("/api/v1/zotero",)
"""What only those may see who may change the library: it is about the owner's other programs."""
PRIVATE = ("/api/v1/models/connect", "/api/v1/models/disconnect")
"""Only for who started a server, where nobody else reaches it: they change the user's configuration, and take keys."""
BODY = 2**20
"""Bytes of a request that is no upload, and no list of papers."""
BEGIN = 30
"""Seconds that a request's body has to begin; from then on it has to come at …"""
SLOWEST = 10_000
"""… so many bytes a second, all in all."""
_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": _CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


_OTHER_SITE = refusal(403, "Another site's page sent this.", "Open the page of this server.")
_GUESSING = refusal(429, "Too many wrong tokens came.", "Wait for a minute.", retry=True)
_NO_TOKEN = refusal(401, "The token is missing or wrong.", "Send it as `Authorization: Bearer TOKEN`.")
_NOT_PRIVATE = refusal(
    403, "Models are not connected from here.", "Connect them on the server's machine: `models connect`."
)
_READ_ONLY = refusal(403, "This server changes nothing.", "The person who runs it started it this way.")


def _too_large(most: int) -> str:
    return f"The request is too large: at most {most / 2**20:g} MB are taken."


class _Body:
    """What a caller sends, counted and timed as it comes: it need not say how much it is, nor come at all."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive, self._limit = receive, limit
        self._byte_count = 0
        self._start_time = time.monotonic()
        self._is_whole = False

    async def receive(self) -> Message:
        """ASGI.

        Raises:
            HTTPException: it is too much (413), or comes too slowly (408).
        """
        if self._is_whole:
            return await self._receive()
        seconds_left = self._start_time + BEGIN + self._byte_count / SLOWEST - time.monotonic()
        try:
            message = await asyncio.wait_for(self._receive(), max(seconds_left, 0.001))
        except TimeoutError as error:
            raise HTTPException(408, "The request came too slowly.") from error
        self._byte_count += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        if self._byte_count > self._limit:
            raise HTTPException(413, _too_large(self._limit))
        return message


def _caller(scope: Scope) -> str:
    """The address that asks."""
    return str(scope["client"][0]) if scope.get("client") else ""


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for member in error.exceptions:
            yield from _leaves(member)
    else:
        yield error


class Guard:
    """Refuses what is not to be answered, before it is read; sets the headers of what is.

    Args:
        app: what answers.
        access: who may ask.
        larger: bytes that requests to these paths may have; to others `BODY`.
        guarded: paths that begin so are not answered without a token, or to other sites.
        links: whether the token may stand in the address of these, for programs that are given nothing but an address.
    """

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        larger: Mapping[str, int],
        guarded: str = API,
        *,
        links: bool = False,
    ) -> None:
        self.app, self.access, self.larger = app, access, larger
        self.guarded, self.links = guarded, links

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] == "websocket":  # there are none
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers, path = Headers(scope=scope), scope["path"]
        is_begun = False

        async def answer(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                reply_headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    reply_headers.setdefault(name, value)
                if path.startswith(API):
                    reply_headers.setdefault("cache-control", "no-store")
            await send(message)

        rejection = (
            self._refuse_host(headers) or self._accept_link(headers, scope) or self._refuse_request(headers, scope)
        )
        if rejection is not None:
            await rejection(scope, receive, answer)
            return
        limit = self.larger.get(path, BODY)
        if not (length := headers.get("content-length", "0")).isdecimal():
            await refusal(400, "'content-length' is no number.")(scope, receive, answer)
            return
        if int(length) > limit:
            await refusal(413, _too_large(limit))(scope, receive, answer)
            return
        try:
            await self.app(scope, _Body(receive, limit).receive, answer)
        except* BrokenResourceError:
            pass  # who followed a stream of events went away while one was being sent
        except* HTTPException as group:
            if is_begun:
                raise
            error = next(leaf for leaf in _leaves(group) if isinstance(leaf, HTTPException))
            await refusal(error.status_code, error.detail)(scope, receive, answer)

    def _refuse_host(self, headers: Headers) -> ASGIApp | None:
        """Asked for by another host's name."""
        if self.access.knows_host(headers.get("host", "")):
            return None
        return refusal(
            421,
            "This server is not the host that was asked for.",
            "The person who runs it can allow the name.",
        )

    def _accept_link(self, headers: Headers, scope: Scope) -> ASGIApp | None:
        """From the link with the token: it goes into a cookie, and out of the address."""
        path, method, caller = scope["path"], scope["method"], _caller(scope)
        query = _query(scope)
        token = dict(query).get("token")
        if token is None or not self.access.token or method not in SAFE or path.startswith(self.guarded):
            return None
        if not (self.access.is_own_origin(headers) or is_opened(headers)):
            return _OTHER_SITE  # not looked at: its guesses would shut out who is sent to it
        remaining_query = urlencode([(name, value) for name, value in query if name != "token"])
        redirect = RedirectResponse(
            f"/{path.lstrip('/')}{'?' if remaining_query else ''}{remaining_query}", 303
        )  # `//` would be another host
        if self.access.is_blocked(caller) or not self.access.is_token(token, caller):
            if "text/html" in headers.get("accept", ""):
                return redirect  # to the page, which says in somebody's own language what to do
            return refusal(
                401, "The token is not that of this server.", "Open the link that `conspectus serve` prints."
            )
        cookie = SimpleCookie({self.access.cookie: token})[self.access.cookie]
        cookie["path"], cookie["httponly"], cookie["samesite"] = "/", True, "Strict"
        redirect.headers["set-cookie"] = cookie.OutputString()
        return redirect

    def _refuse_request(self, headers: Headers, scope: Scope) -> ASGIApp | None:
        access, path, method, caller = self.access, scope["path"], scope["method"], _caller(scope)
        token = dict(_query(scope)).get("token", "") if self.links else ""
        checks: tuple[tuple[Callable[[], bool], ASGIApp], ...] = (
            (lambda: access.is_own_origin(headers), _OTHER_SITE),
            (lambda: not access.is_blocked(caller), _GUESSING),
            (lambda: access.knows(headers, caller, token), _NO_TOKEN),
            (lambda: (method in SAFE and path not in OWNERS) or path in READS or not access.read_only, _READ_ONLY),
            (lambda: path not in PRIVATE or access.is_private, _NOT_PRIVATE),
        )
        required_checks = checks if path.startswith(self.guarded) and path not in OPEN else ()
        return next((rejection for holds, rejection in required_checks if not holds()), None)


TABLE = (
    "CREATE TABLE IF NOT EXISTS server_guesses (network text NOT NULL, guess text NOT NULL, "
    "at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (network, guess))"
)
_PUT = (
    "INSERT INTO server_guesses (network, guess) VALUES (:network, :guess) "
    "ON CONFLICT (network, guess) DO UPDATE SET at = now()"
)
_OLD = "DELETE FROM server_guesses WHERE at < now() - make_interval(secs => :seconds)"
_ALL = "SELECT network, guess, extract(epoch FROM now() - at) AS age FROM server_guesses"


class SharedGuesses:
    """Exchanges the wrong tokens of the last minute with the other servers, as digests.

    Args:
        catalog: on a server, with the table.
        access: of this server.
    """

    def __init__(self, catalog: Catalog, access: Access) -> None:
        self._catalog, self._access = catalog, access
        self._new_guesses: deque[tuple[str, bytes]] = deque(maxlen=ADDRESSES)
        access.on_guess = lambda network, guess: self._new_guesses.append((network, guess))

    def exchange(self) -> None:
        """Write those that came here, and note those that came to the others."""
        new = [self._new_guesses.popleft() for _ in range(len(self._new_guesses))]
        with aside(self._catalog.engine) as connection:
            if new:
                rows = [{"network": network, "guess": guess.hex()} for network, guess in sorted(set(new))]
                connection.execute(text(_PUT), rows)
            connection.execute(text(_OLD), {"seconds": MINUTE})
            others = connection.execute(text(_ALL)).all()
        for row in others:
            self._access.note_guess(row.network, bytes.fromhex(row.guess), float(row.age))
