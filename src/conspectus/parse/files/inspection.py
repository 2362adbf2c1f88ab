"""One file read as `add` would read it, to look at what was made of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from conspectus.core.errors import ConspectusError, EmptyTextError, InputError, ServiceAwayError
from conspectus.parse.process.pool import Limits, ParsePool, ReadingJob
from conspectus.parse.protocol import BadRecord
from conspectus.parse.registry import GrobidReader, PdfReader, reader_for
from conspectus.records import ParsedPaper

MOST = 20
"""So many papers of a file of records are looked at."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """The first papers of a file, and notes on records that could not be read."""

    reader: str
    papers: tuple[ParsedPaper, ...]
    notes: tuple[str, ...] = ()
    more: bool = False


def inspect_file(
    path: Path,
    limits: Limits,
    *,
    ocr: bool = False,
    grobid: GrobidReader | None = None,
    embedded: bool = False,
    most: int = MOST,
) -> Inspected:
    """What the file's reader makes of it, in a child process with limits on time and memory.

    With `ocr` pages of a PDF that are pictures are recognised. With `grobid` that reads a PDF; when its server is away,
    the embedded reader does where `embedded` says so. At most `most` papers are looked at.

    Raises:
        InputError: The file is missing, damaged or of a kind that cannot be read (also its subclasses).
        LimitError: Reading took longer or more memory than `limits` say.
        ServiceAwayError: The server is away.
    """
    if path.is_dir():
        raise InputError(f"'{path}' is a folder.", "Name a file in it: one is inspected at a time.")
    if not path.is_file():
        raise InputError(f"There is no file '{path}'.", "Check its name.")
    reader = reader_for(path, ocr=ocr)
    if grobid is None or not isinstance(reader, PdfReader):
        return _inspected(path, limits, reader.name, reader.name, most)
    try:
        longer = replace(limits, seconds=limits.seconds + grobid.patience)
        return _inspected(path, longer, grobid.name, grobid.order, most)
    except ServiceAwayError as error:
        if not embedded:
            raise
        inspection = _inspected(path, limits, reader.name, reader.name, most)
        return replace(
            inspection, notes=(f"{error.message} The file was read by the embedded reader.", *inspection.notes)
        )


def _inspected(path: Path, limits: Limits, name: str, order: str, most: int) -> Inspected:
    papers: list[ParsedPaper] = []
    notes: list[str] = []
    error: ConspectusError | None = None
    with ParsePool(1, limits) as pool:
        for batch in pool.run([ReadingJob(str(path.absolute()), order)]):
            for item in batch.items:
                if isinstance(item, BadRecord):
                    notes.append(f"{item.where}: {item.reason}")
                else:
                    papers.append(item)
            error = batch.error or error
            if len(papers) > most:
                break
    if error is not None:
        raise error
    if not papers:
        raise EmptyTextError(f"There is no paper in '{path.name}'.", "; ".join(notes[:3]))
    return Inspected(name, tuple(papers[:most]), tuple(notes[:most]), len(papers) > most)
