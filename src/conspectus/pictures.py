"""Pictures from the PDFs that papers were read from, as long as these are what they were."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.catalog.rows import Document
from conspectus.errors import InputError, NotFoundError, UsageError
from conspectus.ingest.merge import merge, text_document
from conspectus.models.store import sha256
from conspectus.parse.drawing import draw
from conspectus.parse.pool import Limits
from conspectus.parse.wire import Drawing
from conspectus.records import Paper, Span
from conspectus.settings import ParseSettings

if TYPE_CHECKING:
    from PIL.Image import Image


def of_sentence(
    paper: Paper, documents: Sequence[Document], span: Span, page: int | None, scale: float, settings: ParseSettings
) -> Image:
    """See `Library.open`."""
    if span.page is None:
        raise InputError(
            f"'{paper.title}' was not read from pages, so there is none to show.",
            f"The sentence: {span.text}",
        )
    shown = span.page if page is None else page
    rects = [place.rect for place in span.places if place.page == shown]
    if not rects:
        pages = " and ".join(str(number) for number in sorted({place.page for place in span.places}))
        raise UsageError(f"The sentence does not stand on page {page}.", f"It stands on page {pages}.")
    return draw(_pdf(paper, documents), Drawing(shown, scale, tuple(rects)), _limits(settings))


def of_structure(
    paper: Paper, documents: Sequence[Document], page: int, scale: float, settings: ParseSettings
) -> Image:
    """See `Library.inspect`."""
    return draw(_pdf(paper, documents), Drawing(page, scale, paper=merge(documents)), _limits(settings))


def of_figure(paper: Paper, documents: Sequence[Document], key: str, scale: float, settings: ParseSettings) -> Image:
    """See `Library.figure_image`."""
    figures = {figure.key: figure for figure in merge(documents).figures}
    if key not in figures:
        raise NotFoundError(
            f"'{paper.title}' has no figure '{key}'.",
            f"It has: {', '.join(figures)}" if figures else "No figures were found in it.",
        )
    place = figures[key].place
    if place is None:
        raise InputError(
            f"Where {figures[key].label or key} of '{paper.title}' stands is not known.",
            "Only its caption was found; pictures are cut from the pages of PDF files.",
        )
    return draw(_pdf(paper, documents), Drawing(place.page, scale, part=place), _limits(settings))


def _limits(settings: ParseSettings) -> Limits:
    return Limits(settings.timeout, settings.memory)


def _pdf(paper: Paper, documents: Sequence[Document]) -> Path:
    """The PDF whose text is the paper's, if it still has the bytes that were read."""
    read = text_document(documents)
    wanted = read.sha256 if read.path.lower().endswith(".pdf") else ""
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
