"""Which words of a page nobody sees.

Whether a text is seen is told by drawing the page without it and with it: where it leaves no trace, nobody sees it, be
it white on white, under a picture, cut away, switched off or transparent; white text on a dark ground leaves one. Only
what may be hidden, by how it is painted and by what lies over and under it, is drawn, and only that part of the page:
ordinary pages are not drawn at all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from conspectus.parse.pdf import pdf_file
from conspectus.parse.pdf.glyphs import Piece
from conspectus.parse.pdf.page_objects import (
    Cover,
    Holder,
    PageObjects,
    begins_caption,
    clipped,
    cut,
    is_switched,
    lightness,
    page_objects,
    paint_of,
)
from conspectus.parse.pdf.page_text import PageFrame, area, around, centred_in, overlap
from conspectus.parse.pdf.pdf_file import Extras
from conspectus.parse.pdf.thresholds import SIGHT
from conspectus.records import HiddenReason, Rect

_WORD, _MOST_MEASURED = 3, 8
_PALE, _LIKE, _FAINT = 178, 64, 230
"""Paint as light as the first (of 255) may not be seen on paper; paint whose lightness differs by less than the second
from what lies under it may not be seen there. Where nothing else is painted, what is darker than the third is seen."""
_STRIPS = 64
"""Words are looked for in so many strips of the page."""
_MANY = 1_000_000
"""Pairs of an area and a word from which on arrays are quicker, for all that their library takes to be loaded."""
_NOTE = -1
_NOTES_BESIDE = frozenset({pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP, pdfium.FPDF_ANNOT_WIDGET})
_OF_LAYERS = frozenset({"invisible", "covered", "same colour"})
FILLED, NO_INK, BOUNDS_ONLY = 0, 3, 7
"""Modes of drawing: as most text is, without ink, and only as bounds for what is drawn after it."""
_STROKED, _BOTH = (1, 5), (2, 6)
_OUTLINED = 2
"""Filled and stroked, as plots have their numbers."""
_DISTINCT = 64
LAST = 2**31
"""The turn of what comes after all else."""


class Sight:
    """What is painted on one page, and which of its words can be seen."""

    def __init__(self, page: Any, has: Extras) -> None:
        """Of a `pypdfium2.PdfPage`, and what its document may have."""
        self._page, self._has = page, has
        self._walked: tuple[PageFrame, PageObjects] | None = None

    def objects(self, frame: PageFrame, words: Iterable[str]) -> PageObjects:
        """What the page paints, in the layout frame; turned text only where one of the words begins a caption."""
        if self._walked is None or self._walked[0] != frame:
            self._walked = frame, page_objects(self._page, frame, turned=any(map(begins_caption, words)))
        return self._walked[1]

    def unseen(self, pieces: Sequence[Piece], frame: PageFrame) -> Mapping[int, HiddenReason]:
        """Which of the pieces, by number, cannot be seen, and why."""
        objects = self.objects(frame, (piece.text for piece in pieces))
        firsts = _firsts(pieces)
        looks = {item: look_at(item, frame, objects, layers=self._has.layers) for item in firsts}
        blank = set(self._blank(firsts))
        boxes = _boxes(pieces, frame)
        hidden = dict(self._certain(pieces, boxes, frame))
        covers = [*objects.covers, *(self._notes(frame) if self._has.notes else ())]
        suspected = {i: why for i, why in _suspected(pieces, looks, blank, boxes, covers, frame) if i not in hidden}
        hidden |= self._find_untraced(suspected, pieces, looks, frame)
        if not hidden:
            return hidden
        return {i: why for i, why in hidden.items() if i not in self._layer(hidden, pieces, boxes, frame, objects)}

    def _certain(
        self, pieces: Sequence[Piece], boxes: Sequence[Rect], frame: PageFrame
    ) -> Iterator[tuple[int, HiddenReason]]:
        """Those beside the page, and those too small to be seen."""
        width, height = frame.width, frame.height
        scale = min(1.0, max(width, height) / SIGHT.sheet)
        least = SIGHT.maybe_tiny * scale
        for i, (x0, y0, x1, y1) in enumerate(boxes):
            if x1 <= 0 or y1 <= 0 or x0 >= width or y0 >= height:
                yield i, "off page"
            elif (x1 - x0 < least or y1 - y0 < least) and self._is_tiny(pieces[i], max(x1 - x0, y1 - y0), scale):
                yield i, "tiny"

    def _is_tiny(self, piece: Piece, length: float, scale: float) -> bool:
        if not _has_letters(piece):
            return False
        if len(piece.text) >= _WORD and length < SIGHT.narrow * scale * len(piece.text):
            return True
        boxes = [pdf_file.box_of(piece.run.raw, piece.first + i) for i in range(min(len(piece.text), _MOST_MEASURED))]
        high, wide = max(top - bottom for _, bottom, _, top in boxes), max(right - left for left, _, right, _ in boxes)
        if piece.run.turns is None:
            high = wide = max(high, wide)
        elif piece.run.turns % 2:
            high, wide = wide, high
        return high < SIGHT.tiny * scale or wide < SIGHT.narrow * scale

    def _blank(self, firsts: Mapping[int, Piece]) -> Iterator[int]:
        """The text objects in fonts that draw letters as nothing, by the first letter that the page has of each."""
        fonts: dict[int, bool] = {}
        for item, piece in firsts.items():
            font = pdf_file.font_of(item) or 0
            if font not in fonts and piece.text[0].isalnum():
                left, bottom, right, top = pdf_file.box_of(piece.run.raw, piece.first)
                fonts[font] = right <= left or top <= bottom
            if fonts.get(font):
                yield item

    def _notes(self, frame: PageFrame) -> Iterator[Cover]:
        """What readers have put upon the page: notes, marks, black bars."""
        raw, rect = self._page.raw, pdfium.FS_RECTF()
        for i in range(pdfium.FPDFPage_GetAnnotCount(raw)):
            note = pdfium.FPDFPage_GetAnnot(raw, i)
            if pdfium.FPDFAnnot_GetSubtype(note) not in _NOTES_BESIDE and pdfium.FPDFAnnot_GetRect(note, rect):
                box = frame.rect((rect.left, rect.bottom, rect.right, rect.top))
                if (visible_box := cut(box, (0.0, 0.0, frame.width, frame.height))) is not None:
                    yield Cover(LAST, _NOTE, 0, visible_box)
            pdfium.FPDFPage_CloseAnnot(note)

    def _find_untraced(
        self,
        suspected: Mapping[int, HiddenReason],
        pieces: Sequence[Piece],
        looks: Mapping[int, Look],
        frame: PageFrame,
    ) -> Iterator[tuple[int, HiddenReason]]:
        """Those of the suspected that are not seen where the page is drawn."""
        if not suspected:
            return
        from conspectus.parse.pdf.word_traces import Suspect, find_inked, find_traceless

        modes = {i: looks[pieces[i].run.item].mode for i in suspected}
        bounds = [i for i, mode in modes.items() if mode == BOUNDS_ONLY]
        if bounds:
            filled = find_inked(self._page, [_displayed(pieces[i], frame) for i in bounds])
            yield from ((i, suspected[i]) for i, ink in zip(bounds, filled, strict=True) if not ink)
        painted = [i for i, mode in modes.items() if mode not in (NO_INK, BOUNDS_ONLY)]
        if painted:
            words = [pieces[i] for i in painted]
            suspects = [Suspect(w.run.item, _displayed(w, frame), len(w.text), w.run.style.size) for w in words]
            without = find_traceless(self._page, suspects)
            yield from ((i, suspected[i]) for i, traced in zip(painted, without, strict=True) if traced)
        yield from ((i, suspected[i]) for i, mode in modes.items() if mode == NO_INK)

    def _layer(
        self,
        hidden: Mapping[int, HiddenReason],
        pieces: Sequence[Piece],
        boxes: Sequence[Rect],
        frame: PageFrame,
        objects: PageObjects,
    ) -> set[int]:
        """Those of the hidden that are the text of a scan: seen in the picture that they lie over or under."""
        pictures = [cover.box for cover in objects.covers if cover.kind == pdfium.FPDF_PAGEOBJ_IMAGE]
        if sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in pictures) < SIGHT.scanned * frame.width * frame.height:
            return set()
        over = [i for i, box in enumerate(boxes) if any(centred_in(box, picture) for picture in pictures)]
        letters = sum(len(pieces[i].text) for i in over)
        if sum(len(pieces[i].text) for i in over if i not in hidden) > SIGHT.most_seen * letters:
            return set()
        candidates = [i for i in over if hidden.get(i) in _OF_LAYERS]
        if not candidates:
            return set()
        from conspectus.parse.pdf.word_traces import find_inked

        has_ink = find_inked(self._page, [_displayed(pieces[i], frame) for i in candidates])
        return {i for i, ink in zip(candidates, has_ink, strict=True) if ink}


def _suspected(
    pieces: Sequence[Piece],
    looks: Mapping[int, Look],
    blank: set[int],
    boxes: Sequence[Rect],
    covers: Sequence[Cover],
    frame: PageFrame,
) -> Iterator[tuple[int, HiddenReason]]:
    """Those that may be hidden, by number, and why they are if they are; `blank` text objects may draw nothing."""
    covered, grounded, touched = _layers(covers, pieces, looks, boxes, frame.height)
    page_box = (0.0, 0.0, frame.width, frame.height)
    odd = blank | {item for item, look in looks.items() if not _is_plain(look, page_box)}
    at = (i for i, piece in enumerate(pieces) if piece.run.item in odd) if odd else ()
    for i in sorted({*at, *covered, *grounded}):
        look = looks[pieces[i].run.item]
        if not _has_letters(pieces[i]):
            continue
        if look.why and not look.weak:
            yield i, look.why
        elif look.clip != page_box and not _is_inside(boxes[i], look.clip):
            yield i, "clipped"
        elif i in covered:
            yield i, "covered"
        elif i in grounded or _may_be_unseen(look, i in touched):
            yield i, "same colour"
        elif look.why or pieces[i].run.item in blank:
            yield i, look.why or "invisible"


def _may_be_unseen(look: Look, touched: bool) -> bool:
    """Whether a text object may have the colour of what it lies on, which is paper where nothing has `touched` it."""
    filled = not touched and look.why is None and look.mode == FILLED
    return look.light is None or look.light >= (_FAINT if filled else _PALE)


def _firsts(pieces: Sequence[Piece]) -> dict[int, Piece]:
    """The first piece of each text object."""
    firsts: dict[int, Piece] = {}
    run = None
    for piece in pieces:
        if piece.run is not run:
            run = piece.run
            firsts.setdefault(run.item, piece)
    return firsts


def _boxes(pieces: Sequence[Piece], frame: PageFrame) -> list[Rect]:
    """The boxes of the pieces in the layout frame."""
    left, _, _, top = frame.box
    if frame.turns == 0:  # the common case, without calls: it runs for every word
        return [(p.left - left, top - p.top, p.right - left, top - p.bottom) for p in pieces]
    return [frame.rect((piece.left, piece.bottom, piece.right, piece.top)) for piece in pieces]


def _is_plain(look: Look, page_box: Rect) -> bool:
    """Whether nothing of its own speaks for a text object's being hidden."""
    return look.why is None and look.clip == page_box and look.light is not None and look.light < _PALE


