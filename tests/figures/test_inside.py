"""Figures by the words that stand in their pictures."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from conspectus import Filters, Library
from conspectus.core.arrays import FloatArray
from conspectus.index.inside import WordsInside
from helpers import open_library

pytestmark = pytest.mark.usefixtures("quick_pool")


class Both:
    """Takes texts too: `dark` is near what is black."""

    id = "both"
    dimensions = 2
    takes = frozenset({"image", "text"})

    def images(self, pictures: Iterable[Image.Image]) -> Iterator[FloatArray]:
        for picture in pictures:
            light = float(np.asarray(picture.convert("L")).mean()) / 255
            yield np.array([light, 1 - light], np.float32)

    def text(self, words: str) -> FloatArray:
        return np.array([0, 1] if "dark" in words else [1, 0], np.float32)


def paper(path: Path, *, vector: bool) -> Path:
    """A page with two figures, one of them black; in the other stands a word that the text does not have."""
    canvas = Canvas(str(path))
    canvas.setFont("Helvetica", 16)
    canvas.drawString(72, 800, "On the temperature of small rivers")
    canvas.setFont("Helvetica", 10)
    for line in range(6):
        canvas.drawString(72, 770 - 13 * line, "Rivers are cold in spring, as Figure 1 and Figure 2 show for years.")
    canvas.rect(72, 450, 300, 200)
    if vector:
        canvas.drawString(150, 550, "Ammersee")
    else:
        picture = Image.new("RGB", (900, 600), "white")
        ImageDraw.Draw(picture).text((200, 250), "Ammersee", "black", ImageFont.load_default(120))
        canvas.drawImage(ImageReader(picture), 72, 450, 300, 200)
    canvas.drawString(72, 430, "Figure 1. A lake that the river leaves, and its shore.")
    canvas.rect(72, 150, 300, 200, fill=1)
    canvas.drawString(72, 130, "Figure 2. A gauge beneath the second bridge at midnight.")
    canvas.save()
    return path


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib", encoder=Both()) as library:
        library.add(paper(tmp_path / "rivers.pdf", vector=True))
        yield library


def test_words_inside_lead_to_the_figure_once_it_was_looked_at(library: Library) -> None:
    assert all("inside" not in hit.factors for hit in library.figures.search("Ammersee").hits)
    library.figures.encode()
    best, other = sorted(library.figures.search("Ammersee").hits, key=lambda hit: hit.figure.label)
    assert (best.figure.label, best.figure.words, best.figure.recognised) == ("Figure 1", "Ammersee", False)
    weights = {"caption": 0.7, "mention": 0.3, "inside": 0.2, "picture": 0.3}
    assert best.factors["inside"] == 1 and other.factors["inside"] == 0
    known = sum(weights[name] * value for name, value in best.factors.items())
    assert best.score == pytest.approx(known / sum(weights.values()))


def test_what_a_picture_shows_counts_where_the_encoder_takes_texts(library: Library) -> None:
    library.figures.encode()
    found = library.figures.search("something dark")
    assert found.hits[0].figure.label == "Figure 2" and found.hits[0].factors["picture"] == 1
    assert found.method == "0.7 caption + 0.3 mention + 0.3 picture"


def test_filters_hold_for_what_is_seen(library: Library) -> None:
    library.figures.encode()
    assert not library.figures.search("Ammersee", filters=Filters(year=(1800, 1801))).hits
    assert not library.figures.search("Ammersee year:1800").hits


def test_words_in_a_bitmap_are_recognised_where_that_is_wanted(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr")
    with open_library(tmp_path / "lib", encoder=Both(), parse__ocr="auto") as library:
        library.add(paper(tmp_path / "rivers.pdf", vector=False))
        library.figures.encode()
        best = next(hit.figure for hit in library.figures.search("Ammersee").hits if hit.factors["inside"])
    assert (best.label, best.words, best.recognised) == ("Figure 1", "Ammersee", True)


def test_of_many_the_best() -> None:
    inside = WordsInside([(7, "counts of cells"), (8, "cells"), (9, "rain")])
    assert list(inside.best("counts cell", 5)) == [7, 8] and inside.best("counts", 5) == {7: 1.0}
    assert inside.best("snow", 5) == inside.best("!?", 5) == {} == WordsInside([]).best("snow", 5)
