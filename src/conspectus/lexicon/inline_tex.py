"""Inline TeX of titles as Unicode: `$1/f^{\\alpha}$` is read as 1/fᵅ. What has no sign in Unicode stays as it is."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from conspectus.lexicon import pairs, words

_MATH = re.compile(r"\$(?!\s)([^$]{1,200})(?<!\s)\$(?!\d)")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_SCRIPT = re.compile(r"([_^])(?:\{([^{}]{1,60})\}|([^\s{}\\]))")
_GROUP = re.compile(r"\{([^{}]{0,100})\}")
_LAST = 0x2FFF
"""The last character that is looked at for a raised or lowered form."""


def readable_tex(text: str) -> str:
    """A text with its formulas between `$` in Unicode, each whole or not at all."""
    return _MATH.sub(lambda found: _read(found[1]) or found[0], text) if "$" in text else text


def _read(formula: str) -> str:
    """A formula in Unicode; "" if a part of it cannot be written so."""
    if "\\sqrt" in formula:  # how far the root goes would be lost
        return ""
    symbols, silent = _commands()
    text = _COMMAND.sub(lambda found: symbols.get(found[1], "" if found[1] in silent else found[0]), formula)
    text = _SCRIPT.sub(lambda found: _raise(found[2] or found[3], found[1] == "^") or found[0], text)
    while (plain := _GROUP.sub(r"\1", text)) != text and not re.search(r"[_^]\{", text):
        text = plain
    return "" if re.search(r"[\\{}_^&]", text) else re.sub(r"[~\s]+", " ", text).strip()


def _raise(text: str, above: bool) -> str:
    forms = _scripts()["<super>" if above else "<sub>"]
    signs = text.replace(" ", "").replace("-", "−")
    return "".join(forms[sign] for sign in signs) if all(sign in forms for sign in signs) else ""


@cache
def _commands() -> tuple[dict[str, str], frozenset[str]]:
    table = words("latex")
    return pairs(table["symbols"]), frozenset(table["silent"].split())


@cache
def _scripts() -> dict[str, dict[str, str]]:
    """Character -> its raised, and its lowered form, as the Unicode Character Database has them."""
    found: dict[str, dict[str, str]] = {"<super>": {}, "<sub>": {}}
    for code in range(_LAST):
        kind, _, plain = unicodedata.decomposition(chr(code)).partition(" ")
        if kind in found and " " not in plain:
            found[kind].setdefault(chr(int(plain, 16)), chr(code))
    greek = {"α": "ɑ", "φ": "ɸ"}  # Unicode raises the Latin letters of these forms
    for signs in found.values():
        signs.update(
            {letter: signs[latin] for letter, latin in greek.items() if latin in signs and letter not in signs}
        )
    return found
