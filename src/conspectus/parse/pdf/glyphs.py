"""Glyphs of a page to words: the only module that asks PDFium for characters."""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pypdfium2.raw as pdfium

from conspectus.parse.pdf.model import Frame, Style, Word

LINE_HYPHEN = 2
"""PDFium's code for a hyphen at a line end."""

_SUBSET = re.compile(r"^[A-Z]{6}\+")
_BOLD = re.compile(
    r"bold|black|heavy|semibold|demi|medi(?!um)|cmbx|cmb\d|cmssbx|sfbx|ecbx|(?:^|[-,])b(?:$|[-,])|-bd|\.b(?:$|\+)", re.I
)
_ITALIC = re.compile(r"ital|obli|slant|kursiv|cmti|cmsl|cmmi|sfti|ecti|reguital|-it$|-i$|\.i$", re.I)
_NEVER = frozenset({0, 0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xFFFE, 0xFFFF})
_SPACES = frozenset(
    {9, 10, 11, 12, 13, 0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
)
_EXPAND = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}

# PDFium's own wrapper gives a pointer object for every glyph; as a number it is a key, and four times cheaper.
_text_object = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
    ctypes.cast(pdfium.FPDFText_GetTextObject, ctypes.c_void_p).value or 0
)


@dataclass(frozen=True, slots=True)
class _Run:
    """What the glyphs of one text object share. `turns` is None where the text does not run along an edge."""

    style: Style
    turns: int | None
    x: float
    y: float


@dataclass(slots=True)
class _Piece:
    """A word under construction, in PDF user space."""

    run: _Run
    text: str
    box: list[float]
    glued: bool
    broken: bool = False


def page_words(
    textpage: Any, box: tuple[float, float, float, float], shown: int
) -> tuple[Frame, list[Word], list[str]]:
    """The page's layout frame, its words in the order of the content stream, and texts in other directions.

    Args:
        textpage: A `pypdfium2.PdfTextPage`.
        box: The page's visible box in PDF user space: left, bottom, right, top.
        shown: The clockwise quarter turns with which the page is displayed.
    """
    pieces = _pieces(textpage.raw)
    counts = Counter[int]()
    for piece in pieces:
        if piece.run.turns is not None:
            counts[piece.run.turns] += len(piece.text)
    turns = counts.most_common(1)[0][0] if counts else shown
    frame = Frame(box, turns, shown)
    words = [_word(piece, frame) for piece in pieces if piece.run.turns == turns]
    visible = [w for w in words if w.x1 > 0 and w.x0 < frame.width and 0 < w.base < frame.height + w.style.size]
    return frame, visible, _stamps(pieces, turns)


def _pieces(raw: Any) -> list[_Piece]:
    """The glyphs of the page gathered to words. One tight loop: it runs for every glyph of every document."""
    unicode_at, loose_at, box_rect = pdfium.FPDFText_GetUnicode, pdfium.FPDFText_GetLooseCharBox, pdfium.FS_RECTF()
    rect, handle = ctypes.byref(box_rect), ctypes.cast(raw, ctypes.c_void_p)
    runs: dict[int, _Run] = {}
    pieces: list[_Piece] = []
    current: _Piece | None = None
    run: _Run | None = None
    last = high = 0
    for i in range(pdfium.FPDFText_CountChars(raw)):
        code = unicode_at(raw, i)
        if code in _SPACES:
            current = None
            continue
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if 0xDC00 <= code < 0xE000:
            code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00) if high else 0
            high = 0
        if code in _NEVER or code > 0x10FFFF or (code < 32 and code != LINE_HYPHEN):
            continue
        key = _text_object(handle, i) or last
        if key != last or run is None:
            last = key
            known = runs.get(key)
            run = runs[key] = known or _run(raw, i)
        if run.turns == 0:
            loose_at(raw, i, rect)
            box = [box_rect.left, box_rect.bottom, box_rect.right, box_rect.top]
        else:
            box = _char_box(raw, i)
        text = chr(code) if 2 < code < 0xFB00 else _text(code)
        joins = current is not None and _joins(current, run, box)
        if current is not None and joins and current.run is run:
            current.text += text
            _grow(current.box, box)
        else:
            current = _Piece(run, text, box, glued=joins)
            pieces.append(current)
        if code == LINE_HYPHEN:
            current.broken = True
            current = None
    return pieces


