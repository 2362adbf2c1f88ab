"""What the codes of TeX's fonts for formulas mean, where a PDF does not say it (The TeXbook, appendix F)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_ITALIC = (
    "ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυϕχψωεϑϖϱςφ↼↽⇀⇁ˋˊ▷◁0123456789.,</>⋆∂ABCDEFGHIJKLMNOPQRSTUVWXYZ♭♮♯⌣⌢ℓ"
    "abcdefghijklmnopqrstuvwxyzıȷ℘"
)
_SYMBOLS = (
    "−·×∗÷⋄±∓⊕⊖⊗⊘⊙○∘•≍≡⊆⊇≤≥⪯⪰∼≈⊂⊃≪≫≺≻←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝′∞∈∋△▽̸↦∀∃¬∅ℜℑ⊤⊥ℵABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "∪∩⊎∧∨⊢⊣⌊⌋⌈⌉{}⟨⟩|∥↕⇕\\≀√⨿∇∫⊔⊓⊑⊒§†‡¶♣♦♥♠"
)
_LARGE = "()[]⌊⌋⌈⌉{}⟨⟩|∥/\\()()[]⌊⌋⌈⌉{}⟨⟩/\\()[]⌊⌋⌈⌉{}⟨⟩/\\/\\"
_OPERATORS = "⨆⨆∮∮⨀⨀⨁⨁⨂⨂∑∏∫⋃⋂⨄⋀⋁∑∏∫⋃⋂⨄⋀⋁∐∐"

_FONTS: tuple[tuple[re.Pattern[str], Mapping[int, int]], ...] = (
    (re.compile(r"CM(?:MI|MIB)\d|LMMathItalic"), {i: ord(c) for i, c in enumerate(_ITALIC)}),
    (re.compile(r"CM(?:B?SY)\d|LMMathSymbols"), {i: ord(c) for i, c in enumerate(_SYMBOLS)}),
    (
        re.compile(r"CMEX\d|LMMathExtension"),
        {i: ord(c) for start, signs in ((0, _LARGE), (0x46, _OPERATORS)) for i, c in enumerate(signs, start)},
    ),
)


@lru_cache(maxsize=256)
def meanings(font: str) -> Mapping[int, int] | None:
    """The characters of a font's codes; None where it is none of TeX's for formulas."""
    return next((codes for pattern, codes in _FONTS if pattern.match(font)), None)
