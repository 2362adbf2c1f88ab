"""What glyphs mean: accents brought to their letters, and codes of TeX's fonts for formulas and of Symbol.

Accents are glyphs of their own, told by their places: TeX prints an accent before its letter, other programs after it,
and a tilde in an address, or a hat between two letters of a formula, is no accent at all. What the codes of fonts mean
(The TeXbook, appendix F) is known here where a PDF is silent.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pypdfium2.raw as pdfium

from conspectus.parse.pdf import pdf_file
from conspectus.parse.pdf.thresholds import LINES
from conspectus.records import Rect

_SPACING = dict(
    zip(
        "`´¨ˆ^˜~ˇ˘˚°˙¯ˉ˝¸˛ˋˊ",
        "\u0300\u0301\u0308\u0302\u0302\u0303\u0303\u030c\u0306\u030a\u030a\u0307\u0304\u0304\u030b\u0327\u0328\u0300\u0301",
        strict=True,
    )
)
_COMBINING = {ord(sign): ord(mark) for sign, mark in _SPACING.items()}
_COMBINING |= {code: code for code in (*range(0x300, 0x370), 0x20D7)}
MARKS = frozenset(_COMBINING)
"""The codes of what may be an accent."""
_BELOW = frozenset({0x327, 0x328, *range(0x323, 0x334)})
_UNDOTTED = {"ı": "i", "ȷ": "j", "\uf6be": "j"}  # the last is Adobe's code of the second
_SHIFT = 24
_GONE = 0xFEFF
"""A character that shows nothing and is never read: where an accent, or half of a letter, was."""
_REACH = 4
"""An accent stands so many characters from its letter, at most: spaces that PDFium makes up may lie between."""
_ITALIC = (
    "ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυϕχψωεϑϖϱςφ↼↽⇀⇁ˋˊ▷◁0123456789.,</>⋆∂ABCDEFGHIJKLMNOPQRSTUVWXYZ♭♮♯⌣⌢ℓ"
    "abcdefghijklmnopqrstuvwxyzıȷ℘"
)
_SYMBOLS = (
    "−·×∗÷⋄±∓⊕⊖⊗⊘⊙○∘•≍≡⊆⊇≤≥⪯⪰∼≈⊂⊃≪≫≺≻←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝′∞∈∋△▽̸↦∀∃¬∅ℜℑ⊤⊥ℵABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "∪∩⊎∧∨⊢⊣⌊⌋⌈⌉{}⟨⟩|∥↕⇕\\≀√⨿∇∫⊔⊓⊑⊒§†‡¶♣♦♥♠"
)
_LARGE = (
    "()[]⌊⌋⌈⌉{}⟨⟩|∥/\\()()[]⌊⌋⌈⌉{}⟨⟩/\\()[]⌊⌋⌈⌉{}⟨⟩/\\/\\⎛⎞⎡⎤⎣⎦⎢⎥⎧⎫⎩⎭⎨⎬⎪⏐⎝⎠⎜⎟⟨⟩"
    "⨆⨆∮∮⨀⨀⨁⨁⨂⨂∑∏∫⋃⋂⨄⋀⋁∑∏∫⋃⋂⨄⋀⋁∐∐ˆˆˆ˜˜˜[]⌊⌋⌈⌉{}√√√√⎷⏐⌜∥↑↓⏞⏞⏟⏟⇑⇓"
)
_SYMBOL = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
_SYMBOL_HIGH = "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
_SYMBOL_LAST = "⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
_PIECES = "⏐⎯®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭"
"""Parts of large signs, from U+F8E6 on, as Adobe numbers them for want of others."""
_ALIKE = frozenset(map(ord, "-*.,:;<>=~^'`·•∙/\\|+()[]{}µ∆Ω"))
"""What files say for signs of these fonts that look alike, or have two numbers: it is believed."""


def compose(raw: Any, codes: list[int], meant: Callable[[int], int]) -> None:
    """Put each accent on its letter: the letter's code in `codes` becomes both's, and the accent's means nothing.

    Args:
        raw: PDFium's text page.
        codes: The characters of the page. Both in one are a number that `decode_composed` reads.
        meant: What character a number of the page stands for, by its font.
    """
    for i, code in enumerate(codes):
        if code in MARKS and (mark := _COMBINING.get(meant(i))) and (owner := _owner(raw, codes, i, mark, meant)) >= 0:
            letter = meant(owner)
            if 0xDC00 <= letter < 0xE000:
                letter = 0x10000 + ((codes[owner - 1] - 0xD800) << 10) + (letter - 0xDC00)
                codes[owner - 1] = _GONE
            codes[owner] = _both(letter, mark)
            codes[i] = _GONE
            _close(raw, codes, i)


def decode_composed(code: int) -> str:
    """What a number stands for that `compose` made."""
    text = ""
    while code:
        code, character = code >> _SHIFT, code & 0x1FFFFF
        text += chr(character)
    return text


def _both(letter: int, mark: int) -> int:
    """A letter with its mark as one code: that of the character where there is one."""
    text = unicodedata.normalize("NFKC", chr(letter)) if letter > 0xFFFF else chr(letter)
    base = text if mark in _BELOW else _UNDOTTED.get(text, text)
    character = unicodedata.normalize("NFC", base + chr(mark))
    return ord(character) if len(character) == 1 else mark << _SHIFT | ord(base)


def _owner(raw: Any, codes: Sequence[int], i: int, mark: int, meant: Callable[[int], int]) -> int:
    """The number of the letter over or under which mark `i` is; -1 where it is a sign of its own."""
    turns = _turns(raw, i)
    mark_box, tight = _box(raw, i, turns)
    best, owner = LINES.accent, -1
    for near in (*_near(codes, i, meant), *_under(raw, codes, mark_box if turns == 0 else None, mark, meant)):
        box, sharp = _box(raw, near, turns)
        overlap = min(mark_box[2], box[2]) - max(mark_box[0], box[0])
        share = overlap / max(min(mark_box[2] - mark_box[0], box[2] - box[0]), 1e-6)
        if best < share and (not (tight and sharp) or _is_at(mark_box, box, mark)):
            best, owner = share, near
    return owner


def _near(codes: Sequence[int], i: int, meant: Callable[[int], int]) -> Iterator[int]:
    """The letters and digits about a place, that after it first."""
    for step in (1, -1):
        for j in range(i + step, i + step * (_REACH + 1), step):
            if not 0 <= j < len(codes):
                break
            if codes[j] > 0x10FFFF:  # it has an accent
                break
            if _is_letter(meant(j)):
                yield j
                break


def _under(
    raw: Any, codes: Sequence[int], mark_box: Rect | None, mark: int, meant: Callable[[int], int]
) -> Iterator[int]:
    """The letter at the place that a mark of level text speaks of: PDFium may have put the mark into another line."""
    if mark_box is None or mark_box[3] - mark_box[1] <= LINES.inkless:
        return
    size = mark_box[2] - mark_box[0]
    at = mark_box[3] + size if mark in _BELOW else mark_box[1] - size
    index = pdfium.FPDFText_GetCharIndexAtPos(raw, (mark_box[0] + mark_box[2]) / 2, at, size / 2, size)
    if 0 <= index < len(codes) and codes[index] <= 0x10FFFF and _is_letter(meant(index)):
        yield index


def _is_letter(code: int) -> bool:
    """Whether a code is of a letter or digit, or the second half of one."""
    return 0xDC00 <= code < 0xE000 or (code not in MARKS and (chr(code).isalnum() or chr(code) in _UNDOTTED))


def _is_at(mark: Rect, letter: Rect, code: int) -> bool:
    """Whether a mark's box is above the letter's, or below it, as the mark has to be."""
    middle, height = (letter[1] + letter[3]) / 2, max(letter[3] - letter[1], mark[3] - mark[1])
    if code in _BELOW:
        return mark[3] < middle and mark[3] > letter[1] - height
    return mark[1] > middle and mark[1] < letter[3] + height


def _close(raw: Any, codes: list[int], i: int) -> None:
    """Take out the spaces that PDFium made up about a mark that stood between the letters of a word."""
    before = next((j for j in range(i - 1, max(i - 4, -1), -1) if not _is_made_up(raw, codes, j)), -1)
    after = next((j for j in range(i + 1, min(i + 4, len(codes))) if not _is_made_up(raw, codes, j)), -1)
    if after - before < 2 or before < 0 or chr(min(codes[before], 0x10FFFF)).isspace():
        return
    turns = _turns(raw, i)
    left, right = _box(raw, before, turns, loose=True)[0], _box(raw, after, turns, loose=True)[0]
    size = left[3] - left[1]
    if abs(right[0] - left[2]) < LINES.closed * size and abs(right[1] - left[1]) < 0.5 * size:
        codes[before + 1 : after] = [_GONE] * (after - before - 1)


def _is_made_up(raw: Any, codes: Sequence[int], i: int) -> bool:
    return codes[i] == _GONE or (codes[i] <= 0x20 and pdfium.FPDFText_IsGenerated(raw, i) == 1)


def _turns(raw: Any, i: int) -> int:
    """In how many quarter turns a glyph runs."""
    matrix = pdfium.FS_MATRIX()
    pdf_file.text_matrix(ctypes.cast(raw, ctypes.c_void_p), i, ctypes.addressof(matrix))
    return round(math.atan2(matrix.b, matrix.a) / (math.pi / 2)) % 4


def _box(raw: Any, i: int, turns: int, *, loose: bool = False) -> tuple[Rect, bool]:
    """A glyph's box as it is when its text is level, and whether it is that of its ink."""
    x0, y0, x1, y1 = pdf_file.box_of(raw, i)
    tight = not loose and min(x1 - x0, y1 - y0) > LINES.inkless
    if not tight:
        rect = pdfium.FS_RECTF()
        pdfium.FPDFText_GetLooseCharBox(raw, i, rect)
        x0, y0, x1, y1 = rect.left, rect.bottom, rect.right, rect.top
    return ((x0, y0, x1, y1), (y0, -x1, y1, -x0), (-x1, -y1, -x0, -y0), (-y1, x0, -y0, x1))[turns], tight


