"""The figures and tables of papers, read."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import exists, select

from conspectus.catalog.codec import unpack
from conspectus.catalog.connection import CatalogReader
from conspectus.catalog.rows import StoredFigure
from conspectus.catalog.schema import documents, figures, files, papers
from conspectus.records import Place, Rect


def of_papers(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, tuple[StoredFigure, ...]]:
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


def read_from(catalog: CatalogReader, hashes: Sequence[str]) -> set[str]:
    """Which of the files with these hashes papers were read from."""
    query = select(files.c.sha256).where(exists().where(documents.c.file_key == files.c.key))
    return {row.sha256 for row in catalog.rows_where(query, files.c.sha256, hashes)}
