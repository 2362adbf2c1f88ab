"""Figures written to a folder: a PNG of each, a manifest, and a contact sheet."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from conspectus.core.disk import named, replacing, user_path
from conspectus.core.errors import ConspectusError, UsageError
from conspectus.core.job_context import emit
from conspectus.ingest.paper_merge import merge
from conspectus.library.figure_cards import cards
from conspectus.library.figure_pictures import drawing_in
from conspectus.papers.page_pictures import limits_of
from conspectus.parse.process.drawings import draw_files
from conspectus.records import FigureCard, Filters, Paper
from conspectus.records.figures import FigureExport
from conspectus.records.jobs import Progress
from conspectus.records.parsed import FIGURE_SCALE, MOST_SCALE
from conspectus.session.render_cache import FigureDrawing
from conspectus.session.session import Session

Wanted = tuple[FigureCard, FigureDrawing | ConspectusError]


def export_figures(
    session: Session,
    folder: str | os.PathLike[str],
    papers: Sequence[str] = (),
    filters: Filters | None = None,
    *,
    scale: float = FIGURE_SCALE,
) -> FigureExport:
    """Write the figures and tables of papers to a folder; returns how many, and which have no picture.

    Of each a PNG is written, whole or not at all; `figures.jsonl` with a line for each, and `index.html`, a sheet with
    all, appear when all is done. A call that was interrupted goes on with what is not yet there: the name of a PNG has
    a hash of all that decides what it shows.

    Args:
        folder: is made where it is not there; what else is in it stays.
        papers: by any names; none: all.
        filters: what these have to pass.
        scale: pixels a point, as for `figure_image`.

    Raises:
        NotFoundError: a name that no paper has.
        UsageError: the folder cannot be written, or the scale is not possible.
    """
    from conspectus.core.output import writing_to
    from conspectus.export.figures import FOOT, HEAD, SHEET, row, tile
    from conspectus.export.library_lines import papers_of
    from conspectus.models.store import MANIFEST

    if not 0 < scale <= MOST_SCALE:  # nor what is no number
        raise UsageError(
            f"A scale of {scale} is not possible.", f"Give pixels per point, above 0 and up to {MOST_SCALE}."
        )
    place, chosen = user_path(folder), {session.paper(name).id for name in papers} if papers else None
    drawn, failed = 0, list[tuple[str, str]]()
    with named(folder, "Choose another folder."):
        place.mkdir(parents=True, exist_ok=True)
        with writing_to(place / MANIFEST) as manifest, writing_to(place / SHEET) as sheet:
            sheet.write(HEAD)
            for paper in papers_of(session.catalog, chosen, filters):
                for card, name, why in _of_paper(session, place, paper, scale):
                    manifest.write(row(card, name, why))
                    sheet.write(tile(card, name, why))
                    drawn += bool(name)
                    failed += [] if name else [(card.figure.id, why)]
                    emit(Progress("exporting", drawn + len(failed), 0, "figures"))
            sheet.write(FOOT)
    return FigureExport(str(place), drawn, tuple(failed))


def _of_paper(session: Session, place: Path, paper: Paper, scale: float) -> Iterator[tuple[FigureCard, str, str]]:
    """Of each figure of a paper the name of its picture, which is written if it is not there, or why it has none."""
    wanted = list(_wanted(session, paper, scale))
    files = {
        card.figure.id: place / f"{card.figure.id}-{one.name[:8]}.png"
        for card, one in wanted
        if isinstance(one, FigureDrawing)
    }
    missing = {name for name, file in files.items() if not file.exists()}
    drawings = [
        (one.path, one.drawing) for card, one in wanted if isinstance(one, FigureDrawing) and card.figure.id in missing
    ]
    with closing(draw_files(drawings, limits_of(session))) as images:
        for card, one in wanted:
            found = next(images) if card.figure.id in missing else one
            if isinstance(found, ConspectusError):
                yield card, "", found.message
                continue
            if isinstance(found, tuple):
                with replacing(files[card.figure.id]) as part:
                    found[0].save(part, "PNG")
            yield card, files[card.figure.id].name, ""


def _wanted(session: Session, paper: Paper, scale: float) -> Iterator[Wanted]:
    documents = session.documents(paper)
    known = {figure.key: figure for figure in merge(documents).figures}
    for card in cards(session, paper):
        try:
            yield card, drawing_in(paper, documents, known[card.figure.name], scale)
        except ConspectusError as error:
            yield card, error
