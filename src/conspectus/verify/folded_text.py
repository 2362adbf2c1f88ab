"""A text in one way of writing, with the way back to the words as they stood.

Signs that look alike become one (minus, spaces, micro), raised digits become `^3`, lowered ones plain, decimals with a
raised dot (`4·5`) get a full stop, and the LaTeX that abstracts are full of is undone as far as numbers, units and
names need it.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True))
_MINUS = "−‐‑‒﹣－⁃"
_SIGNS = {
    **dict.fromkeys(_MINUS, "-"),
    **dict.fromkeys("—―", "–"),
    **dict.fromkeys("’‘ʼ′`´", "'"),
    **dict.fromkeys("“”„", '"'),
    "µ": "μ", "Ω": "Ω", "Å": "Å", "º": "°", "˚": "°", "℃": "°C", "℉": "°F", "⋅": "·", "∙": "·", "•": "·",
    "‧": "·", "\u0387": "·", "・": "·", "〜": "~",
    "✕": "×", "∼": "~", "˜": "~", "≃": "≈", "≅": "≈", "⩽": "≤", "⩾": "≥", "≲": "<", "≳": ">", "☉": "⊙", "ϕ": "φ",
    "ɛ": "ε", "½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3", "⁄": "/", "\u00ad": "", "\u200b": "",
    "\u2060": "", "\ufeff": "", "\u200c": "", "\u200d": "",
}  # fmt: skip
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi "
    "chi psi omega"
).split()
GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψω", _GREEK, strict=True))
"""How a Greek letter is spelt."""
_COMMANDS = {
    **{name: letter for letter, name in GREEK.items()},
    **{name.capitalize(): letter.upper() for letter, name in GREEK.items()},
    "varepsilon": "ε", "varphi": "φ", "times": "×", "cdot": "·", "pm": "±", "sim": "~", "approx": "≈", "simeq": "≈",
    "le": "≤", "leq": "≤", "lesssim": "<", "lt": "<", "ge": "≥", "geq": "≥", "gtrsim": ">", "gt": ">", "ll": "<",
    "gg": ">",
    "odot": "⊙", "sun": "⊙", "circ": "°", "degree": "°", "deg": "°", "AA": "Å", "angstrom": "Å", "mbox": "", "rm": "",
    "mathrm": "", "text": "", "textrm": "", "mathit": "", "mathbf": "", "bf": "", "it": "", "em": "", "textit": "",
    "emph": "", "textbf": "", "hbox": "", "ensuremath": "", "prime": "'", "to": "→", "rightarrow": "→", "quad": " ",
}  # fmt: skip
_COMMAND = re.compile(r"\\([A-Za-z]{2,12})(?![A-Za-z])[ ]?|\\([%&#_$ ,;:!])")
_MARKUP = re.compile(r"[${}]")
_DOLLAR = re.compile(r"(?<=[A-Za-z])\$(?=\d)")
"""'US$1200'."""
_TILDE = re.compile(r"(?<=[\w.%)])~(?=[\w(])")
_ENTITY = re.compile(r"&(lt|gt|amp|nbsp|thinsp);")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "nbsp": " ", "thinsp": " "}
_PERCENT = re.compile(r"\b(?:per ?cento?|pour ?cent|por ?ciento|prozent|procent)\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<![\w.,·'’])\d{1,3}(?:[\u2009\u202f\u00a0'’]\d{3}){1,4}(?![\d'’])")
"""Thousands divided by a space that does not break, which is no space between two numbers, or as in Switzerland."""
_MINUS_DASH = re.compile(r"(?:(?<=[=(\[<>≤≥~≈:,])|(?<=[^\W\d_]))(?P<space>[ ]?)(?<![^\W\d_])–(?=\d)")
"""A dash that is printed for a minus, and not between two numbers or around words."""
_RAISED_DOT = re.compile(r"(?<![\w.·])(\d++(?:[ ]\d{3}){0,4}+)·(?!10(?:[ ]?\^|\([+-]|[+-]\d++(?!·\d)))(\d++)(?![·.]\d)")
"""Decimals as the Lancet prints them. `5·10^3` is a product, and so is `2.5·3`."""
_LENGTH = r"[a-zí]{0,6}m[eèé]t(?:ers?|res?|ros?|ri)|inch(?:es)?|f(?:oo|ee)t|miles?|degrees?|arc\w{3,7}|se[ckg]\w{3,5}"
_SQUARED = re.compile(
    rf"\b(?:(?P<power>square|cubic|quadrat|kubi[ck]|kwadraat|kubieke)[ -]?(?P<length>{_LENGTH})|"
    rf"(?P<before>{_LENGTH})[ ](?P<behind>squared|cubed|carrée?s?|[cq]uadra[dt][aoi]s?|c[uú]b[eio]c?o?s?))\b",
    re.IGNORECASE,
)
"""'square metres', 'Kubikmeter', 'kilomètres carrés', 'second squared'."""
_LOWERED = re.compile(r"(?<=[A-Za-z)])_(?=\w|⊙)")


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """`text` in one way of writing; `starts[i]` and `ends[i]` bound what stood for its character `i` in `original`."""

    text: str
    original: str
    starts: array[int]
    ends: array[int]

    def words(self, start: int, end: int) -> str:
        """What stands in the original for `text[start:end]`."""
        if start >= end:
            return ""
        last = self.starts[end] if end < len(self.text) else self.ends[end - 1]  # with the markup that closes it
        return self.original[self.starts[start] : max(last, self.ends[end - 1])].strip()


def fold(text: str) -> Folded:
    """`text` in one way of writing; takes time in proportion to its length."""
    folded = _characters(text)
    folded = _replace(folded, _ENTITY, lambda match: _ENTITIES[match[1]])
    if "\\" in text or "$" in text or "~" in text:
        folded = _replace(folded, _COMMAND, _command)
        folded = _replace(folded, _TILDE, lambda _: " ")
        folded = _replace(folded, _MARKUP, lambda match: " " if _DOLLAR.match(match.string, match.start()) else "")
    folded = _replace(folded, _LOWERED, lambda _: "")
    if "–" in folded.text:
        starts = folded.starts
        folded = _replace(
            folded, _MINUS_DASH, lambda match: match["space"] + ("-" if text[starts[match.end() - 1]] == "–" else "–")
        )
    if "·" in folded.text:
        folded = _replace(folded, _RAISED_DOT, lambda match: f"{match[1]}.{match[2]}")
    folded = _replace(
        folded,
        _SQUARED,
        lambda match: (
            f"{match['length'] or match['before']}^{3 if (match['power'] or match['behind'])[2] == 'b' else 2}"
        ),
    )
    return _replace(folded, _PERCENT, lambda _: "%")


def _command(match: re.Match[str]) -> str:
    if match[1] is None:
        return " " if match[2] in " ,;:!" else match[2]
    return _COMMANDS.get(match[1], " ")


def _characters(text: str) -> Folded:
    pieces: list[str] = []
    starts, ends = array("q"), array("q")
    raised = False
    is_ascii, last = text.isascii(), ""
    dividers = {
        place for match in _THOUSANDS.finditer(text) for place in range(*match.span()) if not text[place].isdigit()
    }
    for place, sign in enumerate(text):
        piece = _RAISED.get(sign)
        if place in dividers:
            piece = ""
        elif piece is not None:
            piece, raised = (piece if raised else "^" + piece), True
        else:
            piece, raised = _plain(sign), False
            if not is_ascii and last and piece and _is_caseless(last) + _is_caseless(piece[0]) == 1:
                both = (last, piece[0])
                piece = " " * any(letter.isascii() and (letter.isalnum() or letter in "%°") for letter in both) + piece
        last = piece[-1:] or last
        pieces.append(piece)
        starts.extend([place] * len(piece))
        ends.extend([place + 1] * len(piece))
    return Folded("".join(pieces), text, starts, ends)


@lru_cache(maxsize=4096)
def _plain(sign: str) -> str:
    if sign.isascii():
        return " " if sign.isspace() or not sign.isprintable() else sign
    if sign in _SIGNS:
        return _SIGNS[sign]
    if sign.isspace() or unicodedata.category(sign).startswith("Z"):
        return " "
    plain = unicodedata.normalize("NFKC", sign)
    return "".join(" " if part.isspace() else _SIGNS.get(part, part) for part in plain)


@lru_cache(maxsize=4096)
def _is_caseless(sign: str) -> bool:
    """Whether a sign is a letter of a script without capitals, whose words stand close to numbers ('浓度为5mg')."""
    return unicodedata.category(sign) == "Lo"


def _replace(folded: Folded, pattern: re.Pattern[str], put: Callable[[re.Match[str]], str]) -> Folded:
    pieces: list[str] = []
    starts, ends = array("q"), array("q")
    last = 0
    for match in pattern.finditer(folded.text):
        start, end = match.span()
        new = put(match)
        pieces += [folded.text[last:start], new]
        starts.extend(folded.starts[last:start])
        ends.extend(folded.ends[last:start])
        starts.extend([folded.starts[start]] * len(new))
        ends.extend([folded.ends[end - 1]] * len(new))
        last = end
    if not last:
        return folded
    starts.extend(folded.starts[last:])
    ends.extend(folded.ends[last:])
    return Folded("".join([*pieces, folded.text[last:]]), folded.original, starts, ends)
