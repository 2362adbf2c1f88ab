"""Ligatures: those that files misstate, and those with spaces about them within a word.

A glyph that is called `fi` is "fi", whatever its ToUnicode says. PDFium gives no glyph names, so the fonts of a file
are read here (encodings, tables to Unicode, names in embedded fonts), and an update restates the tables. Spaces as in
"veri fi cation" are closed up where one word is likelier than several: by counts of words with ligatures
(`ligature_words.json`, which `benchmarks/ligature_words.py` makes), by the document's own words, else by length.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from math import log
from typing import Protocol

import msgspec

from conspectus.lexicon import STOP_WORDS

_START = re.compile(rb"startxref\s+(\d+)")
_ROOT = re.compile(rb"/Root\s+(\d+\s+\d+\s+R)")
_PUT = re.compile(rb"dup\s+(\d{1,3})\s*/([^\s/]+)\s+put")
_MACINTOSH = 258
"""Names of format 2 below this number are those of Apple's standard order, of which these two are ligatures."""
_STANDARD = {192: "fi", 193: "fl"}
_SIGNATURES = (b"\x00\x01\x00\x00", b"true", b"OTTO")
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
LIGATURES = ("ffi", "ffl", "ff", "fi", "fl")
_ENDING, _BEGINNING = re.compile(r"(?<![^\W\d_])[^\W\d_]++$"), re.compile(r"[^\W\d_]+")
_EDGE = re.compile(rf"^(?:{'|'.join(LIGATURES)})|(?:{'|'.join(LIGATURES)})$")
_CLOSING = re.compile(r"[.,;:!?)\]]")
_COMMON = -log(100)
"""Of a word as common as "in"."""
_LEAST, _OF_OTHERS = 2, 2000
"""A word that a document has once may be a part of a broken one; its words count as if there were so many others."""
_STEM = 4
"""The least letters that known words which begin longer ones have."""
_UNKNOWN, _LETTER = -log(1000), -log(15)
"""Of any word that is not known, and of each of its letters."""


def append_objects(data: bytes, changed: Mapping[int, bytes], most: int) -> bytes:
    """What is to be appended to a PDF for these objects to stand for those of the same numbers.

    Args:
        data: The file.
        changed: The new objects by number.
        most: The largest number of an object, old or new.
    """
    starts, roots = _START.findall(data), _ROOT.findall(data)
    if not starts or not roots:
        return b""
    base = max(data.find(b"%PDF-"), 0)
    body, places = bytearray(b"\n"), dict[int, int]()
    for number, text in sorted(changed.items()):
        places[number] = len(data) + len(body) - base
        body += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    begin = len(data) + len(body) - base
    previous = int(starts[-1])
    common = b"/Root %s /Prev %d" % (roots[-1], previous)
    if data[base + previous :].lstrip().startswith(b"xref"):
        rows = b"".join(b"%d 1\n%010d 00000 n \n" % place for place in places.items())
        body += b"xref\n%strailer\n<< /Size %d %s >>" % (rows, most + 1, common)
    else:
        places[most + 1] = begin
        index = b" ".join(b"%d 1" % number for number in places)
        rows = b"".join(b"\1" + place.to_bytes(5) + bytes(2) for place in places.values())
        head = b"/Type /XRef /Size %d /W [1 5 2] /Index [%s] /Length %d %s" % (most + 2, index, len(rows), common)
        body += b"%d 0 obj\n<< %s >>\nstream\n%s\nendstream\nendobj" % (most + 1, head, rows)
    return bytes(body) + b"\nstartxref\n%d\n%%%%EOF\n" % begin


def type1_encoding(program: bytes) -> dict[int, str]:
    """The names of a Type 1 font's own encoding, by code."""
    begin = program.find(b"/Encoding")
    if begin < 0 or not program.startswith(b"%!"):
        return {}
    end = program.find(b"eexec", begin)
    entries = _PUT.findall(program, begin, end if end > 0 else len(program))
    return {int(code): name.decode("latin-1") for code, name in entries}


def post_names(program: bytes) -> dict[int, str]:
    """The names of a TrueType font's glyphs, by number, as its table `post` has them."""
    if program[:4] not in _SIGNATURES:
        return {}
    try:
        return _post(_table(program, b"post"))
    except (struct.error, IndexError):
        return {}


def _table(program: bytes, tag: bytes) -> bytes:
    (count,) = struct.unpack_from(">H", program, 4)
    for i in range(count):
        name, _, offset, length = struct.unpack_from(">4sLLL", program, 12 + 16 * i)
        if name == tag:
            return program[offset : offset + length]
    return b""


