"""The application: routers, errors, who may ask, the description of the API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.openapi.utils import get_openapi

from conspectus.core import wait_notices
from conspectus.core.version import __version__
from conspectus.library import Library
from conspectus.server import examples, page, problems
from conspectus.server.access import Access
from conspectus.server.board import Board
from conspectus.server.exchange import schemas
from conspectus.server.guard import Guard
from conspectus.server.inbox import Inbox
from conspectus.server.metrics import Metrics, RequestCounter
from conspectus.server.paths import Paths, refuse_unknown
from conspectus.server.pictures import Pictures
from conspectus.server.routes import ROUTERS, TAGS
from conspectus.server.shared_guesses import SharedGuesses
from conspectus.server.streams import Open, Streams

PREFIX = "/api/v1"
UPLOADS = 500 * 2**20
"""Bytes of one upload, if nothing else is said."""
NAMED = 16 * 2**20
"""Bytes of a request that names papers: a million ids."""
PATIENCE = 3.0
"""Seconds that a request waits for who writes; a job waits as the settings say, in a thread of its own."""


def create_app(library: Library, access: Access, *, uploads: int = UPLOADS) -> FastAPI:
    """What serves a library.

    Args:
        library: stays open as long as the application is used; whoever opened it closes it.
        access: who may ask.
        uploads: bytes that one upload may have.
    """

    board, inbox = Board(library), Inbox(library)

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        if board.shared:
            board.shared.also = SharedGuesses(library.session.catalog, access).exchange
            await asyncio.to_thread(board.shared.start)
        if not access.read_only and (left := await asyncio.to_thread(inbox.unread)):
            inbox.read(board, left)
        yield
        if board.shared:
            await asyncio.to_thread(board.shared.stop)

    app = FastAPI(
        title="Conspectus",
        version=__version__,
        lifespan=living,
        dependencies=[Depends(_impatient)],
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        openapi_tags=[{"name": name, "description": about} for name, about in TAGS.items()],
        generate_unique_id_function=lambda route: route.name,  # short, and the same as long as the function is
    )
    app.state.library, app.state.board, app.state.inbox = library, board, inbox
    app.state.streams, app.state.pictures = Open(), Pictures()
    app.state.metrics = Metrics(library, board, app.state.streams)
    app.state.quit = None  # what ends the server, if `app` started it
    app.state.read_only, app.state.private = access.read_only, access.is_private
    problems.install(app)
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX, dependencies=[Depends(refuse_unknown)])
    page.install(app)
    app.openapi = _described(app)  # type: ignore[method-assign]
    app.add_middleware(Paths, under=f"{PREFIX}/")
    app.add_middleware(Streams, streams=app.state.streams, farewells={f"{PREFIX}/events": b"event: end\ndata: {}\n\n"})
    app.add_middleware(Guard, access=access, larger=_larger(uploads))
    app.add_middleware(RequestCounter, metrics=app.state.metrics)
    return app


def _larger(uploads: int) -> dict[str, int]:
    most = dict.fromkeys(("/files", "/figures/like", "/images/search"), uploads) | {"/export": NAMED}
    return {f"{PREFIX}{path}": size for path, size in most.items()}


async def _impatient() -> None:
    """Who waits has one of the threads that all requests share."""
    wait_notices.wait_timeout.set(PATIENCE)


def _described(app: FastAPI) -> Callable[[], dict[str, Any]]:
    """The description of the API, with the records' own types among its schemas."""

    def made() -> dict[str, Any]:
        if app.openapi_schema is None:
            found = get_openapi(
                title=app.title, version=app.version, routes=app.routes, summary=_SUMMARY, tags=app.openapi_tags
            )
            found["components"]["schemas"] |= schemas()
            examples.put_into(found)
            app.openapi_schema = found
        return app.openapi_schema

    return made


_SUMMARY = "Search, ask and read a library of papers, with every statement traceable to its sentence."