@dataclass(frozen=True, slots=True)
class FontSigns:
    """What the codes of a font mean, and the characters that it has: what is none of them is a code that was taken for
    a character, whatever PDFium says."""

    codes: Mapping[int, int]
    characters: frozenset[int]

    def resolve_code(self, code: int, unsure: Callable[[], bool]) -> int:
        """What is drawn where `code` was read; `unsure` tells whether the file says nothing of it."""
        meaning = self.codes.get(code)
        return code if meaning is None or (code in self.characters and not unsure()) else meaning


def _signs(*runs: tuple[int, str]) -> FontSigns:
    codes = {i: ord(c) for start, signs in (*runs, (0xF8E6, _PIECES)) for i, c in enumerate(signs, start)}
    return FontSigns(codes, frozenset(codes.values()) | _ALIKE)


_FONTS: tuple[tuple[re.Pattern[str], FontSigns], ...] = (
    (re.compile(r"CM(?:MI|MIB)\d|LMMathItalic"), _signs((0, _ITALIC), (0x7E, "\u20d7"))),
    (re.compile(r"CM(?:B?SY)\d|LMMathSymbols"), _signs((0, _SYMBOLS))),
    (re.compile(r"CMEX\d|LMMathExtension"), _signs((0, _LARGE))),
    (
        re.compile(r"Symbol(?:MT|PS)?(?:$|[-,])"),
        _signs(
            *(
                (high + start, signs)
                for high in (0, 0xF000)
                for start, signs in ((0x20, _SYMBOL), (0xA1, _SYMBOL_HIGH), (0xF1, _SYMBOL_LAST))
            )
        ),
    ),
)


@lru_cache(maxsize=256)
def signs_of_font(font: str) -> FontSigns | None:
    """What a font's codes mean; None where it is none of TeX's for formulas, nor Adobe's Symbol."""
    return next((signs for pattern, signs in _FONTS if pattern.match(font)), None)
