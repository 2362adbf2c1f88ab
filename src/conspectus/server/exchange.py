"""What routes are given and what they give: the library, its jobs; bodies as the command line has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Annotated, Any

import msgspec
from fastapi import Depends, Query, Request, UploadFile
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from conspectus.core.errors import LimitError
from conspectus.core.text import escaped_json, json_text
from conspectus.library import Library
from conspectus.records import Paper
from conspectus.records.figures import SentPicture
from conspectus.server.board import Board
from conspectus.server.inbox import safe_name
from conspectus.server.shared_jobs import RelayedJob
from conspectus.session.jobs import Job
from conspectus.wire import bodies, encode, events

MOST_PICTURE = 100 * 2**20
"""Bytes of a picture that is sent to be looked for."""
REF = "#/components/schemas/{name}"


class RequestBody(BaseModel):
    """What is sent to a route; a field that it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


def served(name: str) -> Any:
    """A dependency: what the application has under this name; it needs no thread."""

    async def read_state(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(read_state)


def uploaded(file: UploadFile) -> SentPicture:
    """A picture that somebody sends.

    Raises:
        UsageError: what it is called is not a file name.
        LimitError: it has more than `MOST_PICTURE` bytes.
    """
    content = file.file.read(MOST_PICTURE + 1)
    if len(content) > MOST_PICTURE:
        raise LimitError(f"The picture has more than {MOST_PICTURE >> 20} MB.", "Send it smaller, or a part of it.")
    return SentPicture(safe_name(file.filename or "picture"), content)


TheLibrary = Annotated[Library, served("library")]
TheBoard = Annotated[Board, served("board")]
Limit = Annotated[int, Query(ge=1, le=1000)]
"""How many, at most."""
After = Annotated[str, Query(description="`next` of the page before")]


def json_response(verb: str, body: Mapping[str, Any], status: int = 200) -> Response:
    """A body as the command line's `--json` has it."""
    return Response(_text({"schema": f"conspectus.{verb}/1", **body}), status, media_type="application/json")


def _text(body: Mapping[str, Any]) -> str:
    """As `json_text`, a few times as quick, without blanks; only texts of whole characters can be written so."""
    try:
        return escaped_json(msgspec.json.encode(body).decode())
    except UnicodeEncodeError:
        return json_text(body)


def paged(papers: Iterable[Paper], limit: int) -> dict[str, Any]:
    """A page of papers; `next` is what the next page is asked for with (`after`), null at the end."""
    batch = list(islice(papers, limit + 1))
    page, has_more = batch[:limit], len(batch) > limit
    return {"papers": [encode.brief(paper) for paper in page], "next": page[-1].id if has_more else None}


def accepted(job: Job[Any] | RelayedJob) -> Response:
    """That a job has begun, and where it is followed."""
    text = json_text({"schema": "conspectus.job/1", **described(job)})
    return Response(text, 202, {"location": f"/api/v1/jobs/{job.id}"}, "application/json")


def described(job: Job[Any] | RelayedJob) -> dict[str, Any]:
    """A job as it is now."""
    return {"job": job.id, "verb": job.verb, "state": job.state, "failed": job.failed}


_GIVEN: list[Any] = []
_SHAPES: list[Any] = []
"""What routes answer with: the schemas of these, and of all that stands in them, are those of the description."""


def answers(what: str, shape: Any, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """What a route says it answers with, for OpenAPI: `what` in words, and its body's shape (of `wire`)."""
    return {status: {"description": what, "content": {"application/json": {"schema": schema_of(shape)}}}, **FAILED}


def schema_of(shape: Any) -> dict[str, Any]:
    """A reference to the schema of a shape, which becomes one of the description's."""
    _SHAPES.append(shape)
    return {"$ref": REF.format(name=shape.__name__)}


def register_job_results(*shapes: Any) -> None:
    """Tell what jobs give, beside what those of the library do."""
    _GIVEN.extend(shapes)


def schemas() -> dict[str, Any]:
    """The schemas of all that routes answer with, by names."""
    return events.components(_SHAPES, REF, _GIVEN)


def file(what: str, *types: str) -> dict[int | str, dict[str, Any]]:
    """What a route answers with that sends a file of one of these types."""
    content = {media_type: {"schema": {"type": "string", "format": "binary"}} for media_type in types}
    return {200: {"description": what, "content": content}, **FAILED}


_PROBLEM = {
    "description": "What failed, and what to do.",
    "content": {"application/problem+json": {"schema": schema_of(bodies.PROBLEM)}},
}
FAILED: dict[int | str, dict[str, Any]] = {"4XX": _PROBLEM, "5XX": _PROBLEM}
GONE: dict[int | str, dict[str, Any]] = {204: {"description": "It is gone."}, **FAILED}
BEGAN = answers("The job has begun.", bodies.BEGUN, 202)
