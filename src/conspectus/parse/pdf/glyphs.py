"""Glyphs of a page to words: the only module that asks PDFium for characters."""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby
from typing import Any

import pypdfium2.raw as pdfium

from conspectus.parse.pdf import pdf_file
from conspectus.parse.pdf.glyph_meanings import MARKS, FontSigns, compose, decode_composed, signs_of_font
from conspectus.parse.pdf.lines import build_lines
from conspectus.parse.pdf.page_text import HiddenWord, PageFrame, PaintedStyle, Turned, Word, around
from conspectus.parse.pdf.pdf_file import quarter_turns
from conspectus.parse.pdf.thresholds import LINES
from conspectus.records import HiddenReason, Rect

MOST_CHARS = 200_000
"""More than any page has, be it a poster; a page of millions would take minutes and gigabytes."""
LINE_HYPHEN = 2
"""PDFium's code for a hyphen at a line end."""
_UNSURE = 0xFFFE
"""What stands for a hyphen at a line end in text taken as a whole, and for characters without a meaning."""
EM_DASH = 0x2014
"""Words are told apart at it, so that `Abstract—We` is two words with two places."""
_SUBSET = re.compile(r"^[A-Z]{6}\+")
_BOLD = re.compile(
    r"bold|black|heavy|semibold|demi|medi(?!um)|cmbx|cmb\d|cmssbx|(?:sf|ec)(?:bx|sx)|(?:^|[-,])b(?:$|[-,])|-bd|\.b(?:$|\+)|(?-i:[a-z]T?B(?:I|O)?$)",
    re.I,
)
_ITALIC = re.compile(r"ital|obli|slant|kursiv|cmti|cmsl|cmmi|sfti|ecti|reguital|-it$|-i$|\.i$|(?-i:[a-z]TB?I$)", re.I)
_NEVER = frozenset({0, 0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xFFFE, 0xFFFF})
_MEANINGLESS = frozenset({0xFFFE, 0xFFFF})
_SPACES = frozenset(
    {9, 10, 11, 12, 13, 0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
)
_EXPAND = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_UNNAMED = {
    0x0B: 0xFB00, 0x0C: 0xFB01, 0x0D: 0xFB02, 0x0E: 0xFB03, 0x0F: 0xFB04, 0x10: 0x201C, 0x11: 0x201D, 0x12: 0x201E,
    0x13: 0xAB, 0x14: 0xBB, 0x15: 0x2013, 0x16: 0x2014, 0x1B: 0xFB00, 0x1C: 0xFB01, 0x1D: 0xFB02, 0x1E: 0xFB03,
    0x1F: 0xFB04, 0x88: 0x2022,
}  # fmt: skip
"""Codes of glyphs whose font does not say what they mean, as TeX's bitmap fonts have them: ligatures and dashes."""
_RETURN = 0x0D
"""PDFium's own line end; a ligature only in fonts that have others."""
_UNSURE_OR_UNNAMED = frozenset({_UNSURE, *_UNNAMED, *range(32)}) - {LINE_HYPHEN, 9, 10, _RETURN}
_MATRIX, _X, _Y, _FLAGS = pdfium.FS_MATRIX(), ctypes.c_double(), ctypes.c_double(), ctypes.c_int()
_LONGEST_NAME = 128
_NAME = ctypes.create_string_buffer(_LONGEST_NAME)
_MATRIX_AT, _ORIGIN_AT = ctypes.byref(_MATRIX), (ctypes.byref(_X), ctypes.byref(_Y))
_NAME_AT, _FLAGS_AT = ctypes.addressof(_NAME), ctypes.addressof(_FLAGS)
"""One place for all answers, which plots need for every number; PDFium is not to be called by two threads anyway."""


class CrowdedPageError(Exception):
    """A page has more characters than any page shows: `count`."""

    def __init__(self, count: int) -> None:
        self.count = count


@dataclass(slots=True)
class GlyphRun:
    """What the glyphs of one text object, at address `item`, share. `raw` is the text page that they were read from.

    `turns` is None where the text does not run along an edge. `back` and `reach` bound the gap to a glyph that follows
    without white space. `signs` is what codes mean whose font does not say it, where that is one of TeX's.
    """

    raw: Any
    item: int
    style: PaintedStyle
    turns: int | None
    x: float
    y: float
    back: float
    reach: float
    signs: FontSigns | None


@dataclass(slots=True)
class Piece:
    """A word under construction, in PDF user space. `first` is the number of its first glyph on the page."""

    run: GlyphRun
    first: int
    text: str
    left: float
    bottom: float
    right: float
    top: float
    glued: bool


@dataclass(frozen=True, slots=True)
class PageWords:
    """What is written on a page: its layout frame, its words in the order of the content stream, texts in other
    directions, the words that nobody sees, and the places of characters that have no meaning that could be read."""

    frame: PageFrame
    words: list[Word]
    stamps: list[Turned]
    hidden: list[HiddenWord]
    unread: list[Rect]


Unseen = Callable[[Sequence[Piece], PageFrame], Mapping[int, HiddenReason]]
"""Tells which of the pieces (by number) nobody sees, given in the page's user space, and the frame of most of them."""


def page_words(page: Any, box: Rect, unseen: Unseen = lambda _pieces, _frame: {}) -> PageWords:
    """The words of the page.

    Args:
        page: A `pypdfium2.PdfPage`.
        box: The page's visible box in PDF user space: left, bottom, right, top.
        unseen: Which of them are hidden.

    Raises:
        CrowdedPageError: It has more characters than are read.
    """
    page_turns = quarter_turns(page)
    with ExitStack() as text_pages:
        raw = text_pages.enter_context(_text_page(page, page_turns))
        codes, pieces = _read(raw)
        for turns in _misordered(pieces, page_turns):
            level = _read(text_pages.enter_context(_text_page(page, turns)))[1]
            pieces = [piece for piece in pieces if piece.run.turns != turns]
            pieces += (piece for piece in level if piece.run.turns == turns)
        return _page_words(raw, codes, pieces, PageFrame(box, page_turns, page_turns), unseen)


def _misordered(pieces: Sequence[Piece], page_turns: int) -> list[int]:
    """The directions of which PDFium may give the text objects in a wrong order: those that run down the page as it is
    displayed, or upside down, in more than one object. What runs up it begins further right with each line."""
    objects: dict[int, set[int]] = {}
    for piece in pieces:
        if piece.run.turns is not None and (piece.run.turns - page_turns) % 4 > 1:
            objects.setdefault(piece.run.turns, set()).add(piece.run.item)
    return sorted(turns for turns, items in objects.items() if len(items) > 1)


@contextmanager
def _text_page(page: Any, turns: int) -> Iterator[Any]:
    """PDFium's text page of the page while it is displayed with `turns` clockwise quarter turns.

    PDFium puts text objects that begin at one height of the displayed page in order from left to right. This is right
    for level text only: of text that runs down the page, it would give the last line first.
    """
    page_turns = quarter_turns(page)
    if turns != page_turns:
        page.set_rotation(90 * turns)
    try:
        text_page = page.get_textpage()
    finally:
        if turns != page_turns:
            page.set_rotation(90 * page_turns)
    try:
        yield text_page.raw
    finally:
        text_page.close()


def _read(raw: Any) -> tuple[list[int], list[Piece]]:
    """The characters of a text page, and the words that they make."""
    if (count := pdfium.FPDFText_CountChars(raw)) > MOST_CHARS:
        raise CrowdedPageError(count)
    codes = _codes(raw)
    if not MARKS.isdisjoint(codes):
        compose(raw, codes, lambda i: _font_meaning(raw, i, codes[i]))
    return codes, _pieces(raw, codes)


def _page_words(raw: Any, codes: Sequence[int], pieces: list[Piece], displayed: PageFrame, unseen: Unseen) -> PageWords:
    box, page_turns = displayed.box, displayed.display_turns
    frame = _frame(pieces, box, page_turns)
    reasons = unseen(pieces, frame) if pieces else {}
    hidden_pieces = [(piece, reasons[i]) for i, piece in enumerate(pieces) if i in reasons] if reasons else []
    if reasons:
        pieces = [piece for i, piece in enumerate(pieces) if i not in reasons]
        frame = _frame(pieces, box, page_turns)
    level_pieces = [piece for piece in pieces if piece.run.turns == frame.turns]
    words = [_word(piece, frame) for piece in level_pieces]
    unread = [i for i, code in enumerate(codes) if _is_unread(code)] if any(map(_is_unread, set(codes))) else []
    hidden = [HiddenWord(_word(piece, frame), reason) for piece, reason in hidden_pieces]
    stamps = _stamps(pieces, frame) if len(level_pieces) < len(pieces) else []
    return PageWords(frame, words, stamps, hidden, [frame.rect(pdf_file.box_of(raw, i)) for i in unread])


def _frame(pieces: Sequence[Piece], box: Rect, page_turns: int) -> PageFrame:
    """The frame in which most of the text is level."""
    directions = {turns for piece in pieces if (turns := piece.run.turns) is not None}
    if len(directions) < 2:
        return PageFrame(box, next(iter(directions), page_turns), page_turns)
    counts = Counter[int]()
    for piece in pieces:
        if piece.run.turns is not None:
            counts[piece.run.turns] += len(piece.text)
    return PageFrame(box, counts.most_common(1)[0][0], page_turns)


def _pieces(raw: Any, codes: list[int]) -> list[Piece]:
    """The glyphs of the page gathered to words. One tight loop: it runs for every glyph of every document."""
    box = pdfium.FS_RECTF()
    into, handle = ctypes.byref(box), ctypes.cast(raw, ctypes.c_void_p)
    text_object, loose_box, spaces = pdf_file.untyped_object, pdf_file.untyped_box, _SPACES
    runs: dict[int, GlyphRun] = {}
    pieces: list[Piece] = []
    current: Piece | None = None
    run: GlyphRun | None = None
    last = high = before = 0
    for i, unit in enumerate(codes):
        if unit in spaces:
            current = None
            continue
        code = unit
        if code < 32 or code > 0xD7FF:
            code, high = _odd_code(code, high)
        if not code:
            continue
        key = text_object(handle, i) or last
        if key != last or run is None:
            last = key
            run = runs.get(key) or runs.setdefault(key, _run(raw, handle, i, key))
        if run.signs is not None:
            code = run.signs.resolve_code(code, partial(_is_unsure, raw, i))
        if run.turns == 0:
            loose_box(handle, i, into)
            left, right = box.left, box.right
            if (
                current is not None
                and current.run is run
                and run.back < left - current.right < run.reach
                and before != EM_DASH
            ):
                current.text += _text(code) if code > 0xFAFF or code < 32 else chr(code)
                current.left = left if left < current.left else current.left
                current.right = right if right > current.right else current.right
            else:
                current = _new_piece(current, run, i, code, (left, box.bottom, right, box.top))
                pieces.append(current)
        else:
            current = _turned(current, run, i, code, pdf_file.box_of(raw, i), pieces)
        before = code
        if code == LINE_HYPHEN:
            current = None
    return pieces


def _codes(raw: Any) -> list[int]:
    """The characters of the page as PDFium counts them, in UTF-16."""
    count = pdfium.FPDFText_CountChars(raw)
    units = (ctypes.c_ushort * (count + 1))()
    written = pdfium.FPDFText_GetText(raw, 0, count, units)
    whole_text = written == count + 1
    codes: list[int] = units[:count] if whole_text else [pdfium.FPDFText_GetUnicode(raw, i) for i in range(count)]
    odd = _UNSURE_OR_UNNAMED.intersection(codes)
    if odd:
        odd |= {_RETURN}
        for i, code in enumerate(codes):
            if code not in odd:
                continue
            if code == _UNSURE:
                codes[i] = pdfium.FPDFText_GetUnicode(raw, i)
            elif not code or _is_unsure(raw, i):
                signs = signs_of_font(_font_name(raw, i))
                codes[i] = signs.codes.get(code, code) if signs else _guess_code(codes, i) if code in _UNNAMED else code
    return codes


def _font_meaning(raw: Any, i: int, code: int) -> int:
    """What a code means where its font is one of TeX's that do not say it."""
    signs = signs_of_font(_font_name(raw, i))
    return signs.resolve_code(code, partial(_is_unsure, raw, i)) if signs else code


def _is_unsure(raw: Any, i: int) -> bool:
    return bool(pdfium.FPDFText_HasUnicodeMapError(raw, i) == 1)


def _font_name(raw: Any, i: int) -> str:
    """The name of a glyph's font, without its subset's prefix."""
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(raw, i, name, 128, ctypes.byref(flags))
    return _plain_name(name.value)


def _plain_name(name: bytes) -> str:
    """The font's name without its subset's prefix."""
    return _SUBSET.sub("", name.decode("utf-8", "replace"))


def _guess_code(codes: list[int], i: int) -> int:
    """What code `i`, of which the font says nothing, most likely means. Ligatures stand beside small letters."""
    meant = _UNNAMED[codes[i]]
    neighbours = codes[max(i - 1, 0)], codes[min(i + 1, len(codes) - 1)]
    if meant >= 0xFB03:  # those of three letters end no word
        return meant if 0x61 <= neighbours[1] <= 0x7A else codes[i]
    return meant if meant < 0xFB00 or any(0x61 <= code <= 0x7A for code in neighbours) else codes[i]


def _odd_code(code: int, high: int) -> tuple[int, int]:
    """A rare code as a code point (0: not to be read), and the first half of a surrogate pair if it is one."""
    if 0xD800 <= code < 0xDC00:
        return 0, code
    if 0xDC00 <= code < 0xE000:
        return (0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00) if high else 0), 0
    if code > 0x10FFFF:
        return code, 0  # a letter with its accent
    if code in _NEVER or (code < 32 and code != LINE_HYPHEN):
        return 0, 0
    return code, 0


