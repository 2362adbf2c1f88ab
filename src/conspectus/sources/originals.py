"""The files that papers were read from, as long as they are what they were."""

from __future__ import annotations

from pathlib import Path

from conspectus.errors import InputError, NotFoundError
from conspectus.models.store import sha256
from conspectus.records import Paper


def pdf_of(paper: Paper, wanted: str = "") -> Path:
    """The paper's PDF, if it still has the bytes that were read; of several the one whose SHA-256 is `wanted`.

    Raises:
        InputError: the paper was not read from a PDF.
        NotFoundError: the file is no longer there or has other bytes.
    """
    pdfs = [file for file in paper.files if Path(file.path).suffix.lower() == ".pdf" and wanted in ("", file.sha256)]
    if not pdfs:
        raise InputError(
            f"'{paper.title}' was not read from pages, so there is none to show.", "Pictures are made of PDF files."
        )
    for file in pdfs:
        path = Path(file.path)
        if path.is_file() and sha256(path) == file.sha256:
            return path
    raise NotFoundError(
        f"The PDF of '{paper.title}' is no longer at {' or '.join(file.path for file in pdfs)}, or was changed.",
        "Put it back, or add it again from where it is now.",
    )
