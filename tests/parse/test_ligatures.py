"""Ligatures whose table to Unicode is wrong, and such with spaces about them, are read as their letters."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import raw_pdf
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from conspectus.parse.pdf.ligatures import close_up, expand_ligature, post_names, restate_ligatures, type1_encoding
from conspectus.parse.pdf.reader import read_pdf

TEXT = (
    "The verification of the first fluctuations in offices is a difficult work of the field, and its effect is strong."
)
CODES = {"ffi": 1, "fi": 2, "fl": 3, "ff": 4}
ADOBE = {"ffi": "ffi", "fi": "fi", "fl": "fl", "ff": "ff"}
SPELLED = {"ffi": "f_f_i", "fi": "f_i", "fl": "f_l", "ff": "f_f"}
NUMBERED = {"ffi": "uniFB03", "fi": "uniFB01", "fl": "uniFB02", "ff": "uniFB00"}
LETTERS = {"ffi": "uni006600660069", "fi": "uni00660069", "fl": "uni0066006C", "ff": "uni00660066"}
VARIANTS = {"ffi": "ffi.alt", "fi": "fi.liga", "fl": "f_l.ss01", "ff": "ff.alt"}
PRIVATE = {1: 0xF001, 2: 0xF002, 3: 0xF003, 4: 0xF004}
ACCENTS = {1: 0x02DA, 2: 0x02DB, 3: 0x02DC, 4: 0x02D9}
CONTROLS = {1: 0x0002, 2: 0x0003, 3: 0x0004, 4: 0x0005}
OTHERS = {1: 0x00DE, 2: 0x00AE, 3: 0x00DF, 4: 0x0152}
ONE_LETTER = {1: 0x0391, 2: 0x0392, 3: 0x0393, 4: 0x0394}
ALL_ONE = {1: 0xFFFD, 2: 0xFFFD, 3: 0xFFFD, 4: 0xFFFD}
SPACES = dict.fromkeys(range(1, 5), ord(" "))
FIRST_LETTERS = dict.fromkeys(range(1, 5), ord("f"))
WIDTHS = {1: 830, 2: 560, 3: 520, 4: 600}


@dataclass(frozen=True)
class StatedFont(raw_pdf.Font):
    """A simple font with a table to Unicode."""

    stated: Mapping[int, int] = field(default_factory=dict)

    def objects(self, number: int) -> list[str]:
        font, descriptor = super().objects(number)
        pairs = {**{code: code for code in range(32, 127)}, **self.stated}
        lines = "\n".join(f"<{code:02X}> <{said:04X}>" for code, said in pairs.items())
        table = (
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange "
            f"<00> <FF> endcodespacerange {len(pairs)} beginbfchar\n{lines}\nendbfchar endcmap end end"
        )
        stream = f"<< /Length {len(table)} >>\nstream\n{table}\nendstream"
        return [font.replace("/FirstChar", f"/ToUnicode {number + 2} 0 R /FirstChar"), descriptor, stream]


def content(text: str, *, spaced: bool = False) -> str:
    """A content stream that shows the text in lines, with ligatures as their codes."""
    lines, size = [], 60
    while text:
        cut = len(text) if len(text) <= size else text.rindex(" ", 0, size)
        lines.append(text[:cut])
        text = text[cut:].lstrip()
    for letters, code in CODES.items():
        lines = [line.replace(letters, f" {chr(code)} " if spaced else chr(code)) for line in lines]
    shown = " T* ".join("<" + re.sub(" +", " ", line).encode("latin-1").hex() + "> Tj" for line in lines)
    return f"BT /F1 11 Tf 72 700 Td 14 TL {shown} ET"


def read(path: Path, names: Mapping[str, str], stated: Mapping[int, int], *, spaced: bool = False) -> str:
    glyphs = {CODES[letters]: name for letters, name in names.items()}
    glyphs |= {ord(c): c for c in "abcdefghijklmnopqrstuvwxyzT"} | {32: "space", 44: "comma", 46: "period"}
    font = StatedFont("ABCDEF+Serif", glyphs, {**WIDTHS, 32: 250}, stated=stated)
    raw_pdf.save(path, content(TEXT, spaced=spaced), {"F1": font})
    (block,) = read_pdf(path).blocks
    return block.text


@pytest.mark.parametrize(
    "stated", [PRIVATE, ACCENTS, CONTROLS, OTHERS, ONE_LETTER, ALL_ONE, SPACES, FIRST_LETTERS], ids=str
)
@pytest.mark.parametrize("names", [ADOBE, SPELLED, NUMBERED, LETTERS, VARIANTS], ids=lambda names: names["fi"])
def test_names_of_glyphs_win_over_a_wrong_table(tmp_path: Path, names: dict[str, str], stated: dict[int, int]) -> None:
    """`verication` and `oces` would be found by no search, and quoted as what the paper says."""
    assert read(tmp_path / "wrong.pdf", names, stated) == TEXT


@pytest.mark.parametrize("names", [SPELLED, NUMBERED], ids=["spelled", "numbered"])
def test_names_count_where_the_table_is_silent(tmp_path: Path, names: dict[str, str]) -> None:
    """The same words would be lost with a table that leaves ligatures out."""
    assert read(tmp_path / "silent.pdf", names, {}) == TEXT


def test_a_right_table_is_believed(tmp_path: Path) -> None:
    """Glyphs that were named by a program without care would be read as ligatures."""
    right = {1: 0xFB03, 2: 0xFB01, 3: 0xFB02, 4: 0xFB00}
    assert read(tmp_path / "right.pdf", ADOBE, right) == TEXT
    assert read(tmp_path / "plain.pdf", {"ffi": "g1", "fi": "g2", "fl": "g3", "ff": "g4"}, right) == TEXT


def test_a_character_that_is_one_too_stays(tmp_path: Path) -> None:
    """Where a table says `T` of a ligature, each T would become `fi`."""
    assert read(tmp_path / "both.pdf", ADOBE, {**PRIVATE, 2: ord("T")}) == TEXT


def said(data: bytes) -> dict[int, int]:
    """What the update of a file says of codes."""
    update = restate_ligatures(data + b"trailer << /Root 1 0 R >> startxref 9")
    return {int(code, 16): int(text, 16) for code, text in re.findall(rb"<(\w+)> <(\w+)>", update)}


def test_fonts_in_bundles_and_embedded_fonts_are_read() -> None:
    """Most PDFs keep their fonts in bundles of objects; programs such as Word name glyphs in the font itself."""
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /A+B /ToUnicode 9 0 R /Encoding << /Differences [ 2 /f_i ] >> >>"
    bundle = zlib.compress(b"7 0 " + font)
    table = b"beginbfrange <01> <03> <E000> endbfrange"
    data = (
        b"%%PDF-1.5\n5 0 obj << /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream "
        b"endobj\n9 0 obj << /Length %d >>\nstream\n%s\nendstream endobj\n" % (len(bundle), bundle, len(table), table)
    )
    assert said(data) == {1: 0xE000, 2: 0xFB01, 3: 0xE002}


def truetype(*names: str) -> bytes:
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", *names])
    builder.setupCharacterMap({65 + i: name for i, name in enumerate(names)})
    pen = TTGlyphPen(None)
    builder.setupGlyf(dict.fromkeys([".notdef", *names], pen.glyph()))
    builder.setupHorizontalMetrics(dict.fromkeys([".notdef", *names], (500, 0)))
    builder.setupHorizontalHeader()
    builder.setupOS2()
    builder.setupPost(keepGlyphNames=True)
    from io import BytesIO

    file = BytesIO()
    builder.save(file)
    return file.getvalue()


def test_names_in_truetype_fonts_of_many_glyphs_are_read() -> None:
    """The ligatures of a CID font have no other names."""
    program = truetype("T", "f_i", "fl", "uniFB00")
    assert post_names(program) == {2: "f_i", 3: "fl", 4: "uniFB00"}
    packed, table = zlib.compress(program), b"beginbfchar <0002> <F0A0> <0003> <F0A1> endbfchar"
    data = (
        b"1 0 obj << /Type /Font /Subtype /Type0 /BaseFont /C /Encoding /Identity-H /DescendantFonts [2 0 R]"
        b" /ToUnicode 4 0 R >> endobj\n"
        b"2 0 obj << /Type /Font /Subtype /CIDFontType2 /CIDToGIDMap /Identity /FontDescriptor 3 0 R >> endobj\n"
        b"3 0 obj << /Type /FontDescriptor /FontFile2 5 0 R >> endobj\n"
        b"4 0 obj << /Length 9 >>\nstream\n%s\nendstream endobj\n"
        b"5 0 obj << /Filter /FlateDecode >>\nstream\n%s\nendstream endobj\n" % (table, packed)
    )
    assert said(data) == {2: 0xFB01, 3: 0xFB02, 4: 0xFB00}


def test_names_in_type_1_fonts_are_read() -> None:
    """TeX's fonts without an encoding in the file name their ligatures here."""
    program = (
        b"%!PS-AdobeFont-1.0: CMR10\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 12 /fi put\n"
    )
    assert type1_encoding(program + b"readonly def\ncurrentfile eexec") == {12: "fi"}


