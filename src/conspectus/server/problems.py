"""Errors as `application/problem+json` (RFC 9457): from the class of each come its status and its remedy."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from conspectus.core.errors import ConspectusError
from conspectus.core.text import json_text
from conspectus.wire.events import problem

_TITLES = {401: "Not allowed in", 403: "Not allowed", 404: "Not found", 405: "Not like this", 413: "Too large"}


def refusal(status: int, detail: str, hint: str = "", *, kind: str = "", retry: bool = False) -> Response:
    """A problem as an answer."""
    body = {
        "type": kind or "Refused",
        "title": kind or _TITLES.get(status, "Refused"),
        "status": status,
        "detail": detail,
        "hint": hint,
        "retry": retry,
    }
    headers = {"retry-after": "5"} if retry else {}
    return Response(json_text(body), status, headers, "application/problem+json")


def log(error: BaseException, what: str) -> None:
    """Put an error that should not be there into the log: who asked is not told of it."""
    if not isinstance(error, ConspectusError):
        logging.getLogger("conspectus.server").error("%s failed.", what, exc_info=error)


def respond_to_error(error: BaseException) -> Response:
    """An error as an answer."""
    log(error, "A request")
    details = problem(error)
    return refusal(details.status, details.message, details.hint, kind=details.type, retry=details.retry)


def install(app: FastAPI) -> None:
    """Have the application tell its errors so."""

    @app.exception_handler(ConspectusError)
    @app.exception_handler(Exception)
    def _failed(_: Request, error: Exception) -> Response:
        return respond_to_error(error)

    @app.exception_handler(HTTPException)
    def _refused(_: Request, error: HTTPException) -> Response:
        cause = error.__cause__
        if isinstance(cause, OSError) and not isinstance(cause, TimeoutError):  # a body that could not be put aside
            return respond_to_error(cause)
        response = refusal(error.status_code, str(error.detail))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(RequestValidationError)
    def _wrong(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            place = first["loc"][-1]
            return refusal(422, f"The body is not valid JSON (character {place}).", "Send one JSON object in UTF-8.")
        field_path = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
        remedy = first.get("remedy", "The API's description: /api/v1/openapi.json")
        return refusal(422, f"'{field_path}': {first['msg']}.", remedy)
