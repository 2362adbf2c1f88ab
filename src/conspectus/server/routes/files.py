"""Adding files: uploads are kept in the library's folder, and read there by a job."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from pathlib import Path
from typing import Annotated, BinaryIO

from fastapi import APIRouter, File, UploadFile
from starlette.responses import Response

from conspectus.core.characters import line
from conspectus.core.errors import UsageError
from conspectus.library import Library
from conspectus.server.exchange import BEGAN, TheBoard, TheLibrary, answers, begun, said
from conspectus.wire import bodies, encode

router = APIRouter(tags=["files"])
FOLDER = "files"
"""Of the library: where uploads are kept."""
_COPY = 2**20
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')


@router.post("/files", status_code=202, responses=BEGAN)
def upload(
    library: TheLibrary,
    board: TheBoard,
    file: Annotated[list[UploadFile], File(description="PDF, HTML, LaTeX, DOCX, EPUB, BibTeX, JSON Lines …")],
) -> Response:
    """Add files: a job. They are on the disk by then, and are read when the server starts again, if not now."""
    names = [safe_name(one.filename or "") for one in file]  # all of them before any file is kept
    kept = [keep(library, one.file, name) for one, name in zip(file, names, strict=True)]
    return begun(board.begin(library.add, kept))


@router.get("/files", responses=answers("The ledger.", bodies.STATUS))
def list_files(library: TheLibrary, *, failed: bool = False) -> Response:
    """What became of each file that was added."""
    return said("status", encode.status(library.status(), failed_only=failed))


@router.post("/files/retry", status_code=202, responses=BEGAN)
def retry_files(library: TheLibrary, board: TheBoard, *, everything: bool = False) -> Response:
    """Read again the files that failed where that can help: a job."""
    return begun(board.begin(library.retry, everything=everything))


def keep(library: Library, source: BinaryIO, name: str) -> Path:
    """A file's copy in the library's folder, whole and on the disk; the same bytes of the same name are kept once."""
    folder = library.folder / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    part = folder / f".{secrets.token_hex(8)}.part"
    digest = hashlib.sha256()
    try:
        with part.open("xb") as copy:
            while block := source.read(_COPY):
                digest.update(block)
                copy.write(block)
            copy.flush()
            os.fsync(copy.fileno())
        place = folder / digest.hexdigest()[:16] / name
        place.parent.mkdir(mode=0o700, exist_ok=True)
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)
    return place


def safe_name(name: str) -> str:
    """The last part of a name, without what a file system or a terminal would take for more.

    Raises:
        UsageError: nothing is left of it.
    """
    stem, dot, ending = line(_UNSAFE.sub(" ", name.replace("\\", "/").rpartition("/")[2])).strip(" .").rpartition(".")
    found = f"{_cut(stem, 150)}{dot}{_cut(ending, 20)}" if dot else _cut(ending, 150)
    if not found.strip(" ."):
        raise UsageError(f"'{line(name)}' is no name of a file.", "Rename the file.")
    return found


def _cut(text: str, most: int) -> str:
    """So much of a part of a name that the whole has at most 255 bytes."""
    return text[:most].encode(errors="ignore")[: most * 4 // 3].decode(errors="ignore")


def unread(library: Library) -> list[Path]:
    """Uploads that no job has read to the end: the server ended before. What links lead to is none."""
    folder = library.folder / FOLDER
    if not folder.is_dir() or folder.is_symlink():
        return []
    for part in folder.glob(".*.part"):
        part.unlink(missing_ok=True)
    known = {row.path for row in library.status().files if row.state != "queued"}
    real = [one for one in sorted(folder.iterdir()) if one.is_dir() and not one.is_symlink()]
    kept = [one for each in real for one in sorted(each.iterdir()) if one.is_file() and not one.is_symlink()]
    return [place for place in kept if str(place) not in known]