def _post(table: bytes) -> dict[int, str]:
    if table[:4] != b"\x00\x02\x00\x00":
        return {}
    (count,) = struct.unpack_from(">H", table, 32)
    numbers = struct.unpack_from(f">{count}H", table, 34)
    own_names: list[str] = []
    at = 34 + 2 * count
    while at < len(table):
        length = table[at]
        own_names.append(table[at + 1 : at + 1 + length].decode("latin-1"))
        at += 1 + length
    names: dict[int, str] = {}
    for glyph, number in enumerate(numbers):
        if number in _STANDARD:
            names[glyph] = _STANDARD[number]
        elif number >= _MACINTOSH and number - _MACINTOSH < len(own_names):
            names[glyph] = own_names[number - _MACINTOSH]
    return names


def expand_ligature(name: str) -> str:
    """The letters of the ligature that a glyph's name means; "" where it means none."""
    base = name.partition(".")[0]
    if match := _UNI.fullmatch(base):
        digits = match[1] or match[2].zfill(4)
        size = 4 if match[1] else len(digits)
        codes = [int(digits[i : i + size], 16) for i in range(0, len(digits), size)]
        text = "".join(_EXPANDED.get(code, chr(code)) for code in codes if code < 0xD800 or 0xE000 <= code <= 0x10FFFF)
    else:
        text = base.replace("_", "") if "_" in base.strip("_") or base in _PLAIN else ""
    return text if 2 <= len(text) <= 4 and text.isascii() and text.isalpha() else ""


_EXPANDED = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_KNOWN = {text: chr(code) for code, text in _EXPANDED.items() if text != "st"}
"""Names that PDFium knows too, and their characters."""


def restate_ligatures(data: bytes) -> bytes:
    """What is to be appended to a PDF for its tables to Unicode to say the ligatures that its fonts name; empty where
    they do. It is an update as PDF defines it: new tables, the fonts that refer to them, and where these stand."""
    if b"/Encrypt" in data or len(data) > _MOST_BYTES or (b"/ToUnicode" not in data and b"/ObjStm" not in data):
        return b""
    objects = _Objects(data)
    tables = {number: table for number, font in objects.fonts() if (table := _restated_table(objects, font))}
    return append_objects(data, objects.rewrite_fonts(tables), objects.most + len(tables)) if tables else b""


def _restated_table(objects: _Objects, font: bytes) -> dict[int, str]:
    """What a font's table should say; empty where it says nothing wrong of ligatures."""
    if font.count(b"/BaseFont") > 1:
        return {}
    simple = b"/Type0" not in font
    stated = {} if simple else objects.to_unicode(font)
    if not simple and not any(map(_is_odd, stated.values())):
        return {}
    ligatures = {code: (name, text) for code, name in objects.names(font).items() if (text := expand_ligature(name))}
    if simple and ligatures:
        stated = objects.to_unicode(font)
    wrong = {}
    for code, (name, text) in ligatures.items():
        stated_text = stated.get(code) or ("" if name in _KNOWN else _unmapped(code))
        if len(stated_text) == 1 and _EXPANDED.get(ord(stated_text)) != text:
            wrong[code] = _KNOWN.get(text, text)
    return stated | wrong if wrong else {}


def _is_odd(text: str) -> bool:
    """Whether a table says what letters, digits and common signs are not: only then is a large font unpacked."""
    return (len(text) == 1 and not (text.isascii() and text.isprintable()) and not text.isalnum()) or text == "\ufffd"


def _unmapped(code: int) -> str:
    """What PDFium gives for a code of which neither table nor name tell it anything: the code itself."""
    return chr(code) if code < _SPACE or _LAST_SIGN < code < _FIRST_LATIN else ""


def _unescaped(name: bytes) -> str:
    return _ESCAPED.sub(lambda match: bytes([int(match[1], 16)]), name).decode("utf-8", "replace")


