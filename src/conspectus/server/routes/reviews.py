"""Tables and reports of reviews as files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from conspectus.server.exchange import TheLibrary, file

router = APIRouter(tags=["review"])
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
    response_class=FileResponse,
    responses=file("All rows.", *(TYPES[one] for one in ("csv", "xlsx", "html", "md"))),
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
    response_class=FileResponse,
    responses=file("The report, or the papers that it cites.", *dict.fromkeys(TYPES[one] for one in REPORTED)),
)
def get_report_file(
    library: TheLibrary, name: str, to: Literal["md", "html", "tex", "docx", "bib", "ris", "csv"] = "md"
) -> Response:
    """A report as a file; as `bib`, `ris` and `csv` the papers that it cites."""
    return _file(f"report.{to}", lambda place: library.review.report_show(name, to=to, output=place))


def _file(name: str, write: Callable[[str], object]) -> Response:
    """What is written to a path, sent under a name."""
    ending = name.rpartition(".")[2]
    with tempfile.NamedTemporaryFile(delete=False, suffix=f".{ending}") as held:
        place = Path(held.name)
    try:
        write(str(place))
    except BaseException:
        place.unlink()
        raise
    return FileResponse(place, media_type=TYPES[ending], filename=name, background=BackgroundTask(place.unlink))
