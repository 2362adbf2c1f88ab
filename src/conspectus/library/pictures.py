"""Pictures from the PDFs that papers were read from, as long as these are what they were."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.catalog import figures as kept
from conspectus.catalog.rows import Document, StoredFigure
from conspectus.core.disk import user_path
from conspectus.core.errors import ConspectusError, InputError, LimitError, NotFoundError, UsageError
from conspectus.ingest.merge import merge, text_document
from conspectus.library.citation import citation
from conspectus.library.session import Session
from conspectus.models.store import sha256
from conspectus.parse.drawing import Drawn, draw, draw_each, draw_with_words, page_sizes
from conspectus.parse.images import read_image
from conspectus.parse.pdf.ocr import installed
from conspectus.parse.pool import Limits
from conspectus.parse.wire import Box, Drawing, ImagePage
from conspectus.records import Paper, Rect
from conspectus.records.notes import Note, PagePicture
from conspectus.records.reading import PageSize

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PAGES = 60
"""Pages drawn for the notes of one document."""
_TOO_MANY = f"{MOST_PAGES} others are shown, and no more."
_GONE = "its PDF is gone, was changed, or may not be read."
"""Without the file's place on this machine, for who is sent the answer."""
FIGURE_SCALE = 200 / 72
"""Pixels per point of figures."""
_NOTE_SCALE = 1.5
"""Pixels per point of the pages behind notes: a column of a page fills a laptop's window."""
_COLOURS = 64
"""Of those pages: text and marks lose nothing by it, and a page takes a third of the bytes."""


def of_sentences(session: Session, span_ids: Sequence[str], scale: float, page: int | None) -> Image:
    """See `Library.open`."""
    found = [citation(session, one) for one in span_ids]
    if len({paper.id for paper, _, _ in found}) != 1:
        raise UsageError("A picture is of sentences of one paper.", "Name at least one, and those of others apart.")
    paper, spans = found[0][0], [span for _, _, span in found]
    places = [place for span in spans for place in span.places]
    if not places:
        raise InputError(
            f"'{paper.title}' was not read from pages, so there is none to show.",
            f"The sentence: {spans[0].text}",
        )
    shown = places[0].page if page is None else page
    rects = [place.rect for place in places if place.page == shown]
    if not rects:
        pages = " and ".join(str(number) for number in sorted({place.page for place in places}))
        raise UsageError(f"The sentence does not stand on page {page}.", f"It stands on page {pages}.")
    return _page(session, paper, session.documents(paper), Drawing(shown, scale, tuple(rects)))


def of_page(session: Session, name: str, page: int, scale: float) -> Image:
    """See `Library.page`."""
    paper = session.paper(name)
    return _page(session, paper, session.documents(paper), Drawing(page, scale))


def of_structure(session: Session, name: str, page: int, scale: float) -> Image:
    """See `Library.inspect`."""
    paper = session.paper(name)
    documents = session.documents(paper)
    return _page(session, paper, documents, Drawing(page, scale, paper=merge(documents)))


def of_figure(session: Session, name: str, key: str, scale: float) -> Image:
    """See `Library.figure_image`."""
    paper = session.paper(name if key else name.partition(".")[0])
    if not key:
        every = kept.of_papers(session.catalog, [session.catalog.paper_key(paper.id)])
        found = [one.name for group in every.values() for one in group if one.id == name]
        if not found:
            raise NotFoundError(f"There is no figure '{name}' in the library.", "`figures` shows the ids.")
        key = found[0]
    documents = session.documents(paper)
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
    return _page(session, paper, documents, Drawing(place.page, scale, part=place))


def of_figures(
    session: Session, paper: Paper, figures: Iterable[StoredFigure], longest: int
) -> Iterator[tuple[StoredFigure, Drawn | ConspectusError]]:
    """Of figures of one paper of which it is known where they stand: each with its picture, or why there is none.

    With a picture come the words that are seen in it; where there are none they are recognised, if `parse.ocr` says so.

    Args:
        session: the library.
        paper: whose they are.
        figures: some of its figures.
        longest: pixels of the longer side of a picture, at most; it is drawn at 200 dpi at most.

    Raises:
        InputError, NotFoundError: the paper was not read from a PDF, or that is gone.
    """
    placed = [(figure, figure.place) for figure in figures if figure.place]
    if not placed:
        return
    ocr = recognises(session)
    drawings = [
        Drawing(place.page, _scale(place.rect, longest), part=place, words=True, ocr=ocr) for _, place in placed
    ]
    with closing(draw_with_words(_pdf(paper, session.documents(paper)), drawings, _limits(session))) as images:
        for (figure, _), found in zip(placed, images, strict=True):
            yield figure, found