@pytest.mark.parametrize("data", [b"", b"%PDF-1.4", b"1 0 obj << /Type /Font /BaseFont /X /ToUnicode 1 0 R >> endobj"])
def test_files_without_ligatures_have_none(data: bytes) -> None:
    """A damaged file would stop the reader."""
    assert restate_ligatures(data) == b""


@pytest.mark.parametrize(
    ("name", "letters"),
    [("fi", "fi"), ("f_f_i", "ffi"), ("fi.alt", "fi"), ("uniFB01", "fi"), ("s_t", "st"), ("c_t", "ct"), ("T_h", "Th"),
     ("f", ""), ("uni0041", ""), ("a_", ""), ("_", ""), ("g27", ""), ("germandbls", ""), ("uniD800", ""),
     ("one_half", "")],
)  # fmt: skip
def test_names_of_ligatures(name: str, letters: str) -> None:
    """Other glyphs would be read as letters that are not drawn."""
    assert expand_ligature(name) == letters


@dataclass
class Part:
    text: str
    glued: bool = False


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("The in fl ation of the in fi nite universe", "The inflation of the infinite universe"),
        ("its effects made pro fi ts and a pro fi t of the kind", "its effects made profits and a profit of the kind"),
        ("the final fields of a symbol fi is", "the final fields of a symbol fi is"),
        ("it is a ff ected by a fi eld in a fl ow", "it is affected by a field in a flow"),
        ("the sta ff of the o ff ice went o ff the cli ff .", "the staff of the office went off the cliff."),
        ("Gri ffi th and Ste ff en of Co ff man", "Griffith and Steffen of Coffman"),
        ("a signifi cant eff ect of the fi rst", "a significant effect of the first"),
        ("it is ine fficient and di fferent", "it is inefficient and different"),
        ("die Gra fi k der Schi ff e", "die Grafik der Schiffe"),
        ("la super fi cie es a fi nada", "la superficie es afinada"),
    ],
)
def test_what_is_likelier_one_word_is_one(printed: str, text: str) -> None:
    """Words would be lost to the search, in English and, where they are not known, in other languages."""
    parts = [Part(part) for part in printed.split()]
    close_up([parts])
    assert "".join((" " if i and not part.glued else "") + part.text for i, part in enumerate(parts)) == text


