"""Finding papers: search, count, similar, the kind of a question."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import Field
from starlette.responses import Response

from conspectus.records import Use
from conspectus.server.exchange import Body, TheFilters, TheLibrary, answers, said
from conspectus.wire import bodies, encode

router = APIRouter(tags=["finding"])
K = Annotated[int | None, Query(ge=1, le=1000, description="How many papers; else the setting `search.k`")]
Q = Annotated[str, Query(description="Words, with signs, or a question", examples=["grid cells author:moser"])]
_WEIGHTS = Literal["keywords", "recency", "citations"]


def ranking(
    weight: Annotated[list[_WEIGHTS], Query(description="Prefer papers by this")] = [],  # noqa: B006
    weighting: Literal["additive", "published", ""] = "",
    expand: Literal["no", "feedback", "hyde", "rephrase", ""] = "",
    graph: Annotated[
        Literal["no", "subgraph", "pagerank", "auto", ""], Query(description="By the entities named, too")
    ] = "",
    mmr: Annotated[float | None, Query(ge=0, le=1, description="Below 1: prefer papers unlike those above")] = None,
    *,
    outliers: Annotated[bool, Query(description="Say which papers are far from the others found")] = False,
) -> dict[str, Any]:
    """Settings of one search."""
    chosen: dict[str, Any] = {f"search.{name}": True for name in (*weight, *(["outliers"] if outliers else []))}
    named = (("weighting", weighting), ("expand", expand), ("graph", graph))
    chosen |= {f"search.{name}": value for name, value in named if value}
    return chosen if mmr is None else {**chosen, "search.mmr": mmr}


@router.get("/search", responses=answers("The papers that fit best.", bodies.SEARCH))
def search(
    library: TheLibrary,
    filters: TheFilters,
    settings: Annotated[dict[str, Any], Depends(ranking)],
    q: Q,
    k: K = None,
    use: Annotated[Use | Literal[""], Query(description="Papers' own passages, summaries, or both")] = "",
    prefer: Annotated[list[str], Query(description="Keywords that papers are preferred for")] = [],  # noqa: B006
    *,
    auto: Annotated[bool, Query(description="Take the settings that suit the kind of question")] = False,
    plain: Annotated[bool, Query(description="Take all signs for text")] = False,
) -> Response:
    """The papers that fit words or a question best, each with its best passage."""
    found = library.search(q, k, filters, use=use, prefer=prefer, auto=auto, plain=plain, settings=settings)
    return said("search", encode.body(found))


@router.get("/count", responses=answers("How many papers have all the words.", bodies.COUNT))
def count(library: TheLibrary, filters: TheFilters, q: Q = "", *, plain: bool = False) -> Response:
    """How many papers have a passage with all the words; without words, those that pass the filters."""
    return said("search", {"query": q, "count": encode.plain(library.count(q, filters, plain=plain))})


@router.get("/facets", responses=answers("How many papers there are of each.", bodies.FACETS))
def facets(
    library: TheLibrary, filters: TheFilters, q: Q = "", most: Annotated[int, Query(ge=1, le=200)] = 20
) -> Response:
    """How many papers there are of each year, venue, keyword, language and kind of text.

    Without words of all papers that pass the filters; with words of the 300 best that are found (`best`).
    """
    return said("facets", encode.plain(library.facets(q, filters, most=most)))


@router.get("/similar", responses=answers("The papers nearest in meaning.", bodies.SIMILAR))
def similar(
    library: TheLibrary,
    filters: TheFilters,
    paper: Annotated[list[str], Query(description="Papers, by any names")] = [],  # noqa: B006
    text: Annotated[str | None, Query(description="A title or an abstract to compare with")] = None,
    k: K = None,
) -> Response:
    """The papers nearest to papers of the library, or to a text."""
    return said("similar", encode.body(library.similar(paper, text=text, k=k, filters=filters)))


class Compared(Body):
    """What papers are compared with."""

    papers: list[str] = Field([], max_length=1000, description="By any names", examples=[["10.1038/nature03721"]])
    text: str | None = Field(None, description="A title or an abstract")
    k: int | None = Field(None, ge=1, le=1000)


@router.post("/similar", responses=answers("The papers nearest in meaning.", bodies.SIMILAR))
def similar_to(library: TheLibrary, filters: TheFilters, asked: Compared) -> Response:
    """As `GET /similar`, of more papers, or a longer text, than an address can name; it changes nothing."""
    found = library.similar(asked.papers, text=asked.text, k=asked.k, filters=filters)
    return said("similar", encode.body(found))


@router.get("/route", responses=answers("What kind of question it is, and what suits it.", bodies.ROUTE))
def route(library: TheLibrary, q: Q) -> Response:
    """What kind of question it is, and which settings suit it."""
    return said("route", encode.plain(library.route(q)))
