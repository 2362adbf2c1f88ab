"""Pictures from the PDFs that papers were read from, as long as these are what they were."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.core.disk import user_path
from conspectus.core.errors import ConspectusError, InputError, LimitError, NotFoundError, UsageError
from conspectus.ingest.paper_merge import merge, text_document
from conspectus.models.store import sha256
from conspectus.parse.process.drawings import draw, draw_each, page_sizes
from conspectus.parse.process.pool import Limits
from conspectus.parse.process.wire import Box, Drawing, ImagePage
from conspectus.records import Paper, Passage, Span, Summary
from conspectus.records.notes import Note, PagePicture
from conspectus.records.parsed_paper import PageSize
from conspectus.session.session import Session
from conspectus.store import summaries as stored_summaries
from conspectus.store.rows import StoredDocument

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PAGES = 60
"""Pages drawn for the notes of one document."""
_TOO_MANY = f"{MOST_PAGES} others are shown, and no more."
GONE = "its PDF is gone, was changed, or may not be read."
"""Without the file's place on this machine, for who is sent the answer."""
_NOTE_SCALE = 1.5
"""Pixels per point of the pages behind notes: a column of a page fills a laptop's window."""
_COLOURS = 64
"""Of those pages: text and marks lose nothing by it, and a page takes a third of the bytes."""


def of_sentences(session: Session, span_ids: Sequence[str], scale: float, page: int | None) -> Image:
    """See `Library.open`."""
    citations = [citation(session, span_id) for span_id in span_ids]
    if len({paper.id for paper, _, _ in citations}) != 1:
        raise UsageError("A picture is of sentences of one paper.", "Name at least one, and those of others apart.")
    paper, spans = citations[0][0], [span for _, _, span in citations]
    places = [place for span in spans for place in span.places]
    if not places:
        raise InputError(
            f"The sentence of '{paper.heading}' was not read from a page, so there is no picture of it.",
            f"The sentence: {spans[0].text}",
        )
    page_number = places[0].page if page is None else page
    rects = [place.rect for place in places if place.page == page_number]
    if not rects:
        pages = " and ".join(str(number) for number in sorted({place.page for place in places}))
        raise UsageError(f"The sentence does not stand on page {page}.", f"It stands on page {pages}.")
    return _page(session, paper, session.documents(paper), Drawing(page_number, scale, tuple(rects)))


def page(session: Session, name: str, page: int = 1, scale: float = 2.0) -> Image:
    """A page of a paper as a picture.

    Raises:
        NotFoundError: no such paper or page, or its file is no longer there or has other bytes.
        InputError: the source has no pages.
    """
    paper = session.paper(name)
    return _page(session, paper, session.documents(paper), Drawing(page, scale))


def inspect(session: Session, name: str, page: int = 1, scale: float = 2.0) -> Image:
    """A page of a paper as a picture, with what was read on it in colour: blocks, sentences, figures, order.

    Raises:
        NotFoundError: no such paper or page, or its file is no longer there or has other bytes.
        InputError: the source has no pages.
    """
    paper = session.paper(name)
    documents = session.documents(paper)
    return _page(session, paper, documents, Drawing(page, scale, paper=merge(documents)))


def recognises(session: Session) -> bool:
    """Whether words in pictures are recognised."""
    from conspectus.parse.pdf.ocr import is_installed

    return session.settings.parse.ocr == "auto" and is_installed()


def of_file(session: Session, path: Path, crop: Box | None = None) -> ImagePage:
    """A picture that somebody brings, read in a child: few of its pixels; `crop`: of a part, in its own pixels.

    Raises:
        InputError, LimitError: it cannot be read.
        UsageError: the crop lies outside it.
    """
    from conspectus.parse.process.images import read_image

    return read_image(user_path(path), limits_of(session), crop)


def sizes_of(session: Session, paper: Paper) -> tuple[PageSize, ...]:
    """See `Library.pages`."""
    sizes = page_sizes(pdf_of(paper, session.documents(paper)), limits_of(session))
    return tuple(PageSize(number, *size) for number, size in enumerate(sizes, 1))


