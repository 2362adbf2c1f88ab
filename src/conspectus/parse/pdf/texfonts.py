"""What the codes of TeX's fonts for formulas (The TeXbook, appendix F) and of Symbol mean, where a PDF is silent."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

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


@dataclass(frozen=True, slots=True)
class Signs:
    """What the codes of a font mean, and the characters that it has: what is none of them is a code that was taken for
    a character, whatever PDFium says."""

    codes: Mapping[int, int]
    held: frozenset[int]

    def meant(self, code: int, unsure: Callable[[], bool]) -> int:
        """What is drawn where `code` was read; `unsure` tells whether the file says nothing of it."""
        found = self.codes.get(code)
        return code if found is None or (code in self.held and not unsure()) else found


def _signs(*runs: tuple[int, str]) -> Signs:
    codes = {i: ord(c) for start, signs in (*runs, (0xF8E6, _PIECES)) for i, c in enumerate(signs, start)}
    return Signs(codes, frozenset(codes.values()) | _ALIKE)


_FONTS: tuple[tuple[re.Pattern[str], Signs], ...] = (
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
def meanings(font: str) -> Signs | None:
    """What a font's codes mean; None where it is none of TeX's for formulas, nor Adobe's Symbol."""
    return next((signs for pattern, signs in _FONTS if pattern.match(font)), None)
