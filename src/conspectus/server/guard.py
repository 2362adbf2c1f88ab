"""What stands before all routes: who may ask, how much they may send, and what browsers are told."""

from __future__ import annotations

from collections.abc import Callable
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse

from conspectus.server.access import Access
from conspectus.server.problems import refusal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

API = "/api/"
OPEN = ("/api/v1/health",)
"""Asked without a token."""
SAFE = ("GET", "HEAD")
BODY = 2**20
"""Bytes of a request that is no upload."""
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


class TooLarge(Exception):
    """A request has more bytes than may be sent."""


class Guard:
    """Refuses what is not to be answered, before it is read; sets the headers of what is.

    Args:
        app: what answers.
        access: who may ask.
        uploads: bytes that an upload may have.
        is_upload: whether a path takes files.
    """

    def __init__(self, app: ASGIApp, access: Access, uploads: int, is_upload: Callable[[str], bool]) -> None:
        self.app, self.access, self.uploads, self.is_upload = app, access, uploads, is_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers, path, method = Headers(scope=scope), scope["path"], scope["method"]

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    told.setdefault(name, value)
                if path.startswith(API):
                    told.setdefault("cache-control", "no-store")
            await send(message)

        refused = self._entered(scope, path, method) or self._refusal(headers, path, method)
        if refused is not None:
            await refused(scope, receive, answer)
            return
        most = self.uploads if self.is_upload(path) else BODY
        if int(headers.get("content-length", 0)) > most:
            await refusal(413, "The request is too large.", f"At most {most / 2**20:g} MB are taken.")(
                scope, receive, answer
            )
            return
        await self._bounded(scope, receive, answer, most)

    def _entered(self, scope: Scope, path: str, method: str) -> ASGIApp | None:
        """From the link with the token: it goes into a cookie, and out of the address."""
        asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(asked).get("token")
        if given is None or not self.access.token or method not in SAFE or path.startswith(API):
            return None
        if self.access.is_blocked() or not self.access.is_token(given):
            return refusal(
                401, "The token is not that of this server.", "Open the link that `conspectus serve` prints."
            )
        left = urlencode([(name, value) for name, value in asked if name != "token"])
        away = RedirectResponse(f"{path}{'?' if left else ''}{left}", 303)
        cookie = SimpleCookie({self.access.cookie: given})[self.access.cookie]
        cookie.update({"path": "/", "httponly": True, "samesite": "Strict"})
        away.headers["set-cookie"] = cookie.OutputString()
        return away

    def _refusal(self, headers: Headers, path: str, method: str) -> ASGIApp | None:
        if not self.access.knows_host(headers.get("host", "")):
            return refusal(421, "This server is not the host that was asked for.", "Name it with --host or --name.")
        if not path.startswith(API) or path in OPEN:
            return None
        if not self.access.is_own_origin(headers):
            return refusal(403, "Another site's page sent this.", "Open the page of this server.")
        if self.access.is_blocked():
            return refusal(429, "Too many wrong tokens came.", "Wait for a minute.", retry=True)
        if not self.access.knows(headers):
            return refusal(401, "The token is missing or wrong.", "Send it as `Authorization: Bearer TOKEN`.")
        if self.access.read_only and method not in SAFE:
            return refusal(403, "This server changes nothing.", "Start it without --read-only.")
        return None

    async def _bounded(self, scope: Scope, receive: Receive, send: Send, most: int) -> None:
        """What is sent without saying how much is counted as it comes."""
        got, begun = 0, False

        async def counted() -> Message:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > most:
                raise TooLarge
            return message

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, counted, noted)
        except TooLarge:
            if not begun:
                told = refusal(413, "The request is too large.", f"At most {most / 2**20:g} MB are taken.")
                await told(scope, receive, send)
