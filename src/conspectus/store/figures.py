"""Figures and tables of papers, and what they show: pictures and panels, their kinds and vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Select, exists, func, select

from conspectus.records import PictureKind, Place, Rect
from conspectus.records.views import pick_fields
from conspectus.store.codec import known_word, unpack, unpack_halves
from conspectus.store.connection import CatalogReader
from conspectus.store.derivations import key_of
from conspectus.store.rows import StoredFigure
from conspectus.store.schema import derived, documents, figures, files, papers, picture_files, pictures


def figures_of_papers(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, tuple[StoredFigure, ...]]:
    """Paper key -> its figures and tables in their order; papers without are left out."""
    query = select(figures, papers.c.id.label("paper")).join(papers, papers.c.key == figures.c.paper_key)
    query = query.order_by(figures.c.paper_key, figures.c.ordinal)
    found: dict[int, tuple[StoredFigure, ...]] = {}
    for row in catalog.rows_where(query, figures.c.paper_key, paper_keys):
        place = None if row.box is None else Place(row.page, unpack(row.box, Rect, "where a figure stands"))
        names = tuple(
            f"{row.paper}.{name}" for name in unpack(row.mentions, tuple[str, ...], "what speaks of a figure")
        )
        figure = StoredFigure(
            f"{row.paper}.{row.id}", row.name, row.kind, row.label, row.caption, place, names, row.key
        )
        found[row.paper_key] = (*found.get(row.paper_key, ()), figure)
    return found


def files_with_papers(catalog: CatalogReader, hashes: Sequence[str]) -> set[str]:
    """Which of the files with these hashes papers were read from."""
    query = select(files.c.sha256).where(exists().where(documents.c.file_key == files.c.key))
    return {row.sha256 for row in catalog.rows_where(query, files.c.sha256, hashes)}


@dataclass(frozen=True, slots=True)
class StoredPicture:
    """A figure's picture, or a panel of it.

    Attributes:
        figure: the figure's id.
        number: 0 for the whole; panels count from 1.
        label: a panel's (`a`).
        caption: the part of the figure's that speaks of the panel.
        box: x0, y0, x1, y1 in the figure, in parts of its width and height; None: all of it.
        kind: what it is; None where that is not clear.
        probability: of that.
        words: those that stand in the picture.
        recognised: whether they were read from it by OCR, and may be wrong.
        key: in the catalog.
    """

    figure: str
    number: int
    label: str
    caption: str
    box: Rect | None
    kind: PictureKind | None
    probability: float
    words: str
    recognised: bool
    key: int


@dataclass(frozen=True, slots=True)
class PictureFile:
    """What a figure's picture was when somebody looked.

    Attributes:
        source: the file that the figure was read from.
        href: what that calls the picture; "": the picture is a part of a page.
        path: the picture's file; "": it was not there; `GIVEN_UP`: drawing it took too long, or too much memory.
        size: bytes of the file; seconds that drawing might take.
        mtime_ns: its time of change; megabytes that drawing might take.
    """

    source: str
    href: str
    path: str = ""
    size: int = 0
    mtime_ns: int = 0


GIVEN_UP = "?"
"""In the place of a file's path."""
_BATCH = 2000


@dataclass(frozen=True, slots=True)
class PictureVectors:
    """The vectors of all pictures: whose they are, and of which papers; float16 [pictures, dimensions]."""

    keys: npt.NDArray[np.int64]
    papers: npt.NDArray[np.int64]
    matrix: npt.NDArray[np.float16]


def pictures_of_papers(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, tuple[StoredPicture, ...]]:
    """Paper key -> the pictures of its figures, each whole before its panels; papers without are left out."""
    names = [column for column in pictures.columns if column.name != "vector"]
    query = select(*names, papers.c.id.label("paper")).join(papers, papers.c.key == pictures.c.paper_key)
    query = query.order_by(pictures.c.paper_key, pictures.c.figure, pictures.c.number)
    found: dict[int, tuple[StoredPicture, ...]] = {}
    for row in catalog.rows_where(query, pictures.c.paper_key, paper_keys):
        found[row.paper_key] = (*found.get(row.paper_key, ()), _picture(row))
    return found


def _picture(row: Any) -> StoredPicture:
    box = None if row.box is None else unpack(row.box, Rect, "where a panel stands")
    kind = known_word(row.kind, PictureKind, "what a figure shows") if row.kind else None
    said = pick_fields(row, "number", "label", "caption", "probability", "words", "recognised", "key")
    return StoredPicture(figure=f"{row.paper}.{row.figure}", box=box, kind=kind, **said)


def picture_words(catalog: CatalogReader) -> Iterator[tuple[int, str]]:
    """(key, the words that stand in it) of each picture that has any."""
    query = select(pictures.c.key, pictures.c.words).where(pictures.c.words != "")
    return ((row.key, row.words) for row in catalog.rows(query.order_by(pictures.c.key)))


