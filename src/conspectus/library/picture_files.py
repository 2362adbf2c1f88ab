"""Which files the pictures of figures were when somebody looked, and of which papers they are others by now."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path

from conspectus.catalog.derivations import Row
from conspectus.catalog.figures import read_from
from conspectus.catalog.pictures import GIVEN_UP, PictureFile, files
from conspectus.catalog.rows import Document
from conspectus.library.figure_pictures import places
from conspectus.library.pictures import limits_of
from conspectus.library.session import Session
from conspectus.models.store import sha256
from conspectus.parse.picturing import beside, file_of
from conspectus.records import Figure


def notes_of(documents: Sequence[Document], figure: Figure) -> Iterator[Row]:
    """Of a figure that is no part of a page: what the files of its picture are now, as the catalog keeps it."""
    for document, one in places(documents, figure):
        if one.place is None and one.href:
            yield asdict(_now(document.path, one.href))


def given_up(session: Session) -> Row:
    """Of figures that took too long, or too much memory, to draw: what they were given."""
    return asdict(PictureFile("", "", GIVEN_UP, *_given(session)))


def changed(session: Session, *, failed: bool) -> list[int]:
    """The keys of papers, ascending, of which a picture was put beside the source, or is another one by now.

    What took too long is among them where it would be given more now, or else with `failed`. A picture that is gone is
    not, nor one whose source has not the bytes that were read: what it showed stays known.
    """
    given, names, found = _given(session), cache(_names_in), set[int]()
    for paper, was in files(session.catalog):
        if paper in found:
            continue
        if was.path == GIVEN_UP:
            other = failed or (was.size, was.mtime_ns) != given
        else:
            other = (_is_other(was) if was.path else _is_there_now(was, names)) and _is_as_read(session, was)
        if other:
            found.add(paper)
    return sorted(found)


def _given(session: Session) -> tuple[int, int]:
    limits = limits_of(session)
    return int(limits.seconds), int(limits.memory_mb)


def _now(source: str, href: str) -> PictureFile:
    path = file_of(Path(source), href)
    try:
        at = path.stat() if path else None
    except OSError:  # gone meanwhile
        at = None
    return PictureFile(source, href, str(path), at.st_size, at.st_mtime_ns) if at else PictureFile(source, href)


def _is_other(was: PictureFile) -> bool:
    try:
        at = os.stat(was.path)  # noqa: PTH116
    except OSError:
        return False
    return (at.st_size, at.st_mtime_ns) != (was.size, was.mtime_ns)


def _is_there_now(was: PictureFile, names: Callable[[str], Collection[str]]) -> bool:
    """One look at a folder serves all that are missing there."""
    folder, name = os.path.split(os.path.join(os.path.dirname(was.source), beside(was.href)))  # noqa: PTH118, PTH120
    near, name = names(folder), name.casefold()
    return (name in near or name.rpartition(".")[0] in near) and file_of(Path(was.source), was.href) is not None


def _is_as_read(session: Session, was: PictureFile) -> bool:
    try:
        return bool(read_from(session.catalog, [sha256(Path(was.source))]))
    except OSError:
        return False


def _names_in(folder: str) -> frozenset[str]:
    """The names of files there, with and without their endings."""
    try:
        names = [name.casefold() for name in os.listdir(folder)]  # noqa: PTH208
    except (OSError, ValueError):
        return frozenset()
    return frozenset([*names, *(name.rpartition(".")[0] for name in names)])
