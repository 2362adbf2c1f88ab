"""How the library and the server are: health, metrics, ending it, trying models."""

from __future__ import annotations

from typing import Annotated

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from pydantic import Field
from starlette.responses import Response

from conspectus.core.errors import UsageError
from conspectus.core.version import __version__
from conspectus.server import access
from conspectus.server.exchange import (
    BEGAN,
    FAILED,
    RequestBody,
    TheBoard,
    TheLibrary,
    accepted,
    answers,
    file,
    json_response,
    served,
)
from conspectus.server.metrics import Metrics
from conspectus.wire import bodies

router = APIRouter(tags=["care"])
COUNTED = CapacityLimiter(1)
"""Metrics looked up at one time, in no thread that other requests wait for: they say whether these wait."""


@router.get("/health", responses=answers("It answers.", bodies.HEALTH))
async def health(request: Request) -> Response:
    """Whether the server answers, changes anything, lets models be connected, and can be ended; without a token."""
    state = request.app.state
    flags = {"read_only": state.read_only, "private": state.private, "quits": state.quit is not None}
    return json_response("health", {"status": "ok", "version": __version__, **flags})


@router.post("/quit", status_code=204, responses={204: {"description": "It ends."}, **FAILED})
async def quit_server(request: Request) -> Response:
    """End the server, if `app` started it: it has no terminal in which to end it. Running jobs are ended too."""
    if request.app.state.quit is None:
        raise UsageError("This server was not started by `app`.", "End it where it was started.")
    request.app.state.quit()
    return Response(status_code=204)


@router.get("/metrics", response_class=Response, responses=file("The metrics.", "text/plain"))
async def metrics(metrics: Annotated[Metrics, served("metrics")]) -> Response:
    """Requests, jobs, what models took and what the library holds, for Prometheus."""
    return Response(await to_thread.run_sync(metrics.text, limiter=COUNTED), media_type=CONTENT_TYPE_PLAIN_0_0_4)


class Trying(RequestBody):
    """Which language models are to be tried."""

    models: list[str] = Field([], max_length=20, examples=[["openai:gpt-5-mini"]], description="none: those set")


@router.post("/models/try", status_code=202, responses=BEGAN)
def try_models(library: TheLibrary, board: TheBoard, asked: Trying) -> Response:
    """A small call to language models, whether they answer: a job."""
    access.check(library, asked)
    return accepted(board.begin(library.try_models, asked.models))
