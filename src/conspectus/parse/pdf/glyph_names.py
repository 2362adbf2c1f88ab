"""Ligatures that fonts name and files misstate: a glyph that is called `fi` is "fi", whatever its ToUnicode says.

PDFium gives no glyph names, so the fonts of a file are read here: their encodings, their tables to Unicode, and the
names in embedded fonts.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache

from conspectus.parse.pdf.font_programs import post_names, type1_encoding
from conspectus.parse.pdf.updates import updated

_MOST_BYTES, _MOST_STREAM = 128 * 2**20, 8 * 2**20
"""Larger files are not searched for fonts, and no more of a stream is unpacked."""

_OBJECT, _NUMBERS = re.compile(rb"obj\b"), re.compile(rb"(?<!\d)(\d{1,8})\s+\d{1,5}\s+$")
_BEFORE = 24
"""The numbers of an object take at most so many bytes."""
_STREAM = re.compile(rb"stream\r?\n")
_FONT = re.compile(rb"/Type\s*/Font\b(?!D)")
_DIFFERENCES = re.compile(rb"/Differences\s*\[([^\]]*)\]")
_MAPPED = re.compile(rb"/CIDToGIDMap\s+\d")
_TABLE = re.compile(rb"/ToUnicode\s*(?:\d+\s+\d+\s+R|/[^\s/<>\[\]()]+)")
_REFERENCE = r"/%s\s+(\d+)\s+\d+\s+R"
_PIECE = re.compile(rb"/([^\s/<>\[\]()]+)|(\d+)")
_ESCAPED = re.compile(rb"#([0-9A-Fa-f]{2})")
_CHARS = re.compile(rb"beginbfchar(.*?)endbfchar", re.S)
_RANGES = re.compile(rb"beginbfrange(.*?)endbfrange", re.S)
_PAIR = re.compile(rb"<\s*([0-9A-Fa-f\s]+)>\s*<\s*([0-9A-Fa-f\s]*)>")
_RANGE = re.compile(rb"<\s*([0-9A-Fa-f]+)\s*>\s*<\s*([0-9A-Fa-f]+)\s*>\s*(?:<\s*([0-9A-Fa-f\s]*)>|\[([^\]]*)\])")
_HEXES = re.compile(rb"<\s*([0-9A-Fa-f\s]*)>")
_SPACE, _LAST_SIGN, _FIRST_LATIN = 0x20, 0x7E, 0xA1
"""Codes below, and between the others, are no characters that a font's other glyphs could mean."""

_UNI = re.compile(r"uni((?:[0-9A-F]{4})+)|u([0-9A-F]{4,6})")
_MAY_BE = re.compile(rb"/(?:ff|fi|fl|st|ct|ft|fj|tt|Th|u|\w_)")
_PLAIN = frozenset({"ff", "fi", "fl", "ffi", "ffl", "st", "ct", "ft", "fj", "tt", "Th"})
"""Ligatures whose names are their letters. Others have their letters apart: `f_j`."""


def ligature(name: str) -> str:
    """The letters of the ligature that a glyph's name means; "" where it means none."""
    base = name.partition(".")[0]
    if found := _UNI.fullmatch(base):
        digits = found[1] or found[2].zfill(4)
        size = 4 if found[1] else len(digits)
        codes = [int(digits[i : i + size], 16) for i in range(0, len(digits), size)]
        text = "".join(_EXPANDED.get(code, chr(code)) for code in codes if code < 0xD800 or 0xE000 <= code <= 0x10FFFF)
    else:
        text = base.replace("_", "") if "_" in base.strip("_") or base in _PLAIN else ""
    return text if 2 <= len(text) <= 4 and text.isascii() and text.isalpha() else ""


_EXPANDED = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_KNOWN = {text: chr(code) for code, text in _EXPANDED.items() if text != "st"}
"""Names that PDFium knows too, and their characters."""


