"""`inspect`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from conspectus.cli.app import verb
from conspectus.cli.commands.open import save_picture
from conspectus.cli.failure import typed
from conspectus.cli.state import State
from conspectus.core.disk import possible_path
from conspectus.core.errors import InputError, NotFoundError, UsageError
from conspectus.core.text import pluralize
from conspectus.faces.printer import Printer, one_line, short
from conspectus.wire import encode

if TYPE_CHECKING:
    from PIL.Image import Image

    from conspectus.records import Block, Figure, Hidden, LeftOut, ParsedPaper

    Found: TypeAlias = tuple[list[ParsedPaper], list[str], Image | None]
    T = TypeVar("T", Figure, Hidden, LeftOut)

_SHOWN = 90


@verb("inspect")
@click.argument("files", nargs=-1, required=True, metavar="FILE|PAPER…")
@click.option(
    "--page", type=click.IntRange(min=1), metavar="N", help="Only this page (with --out, default: the first)."
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.png",
    help="Write a picture of the page that shows in colour what was read. PDF files only.",
)
@click.option("--scale", type=click.FloatRange(0, 20, min_open=True), default=2.0, help="Pixels per point [2].")
def inspect_verb(state: State, files: tuple[str, ...], page: int | None, out: Path | None, scale: float) -> int:
    """Show what was read from a file or a paper: a page in colour, or its structure.

    FILE is read as `add` would read it (PDFs by GROBID if configured), without adding it. PAPER is a paper of the
    library, by any identifier. The structure is printed: blocks in reading order, figures, references, warnings. With
    --out a page is drawn, with blocks, sentences, columns, captions and their figures.
    """
    if len(files) == 1:
        papers, notes, picture = _of(state, files[0], page, scale, draw=out is not None)
        picture_path = save_picture(picture, out, "--out") if picture is not None and out is not None else None
        state.tell(
            lambda: _body(papers, notes, page, picture_path),
            lambda to: to.line(str(picture_path)) if picture_path else _print_papers(to, papers, notes, page),
        )
        return 0
    if out is not None:
        raise UsageError("--out draws a page of one file.", "Name one file or paper.")
    return _several(state, files, page, scale)


def _several(state: State, files: tuple[str, ...], page: int | None, scale: float) -> int:
    """Each of several; one that cannot be read costs that one, and the exit code."""
    all_papers: list[ParsedPaper] = []
    all_notes: list[str] = []
    failures: list[dict[str, str]] = []
    for name in files:
        try:
            papers, notes, _ = _of(state, name, page, scale, draw=False)
        except (InputError, NotFoundError) as error:
            failures.append({"name": name, "message": error.message, "hint": typed(error.hint)})
            continue
        all_papers, all_notes = all_papers + papers, all_notes + notes
        if not state.json:
            state.out.line((one_line(name), "dim"))
            _print_papers(state.out, papers, notes, page)
            state.out.line()
    if state.json:
        state.out.json("papers.inspect", _body(all_papers, all_notes, page, None, failures))
    for failure in [] if state.json else failures:
        state.out.line((one_line(f"{failure['name']}: {failure['message']}"), "bad"))
    return int(bool(failures))


def _of(state: State, name: str, page: int | None, scale: float, *, draw: bool) -> Found:
    path = possible_path(name)
    is_file = path.exists()
    if is_file:
        contents = _of_file(state, path, page or 1, scale, draw=draw)
    else:
        contents = _of_paper(state, name, page or 1, scale, draw=draw)
    if page is not None:
        _require_page(path.name if is_file else name, contents[0], page)
    return contents


def _require_page(name: str, papers: Sequence[ParsedPaper], page: int) -> None:
    """What is drawn has been told so before.

    Raises:
        InputError: none of the papers has pages.
        NotFoundError: none has this one.
    """
    last = max((paper.pages for paper in papers), default=0)
    if not last:
        raise InputError(f"'{name}' has no pages.", "Leave out --page to see its structure.")
    if page > last:
        raise NotFoundError(f"'{name}' has no page {page}.", f"It has pages 1 to {last}.")


def _print_papers(out: Printer, papers: list[ParsedPaper], notes: list[str], page: int | None) -> None:
    for paper in papers:
        _print(out, paper, page)
    for note in notes:
        out.line((one_line(note), "bad"))


def _of_file(state: State, path: Path, page: int, scale: float, *, draw: bool) -> Found:
    """The papers of a file, read in a child process, and the picture of a page if `draw` says so."""
    from conspectus.parse.files.inspection import MOST, inspect_file
    from conspectus.parse.process.pool import Limits
    from conspectus.parse.registry import GrobidReader

    parse = state.settings().parse
    limits = Limits(parse.timeout, parse.memory)
    server = GrobidReader(parse.grobid_url, parse.timeout, parse.grobid_wait) if parse.grobid_url else None
    embedded = parse.grobid_away == "embedded"
    inspection = inspect_file(path, limits, ocr=parse.ocr == "auto", grobid=server, embedded=embedded)
    notes = [*inspection.notes, *([f"Only the first {MOST} papers are shown."] if inspection.more else [])]
    picture = None
    if draw:
        if inspection.reader not in ("pdf", "pdf-ocr", "grobid"):
            raise InputError(f"'{path.name}' has no pages to draw.", "Leave out --out to see its structure.")
        from conspectus.parse.process import drawings
        from conspectus.parse.process.wire import Drawing

        picture = drawings.draw(path, Drawing(page, scale, paper=inspection.papers[0]), limits)
    return list(inspection.papers), notes, picture


def _of_paper(state: State, name: str, page: int, scale: float, *, draw: bool) -> Found:
    if not state.settings().catalog.url and not (state.folder / "catalog.sqlite").is_file():
        raise InputError(f"There is no file '{name}', and no library in '{state.folder}' that may have such a paper.")
    with state.library() as library:
        try:
            library.paper(name)
        except NotFoundError as error:
            if not error.message.startswith("There is no paper"):  # it can mean several
                raise
            message = f"There is neither a file '{name}' nor such a paper in the library."
            raise NotFoundError(message, error.hint) from error
        return [library.parsed(name)], [], library.inspect(name, page, scale) if draw else None


def _body(
    papers: list[ParsedPaper],
    notes: list[str],
    page: int | None,
    path: Path | None,
    failed: Sequence[dict[str, str]] = (),
) -> dict[str, Any]:
    bodies: list[dict[str, Any]] = []
    for paper in papers:
        body = encode.plain(paper)
        body["blocks"] = [{"number": number, **encode.plain(block)} for number, block in _blocks(paper, page)]
        body |= {name: encode.plain(_on(getattr(paper, name), page)) for name in ("figures", "left_out", "hidden")}
        bodies.append(body)
    picture = str(path.absolute()) if path else None
    return {"picture": picture, "page": page, "papers": bodies, "notes": notes, "failed": list(failed)}


def _pages(block: Block) -> list[int]:
    return sorted({place.page for sentence in block.sentences for place in sentence.places})


def _blocks(paper: ParsedPaper, page: int | None) -> list[tuple[int, Block]]:
    """The blocks with their numbers: all, or those that stand on a page."""
    return [(number, block) for number, block in enumerate(paper.blocks) if page is None or page in _pages(block)]


def _on(parts: Sequence[T], page: int | None) -> list[T]:
    """Those that stand on a page; None: all."""
    return [part for part in parts if page is None or (part.place is not None and part.place.page == page)]


def _print(out: Printer, paper: ParsedPaper, page: int | None) -> None:
    """One paper's structure as text."""
    out.line((one_line(paper.metadata.title) or "(no title)", "title"))
    if paper.metadata.authors:
        out.fold(", ".join(author.name for author in paper.metadata.authors))
    out.line((_counts(paper), "dim"))
    out.line()
    for number, block in _blocks(paper, page):
        kind = f"{block.kind} {block.level}" if block.level else block.kind
        where = _format_pages(_pages(block))
        ocr_mark = "  (OCR)" if any(sentence.recognised for sentence in block.sentences) else ""
        count = "" if len(block.sentences) < 2 else f"  ({len(block.sentences)} sentences)"
        marks = "" if not block.marks else f"  ({pluralize(len(block.marks), 'mark')})"
        head = (f"{number:>4}  {kind:<11} {where:<8} ", "dim")
        out.line(head, _short(block.text), (f"{count}{marks}{ocr_mark}", "dim"))
    if figures := _on(paper.figures, page):
        out.line()
        for figure in figures:
            out.line((f"{figure.key:>4}  ", "dim"), _figure(figure))
    if paper.references and page is None:
        out.line()
        for reference in paper.references:
            out.line((f"{reference.key:>4}  ", "dim"), _short(reference.text))
    if left_out := _on(paper.left_out, page):
        out.line()
        for left in left_out:
            out.line((f"left out ({left.reason})  p. {left.place.page}  ", "dim"), (_short(left.text), "dim"))
    if hidden := _on(paper.hidden, page):
        out.line()
        for text in hidden:
            where = _format_pages([text.place.page] if text.place else [])
            out.line((f"hidden ({text.reason})  {where:<8} ", "bad"), (_short(text.text), "dim"))
    for warning in paper.warnings:
        out.line((one_line(warning), "bad"))
    out.line()


