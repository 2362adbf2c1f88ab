"""Scans: pages that are pictures are told, recognised where that is wanted, and labelled."""

from __future__ import annotations

import difflib
import importlib.util
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pdf_samples as samples
import pypdfium2
import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from scan_samples import as_scan

from conspectus.core.errors import EmptyTextError, UnavailableError
from conspectus.parse.files.inspection import inspect_file
from conspectus.parse.pdf import ocr, reader, scans
from conspectus.parse.pdf.ocr import OcrLine, ScannedLine, ScannedPage, ScannedWord, convert_words
from conspectus.parse.pdf.page_text import PageFrame, tilted
from conspectus.parse.pdf.reader import read_pdf
from conspectus.parse.process.pool import Limits
from conspectus.parse.process.worker import _reports
from conspectus.parse.protocol import Working
from conspectus.parse.text.passages import passages
from conspectus.records import ParsedPaper

needs_ocr = pytest.mark.skipif(importlib.util.find_spec("rapidocr") is None, reason="the extra `ocr` is not installed")


def printed_page(tmp_path: Path, *lines: tuple[str, str, float]) -> tuple[scans.Dark, list[tuple[int, int, int, int]]]:
    """A page with lines of text, font and size, drawn at 200 dots per inch: its darkness, and the lines' boxes."""
    canvas = Canvas(str(tmp_path / "lines.pdf"), pagesize=samples.A4)
    boxes = []
    for i, (text, font, size) in enumerate(lines):
        base = 100 + 40 * i
        canvas.setFont(font, size)
        canvas.drawString(72, samples.HEIGHT - base, text)
        width = canvas.stringWidth(text, font, size)
        box = (72 - 1, base - 0.8 * size, 72 + width + 1, base + 0.3 * size)
        boxes.append(tuple(round(value * 200 / 72) for value in box))
    canvas.save()
    grey = pypdfium2.PdfDocument(tmp_path / "lines.pdf")[0].render(scale=200 / 72).to_pil().convert("L")
    return scans.darkness(np.asarray(grey)), boxes  # type: ignore[return-value]


def test_how_a_line_is_printed_is_measured(tmp_path: Path) -> None:
    """Without this headings, footnotes and captions of a scan could not be told from its text."""
    text = "The tides of a planet bend its moons"
    looks = [("Times-Roman", 8.0), ("Times-Roman", 10.0), ("Times-Bold", 10.0), ("Times-Italic", 10.0)]
    dark, boxes = printed_page(tmp_path, *((text, *look) for look in looks), (text.upper(), "Times-Roman", 10.0))
    found = [scans.measure_print(dark, text, box) for box in boxes[:-1]]
    found.append(scans.measure_print(dark, text.upper(), boxes[-1]))
    points = [(one.size * 0.36, one.base * 0.36) for one in found if one is not None]
    assert [size for size, _ in points] == pytest.approx([8, 10, 10, 10, 10], rel=0.06)
    assert [base for _, base in points] == pytest.approx([100, 140, 180, 220, 260], abs=0.5)
    small, plain, bold, italic, capitals = (one for one in found if one is not None)
    assert bold.weight > 1.3 * plain.weight and small.weight < 1.28 * plain.weight
    assert [one.look for one in (small, plain, bold, italic, capitals)] == ["", "", "", "italic", ""]


def test_words_end_where_their_ink_ends(tmp_path: Path) -> None:
    """Without this a quote's rectangle would cut letters off or hold some of its neighbour's."""
    dark, (box,) = printed_page(tmp_path, ("warm moons", "Times-Roman", 10.0))
    first, last = box[0], box[2]
    words = scans.word_ends(dark, box, [(first + 10.0, first + 55.0), (first + 75.0, last - 5.0)])
    with_text = read_words(tmp_path / "lines.pdf")
    assert [x * 0.36 for word in words for x in word] == pytest.approx([x for word in with_text for x in word], abs=1.0)


def read_words(path: Path) -> list[tuple[float, float]]:
    from conspectus.parse.pdf.glyphs import page_words
    from conspectus.parse.pdf.pdf_file import visible_box

    page = pypdfium2.PdfDocument(path)[0]
    words = page_words(page, visible_box(page)).words
    return [(word.x0, word.x1) for word in words]


