"""How the library and the server are: status, doctor, settings, usage, health."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.responses import Response

from conspectus.core.version import __version__
from conspectus.server.exchange import BEGAN, TheBoard, TheLibrary, answers, begun, file, said
from conspectus.server.metrics import Metrics
from conspectus.wire import bodies, encode

router = APIRouter(tags=["care"])


@router.get("/health", responses=answers("It answers.", bodies.HEALTH))
def health(request: Request) -> Response:
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
    """Embed what the embedder set now has not, and build the index anew: a job."""
    return begun(board.begin(library.reindex))


@router.get("/metrics", response_class=Response, responses=file("The metrics.", "text/plain"))
def metrics(request: Request) -> Response:
    """Requests, jobs, what models took and what the library holds, for Prometheus."""
    found: Metrics = request.app.state.metrics
    return Response(found.text(), media_type=CONTENT_TYPE_PLAIN_0_0_4)


@router.get("/usage", responses=answers("Calls, tokens, cost and seconds.", bodies.USAGE))
def usage(
    library: TheLibrary,
    since: str = "",
    by: Annotated[Literal["day", "model", "role", "prompt", "answer"], Query()] = "day",
) -> Response:
    """What language models took."""
    return said("usage", {"since": since, "by": by, "rows": encode.plain(library.usage(since, by))})