def _is_unread(code: int) -> bool:
    """Whether a character stands for a glyph of which the font does not say what it means."""
    return code in _MEANINGLESS or (code < 32 and code not in _SPACES and code != LINE_HYPHEN)


def _text(code: int) -> str:
    """The character as it is searched for: ligatures as letters, letters of formulas as plain ones."""
    if code == LINE_HYPHEN:
        return "-"
    if 0x1D400 <= code < 0x1D800:
        return unicodedata.normalize("NFKC", chr(code))
    if code > 0x10FFFF:
        return decode_composed(code)
    return _EXPAND.get(code) or chr(code)


def _new_piece(before: Piece | None, run: GlyphRun, i: int, code: int, box: Rect) -> Piece:
    """A piece that begins with character `i` at `box`, glued to `before` where no white space is between."""
    return Piece(run, i, _text(code), *box, glued=before is not None and _joins(before, run, box[0]))


def _joins(before: Piece, run: GlyphRun, left: float) -> bool:
    """Whether a glyph at `left` follows `before` without white space. PDFium has marked most spaces already."""
    if run.turns != before.run.turns:
        return False
    if run.turns != 0:
        return True
    reach = max(run.reach, before.run.reach)
    return (
        min(run.back, before.run.back) < left - before.right < reach and abs(run.y - before.run.y) < LINES.jump * reach
    )


