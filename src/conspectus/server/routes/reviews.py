"""Tables of reviews as files."""

from __future__ import annotations

import tempfile
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
}


@router.get(
    "/reviews/tables/{name:one}/file",
    response_class=FileResponse,
    responses=file("All rows.", *TYPES.values()),
)
def get_table_file(
    library: TheLibrary,
    name: str,
    to: Literal["csv", "xlsx", "html", "md"] = "csv",
    sort: Annotated[str, Query(description="A column, -COLUMN from high to low")] = "",
    where: Annotated[list[str], Query(description="Only rows whose cell meets this")] = [],  # noqa: B006
) -> Response:
    """A table as a file: all rows that meet the conditions."""
    with tempfile.NamedTemporaryFile(delete=False, suffix=f".{to}") as held:
        place = Path(held.name)
    try:
        library.review.table_show(name, sort=sort, where=tuple(where), limit=0, to=to, output=str(place))
    except BaseException:
        place.unlink()
        raise
    done = BackgroundTask(place.unlink)
    return FileResponse(place, media_type=TYPES[to], filename=f"table.{to}", background=done)
