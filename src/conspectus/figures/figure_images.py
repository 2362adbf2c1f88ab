"""Pictures of figures: cut from a page, or the picture file that the source has or names; stored once drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from conspectus.core.errors import ConspectusError, InputError, LibraryReadOnlyError, NotFoundError
from conspectus.figures.page_images import limits_of, pdf_of, recognises
from conspectus.ingest.paper_merge import merge, text_document
from conspectus.models.store import sha256
from conspectus.parse.markup.pictures import SUFFIXES, picture_of
from conspectus.parse.process.drawings import Drawn, draw, draw_files
from conspectus.parse.process.wire import Drawing
from conspectus.parse.text.figure_mentions import by_label, label_of
from conspectus.records import Figure, Paper, Rect
from conspectus.records.parsed_paper import FIGURE_SCALE
from conspectus.session.render_cache import FigureDrawing, is_read, render_cache
from conspectus.session.session import Session
from conspectus.store import figures as stored_figures
from conspectus.store.rows import StoredDocument, StoredFigure

if TYPE_CHECKING:
    from PIL.Image import Image


def figure_image(session: Session, name: str, key: str = "", scale: float = FIGURE_SCALE) -> Image:
    """A figure or table as a picture, without its caption: cut from its page, or the picture file of its source.

    What was drawn is kept in the library's folder `drawings`, which may be deleted at any time.

    Args:
        name: its id, as `figures` has it; or with `key` its paper, by any name.
        key: as in `parsed(name).figures`: `f1`, `t2`.
        scale: pixels for each point, of which an inch has 72; usual are 200 pixels an inch. A picture file counts
            as drawn with so many: a smaller scale makes it smaller, none makes it larger.

    Raises:
        NotFoundError: no such paper or figure; its file is no longer there or has other bytes; or the picture
            that it names is not in it, nor below its folder.
        InputError: nothing says where the picture is, or it is none that can be drawn.
        LimitError: drawing takes too long, or too much memory.
    """
    return _drawn(session, drawing_of(session, name, key, scale))[0]


def figure_file(session: Session, name: str, key: str = "", scale: float = FIGURE_SCALE) -> Path:
    """The PNG of `figure_image` in the user's cache, where it may be deleted at any time.

    Raises:
        LibraryReadOnlyError: it cannot be kept there. Else as `figure_image`.
    """
    _, path = _drawn(session, drawing_of(session, name, key, scale))
    if path is None:
        raise LibraryReadOnlyError(
            "The picture cannot be kept in your state folder, which cannot be written.",
            "`figure_image` gives the picture itself.",
        )
    return path


def _drawn(session: Session, drawn: FigureDrawing) -> tuple[Image, Path | None]:
    """A drawing, and where it is kept; what was removed while it was drawn is not."""
    cache = render_cache(session)
    if cache and (cached_image := cache.find(drawn)):
        return cached_image, cache.place(drawn)
    image, path = draw(drawn.path, drawn.drawing, limits_of(session)), None
    if cache:
        with suppress(OSError):  # a folder that can only be read, or a full disk: it is drawn again
            path = cache.keep(drawn, image)
            if not is_read(session, drawn):
                cache.drop([drawn.source])
    return image, path


def drawing_of(session: Session, name: str, key: str = "", scale: float = 1.0) -> FigureDrawing:
    """What is to be drawn for a figure; as `Library.figure_image`, whose errors it raises."""
    if key:
        paper = session.paper(name)
    else:
        paper, known = find_figure(session, name)
        key = known.name
    documents = session.documents(paper)
    figures = {figure.key: figure for figure in merge(documents).figures}
    if key not in figures:
        raise NotFoundError(
            f"'{paper.title}' has no figure '{key}'.",
            f"It has: {', '.join(figures)}" if figures else "No figures were found in it.",
        )
    return drawing_in(paper, documents, figures[key], scale)


def drawing_in(paper: Paper, documents: Sequence[StoredDocument], figure: Figure, scale: float) -> FigureDrawing:
    """What is to be drawn for a figure of a paper: of the file that its text is from, else of others that it is in.

    Raises:
        NotFoundError: the file is gone or was changed, or the picture is not where the file says.
        InputError: nothing says where the picture is.
    """
    first_error: ConspectusError | None = None
    for document, document_figure in places(documents, figure):
        try:
            if document_figure.place is not None:
                path = pdf_of(paper, documents if document.path == text_document(documents).path else [document])
                source = next(file.sha256 for file in paper.files if file.path == str(path))
                return FigureDrawing(
                    source, path, Drawing(document_figure.place.page, scale, part=document_figure.place)
                )
            if document_figure.href:
                return _of_file(paper, document, document_figure, scale)
        except ConspectusError as error:
            first_error = first_error or error
    raise first_error or InputError(
        f"There is no picture of {figure.label or figure.key} of '{paper.title}'.",
        "Only its text was found: its file has no pages and names no picture.",
    )


def places(documents: Sequence[StoredDocument], figure: Figure) -> Iterator[tuple[StoredDocument, Figure]]:
    """The figure where the paper's text is from, then those of the same label in its other files."""
    text = text_document(documents)
    yield text, figure
    if label := label_of(figure.label):
        for document in documents:
            if document is not text and (same := by_label(document.parsed.figures).get(label[1])):
                yield document, same