class _Objects:
    """The objects of a PDF by number, found by looking through its bytes: their order in it does not matter."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        starts = [
            (int(numbers[1]), match.end())
            for match in _OBJECT.finditer(data)
            if (numbers := _NUMBERS.search(data[max(match.start() - _BEFORE, 0) : match.start()]))
        ]
        ends = [start for _, start in starts[1:]] + [len(data)]
        self._spans = {number: (start, end) for (number, start), end in zip(starts, ends, strict=True)}
        self._bundled: dict[int, bytes] = {}
        for number in self._spans:
            if b"/ObjStm" in self._head(number):
                self._bundled |= self._read_bundle(number)

        self.most = max([*self._spans, *self._bundled], default=0)

    def fonts(self) -> Iterator[tuple[int, bytes]]:
        """The dictionaries of all fonts, by their numbers."""
        heads = {number: self._head(number) for number in self._spans} | self._bundled
        yield from ((n, head) for n, head in heads.items() if _FONT.search(head) and b"/BaseFont" in head)

    def rewrite_fonts(self, tables: Mapping[int, Mapping[int, str]]) -> dict[int, bytes]:
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
        match = _DIFFERENCES.search(self._part(font, "Encoding") or font)
        names = {} if match else type1_encoding(self._program(font))
        if match and _MAY_BE.search(match[1]):
            code = 0
            for name, number in _PIECE.findall(match[1]):
                if number:
                    code = int(number)
                else:
                    names[code] = _unescaped(name)
                    code += 1
        return names

    def to_unicode(self, font: bytes) -> dict[int, str]:
        """What the font's table says that its codes are."""
        match = re.search((_REFERENCE % "ToUnicode").encode(), font)
        table = self._stream(int(match[1])) if match else b""
        stated: dict[int, str] = {}
        for part in _CHARS.findall(table):
            for code, target in _PAIR.findall(part):
                stated[int(b"".join(code.split()), 16)] = _utf16(target)
        for part in _RANGES.findall(table):
            for first, last, target, each in _RANGE.findall(part):
                begin, end = int(first, 16), min(int(last, 16), int(first, 16) + 0xFFFF)
                if each:
                    stated |= {begin + i: _utf16(text) for i, text in enumerate(_HEXES.findall(each))}
                elif text := _utf16(target):
                    codes = range(begin, end + 1)
                    stated |= {code: text[:-1] + chr(min(ord(text[-1]) + i, 0x10FFFF)) for i, code in enumerate(codes)}
        return stated

    def _part(self, holder: bytes, key: str) -> bytes:
        """The object that a dictionary's entry refers to; empty where it is no reference."""
        match = re.search((_REFERENCE % key).encode(), holder)
        return self._object(int(match[1])) if match else b""

    def _descendant(self, font: bytes) -> bytes:
        match = re.search(rb"/DescendantFonts\s*(?:\[\s*)?(\d+)\s+\d+\s+R", font)
        descendant = self._object(int(match[1])) if match else b""
        reference = re.match(rb"\s*\[\s*(\d+)\s+\d+\s+R", descendant)
        return self._object(int(reference[1])) if reference else descendant

    def _program(self, font: bytes) -> bytes:
        """The embedded font; empty where there is none."""
        holder = self._descendant(font) if b"/Type0" in font else font
        match = re.search(rb"/FontFile[23]?\s+(\d+)\s+\d+\s+R", self._part(holder, "FontDescriptor"))
        return self._stream(int(match[1])) if match else b""

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

    def _read_bundle(self, number: int) -> dict[int, bytes]:
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


class LinePart(Protocol):
    """A part of a line; `glued` ones follow the one before without white space."""

    text: str
    glued: bool


class _Counts(msgspec.Struct, frozen=True):
    """How often each word is used, of a `total` of words."""

    total: int
    words: dict[str, int]


@lru_cache(maxsize=1)
def _counts() -> _Counts:
    data = files("conspectus.parse.pdf").joinpath("ligature_words.json").read_bytes()
    return msgspec.json.decode(data, type=_Counts)


def close_up(lines: Sequence[Sequence[LinePart]]) -> None:
    """Glues together what is one word in the lines of a document."""
    texts = {piece.text for line in lines for piece in line}
    suspects = {text for text in texts if ("f" in text or "F" in text) and _may_be_broken(text)}
    if not suspects:
        return
    words: _Words | None = None
    for line in lines:
        if suspects.isdisjoint([piece.text for piece in line]):
            continue
        for i, piece in enumerate(line):
            alone = piece.text.casefold() in LIGATURES
            if not alone and (not i or piece.glued or not _makes_word(line, i)):
                continue
            words = words or _Words(lines, suspects)
            if alone:
                _close_around(line, i, words)
            else:
                _close_between(line, i, words)


def _may_be_broken(text: str) -> bool:
    """Whether a part of a line is a ligature, or begins or ends with one and is no word that is known."""
    word = text.casefold()
    return word in LIGATURES or (_EDGE.search(word.strip(".,;:()")) is not None and word not in _counts().words)


def _before(line: Sequence[LinePart], i: int) -> str:
    """The letters at the end of what stands before piece `i`, with all that it is glued to."""
    text = ""
    for piece in reversed(line[:i]):
        text = piece.text + text
        if not piece.glued:
            break
    match = _ENDING.search(text)
    return match[0].casefold() if match else ""