def _has_letters(piece: Piece) -> bool:
    """Whether the piece says anything: points of a plot may be glyphs, and lie on each other."""
    return any(map(str.isalnum, piece.text))


def _displayed(piece: Piece, frame: PageFrame) -> Rect:
    return frame.to_display(frame.rect((piece.left, piece.bottom, piece.right, piece.top)))


def _is_inside(box: Rect, clip: Rect | None) -> bool:
    """Whether most of the box is in the clip."""
    return clip is not None and overlap(box, clip) >= SIGHT.inside * area(box)


def _layers(
    covers: Sequence[Cover], pieces: Sequence[Piece], looks: Mapping[int, Look], boxes: Sequence[Rect], height: float
) -> tuple[set[int], set[int], set[int]]:
    """The words (by number) over which something is painted, those that may have the colour of what they lie on, and
    all that share their place with something."""
    covered: dict[int, float] = {}
    grounded: set[int] = set()
    touched: set[int] = set()
    for cover, shares in _overlaps(covers, boxes, height):
        paints, light = _painted(cover)
        if not paints:
            continue
        touched.update(shares)
        for i, share in shares.items():
            look = looks[pieces[i].run.item]
            if look.order < cover.order:
                covered[i] = covered.get(i, 0.0) + share
            elif look.order > cover.order and share >= SIGHT.shared and _may_be_like(look.light, light):
                grounded.add(i)
    return {i for i, share in covered.items() if share >= SIGHT.shared}, grounded, touched


