"""Inline TeX as Unicode: `$1/f^{\\alpha}$` is read as 1/fᵅ. What has no sign in Unicode stays as it is.

Only what is shown is converted, never what is stored. `web/src/parts/tex.ts` does the same on the page, with the tables
that `page_tables` gives; `tests/lexicon/tex_cases.json` has cases for both.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from conspectus.lexicon import pairs, words

_MATH = re.compile(r"\$(?![\s\d])([^$]{1,200})(?<!\s)\$|\$(\d[^$]{0,199})(?<!\s)\$(?!\d)|\\\((.{1,200}?)\\\)")
"""With two prices between dollar signs there is a space before the second, or a digit behind it."""
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_ROOT = re.compile(r"\\sqrt\{([^{}]{1,80})\}")
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]{1,80})\}\{([^{}]{1,80})\}")
_MARKED = re.compile(r"\\([A-Za-z]+)\s?\{(\w)\}")
_SCRIPT = re.compile(r"([_^])(?:\{([^{}]{1,80})\}|([^\s{}\\]))")
_GROUP = re.compile(r"(\\[A-Za-z]+|[_^])?\{([^{}]{0,100})\}")
_STYLED = re.compile(r"\\([A-Za-z]+)\s?\{([^{}]{0,200})\}|\{\\([A-Za-z]+)\s([^{}]{0,200})\}")
_SIGN = re.compile(r"(?<![\w\\:/.])\\([A-Za-z]+)(?:\{\}|(?![A-Za-z\\/{]))")
"""A command between words; what may be a part of a path in Windows is none."""
_ESCAPED = re.compile(r"(?<![\\:])\\([&%$#])")
_BELOW, _ABOVE = "\x01", "\x02"
"""Stand for signs that were written out, until the formula is read."""
_LAST = 0x2FFF
"""The last character that is looked at for a raised or lowered form."""


def readable_tex(text: str) -> str:
    """A text with its formulas in Unicode, each whole or not at all, and without commands for type faces."""
    if "$" in text or "\\(" in text:
        text = _MATH.sub(lambda match: _read(match[1] or match[2] or match[3]) or match[0], text)
    return _read_words(text) if "\\" in text else text


def _read_words(text: str) -> str:
    symbols, silent, _ = _commands()

    def inner(match: re.Match[str]) -> str:
        name, words = (match[1], match[2]) if match[1] else (match[3], match[4])
        return words if name in silent else match[0]

    while (plain := _STYLED.sub(inner, text)) != text:
        text = plain
    text = _SIGN.sub(lambda match: symbols.get(match[1], match[0]), text)
    return _ESCAPED.sub(r"\1", text)


def _read(formula: str) -> str:
    """A formula in Unicode; "" if a part of it cannot be written so."""
    symbols, silent, marks = _commands()

    def sign(match: re.Match[str]) -> str:
        name = match[1]
        return match[0] if name == "sqrt" else symbols.get(name, "" if name in silent else match[0])

    text = _COMMAND.sub(sign, re.sub(r"\\[,;:! ]", " ", re.sub(r"\\([%&#])", r"\1", formula)))
    before = ""
    while text != before:
        before = text
        text = _MARKED.sub(lambda match: match[2] + marks[match[1]] if match[1] in marks else match[0], text)
        text = _SCRIPT.sub(lambda match: _shift((match[2] or match[3]).strip(), match[1] == "^"), text)
        text = _ROOT.sub(lambda match: f"√{_bound(match[1])}", text)
        text = _FRACTION.sub(lambda match: f"{_bound(match[1])}/{_bound(match[2])}", text)
        text = _GROUP.sub(lambda match: match[0] if match[1] else match[2], text)
    text = text.replace(_BELOW, "_").replace(_ABOVE, "^")
    return "" if re.search(r"[\\{}]", text) else re.sub(r"[~\s]+", " ", text).strip() or " "


def _bound(text: str) -> str:
    """In brackets, if it has more than one word."""
    text = text.strip()
    return text if re.fullmatch(r"\w+", text) else f"({text})"


def _shift(text: str, above: bool) -> str:
    """A text raised or lowered; signs without such a form stay as they are (M⊙), words behind `^` or `_`."""
    forms = _scripts()["<super>" if above else "<sub>"]
    signs = text.replace(" ", "").replace("-", "−")
    if all(sign in forms for sign in signs):
        return "".join(forms[sign] for sign in signs)
    if not any(sign.isalnum() for sign in signs):
        return "°" if signs == "∘" else signs
    return text if text[0] in _BELOW + _ABOVE else (_ABOVE if above else _BELOW) + _bound(text)


@cache
def _commands() -> tuple[dict[str, str], frozenset[str], dict[str, str]]:
    """Command -> what it prints; commands that print nothing; command -> the mark that it sets over a letter."""
    table = words("latex")
    names = {name: name for name in table["operators"].split()}
    return names | pairs(table["symbols"]), frozenset(table["silent"].split()), pairs(table["marks"])


@cache
def _scripts() -> dict[str, dict[str, str]]:
    """Character -> its raised, and its lowered form, as the Unicode Character Database has them."""
    scripts: dict[str, dict[str, str]] = {"<super>": {}, "<sub>": {}}
    for code in range(_LAST):
        kind, _, plain = unicodedata.decomposition(chr(code)).partition(" ")
        if kind in scripts and " " not in plain:
            scripts[kind].setdefault(chr(int(plain, 16)), chr(code))
    greek = {"α": "ɑ", "φ": "ɸ"}  # Unicode raises the Latin letters of these forms
    for signs in scripts.values():
        signs.update(
            {letter: signs[latin] for letter, latin in greek.items() if latin in signs and letter not in signs}
        )
    return scripts


def page_tables() -> dict[str, dict[str, str] | list[str]]:
    """What the page needs to read TeX as this module does."""
    symbols, silent, marks = _commands()
    scripts = _scripts()
    above, below = scripts["<super>"], scripts["<sub>"]
    return {"symbols": symbols, "silent": sorted(silent), "marks": marks, "above": above, "below": below}
