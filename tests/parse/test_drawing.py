"""Parts of pages, drawn with the words that are seen in them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from conspectus.core.bounds import BOUNDS
from conspectus.core.errors import ConspectusError, NotFoundError
from conspectus.parse.pdf import page_images
from conspectus.parse.process import worker
from conspectus.parse.process.drawings import draw, draw_files
from conspectus.parse.process.pool import Limits
from conspectus.parse.process.wire import Drawing
from conspectus.records import FigureWord, Place, Rect

PART = Place(1, (101.0, 101.0, 299.0, 199.0))
"""Drawn, it is 200 points wide and 100 high."""
LIMITS = Limits(30.0, 1000)


def page(path: Path, turned: int = 0) -> Path:
    """A page of 400 × 400 points: `(a)` at the left top of the part, upright words, white ones, and words beside it."""
    canvas = Canvas(str(path), pagesize=(400, 400))
    canvas.setPageRotation(turned)
    canvas.rect(101, 201, 198, 98)
    canvas.setFont("Helvetica", 10)
    canvas.drawString(110, 280, "(")
    canvas.setFont("Helvetica-Bold", 10)
    canvas.drawString(113.4, 280, "a")
    canvas.setFont("Helvetica", 10)
    canvas.drawString(119, 280, ")")
    canvas.drawString(200, 250, "two words")
    canvas.drawString(110, 350, "Outside")
    canvas.setFillGray(1)
    canvas.drawString(150, 230, "unseen")
    canvas.setFillGray(0)
    canvas.rotate(90)
    canvas.drawString(220, -120, "Upright name")
    canvas.save()
    return path


def near(box: Rect, wanted: Rect) -> bool:
    return all(abs(one - other) < 0.03 for one, other in zip(box, wanted, strict=True))


def test_the_words_that_are_seen_in_a_part_come_with_its_picture(tmp_path: Path) -> None:
    """Lost otherwise: which panel of a figure is (a), and what is written inside figures."""
    ((image, words),) = draw_files([(page(tmp_path / "p.pdf"), Drawing(1, 2.0, part=PART, words=True))], LIMITS)
    assert image.size == (400, 200)
    assert [word.text for word in words] == ["(a)", "two", "words", "Upright name"]
    assert near(words[0].box, (0.05, 0.12, 0.11, 0.23))
    assert words[3].box[3] - words[3].box[1] > 2 * (words[3].box[2] - words[3].box[0]), "it stands upright"


@pytest.mark.parametrize(("turned", "part"), [(90, (201, 101, 299, 299)), (270, (101, 101, 199, 299))])
def test_words_of_a_page_that_is_shown_turned_stand_where_they_are_drawn(
    tmp_path: Path, turned: int, part: Rect
) -> None:
    """Lost otherwise: the words of figures that stand across the page."""
    asked = Drawing(1, 2.0, part=Place(1, part), words=True)
    ((image, words),) = draw_files([(page(tmp_path / "p.pdf", turned), asked)], LIMITS)
    assert {word.text for word in words} == {"(a)", "two", "words", "Upright name"}
    for word in words:
        x0, y0, x1, y1 = word.box
        inked = image.convert("L").crop(
            (int(x0 * image.width), int(y0 * image.height), int(x1 * image.width), int(y1 * image.height))
        )
        assert inked.getextrema()[0] < 128, f"nothing is drawn where {word.text} should be"


def test_words_come_only_where_they_are_asked_for(tmp_path: Path) -> None:
    """Lost otherwise: the time that reading a page takes, wherever one is drawn."""
    path = page(tmp_path / "p.pdf")
    assert worker.draw(path, Drawing(1, 2.0, part=PART)).words == ()
    assert worker.draw(path, Drawing(1, 2.0, words=True)).words == (), "a whole page has its words in the paper"


def test_no_more_words_come_than_a_figure_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: the memory of the program, to a page made of a million words."""
    path = page(tmp_path / "p.pdf")
    few = replace(BOUNDS, figure_words=replace(BOUNDS.figure_words, most=2), label=replace(BOUNDS.label, most=2))
    monkeypatch.setattr(page_images, "BOUNDS", few)
    assert [word.text for word in page_images.read_figure_words(path, PART)] == ["(a", "tw"]
    monkeypatch.setattr("conspectus.parse.pdf.glyphs.MOST_CHARS", 5)
    assert page_images.read_figure_words(path, PART) == ()


def test_of_each_part_its_words_or_why_there_is_none(tmp_path: Path) -> None:
    """Lost otherwise: the other figures of a paper of which one cannot be drawn."""
    asked = [Drawing(number, 2.0, part=replace(PART, page=number), words=True) for number in (1, 9, 1)]
    path = page(tmp_path / "p.pdf")
    first, second, third = draw_files([(path, one) for one in asked], LIMITS)
    assert isinstance(second, NotFoundError)
    assert not isinstance(first, ConspectusError) and not isinstance(third, ConspectusError)
    assert first[1] == third[1] and first[1][0] == FigureWord("(a)", first[1][0].box)
    assert draw(path, asked[0], LIMITS).size == (400, 200)