def _may_be_like(light: float | None, ground: float | None) -> bool:
    return ground is None or (light is not None and abs(light - ground) < _LIKE)


def _overlaps(
    covers: Sequence[Cover], boxes: Sequence[Rect], height: float
) -> Iterator[tuple[Cover, Mapping[int, float]]]:
    """The covers that lie over or under some word, each with the words, by number, and the part of each it shares."""
    if not covers or height <= 0:
        return
    strips = _strips(boxes, around(cover.box for cover in covers), height)
    scale, looked = _STRIPS / height, 0
    for n, cover in enumerate(covers):
        if looked > _MANY:
            yield from _overlaps_of_many(covers[n:], boxes)
            return
        left, top, right, bottom = cover.box
        shares: dict[int, float] = {}
        for widest, words in strips[int(top * scale) : int(bottom * scale) + 1]:
            begin = bisect_left(words, (left - widest - SIGHT.slack,))
            end = bisect_left(words, (right,), begin)
            looked += end - begin
            for x0, y0, x1, y1, i in words[begin:end]:
                if x1 > left and y0 < bottom and y1 > top:
                    part = (min(right, x1) - max(left, x0)) * (min(bottom, y1) - max(top, y0))
                    shares[i] = part / max((x1 - x0) * (y1 - y0), 1e-6)
        if shares:
            yield cover, shares


