"""What is sent as a file: small pictures of images, the points of the map, feedback, tables and reports of reviews."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from conspectus.records.atlas import Mapped
from conspectus.server.exchange import TheLibrary, file
from conspectus.wire import encode

router = APIRouter()


@router.get(
    "/images/{image}.jpg", tags=["images"], response_class=Response, responses=file("The small picture.", "image/jpeg")
)
def image_thumbnail(library: TheLibrary, image: str) -> Response:
    """A small picture of an image, at most 160 × 160 pixels."""
    headers = {"cache-control": "private, no-cache"}
    return Response(library.images.thumbnail(image), media_type="image/jpeg", headers=headers)


@router.get(
    "/map/points",
    tags=["map"],
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
    map_view = library.map.show(of=of, update=False)
    headers = {"etag": f'"{map_view.state}"', "cache-control": "private, no-cache"}
    if if_none_match == headers["etag"]:
        return Response(status_code=304, headers=headers)
    return Response(encode.map_points(map_view), media_type="application/octet-stream", headers=headers)


_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}


@router.get(
    "/feedback/export", tags=["curation"], response_class=Response, responses=file("The file.", *_TYPES.values())
)
def export_feedback(
    library: TheLibrary, to: Annotated[Literal["csv", "jsonl"], Query(alias="format")] = "csv"
) -> Response:
    """All feedback on answers, each entry with the words that it is about, as a file."""
    text = library.answers.export_feedback(to=to).text
    headers = {"content-disposition": f'attachment; filename="feedback.{to}"'}
    return Response(text, headers=headers, media_type=_TYPES[to])


TYPES = {
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "html": "text/html",
    "md": "text/markdown",
    "tex": "application/x-tex",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "bib": "text/plain",
    "ris": "text/plain",
}

REPORTED = ("md", "html", "tex", "docx", "bib", "ris", "csv")


@router.get(
    "/reviews/tables/{name:one}/file",
    tags=["review"],
    response_class=FileResponse,
    responses=file("All rows.", *(TYPES[ending] for ending in ("csv", "xlsx", "html", "md"))),
)
def get_table_file(
    library: TheLibrary,
    name: str,
    to: Literal["csv", "xlsx", "html", "md"] = "csv",
    sort: Annotated[str, Query(description="A column, -COLUMN from high to low")] = "",
    where: Annotated[list[str], Query(description="Only rows whose cell meets this")] = [],  # noqa: B006
) -> Response:
    """A table as a file: all rows that meet the conditions."""

    def write(place: str) -> object:
        return library.review.table_show(name, sort=sort, where=tuple(where), limit=0, to=to, output=place)

    return _file(f"table.{to}", write)


@router.get(
    "/reviews/reports/{name:one}/file",
    tags=["review"],
    response_class=FileResponse,
    responses=file("The report, or the papers that it cites.", *dict.fromkeys(TYPES[ending] for ending in REPORTED)),
)
def get_report_file(
    library: TheLibrary, name: str, to: Literal["md", "html", "tex", "docx", "bib", "ris", "csv"] = "md"
) -> Response:
    """A report as a file; as `bib`, `ris` and `csv` the papers that it cites."""
    return _file(f"report.{to}", lambda place: library.review.report_show(name, to=to, output=place))


def _file(name: str, write: Callable[[str], object]) -> Response:
    """What is written to a path, sent under a name."""
    ending = name.rpartition(".")[2]
    with tempfile.NamedTemporaryFile(delete=False, suffix=f".{ending}") as temp_file:
        place = Path(temp_file.name)
    try:
        write(str(place))
    except BaseException:
        place.unlink()
        raise
    return FileResponse(place, media_type=TYPES[ending], filename=name, background=BackgroundTask(place.unlink))
