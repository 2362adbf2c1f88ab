"""Which words of a page nobody sees.

Whether a text is seen is told by drawing the page without it and with it: where it leaves no trace, nobody sees it, be
it white on white, under a picture, cut away, switched off or transparent; white text on a dark ground leaves one. Only
what may be hidden, by how it is painted and by what lies over and under it, is drawn, and only that part of the page:
ordinary pages are not drawn at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np
import pypdfium2.raw as pdfium

from conspectus.parse.pdf import bare
from conspectus.parse.pdf.extras import Extras
from conspectus.parse.pdf.glyphs import Piece
from conspectus.parse.pdf.looks import BOUNDS_ONLY, LAST, NO_INK, Look, lightness, look_at
from conspectus.parse.pdf.model import Frame
from conspectus.parse.pdf.objects import Cover, PageObjects, begins_caption, page_objects, paint_of
from conspectus.parse.pdf.traces import Suspect, inked, traceless
from conspectus.records import HiddenReason, Rect

_TINY, _NARROW = 0.7, 0.2
"""Glyphs that are all lower than so many points, or with less width a letter, are not seen."""

_WORD, _MOST_MEASURED = 3, 8
_MAYBE_TINY = 1.6
"""Words lower than so many points are measured."""

_SHEET = 792.0
"""The longer side of a common page: smaller ones are shown larger."""

_PALE, _LIKE = 178, 64
"""Paint as light as this (of 255) may not be seen on paper; paint whose lightness differs by less from what lies under
it may not be seen there."""

_SHARED, _INSIDE = 0.25, 0.75
"""What covers so much of a word may hide it; of one that is cut to less than so much little may be left."""

_BROAD = 3.0
"""Lines thinner than so many points hide no word."""

_CHUNK = 500_000
_NOTE = -1
_EDGES = attrgetter("left", "bottom", "right", "top")
_NOTES_BESIDE = frozenset({pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP, pdfium.FPDF_ANNOT_WIDGET})
_SCANNED, _MOST_SEEN = 0.5, 0.25
"""A page of which pictures cover this part, with no more than this part of their letters seen, is a scan: its text
layer is not seen but in the picture."""

_OF_LAYERS = frozenset({"invisible", "covered", "same colour"})


class Sight:
    """What is painted on one page, and which of its words can be seen."""

    def __init__(self, page: Any, textpage: Any, has: Extras) -> None:
        """Of a `pypdfium2.PdfPage` and its `PdfTextPage`, and what its document may have."""
        self._page, self._text, self._has = page, textpage.raw, has
        self._walked: tuple[Frame, PageObjects] | None = None

    def objects(self, frame: Frame, words: Iterable[str]) -> PageObjects:
        """What the page paints, in the layout frame; turned text only where one of the words begins a caption."""
        if self._walked is None or self._walked[0] != frame:
            self._walked = frame, page_objects(self._page, frame, turned=any(map(begins_caption, words)))
        return self._walked[1]

    def unseen(self, pieces: Sequence[Piece], frame: Frame) -> Mapping[int, HiddenReason]:
        """Which of the pieces, by number, cannot be seen, and why."""
        objects = self.objects(frame, (piece.text for piece in pieces))
        firsts = _firsts(pieces)
        looks = {item: look_at(item, frame, objects, layers=self._has.layers) for item in firsts}
        blank = set(self._blank(firsts))
        boxes = _boxes(pieces, frame)
        hidden = dict(self._certain(pieces, boxes, frame))
        covers = [*objects.covers, *(self._notes(frame) if self._has.notes else ())]
        suspected = {i: why for i, why in _suspected(pieces, looks, blank, boxes, covers, frame) if i not in hidden}
        hidden |= self._untraced(suspected, pieces, looks, frame)
        if not hidden:
            return hidden
        return {i: why for i, why in hidden.items() if i not in self._layer(hidden, pieces, boxes, frame, objects)}

    def _certain(self, pieces: Sequence[Piece], boxes: Any, frame: Frame) -> Iterator[tuple[int, HiddenReason]]:
        """Those beside the page, and those too small to be seen."""
        beside = (boxes[:, 2] <= 0) | (boxes[:, 3] <= 0) | (boxes[:, 0] >= frame.width) | (boxes[:, 1] >= frame.height)
        for i in np.flatnonzero(beside).tolist():
            yield i, "off page"
        shown = min(1.0, max(frame.width, frame.height) / _SHEET)
        sizes = boxes[:, 2:] - boxes[:, :2]
        small = sizes.min(axis=1) < _MAYBE_TINY * shown
        for i in np.flatnonzero(small & ~beside).tolist():
            if _has_letters(pieces[i]) and self._is_tiny(pieces[i], max(sizes[i]), shown):
                yield i, "tiny"

    def _is_tiny(self, piece: Piece, length: float, shown: float) -> bool:
        if len(piece.text) >= _WORD and length < _NARROW * shown * len(piece.text):
            return True
        boxes = [bare.box_of(self._text, piece.first + i) for i in range(min(len(piece.text), _MOST_MEASURED))]
        high, wide = max(top - bottom for _, bottom, _, top in boxes), max(right - left for left, _, right, _ in boxes)
        if piece.run.turns is None:
            high = wide = max(high, wide)
        elif piece.run.turns % 2:
            high, wide = wide, high
        return high < _TINY * shown or wide < _NARROW * shown

    def _blank(self, firsts: Mapping[int, Piece]) -> Iterator[int]:
        """The text objects in fonts that draw letters as nothing, by the first letter that the page has of each."""
        fonts: dict[int, bool] = {}
        for item, piece in firsts.items():
            font = bare.font_of(item) or 0
            if font not in fonts and piece.text[0].isalnum():
                left, bottom, right, top = bare.box_of(self._text, piece.first)
                fonts[font] = right <= left or top <= bottom
            if fonts.get(font):
                yield item

    def _notes(self, frame: Frame) -> Iterator[Cover]:
        """What readers have put upon the page: notes, marks, black bars."""
        raw, rect = self._page.raw, pdfium.FS_RECTF()
        for i in range(pdfium.FPDFPage_GetAnnotCount(raw)):
            note = pdfium.FPDFPage_GetAnnot(raw, i)
            if pdfium.FPDFAnnot_GetSubtype(note) not in _NOTES_BESIDE and pdfium.FPDFAnnot_GetRect(note, rect):
                yield Cover(LAST, _NOTE, 0, frame.rect((rect.left, rect.bottom, rect.right, rect.top)))
            pdfium.FPDFPage_CloseAnnot(note)

    def _untraced(
        self, suspected: Mapping[int, HiddenReason], pieces: Sequence[Piece], looks: Mapping[int, Look], frame: Frame
    ) -> Iterator[tuple[int, HiddenReason]]:
        """Those of the suspected that are not seen where the page is drawn."""
        modes = {i: looks[pieces[i].run.item].mode for i in suspected}
        bounds = [i for i, mode in modes.items() if mode == BOUNDS_ONLY]
        if bounds:
            filled = inked(self._page, [_displayed(pieces[i], frame) for i in bounds])
            yield from ((i, suspected[i]) for i, ink in zip(bounds, filled, strict=True) if not ink)
        painted = [i for i, mode in modes.items() if mode not in (NO_INK, BOUNDS_ONLY)]
        if painted:
            found = [_suspect(pieces[i], frame) for i in painted]
            without = traceless(self._page, found)
            yield from ((i, suspected[i]) for i, traced in zip(painted, without, strict=True) if traced)
        yield from ((i, suspected[i]) for i, mode in modes.items() if mode == NO_INK)

    def _layer(
        self,
        hidden: Mapping[int, HiddenReason],
        pieces: Sequence[Piece],
        boxes: Any,
        frame: Frame,
        objects: PageObjects,
    ) -> set[int]:
        """Those of the hidden that are the text of a scan: seen in the picture that they lie over or under."""
        pictures = [cover.box for cover in objects.covers if cover.kind == pdfium.FPDF_PAGEOBJ_IMAGE]
        if sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in pictures) < _SCANNED * frame.width * frame.height:
            return set()
        middles = (boxes[:, :2] + boxes[:, 2:]) / 2
        within = np.zeros(len(pieces), dtype=bool)
        for x0, y0, x1, y1 in pictures:
            within |= (middles[:, 0] > x0) & (middles[:, 0] < x1) & (middles[:, 1] > y0) & (middles[:, 1] < y1)
        over = np.flatnonzero(within).tolist()
        letters = sum(len(pieces[i].text) for i in over)
        if sum(len(pieces[i].text) for i in over if i not in hidden) > _MOST_SEEN * letters:
            return set()
        candidates = [i for i in over if hidden.get(i) in _OF_LAYERS]
        if not candidates:
            return set()
        found = inked(self._page, [_displayed(pieces[i], frame) for i in candidates])
        return {i for i, ink in zip(candidates, found, strict=True) if ink}


def _suspected(
    pieces: Sequence[Piece],
    looks: Mapping[int, Look],
    blank: set[int],
    boxes: Any,
    covers: Sequence[Cover],
    frame: Frame,
) -> Iterator[tuple[int, HiddenReason]]:
    """Those that may be hidden, by number, and why they are if they are; `blank` text objects may draw nothing."""
    covered, grounded = _layers(covers, pieces, looks, boxes)
    whole = (0.0, 0.0, frame.width, frame.height)
    odd = blank | {item for item, look in looks.items() if not _is_plain(look, whole)}
    at = (i for i, piece in enumerate(pieces) if piece.run.item in odd) if odd else ()
    for i in sorted({*at, *covered, *grounded}):
        look = looks[pieces[i].run.item]
        if not _has_letters(pieces[i]):
            continue
        if look.why and not look.weak:
            yield i, look.why
        elif look.clip != whole and not _is_inside(boxes[i], look.clip):
            yield i, "clipped"
        elif i in covered:
            yield i, "covered"
        elif look.light is None or look.light >= _PALE or i in grounded:
            yield i, "same colour"
        elif look.why or pieces[i].run.item in blank:
            yield i, look.why or "invisible"


def _firsts(pieces: Sequence[Piece]) -> dict[int, Piece]:
    """The first piece of each text object."""
    firsts: dict[int, Piece] = {}
    run = None
    for piece in pieces:
        if piece.run is not run:
            run = piece.run
            firsts.setdefault(run.item, piece)
    return firsts


def _boxes(pieces: Sequence[Piece], frame: Frame) -> Any:
    """The boxes of the pieces in the layout frame, one a row: left, top, right, bottom."""
    own = np.fromiter(chain.from_iterable(map(_EDGES, pieces)), float, 4 * len(pieces)).reshape(-1, 4)
    x0, y0, x1, y1 = frame.rect((own[:, 0], own[:, 1], own[:, 2], own[:, 3]))  # type: ignore[arg-type]
    return np.stack((x0, y0, x1, y1), axis=1)


def _is_plain(look: Look, whole: Rect) -> bool:
    """Whether nothing of its own speaks for a text object's being hidden."""
    return look.why is None and look.clip == whole and look.light is not None and look.light < _PALE