def restated_ligatures(data: bytes) -> bytes:
    """What is to be appended to a PDF for its tables to Unicode to say the ligatures that its fonts name; empty where
    they do. It is an update as PDF defines it: new tables, the fonts that refer to them, and where these stand."""
    if b"/Encrypt" in data or len(data) > _MOST_BYTES or (b"/ToUnicode" not in data and b"/ObjStm" not in data):
        return b""
    objects = _Objects(data)
    tables = {number: table for number, font in objects.fonts() if (table := _restated(objects, font))}
    return updated(data, objects.restated(tables), objects.most + len(tables)) if tables else b""


def _restated(objects: _Objects, font: bytes) -> dict[int, str]:
    """What a font's table should say; empty where it says nothing wrong of ligatures."""
    if font.count(b"/BaseFont") > 1:
        return {}
    simple = b"/Type0" not in font
    stated = {} if simple else objects.to_unicode(font)
    if not simple and not any(map(_is_odd, stated.values())):
        return {}
    named = {code: (name, text) for code, name in objects.names(font).items() if (text := ligature(name))}
    if simple and named:
        stated = objects.to_unicode(font)
    wrong = {}
    for code, (name, text) in named.items():
        said = stated.get(code) or ("" if name in _KNOWN else _unmapped(code))
        if len(said) == 1 and _EXPANDED.get(ord(said)) != text:
            wrong[code] = _KNOWN.get(text, text)
    return stated | wrong if wrong else {}


def _is_odd(said: str) -> bool:
    """Whether a table says what letters, digits and common signs are not: only then is a large font unpacked."""
    return (len(said) == 1 and not (said.isascii() and said.isprintable()) and not said.isalnum()) or said == "\ufffd"


def _unmapped(code: int) -> str:
    """What PDFium gives for a code of which neither table nor name tell it anything: the code itself."""
    return chr(code) if code < _SPACE or _LAST_SIGN < code < _FIRST_LATIN else ""


def _unescaped(name: bytes) -> str:
    return _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), name).decode("utf-8", "replace")


