"""Whatever bytes a file has: a paper, a bad record or one of our errors. And what hostile files once broke."""

from __future__ import annotations

import gzip
import io
import random
import tempfile
import zipfile
from pathlib import Path

import pytest
from articles import SAMPLE
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_samples import one_column, save
from render_docx import docx
from render_epub import epub
from render_html import plos
from render_tex import archive, document

from conspectus.core.errors import ConspectusError, InputError, LimitError, NotFoundError
from conspectus.parse.files.streams import opened
from conspectus.parse.markup.latex_scanner import Macros, Scanner
from conspectus.parse.process.drawings import draw
from conspectus.parse.process.pool import Limits, ParsePool, ReadingJob
from conspectus.parse.process.wire import Drawing
from conspectus.parse.protocol import BadRecord
from conspectus.parse.references.completion import complete
from conspectus.parse.registry import reader_for, readers
from conspectus.records import ParsedPaper, Place
from xml_samples import JATS, TEI, assert_sound

SUFFIXES = list(dict.fromkeys(suffix for reader in readers() for suffix in reader.suffixes))
SIGNATURES = [b"", *(sign for reader in readers() for sign in reader.signatures)]


def read(path: Path) -> list[ParsedPaper]:
    """The sound papers of a file, as a child process makes them."""
    papers = [complete(item) for item in reader_for(path).read(path) if not isinstance(item, BadRecord)]
    for paper in papers:
        assert_sound(paper)
    return papers


def read_or_refused(name: str, data: bytes) -> None:
    """Reads a file, or sees that it is refused as it should be: file, cause and remedy are named."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        try:
            read(path)
        except ConspectusError as error:
            assert name in error.message and error.hint, error.message


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=15)
@given(data=st.binary(max_size=500), head=st.sampled_from(SIGNATURES))
def test_any_bytes_under_any_ending(suffix: str, data: bytes, head: bytes) -> None:
    """Lost otherwise: a clear word on one file among thousands."""
    read_or_refused(f"x{suffix}", head + data)


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    pdf = tmp_path_factory.mktemp("seeds") / "a.pdf"
    save(pdf, one_column())
    tarball = archive({"main.tex": document(SAMPLE).encode()})
    return {
        ".pdf": pdf.read_bytes(),
        ".docx": docx(SAMPLE),
        ".epub": epub(SAMPLE),
        ".html": plos(SAMPLE).encode(),
        ".tex": document(SAMPLE).encode(),
        ".tar.gz": tarball,
        ".tar": gzip.decompress(tarball),
        ".jats.xml": JATS.encode(),
        ".tei.xml": TEI.encode(),
    }


CUTS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 60), st.binary(max_size=12)), min_size=1, max_size=6)


@pytest.mark.parametrize(
    "suffix", [".pdf", ".docx", ".epub", ".html", ".tex", ".tar.gz", ".tar", ".jats.xml", ".tei.xml"]
)
@settings(max_examples=15)
@given(cuts=CUTS)
def test_damaged_files_of_every_kind(
    seeds: dict[str, bytes], suffix: str, cuts: list[tuple[float, int, bytes]]
) -> None:
    """Lost otherwise: the same, for a file that was good once."""
    data = seeds[suffix]
    for where, length, new in cuts:
        at = int(where * len(data))
        data = data[:at] + new + data[at + length :]
    read_or_refused(f"x{suffix}", data)


def test_rows_of_different_length_are_made_even(tmp_path: Path) -> None:
    """Lost otherwise: the columns of a table whose maker forgot a cell."""
    path = tmp_path / "a.html"
    rows = "<tr><td>a</td><td>b</td><td>c</td></tr><tr><td>d</td></tr>"
    path.write_text(f"<html><body><p>Some text.</p><table><caption>Table 1. Cells.</caption>{rows}</table>", "utf-8")
    assert read(path)[0].figures[0].cells == (("a", "b", "c"), ("d", "", ""))


def test_control_characters_behind_what_is_taken_out(tmp_path: Path) -> None:
    """Lost otherwise: the page, for a sign that lxml reads but does not take back."""
    path = tmp_path / "a.html"
    path.write_text("<html><body><p>Moss is<script>x</script>&#1;\x02 warm.</p></body></html>", "utf-8")
    assert read(path)[0].blocks[0].text == "Moss is warm."


@pytest.mark.parametrize("tag", ["p", "a"])
def test_paragraphs_within_paragraphs_are_weighed_once(tmp_path: Path, tag: str) -> None:
    """Lost otherwise: minutes on a page of a few kilobytes, to time that grew with the third power."""
    path = tmp_path / "a.xhtml"
    inside = f"<{tag}>x <span class='menu'>y</span>" * 150 + f"</{tag}>" * 150
    page = f"<html xmlns='http://www.w3.org/1999/xhtml'><body><p>Some text.</p>{inside}</body></html>"
    path.write_text(page, "utf-8")
    with ParsePool(1, Limits(10, 500)) as pool:
        assert [batch.error for batch in pool.run([ReadingJob(str(path), "html")])][-1] is None


def test_a_number_that_nothing_has_costs_no_file(tmp_path: Path) -> None:
    """Lost otherwise: a list of papers, to Python's own limit on digits."""
    path = tmp_path / "a.json"
    path.write_text('[{"title": "Moss", "year": 1%s}, {"title": "Stone"}]' % ("0" * 5000), "utf-8")
    assert [paper.metadata.title for paper in read(path)] == ["Moss", "Stone"]
    path = tmp_path / "a.ris"
    path.write_text(f"TY  - JOUR\nTI  - Moss\nPY  - 1990/1{'0' * 5000}/1\nER  - \n", "utf-8")
    assert read(path)[0].metadata.title == "Moss"