def _counts(paper: ParsedPaper) -> str:
    kinds = Counter(figure.kind for figure in paper.figures)
    parts = [pluralize(paper.pages, "page")] if paper.pages else []
    parts.append(pluralize(len(paper.blocks), "block"))
    parts += [pluralize(kinds[kind], kind) for kind in ("figure", "table") if kinds[kind]]
    if paper.references:
        parts.append(pluralize(len(paper.references), "reference"))
    return " · ".join(parts)


def _format_pages(pages: list[int]) -> str:
    if not pages:
        return ""
    return f"p. {pages[0]}" if len(pages) == 1 else f"p. {pages[0]}–{pages[-1]}"


def _short(text: str) -> str:
    return short(text, _SHOWN)


def _figure(figure: Figure) -> str:
    """What is known of a figure, in words."""
    parts = [figure.label or f"{figure.kind} without a caption"]
    if figure.place is not None:
        x0, y0, x1, y1 = figure.place.rect
        parts.append(f"p. {figure.place.page}, {x1 - x0:.0f} by {y1 - y0:.0f} points at {x0:.0f}, {y0:.0f}")
    elif figure.href:
        parts.append(figure.href)
    else:
        parts.append("its place was not found")
    if figure.caption is not None:
        parts.append(f"caption: block {figure.caption}")
    if figure.cells:
        parts.append(f"{len(figure.cells)} rows of {len(figure.cells[0])} cells")
    return one_line("  ".join(parts))
