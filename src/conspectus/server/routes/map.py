"""The points of the map, in binary."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query
from starlette.responses import Response

from conspectus.records.atlas import Mapped
from conspectus.server.exchange import TheLibrary, file
from conspectus.wire import encode

router = APIRouter(tags=["map"])


@router.get(
    "/map/points",
    response_class=Response,
    responses={**file("The columns.", "application/octet-stream"), 304: {"description": "They are what you have."}},
)
def map_points(
    library: TheLibrary,
    of: Annotated[Mapped, Query(description="What is mapped.")] = "papers",
    if_none_match: Annotated[str, Header(description="The `ETag` of those that you have", examples=[""])] = "",
) -> Response:
    """The points of the map as columns of numbers, 14 bytes a text.

    One column behind the other, all little-endian: x and y of each text (float32, float32), the number of its smallest
    region (int32), its year (int16; -1: not known). The `ETag` is the `state` of the map in quotes.
    """
    found = library.map.show(of=of, update=False)
    headers = {"etag": f'"{found.state}"', "cache-control": "private, no-cache"}
    if if_none_match == headers["etag"]:
        return Response(status_code=304, headers=headers)
    return Response(encode.map_points(found), media_type="application/octet-stream", headers=headers)
