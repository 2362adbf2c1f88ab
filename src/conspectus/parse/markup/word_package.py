"""The parts of a Word file: its text, styles, notes, pictures, symbols, properties."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from conspectus.core.errors import InputError
from conspectus.lexicon import pairs, words
from conspectus.parse.files.streams import Zip, inside
from conspectus.parse.markup.inline import Inline, raised
from conspectus.parse.markup.xml_tree import root_in_archive
from conspectus.parse.pdf.glyph_meanings import signs_of_font
from conspectus.records import Hidden, HiddenReason

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_WHITE = re.compile(r"(?:[fF][a-fA-F]){3}|white")
_TINY = 2
"""Half points."""

_HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop|rubrik|overskrift)\s*([1-9])", re.I)


_MONOSPACED = re.compile(r"courier|consol|menlo|monaco|mono\b|\bmono|\bcode\b|typewriter", re.I)


@dataclass(frozen=True, slots=True)
class WordStyle:
    """What a style is called, and its level in the outline (0: none); `unseen` says why its text is not seen, if so."""

    name: str
    level: int
    unseen: HiddenReason | None = None
    monospaced: bool = False
    font: str = ""


@dataclass(slots=True)
class Package:
    """A Word file taken apart."""

    body: Any
    styles: dict[str, WordStyle] = field(default_factory=dict)
    notes: dict[tuple[str, str], Any] = field(default_factory=dict)
    """Footnotes and endnotes by ("footnote" | "endnote", id)."""
    targets: dict[str, str] = field(default_factory=dict)
    core: dict[str, str] = field(default_factory=dict)

    def unseen(self, run: Any) -> HiddenReason | None:
        """Why a run's text is not seen: by its own look, else by its style's or its paragraph's."""
        properties = run.find(W + "rPr")
        vanish = None if properties is None else properties.find(W + "vanish")
        if vanish is not None and not is_on(vanish):
            return None
        reason = _unseen(properties) or next((style.unseen for style in self._styles_of(run) if style.unseen), None)
        return None if reason == "same colour" and _has_ground(run) else reason

    def font(self, run: Any) -> str:
        """The name of a run's font: its own, else its style's or its paragraph's; "" where none is named."""
        return _font(run.find(W + "rPr")) or next((style.font for style in self._styles_of(run) if style.font), "")

    def _styles_of(self, run: Any) -> Iterator[WordStyle]:
        for path in ((run, f"{W}rPr/{W}rStyle"), (run.getparent(), f"{W}pPr/{W}pStyle")):
            if style := self.styles.get(value(path[0].find(path[1]))):
                yield style


def monospaced(look: Any | None, otherwise: bool = False) -> bool:
    """Whether text of this look (a `w:rPr`) is in a font whose characters are equally wide; where it names none,
    `otherwise`."""
    name = _font(look)
    return _MONOSPACED.search(name) is not None if name else otherwise


def _font(look: Any | None) -> str:
    fonts = look.find(W + "rFonts") if look is not None else None
    return "" if fonts is None else fonts.get(W + "ascii") or fonts.get(W + "hAnsi") or ""


def open_package(archive: Zip) -> Package:
    """The parts of the file.

    Raises:
        InputError: It is no Word file, or damaged.
    """
    main = _main_part(archive)
    root = root_in_archive(archive, main)
    body = None if root is None else root.find(W + "body")
    if body is None:
        strict = root is not None and _STRICT in str(root.tag)
        raise InputError(
            f"'{archive.name}' is not a Word file that can be read.",
            "It is in the strict format: save it as an ordinary .docx." if strict else "Save it as .docx once more.",
        )
    folder = posixpath.dirname(main)
    package = Package(body, _styles(root_in_archive(archive, f"{folder}/styles.xml")))
    for kind in ("footnote", "endnote"):
        notes = root_in_archive(archive, f"{folder}/{kind}s.xml")
        for note in notes.iter(W + kind) if notes is not None else ():
            if note.get(W + "type") in (None, "normal"):
                package.notes[kind, note.get(W + "id") or ""] = note
    relations = _relations(root_in_archive(archive, f"{folder}/_rels/{posixpath.basename(main)}.rels"))
    package.targets = {name: target for name, _, target in relations}
    package.core = _core(archive)
    return package


def _main_part(archive: Zip) -> str:
    for _, kind, target in _relations(root_in_archive(archive, "_rels/.rels")):
        if kind.endswith("/officeDocument"):
            return inside(target.lstrip("/")) or "word/document.xml"
    return "word/document.xml"


def _relations(root: Any | None) -> list[tuple[str, str, str]]:
    """(id, type, target) of each."""
    relations = root.iter("{*}Relationship") if root is not None else ()
    return [(each.get("Id") or "", each.get("Type") or "", each.get("Target") or "") for each in relations]


