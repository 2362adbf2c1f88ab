"""Names of people as BibTeX writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from conspectus.parse.bibliography.latex import plain_text
from conspectus.parse.blocks import clean_line

_PIECE = re.compile(r"[{}]|\s+and(?=\s)|,|\s+|[^{},\s]+", re.I)


def bibtex_names(text: str) -> list[dict[str, Any]]:
    """Names apart by `and`, as fields of authors; a name in braces is an organisation's. "others" are left out."""
    found = []
    for name in split_names(text):
        if name.lower() not in ("others", "et al.", "et al"):
            person = bibtex_name(name)
            if person["literal"]:
                found.append(person)
    return found


def split_names(text: str) -> list[str]:
    """The names between the word `and` outside braces."""
    names: list[list[str]] = [[]]
    depth = 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        depth += {"{": 1, "}": -1}.get(piece, 0)
        if depth <= 0 and piece.strip().lower() == "and" and piece[0].isspace():
            names.append([])
        else:
            names[-1].append(piece)
    return [name for parts in names if (name := "".join(parts).strip(" \t\r\n,;"))]


def bibtex_name(text: str) -> dict[str, Any]:
    """One name: `First von Last`, `von Last, First` or `von Last, Jr, First`; `{Some Organisation}` is literal."""
    parts = [part.strip() for part in _split(text, ",")]
    if len(parts) == 1:
        return _in_reading_order(text)
    family, given, suffix = parts[0], parts[-1], " ".join(parts[1:-1])
    if not given:
        return _person("", _clean(family), _clean(suffix))
    return _person(_clean(given), _clean(family), _clean(suffix))


def _in_reading_order(text: str) -> dict[str, Any]:
    words = [word for word in _split(text, " ") if word]
    if len(words) < 2:
        return {"literal": _clean(text)}
    first = next((n for n, word in enumerate(words[:-1]) if n and word[0].islower() and word[0].isalpha()), 0)
    at = first or len(words) - 1
    return _person(_clean(" ".join(words[:at])), _clean(" ".join(words[at:])), "")


def _person(given: str, family: str, suffix: str) -> dict[str, Any]:
    name = " ".join(part for part in (given, family, suffix) if part)
    return {"literal": name, "family": family, "given": given} if given else {"literal": name}


def _split(text: str, sign: str) -> Iterator[str]:
    """The parts of `text` between `sign` (a comma, or white space) outside braces."""
    depth, parts = 0, list[str]()
    for match in _PIECE.finditer(text):
        piece = match[0]
        depth += {"{": 1, "}": -1}.get(piece, 0)
        if depth <= 0 and (piece == sign or (sign == " " and piece.isspace())):
            yield "".join(parts)
            parts = []
        else:
            parts.append(piece)
    yield "".join(parts)


def _clean(text: str) -> str:
    return clean_line(plain_text(text).replace("\u00a0", " "))
