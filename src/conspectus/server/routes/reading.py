"""A paper on the screen: its pages, what stands on them, its outline, finding words in it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from starlette.responses import Response

from conspectus.server.exchange import TheLibrary, answers, said
from conspectus.wire import bodies, encode

router = APIRouter(tags=["papers"])


@router.get("/papers/{name:name}/pages", responses=answers("Its pages.", bodies.PAGES))
def get_pages(library: TheLibrary, name: str) -> Response:
    """How large the pages of a paper's PDF are."""
    return said("pages", {"pages": encode.plain(library.pages(name))})


@router.get("/papers/{name:name}/pages/{page}/text", responses=answers("What stands on it.", bodies.PAGE_TEXT))
def get_page_text(library: TheLibrary, name: str, page: Annotated[int, InPath(le=10**9)]) -> Response:
    """What stands on a page, line by line in reading order, to be laid over its picture."""
    return said("page-text", encode.plain(library.page_text(name, page)))


@router.get("/papers/{name:name}/outline", responses=answers("Its headings.", bodies.OUTLINE))
def get_outline(library: TheLibrary, name: str) -> Response:
    """A paper's headings in reading order, with their levels."""
    return said("outline", {"headings": encode.plain(library.outline(name))})


@router.get("/papers/{name:name}/find", responses=answers("The sentences.", bodies.FOUND))
def find_in_paper(
    library: TheLibrary, name: str, q: Annotated[str, Query(max_length=500, examples=["theta rhythm"])]
) -> Response:
    """The sentences of a paper in which words stand together; case and accents do not count."""
    return said("find", {"words": q, "found": encode.plain(library.find(name, q))})
