"""Adding files: uploads are kept in the library's folder, and read there by a job."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, File, Query, UploadFile
from starlette.responses import Response

from conspectus.server.exchange import BEGAN, FAILED, TheBoard, TheLibrary, accepted, served
from conspectus.server.inbox import Inbox, safe_name

router = APIRouter(tags=["files"])


TheInbox = Annotated[Inbox, served("inbox")]


@router.post("/files", status_code=202, responses=BEGAN)
def upload(
    board: TheBoard,
    inbox: TheInbox,
    file: Annotated[list[UploadFile], File(description="PDF, HTML, LaTeX, DOCX, EPUB, BibTeX, JSON Lines …")],
) -> Response:
    """Add files: a job. They are on the disk by then, and are read when the server starts again, if not now."""
    names = [safe_name(sent_file.filename or "") for sent_file in file]  # all of them before any file is kept
    paths: list[Path] = []
    try:
        for sent_file, name in zip(file, names, strict=True):
            paths.append(inbox.keep(sent_file.file, name))
    except BaseException:
        inbox.settle(paths, drop=True)
        raise
    return accepted(inbox.read(board, paths))


@router.post("/files/retry", status_code=202, responses=BEGAN)
def retry_files(
    library: TheLibrary,
    board: TheBoard,
    path: Annotated[list[str], Query(description="These files alone, whatever their reasons")] = [],  # noqa: B006
    *,
    everything: bool = False,
) -> Response:
    """Read again the files that failed where that can help: a job."""
    return accepted(board.begin(library.retry, everything=everything, paths=path))


@router.delete("/files", status_code=204, responses={204: {"description": "They are forgotten."}, **FAILED})
def forget_files(
    library: TheLibrary,
    inbox: TheInbox,
    path: Annotated[list[str], Query(description="Files as `status` lists them", min_length=1, max_length=1000)],
) -> Response:
    """Forget files of which no paper is made, those that failed for example. Copies made by an upload are deleted."""
    inbox.discard([Path(row.path) for row in library.forget(path)])
    return Response(status_code=204)
