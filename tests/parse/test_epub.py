"""E-books: pages in their order, links between them, and those made to do harm."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from articles import SAMPLE, Heading, paragraphs
from hypothesis import given
from hypothesis import strategies as st
from render_docx import replace_parts
from render_epub import epub

from conspectus.core.errors import ConspectusError, EncryptedError, InputError, LimitError
from conspectus.parse.markup.epub import read_epub
from conspectus.parse.registry import reader_for
from conspectus.records import ParsedPaper

WHOLE = epub(SAMPLE)


def read(tmp_path: Path, data: bytes = WHOLE) -> ParsedPaper:
    path = tmp_path / "book.epub"
    path.write_bytes(data)
    return read_epub(path)


def test_the_pages_are_one_text_in_their_order(tmp_path: Path) -> None:
    """Lost otherwise: the order of chapters, and links from one to another."""
    paper = read(tmp_path)
    wanted = [(part.level, part.text) for part in SAMPLE.parts if isinstance(part, Heading)]
    heads = [(block.level, block.text) for block in paper.blocks if block.kind == "heading"]
    assert heads == [(1, "Abstract"), *wanted, (1, "References")]
    found = []
    for block in paper.blocks:
        text = block.text
        for mark in reversed(block.marks):
            if mark.kind in ("reference", "footnote"):
                text = text[: mark.start] + text[mark.end :]
        if block.kind == "paragraph":
            found.append(text.replace(" [,]", "").replace(" []", ""))
    assert found == paragraphs(SAMPLE)


def test_marks_lead_from_page_to_page(tmp_path: Path) -> None:
    """Lost otherwise: citations, whose list is a page of its own."""
    paper = read(tmp_path)
    marks = [(m.kind, m.targets) for block in paper.blocks for m in block.marks]
    assert marks == [
        ("reference", ("b1",)),
        ("reference", ("b1",)),
        ("reference", ("b2",)),
        ("footnote", ()),
        ("figure", ("f1",)),
        ("table", ("t1",)),
        ("reference", ("b3",)),
    ]
    assert [b.text for b in paper.blocks if b.kind == "footnote"] == ["The stone is a grey limestone from one quarry."]


def test_the_metadata_are_the_packages(tmp_path: Path) -> None:
    """Lost otherwise: by whom the book is."""
    meta = read(tmp_path).metadata
    assert (meta.title, meta.date, meta.doi) == (SAMPLE.title, SAMPLE.date, SAMPLE.doi)
    assert tuple(author.name for author in meta.authors) == SAMPLE.authors
    assert meta.abstract == "\n\n".join(SAMPLE.abstract)


def test_the_day_on_which_a_book_was_made_is_not_its_date(tmp_path: Path) -> None:
    """Lost otherwise: truth; a converted article would be of this year."""
    made = "2026-11-21T17:02:32Z"
    meta = f'<dc:date>{made}</dc:date><meta property="dcterms:modified">{made}</meta>'
    with zipfile.ZipFile(io.BytesIO(WHOLE)) as book:
        package = book.read("OEBPS/content.opf").decode()
    package = package.replace(f"<dc:date>{SAMPLE.date}</dc:date>", meta)
    assert read(tmp_path, replace_parts(WHOLE, {"OEBPS/content.opf": package.encode()})).metadata.year is None


def test_protected_books_are_told(tmp_path: Path) -> None:
    """Lost otherwise: that copy protection is the reason."""
    locked = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#">'
        '<CipherData><CipherReference URI="OEBPS/text/c0.xhtml"/></CipherData></EncryptedData></encryption>'
    )
    with pytest.raises(EncryptedError, match="protected"):
        read(tmp_path, epub(SAMPLE, {"META-INF/encryption.xml": locked.encode()}))


def test_bombs_are_refused(tmp_path: Path) -> None:
    """Lost otherwise: a page of gigabytes would fill the memory."""
    with pytest.raises(LimitError, match="unfolds"):
        read(tmp_path, epub(SAMPLE, {"OEBPS/text/c0.xhtml": b"<p>" + b" " * (70 * 2**20)}))


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "OEBPS/../../x"])
def test_books_cannot_name_files_outside(tmp_path: Path, path: str) -> None:
    """Lost otherwise: a book could read other files."""
    container = f'<container xmlns="urn:x"><rootfiles><rootfile full-path="{path}"/></rootfiles></container>'
    with pytest.raises(InputError, match="not an EPUB"):
        read(tmp_path, epub(SAMPLE, {"META-INF/container.xml": container.encode()}))


def test_the_ending_chooses_the_reader() -> None:
    """Lost otherwise: books."""
    assert reader_for(Path("a.epub")).name == "epub"


@given(st.integers(0, 10**6), st.integers(0, 255))
def test_damaged_books_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, at: int, byte: int) -> None:
    """Lost otherwise: one wrong byte would end the run."""
    at %= len(WHOLE)
    try:
        paper = read(tmp_path_factory.mktemp("bad"), WHOLE[:at] + bytes([byte]) + WHOLE[at + 1 :])
    except ConspectusError:
        return
    assert paper.blocks
