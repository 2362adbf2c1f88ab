"""How the library and the server are: status, doctor, settings, usage, health."""

from __future__ import annotations

from typing import Annotated, Literal

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Query, Request
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from pydantic import Field
from starlette.responses import Response

from conspectus.core.version import __version__
from conspectus.server import models
from conspectus.server.exchange import BEGAN, Body, TheBoard, TheLibrary, answers, begun, file, said, served
from conspectus.server.metrics import Metrics
from conspectus.wire import bodies, encode

router = APIRouter(tags=["care"])
COUNTED = CapacityLimiter(1)
"""Metrics looked up at one time, in no thread that other requests wait for: they say whether these wait."""


@router.get("/health", responses=answers("It answers.", bodies.HEALTH))
async def health(request: Request) -> Response:
    """Whether the server answers, and whether it changes anything; asked without a token."""
    return said("health", {"status": "ok", "version": __version__, "read_only": request.app.state.read_only})


@router.get("/status", responses=answers("The library in numbers.", bodies.STATUS))
def status(library: TheLibrary) -> Response:
    """The library in numbers, without its ledger (`/files`)."""
    body = encode.status(library.status(), failed_only=True)
    return said("status", body)


@router.get("/doctor", responses=answers("What was found.", bodies.DOCTOR))
def doctor(library: TheLibrary) -> Response:
    """Checks of the library, its index, its model and its files, each with a remedy where it is not well."""
    found = library.doctor()
    return said("doctor", {"ok": all(one.ok for one in found), "findings": encode.plain(found)})


@router.post("/doctor", status_code=202, responses=BEGAN)
def mend(library: TheLibrary, board: TheBoard) -> Response:
    """Mend what can be mended without losing anything: a job."""
    return begun(board.begin(library.doctor, fix=True))


@router.post("/reindex", status_code=202, responses=BEGAN)
def reindex(library: TheLibrary, board: TheBoard) -> Response:
    """Compute missing embeddings for the current model and rebuild the index (a job)."""
    return begun(board.begin(library.reindex))


@router.get("/metrics", response_class=Response, responses=file("The metrics.", "text/plain"))
async def metrics(metrics: Annotated[Metrics, served("metrics")]) -> Response:
    """Requests, jobs, what models took and what the library holds, for Prometheus."""
    return Response(await to_thread.run_sync(metrics.text, limiter=COUNTED), media_type=CONTENT_TYPE_PLAIN_0_0_4)


@router.get("/usage", responses=answers("Calls, tokens, cost and seconds.", bodies.USAGE))
def usage(
    library: TheLibrary,
    since: str = "",
    by: Annotated[Literal["day", "model", "role", "prompt", "answer"], Query()] = "day",
) -> Response:
    """What language models took."""
    return said("models.usage", {"since": since, "by": by, "rows": encode.plain(library.usage(since, by))})


@router.get("/settings", responses=answers("The settings.", bodies.SETTINGS))
def get_settings(library: TheLibrary) -> Response:
    """Every setting with its value, where that comes from, and what it means; secrets are not shown."""
    return said("config", {"settings": encode.plain(library.configuration())})


class Configuring(Body):
    """Settings with their new values; null: as if the library's file never set it."""

    settings: dict[str, str | bool | int | float | None] = Field(
        examples=[{"search.k": 20, "search.recency": True}], max_length=200
    )


@router.patch("/settings", responses=answers("The settings, as they are now.", bodies.SETTINGS))
def set_settings(library: TheLibrary, asked: Configuring) -> Response:
    """Set settings in the library's file: what is asked next has them, models of the groups `models` at the next start.

    Secrets, and what names an address, a file or a program, are refused (`fixed` says why).
    """
    return said("config", {"settings": encode.plain(library.configure(asked.settings))})


class Trying(Body):
    """Which language models are to be tried."""

    models: list[str] = Field([], max_length=20, examples=[["openai:gpt-5-mini"]], description="none: those set")


@router.post("/models/try", status_code=202, responses=BEGAN)
def try_models(library: TheLibrary, board: TheBoard, asked: Trying) -> Response:
    """A small call to language models, whether they answer: a job."""
    models.check(library, asked)
    return begun(board.begin(library.try_models, asked.models))
