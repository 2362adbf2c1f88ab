"""Formulas as a line of text: TeX where it is given, else MathML written out (`x_1 = (a + b)/2`)."""

from __future__ import annotations

import re

from conspectus.parse.blocks import clean_line
from conspectus.parse.xml.load import Element, plain_text

_TEX_BEGIN, _TEX_END = r"\begin{document}", r"\end{document}"
_TEX_FENCES = ("$$", "$", r"\[", r"\]", r"\(", r"\)")
_SPACED = frozenset("=<>≤≥≈≠≡∼≃≅∝∈∉⊂⊆→←↔⇒⇔+−±×∗·∪∩")
_INVISIBLE = str.maketrans("", "", "\u2061\u2062\u2063\u2064\u200b\ufeff")
_SPACE_BEFORE = re.compile(r"(?<! ) ++([,;.)\]}])")
_SPACE_AFTER = re.compile(r"([(\[{]) +")
_SIMPLE = re.compile(r"[\w.′'∞]+")


def formula_text(element: Element) -> str:
    """The formula of an element that holds one in TeX, MathML or plain text; "" where there is only a picture."""
    tex = next(element.iter("tex-math"), None)
    if tex is not None and (text := tex_text(plain_text(tex))):
        return text
    math = next(element.iter("math"), None)
    if math is not None:
        return math_text(math)
    return clean_line(_plain(element))


def math_text(math: Element) -> str:
    """A `math` element of MathML on one line."""
    return _SPACE_AFTER.sub(r"\1", _SPACE_BEFORE.sub(r"\1", clean_line(_linear(math))))


def tex_text(text: str) -> str:
    """TeX without the document and the fences around the formula."""
    body, closed, _ = text.partition(_TEX_BEGIN)[2].partition(_TEX_END)
    text = clean_line(body if closed else text)
    for fence in _TEX_FENCES:
        text = text.removeprefix(fence).removesuffix(fence).strip()
    return text


def _plain(element: Element) -> str:
    if element.tag in ("label", "graphic", "inline-graphic", "object-id"):
        return ""
    return (element.text or "") + "".join(_plain(child) + (child.tail or "") for child in element)


def _linear(node: Element) -> str:
    if node.tag in ("mi", "mn", "mtext", "ms", "mo"):
        return _token(node, node.tag)
    if node.tag in ("mspace", "mphantom"):
        return " "
    parts = [_linear(child) for child in node if child.tag not in ("annotation", "annotation-xml")]
    return _script(node.tag, parts) if node.tag in _SCRIPTS else _layout(node, parts)


def _layout(node: Element, parts: list[str]) -> str:
    """Fractions, roots, brackets and matrices; what else there is stands in a row."""
    two = len(parts) == 2
    match node.tag:
        case "mfrac" if two:
            text = f"{_group(parts[0])}/{_group(parts[1])} "
        case "msqrt":
            text = f"√{_group(''.join(parts), always=True)}"
        case "mroot" if two:
            text = f"{_group(parts[0])}^(1/{parts[1].strip()})"
        case "mfenced":
            separator = (node.get("separators", ",").strip() or "")[:1]
            text = node.get("open", "(") + f"{separator} ".join(parts) + node.get("close", ")")
        case "mtr" | "mlabeledtr":
            text = " ".join(part for part in parts if part.strip()) + "; "
        case "mtable":
            text = "".join(parts).rstrip("; ")
        case _:
            text = "".join(parts)
    return text


def _token(node: Element, tag: str) -> str:
    text = plain_text(node).translate(_INVISIBLE)
    if tag != "mo":
        return f" {text} " if tag == "mi" and len(text) > 1 and text.isalpha() else text
    text = text.strip()
    if text in _SPACED and text:
        return f" {text} "
    return text + " " if text in (",", ";") else text


_SCRIPTS = {
    "msub": ("_",),
    "msup": ("^",),
    "msubsup": ("_", "^"),
    "munder": ("_",),
    "mover": ("",),
    "munderover": ("_", "^"),
}


def _script(tag: str, parts: list[str]) -> str:
    signs = _SCRIPTS[tag]
    if len(parts) != len(signs) + 1:
        return "".join(parts)
    if tag == "mover":  # an accent: `x̄`, or a word above an arrow
        return parts[0] + parts[1].strip()
    return (
        parts[0].rstrip()
        + "".join(sign + _group(part) for sign, part in zip(signs, parts[1:], strict=True) if part.strip())
        + " "
    )


def _group(text: str, *, always: bool = False) -> str:
    text = text.strip()
    simple = len(text) == 1 or _SIMPLE.fullmatch(text)
    return text if simple and not always else f"({text})"
