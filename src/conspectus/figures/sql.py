"""Pictures of figures and what models read in them, from the catalog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from sqlalchemy import Select, func, select

from conspectus.records.views import pick_fields
from conspectus.store.catalog import Catalog
from conspectus.store.codec import unpack_halves
from conspectus.store.connection import CatalogReader
from conspectus.store.derivations import key_of
from conspectus.store.figures import _BATCH, _by_derivation
from conspectus.store.schema import answers, derived, papers, picture_files, pictures


class _Readings(msgspec.Struct):
    """The part of a stored answer that names readings."""

    readings: Mapping[str, tuple[str, str]] = {}


_READINGS = msgspec.msgpack.Decoder(_Readings)


def figure_readings(catalog: Catalog, answer_id: str) -> Mapping[str, tuple[str, str]]:
    """Figure id -> (model that was shown it for an answer, digest of the call); "": no answer."""
    body = catalog.scalar(select(answers.c.body).where(answers.c.id == answer_id)) if answer_id else None
    return _READINGS.decode(body).readings if body else {}


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


@dataclass(frozen=True, slots=True)
class PictureVectors:
    """The vectors of all pictures: whose they are, and of which papers; float16 [pictures, dimensions]."""

    keys: npt.NDArray[np.int64]
    papers: npt.NDArray[np.int64]
    matrix: npt.NDArray[np.float16]


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
    paper, _, figure_name = figure.partition(".")
    query = select(pictures.c.vector).join(papers, papers.c.key == pictures.c.paper_key)
    query = query.join(derived, derived.c.paper_key == papers.c.key)
    query = query.where(derived.c.derivation_key == key_of(catalog, name, version), papers.c.id == paper)
    raw = catalog.scalar(query.where(pictures.c.figure == figure_name, pictures.c.number == 0))
    return None if raw is None else unpack_halves([raw], len(raw) // 2, "a figure's vector")[0]
