"""Figures and tables of papers, and what they show: pictures and panels, their kinds and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, exists, func, select

from conspectus.records import PictureKind, Place, Rect
from conspectus.records.views import pick_fields
from conspectus.store.codec import known_word, unpack
from conspectus.store.connection import CatalogReader
from conspectus.store.derivations import key_of
from conspectus.store.rows import StoredFigure
from conspectus.store.schema import derived, documents, figures, files, papers, pictures


def figures_of_papers(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, tuple[StoredFigure, ...]]:
    """Paper key -> its figures and tables in their order; papers without are left out."""
    query = select(figures, papers.c.id.label("paper")).join(papers, papers.c.key == figures.c.paper_key)
    query = query.order_by(figures.c.paper_key, figures.c.ordinal)
    figures_by_paper: dict[int, tuple[StoredFigure, ...]] = {}
    for row in catalog.rows_where(query, figures.c.paper_key, paper_keys):
        place = None if row.box is None else Place(row.page, unpack(row.box, Rect, "where a figure stands"))
        names = tuple(
            f"{row.paper}.{name}" for name in unpack(row.mentions, tuple[str, ...], "what speaks of a figure")
        )
        figure = StoredFigure(
            f"{row.paper}.{row.id}", row.name, row.kind, row.label, row.caption, place, names, row.key
        )
        figures_by_paper[row.paper_key] = (*figures_by_paper.get(row.paper_key, ()), figure)
    return figures_by_paper


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


_BATCH = 2000


def pictures_of_papers(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, tuple[StoredPicture, ...]]:
    """Paper key -> the pictures of its figures, each whole before its panels; papers without are left out."""
    names = [column for column in pictures.columns if column.name != "vector"]
    query = select(*names, papers.c.id.label("paper")).join(papers, papers.c.key == pictures.c.paper_key)
    query = query.order_by(pictures.c.paper_key, pictures.c.figure, pictures.c.number)
    pictures_by_paper: dict[int, tuple[StoredPicture, ...]] = {}
    for row in catalog.rows_where(query, pictures.c.paper_key, paper_keys):
        pictures_by_paper[row.paper_key] = (*pictures_by_paper.get(row.paper_key, ()), _picture(row))
    return pictures_by_paper


def _picture(row: Any) -> StoredPicture:
    box = None if row.box is None else unpack(row.box, Rect, "where a panel stands")
    kind = known_word(row.kind, PictureKind, "what a figure shows") if row.kind else None
    fields = pick_fields(row, "number", "label", "caption", "probability", "words", "recognised", "key")
    return StoredPicture(figure=f"{row.paper}.{row.figure}", box=box, kind=kind, **fields)


def _by_derivation(query: Select[Any], catalog: CatalogReader, name: str, version: str) -> Select[Any]:
    """Of papers that a version of a derivation has looked at."""
    query = query.join(derived, derived.c.paper_key == pictures.c.paper_key)
    return query.where(derived.c.derivation_key == key_of(catalog, name, version))


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
