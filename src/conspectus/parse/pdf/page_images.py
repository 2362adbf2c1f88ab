"""Pages and parts of them as images: with highlights, with the words in them, or with what was read in colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pypdfium2
from PIL import Image, ImageChops, ImageDraw, ImageFont

from conspectus.core.bounds import BOUNDS
from conspectus.core.disk import read_file
from conspectus.core.errors import InputError, LimitError, NotFoundError, UsageError
from conspectus.core.groups import split_runs
from conspectus.parse.pdf.glyphs import CrowdedPageError, PageWords, page_words
from conspectus.parse.pdf.lines import find_gutters
from conspectus.parse.pdf.page_text import PaintedStyle, PdfLine, Word, around
from conspectus.parse.pdf.pdf_file import find_extras, open_document, visible_box
from conspectus.parse.pdf.visibility import Sight
from conspectus.records import Block, Figure, FigureWord, LeftOut, Mark, ParsedPaper, Place, Rect
from conspectus.records.parsed_paper import MOST_SCALE

_MARKER = (255, 236, 92)
_MOST_PIXELS = 40_000_000
"""Of a picture: no page can fill the memory. Whole pages are drawn smaller, parts of them are refused."""
_MARGIN = 1.0
"""Points by which the colour reaches beyond the rectangle, as a pen's would."""
Color = tuple[int, int, int]
COLORS: dict[str, Color] = {
    "heading": (136, 46, 160),
    "paragraph": (38, 98, 176),
    "abstract": (0, 128, 120),
    "caption": (40, 130, 20),
    "footnote": (140, 80, 40),
    "reference": (110, 110, 110),
    "equation": (176, 130, 0),
    "code": (20, 60, 110),
    "figure": (208, 30, 40),
    "table": (232, 110, 0),
    "mark": (214, 0, 140),
    "gutter": (0, 150, 200),
    "hidden": (255, 0, 0),
    "left out": (120, 90, 160),
}
_PANEL = 250
"""The width of the legend, in points."""
_TINTS = (30, 62)
"""How strongly sentences are tinted (of 255): two shades in turn, so that neighbours are told apart."""


def render_page(path: Path, page: int, rects: Sequence[Rect], scale: float = 2.0) -> Image.Image:
    """Page `page` (from 1) of the PDF at `path` as an RGB image, with `rects` lit up as by a marker pen.

    Args:
        path: The PDF file.
        page: The page, counted from 1.
        rects: Rectangles as in `Place.rect`: points, origin at the top left of the page as displayed.
        scale: Pixels per point, above 0; less is taken where a page would have more than 40 million pixels.

    Raises:
        NotFoundError: The document has no such page.
        InputError: As in `read_pdf`.
    """
    image, scale = draw_page(path, page, scale)
    return _highlight(image, rects, scale)


def figure_image(path: Path, place: Place, scale: float = 2.0) -> Image.Image:
    """The part of a page at `place`, such as a figure's, as an RGB image with `scale` pixels per point.

    Raises:
        NotFoundError: The document has no such page, or the place lies outside it.
        InputError: As in `read_pdf`.
    """
    with _opened_page(path, place.page, scale) as page:
        width, height = page.get_size()
        x0, y0, x1, y1 = drawn_part(place.rect, width, height)
        edges = x0, height - y1, width - x1, y0
        inside = (width - edges[0] - edges[2]) * scale, (height - edges[1] - edges[3]) * scale
        if min(inside) < 2:
            raise NotFoundError(f"Page {place.page} of '{path.name}' has nothing at {place.rect}.", "Read it anew.")
        if inside[0] * inside[1] > _MOST_PIXELS:
            what = f"a picture of {inside[0]:,.0f} × {inside[1]:,.0f} pixels"
            raise LimitError(f"Page {place.page} of '{path.name}' would be {what}.", "Give a smaller scale.")
        return _bitmap(page, scale, edges)