def _turned(current: Piece | None, run: GlyphRun, i: int, code: int, box: Rect, pieces: list[Piece]) -> Piece:
    """The piece that a glyph of turned text belongs to, new ones appended to `pieces`."""
    if current is not None and current.run is run:
        current.text += _text(code)
        current.left, current.bottom = min(current.left, box[0]), min(current.bottom, box[1])
        current.right, current.top = max(current.right, box[2]), max(current.top, box[3])
        return current
    pieces.append(_new_piece(current, run, i, code, box))
    return pieces[-1]


def _run(raw: Any, handle: ctypes.c_void_p, i: int, item: int) -> GlyphRun:
    """The style, direction and baseline of the text object that glyph `i` belongs to."""
    m = _MATRIX if pdf_file.untyped_matrix(handle, i, _MATRIX_AT) else pdfium.FS_MATRIX()
    x, y = (_X.value, _Y.value) if pdf_file.untyped_origin(handle, i, *_ORIGIN_AT) else (0.0, 0.0)
    long = pdf_file.font_info(handle, i, _NAME_AT, _LONGEST_NAME, _FLAGS_AT)
    name = _NAME.value if 0 < long <= _LONGEST_NAME else b""
    size = pdf_file.font_size(handle, i) * math.hypot(m.c, m.d)
    angle = math.degrees(math.atan2(m.b, m.a)) / 90
    turns = round(angle) % 4 if abs(angle - round(angle)) < LINES.upright else None
    style = _style(name, _FLAGS.value if long else 0, round(size, 1))
    return GlyphRun(raw, item, style, turns, x, y, -LINES.back * size, LINES.reach * size, signs_of_font(style.font))


