"""Formulas of web pages as text: the TeX that stands with them, else MathML on one line."""

from __future__ import annotations

import re

from conspectus.parse.web.tree import Element, elements, is_element, names_of
from conspectus.parse.xml.formula import math_text

_STYLE = re.compile(r"^\{\\(?:display|text)style\s*+(.*)\}$", re.S)
_EQUATION = re.compile(
    r"(?:^|[\s_-])(?:ltx_equation|ltx_equationgroup|disp-formula|disp_formula|display-?math|mathdisplay|equation"
    r"|display-formula|mathjax_display|katex-display)(?:$|[\s_-])"
)
_NUMBER = re.compile(r"(?:^|[\s_-])(?:ltx_tag_equation|label|eqn?-?(?:no|num|number)|equation-?number)(?:$|[\s_-])")


def is_math(element: Element) -> bool:
    """Whether the element is one formula: MathML, MathJax, KaTeX, a picture that Wikipedia made of one."""
    if element.tag in ("math", "mjx-container"):
        return True
    if element.tag == "script":
        return (element.get("type") or "").startswith("math/tex")
    names = (element.get("class") or "").split()
    return "katex" in names or "mwe-math-element" in names or (element.tag == "img" and "tex" in names)


def is_equation(element: Element) -> bool:
    """Whether the element is a formula on a line of its own."""
    if not _EQUATION.search(names_of(element)):
        return element.tag in ("math", "mjx-container") and element.get("display") in ("block", "true")
    return any(is_math(inner) for inner in element.iter() if is_element(inner))


def formula(element: Element) -> str:
    """The formula as `$…$`, or without dollars where only its signs are known, or ""."""
    tex = _tex(element)
    if tex:
        return f"${tex}$"
    math = element if element.tag == "math" else next(elements(element, "math"), None)
    return math_text(math) if math is not None else ""


def equation(element: Element) -> tuple[str, str]:
    """A displayed formula without dollars, and its number as printed, `(3)`."""
    pieces: list[str] = []
    label = ""
    skip: set[Element] = set()
    for inner in element.iter():
        if not is_element(inner) or inner in skip:
            continue
        if not label and _NUMBER.search(names_of(inner)):
            label = " ".join("".join(inner.itertext()).split())
        elif is_math(inner):
            pieces.append(formula(inner).strip("$"))
            skip.update(inner.iterdescendants())
    return " ".join(piece for piece in pieces if piece), label[:20]


def _tex(element: Element) -> str:
    if element.tag == "script":
        return " ".join((element.text or "").split())
    if element.tag == "img":
        return _plain(element.get("alt") or "")
    math = element if element.tag == "math" else next(elements(element, "math"), None)
    if math is not None and math.get("alttext"):
        return _plain(math.get("alttext"))
    for annotation in elements(element, "annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and annotation.text:
            return _plain(annotation.text)
    return ""


def _plain(tex: str) -> str:
    tex = " ".join(tex.split())
    match = _STYLE.match(tex)
    tex = (match[1] if match else tex).strip().strip("$").strip()
    return tex.removeprefix("\\displaystyle").strip()
