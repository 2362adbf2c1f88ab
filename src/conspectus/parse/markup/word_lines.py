"""A Word paragraph as a line of text: runs, fields, links, note signs, and formulas (Office MathML) as TeX."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from conspectus.lexicon import pairs, words
from conspectus.parse.markup.inline import Inline, raised
from conspectus.parse.markup.word_package import Package, SymbolReader, W, is_on, picture_name, value
from conspectus.records import Hidden

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_DEEP = frozenset(W + name for name in ("ins", "smartTag", "sdt", "sdtContent", "customXml", "moveTo", "dir", "bdo"))
_PICTURES = frozenset((W + "drawing", W + "pict", W + "object"))
_REF = re.compile(r"\s*(?:PAGE)?REF\s+(\S+)")
_DEPTH = 40
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FORMULA_DEPTH = 60
_NAMED = reversed(pairs(words("latex")["symbols"]).items())
_SIGNS = {"−": "-", **{sign: f"\\{name} " for name, sign in _NAMED if not sign.isascii()}}
"""What signs are in TeX, of several names the first."""


@dataclass(slots=True)
class Line:
    """What was read of one paragraph besides its words."""

    inline: Inline = field(default_factory=Inline)
    notes: list[tuple[str, str]] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    bookmarks: list[str] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    """Text boxes that hang on the paragraph."""
    formulas: list[str] = field(default_factory=list)
    bold: bool = True
    """Whether all its words are bold."""
    raw: list[str] = field(default_factory=list)
    """Its text with white space as it stands, for listings."""
    plain: bool = False
    """Whether there are words besides formulas."""


class LineReader:
    """Reads one paragraph after another; fields may reach over runs, not over paragraphs."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self.hidden: list[Hidden] = []
        self.symbols = SymbolReader()
        self._line = Line()
        self._fields: list[tuple[str, bool, bool]] = []  # instruction, result begun, mark open

    def read(self, paragraph: Any) -> Line:
        """The paragraph's line."""
        self._line = Line()
        self._fields = []
        self._children(paragraph, 0)
        return self._line

    def _children(self, element: Any, depth: int) -> None:
        for child in element:
            if isinstance(child.tag, str) and depth < _DEPTH:
                self._child(child, depth + 1)

    def _child(self, child: Any, depth: int) -> None:
        tag = child.tag
        if tag == W + "r":
            self._run(child)
        elif tag == W + "hyperlink":
            self._link(child, child.get(W + "anchor") or "", depth)
        elif tag == W + "fldSimple":
            match = _REF.match(child.get(W + "instr") or "")
            self._link(child, match[1] if match else "", depth)
        elif tag == W + "bookmarkStart":
            self._line.bookmarks.append(child.get(W + "name") or "")
        elif tag in (M + "oMath", M + "oMathPara"):
            self._formula(child)
        elif tag in _DEEP:
            self._children(child, depth)

    def _link(self, element: Any, anchor: str, depth: int) -> None:
        opened = bool(anchor) and self._line.inline.open("reference", (anchor,))
        self._children(element, depth)
        if opened:
            self._line.inline.close()

    def _formula(self, element: Any) -> None:
        if text := tex(element):
            self._line.formulas.append(text)
            self._line.inline.add(f"${text}$")

    def _run(self, run: Any) -> None:
        style = run.find(W + "rPr")
        if reason := self._package.unseen(run):
            self.hidden.append(Hidden("".join(part.text or "" for part in run.iter(W + "t")), reason))
            return
        up = style is not None and value(style.find(W + "vertAlign")) == "superscript"
        bold = style is not None and is_on(style.find(W + "b"))
        font = self._package.font(run)
        for part in run:
            if not isinstance(part.tag, str):
                continue
            if part.tag == W + "fldChar":
                self._field(part.get(W + "fldCharType") or "")
            elif part.tag == W + "instrText":
                self._instruction(part.text or "")
            elif all(begun for _, begun, _ in self._fields):  # not in an instruction
                self._part(part, font, up=up, bold=bold)

    def _part(self, part: Any, font: str, *, up: bool, bold: bool) -> None:
        line = self._line
        name = part.tag.rpartition("}")[2]
        if name in ("t", "sym"):
            if name == "t":
                text = self.symbols.read_text(part.text or "", font)
            else:
                text = self.symbols.read_code(part.get(W + "char") or "", part.get(W + "font") or font)
            line.inline.add(raised(text) if up else text)
            line.raw.append(text)
            if text.strip():
                line.plain = True
                line.bold = line.bold and bold
        elif name in ("tab", "br", "cr", "ptab"):
            line.inline.add(" ")
            line.raw.append("\t" if name.endswith("tab") else "\n")
        elif name == "noBreakHyphen":
            line.inline.add("-")
            line.raw.append("-")
        elif name in ("footnoteReference", "endnoteReference"):
            kind = "footnote" if name.startswith("foot") else "endnote"
            line.notes.append((kind, part.get(W + "id") or ""))
            self._note_sign()
        elif part.tag in _PICTURES:
            self._picture(part)
        elif part.tag == _MC + "AlternateContent":
            choice = part.find(_MC + "Choice")
            for inner in choice if choice is not None else ():
                self._picture(inner)

    def _note_sign(self) -> None:
        """Word numbers notes when it shows them: the sign is the number of the note in the whole text."""
        line = self._line
        if line.inline.open("footnote", ("\x00note",)):
            line.inline.add("\ue000")
            line.inline.close()

    def _picture(self, part: Any) -> None:
        self._line.boxes += list(part.iter(W + "txbxContent"))
        if name := picture_name(part, self._package.targets):
            self._line.pictures.append(name)

    # Fields: begin, instruction, separate, result, end

    def _field(self, kind: str) -> None:
        if kind == "begin":
            self._fields.append(("", False, False))
        elif kind == "separate" and self._fields:
            instruction, _, _ = self._fields[-1]
            match = _REF.match(instruction)
            opened = bool(match) and self._line.inline.open("reference", (match[1] if match else "",))
            self._fields[-1] = (instruction, True, opened)
        elif kind == "end" and self._fields:
            _, _, opened = self._fields.pop()
            if opened:
                self._line.inline.close()

    def _instruction(self, text: str) -> None:
        if self._fields and not self._fields[-1][1]:
            instruction, begun, opened = self._fields[-1]
            self._fields[-1] = ((instruction + text)[:500], begun, opened)


def tex(element: Any) -> str:
    """The formula on one line, without dollars."""
    return " ".join(_tex(element, 0).split())


def _tex(element: Any, depth: int) -> str:
    if depth > _FORMULA_DEPTH or not isinstance(element.tag, str):
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
