"""The application: routers, errors, who may ask, the description of the API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import Depends, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route

from conspectus.core import job_context
from conspectus.core.bounds import BOUNDS
from conspectus.core.version import __version__
from conspectus.library import Library
from conspectus.server import problems
from conspectus.server.access import Access
from conspectus.server.board import Board
from conspectus.server.exchange import schemas
from conspectus.server.guard import Guard, SharedGuesses
from conspectus.server.inbox import Inbox
from conspectus.server.metrics import Metrics, RequestCounter
from conspectus.server.paths import Paths, refuse_unknown
from conspectus.server.pictures import Pictures
from conspectus.server.problems import refusal
from conspectus.server.routes import ROUTERS, TAGS
from conspectus.server.streams import Open, Streams

if TYPE_CHECKING:
    from starlette.requests import Request


EXAMPLES = Path(__file__).with_name("examples.json")


def put_examples(document: dict[str, Any]) -> None:
    """Put an example beside the schema of each answer that has one."""
    examples = json.loads(EXAMPLES.read_text("utf-8"))
    for path, methods in document["paths"].items():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                for kind, media in answer.get("content", {}).items():
                    name = media.get("schema", {}).get("$ref", "").rpartition("/")[2] or example_name(path, kind)
                    if status.startswith("2") and name in examples:
                        media["example"] = examples[name]


def example_name(path: str, kind: str) -> str:
    """What a file's example is called, by the path of its route and its type."""
    return f"{path} {kind.partition(';')[0]}"


BUNDLE = Path(str(files("conspectus"))) / "web_static"
_MISSING = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Conspectus</title></head>
<body><h1>Conspectus</h1>
<p>The library is served, but this installation carries no page to look at it with: it was made where Node.js was not
at hand. In a checkout <code>make web</code> builds it; <code>pip install .</code> brings it, where npm can be used.</p>
<p>Programs find everything at <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>; language models have tools:
<code>conspectus mcp</code>.</p>
</body></html>
"""


def install_page(app: FastAPI, folder: Path = BUNDLE) -> None:
    """Serve the bundle in `folder`; every other path that is none of the API's is the page's own, and opens it."""
    index, root = folder / "index.html", folder.resolve()

    def answer(request: Request) -> Response:
        path = request.path_params["path"]
        if path.startswith("api/"):
            return refusal(404, f"There is no '/{path}'.", "The API's description: /api/v1/openapi.json")
        if not index.is_file():
            return HTMLResponse(_MISSING) if not path else refusal(404, f"There is no '/{path}'.")
        target = root if "\0" in path else (root / path).resolve()
        if "\0" in path or not target.is_relative_to(root) or (path.startswith("assets/") and not target.is_file()):
            return refusal(404, "There is no such page.")
        if path and target.is_file():
            forever = {"cache-control": "public, max-age=31536000, immutable"} if "assets/" in path else {}
            return FileResponse(target, headers=forever)
        return FileResponse(index, headers={"cache-control": "no-cache"})

    app.router.routes.append(Route("/{path:path}", answer, methods=["GET", "HEAD"]))


PREFIX = "/api/v1"
NAMED = 16 * 2**20
"""Bytes of a request that names papers: a million ids."""
PATIENCE = 3.0
"""Seconds that a request waits for who writes; a job waits as the settings say, in a thread of its own."""


def create_app(library: Library, access: Access, *, uploads: int = BOUNDS.upload.most) -> FastAPI:
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
        if not access.read_only and (unread_files := await asyncio.to_thread(inbox.unread)):
            inbox.read(board, unread_files)
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
    install_page(app)
    app.openapi = _described(app)  # type: ignore[method-assign]
    app.add_middleware(Paths, under=f"{PREFIX}/")
    app.add_middleware(Streams, streams=app.state.streams, farewells={f"{PREFIX}/events": b"event: end\ndata: {}\n\n"})
    app.add_middleware(Guard, access=access, larger=_larger(uploads))
    app.add_middleware(RequestCounter, metrics=app.state.metrics)
    return app


def _larger(uploads: int) -> dict[str, int]:
    limits = dict.fromkeys(("/files", "/figures/like", "/images/search"), uploads) | {"/export": NAMED}
    return {f"{PREFIX}{path}": size for path, size in limits.items()}


async def _impatient() -> None:
    """Who waits has one of the threads that all requests share."""
    job_context.wait_timeout.set(PATIENCE)


def _described(app: FastAPI) -> Callable[[], dict[str, Any]]:
    """The description of the API, with the records' own types among its schemas."""

    def describe() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = get_openapi(
                title=app.title, version=app.version, routes=app.routes, summary=_SUMMARY, tags=app.openapi_tags
            )
            document["components"]["schemas"] |= schemas()
            put_examples(document)
            app.openapi_schema = document
        return app.openapi_schema

    return describe


_SUMMARY = "Search, ask and read a library of papers, with every statement traceable to its sentence."