class _Objects:
    """The objects of a PDF by number, found by looking through its bytes: their order in it does not matter."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        starts = [
            (int(numbers[1]), found.end())
            for found in _OBJECT.finditer(data)
            if (numbers := _NUMBERS.search(data[max(found.start() - _BEFORE, 0) : found.start()]))
        ]
        ends = [start for _, start in starts[1:]] + [len(data)]
        self._spans = {number: (start, end) for (number, start), end in zip(starts, ends, strict=True)}
        self._bundled: dict[int, bytes] = {}
        for number in self._spans:
            if b"/ObjStm" in self._head(number):
                self._bundled |= self._unbundled(number)

        self.most = max([*self._spans, *self._bundled], default=0)

    def fonts(self) -> Iterator[tuple[int, bytes]]:
        """The dictionaries of all fonts, by their numbers."""
        heads = {number: self._head(number) for number in self._spans} | self._bundled
        yield from ((n, head) for n, head in heads.items() if _FONT.search(head) and b"/BaseFont" in head)

    def restated(self, tables: Mapping[int, Mapping[int, str]]) -> dict[int, bytes]:
        """Fonts that refer to new tables to Unicode, and these tables."""
        changed: dict[int, bytes] = {}
        for new, (number, table) in enumerate(tables.items(), self.most + 1):
            font = _TABLE.sub(b"", self._object(number).partition(b"endobj")[0])
            changed[number] = font.replace(b"/BaseFont", b"/ToUnicode %d 0 R /BaseFont" % new).strip()
            digits = 4 if b"/Type0" in font else 2
            pairs = "\n".join(f"<{c:0{digits}X}> <{t.encode('utf-16-be').hex()}>" for c, t in table.items() if t)
            text = f"begincmap {len(table)} beginbfchar\n{pairs}\nendbfchar endcmap".encode()
            changed[new] = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text)
        return changed

    def names(self, font: bytes) -> dict[int, str]:
        """The names of a font's glyphs, by code."""
        if b"/Type0" in font:  # its codes are taken for numbers of glyphs: Identity-H
            return {} if _MAPPED.search(self._descendant(font)) else post_names(self._program(font))
        found = _DIFFERENCES.search(self._part(font, "Encoding") or font)
        names = {} if found else type1_encoding(self._program(font))
        if found and _MAY_BE.search(found[1]):
            code = 0
            for name, number in _PIECE.findall(found[1]):
                if number:
                    code = int(number)
                else:
                    names[code] = _unescaped(name)
                    code += 1
        return names

    def to_unicode(self, font: bytes) -> dict[int, str]:
        """What the font's table says that its codes are."""
        found = re.search((_REFERENCE % "ToUnicode").encode(), font)
        table = self._stream(int(found[1])) if found else b""
        stated: dict[int, str] = {}
        for part in _CHARS.findall(table):
            for code, said in _PAIR.findall(part):
                stated[int(b"".join(code.split()), 16)] = _utf16(said)
        for part in _RANGES.findall(table):
            for first, last, said, each in _RANGE.findall(part):
                begin, end = int(first, 16), min(int(last, 16), int(first, 16) + 0xFFFF)
                if each:
                    stated |= {begin + i: _utf16(text) for i, text in enumerate(_HEXES.findall(each))}
                elif text := _utf16(said):
                    codes = range(begin, end + 1)
                    stated |= {code: text[:-1] + chr(min(ord(text[-1]) + i, 0x10FFFF)) for i, code in enumerate(codes)}
        return stated

    def _part(self, holder: bytes, key: str) -> bytes:
        """The object that a dictionary's entry refers to; empty where it is no reference."""
        found = re.search((_REFERENCE % key).encode(), holder)
        return self._object(int(found[1])) if found else b""

    def _descendant(self, font: bytes) -> bytes:
        found = re.search(rb"/DescendantFonts\s*(?:\[\s*)?(\d+)\s+\d+\s+R", font)
        held = self._object(int(found[1])) if found else b""
        again = re.match(rb"\s*\[\s*(\d+)\s+\d+\s+R", held)
        return self._object(int(again[1])) if again else held

    def _program(self, font: bytes) -> bytes:
        """The embedded font; empty where there is none."""
        holder = self._descendant(font) if b"/Type0" in font else font
        found = re.search(rb"/FontFile[23]?\s+(\d+)\s+\d+\s+R", self._part(holder, "FontDescriptor"))
        return self._stream(int(found[1])) if found else b""

    def _object(self, number: int) -> bytes:
        return self._bundled.get(number) or self._head(number)

    def _head(self, number: int) -> bytes:
        """An object's dictionary, without its stream."""
        start, end = self._spans.get(number, (0, 0))
        at = self._data.find(b"stream", start, end)
        return self._data[start : end if at < 0 else at]

    def _stream(self, number: int) -> bytes:
        start, end = self._spans.get(number, (0, 0))
        begin = _STREAM.search(self._data, start, end)
        if begin is None:
            return b""
        packed = self._data[begin.end() : end]
        if b"/Filter" not in self._head(number):
            return packed[:_MOST_STREAM]
        try:
            return zlib.decompressobj().decompress(packed, _MOST_STREAM)
        except zlib.error:
            return b""

    def _unbundled(self, number: int) -> dict[int, bytes]:
        """The objects of a bundle."""
        head, text = self._head(number), self._stream(number)
        first = re.search(rb"/First\s+(\d+)", head)
        if first is None or not text:
            return {}
        numbers = [int(part) for part in re.findall(rb"\d+", text[: int(first[1])])]
        pairs = list(zip(numbers[::2], numbers[1::2], strict=False))
        ends = [at for _, at in pairs[1:]] + [len(text)]
        base = int(first[1])
        return {key: text[base + at : base + end] for (key, at), end in zip(pairs, ends, strict=True)}


@lru_cache(maxsize=1024)
def _utf16(digits: bytes) -> str:
    digits = b"".join(digits.split())
    return bytes.fromhex(digits[: len(digits) // 4 * 4].decode()).decode("utf-16-be", "replace")