def _text(code: int) -> str:
    """The character as it is searched for: ligatures as letters, letters of formulas as plain ones."""
    if code == LINE_HYPHEN:
        return "-"
    if 0x1D400 <= code < 0x1D800:
        return unicodedata.normalize("NFKC", chr(code))
    return _EXPAND.get(code) or chr(code)


def _joins(piece: _Piece, run: _Run, box: list[float]) -> bool:
    """Whether a glyph at `box` follows `piece` without white space. PDFium has marked most spaces already."""
    if run.turns != piece.run.turns:
        return False
    if run.turns != 0:
        return True
    size = max(run.style.size, piece.run.style.size)
    gap = box[0] - piece.box[2]
    return -1.1 * size < gap < 0.3 * size and abs(run.y - piece.run.y) < 0.7 * size


def _grow(box: list[float], other: list[float]) -> None:
    box[0] = min(box[0], other[0])
    box[1] = min(box[1], other[1])
    box[2] = max(box[2], other[2])
    box[3] = max(box[3], other[3])


def _char_box(raw: Any, i: int) -> list[float]:
    """The glyph's tight box; PDFium's loose one is right for upright text only."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    pdfium.FPDFText_GetCharBox(raw, i, *map(ctypes.byref, (left, right, bottom, top)))
    return [left.value, bottom.value, right.value, top.value]


def _run(raw: Any, i: int) -> _Run:
    """The style, direction and baseline of the text object that glyph `i` belongs to."""
    matrix, x, y = pdfium.FS_MATRIX(), ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetMatrix(raw, i, ctypes.byref(matrix))
    pdfium.FPDFText_GetCharOrigin(raw, i, ctypes.byref(x), ctypes.byref(y))
    size = pdfium.FPDFText_GetFontSize(raw, i) * math.hypot(matrix.c, matrix.d)
    angle = math.degrees(math.atan2(matrix.b, matrix.a)) / 90
    turns = round(angle) % 4 if abs(angle - round(angle)) < 0.05 else None
    font, flags = _font(raw, i)
    return _Run(_style(font, flags, round(size, 1)), turns, x.value, y.value)


@lru_cache(maxsize=512)
def _style(font: str, flags: int, size: float) -> Style:
    """The style of a font at a size: one object for all equal ones, so that they can be told apart by identity."""
    bold = _BOLD.search(font) is not None or bool(flags & 0x40000)
    italic = _ITALIC.search(font) is not None or bool(flags & 0x40)
    return Style(font, size, bold, italic)


def _font(raw: Any, i: int) -> tuple[str, int]:
    buffer, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(raw, i, buffer, 128, ctypes.byref(flags))
    return _SUBSET.sub("", buffer.value.decode("utf-8", "replace")), flags.value


def _word(piece: _Piece, frame: Frame) -> Word:
    left, bottom, right, top = piece.box
    xa, ya = frame.point(left, bottom)
    xb, yb = frame.point(right, top)
    base = frame.point(piece.run.x, piece.run.y)[1]
    if not min(ya, yb) - 1 <= base <= max(ya, yb) + 1:
        base = max(ya, yb)  # the text object holds more than one line
    return Word(piece.text, min(xa, xb), max(xa, xb), base, piece.run.style, piece.glued, broken=piece.broken)


def _stamps(pieces: list[_Piece], turns: int) -> list[str]:
    """Texts that run in another direction than the page's, such as arXiv's in the margin."""
    stamps: list[str] = []
    inside = False
    for piece in pieces:
        if piece.run.turns == turns:
            inside = False
        elif inside:
            stamps[-1] += ("" if piece.glued else " ") + piece.text
        else:
            stamps.append(piece.text)
            inside = True
    return stamps