def _of_file(paper: Paper, document: StoredDocument, figure: Figure, scale: float) -> FigureDrawing:
    source = Path(document.path)
    with suppress(OSError):  # one that may not be read is as good as gone
        if sha256(source) == document.sha256:
            if picture := picture_of(source, figure, scale):
                return FigureDrawing(document.sha256, *picture)
            raise NotFoundError(
                f"The picture of {figure.label or figure.key} of '{paper.title}' is not here: '{figure.href[:200]}'.",
                f"It is looked for below the folder of '{source.name}', as {', '.join(SUFFIXES)}; nothing is fetched.",
            )
    raise NotFoundError(
        f"'{source.name}', from which '{paper.title}' was read, is gone, was changed, or may not be read.",
        "Put it back, or add it from its new place.",
    )


def of_figures(
    session: Session, paper: Paper, figures: Iterable[StoredFigure], longest: int
) -> Iterator[tuple[StoredFigure, Drawn | ConspectusError]]:
    """Of figures of one paper that have a picture: each with it, or why it cannot be drawn.

    With a picture that is cut from a page come the words that are seen in it; where there are none they are recognised,
    if `parse.ocr` says so.

    Args:
        session: the library.
        paper: whose they are.
        figures: some of its figures.
        longest: pixels of the longer side of a picture, at most; it is drawn at 200 dpi at most.

    Raises:
        InputError, NotFoundError: the PDF from which the paper was read is gone.
    """
    documents = session.documents(paper)
    known = {figure.key: figure for figure in merge(documents).figures}
    drawings: list[tuple[StoredFigure, FigureDrawing]] = []
    for figure in figures:
        scale = FIGURE_SCALE if figure.place is None else _scale(figure.place.rect, longest)
        try:
            drawings.append((figure, drawing_in(paper, documents, known[figure.name], scale)))
        except (InputError, NotFoundError):
            if figure.place is not None:
                raise
    options = {"words": True, "ocr": recognises(session)}
    files = [
        (
            figure_drawing.path,
            replace(figure_drawing.drawing, **options) if figure_drawing.drawing.part else figure_drawing.drawing,
        )
        for _, figure_drawing in drawings
    ]
    with closing(draw_files(files, limits_of(session))) as images:
        for (figure, _), picture in zip(drawings, images, strict=True):
            if not isinstance(picture, ConspectusError):
                picture[0].thumbnail((longest, longest))
            yield figure, picture


def _scale(rect: Rect, longest: int) -> float:
    """Pixels per point."""
    left, top, right, bottom = rect
    return min(FIGURE_SCALE, longest / max(right - left, bottom - top, 1.0))


def find_figure(session: Session, name: str, hint: str = "") -> tuple[Paper, StoredFigure]:
    """The figure or table that a name means, and its paper: by its id, or `PAPER.f3` as its paper's structure has it.

    `hint` is what else is told where there is none.

    Raises:
        NotFoundError: there is none.
    """
    for paper in session.catalog.find_papers(name.partition(".")[0]):
        (every,) = stored_figures.figures_of_papers(
            session.catalog, [session.catalog.paper_key(paper.id)]
        ).values() or ((),)
        for figure in every:
            if name in (figure.id, f"{paper.id}.{figure.name}"):
                return paper, figure
    message = f"There is no figure '{name[:200]}' in the library."
    raise NotFoundError(message, f"`figures search` shows the ids. {hint}".strip())
