"""What the signs of symbol fonts mean: those of Symbol, and those of Wingdings that stand for something."""

from __future__ import annotations

import re
from collections import Counter

from conspectus.parse.pdf.accents import meanings

MISSING = "[symbol]"
_SYMBOL = re.compile(r"symbol(?:mt|ps)?\b", re.IGNORECASE)
_PRIVATE = range(0xF020, 0xF100)
"""Where Word puts the codes of such fonts."""
_WINGDINGS = {
    **dict(zip(range(0x4A, 0x4D), "☺😐☹", strict=True)),
    **dict(zip(range(0x6C, 0x7A), "●❍■□🞐❑❒⬧⧫◆❖⬥⌧⮹", strict=True)),
    **dict(zip(range(0x80, 0x96), "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿", strict=True)),
    **dict(zip(range(0x9E, 0xA1), "·•▪", strict=True)),
    **dict(zip(range(0xA1, 0xA9), "○🞆🞈◉◎🔿▪◻", strict=True)),
    **dict(zip(range(0xD5, 0xE0), "⌫⌦⮘⮚⮙⮛⮈⮊⮉⮋←", strict=True)),
    **dict(zip(range(0xE0, 0xE7), "→↑↓↖↗↙↘", strict=True)),
    **dict(zip(range(0xE7, 0xF5), "⬅➡⬆⬇↖↗↙↘⇦⇨⇧⇩⬄⇳", strict=True)),
    **dict(zip(range(0xFB, 0xFF), "✘✔☒☑", strict=True)),
}


class SymbolReader:
    """Reads signs of symbol fonts, and counts those without a meaning in Unicode."""

    def __init__(self) -> None:
        self._unknown: Counter[str] = Counter()

    def read_code(self, code: str, font: str) -> str:
        """Return the sign of a code in hexadecimal (`F061`)."""
        try:
            return self._sign(int(code, 16), font)
        except ValueError:
            return self._miss(code[:20], font)

    def read_text(self, text: str, font: str) -> str:
        """Return a text with what its characters from Word's private area mean."""
        if not any(ord(sign) in _PRIVATE for sign in text):
            return text
        return "".join(self._sign(ord(sign), font) if ord(sign) in _PRIVATE else sign for sign in text)

    @property
    def warnings(self) -> list[str]:
        """What could not be read."""
        listed = ", ".join(f"{sign} × {count}" if count > 1 else sign for sign, count in self._unknown.items())
        note = f"Symbols whose meaning is not known: {listed}; {MISSING} stands where they were."
        return [note] if self._unknown else []

    def _sign(self, code: int, font: str) -> str:
        if _SYMBOL.match(font):
            low = code & 0xFF
            found = "€" if low == 0xA0 else chr(_GREEK.get(low, 0))
        elif font.strip().lower() == "wingdings":
            found = _WINGDINGS.get(code & 0xFF, "\0")
        else:
            found = chr(code) if 0x20 <= code < 0xD800 or 0xF900 <= code <= 0x10FFFF else "\0"
        return found if found != "\0" else self._miss(f"U+{code:04X}", font)

    def _miss(self, code: str, font: str) -> str:
        self._unknown[f"{code} of {font}" if font else code] += 1
        return MISSING


def _symbol_codes() -> dict[int, int]:
    signs = meanings("Symbol")
    return {code: meaning for code, meaning in signs.codes.items() if code < 0x100} if signs else {}


_GREEK = _symbol_codes()