def _after(line: Sequence[LinePart], i: int) -> str:
    """The letters at the beginning of piece `i`."""
    match = _BEGINNING.match(line[i].text) if i < len(line) else None
    return match[0].casefold() if match else ""


def _close_around(line: Sequence[LinePart], i: int, words: _Words) -> None:
    """Glues a ligature that stands alone to what is before it, behind it, or both."""
    before = "" if line[i].glued else _before(line, i)
    after = "" if i + 1 < len(line) and line[i + 1].glued else _after(line, i + 1)
    ligature = line[i].text.casefold()
    ways = [(False, False, (before, ligature, after)), (False, True, (before, ligature + after))]
    if before:
        ways += [(True, False, (before + ligature, after)), (True, True, (before + ligature + after,))]
    if not words.are_spaced(ligature):
        ways = [way for way in ways if all(part in (before, ligature, after) or words.can_be(part) for part in way[2])]
    left, right, _ = max(ways, key=lambda way: sum(words.likelihood(part) for part in way[2] if part))
    if left:
        line[i].glued = True
    if (right and after) or (left and i + 1 < len(line) and _CLOSING.match(line[i + 1].text)):
        line[i + 1].glued = True


def _makes_word(line: Sequence[LinePart], i: int) -> bool:
    """Whether a piece and the one before it have a ligature at their border and are one word that is known."""
    if not (line[i].text[:1].casefold() == "f" or line[i - 1].text[-1:].casefold() in "fil"):
        return False
    before, after = _before(line, i), _after(line, i)
    parted = before and after and (before.endswith(LIGATURES) or after.startswith(LIGATURES))
    return bool(parted) and before + after in _counts().words


def _close_between(line: Sequence[LinePart], i: int, words: _Words) -> None:
    """Glues a piece to the one before it if one of them is no word, and they are likelier together."""
    before, after = _before(line, i), _after(line, i)
    separate_odds = words.likelihood(before) + words.likelihood(after)
    known = words.is_known(before) and words.is_known(after)
    if not known and words.likelihood(before + after) > separate_odds:
        line[i].glued = True


class _Words:
    """The words of a document that stand by no ligature which may be spaced, and those that are counted."""

    def __init__(self, lines: Iterable[Sequence[LinePart]], suspects: set[str]) -> None:
        self._word_counts = Counter[str]()
        self._spaced = Counter[str]()
        for line in lines:
            for text in (piece.text.casefold() for piece in line):
                for ligature in LIGATURES:
                    self._spaced[ligature] += 1 if text == ligature else -(ligature in text)
            broken = {i for i, piece in enumerate(line) if piece.text in suspects}
            near = broken | {i + step for i in broken for step in (-1, 1)}
            for i, (piece, following) in enumerate(pairwise([*line, None])):
                word = piece.text.casefold().strip(".,;:()[]") if piece else ""
                whole_word = piece is not None and not piece.glued and not (following and following.glued)
                if whole_word and i not in near and word.isalpha() and not _EDGE.search(word):
                    self._word_counts[word] += 1
        self._total = self._word_counts.total() + _OF_OTHERS

    def is_known(self, word: str) -> bool:
        """Whether it is a word of the document, a counted or a common one."""
        return word in STOP_WORDS or self._word_counts[word] >= _LEAST or word in _counts().words

    def are_spaced(self, ligature: str) -> bool:
        """Whether the ligature stands alone at least as often as within what stands together."""
        return self._spaced[ligature] >= 0

    def can_be(self, word: str) -> bool:
        """Whether it is known, or longer than a known one: what is neither may be two words."""
        return self.is_known(word) or bool(_stem(word))

    def likelihood(self, word: str) -> float:
        """The logarithm of how likely it is that a word is this one. After a known word, what ends it counts as much as
        a word of its own, so that no word is glued to the next for it."""
        if word in STOP_WORDS:
            return _COMMON
        if count := _counts().words.get(word):
            return log(count / _counts().total)
        if word in self._word_counts and len(word) > 1:
            return log(self._word_counts[word] / self._total)
        stem = _stem(word)
        known = log(_counts().words[stem] / _counts().total) if stem else 0.0
        return known + _UNKNOWN + _LETTER * (len(word) - len(stem))


def _stem(word: str) -> str:
    """The longest counted word that begins this one."""
    return next((word[:n] for n in range(len(word) - 1, _STEM - 1, -1) if word[:n] in _counts().words), "")