def test_raised_digits_are_seen(tmp_path: Path) -> None:
    """Without this `10⁵` would be read as 105, and marks of notes would be glued to words."""
    sheet = samples.Sheet()
    samples.put_raised(sheet, 72, 100, ["about 10", "5", " metres"])
    path = samples.save(tmp_path / "raised.pdf", [sheet])
    grey = pypdfium2.PdfDocument(path)[0].render(scale=200 / 72).to_pil().convert("L")
    dark = scans.darkness(np.asarray(grey))
    words = read_words(path)
    (x0, x1), raised = words[1], words[2]
    box = (round(70 / 0.36), round(90 / 0.36), round(words[-1][1] / 0.36) + 2, round(103 / 0.36))
    line = scans.measure_print(dark, "about 105 metres", box)
    assert line is not None
    assert scans.is_raised(dark, line, sum(raised) / 2 / 0.36)
    assert not scans.is_raised(dark, line, (0.25 * x0 + 0.75 * x1) / 0.36)


def test_rules_are_told_from_text(tmp_path: Path) -> None:
    """Without this the cells of tables in scans would be lost, and rules measured as letters."""
    canvas = Canvas(str(tmp_path / "rules.pdf"), pagesize=samples.A4)
    canvas.setFont("Times-Roman", 10)
    canvas.drawString(72, samples.HEIGHT - 100, "The tides of a planet bend its moons")
    canvas.line(72, samples.HEIGHT - 103, 300, samples.HEIGHT - 103)
    canvas.rect(72, samples.HEIGHT - 300, 100, 80, fill=1)
    canvas.save()
    grey = pypdfium2.PdfDocument(tmp_path / "rules.pdf")[0].render(scale=200 / 72).to_pil().convert("L")
    dark = scans.darkness(np.asarray(grey))
    pytest.importorskip("cv2", reason="the extra `ocr` is not installed")
    rules = scans.take_rules(dark, 83, 7)
    assert [tuple(round(v * 0.36) for v in rule) for rule in rules] == [(72, 103, 300, 104)]
    (box,) = scans.find_drawings(dark, [(190, 255, 700, 290)], 33)
    assert [round(v * 0.36) for v in box] == pytest.approx([72, 220, 172, 300], abs=1)


def line(text: str, base: float, size: float, weight: float = 0.08) -> ScannedLine:
    words = text.split()
    made = [ScannedWord(word, 72 + 40 * i, 105 + 40 * i, weight) for i, word in enumerate(words)]
    return ScannedLine(tuple(made), base, size, weight)


def test_sizes_settle_on_those_of_the_document() -> None:
    """Without this every line of a scan would have a size of its own, and none would be the text's."""
    body = [line("moons that share orbits are warm", 100 + 12 * i, 10 + 0.05 * (i % 5)) for i in range(20)]
    notes = [line("a note below all the text", 500 + 10 * i, 8 + 0.04 * i) for i in range(3)]
    heads = [line("Warm moons everywhere", 60, 14.2, weight=0.12), line("Why so", 85, 10.3, weight=0.12)]
    page = ScannedPage(1, PageFrame((0, 0, 600, 800), 0, 0), tuple(heads + body + notes), ())
    words = convert_words([page])[1]
    assert {word.style.size for word in words if word.base >= 100 and word.base < 400} == {10.1}
    assert len({word.style.size for word in words if word.base >= 500}) == 1
    assert {(word.style.size, word.style.bold) for word in words if word.base == 85} == {(10.1, True)}
    assert {word.style.bold for word in words if word.base >= 100} == {False}


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_places_on_pages_that_lie_askew(turns: int) -> None:
    """Without this sentences of a crooked scan would be lit up beside their words."""
    level, askew = PageFrame((0, 0, 600, 800), turns, 0), PageFrame((0, 0, 600, 800), turns, 0, 0.02)
    rect = (100.0, 200.0, 200.0, 212.0)
    assert askew.to_display(rect) == pytest.approx(
        PageFrame((0, 0, 600, 800), turns, 0).to_display(tilted(rect, (level.width / 2, level.height / 2), 0.02))
    )
    back = tilted(rect, (300, 400), 0.02)
    assert back[0] > rect[0] and back[2] > rect[2], "what is above the middle moves to the right"