@lru_cache(maxsize=512)
def _style(name: bytes, flags: int, size: float) -> PaintedStyle:
    """The style of a font at a size: one object for all equal ones, so that they can be told apart by identity."""
    font = _plain_name(name)
    bold = _BOLD.search(font) is not None or bool(flags & 0x40000)
    italic = _ITALIC.search(font) is not None or bool(flags & 0x40)
    return PaintedStyle(font, size, bold, italic)


def _word(piece: Piece, frame: PageFrame) -> Word:
    if frame.turns == 0:  # the common case, without calls: it runs for every word
        left, _, _, above = frame.box
        x0, x1, top, bottom = piece.left - left, piece.right - left, above - piece.top, above - piece.bottom
        base = above - piece.run.y
    else:
        x0, top, x1, bottom = frame.rect((piece.left, piece.bottom, piece.right, piece.top))
        base = frame.point(piece.run.x, piece.run.y)[1]
    if not top - 1 <= base <= bottom + 1:
        base = bottom  # the text object holds more than one line
    return Word(piece.text, x0, x1, base, piece.run.style, piece.glued)


def _stamps(pieces: Sequence[Piece], frame: PageFrame) -> list[Turned]:
    """The lines that run in another direction than the page's text, such as arXiv's stamp in the margin."""
    stamps: list[Turned] = []
    for turns, group in groupby(pieces, lambda piece: piece.run.turns):
        if turns == frame.turns:
            continue
        if turns is None:  # it runs along no edge of the page, such as a watermark
            slanted = list(group)
            text = "".join(("" if piece.glued else " ") + piece.text for piece in slanted).strip()
            box = around(frame.rect((piece.left, piece.bottom, piece.right, piece.top)) for piece in slanted)
            stamps.append(Turned(text, box))
            continue
        own_frame = PageFrame(frame.box, turns, frame.display_turns)
        lines = build_lines(0, [_word(piece, own_frame) for piece in group])
        stamps += (Turned(line.text, own_frame.move_rect(line.box, frame), line.words, own_frame) for line in lines)
    return stamps
