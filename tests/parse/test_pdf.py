"""Reading PDF files: order, blocks, sentences in their places, and errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pdf_samples as samples
import pdfplumber
import pytest
from reportlab.pdfgen.canvas import Canvas

from conspectus.core.errors import EmptyTextError, EncryptedError, InputError, NotFoundError
from conspectus.parse.pdf.page_images import render_page
from conspectus.parse.pdf.reader import read_pdf
from conspectus.records import Block, ParsedPaper, Place


def texts(paper: ParsedPaper, kind: str) -> list[str]:
    return [block.text for block in paper.blocks if block.kind == kind]


def inside(path: Path, places: tuple[Place, ...], crop: tuple[float, float] = (0.0, 0.0)) -> str:
    """What pdfplumber finds within the places, without white space; `crop` is cut off at the left and the top."""
    found = ""
    with pdfplumber.open(path) as document:
        for place in places:
            x0, y0, x1, y1 = place.rect
            chars = [
                (c["x0"], c["text"])
                for c in document.pages[place.page - 1].chars
                if x0 <= (c["x0"] + c["x1"]) / 2 - crop[0] <= x1 and y0 <= (c["top"] + c["bottom"]) / 2 - crop[1] <= y1
            ]
            found += "".join(text for _, text in sorted(chars))
    return "".join(found.split())


def sentences(block: Block) -> list[str]:
    return [block.text[s.start : s.end] for s in block.sentences]


def assert_places_hold_their_words(path: Path, paper: ParsedPaper, crop: tuple[float, float] = (0.0, 0.0)) -> None:
    for block in paper.blocks:
        for sentence in block.sentences:
            said = "".join(block.text[sentence.start : sentence.end].split())
            assert sentence.places
            assert inside(path, sentence.places, crop).replace("-", "") == said.replace("-", "")


def test_a_plain_paper_has_its_parts(tmp_path: Path) -> None:
    """Without this a user could neither search a section nor tell a caption from text."""
    path = samples.save(tmp_path / "plain.pdf", samples.one_column())
    paper = read_pdf(path)
    assert paper.pages == 2
    assert [(b.text, b.level) for b in paper.blocks if b.kind == "heading"] == [
        ("Abstract", 1),
        ("1 Introduction", 1),
        ("2 Methods", 1),
        ("2.1 The fit", 2),
        ("References", 1),
    ]
    assert texts(paper, "abstract") == [samples.ABSTRACT]
    assert texts(paper, "paragraph") == list(samples.PARAGRAPHS)
    assert texts(paper, "caption") == ["Figure 1. Heat flow of the six moons. The line is the model."]
    assert [text[:5] for text in texts(paper, "reference")] == ["[1] A", "[2] M"]
    assert_places_hold_their_words(path, paper)


def test_a_plain_papers_metadata(tmp_path: Path) -> None:
    """Without this a citation would have neither title nor author."""
    paper = read_pdf(
        samples.save(tmp_path / "plain.pdf", samples.one_column(), title="Microsoft Word - moons.doc", author="admin")
    )
    assert paper.metadata.title == samples.TITLE
    assert [author.name for author in paper.metadata.authors] == ["Ada B. Lindqvist", "Marco di Renzo", "Wei-Lin Chen"]
    assert paper.metadata.abstract == samples.ABSTRACT
    assert paper.metadata.year is None


def test_a_publishers_first_page(tmp_path: Path) -> None:
    """Without this papers of the large publishers would be named after their journal."""
    path = samples.save(tmp_path / "publisher.pdf", samples.publisher_page(), title="PII: S0000-0000(13)00123-4")
    paper = read_pdf(path)
    found = paper.metadata
    assert found.title == samples.TITLE
    assert [author.name for author in found.authors] == ["Ada B. Lindqvist", "Marco di Renzo", "Wei-Lin Chen"]
    assert found.abstract == samples.ABSTRACT
    assert (found.date, found.doi) == ("2014-01-08", "10.5555/j.snow.2013.12.007")
    assert found.keywords == ("Tides", "Moons")
    assert texts(paper, "heading") == ["abstract", "1. Introduction", "2. The fit"]
    assert texts(paper, "paragraph") == list(samples.PARAGRAPHS)
    assert_places_hold_their_words(path, paper)


def test_an_engineering_societys_first_page(tmp_path: Path) -> None:
    """Without this abstracts that run in after a dash, and drop caps, would be read wrongly."""
    path = samples.save(tmp_path / "society.pdf", samples.conference_page())
    paper = read_pdf(path)
    found = paper.metadata
    assert found.title.casefold() == samples.TITLE.casefold()
    assert [author.name for author in found.authors] == ["Ada B. Lindqvist", "Marco di Renzo", "Wei-Lin Chen"]
    assert found.abstract == samples.ABSTRACT
    assert found.keywords == ("Ice", "moons", "tides")
    assert found.date == "2016-03"
    assert [(b.text, b.level) for b in paper.blocks if b.kind == "heading"] == [
        ("I. INTRODUCTION", 1),
        ("II. METHODS", 1),
        ("A. The Fit", 2),
    ]
    paragraphs = texts(paper, "paragraph")
    assert paragraphs[0].startswith("THE TIDES OF A PLANET bend its moons")
    assert paragraphs[-3:] == list(samples.PARAGRAPHS[1:])
    assert_places_hold_their_words(path, paper)


def test_sentences_cover_their_block(tmp_path: Path) -> None:
    """Without this a sentence of the paper could never be quoted."""
    paper = read_pdf(samples.save(tmp_path / "plain.pdf", samples.one_column()))
    for block in paper.blocks:
        assert "".join("".join(sentences(block)).split()) == "".join(block.text.split())


def test_paragraphs_go_on_over_columns_and_pages(tmp_path: Path) -> None:
    """Without this a sentence over a page break would be quoted as two halves, and running heads within it."""
    path = samples.save(tmp_path / "torn.pdf", samples.split_over_columns())
    paper = read_pdf(path)
    assert [block.text for block in paper.blocks] == list(samples.PARAGRAPHS)
    assert any(len({place.page for place in s.places}) == 2 for block in paper.blocks for s in block.sentences)
    assert_places_hold_their_words(path, paper)


def test_a_title_that_is_also_the_running_head_stays(tmp_path: Path) -> None:
    """Without this a paper would lose its title to the line that repeats it on every page."""
    sheets = [*samples.one_column(), samples.Sheet()]
    sheets[2].paragraph(72, 120, 450, samples.SECOND)
    for sheet in sheets[1:]:
        sheet.put(72, 40, samples.TITLE, "Times-Italic", 9)
    paper = read_pdf(samples.save(tmp_path / "head.pdf", sheets))
    assert paper.metadata.title == samples.TITLE
    assert not any(samples.TITLE in block.text for block in paper.blocks)


def test_a_crop_box_moves_the_origin(tmp_path: Path) -> None:
    """Without this every highlight in a cropped file would be off by its margin."""
    crop = (40.0, 30.0, samples.WIDTH - 10, samples.HEIGHT - 60)
    path = samples.save(tmp_path / "cropped.pdf", samples.one_column(), crop=crop)
    paper = read_pdf(path)
    assert texts(paper, "abstract") == [samples.ABSTRACT]
    assert_places_hold_their_words(path, paper, crop=(40.0, 60.0))


def test_references_end_at_an_appendix(tmp_path: Path) -> None:
    """Without this the text of an appendix would not be searched."""
    sheet = samples.one_column()[1]
    sheet.put(72, 330, "Appendix A Viscosity", "Times-Bold", 12)
    sheet.paragraph(72, 350, 450, samples.SECOND)
    paper = read_pdf(samples.save(tmp_path / "appendix.pdf", [samples.one_column()[0], sheet]))
    assert texts(paper, "paragraph")[-1] == samples.SECOND
    assert len(texts(paper, "reference")) == 2


def test_a_password_is_named_as_the_reason(tmp_path: Path) -> None:
    """Without this the user would not know why a paper is missing."""
    path = samples.save(tmp_path / "locked.pdf", samples.one_column(), password="secret")
    with pytest.raises(EncryptedError, match=r"locked\.pdf.*password"):
        read_pdf(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "empty"), (b"plain text, no PDF at all", "not a PDF"), (b"<html><body>log in</body></html>", "web page")],
)
def test_what_is_no_pdf_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    """Without this a failed download would pass for a paper."""
    path = tmp_path / "wrong.pdf"
    path.write_bytes(content)
    with pytest.raises(InputError, match=words) as caught:
        read_pdf(path)
    assert "wrong.pdf" in str(caught.value)


def test_a_truncated_file_is_refused_or_read(tmp_path: Path) -> None:
    """Without this half a download would crash the whole run."""
    whole = samples.save(tmp_path / "whole.pdf", samples.one_column()).read_bytes()
    path = tmp_path / "half.pdf"
    path.write_bytes(whole[: len(whole) // 4])
    with pytest.raises(InputError, match=r"half\.pdf"):
        read_pdf(path)


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    """Without this a file deleted meanwhile would crash the whole run."""
    with pytest.raises(InputError, match=r"gone\.pdf"):
        read_pdf(tmp_path / "gone.pdf")


def test_a_scan_is_told_from_a_text(tmp_path: Path) -> None:
    """Without this a scanned paper would be in the library and never be found."""
    path = samples.save(tmp_path / "scan.pdf", [samples.Sheet()])
    with pytest.raises(EmptyTextError, match="OCR"):
        read_pdf(path)


def test_rendering_lights_up_the_sentence_and_nothing_else(tmp_path: Path) -> None:
    """Without this a user could not check a citation at a glance."""
    path = samples.save(tmp_path / "plain.pdf", samples.one_column())
    place = next(b for b in read_pdf(path).blocks if b.kind == "abstract").sentences[0].places[0]
    image = render_page(path, place.page, [place.rect], scale=2.0)
    assert image.mode == "RGB"
    assert image.size == (round(samples.WIDTH * 2), round(samples.HEIGHT * 2)) or image.width in (1190, 1191)
    x0, y0, x1, y1 = place.rect
    _, _, blue = image.getpixel((round(x0 * 2), round((y0 + 0.5) * 2)))
    assert blue < 200
    assert image.getpixel((round(x0 * 2), round((y0 - 8) * 2))) == (255, 255, 255)
    assert image.crop((round(x0 * 2), round(y0 * 2), round(x1 * 2), round(y1 * 2))).convert("L").getextrema()[0] < 100
    with pytest.raises(NotFoundError, match="no page 9"):
        render_page(path, 9, [])


def test_a_vast_page_is_drawn_smaller(tmp_path: Path) -> None:
    """Lost otherwise: the machine's memory, by one hostile page."""
    path = tmp_path / "vast.pdf"
    canvas = Canvas(str(path), pagesize=(14_000, 14_000))
    canvas.drawString(100, 100, "Vast is this page of paper.")
    canvas.save()
    image = render_page(path, 1, [], scale=20.0)
    assert 10e6 < image.width * image.height <= 40.1e6


def test_importing_the_reader_is_cheap() -> None:
    """Without this every command would wait for PDFium, even one that reads no PDF."""
    code = "import sys, conspectus.parse.pdf; sys.exit(any(m.startswith(('pypdfium2', 'PIL')) for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