def test_scans_with_stamps_and_in_stripes_are_scans(tmp_path: Path) -> None:
    """Without this a library's stamp, or a scanner that saves stripes, would make a scan an almost empty paper."""
    source = samples.save(tmp_path / "plain.pdf", samples.one_column())
    striped = as_scan(source, tmp_path / "striped.pdf", dpi=40, stripes=6)
    with pytest.raises(EmptyTextError, match=r"scan.*parse\.ocr") as caught:
        read_pdf(striped)
    assert "striped.pdf" in caught.value.message
    canvas = Canvas(str(tmp_path / "stamped.pdf"), pagesize=samples.A4)
    picture = pypdfium2.PdfDocument(source)[0].render(scale=0.5).to_pil()
    canvas.drawImage(ImageReader(picture), 0, 0, samples.WIDTH, samples.HEIGHT)
    canvas.drawString(72, 20, "Downloaded from a library on Monday, all rights reserved")
    canvas.save()
    with pytest.raises(EmptyTextError, match="scan"):
        read_pdf(tmp_path / "stamped.pdf")


def test_a_slide_with_a_picture_behind_it_is_no_scan(tmp_path: Path) -> None:
    """Without this talks and posters would be refused as scans."""
    source = samples.save(tmp_path / "plain.pdf", samples.one_column())
    canvas = Canvas(str(tmp_path / "slide.pdf"), pagesize=samples.A4)
    picture = pypdfium2.PdfDocument(source)[0].render(scale=0.2).to_pil()
    canvas.drawImage(ImageReader(picture), 0, 0, samples.WIDTH, samples.HEIGHT)
    canvas.drawString(72, 400, "The moons are warm because the tides bend them at every turn.")
    canvas.save()
    assert "tides bend" in " ".join(block.text for block in read_pdf(tmp_path / "slide.pdf").blocks)


def test_what_is_not_installed_is_told_with_its_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this nobody would know what to install; and models might be fetched behind the user's back."""
    scan = as_scan(samples.save(tmp_path / "plain.pdf", samples.one_column()), tmp_path / "scan.pdf", dpi=40)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UnavailableError, match=r"not installed.*pip install 'conspectus\[ocr\]'"):
        list(reader.read_pdf_steps(scan, ocr=True))

    class Spec:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: Spec())
    with pytest.raises(UnavailableError, match=r"no model 'PP-OCR.*'.*pip install"):
        ocr.find_models()


def test_files_with_text_need_nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this turning OCR on would make every PDF fail where the extra is missing."""
    path = samples.save(tmp_path / "plain.pdf", samples.one_column())
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert list(reader.read_pdf_steps(path, ocr=True)) == [read_pdf(path)]


def test_signs_of_life_begin_the_time_anew() -> None:
    """Without this a scan of many pages would be stopped, however well it went."""
    paper = ParsedPaper(samples_metadata())
    reports = list(_reports(iter([Working(0.25), Working(0.5), paper])))
    assert [(report.fraction, report.done, len(report.unpack())) for report in reports] == [
        (0.25, False, 0),
        (0.5, False, 0),
        (1.0, True, 1),
    ]


def samples_metadata():  # type: ignore[no-untyped-def]
    from conspectus.records import Metadata

    return Metadata(title="Warm moons")


def fake_lines(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """What the recogniser would find: lines of text over the whole width, from the top."""

    def recognise(picture: object) -> list[OcrLine]:
        found = []
        for i, text in enumerate(lines):
            y = 300.0 + 33 * i
            corners = ((200.0, y), (1400.0, y), (1400.0, y + 28), (200.0, y + 28))
            letters = [c for c in text if c != " "]
            middles = tuple((j + 0.5) / len(text) for j, c in enumerate(text) if c != " ")
            assert len(letters) == len(middles)
            found.append(OcrLine(corners, text, 0.99, middles))
        return found

    monkeypatch.setattr("conspectus.parse.pdf.scans.recognise", recognise)


def test_recognised_sentences_are_labelled_up_to_the_passage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this a guess of the recogniser would be quoted as if it were printed so."""
    pytest.importorskip("cv2", reason="the extra `ocr` is not installed")
    lines = "The sixth moon is cold at its northern pole all", "year. Its craters are older than the rings."
    fake_lines(monkeypatch, *lines)
    source = samples.save(tmp_path / "plain.pdf", samples.one_column())
    mixed = as_scan(source, tmp_path / "mixed.pdf", kept=[1], dpi=100)
    steps = list(reader.read_pdf_steps(mixed, ocr=True))
    paper = steps[-1]
    assert [step.fraction for step in steps[:-1] if isinstance(step, Working)] == [0.0]
    assert isinstance(paper, ParsedPaper)
    assert paper.warnings == ("Page 2 was recognised by OCR; its words may be wrong.",)
    for block in paper.blocks:
        for sentence in block.sentences:
            assert sentence.recognised == any(place.page == 2 for place in sentence.places)
    spans = [span for passage in passages("p", paper) for span in passage.spans]
    assert {span.recognised for span in spans} == {True, False}
    guessed = [span.text for span in spans if span.recognised]
    assert "Its craters are older than the rings." in guessed
    part = next(passage for passage in passages("p", paper) if passage.recognised)
    assert not replace(part, spans=tuple(span for span in part.spans if not span.recognised)).recognised