def _page(session: Session, paper: Paper, documents: Sequence[StoredDocument], drawing: Drawing) -> Image:
    return draw(pdf_of(paper, documents), drawing, limits_of(session))


def of_notes(session: Session, notes: Iterable[Note]) -> dict[int, tuple[PagePicture, ...]]:
    """Of each note (by its number) that cites pages: these, with its sentences lit up, or why there is no picture.

    Of more than `MOST_PAGES` pages the rest is not drawn, which is why there is no picture of them.
    The notes are of one document.
    """
    drawings_by_paper: dict[str, list[tuple[int, Drawing]]] = {}
    papers: dict[str, Paper] = {}
    pages = _drawings(notes)
    for number, paper, drawing in islice(pages, MOST_PAGES):
        papers[paper.id] = paper
        drawings_by_paper.setdefault(paper.id, []).append((number, drawing))
    pictures: dict[int, tuple[PagePicture, ...]] = {}
    for paper_id, drawings in drawings_by_paper.items():
        images = _drawn(session, papers[paper_id], [drawing for _, drawing in drawings])
        for (number, drawing), image in zip(drawings, images, strict=True):
            pictures[number] = (*pictures.get(number, ()), _as_page(drawing.page, image))
    for number, _, drawing in pages:
        pictures[number] = (*pictures.get(number, ()), PagePicture(drawing.page, why=_TOO_MANY))
    return pictures


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
        images = draw_each(pdf_of(paper, session.documents(paper)), drawings, limits_of(session))
    except ConspectusError as error:
        reason = NotFoundError(GONE, error.hint) if isinstance(error, NotFoundError) else error
        yield from (reason for _ in drawings)
        return
    with closing(images):
        for _ in drawings:
            image = given_up or next(images)
            given_up = image if isinstance(image, LimitError) else None
            yield image


def _as_page(page: int, image: Image | ConspectusError) -> PagePicture:
    if isinstance(image, ConspectusError):
        return PagePicture(page, why=image.message)
    buffer = io.BytesIO()
    image.quantize(_COLOURS).save(buffer, "PNG", optimize=True)
    return PagePicture(page, buffer.getvalue())


def limits_of(session: Session) -> Limits:
    """What drawing may take."""
    return Limits(session.settings.parse.timeout, session.settings.parse.memory)


def pdf_of(paper: Paper, documents: Sequence[StoredDocument]) -> Path:
    """The PDF whose text is the paper's, if it still has the bytes that were read."""
    read = text_document(documents)
    digest = read.sha256 if read.path.lower().endswith(".pdf") else ""
    pdfs = [file for file in paper.files if Path(file.path).suffix.lower() == ".pdf" and digest in ("", file.sha256)]
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
        "Put it back, or add it from its new place.",
    )


def citation(session: Session, span_id: str) -> tuple[Paper, Passage, Span]:
    """Where a citation's sentence stands.

    Args:
        span_id: a span's id as citations give it, or a passage's id (then its first sentence is meant).

    Raises:
        NotFoundError: the library has no such sentence (any more).
    """
    paper_id = span_id.partition(".")[0]
    for passage in session.catalog.passages(paper_id):
        for span in passage.spans:
            if span_id in (span.id, passage.id):
                return session.paper(paper_id), passage, span
    for summary in _summaries(session, paper_id):
        if span_id == summary.passage.id or span_id in (span.id for span in summary.passage.spans):
            raise NotFoundError(
                f"'{span_id}' is of a summary that '{summary.model}' wrote; those are not the paper's words.",
                f"The sentences it rests on: {', '.join(summary.sources)}.",
            )
    raise NotFoundError(
        f"There is no sentence '{span_id}' in the library.",
        "`ask` and `search` show the ids; the paper may have been removed or edited.",
    )


def _summaries(session: Session, paper_id: str) -> Iterator[Summary]:
    if session.catalog.has_paper(paper_id):
        key = session.catalog.paper_key(paper_id)
        yield from (stored.summary for stored in stored_summaries.of_papers(session.catalog, [key]).get(key, []))