def test_labels_of_thousands_of_digits(tmp_path: Path) -> None:
    """Lost otherwise: the article, as above."""
    path = tmp_path / "a.xml"
    path.write_text(JATS.replace("<label>1</label><mixed", f"<label>{'1' * 5000}</label><mixed"), "utf-8")
    assert read(path)[0].references


def test_macros_of_macros_cost_the_entry_that_uses_them(tmp_path: Path) -> None:
    """Lost otherwise: all memory, to a BibTeX file of a kilobyte."""
    path = tmp_path / "a.bib"
    strings = "".join(f"@string{{s{n} = {' # '.join([f's{n - 1}'] * 10)}}}\n" for n in range(1, 12))
    papers = "@misc{a, title = {Moss}, note = s11}\n@misc{b, title = {Fern}}\n"
    path.write_text(f'@string{{s0 = "aaaaaaaaaa"}}\n{strings}{papers}', "utf-8")
    refused, kept = reader_for(path).read(path)
    assert isinstance(refused, BadRecord) and "too long" in refused.reason
    assert isinstance(kept, ParsedPaper) and kept.metadata.title == "Fern"


def test_latex_that_inputs_itself_or_odd_names(tmp_path: Path) -> None:
    """Lost otherwise: the name of the file that does it; or the paper, to a name longer than names can be."""
    path = tmp_path / "circle.tex"
    head = "\\documentclass{article}\\title{T}\\begin{document}Some text is here.\n"
    path.write_text(head + "\\input{circle}", "utf-8")
    with pytest.raises(LimitError, match=r"'circle\.tex' inputs very many files, or itself"):
        read(path)
    path.write_text(head + "\\input{" + "a" * 290 + "}", "utf-8")
    assert "inputs what is not there" in read(path)[0].warnings[0]


