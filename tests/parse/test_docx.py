"""Word files: styled and unstyled, with notes, formulas, fields; and those made to do harm."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from articles import SAMPLE, Heading, Math, Para, plain
from hypothesis import given
from hypothesis import strategies as st
from render_docx import W, docx, replace_parts, write

from conspectus.core.errors import ConspectusError, EmptyTextError, EncryptedError, InputError, LimitError
from conspectus.parse.files import streams as archive
from conspectus.parse.files.streams import inside
from conspectus.parse.markup.word import _authors_in, read_docx
from conspectus.parse.registry import reader_for
from conspectus.records import ParsedPaper

EMPTY = f"<w:document {W}><w:body>%s</w:body></w:document>"


@pytest.fixture(params=["styled", "bare"])
def paper(request: pytest.FixtureRequest, tmp_path: Path) -> ParsedPaper:
    return read_docx(write(tmp_path / "a.docx", docx(SAMPLE, styled=request.param == "styled")))


def kinds(paper: ParsedPaper, kind: str) -> list[str]:
    return [block.text for block in paper.blocks if block.kind == kind]


def body(text: str) -> bytes:
    """A Word file whose body is this XML."""
    return replace_parts(docx(SAMPLE), {"word/document.xml": (EMPTY % text).encode()})


def test_paragraphs_are_the_authors(paper: ParsedPaper) -> None:
    """Lost otherwise: the text of a manuscript."""
    wanted = [
        "".join("$q=-k\\nabla T$" if isinstance(piece, Math) else plain(SAMPLE, piece) for piece in part.pieces)
        for part in SAMPLE.parts
        if isinstance(part, Para)
    ]
    found = []
    for block in paper.blocks:
        text = block.text
        for mark in reversed(block.marks):
            if mark.kind in ("reference", "footnote"):
                text = text[: mark.start] + text[mark.end :]
        if block.kind == "paragraph":
            found.append(text.replace(" [,]", "").replace(" []", ""))
    assert [text for text in found if not text.startswith("Nights")] == wanted
    assert [text for text in found if text.startswith("Nights")] == [
        "Nights with rain were left out of the analysis.",
        "Nights with wind above five metres a second too.",
    ]


def test_headings_come_from_styles(tmp_path: Path) -> None:
    """Lost otherwise: sections with their levels."""
    paper = read_docx(write(tmp_path / "a.docx", docx(SAMPLE)))
    wanted = [(part.level, part.text) for part in SAMPLE.parts if isinstance(part, Heading)]
    found = [(block.level, block.text) for block in paper.blocks if block.kind == "heading"]
    assert found == [(1, "Abstract"), *wanted, (1, "References")]


def test_bold_lines_are_headings_where_no_style_is(tmp_path: Path) -> None:
    """Lost otherwise: the sections of manuscripts typed without styles."""
    paper = read_docx(write(tmp_path / "a.docx", docx(SAMPLE, styled=False)))
    assert kinds(paper, "heading") == [
        "Abstract",
        *(p.text for p in SAMPLE.parts if isinstance(p, Heading)),
        "References",
    ]


def test_the_document_is_believed_before_its_properties(tmp_path: Path) -> None:
    """Lost otherwise: the right title, where the properties have that of an older file."""
    paper = read_docx(write(tmp_path / "a.docx", docx(SAMPLE, core_title="Microsoft Word - draft7")))
    assert paper.metadata.title == SAMPLE.title
    assert [author.name for author in paper.metadata.authors] == list(SAMPLE.authors)
    assert paper.metadata.authors[0].affiliations == (SAMPLE.affiliation,)
    assert paper.metadata.abstract == "\n\n".join(SAMPLE.abstract)
    assert paper.metadata.year is None


def test_notes_formulas_captions_and_cells(paper: ParsedPaper) -> None:
    """Lost otherwise: what Word keeps apart from the text."""
    assert [(b.text, b.label) for b in paper.blocks if b.kind == "footnote"] == [
        ("The stone is a grey limestone from one quarry.", "1")
    ]
    assert [(b.text, b.label) for b in paper.blocks if b.kind == "equation"] == [("T=\\frac{a}{\\tau}", "(1)")]
    picture, table = paper.figures
    assert (picture.kind, picture.label, picture.href) == ("figure", "Figure 1", "image1.png")
    assert (table.kind, table.label, table.cells[1]) == ("table", "Table 1", ("bare stone", "2.1", "3.5"))
    assert picture.caption is not None
    assert paper.blocks[picture.caption].text == "Figure 1. A wall in the north valley. Moss covers its lower half."


def test_fields_and_links_become_marks(paper: ParsedPaper) -> None:
    """Lost otherwise: which reference is cited and which figure is meant."""
    marks = [(b.text[m.start : m.end], m.kind, m.targets) for b in paper.blocks for m in b.marks]
    assert marks == [
        ("1", "reference", ("b1",)),
        ("1", "reference", ("b1",)),
        ("2", "reference", ("b2",)),
        ("¹", "footnote", ()),
        ("Figure 1", "figure", ("f1",)),
        ("Table 1", "table", ("t1",)),
        ("3", "reference", ("b3",)),
    ]
    assert [(r.label, r.text) for r in paper.references] == [
        (str(i), entry.text) for i, entry in enumerate(SAMPLE.references, 1)
    ]


def test_captions_are_known_by_their_style(tmp_path: Path) -> None:
    """Lost otherwise: figures and tables whose captions have no label, taken for text."""
    styles = (
        '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        '<w:style w:type="paragraph" w:styleId="ImageCaption"><w:name w:val="Image Caption"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="TableCaption"><w:name w:val="Table Caption"/></w:style></w:styles>'
    )
    text = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>'
        for style, words in (("ImageCaption", "A wall at noon."), ("TableCaption", "Walls."), ("", "Walls are warm."))
    )
    data = replace_parts(body(text), {"word/styles.xml": styles.encode()})
    paper = read_docx(write(tmp_path / "a.docx", data))
    assert kinds(paper, "caption") == ["A wall at noon.", "Walls."]
    assert [figure.kind for figure in paper.figures] == ["figure", "table"]


def test_what_was_deleted_is_not_read(tmp_path: Path) -> None:
    """Lost otherwise: words that the authors took back would be quoted."""
    text = (
        "<w:p><w:r><w:t>Walls are </w:t></w:r><w:del><w:r><w:delText>not </w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>very warm.</w:t></w:r></w:ins><w:r><w:rPr><w:vanish/></w:rPr><w:t>Hidden.</w:t></w:r></w:p>"
    )
    paper = read_docx(write(tmp_path / "a.docx", body(text)))
    assert kinds(paper, "paragraph") == ["Walls are very warm."]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ada Brook1,*, Ben van der Lake2 and C. D. Moor", ["Ada Brook", "Ben van der Lake", "C. D. Moor"]),
        ("Ada Brook* E-mail: ada@example.org", ["Ada Brook"]),
        ("Brook, Ada1, van der Lake, Ben2", ["Ada Brook", "Ben van der Lake"]),
        ("Ada Brook and Ben Lake Jr. for the Moss Watch Group", ["Ada Brook", "Ben Lake Jr.", "Moss Watch Group"]),
        ("The Moss Watch developers", ["Moss Watch developers"]),
        ("Walls are warm, and moss is green.", []),
        ("Department of Walls, Hillside University", []),
    ],
)
def test_names_are_told_from_other_lines(line: str, names: list[str]) -> None:
    """Lost otherwise: authors, or sentences taken for such."""
    assert [author.name for author in _authors_in(line)] == names


def test_what_stands_below_a_title_that_no_style_marks(tmp_path: Path) -> None:
    """Lost otherwise: a list of many authors, which would be text, and the DOI."""
    everybody = [f"{'ABCDEFGHIJ'[i % 10]}da {'KLMN'[i // 10]}ook" for i in range(40)]
    lines = ["Moss on Walls", ", ".join(everybody * 2), "doi: 10.5555/moss- 2020.12", "Walls are warm."]
    paper = read_docx(
        write(tmp_path / "a.docx", body("".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in lines)))
    )
    assert [author.name for author in paper.metadata.authors[:40]] == everybody
    assert paper.metadata.doi == "10.5555/moss-2020.12"
    assert not any("Kook" in text for text in kinds(paper, "paragraph"))


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    """Lost otherwise: why nothing was added."""
    with pytest.raises(EmptyTextError, match=r"'a.docx' has no text"):
        read_docx(write(tmp_path / "a.docx", body("<w:p/>")))


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "C:\\x", "..\\x", "", ".", "a\x00b"])
def test_names_that_lead_out_are_nothing(name: str) -> None:
    """Lost otherwise: an archive could name files beside it."""
    assert inside(name) == ""


def test_zip_bombs_are_refused(tmp_path: Path) -> None:
    """Lost otherwise: a small file that unfolds to gigabytes would fill the memory."""
    bomb = replace_parts(docx(SAMPLE), {"word/document.xml": b"<x>" + b" " * (80 * 2**20)})
    with pytest.raises(LimitError, match="unfolds"):
        read_docx(write(tmp_path / "bomb.docx", bomb))


def test_archives_of_very_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: lists of millions of names."""
    monkeypatch.setattr(archive, "MAX_FILES", 5)
    with pytest.raises(LimitError, match="more than 5 files"):
        read_docx(write(tmp_path / "many.docx", docx(SAMPLE)))


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    """Lost otherwise: a billion laughs, or the words of other files."""
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    text = f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}<!ENTITY s SYSTEM "file:///etc/passwd">]>' + EMPTY % (
        "<w:p><w:r><w:t>Before.</w:t></w:r></w:p><w:p><w:r><w:t>&l9;&s;</w:t></w:r></w:p>"
    )
    path = write(tmp_path / "a.docx", replace_parts(docx(SAMPLE), {"word/document.xml": text.encode()}))
    try:
        paper = read_docx(path)
    except InputError:
        return
    assert not any("ha" in block.text or "root" in block.text for block in paper.blocks)