@pytest.mark.parametrize(
    "text",
    [
        "turn it off the staff of five finds a fine office in Find",
        "in finite time and in fields of flowers, of fish and a flow",
        "80 fl in the fi function, a function of Fleming and Fiona, half off first",
    ],
)
def test_true_words_stay_apart(text: str) -> None:
    """Two words would be run together."""
    parts = [Part(part) for part in text.split()]
    close_up([parts])
    assert not [part.text for part in parts if part.glued]


def test_files_that_list_their_objects_in_a_stream_are_mended(tmp_path: Path) -> None:
    """Files of PDF 1.5 would keep a wrong table: an update of theirs must be listed as they are."""
    path = tmp_path / "listed.pdf"
    read(path, ADOBE, SPACES)
    data = path.read_bytes()
    begin = data.rindex(b"xref\n0")
    places = [int(place) for place in re.findall(rb"(\d{10}) 00000 n", data[begin:])]
    rows = bytes(5) + b"".join(b"\1" + place.to_bytes(4) for place in [*places, begin])
    (root,) = re.findall(rb"/Root \d+ 0 R", data)
    head = b"/Type /XRef /Size %d /W [1 4 0] %s /Length %d" % (len(places) + 2, root, len(rows))
    listing = b"%d 0 obj\n<< %s >>\nstream\n%s\nendstream\nendobj\n" % (len(places) + 1, head, rows)
    path.write_bytes(data[:begin] + listing + b"startxref\n%d\n%%%%EOF\n" % begin)
    (block,) = read_pdf(path).blocks
    assert block.text == TEXT