def _strips(
    boxes: Sequence[Rect], hull: Rect, height: float
) -> list[tuple[float, list[tuple[float, float, float, float, int]]]]:
    """Of each strip of the page the width of its widest word, and the boxes of its words with their numbers, from the
    left: of many areas most are so small that they share few strips, and little of each, with words. Words outside the
    hull of all areas are left out."""
    strips: list[list[tuple[float, float, float, float, int]]] = [[] for _ in range(_STRIPS + 1)]
    scale = _STRIPS / height
    left, top, right, bottom = hull[0], max(hull[1], 0.0), hull[2], min(hull[3], height)
    for i, (x0, y0, x1, y1) in enumerate(boxes):
        if y0 <= bottom and y1 >= top and x0 <= right and x1 >= left and x0 <= x1:
            for strip in strips[int(max(y0, 0.0) * scale) : int(min(y1, height) * scale) + 1]:
                strip.append((x0, y0, x1, y1, i))
    for strip in strips:
        strip.sort()
    return [(max((word[2] - word[0] for word in strip), default=0.0), strip) for strip in strips]


def _overlaps_of_many(covers: Sequence[Cover], boxes: Sequence[Rect]) -> Iterator[tuple[Cover, Mapping[int, float]]]:
    """The same, all words at once: a page made of tens of thousands of large areas would take minutes."""
    import numpy as np

    x0, y0, x1, y1 = np.array(boxes).T
    area = np.maximum((x1 - x0) * (y1 - y0), 1e-6)
    for cover in covers:
        left, top, right, bottom = cover.box
        indices = np.flatnonzero((x0 < right) & (x1 > left) & (y0 < bottom) & (y1 > top))
        if len(indices):
            wide, high = np.minimum(right, x1) - np.maximum(left, x0), np.minimum(bottom, y1) - np.maximum(top, y0)
            yield cover, dict(zip(indices.tolist(), (wide * high / area)[indices].tolist(), strict=True))


