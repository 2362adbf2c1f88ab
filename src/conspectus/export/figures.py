"""Write figures to a folder: a PNG of each, a manifest (JSON Lines), and a contact sheet for a browser."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from html import escape
from pathlib import Path
from urllib.parse import quote

import msgspec

from conspectus.core.disk import explain_write_errors, replacing, user_path
from conspectus.core.errors import ConspectusError, UsageError
from conspectus.core.job_context import emit
from conspectus.core.output import writing_to
from conspectus.core.text import escaped_json
from conspectus.core.text import line as plain
from conspectus.figures.figure_images import drawing_in
from conspectus.figures.figure_search import figure_cards
from conspectus.figures.page_images import limits_of
from conspectus.ingest.paper_merge import merge
from conspectus.parse.process.drawings import draw_files
from conspectus.records import Filters, Paper
from conspectus.records.events import Progress
from conspectus.records.figures import FigureCard, FigureExport
from conspectus.records.parsed_paper import FIGURE_SCALE, MOST_SCALE
from conspectus.session.render_cache import FigureDrawing
from conspectus.session.session import Session

MANIFEST, SHEET = "figures.jsonl", "index.html"
HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Figures</title>
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 14px/1.45 system-ui, sans-serif; margin: 1.5rem; color: #222; background: #f4f4f2; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1rem; }
figure { margin: 0; padding: .75rem; background: #fff; border: 1px solid #ddd; border-radius: 4px; }
img { width: 100%; height: 13rem; object-fit: contain; background: #fff; }
.none { height: 13rem; display: grid; place-items: center; color: #666; background: #eee; padding: 0 1rem; }
h2 { font-size: 1rem; margin: .5rem 0 0; } p { margin: .25rem 0; overflow-wrap: anywhere; }
.caption { max-height: 8.7em; overflow: auto; } .from { color: #666; }
</style></head><body><h1>Figures</h1><main>
"""
FOOT = "</main></body></html>\n"


def row(card: FigureCard, file: str, why: str) -> str:
    """A figure's line of the manifest; `file` is the name of its picture, or else `why` there is none."""
    figure = card.figure
    values = {
        **{
            "id": figure.id,
            "paper": figure.paper.id,
            "title": figure.paper.title,
            "label": figure.label,
            "caption": figure.caption,
        },
        **{
            "kind": figure.kind,
            "shows": figure.shows,
            "page": figure.page,
            "box": figure.box,
            "file": file or None,
            "why": why,
        },
        "mentions": [{"id": span.id, "text": span.text} for span in card.said],
    }
    return escaped_json(msgspec.json.encode(values).decode()) + "\n"


def tile(card: FigureCard, file: str, why: str) -> str:
    """A figure on the sheet."""
    return "".join(_tile(card, file, why))


def _tile(card: FigureCard, file: str, why: str) -> Iterator[str]:
    figure = card.figure
    name, paper = escape(plain(figure.label) or figure.kind.capitalize()), escape(plain(figure.paper.heading))
    page = f", p. {figure.page}" if figure.page else ""
    yield f'<figure id="{escape(figure.id)}">'
    if file:
        yield f'<a href="{quote(file)}"><img loading="lazy" src="{quote(file)}" alt="{name} of {paper}"></a>'
    else:
        yield f'<div class="none">{escape(plain(why))}</div>'
    yield f'<figcaption><h2>{name}</h2><p class="from">{paper}{page}</p>'
    yield f'<p class="caption">{escape(plain(figure.caption))}</p></figcaption></figure>\n'


_Drawable = tuple[FigureCard, FigureDrawing | ConspectusError]


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
    from conspectus.export.library_lines import papers_of

    if not 0 < scale <= MOST_SCALE:  # nor what is no number
        raise UsageError(
            f"A scale of {scale} is not possible.", f"Give pixels per point, above 0 and up to {MOST_SCALE}."
        )
    place, chosen = user_path(folder), {session.paper(name).id for name in papers} if papers else None
    drawn, failed = 0, list[tuple[str, str]]()
    with explain_write_errors(folder, "Choose another folder."):
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
    drawable = list(_drawable(session, paper, scale))
    files = {
        card.figure.id: place / f"{card.figure.id}-{picture.name[:8]}.png"
        for card, picture in drawable
        if isinstance(picture, FigureDrawing)
    }
    missing = {name for name, file in files.items() if not file.exists()}
    drawings = [
        (picture.path, picture.drawing)
        for card, picture in drawable
        if isinstance(picture, FigureDrawing) and card.figure.id in missing
    ]
    with closing(draw_files(drawings, limits_of(session))) as images:
        for card, picture in drawable:
            drawn = next(images) if card.figure.id in missing else picture
            if isinstance(drawn, ConspectusError):
                yield card, "", drawn.message
                continue
            if isinstance(drawn, tuple):
                with replacing(files[card.figure.id]) as part:
                    drawn[0].save(part, "PNG")
            yield card, files[card.figure.id].name, ""


def _drawable(session: Session, paper: Paper, scale: float) -> Iterator[_Drawable]:
    documents = session.documents(paper)
    known = {figure.key: figure for figure in merge(documents).figures}
    for card in figure_cards(session, paper):
        try:
            yield card, drawing_in(paper, documents, known[card.figure.name], scale)
        except ConspectusError as error:
            yield card, error
