"""The map: where the library's texts stand, and the regions that they make."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query
from pydantic import Field
from starlette.responses import Response

from conspectus.records.atlas import Mapped, NamingMethod, ProjectionMethod, RegionMethod
from conspectus.records.filters import asked_years
from conspectus.server.exchange import BEGAN, Body, Level, TheBoard, TheLibrary, answers, begun, file, given, said
from conspectus.wire import bodies, encode

router = APIRouter(tags=["map"])
TEXTS = "/map/texts"
"""Asked by POST because of how much is asked."""
Of = Annotated[Mapped, Query(description="What is mapped")]
OfYears = Annotated[str, Query(description="Only of `2005..2015`, `2010`, `2005..` or `..2015`", examples=[""])]
MAP = answers("The map.", bodies.MAP)
given(bodies.MAP)


@router.get("/map", responses=MAP)
def read_map(
    library: TheLibrary,
    of: Of = "papers",
    *,
    points: Annotated[bool, Query(description="A place for each text")] = True,
) -> Response:
    """The map as it was made last."""
    return said("map.show", encode.atlas(library.atlas(of, make=False), points=points))


@router.get(
    "/map/points",
    response_class=Response,
    responses={**file("The columns.", "application/octet-stream"), 304: {"description": "They are what you have."}},
)
def map_points(
    library: TheLibrary,
    of: Of = "papers",
    if_none_match: Annotated[str, Header(description="The `ETag` of those that you have", examples=[""])] = "",
) -> Response:
    """The points of the map as columns of numbers, 14 bytes a text.

    One column behind the other, all little-endian: x and y of each text (float32, float32), the number of its smallest
    region (int32), its year (int16; -1: not known). The `ETag` is the `state` of the map in quotes.
    """
    found = library.atlas(of, make=False)
    headers = {"etag": f'"{found.state}"', "cache-control": "private, no-cache"}
    if if_none_match == headers["etag"]:
        return Response(status_code=304, headers=headers)
    return Response(encode.map_points(found), media_type="application/octet-stream", headers=headers)


class Texts(Body):
    """Which texts of the map."""

    rows: list[int] = Field(max_length=10_000, description="their numbers in its columns, from 0 on", examples=[[0, 1]])
    of: Mapped = Field("papers", description="which map")
    state: str = Field("", max_length=100, description="of the map that has the numbers; else as it is", examples=[""])


@router.post(TEXTS, responses=answers("The texts.", bodies.MAP_TEXTS))
def map_texts(library: TheLibrary, asked: Texts) -> Response:
    """What some texts of the map are, by their numbers in its columns."""
    return said("map.texts", {"texts": encode.plain(library.map_texts(**asked.model_dump()))})


class Mapping(Body):
    """How the map is made."""

    of: Mapped = Field("papers", description="what is mapped")
    method: ProjectionMethod | None = Field(None, description="how texts are brought into the plane")
    regions: RegionMethod | None = Field(None, description="how the regions are made")
    refit: bool = Field(False, examples=[True], description="Fit it again, beginning where the texts stand")


@router.post("/map", status_code=202, responses=BEGAN)
def make_map(library: TheLibrary, board: TheBoard, asked: Mapping) -> Response:
    """Make the map, or put what is new on it: a job."""
    return begun(board.begin(library.atlas, **asked.model_dump()))


@router.get("/map/topics", responses=answers("The regions.", bodies.TOPICS))
def list_topics(
    library: TheLibrary,
    of: Of = "papers",
    level: Level = 1,
    region: Annotated[int | None, Query(description="Only this one, and those within it")] = None,
    year: OfYears = "",
) -> Response:
    """The regions of a level, the largest first, with how they grow, and papers of theirs."""
    found = library.topics(region, of=of, level=level, year=asked_years(year), make=False)
    return said("map.topics", {"topics": encode.plain(found)})


class NamingAll(Body):
    """How all regions are named."""

    by: NamingMethod = Field(examples=["vocabulary"], description="after phrases or concepts, or by a language model")
    of: Mapped = Field("papers", description="which map")
    vocabulary: str = Field("", max_length=200, description="whose concepts; empty: of all", examples=["UAT"])
    language: str = Field("", max_length=60, description="of a model's names; empty: English", examples=["German"])
    model: str = Field("", max_length=200, description="instead of the one of the settings", examples=[""])


@router.post("/map/names", status_code=202, responses=BEGAN)
def name_regions(library: TheLibrary, board: TheBoard, asked: NamingAll) -> Response:
    """Name all regions but those that a user named: a job."""
    return begun(board.begin(library.name_regions, **asked.model_dump()))


class Naming(Body):
    """What a region is called."""

    name: str = Field(max_length=200, description="empty: as it was called before", examples=["solar cells"])


@router.put("/map/regions/{number}", responses=answers("The region.", bodies.REGION))
def name_region(library: TheLibrary, number: int, asked: Naming) -> Response:
    """Call a region otherwise."""
    return said("map.name", {"region": encode.plain(library.name_region(number, asked.name))})


@router.get("/map/overlay", responses=answers("The overlay.", bodies.OVERLAY))
def overlay(
    library: TheLibrary,
    name: Annotated[str, Query(max_length=2000, description="`year`, `keyword:…`, `query:…` …", examples=["year"])],
    of: Of = "papers",
    since: Annotated[int | None, Query(ge=1, le=9999, description="From this year on, against before")] = None,
    year: OfYears = "",
) -> Response:
    """A value for each text of the map, in the order of its points, and what that is in each region.

    `state` is that of the map, as `/map` and the `ETag` of `/map/points` have it: the values are of no other points.
    """
    found = library.overlay(name, of=of, since=since, year=asked_years(year))
    return said("map.overlay", encode.body(found))


@router.get("/gaps", responses=answers("Regions, those without a review first.", bodies.GAPS))
def gaps(
    library: TheLibrary,
    level: Level = 1,
    year: OfYears = "",
) -> Response:
    """Regions of the map without a review, and those whose last one is old, the large and growing first."""
    return said("map.gaps", {"regions": encode.plain(library.gaps(level=level, year=asked_years(year), make=False))})


@router.get("/trends", responses=answers("Papers by years.", bodies.TREND))
def trends(
    library: TheLibrary,
    words: Annotated[str, Query(max_length=2000, description="That papers have", examples=["JWST"])] = "",
    topic: Annotated[int | None, Query(description="Of a region of the map")] = None,
    author: Annotated[str, Query(max_length=200, description="Of the papers by somebody", examples=[""])] = "",
    year: OfYears = "",
) -> Response:
    """How many papers have words, are of a region or by an author, by years, with 95 % intervals."""
    found = library.trends(words, topic=topic, author=author, year=asked_years(year), make=False)
    return said("map.trends", encode.plain(found))


@router.get("/impact", responses=answers("How far words have spread.", bodies.IMPACT))
def impact(
    library: TheLibrary,
    words: Annotated[str, Query(min_length=1, max_length=2000, description="That papers have", examples=["Kepler"])],
    year: OfYears = "",
) -> Response:
    """How many papers have words, since when, in which regions of the map, and over how many these spread."""
    return said("map.impact", encode.plain(library.impact(words, year=asked_years(year), make=False)))
