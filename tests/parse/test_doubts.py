"""What the user is told of PDF files that are read only in part, or uncertainly."""

from __future__ import annotations

from pathlib import Path

import pdf_samples as samples
import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from conspectus.core.errors import LimitError
from conspectus.parse.pdf import pdf_file
from conspectus.parse.pdf.page_accounts import list_doubts
from conspectus.parse.pdf.page_text import PageFrame, PaintedStyle, PdfLine, PdfPageText, Word
from conspectus.parse.pdf.reader import read_pdf

STYLE = PaintedStyle("Times", 10.0, bold=False, italic=False)


def page_of(text: str) -> PdfPageText:
    return PdfPageText(1, PageFrame((0, 0, 600, 800), 0, 0), [PdfLine(1, [Word(text, 50, 500, 100, STYLE)])])


def test_a_scanned_page_among_others_is_told(tmp_path: Path) -> None:
    """Without this nobody would know that an appendix was left out."""
    from PIL import Image

    canvas = Canvas(str(tmp_path / "part.pdf"), pagesize=samples.A4)
    for x, y, text, font, size in samples.one_column()[0].texts:
        canvas.setFont(font, size)
        canvas.drawString(x, samples.HEIGHT - y, text)
    canvas.showPage()
    canvas.drawImage(ImageReader(Image.new("L", (60, 80), 200)), 0, 0, samples.WIDTH, samples.HEIGHT)
    canvas.save()
    paper = read_pdf(tmp_path / "part.pdf")
    assert paper.has_full_text or paper.metadata.abstract
    assert len(paper.warnings) == 1
    assert paper.warnings[0].startswith("Page 2 is a picture without a text layer (a scan?), and left out")
    assert "parse.ocr" in paper.warnings[0]
    assert "conspectus[ocr]" in paper.warnings[0]


def test_east_asian_text_is_read_and_told(tmp_path: Path) -> None:
    """Without this a reader of Japanese would take torn words for what the paper says."""
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    canvas = Canvas(str(tmp_path / "japanese.pdf"), pagesize=samples.A4)
    canvas.setFont("HeiseiMin-W3", 11)
    for i in range(8):
        canvas.drawString(72, 700 - 16 * i, "月の潮汐加熱を測定した。小さな衛星は冷たい。")
    canvas.save()
    paper = read_pdf(tmp_path / "japanese.pdf")
    assert "潮汐" in "".join(block.text for block in paper.blocks)
    assert any("Japanese" in warning for warning in paper.warnings)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("מדידת חום של ירחים קטנים", "right to left"),
        ("\ufffd\ue000\ufffd heat", "unreadable"),
        ("à÷ ø§ y¨ " * 400, "unreadable"),
        ("plain words", ""),
    ],
)
def test_scripts_and_fonts(text: str, said: str) -> None:
    """Without this text in the wrong order, or no text at all, would pass for the paper's."""
    found = list_doubts([page_of(text)])
    assert bool(found) == bool(said)
    assert said in " ".join(found)


def test_too_many_pages_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this one endless file would hold up all others."""
    monkeypatch.setattr(pdf_file, "MOST_PAGES", 1)
    path = samples.save(tmp_path / "long.pdf", samples.one_column())
    with pytest.raises(LimitError, match=r"long\.pdf.*2 pages"):
        read_pdf(path)