def _painted(cover: Cover) -> tuple[bool, float | None]:
    """Whether it paints something that could hide a word, and how light, where that is known."""
    if cover.kind != pdfium.FPDF_PAGEOBJ_PATH:
        return True, None
    paint = paint_of(cover.item)
    if paint is None:
        return True, None
    if paint.filled:
        return True, lightness(paint.colour)
    return paint.line is not None and paint.line >= SIGHT.broad, None


class Look(NamedTuple):
    """How a text object is painted. (A tuple: there is one for each text object.)

    Attributes:
        order: its turn among what the page paints.
        mode: of drawing.
        light: 0 to 255; None where the paint is not plain.
        clip: what it is cut to, in the layout frame; None where nothing is left.
        why: why it is hidden, if it is; None where nothing of its own speaks for that.
        weak: whether that may come of what it lies in only, and other reasons go before.
    """

    order: int
    mode: int
    light: float | None
    clip: Rect | None
    why: HiddenReason | None = None
    weak: bool = False


def look_at(item: int, frame: PageFrame, objects: PageObjects, *, layers: bool) -> Look:
    """How the text object at an address is painted; with `layers` the document may have parts that are switched off."""
    if item not in objects.texts:
        return Look(0, 0, None, None, "covered", weak=True)
    order, holder = objects.texts[item]
    if objects.complete and not (layers or holder.shaped or holder.transparent):  # the common case, with few calls
        colour = pdf_file.colour_of(pdf_file.fill_colour, item)
        mode = pdf_file.render_mode(item)
        plain = mode == FILLED or (mode == _OUTLINED and pdf_file.colour_of(pdf_file.stroke_colour, item) == colour)
        is_special = not plain or pdf_file.clip_paths(pdf_file.clip_of(item)) > 0 or pdf_file.is_transparent(item)
        if colour and not is_special:
            return Look(order, mode, lightness(colour), holder.clip)
    clip, shaped = clipped(frame, item, holder)
    mode = pdf_file.render_mode(item)
    light, opacity, mixed = _paint(item, mode)
    why: HiddenReason | None = "invisible" if mode in (NO_INK, BOUNDS_ONLY) or not opacity else None
    weak = False
    if why is None and layers and (holder.switched or is_switched(item)):
        why = "switched off"
    if why is None:
        why = _perhaps(item, holder, shaped, mixed, layers=layers, complete=objects.complete)
        weak = why is not None
    return Look(order, mode, light, clip, why, weak)


def _paint(item: int, mode: int) -> tuple[float | None, int, bool]:
    """Lightness and opacity (0 to 255), and whether letters and their outlines differ."""
    fill = pdf_file.colour_of(pdf_file.stroke_colour if mode in _STROKED else pdf_file.fill_colour, item)
    if mode not in _BOTH:
        return lightness(fill), fill[3] if fill else 255, False
    lights = [lightness(fill), lightness(line := pdf_file.colour_of(pdf_file.stroke_colour, item))]
    known = [light for light in lights if light is not None]
    light = max(known) if len(known) == len(lights) else None
    return (
        light,
        max(c[3] if c else 255 for c in (fill, line)),
        len(known) == 2 and abs(known[0] - known[1]) > _DISTINCT,
    )


def _perhaps(
    item: int, holder: Holder, shaped: bool, mixed: bool, *, layers: bool, complete: bool
) -> HiddenReason | None:
    if shaped:
        return "clipped"
    if layers and holder.matrix is not None:
        return "switched off"
    if holder.transparent or pdf_file.is_transparent(item):
        return "invisible"
    if mixed:
        return "same colour"
    return None if complete else "covered"
