"""Word's formulas (Office MathML) as TeX."""

from __future__ import annotations

from typing import Any

from conspectus.lexicon import pairs, words

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_DEPTH = 60
_NAMED = reversed(pairs(words("latex")["symbols"]).items())
_SIGNS = {"−": "-", **{sign: f"\\{name} " for name, sign in _NAMED if not sign.isascii()}}
"""What signs are in TeX, of several names the first."""


def tex(element: Any) -> str:
    """The formula on one line, without dollars."""
    return " ".join(_tex(element, 0).split())


def _tex(element: Any, depth: int) -> str:
    if depth > _DEPTH or not isinstance(element.tag, str):
        return ""
    kind = element.tag.removeprefix(M)
    if kind == "t":
        return "".join(_sign(sign) for sign in element.text or "")
    build = _BUILDERS.get(kind)
    if build:
        return build(element, depth)
    return "" if kind.endswith("Pr") else "".join(_tex(child, depth + 1) for child in element)


def _fraction(element: Any, depth: int) -> str:
    return f"\\frac{{{_inner(element, 'num', depth)}}}{{{_inner(element, 'den', depth)}}}"


def _script(element: Any, depth: int) -> str:
    return _inner(element, "e", depth) + _limits(element, depth)


def _root(element: Any, depth: int) -> str:
    degree = _inner(element, "deg", depth)
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{_inner(element, 'e', depth)}}}"


def _nary(element: Any, depth: int) -> str:
    sign = element.find(f"{M}naryPr/{M}chr")
    operator = _sign(sign.get(M + "val") or "∫" if sign is not None else "∫").strip()
    return f"{operator}{_limits(element, depth)} {_inner(element, 'e', depth)}"


def _limits(element: Any, depth: int) -> str:
    low, high = _inner(element, "sub", depth), _inner(element, "sup", depth)
    return (f"_{{{low}}}" if low else "") + (f"^{{{high}}}" if high else "")


def _inner(element: Any, name: str, depth: int) -> str:
    return "".join(_tex(child, depth + 1) for child in element.findall(M + name)).strip()


def _fence(element: Any, depth: int) -> str:
    ends = []
    for name, usual in (("begChr", "("), ("endChr", ")")):
        found = element.find(f"{M}dPr/{M}{name}")
        ends.append(usual if found is None else found.get(M + "val") or "")
    inner = ", ".join(_tex(child, depth + 1) for child in element.findall(M + "e"))
    return ends[0] + inner + ends[1]


def _sign(sign: str) -> str:
    return _SIGNS.get(sign, sign)


_BUILDERS = {
    "f": _fraction,
    "sSup": _script,
    "sSub": _script,
    "sSubSup": _script,
    "sPre": _script,
    "rad": _root,
    "nary": _nary,
    "d": _fence,
}