def figures_of_pictures(catalog: CatalogReader, keys: Sequence[int]) -> dict[int, tuple[int, str]]:
    """Key of a picture -> that of its paper, and its figure's id."""
    query = select(pictures.c.key, pictures.c.paper_key, pictures.c.figure, papers.c.id.label("paper"))
    query = query.join(papers, papers.c.key == pictures.c.paper_key)
    rows = catalog.rows_where(query, pictures.c.key, keys)
    return {row.key: (row.paper_key, f"{row.paper}.{row.figure}") for row in rows}


def picture_vectors(catalog: CatalogReader, name: str, version: str, dimensions: int) -> PictureVectors:
    """The vectors of all pictures that a version of a derivation has made.

    Raises:
        LibraryDamagedError: one is not of so many numbers.
    """
    query: Select[Any] = select(pictures.c.key, pictures.c.paper_key, pictures.c.vector)
    rows = catalog.rows(_by_derivation(query.order_by(pictures.c.key), catalog, name, version))
    matrix = unpack_halves([row.vector for row in rows], dimensions, "a figure's vector")
    keys, owners = (np.array([row[column] for row in rows], np.int64) for column in (0, 1))
    return PictureVectors(keys, owners, matrix)


def sample_vectors(
    catalog: CatalogReader, name: str, version: str, limit: int
) -> Iterator[tuple[str, npt.NDArray[np.float16]]]:
    """(figure id, vector of its whole picture) of the first that a version of a derivation has looked at."""
    query: Select[Any] = select(pictures.c.figure, pictures.c.vector, papers.c.id.label("paper"))
    query = _by_derivation(query.join(papers, papers.c.key == pictures.c.paper_key), catalog, name, version)
    rows = catalog.rows(query.where(pictures.c.number == 0).order_by(pictures.c.key).limit(limit))
    return ((f"{row.paper}.{row.figure}", np.frombuffer(row.vector, "<f2")) for row in rows)


def count_odd_vectors(catalog: CatalogReader, name: str, version: str, dimensions: int) -> int:
    """How many vectors that a version of a derivation has made are not of so many numbers."""
    query = select(func.count()).select_from(pictures).where(func.length(pictures.c.vector) != 2 * dimensions)
    return int(catalog.scalar(_by_derivation(query, catalog, name, version)))


def _by_derivation(query: Select[Any], catalog: CatalogReader, name: str, version: str) -> Select[Any]:
    """Of papers that a version of a derivation has looked at."""
    query = query.join(derived, derived.c.paper_key == pictures.c.paper_key)
    return query.where(derived.c.derivation_key == key_of(catalog, name, version))


def list_picture_files(catalog: CatalogReader) -> Iterator[tuple[int, PictureFile]]:
    """(paper key, file) of all pictures that were looked at and are no part of a page, and of those that were not."""
    names = ("source", "href", "path", "size", "mtime_ns")
    for rows in catalog.pages(select(picture_files), picture_files.c.key, 0, _BATCH):
        yield from ((row.paper_key, PictureFile(**pick_fields(row, *names))) for row in rows)


def pictures_state(catalog: CatalogReader) -> tuple[int, int]:
    """The newest key of a picture, and how many there are: otherwise than before where any was made, or went."""
    newest = func.coalesce(func.max(pictures.c.key), 0)
    (row,) = catalog.rows(select(newest.label("newest"), func.count().label("number")).select_from(pictures))
    return row.newest, row.number


def picture_vector(catalog: CatalogReader, figure: str, name: str, version: str) -> npt.NDArray[np.float16] | None:
    """The vector of a figure's whole picture; None where no such version of a derivation has looked at it.

    Raises:
        LibraryDamagedError: it has what is no number.
    """
    paper, _, own = figure.partition(".")
    query = select(pictures.c.vector).join(papers, papers.c.key == pictures.c.paper_key)
    query = query.join(derived, derived.c.paper_key == papers.c.key)
    query = query.where(derived.c.derivation_key == key_of(catalog, name, version), papers.c.id == paper)
    raw = catalog.scalar(query.where(pictures.c.figure == own, pictures.c.number == 0))
    return None if raw is None else unpack_halves([raw], len(raw) // 2, "a figure's vector")[0]


def count_without_pictures(catalog: CatalogReader, name: str, version: str) -> int:
    """How many papers have figures that no such version of a derivation was made of."""
    return int(catalog.scalar(select(func.count()).select_from(_without_pictures(catalog, name, version).subquery())))


def papers_without_pictures(catalog: CatalogReader, name: str, version: str, after: int, limit: int) -> list[int]:
    """The keys of the first of these papers after a key, ascending."""
    query = _without_pictures(catalog, name, version).where(papers.c.key > after).order_by(papers.c.key).limit(limit)
    return [row.key for row in catalog.rows(query)]


def _without_pictures(catalog: CatalogReader, name: str, version: str) -> Select[Any]:
    has = exists().where(
        derived.c.paper_key == papers.c.key, derived.c.derivation_key == key_of(catalog, name, version)
    )
    return select(papers.c.key).where(exists().where(figures.c.paper_key == papers.c.key), ~has)