def test_latex_that_inputs_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: minutes, for a small archive that unfolds to a hundred times its size."""
    monkeypatch.setattr("conspectus.parse.markup.latex_files._MAX_JOINED", 1000)
    path = tmp_path / "a.tar.gz"
    main = "\\documentclass{article}\\begin{document}" + "\\input{x}" * 5
    path.write_bytes(archive({"main.tex": main.encode(), "x.tex": b"Words. " * 50}))
    with pytest.raises(LimitError, match=r"'a\.tar\.gz' has more than"):
        read(path)


def test_square_brackets_of_latex() -> None:
    """Lost otherwise: what stands in them, or minutes on thousands that never close."""
    macros = Macros("a.tex")
    assert Scanner(r"[a{]}\]b] c", macros).optional() == r"a{]}\]b"
    assert Scanner("[a", macros).optional() is None
    assert Scanner("[{a] b", macros).optional() is None
    assert Scanner("[" + "a" * 3000 + "]", macros).optional() is None


def test_a_table_of_very_many_columns(tmp_path: Path) -> None:
    """Lost otherwise: minutes, where only the header is wrong."""
    path = tmp_path / "a.csv"
    path.write_text(",".join(["title"] * 50_000) + "\nx\n", "utf-8")
    with pytest.raises(InputError, match="more than one column 'title'"):
        read(path)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.pdf"
    save(path, one_column())
    return path


def test_pages_are_drawn_in_a_child(page: Path) -> None:
    """Lost otherwise: the picture of a sentence, a figure, a structure."""
    whole = draw(page, Drawing(1, 1.0, ((60.0, 60.0, 200.0, 90.0),)), Limits())
    part = draw(page, Drawing(1, 1.0, part=Place(1, (60, 60, 260, 160))), Limits())
    shown = draw(page, Drawing(1, 1.0, paper=read(page)[0]), Limits())
    assert whole.size == (596, 842) and part.size == (202, 102) and shown.width > whole.width
    assert (255, 236, 92) in {whole.getpixel((x, 62)) for x in range(60, 200)}
    with pytest.raises(NotFoundError, match=r"'page\.pdf' has no page 9"):
        draw(page, Drawing(9, 1.0), Limits())


def test_what_cannot_be_drawn_in_time_is_told(page: Path) -> None:
    """Lost otherwise: the program itself, to a page that draws for ever."""
    with pytest.raises(LimitError, match=r"'page\.pdf' took longer than 0\."):
        draw(page, Drawing(1, 20.0), Limits(seconds=0.01))


def test_a_page_that_fills_the_memory_costs_its_file(tmp_path: Path) -> None:
    """Lost otherwise: all memory; or the true reason, which is not damage."""
    import zlib

    data = zlib.compress(b" " * 2**28, 1)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << >> >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(data), data),
    ]
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (n, part) for n, part in enumerate(objects, 1))
    path = tmp_path / "bomb.pdf"
    path.write_bytes(b"%PDF-1.7\n" + body + b"trailer << /Size 5 /Root 1 0 R >>\n%%EOF\n")
    with ParsePool(1, Limits(60, 200)) as pool:
        error = [batch.error for batch in pool.run([ReadingJob(str(path), "pdf")])][-1]
    assert isinstance(error, LimitError) and "memory" in error.message and "'bomb.pdf'" in error.message
    assert "parse.memory" in error.hint


def test_superscripts_are_no_line_numbers() -> None:
    """Lost otherwise: a paper with a column of footnote marks at its edge."""
    from conspectus.parse.pdf.furniture import find_line_numbers
    from conspectus.parse.pdf.page_text import PageFrame, PaintedStyle, PdfPageText, Word

    style = PaintedStyle("Times", 10.0, False, False)
    words = [Word("²", 20.0, 24.0, 50.0 + 12 * n, style) for n in range(30)]
    assert not find_line_numbers([PdfPageText(1, PageFrame((0, 0, 600, 800), 0, 0), words=words)])


def test_a_page_with_too_many_letters_is_left_out(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: minutes and gigabytes, or the reason why there is nothing to read."""
    monkeypatch.setattr("conspectus.parse.pdf.glyphs.MOST_CHARS", 100)
    with pytest.raises(InputError, match=r"'page\.pdf' can be read: Page 1 has more characters than a page can show"):
        read(page)


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archives_of_every_packing_that_are_damaged(tmp_path: Path, packing: int) -> None:
    """Else a book or a Word file that was packed in a rare way, and harmed, is told as a mistake of the program."""
    path = tmp_path / "book.epub"
    with zipfile.ZipFile(path, "w", packing) as whole:
        whole.writestr("a.xml", random.Random(0).randbytes(2000))
    data = bytearray(path.read_bytes())
    data[44:60] = b"\xff" * 16
    path.write_bytes(data)
    with opened(path) as book, pytest.raises(InputError, match=r"'book.epub' is damaged: 'a.xml' in it"):
        book.read("a.xml")


def test_a_page_of_a_book_that_cannot_be_read_costs_itself(tmp_path: Path) -> None:
    """Lost otherwise: the book; or which file of hundreds it was."""
    path = tmp_path / "a.epub"
    with zipfile.ZipFile(io.BytesIO(epub(SAMPLE))) as whole, zipfile.ZipFile(path, "w") as damaged:
        pages = [name for name in whole.namelist() if name.endswith("c2.xhtml")]
        for name in whole.namelist():
            damaged.writestr(name, b"<!-- nothing -->" if name in pages else whole.read(name))
    paper = read(path)[0]
    assert len(pages) == 1 and paper.blocks
    assert any(pages[0] in warning for warning in paper.warnings)