def _is_empty(box: Rect) -> bool:
    return box[2] <= box[0] or box[3] <= box[1]


def _has_letters(piece: Piece) -> bool:
    """Whether the piece says anything: points of a plot may be glyphs, and lie on each other."""
    return any(map(str.isalnum, piece.text))


def _suspect(piece: Piece, frame: Frame) -> Suspect:
    return Suspect(piece.run.item, _displayed(piece, frame), len(piece.text), piece.run.style.size)


def _displayed(piece: Piece, frame: Frame) -> Rect:
    return frame.displayed(frame.rect((piece.left, piece.bottom, piece.right, piece.top)))


def _is_inside(box: Any, clip: Rect | None) -> bool:
    """Whether most of the box is in the clip."""
    if clip is None:
        return False
    x0, y0, x1, y1 = (float(value) for value in box)
    part = max(min(x1, clip[2]) - max(x0, clip[0]), 0.0) * max(min(y1, clip[3]) - max(y0, clip[1]), 0.0)
    return part >= _INSIDE * (x1 - x0) * (y1 - y0)


def _layers(
    covers: Sequence[Cover], pieces: Sequence[Piece], looks: Mapping[int, Look], boxes: Any
) -> tuple[set[int], set[int]]:
    """The words (by number) over which something is painted, and those that may have the colour of what they lie on."""
    over = [(cover, shares) for cover, shares in _overlaps(covers, boxes) if _painted(cover)[0]]
    if not over:
        return set(), set()
    ways = [looks[piece.run.item] for piece in pieces]
    orders = np.array([look.order for look in ways])
    lights = np.array([np.nan if look.light is None else look.light for look in ways])
    covered, grounded = np.zeros(len(pieces)), np.zeros(len(pieces), dtype=bool)
    for cover, shares in over:
        covered += np.where(orders < cover.order, shares, 0.0)
        under, light = (orders > cover.order) & (shares >= _SHARED), _painted(cover)[1]
        grounded |= under if light is None else under & (np.abs(lights - light) < _LIKE)
    return set(np.flatnonzero(covered >= _SHARED).tolist()), set(np.flatnonzero(grounded).tolist())


