"""Files whose ending does not say what they are."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pytest
from articles import SAMPLE
from pdf_samples import one_column, save
from render_docx import docx, write
from render_epub import epub

from conspectus.core.errors import InputError
from conspectus.parse.registry import reader_for, supported
from conspectus.records import ParsedPaper


def pdf(tmp_path: Path) -> bytes:
    save(tmp_path / "whole.pdf", one_column())
    return (tmp_path / "whole.pdf").read_bytes()


@pytest.mark.parametrize(
    "name", ["a.txt", "a.md", "a", "a.xml", "a.json", "a.bib", "a.html", "a.csv", "a.docx", "a.dat"]
)
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n"])
def test_a_pdf_is_known_by_its_bytes(tmp_path: Path, name: str, before: bytes) -> None:
    """Its bytes would be read as prose, and quoted."""
    path = write(tmp_path / name, before + pdf(tmp_path))
    reader = reader_for(path)
    assert reader.name == "pdf" and supported(path)
    (paper,) = (item for item in reader.read(path) if isinstance(item, ParsedPaper))
    assert len(paper.blocks) > 3 and "%PDF" not in paper.blocks[0].text


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in ("docx", "epub") for name in ("a.txt", "a.pdf", "a", "a.md", "a.zip")]
)
def test_word_and_epub_are_known_by_their_bytes(tmp_path: Path, kind: str, name: str) -> None:
    """A manuscript that was renamed by a mail program would be refused as damaged, or read as prose."""
    path = write(tmp_path / name, docx(SAMPLE) if kind == "docx" else epub(SAMPLE))
    assert reader_for(path).name == kind
    (paper,) = reader_for(path).read(path)
    assert isinstance(paper, ParsedPaper) and paper.metadata.title == SAMPLE.title


def _zip(name: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(name, "x")
    return data.getvalue()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (_zip("notes.txt"), "zip archive"),
        (_zip("xl/workbook.xml"), "zip archive"),
        (gzip.compress(b"Tides rise.", mtime=0), "gzip"),
        (b"\xfd7zXZ\x00rest", "xz"),
        (b"BZh91AY&SYrest", "bzip2"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", "Word"),
        (b"{\\rtf1\\ansi Tides rise.}", "RTF"),
        (b"%!PS-Adobe-3.0\n/Tides show", "PostScript"),
        (b"\x89PNG\r\n\x1a\nrest", "picture"),
    ],
)
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.pdf"])
def test_other_kinds_are_refused_by_name(tmp_path: Path, data: bytes, what: str, name: str) -> None:
    """Bytes of an archive are no sentences, and "damaged" is no help."""
    path = write(tmp_path / name, data)
    with pytest.raises(InputError, match=what) as error:
        reader_for(path)
    assert name in error.value.message and error.value.hint


@pytest.mark.parametrize(
    ("name", "data"),
    [("papers.zip", _zip("a.pdf")), ("papers.tar.xz", b"\xfd7zXZ\x00rest"), ("papers.7z", b"7z\xbc\xaf\x27\x1crest")],
)
def test_archives_under_their_own_name_are_refused_with_what_to_do(tmp_path: Path, name: str, data: bytes) -> None:
    """Who names a download of papers was told all endings that can be read, and not that it is to be unpacked."""
    with pytest.raises(InputError, match="which is not read") as error:
        reader_for(write(tmp_path / name, data))
    assert error.value.hint == "Unpack it, and add what is in it."


@pytest.mark.parametrize(
    ("name", "text", "reader"),
    [
        ("a.txt", "%PDF-1.4 is how a PDF begins, as everybody knows who wrote one.", "text"),
        ("a.md", "# On files\n\nEach begins with a header:\n\n%PDF-1.7\n\nand goes on.", "markdown"),
        ("a.txt", "PK is short for public key.", "text"),
        ("a.tex", "%PDF-1.5 output wanted\n\\documentclass{article}\\begin{document}Tides.\\end{document}", "latex"),
        ("a.txt", "BZh is a file format.", "text"),
    ],
)
def test_texts_that_mention_a_format_stay_texts(tmp_path: Path, name: str, text: str, reader: str) -> None:
    """A note about file formats would be refused."""
    assert reader_for(write(tmp_path / name, text.encode())).name == reader