def _styles(root: Any | None) -> dict[str, WordStyle]:
    """Every style by its id; a level may come from the style that one is based on."""
    own_styles: dict[str, tuple[WordStyle, str]] = {}
    for style in root.iter(W + "style") if root is not None else ():
        name, look = value(style.find(W + "name")), style.find(W + "rPr")
        match = _HEADING.match(name)
        level = int(match[1]) if match else outline_level(style)
        word_style = WordStyle(name.lower(), level, _unseen(look), monospaced(look), _font(look))
        own_styles[style.get(W + "styleId") or ""] = word_style, value(style.find(W + "basedOn"))
    return {key: replace(style, level=_level(key, own_styles)) for key, (style, _) in own_styles.items()}


def outline_level(element: Any) -> int:
    """The level in the outline that a style or a paragraph says it has, from 1; 0: none."""
    level = value(element.find(f"{W}pPr/{W}outlineLvl"))
    return int(level) + 1 if level.isdecimal() and len(level) == 1 and int(level) < 9 else 0


def _level(key: str, own_styles: dict[str, tuple[WordStyle, str]]) -> int:
    for _ in range(12):
        style, base = own_styles.get(key, (WordStyle("", 0), ""))
        if style.level or not base or style.name.startswith("toc"):
            return 0 if style.name.startswith("toc") else style.level
        key = base
    return 0


def _unseen(look: Any | None) -> HiddenReason | None:
    """Why text of this look (a `w:rPr`) is not seen."""
    if look is None:
        return None
    if is_on(look.find(W + "vanish")) or is_on(look.find(W + "specVanish")):
        return "switched off"
    size, colour = value(look.find(W + "sz")), look.find(W + "color")
    if size.isascii() and size.isdigit() and int(size[:6]) <= _TINY:
        return "tiny"
    white = colour is not None and (
        _WHITE.fullmatch(value(colour)) or (colour.get(W + "themeColor") or "") in ("background1", "light1")
    )
    return "same colour" if white and look.find(W + "shd") is None and look.find(W + "highlight") is None else None


def _has_ground(run: Any) -> bool:
    """Whether something around the run is shaded: white is seen there."""
    return any(
        shade is not None
        and (
            value(shade) not in ("", "clear", "nil")
            or not ((fill := shade.get(W + "fill") or "auto") == "auto" or _WHITE.fullmatch(fill))
        )
        for shade in (
            parent.find(f"{W}{kind}/{W}shd") for parent in run.iterancestors() for kind in ("pPr", "tcPr", "tblPr")
        )
    )


def is_on(element: Any | None) -> bool:
    """Whether an element that switches something on is there, and does."""
    return element is not None and value(element) not in ("0", "false", "off", "none")


def value(element: Any | None) -> str:
    """The `w:val` of an element, "" where there is none."""
    return "" if element is None else element.get(W + "val") or ""


def picture_name(element: Any, targets: dict[str, str]) -> str:
    """The name of the picture's file that stands in a run."""
    for inner in element.iter():
        for name in ("embed", "link", "id"):
            if target := targets.get(inner.get(_R + name) or ""):
                return posixpath.basename(target)[:300]
    return ""


def _core(archive: Zip) -> dict[str, str]:
    root = root_in_archive(archive, "docProps/core.xml")
    if root is None:
        return {}
    return {
        str(child.tag).rpartition("}")[2]: " ".join((child.text or "").split())
        for child in root
        if isinstance(child.tag, str) and (child.text or "").strip()
    }


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
            sign = "€" if low == 0xA0 else chr(_GREEK.get(low, 0))
        elif font.strip().lower() == "wingdings":
            sign = _WINGDINGS.get(code & 0xFF, "\0")
        else:
            sign = chr(code) if 0x20 <= code < 0xD800 or 0xF900 <= code <= 0x10FFFF else "\0"
        return sign if sign != "\0" else self._miss(f"U+{code:04X}", font)

    def _miss(self, code: str, font: str) -> str:
        self._unknown[f"{code} of {font}" if font else code] += 1
        return MISSING


_SYMBOL_FONT = signs_of_font("Symbol")
_GREEK = {code: sign for code, sign in _SYMBOL_FONT.codes.items() if code < 0x100} if _SYMBOL_FONT else {}


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
class WordLine:
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
        self._line = WordLine()
        self._fields: list[tuple[str, bool, bool]] = []  # instruction, result begun, mark open

    def read(self, paragraph: Any) -> WordLine:
        """The paragraph's line."""
        self._line = WordLine()
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
        delimiter = element.find(f"{M}dPr/{M}{name}")
        ends.append(usual if delimiter is None else delimiter.get(M + "val") or "")
    inner = ", ".join(_tex(child, depth + 1) for child in element.findall(M + "e"))
    return ends[0] + inner + ends[1]


def _sign(sign: str) -> str:
    return _SIGNS.get(sign, sign)


_BUILDERS = {
    "f": lambda part, depth: f"\\frac{{{_inner(part, 'num', depth)}}}{{{_inner(part, 'den', depth)}}}",
    "sSup": _script,
    "sSub": _script,
    "sSubSup": _script,
    "sPre": _script,
    "rad": _root,
    "nary": _nary,
    "d": _fence,
}