def _overlaps(covers: Sequence[Cover], boxes: Any) -> Iterator[tuple[Cover, Any]]:
    """The covers that lie over or under some word, each with the part of every word that it shares."""
    if not len(covers) or not len(boxes):
        return
    areas = np.maximum((boxes[:, 2:] - boxes[:, :2]).prod(axis=1), 1e-6)
    x0, y0, x1, y1 = np.ascontiguousarray(boxes.T)
    many = max(_CHUNK // len(boxes), 1)
    for start in range(0, len(covers), many):
        left, top, right, bottom = np.array([cover.box for cover in covers[start : start + many]]).T[:, :, None]
        met = ((left < x1) & (right > x0) & (top < y1) & (bottom > y0)).any(axis=1)
        for i in np.flatnonzero(met).tolist():
            wide = np.minimum(right[i], x1) - np.maximum(left[i], x0)
            high = np.minimum(bottom[i], y1) - np.maximum(top[i], y0)
            shares = np.maximum(wide, 0.0) * np.maximum(high, 0.0) / areas
            if shares.any():
                yield covers[start + i], shares


def _painted(cover: Cover) -> tuple[bool, float | None]:
    """Whether it paints something that could hide a word, and how light, where that is known."""
    if cover.kind != pdfium.FPDF_PAGEOBJ_PATH:
        return True, None
    paint = paint_of(cover.item)
    if paint is None:
        return True, None
    if paint.filled:
        return True, lightness(paint.colour)
    return paint.line is not None and paint.line >= _BROAD, None