def drawn_part(rect: Rect, width: float, height: float) -> Rect:
    """The part of a page of a size that `figure_image` draws of `rect`: a point more on each side, within the page."""
    x0, y0, x1, y1 = rect
    return max(x0 - 1, 0.0), max(y0 - 1, 0.0), width - max(width - x1 - 1, 0.0), height - max(height - y1 - 1, 0.0)


def draw_page(path: Path, page: int, scale: float) -> tuple[Image.Image, float]:
    """A page as an RGB image, and the scale that it has, which is smaller than asked for on a vast page."""
    with _opened_page(path, page, scale) as opened_page:
        width, height = opened_page.get_size()
        scale = min(scale, (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
        return _bitmap(opened_page, scale, (0, 0, 0, 0)), scale


@contextmanager
def _opened_page(path: Path, page: int, scale: float) -> Iterator[Any]:
    if not 0 < scale <= MOST_SCALE:
        raise UsageError(
            f"A scale of {scale} is not possible.", f"Give pixels per point, above 0 and up to {MOST_SCALE}."
        )
    with open_document(path) as document:
        if not 1 <= page <= len(document):
            raise NotFoundError(f"'{path.name}' has no page {page}.", f"It has pages 1 to {len(document)}.")
        try:
            yield document[page - 1]
        except pypdfium2.PdfiumError as error:
            raise InputError(
                f"Page {page} of '{path.name}' cannot be drawn: {error}.", "The file may be damaged: download it again."
            ) from error


def _bitmap(page: Any, scale: float, crop: tuple[float, ...]) -> Image.Image:
    image: Image.Image = page.render(scale=scale, crop=crop).to_pil().convert("RGB")
    return image


def _highlight(image: Image.Image, rects: Sequence[Rect], scale: float) -> Image.Image:
    """`image` multiplied by the marker's colour, which leaves dark text dark."""
    layer = Image.new("RGB", image.size, "white")
    draw = ImageDraw.Draw(layer)
    for x0, y0, x1, y1 in rects:
        draw.rectangle(
            ((x0 - _MARGIN) * scale, (y0 - _MARGIN / 2) * scale, (x1 + _MARGIN) * scale, (y1 + _MARGIN / 2) * scale),
            _MARKER,
        )
    return ImageChops.multiply(image, layer)


def read_figure_words(path: Path, place: Place) -> tuple[FigureWord, ...]:
    """The words in the part of a page that `figure_image` draws of `place`, in the order of the content stream.

    A page with more characters than pages have gives none. Texts that run in another direction come last, each as one.

    Raises:
        InputError: As in `read_pdf`.
    """
    with open_document(path, for_text=True) as document:
        page = document[place.page - 1]
        try:
            contents = page_words(page, visible_box(page), Sight(page, find_extras(read_file(path, 2**31))).unseen)
        except CrowdedPageError:
            return ()
        part = drawn_part(place.rect, *page.get_size())
    within = (FigureWord(text[: BOUNDS.label.most], _within(box, part)) for text, box in _displayed(contents))
    return tuple(
        islice(
            (word for word in within if word.box[0] < word.box[2] and word.box[1] < word.box[3]),
            BOUNDS.figure_words.most,
        )
    )


def _displayed(contents: PageWords) -> Iterator[tuple[str, Rect]]:
    """Texts with their boxes on the page as displayed; what is glued together is one."""
    for words in split_runs(contents.words, lambda _, word: word.glued):
        box = around(word.box for word in words)
        yield "".join(word.text for word in words), contents.frame.to_display(box)
    for turned in contents.stamps:
        yield turned.text, contents.frame.to_display(turned.box)


def _within(box: Rect, part: Rect) -> Rect:
    """A box of the page in parts of the width and height of one that is in it, cut at its edges."""
    left, top, right, bottom = part
    wide, high = right - left, bottom - top
    x0, y0, x1, y1 = box
    sides = (x0 - left) / wide, (y0 - top) / high, (x1 - left) / wide, (y1 - top) / high
    a, b, c, d = (min(max(side, 0.0), 1.0) for side in sides)
    return a, b, c, d


@dataclass(frozen=True, slots=True)
class _Part:
    """What of a block stands on the page without a break: its number in the paper and its hull."""

    number: int
    block: Block
    hull: Rect


def draw_structure(path: Path, paper: ParsedPaper, page: int, scale: float = 2.0) -> Image.Image:
    """Page `page` of the PDF at `path` as an RGB image, with what was read on it in colour, and a legend at the right.

    Drawn are blocks by kind, their order, sentences, captions with their figures, marks, and the space between columns.
    `scale` is in pixels per point; errors are as in `render_page`.
    """
    picture, scale = draw_page(path, page, scale)
    pen = _Pen(picture, scale)
    parts = list(_parts(paper.blocks, page))
    for block in paper.blocks:
        _sentences(pen, block, page)
    gutters = _gutters(paper, page, picture.width / scale)
    for gutter in gutters:
        pen.dashes(gutter, (min(part.hull[1] for part in parts), max(part.hull[3] for part in parts)))
    figures = [figure for figure in paper.figures if figure.place and figure.place.page == page]
    for figure in figures:
        _figure(pen, figure, parts)
    for part in parts:
        pen.frame(part.hull, COLORS[part.block.kind])
    for block in paper.blocks:
        for mark in block.marks:
            for rect in mark_rects(block, mark, page):
                pen.underline(rect)
    for left in _left_out(paper, page):
        pen.fill(left.place.rect, COLORS["left out"], 45)
    for text in _hidden(paper, page):
        pen.fill(text.rect, COLORS["hidden"], 70)
        pen.frame(text.rect, COLORS["hidden"])
    for part in parts:
        pen.badge(part.hull, str(part.number), COLORS[part.block.kind])
    pen.paint()
    return _with_legend(pen, paper, page, parts, figures, bool(gutters))


class _Pen:
    """Draws on a page, in points."""

    def __init__(self, picture: Image.Image, scale: float) -> None:
        self.base = picture.convert("RGBA")
        self.layer = Image.new("RGBA", picture.size, (0, 0, 0, 0))
        self.draw = ImageDraw.Draw(self.layer)
        self.scale = scale
        self.font = ImageFont.load_default(5.8 * scale)

    def paint(self) -> None:
        """Brings what was drawn onto the page."""
        self.base = Image.alpha_composite(self.base, self.layer)

    def pixels(self, rect: Rect) -> tuple[float, float, float, float]:
        x0, y0, x1, y1 = (value * self.scale for value in rect)
        return x0, y0, max(x1, x0 + 1), max(y1, y0 + 1)

    def fill(self, rect: Rect, color: Color, strength: int) -> None:
        self.draw.rectangle(self.pixels(rect), fill=(*color, strength))

    def frame(self, rect: Rect, color: Color, width: float = 0.6) -> None:
        x0, y0, x1, y1 = rect
        self.draw.rectangle(
            self.pixels((x0 - 1.5, y0 - 1, x1 + 1.5, y1 + 1)),
            outline=(*color, 230),
            width=max(int(width * self.scale), 1),
        )

    def line(self, start: tuple[float, float], end: tuple[float, float], color: Color, width: float = 1.2) -> None:
        points = [value * self.scale for value in (*start, *end)]
        self.draw.line(points, fill=(*color, 255), width=max(int(width * self.scale), 1))

    def dot(self, x: float, y: float, color: Color) -> None:
        self.draw.ellipse(self.pixels((x - 2.5, y - 2.5, x + 2.5, y + 2.5)), fill=(*color, 255))

    def underline(self, rect: Rect) -> None:
        self.line((rect[0], rect[3]), (rect[2], rect[3]), COLORS["mark"], 1.0)

    def dashes(self, x: float, heights: tuple[float, float]) -> None:
        y = heights[0]
        while y < heights[1]:
            self.line((x, y), (x, min(y + 5, heights[1])), COLORS["gutter"], 0.8)
            y += 9

    def badge(self, hull: Rect, text: str, color: Color) -> None:
        """A small label at the left of a hull's first line; inside the page whatever the hull."""
        width = self.draw.textlength(text, self.font) / self.scale + 3
        x, y = max(hull[0] - width - 2, 0.0), max(hull[1], 0.0)
        self.draw.rounded_rectangle(self.pixels((x, y, x + width, y + 9)), 2 * self.scale, fill=(*color, 235))
        middle = ((x + width / 2) * self.scale, (y + 4.6) * self.scale)
        self.draw.text(middle, text, fill=(255, 255, 255, 255), font=self.font, anchor="mm")


def _sentences(pen: _Pen, block: Block, page: int) -> None:
    for i, sentence in enumerate(block.sentences):
        for place in sentence.places:
            if place.page == page:
                pen.fill(place.rect, COLORS[block.kind], _TINTS[i % 2])


def _left_out(paper: ParsedPaper, page: int) -> list[LeftOut]:
    """What of the page is in no block: title page matter, words of figures, running heads, stamps."""
    return [left for left in paper.left_out if left.place.page == page]


def _hidden(paper: ParsedPaper, page: int) -> list[Place]:
    """Where nobody sees the text that there is."""
    return [text.place for text in paper.hidden if text.place and text.place.page == page]


def _parts(blocks: Sequence[Block], page: int) -> Iterator[_Part]:
    """The pieces of all blocks on the page: a block that goes on in the next column has two."""
    for number, block in enumerate(blocks):
        hull: Rect | None = None
        for rect in (place.rect for s in block.sentences for place in s.places if place.page == page):
            if hull is not None and (rect[1] < hull[3] - 40 and (rect[0] > hull[2] or rect[3] < hull[1])):
                yield _Part(number, block, hull)
                hull = None
            hull = rect if hull is None else around((hull, rect))
        if hull is not None:
            yield _Part(number, block, hull)


def _gutters(paper: ParsedPaper, page: int, width: float) -> tuple[float, ...]:
    """The spaces between columns, told from the rectangles of the text as the reader tells it from lines."""
    rows: list[Rect] = []
    for block in paper.blocks:
        if block.kind not in ("paragraph", "abstract", "reference"):
            continue
        for rect in (place.rect for s in block.sentences for place in s.places if place.page == page):
            if rows and _adjoin(rows[-1], rect):
                rows[-1] = around((rows[-1], rect))
            else:
                rows.append(rect)
    style = PaintedStyle("", 10.0, False, False)
    lines = [PdfLine(page, [Word("text text", r[0], r[2], r[3] - 2.4, style)]) for r in rows]
    return find_gutters(lines, width)


def _adjoin(first: Rect, second: Rect) -> bool:
    """Whether two sentences share a line."""
    return abs(first[3] - second[3]) < 3 and -1 < second[0] - first[2] < 9


def _figure(pen: _Pen, figure: Figure, parts: Sequence[_Part]) -> None:
    """The region's frame, its key, and a line from its caption where that stands on the page."""
    assert figure.place is not None
    rect, color = figure.place.rect, COLORS[figure.kind]
    pen.fill(rect, color, 22)
    pen.frame(rect, color, 1.6)
    caption = next((part.hull for part in parts if part.number == figure.caption), None)
    if caption is not None:
        start, end = _nearest(caption, rect)
        pen.line(start, end, color)
        pen.dot(*start, color)
        pen.dot(*end, color)
    pen.badge(rect, figure.key, color)


def _nearest(caption: Rect, rect: Rect) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where the line from a caption begins, and where it ends, a little inside the figure."""
    x = min(max((caption[0] + caption[2]) / 2, rect[0] + 4), rect[2] - 4)
    y = min(max((caption[1] + caption[3]) / 2, rect[1] + 4), rect[3] - 4)
    if caption[1] >= rect[3] - 4:
        return (x, caption[1]), (x, rect[3] - 8)
    if caption[3] <= rect[1] + 4:
        return (x, caption[3]), (x, rect[1] + 8)
    left = caption[0] > rect[0]
    return (caption[0] if left else caption[2], y), (rect[2] - 8 if left else rect[0] + 8, y)


def mark_rects(block: Block, mark: Mark, page: int) -> Iterator[Rect]:
    """About where a mark's words stand: as far along its sentence's lines as they are along its text."""
    for sentence in block.sentences:
        if not sentence.start <= mark.start < sentence.end:
            continue
        total = sum(place.rect[2] - place.rect[0] for place in sentence.places)
        length = max(sentence.end - sentence.start, 1)
        begin, end = ((at - sentence.start) / length * total for at in (mark.start, min(mark.end, sentence.end)))
        yield from _stretch(sentence.places, begin, end, page)


def _stretch(places: Sequence[Place], begin: float, end: float, page: int) -> Iterator[Rect]:
    run = 0.0
    for place in places:
        x0, y0, x1, y1 = place.rect
        first, last = max(begin - run, 0.0), min(end - run, x1 - x0)
        run += x1 - x0
        if last > first and place.page == page:
            yield x0 + first, y0, x0 + last, y1


def _with_legend(
    pen: _Pen, paper: ParsedPaper, page: int, parts: Sequence[_Part], figures: Sequence[Figure], gutter: bool
) -> Image.Image:
    """The page with a panel at its right: what the colours mean, and how many there are."""
    scale = pen.scale
    image = Image.new("RGB", (pen.base.width + int(_PANEL * scale), pen.base.height), (250, 250, 250))
    image.paste(pen.base.convert("RGB"), (0, 0))
    draw = ImageDraw.Draw(image)
    x, y = pen.base.width + 14 * scale, 16 * scale
    large, small = ImageFont.load_default(11 * scale), ImageFont.load_default(8.5 * scale)
    draw.line((pen.base.width, 0, pen.base.width, image.height), fill=(190, 190, 190), width=max(int(scale / 2), 1))
    draw.text((x, y), f"Page {page} of {paper.pages}", fill=(20, 20, 20), font=large)
    y += 24 * scale
    for name, text in _legend(paper, page, parts, figures, gutter):
        if name:
            draw.rectangle((x, y + scale, x + 14 * scale, y + 9 * scale), fill=COLORS[name])
        for row in _folded(draw, text, small, (_PANEL - 48) * scale):
            draw.text((x + (20 * scale if name else 0), y), row, fill=(40, 40, 40), font=small)
            y += 12 * scale
        y += 3 * scale
    return image


def _legend(
    paper: ParsedPaper, page: int, parts: Sequence[_Part], figures: Sequence[Figure], gutter: bool
) -> Iterator[tuple[str, str]]:
    """The legend's rows: the name of a colour, or none, and what it says."""
    kinds: dict[str, set[int]] = {}
    for part in parts:
        kinds.setdefault(part.block.kind, set()).add(part.number)
    for kind, numbers in kinds.items():
        yield kind, f"{kind}: {len(numbers)}"
    for figure in figures:
        cells = f", {len(figure.cells)} by {len(figure.cells[0])} cells" if figure.cells else ""
        caption = "no caption" if figure.caption is None else f"caption: block {figure.caption}"
        yield figure.kind, f"{figure.key} {figure.label} ({caption}{cells})"
    if any(block.marks for block in paper.blocks):
        yield "mark", "marks that point to references, figures or notes (place is about right)"
    if gutter:
        yield "gutter", "between columns"
    for reason in dict.fromkeys(left.reason for left in _left_out(paper, page)):
        yield "left out", f"in no block: {reason}"
    if lacking := next((account.why_lacking() for account in paper.accounts if account.page == page), ""):
        yield "", f"Not searched: {lacking}"
    if count := len(_hidden(paper, page)):
        yield "hidden", f"hidden text: {count}, kept apart"
    yield "", ""
    yield "", "Numbers: the order in which blocks are read. Two tints: one sentence and the next."
    for warning in paper.warnings[:6]:
        yield "", f"Warning: {warning}"


def _folded(
    draw: ImageDraw.ImageDraw, text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: float
) -> list[str]:
    rows = [""]
    for word in text.split():
        longer = f"{rows[-1]} {word}".strip()
        if rows[-1] and draw.textlength(longer, font) > width:
            rows.append(word)
        else:
            rows[-1] = longer
    return rows
