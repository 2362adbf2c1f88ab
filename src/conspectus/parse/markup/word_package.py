"""The parts of a Word file: its text, styles, notes, pictures, symbols, properties."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from conspectus.core.errors import InputError
from conspectus.parse.archive import Zip, inside
from conspectus.parse.pdf.glyph_meanings import signs_of_font
from conspectus.records import HiddenReason

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_WHITE = re.compile(r"(?:[fF][a-fA-F]){3}|white")
_TINY = 2
"""Half points."""

_HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop|rubrik|overskrift)\s*([1-9])", re.I)


_MONOSPACED = re.compile(r"courier|consol|menlo|monaco|mono\b|\bmono|\bcode\b|typewriter", re.I)


@dataclass(frozen=True, slots=True)
class Style:
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
    styles: dict[str, Style] = field(default_factory=dict)
    notes: dict[tuple[str, str], Any] = field(default_factory=dict)
    """Footnotes and endnotes by ("footnote" | "endnote", id)."""
    targets: dict[str, str] = field(default_factory=dict)
    core: dict[str, str] = field(default_factory=dict)

    def unseen(self, run: Any) -> HiddenReason | None:
        """Why a run's text is not seen: by its own look, else by its style's or its paragraph's."""
        own = run.find(W + "rPr")
        if own is not None and own.find(W + "vanish") is not None and not is_on(own.find(W + "vanish")):
            return None
        reason = _unseen(own) or next((style.unseen for style in self._styles_of(run) if style.unseen), None)
        return None if reason == "same colour" and _has_ground(run) else reason

    def font(self, run: Any) -> str:
        """The name of a run's font: its own, else its style's or its paragraph's; "" where none is named."""
        return _font(run.find(W + "rPr")) or next((style.font for style in self._styles_of(run) if style.font), "")

    def _styles_of(self, run: Any) -> Iterator[Style]:
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
    root = archive.xml(main)
    body = None if root is None else root.find(W + "body")
    if body is None:
        strict = root is not None and _STRICT in str(root.tag)
        raise InputError(
            f"'{archive.name}' is not a Word file that can be read.",
            "It is in the strict format: save it as an ordinary .docx." if strict else "Save it as .docx once more.",
        )
    folder = posixpath.dirname(main)
    package = Package(body, _styles(archive.xml(f"{folder}/styles.xml")))
    for kind in ("footnote", "endnote"):
        notes = archive.xml(f"{folder}/{kind}s.xml")
        for note in notes.iter(W + kind) if notes is not None else ():
            if note.get(W + "type") in (None, "normal"):
                package.notes[kind, note.get(W + "id") or ""] = note
    relations = _relations(archive.xml(f"{folder}/_rels/{posixpath.basename(main)}.rels"))
    package.targets = {name: target for name, _, target in relations}
    package.core = _core(archive)
    return package


def _main_part(archive: Zip) -> str:
    for _, kind, target in _relations(archive.xml("_rels/.rels")):
        if kind.endswith("/officeDocument"):
            return inside(target.lstrip("/")) or "word/document.xml"
    return "word/document.xml"


def _relations(root: Any | None) -> list[tuple[str, str, str]]:
    """(id, type, target) of each."""
    found = root.iter("{*}Relationship") if root is not None else ()
    return [(one.get("Id") or "", one.get("Type") or "", one.get("Target") or "") for one in found]


def _styles(root: Any | None) -> dict[str, Style]:
    """Every style by its id; a level may come from the style that one is based on."""
    own: dict[str, tuple[Style, str]] = {}
    for style in root.iter(W + "style") if root is not None else ():
        name, look = value(style.find(W + "name")), style.find(W + "rPr")
        match = _HEADING.match(name)
        level = int(match[1]) if match else outline_level(style)
        found = Style(name.lower(), level, _unseen(look), monospaced(look), _font(look))
        own[style.get(W + "styleId") or ""] = found, value(style.find(W + "basedOn"))
    return {key: replace(style, level=_level(key, own)) for key, (style, _) in own.items()}


def outline_level(element: Any) -> int:
    """The level in the outline that a style or a paragraph says it has, from 1; 0: none."""
    level = value(element.find(f"{W}pPr/{W}outlineLvl"))
    return int(level) + 1 if level.isdecimal() and len(level) == 1 and int(level) < 9 else 0


def _level(key: str, own: dict[str, tuple[Style, str]]) -> int:
    for _ in range(12):
        style, base = own.get(key, (Style("", 0), ""))
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
        shade is not None and (value(shade) not in ("", "clear", "nil") or _is_dark(shade.get(W + "fill") or ""))
        for shade in (
            parent.find(f"{W}{kind}/{W}shd") for parent in run.iterancestors() for kind in ("pPr", "tcPr", "tblPr")
        )
    )


def _is_dark(fill: str) -> bool:
    return fill not in ("", "auto") and not _WHITE.fullmatch(fill)


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
    root = archive.xml("docProps/core.xml")
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
            found = "€" if low == 0xA0 else chr(_GREEK.get(low, 0))
        elif font.strip().lower() == "wingdings":
            found = _WINGDINGS.get(code & 0xFF, "\0")
        else:
            found = chr(code) if 0x20 <= code < 0xD800 or 0xF900 <= code <= 0x10FFFF else "\0"
        return found if found != "\0" else self._miss(f"U+{code:04X}", font)

    def _miss(self, code: str, font: str) -> str:
        self._unknown[f"{code} of {font}" if font else code] += 1
        return MISSING


def _symbol_codes() -> dict[int, int]:
    signs = signs_of_font("Symbol")
    return {code: meaning for code, meaning in signs.codes.items() if code < 0x100} if signs else {}


_GREEK = _symbol_codes()
