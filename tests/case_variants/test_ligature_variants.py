"""Ligatures whose table to Unicode lies, or that stand between spaces: words are whole, and other words stay apart."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from case_reading import read_paper, searchable_text

TITLE = "Tidal Mills of the Coast"
SENTENCES = [
    "The first efficient mills had five flat shafts and a stiff flange.",
    "Different officials certified the profits of the fishing fleet.",
    "A sufficient flow fills the basin before the flood reflects off the cliff.",
]
LIGATURES = ("ffi", "ffl", "ff", "fi", "fl")


def to_unicode(codes: Mapping[int, str]) -> str:
    pairs = {code: chr(code) for code in range(32, 127)} | dict(codes)
    lines = "\n".join(f"<{code:02X}> <{text.encode('utf-16-be').hex().upper()}>" for code, text in pairs.items())
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /V def 1 begincodespacerange <00> <FF> "
        f"endcodespacerange {len(pairs)} beginbfchar\n{lines}\nendbfchar endcmap end end"
    )


def escaped(text: str) -> str:
    return "".join(f"\\{ord(c):03o}" if ord(c) < 32 or ord(c) > 126 or c in "()\\" else c for c in text)


def write(
    path: Path,
    glyphs: Mapping[str, str],
    table: Mapping[str, str],
    lines: Sequence[str],
    *,
    around: str = "",
    gap: int = 0,
) -> Path:
    """A page whose ligatures have these glyph names and these entries in the table to Unicode.

    `around` is put at both sides of each ligature as text, `gap` as distance (thousandths of the size).
    """
    codes = {name: number for number, name in enumerate(LIGATURES, 1)}
    drawn = []
    for row, line in enumerate(lines):
        text = line
        for name, code in codes.items():
            text = text.replace(name, around + chr(code) + around)
        if gap:
            pieces = "".join(f") {-gap} ({c}) {-gap} (" if ord(c) < 32 else c for c in escaped_keeping(text))
            drawn.append(f"1 0 0 1 72 {640 - 14 * row} Tm [({pieces})] TJ")
        else:
            drawn.append(f"1 0 0 1 72 {640 - 14 * row} Tm ({escaped(text)}) Tj")
    content = (
        f"BT /F2 18 Tf 150 720 Td ({TITLE}) Tj ET BT /F2 11 Tf 200 700 Td (Greta Holm, Tom Ruiz) Tj ET BT /F1 11 Tf "
    )
    content += " ".join(drawn) + " ET"
    names = " ".join(f"/{glyphs[name]}" for name in codes)
    cmap = to_unicode({codes[name]: text for name, text in table.items()})
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 7 0 R "
        "/Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
        f"<< /Length {len(cmap)} >>\nstream\n{cmap}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding << /Type /Encoding /BaseEncoding "
        f"/WinAnsiEncoding /Differences [1 {names}] >> /ToUnicode 4 0 R >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Bold /Encoding /WinAnsiEncoding >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
    ]
    written, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        offsets.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    start = len(written)
    written += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    written += "".join(f"{offset:010d} 00000 n \n" for offset in offsets).encode()
    written += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    path.write_bytes(written)
    return path


def escaped_keeping(text: str) -> str:
    return text.replace("\\", "\\\\")


ADOBE = {name: name for name in LIGATURES}
UNDERSCORES = {"ffi": "f_f_i", "ffl": "f_f_l", "ff": "f_f", "fi": "f_i", "fl": "f_l"}
UNI = {"ffi": "uniFB03", "ffl": "uniFB04", "ff": "uniFB00", "fi": "uniFB01", "fl": "uniFB02"}
SUFFIXED = {"ffi": "ffi.alt", "ffl": "ffl.alt", "ff": "ff.liga", "fi": "fi.liga", "fl": "fl.liga"}
TRUE = {"ffi": "\ufb03", "ffl": "\ufb04", "ff": "\ufb00", "fi": "\ufb01", "fl": "\ufb02"}
MACINTOSH = {"ffi": "Ý", "ffl": "ý", "ff": "×", "fi": "Þ", "fl": "ß"}
"""What the codes of a Macintosh mean elsewhere: 'Þrst' for 'first', 'ßow' for 'flow'."""
WRONG = {
    "letters of another computer": (ADOBE, MACINTOSH),
    "unknown characters": (ADOBE, dict.fromkeys(LIGATURES, "\ufffd")),
    "control characters": (ADOBE, {"ffi": "\x0e", "ffl": "\x0f", "ff": "\x0b", "fi": "\x0c", "fl": "\r"}),
    "spaces": (ADOBE, dict.fromkeys(LIGATURES, " ")),
    "the first letter alone": (ADOBE, dict.fromkeys(LIGATURES, "f")),
    "names with underscores": (UNDERSCORES, dict(zip(LIGATURES, "\ue09d\ue09e\ue09f\ue0a0\ue0a1", strict=True))),
    "names with code points": (UNI, {"ffi": "\u02da", "ffl": "\u02db", "ff": "\u02d9", "fi": "\u02dc", "fl": "\u02d8"}),
    "names with suffixes": (SUFFIXED, dict.fromkeys(LIGATURES, "\ue000")),
    "capital letters": (ADOBE, {"ffi": "V", "ffl": "X", "ff": "U", "fi": "W", "fl": "Z"}),
    "right characters": (ADOBE, TRUE),
    "right letters": (ADOBE, ADOBE),
}  # fmt: skip


@pytest.mark.parametrize(("glyphs", "table"), WRONG.values(), ids=WRONG)
def test_the_glyphs_name_is_believed(tmp_path: Path, glyphs: Mapping[str, str], table: Mapping[str, str]) -> None:
    """A search for 'efficient' or 'profit' would not find what everybody can read on the page."""
    text = searchable_text(read_paper(write(tmp_path / "lig.pdf", glyphs, table, SENTENCES)))
    assert " ".join(SENTENCES) in text


SPACED = {
    "spaces at both sides": (" ", 0, TRUE),
    "wide distances": ("", 280, TRUE),
    "distances and a table of letters": ("", 220, ADOBE),
    "spaces and a table of letters": (" ", 0, ADOBE),
}


@pytest.mark.parametrize(("around", "gap", "table"), SPACED.values(), ids=SPACED)
def test_ligatures_between_spaces(tmp_path: Path, around: str, gap: int, table: Mapping[str, str]) -> None:
    """'veri fi cation' would be three words, none of which anybody searches."""
    path = write(tmp_path / "lig.pdf", ADOBE, table, SENTENCES, around=around, gap=gap)
    assert " ".join(SENTENCES) in searchable_text(read_paper(path))


APART = [
    "The staff fixed it and the cliff fell, but off flats nobody saw it.",
    "If fish swim of five kinds, half float and half find the floor.",
    "The volume was 90 fl and the symbol fi is no word.",
]


@pytest.mark.parametrize("table", [TRUE, ADOBE, MACINTOSH], ids=["characters", "letters", "wrong"])
def test_words_that_begin_or_end_with_ligatures_stay_apart(tmp_path: Path, table: Mapping[str, str]) -> None:
    """'staff fixed' would become 'stafffixed' by a rule that takes away spaces around ligatures."""
    text = searchable_text(read_paper(write(tmp_path / "lig.pdf", ADOBE, table, APART)))
    assert " ".join(APART) in text
