"""What is asked for, as routes are to read it: `HEAD` as `GET`, and a name whose slashes are encoded as one name.

Parameters of an address that its route does not have are refused: a filter with a slip in it would be none.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from anyio import CancelScope
from fastapi import Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.params import Query
from starlette.convertors import Convertor, register_url_convertor

from conspectus.server.streams import is_stream

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SLASH = "\x1f"
"""A slash within a name, as long as routes are chosen: no name has this sign."""
_ENCODED = re.compile(rb"%2f", re.IGNORECASE)


class _Name(Convertor[str]):
    """A name in an address: `10.1%2Fx%2Fpassages` is that, and not the passages of `10.1/x`."""

    regex = ".+"

    def convert(self, value: str) -> str:
        return value.replace(_SLASH, "/")

    def to_string(self, value: str) -> str:
        return value


class _NameOfOnePart(_Name):
    """A name whose slashes have to be encoded."""

    regex = "[^/]+"


register_url_convertor("name", _Name())  # of a paper: `{…:name}`
register_url_convertor("one", _NameOfOnePart())  # of other things: `{…:one}`


class Paths:
    """Hands on what is asked for so.

    Args:
        app: what answers.
        under: paths that begin so are read in this way.
    """

    def __init__(self, app: ASGIApp, under: str) -> None:
        self.app, self.under = app, under

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http" or not scope["path"].startswith(self.under):
            await self.app(scope, receive, send)
            return
        raw, is_head = scope.get("raw_path") or b"", scope["method"] == "HEAD"
        inner_scope = {**scope, "method": "GET" if is_head else scope["method"]}
        if _ENCODED.search(raw):
            inner_scope["path"] = unquote(_ENCODED.sub(b"%1F", raw).decode("ascii", "replace"))
        with CancelScope() as cut:

            async def answer(message: Message) -> None:
                """All, or all but the body; of a stream, which has no end, nothing is waited for then."""
                begins = message["type"] == "http.response.start"
                if begins:
                    scope["route"] = inner_scope.get("route")  # for who counts
                await send({**message, "body": b""} if is_head and not begins else message)
                if begins and is_head and is_stream(message):
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
                    cut.cancel()

            await self.app(inner_scope, receive, answer)


async def refuse_unknown(request: Request) -> None:
    """A dependency of every route of the API.

    Raises:
        RequestValidationError: what is asked has a parameter that the route does not know.
    """
    names = request.query_params.keys()
    if not names:
        return
    fields = get_flat_params(request.scope["route"].dependant)
    known_names = sorted(field.alias for field in fields if isinstance(field.field_info, Query))
    for name in names:
        if name not in known_names:
            raise RequestValidationError([_describe_unknown(name, known_names)])  # of a thousand, the first


def _describe_unknown(name: str, known_names: list[str]) -> dict[str, object]:
    matches = difflib.get_close_matches(name, known_names, n=1)
    message = "there is no such parameter here" + (f"; the nearest is '{matches[0]}'" if matches else "")
    remedy = f"There are: {', '.join(known_names)}." if known_names else "This address takes none."
    return {"type": "extra_forbidden", "loc": ("query", name), "msg": message, "remedy": remedy}