def test_protected_files_are_told(tmp_path: Path) -> None:
    """Lost otherwise: that a password is the reason."""
    data = bytearray(docx(SAMPLE))
    at = 0
    while (at := data.find(b"PK\x01\x02", at)) >= 0:  # the flag in the list of files
        data[at + 8] |= 1
        at += 4
    with pytest.raises(EncryptedError, match="password"):
        read_docx(write(tmp_path / "a.docx", bytes(data)))


def test_the_ending_chooses_word(tmp_path: Path) -> None:
    """Lost otherwise: manuscripts."""
    assert reader_for(Path("A.DOCX")).name == "docx"


@given(st.binary(max_size=600))
def test_any_bytes_are_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Lost otherwise: a strange error would end the run."""
    path = tmp_path_factory.mktemp("any") / "any.docx"
    with pytest.raises(InputError):
        read_docx(write(path, data))


@given(st.integers(0, 10**6), st.integers(0, 255), st.sampled_from(["word/document.xml", "word/styles.xml", ""]))
def test_damaged_files_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, at: int, byte: int, part: str
) -> None:
    """Lost otherwise: one wrong byte would end the run."""
    data = WHOLE
    if part:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            inner = bytearray(file.read(part))
        inner[at % len(inner)] = byte
        data = replace_parts(data, {part: bytes(inner)})
    else:
        data = data[: at % len(data)] + bytes([byte]) + data[at % len(data) + 1 :]
    path = write(tmp_path_factory.mktemp("bad") / "bad.docx", data)
    try:
        paper = read_docx(path)
    except ConspectusError:
        return
    assert paper.blocks or paper.metadata.title


WHOLE = docx(SAMPLE)
