"""The page at `/`: the bundle that the wheel carries, or, where it has none, what there is instead."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route

from conspectus.server.problems import refusal

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request

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


def install(app: FastAPI, folder: Path = BUNDLE) -> None:
    """Serve the bundle in `folder`; every other path that is none of the API's is the page's own, and opens it."""
    index, whole = folder / "index.html", folder.resolve()

    def answer(request: Request) -> Response:
        path = request.path_params["path"]
        if path.startswith("api/"):
            return refusal(404, f"There is no '/{path}'.", "The API's description: /api/v1/openapi.json")
        if not index.is_file():
            return HTMLResponse(_MISSING) if not path else refusal(404, f"There is no '/{path}'.")
        asked = whole if "\0" in path else (whole / path).resolve()
        if "\0" in path or not asked.is_relative_to(whole) or (path.startswith("assets/") and not asked.is_file()):
            return refusal(404, "There is no such page.")
        if path and asked.is_file():
            forever = {"cache-control": "public, max-age=31536000, immutable"} if "assets/" in path else {}
            return FileResponse(asked, headers=forever)
        return FileResponse(index, headers={"cache-control": "no-cache"})

    app.router.routes.append(Route("/{path:path}", answer, methods=["GET", "HEAD"]))
