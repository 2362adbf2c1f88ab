"""What stands before all routes: who may ask, how much they may send, and what browsers are told."""

from __future__ import annotations

from collections.abc import Callable
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from anyio import BrokenResourceError
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
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


_OTHER_SITE = refusal(403, "Another site's page sent this.", "Open the page of this server.")
_GUESSING = refusal(429, "Too many wrong tokens came.", "Wait for a minute.", retry=True)
_NO_TOKEN = refusal(401, "The token is missing or wrong.", "Send it as `Authorization: Bearer TOKEN`.")
_READ_ONLY = refusal(403, "This server changes nothing.", "Start it without --read-only.")


def _too_large(most: int) -> str:
    return f"The request is too large: at most {most / 2**20:g} MB are taken."


class Guard:
    """Refuses what is not to be answered, before it is read; sets the headers of what is.

    Args:
        app: what answers.
        access: who may ask.
        uploads: bytes that an upload may have.
        is_upload: whether a path takes files.
        guarded: paths that begin so are not answered without a token, or to other sites.
    """

    def __init__(
        self, app: ASGIApp, access: Access, uploads: int, is_upload: Callable[[str], bool], guarded: str = API
    ) -> None:
        self.app, self.access, self.uploads, self.is_upload, self.guarded = app, access, uploads, is_upload, guarded

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
            await refusal(413, _too_large(most))(scope, receive, answer)
            return
        got = 0

        async def counted() -> Message:
            """What is sent without saying how much is counted as it comes."""
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > most:
                raise HTTPException(413, _too_large(most))
            return message

        try:
            await self.app(scope, counted, answer)
        except* BrokenResourceError:
            pass  # who followed a stream of events went away while one was being sent

    def _entered(self, scope: Scope, path: str, method: str) -> ASGIApp | None:
        """From the link with the token: it goes into a cookie, and out of the address."""
        asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(asked).get("token")
        if given is None or not self.access.token or method not in SAFE or path.startswith(self.guarded):
            return None
        if self.access.is_blocked() or not self.access.is_token(given):
            return refusal(
                401, "The token is not that of this server.", "Open the link that `conspectus serve` prints."
            )
        left = urlencode([(name, value) for name, value in asked if name != "token"])
        away = RedirectResponse(f"/{path.lstrip('/')}{'?' if left else ''}{left}", 303)  # `//` would be another host
        cookie = SimpleCookie({self.access.cookie: given})[self.access.cookie]
        cookie["path"], cookie["httponly"], cookie["samesite"] = "/", True, "Strict"
        away.headers["set-cookie"] = cookie.OutputString()
        return away

    def _refusal(self, headers: Headers, path: str, method: str) -> ASGIApp | None:
        access = self.access
        if not access.knows_host(headers.get("host", "")):
            return refusal(421, "This server is not the host that was asked for.", "Name it with --host or --name.")
        checks: tuple[tuple[Callable[[], bool], ASGIApp], ...] = (
            (lambda: access.is_own_origin(headers), _OTHER_SITE),
            (lambda: not access.is_blocked(), _GUESSING),
            (lambda: access.knows(headers), _NO_TOKEN),
            (lambda: method in SAFE or not access.read_only, _READ_ONLY),
        )
        asked = checks if path.startswith(self.guarded) and path not in OPEN else ()
        return next((refused for holds, refused in asked if not holds()), None)