def test_a_picture_without_text_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this a page that was not read would look like an empty one."""
    pytest.importorskip("cv2", reason="the extra `ocr` is not installed")
    fake_lines(monkeypatch)
    source = samples.save(tmp_path / "plain.pdf", samples.one_column())
    paper = list(reader.read_pdf_steps(as_scan(source, tmp_path / "mixed.pdf", kept=[1], dpi=40), ocr=True))[-1]
    assert isinstance(paper, ParsedPaper)
    assert paper.warnings == ("Page 2 is a picture in which no text was recognised (OCR).",)
    scan = as_scan(source, tmp_path / "scan.pdf", dpi=40)
    with pytest.raises(EmptyTextError, match="No text was recognised"):
        list(reader.read_pdf_steps(scan, ocr=True))


def said(paper: ParsedPaper) -> list[str]:
    return re.findall(r"\w+", " ".join(block.text for block in paper.blocks).casefold())


def folded(text: str) -> str:
    return re.sub(r"\W", "", text.casefold())


@needs_ocr
@pytest.mark.slow
def test_a_scan_in_two_columns_is_read_as_its_text_would_be(tmp_path: Path) -> None:
    """Without this scanned papers would be words in any order, with no title and no sections."""
    source = samples.save(tmp_path / "columns.pdf", samples.two_columns())
    scan = as_scan(source, tmp_path / "scan.pdf", askew=0.7, noise=8)
    (paper,) = inspect_file(scan, Limits(), ocr=True).papers
    known = read_pdf(source)
    assert folded(paper.metadata.title) == folded(samples.TITLE)
    assert [author.name for author in paper.metadata.authors] == [author.name for author in known.metadata.authors]
    assert difflib.SequenceMatcher(None, said(known), said(paper), autojunk=False).ratio() > 0.98
    kinds = [(block.kind, folded(block.text)[:30]) for block in known.blocks]
    assert [(block.kind, folded(block.text)[:30]) for block in paper.blocks] == kinds
    assert all(sentence.recognised for block in paper.blocks for sentence in block.sentences)
    for block, other in zip(known.blocks, paper.blocks, strict=True):
        one, two = block.sentences[0].places[0].rect, other.sentences[0].places[0].rect
        assert abs(one[0] - two[0]) < 8 and abs(one[1] - two[1]) < 8, "0.7° move the edges of the page by 5 points"


@needs_ocr
@pytest.mark.slow
@pytest.mark.parametrize("turned", [1, pytest.param(2, marks=pytest.mark.again)])
def test_scans_that_lie_on_their_side_or_upside_down(tmp_path: Path, turned: int) -> None:
    """Without this a page fed the wrong way round would be left out, or read as nonsense."""
    sheet = samples.Sheet()
    sheet.put(72, 100, "1 Introduction", "Times-Bold", 12)
    sheet.paragraph(72, 124, 440, samples.FIRST)
    source = samples.save(tmp_path / "page.pdf", [sheet])
    (paper,) = inspect_file(as_scan(source, tmp_path / "turned.pdf", turned=turned), Limits(), ocr=True).papers
    text = next(block for block in paper.blocks if block.kind == "paragraph")
    assert folded(text.text) == folded(samples.FIRST)
    x0, y0, x1, y1 = text.sentences[0].places[0].rect
    assert (y1 - y0 > 3 * (x1 - x0)) == (turned == 1)
    assert x0 == pytest.approx(116 if turned == 1 else 79, abs=12) or x1 == pytest.approx(samples.WIDTH - 72, abs=12)