def recognises(session: Session) -> bool:
    """Whether words in pictures are recognised."""
    return session.settings.parse.ocr == "auto" and installed()


def _scale(rect: Rect, longest: int) -> float:
    """Pixels per point."""
    left, top, right, bottom = rect
    return min(FIGURE_SCALE, longest / max(right - left, bottom - top, 1.0))


def of_file(session: Session, path: Path, crop: Box | None = None) -> ImagePage:
    """A picture that somebody brings, read in a child: few of its pixels; `crop`: of a part, in its own pixels.

    Raises:
        InputError, LimitError: it cannot be read.
        UsageError: the crop lies outside it.
    """
    return read_image(user_path(path), _limits(session), crop)


def sizes_of(session: Session, paper: Paper) -> tuple[PageSize, ...]:
    """See `Library.pages`."""
    sizes = page_sizes(_pdf(paper, session.documents(paper)), _limits(session))
    return tuple(PageSize(number, *size) for number, size in enumerate(sizes, 1))


def _page(session: Session, paper: Paper, documents: Sequence[Document], drawing: Drawing) -> Image:
    return draw(_pdf(paper, documents), drawing, _limits(session))


def of_notes(session: Session, notes: Iterable[Note]) -> dict[int, tuple[PagePicture, ...]]:
    """Of each note (by its number) that cites pages: these, with its sentences lit up, or why there is no picture.

    Of more than `MOST_PAGES` pages the rest is not drawn, which is why there is no picture of them.
    The notes are of one document.
    """
    wanted: dict[str, list[tuple[int, Drawing]]] = {}
    papers: dict[str, Paper] = {}
    pages = _drawings(notes)
    for number, paper, drawing in islice(pages, MOST_PAGES):
        papers[paper.id] = paper
        wanted.setdefault(paper.id, []).append((number, drawing))
    found: dict[int, tuple[PagePicture, ...]] = {}
    for paper_id, drawings in wanted.items():
        images = _drawn(session, papers[paper_id], [drawing for _, drawing in drawings])
        for (number, drawing), image in zip(drawings, images, strict=True):
            found[number] = (*found.get(number, ()), _as_page(drawing.page, image))
    for number, _, drawing in pages:
        found[number] = (*found.get(number, ()), PagePicture(drawing.page, why=_TOO_MANY))
    return found


def _drawings(notes: Iterable[Note]) -> Iterator[tuple[int, Paper, Drawing]]:
    """(number of the note, its paper, what to draw) of each page."""
    for note in notes:
        if note.citation:
            for page in sorted({place.page for place in note.places}):
                rects = tuple(place.rect for place in note.places if place.page == page)
                yield note.number, note.citation.paper, Drawing(page, _NOTE_SCALE, rects)


def _drawn(session: Session, paper: Paper, drawings: Sequence[Drawing]) -> Iterator[Image | ConspectusError]:
    """One for each drawing; a PDF that takes too long is given up."""
    given_up: ConspectusError | None = None
    try:
        images = draw_each(_pdf(paper, session.documents(paper)), drawings, _limits(session))
    except ConspectusError as error:
        told = NotFoundError(_GONE, error.hint) if isinstance(error, NotFoundError) else error
        yield from (told for _ in drawings)
        return
    with closing(images):
        for _ in drawings:
            image = given_up or next(images)
            given_up = image if isinstance(image, LimitError) else None
            yield image


def _as_page(page: int, image: Image | ConspectusError) -> PagePicture:
    if isinstance(image, ConspectusError):
        return PagePicture(page, why=image.message)
    held = io.BytesIO()
    image.quantize(_COLOURS).save(held, "PNG", optimize=True)
    return PagePicture(page, held.getvalue())


def _limits(session: Session) -> Limits:
    return Limits(session.settings.parse.timeout, session.settings.parse.memory)


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
        with suppress(OSError):  # one that may not be read is as good as gone
            path = Path(file.path)
            if path.is_file() and sha256(path) == file.sha256:
                return path
    raise NotFoundError(
        f"The PDF of '{paper.title}' is no longer at {' or '.join(file.path for file in pdfs)}, "
        "was changed, or may not be read.",
        "Put it back, or add it again from where it is now.",
    )
