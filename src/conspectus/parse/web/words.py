"""The words of an element in reading order, with a mark for every link into the page, and its formulas."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import unquote

from conspectus.parse.inline import Inline, raised
from conspectus.parse.web.tree import BLOCK_TAGS, Element, elements, is_element, names_of
from conspectus.parse.xml.formula import math_text
from conspectus.records import MarkKind

_SILENT = frozenset(
    "script style noscript template button select option input textarea iframe object embed audio video canvas svg map"
    " head title img picture source rp rt wbr".split()
)
_HIDDEN = re.compile(
    r"(?:^|[\s_-])(?:sr-only|screen-?reader(?:-only|-text)?|visually-?hidden|mw-editsection|noprint|tooltip|ltx_eqn_eqno"
    r"|mathjax_preview|mathjax|assistive)(?:$|[\s_-])"
)
_NO_SHOW = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_BACK = re.compile(r"[↩↑^←⤴\ufe0e\ufe0f\s]+|back to (?:top|text)|return to text", re.I)
_NOTE = re.compile(r"(?:^|\s)ltx_note(?:$|\s)")
_LETTERS = re.compile(r"[^\W\d_]\w{0,4}")
_DEPTH = 150
_STYLE = re.compile(r"^\{\\(?:display|text)style\s*+(.*)\}$", re.S)
_EQUATION = re.compile(
    r"(?:^|[\s_-])(?:ltx_equation|ltx_equationgroup|disp-formula|disp_formula|display-?math|mathdisplay|equation"
    r"|display-formula|mathjax_display|katex-display)(?:$|[\s_-])"
)
_NUMBER = re.compile(r"(?:^|[\s_-])(?:ltx_tag_equation|label|eqn?-?(?:no|num|number)|equation-?number)(?:$|[\s_-])")


@dataclass(slots=True)
class Links:
    """What links into the page mean: ids as they stand there, and what was found to lie behind them."""

    target: Callable[[str], str]
    known: dict[str, tuple[MarkKind, str]] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    """Ids of empty anchors that stand before what they name."""

    def register(self, element: Element, kind: MarkKind, key: str) -> None:
        """Every id in and just before the element leads to it."""
        names = [*self.waiting]
        self.waiting.clear()
        for inner in element.iter():
            if is_element(inner):
                names += [name for name in (inner.get("id"), inner.get("name")) if name]
        for name in names:
            self.known.setdefault(self.target("#" + name), (kind, key))


def page_target(href: str) -> str:
    """The id that a link within one page leads to, else ""."""
    path, sign, name = href.strip().partition("#")
    return unquote(name) if sign and (not path or path.startswith("./")) else ""


@dataclass(slots=True)
class Words:
    """Fills lines with the words of elements; footnotes that stand within the text are kept aside."""

    links: Links
    notes: list[Element] = field(default_factory=list)
    drop: Callable[[Element], bool] | None = None
    """What is left out besides what is hidden."""

    def fill(self, line: Inline, element: Element, depth: int = 0) -> None:
        """Adds the words of `element` and of all within it."""
        line.add(element.text or "")
        for child in element:
            self.child(line, child, depth)
            line.add(child.tail or "")

    def child(self, line: Inline, child: Element, depth: int = 0) -> None:
        """Adds one element as words."""
        if not is_element(child):
            return
        if is_math(child):
            line.add(formula(child))
        elif self._silent(child):
            self._anchor(child)
        elif child.tag == "br":
            line.add(" ")
        elif _NOTE.search(child.get("class") or ""):
            self._note(line, child)
        elif child.tag == "a" and self._link(line, child, depth):
            pass
        elif child.tag == "sup" and not len(child):
            line.add(raised(child.text or ""))
        elif depth < _DEPTH:
            spaced = child.tag in BLOCK_TAGS
            line.add(" " if spaced else "")
            self.fill(line, child, depth + 1)
            line.add(" " if spaced else "")

    def _silent(self, element: Element) -> bool:
        if element.tag in _SILENT or element.get("hidden") is not None:
            return True
        if self.drop and self.drop(element):
            return True
        return hidden(element)

    def _anchor(self, element: Element) -> None:
        name = element.get("id") or element.get("name")
        if name and element.tag == "a":
            self.links.waiting.append(name)

    def _link(self, line: Inline, link: Element, depth: int) -> bool:
        words = "".join(piece for piece in link.itertext() if isinstance(piece, str))
        if not words.strip() or _BACK.fullmatch(words):
            if not link.get("href"):
                self._anchor(link)
            return True
        target = self.links.target(link.get("href") or "")
        parent = link.getparent()
        if target and parent is not None and parent.tag == "sup" and _LETTERS.fullmatch(words.strip()):
            line.add(" ")  # else the mark is read as the end of the word before it
        if not target or depth >= _DEPTH or not line.open("reference", (target,)):
            return False
        if not len(link) and parent is not None and parent.tag == "sup":
            line.add(raised(link.text or ""))
        else:
            self.fill(line, link, depth + 1)
        line.close()
        return True

    def _note(self, line: Inline, note: Element) -> None:
        sign = next((inner for inner in note.iter("sup") if "ltx_note_mark" in names_of(inner)), None)
        if sign is not None and line.open("footnote", (self.links.target("#" + (note.get("id") or "")),)):
            line.add(raised("".join(sign.itertext())))
            line.close()
        self.notes.append(note)

    def text(self, element: Element) -> str:
        """The words on one line, without marks."""
        line = Inline()
        self.fill(line, element)
        return line.text


def hidden(element: Element) -> bool:
    """Whether a reader of the page does not see the element."""
    if element.get("aria-hidden") == "true" and element.tag != "a":
        return True
    return bool(_HIDDEN.search(names_of(element)) or _NO_SHOW.search(element.get("style") or ""))


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
