"""Figures that are like a picture."""

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from conspectus import Filters, Library
from conspectus.core.arrays import FloatArray
from conspectus.core.errors import InputError, LimitError, NotFoundError, UsageError
from conspectus.figures import figure_vectors
from helpers import open_library, table_rows, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")
PAPERS = Path(__file__).resolve().parents[2] / "examples" / "papers"


class Small:
    """A picture's vector is the picture, made very small; it counts what it is asked."""

    takes = frozenset({"image"})
    dimensions = 192

    def __init__(self, name: str = "small") -> None:
        self.id = name
        self.seen = 0

    def images(self, pictures: Iterable[Image.Image]) -> Iterator[FloatArray]:
        for picture in pictures:
            self.seen += 1
            yield np.asarray(picture.convert("RGB").resize((8, 8)), np.float32).reshape(-1)

    def text(self, words: str) -> FloatArray:
        raise NotImplementedError(words)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib", encoder=Small()) as library:
        library.add(sorted(PAPERS.glob("*.pdf")))
        yield library


def test_a_figure_is_like_itself_and_is_not_told_of_itself(library: Library) -> None:
    figures = [hit.figure for hit in library.figures.search(k=100).hits if hit.figure.page]
    first = figures[0]
    found = library.figures.like(library.figures.image(first.id, scale=2.0), k=100)
    assert found.hits[0].figure.id == first.id and found.hits[0].score == pytest.approx(1, abs=0.01)
    assert {hit.figure.id for hit in found.hits} == {figure.id for figure in figures}
    others = library.figures.like(first.id, k=100)
    assert first.id not in {hit.figure.id for hit in others.hits} and len(others.hits) == len(figures) - 1
    assert [hit.rank for hit in others.hits] == list(range(1, len(figures)))
    assert others.models == ("small",) and others.method == "cosine of pictures"


def test_measures_differ_where_vectors_have_lengths(library: Library) -> None:
    dark = Image.new("RGB", (300, 200), (40, 40, 40))
    best = {name: library.figures.like(dark, k=100, measure=name).hits for name in ("cosine", "dot", "euclidean")}
    for name, ascending in (("cosine", False), ("dot", False), ("euclidean", True)):
        scores = [hit.score for hit in best[name]]
        assert scores == sorted(scores, reverse=not ascending)
    assert best["dot"][0].figure.id == best["euclidean"][-1].figure.id, "the brightest is farthest from dark"


def test_a_part_of_a_picture(library: Library, tmp_path: Path) -> None:
    figure = next(hit.figure for hit in library.figures.search(k=100).hits if hit.figure.page)
    picture = library.figures.image(figure.id, scale=2.0)
    beside = Image.new("RGB", (2 * picture.width, picture.height))
    beside.paste(picture, (picture.width, 0))
    file = tmp_path / "beside.png"
    beside.save(file)
    for crop in ((0.5, 0, 0.5, 1), (picture.width, 0, picture.width, picture.height)):
        assert library.figures.like(beside, k=1, crop=crop).hits[0].figure.id == figure.id
        assert library.figures.like(file, k=1, crop=crop).hits[0].figure.id == figure.id
    for wrong in ((0, 0, 0, 1), (0.6, 0, 0.5, 1), (-1, 0, 9, 9), (0, 0, 9999, 9999)):
        with pytest.raises(UsageError, match="does not lie in the picture"):
            library.figures.like(beside, crop=wrong)


@pytest.mark.parametrize("crop", [(math.nan, 0, 1, 1), (0, 0, math.inf, 1), (1e300, 0, 1, 1), (0, 0, 1)])
def test_crops_that_are_none(library: Library, crop: Any) -> None:
    with pytest.raises(UsageError, match="is no part of a picture"):
        library.figures.like(Image.new("RGB", (9, 9)), crop=crop)


def test_a_measure_that_there_is_not(library: Library) -> None:
    with pytest.raises(UsageError, match="no measure 'foo'"):
        library.figures.like(Image.new("RGB", (9, 9)), measure="foo")  # type: ignore[arg-type]


def test_a_figure_that_took_too_long_is_looked_at_again(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(_: object, __: object, figures: Iterable[Any], ___: object) -> Iterator[Any]:
        return ((figure, LimitError("It took too long.")) for figure in figures)

    with monkeypatch.context() as patch:
        patch.setattr(figure_vectors, "of_figures", late)
        found = library.figures.like(Image.new("RGB", (9, 9)))
        assert not found.hits and "are not among them" in found.note
    assert library.figures.encode() == len(list(PAPERS.glob("*.pdf")))


def test_a_file_and_its_bytes(library: Library, tmp_path: Path) -> None:
    figure = next(hit.figure for hit in library.figures.search(k=100).hits if hit.figure.page)
    file = tmp_path / "query.png"
    library.figures.image(figure.id).save(file)
    for like in (file, file.read_bytes()):
        assert library.figures.like(like, k=1).hits[0].figure.id == figure.id
    for wrong in (b"%PDF-1.4", b"", tmp_path / "nowhere.png"):
        with pytest.raises(InputError):
            library.figures.like(wrong)


def test_filters_and_kinds(library: Library) -> None:
    picture = Image.new("RGB", (10, 10))
    every = library.figures.like(picture, k=100).hits
    year = every[-1].figure.paper.year
    some = library.figures.like(picture, k=100, filters=Filters(year=(year, year))).hits
    assert [hit.figure.id for hit in some] == [hit.figure.id for hit in every if hit.figure.paper.year == year]
    assert library.figures.like(picture, k=100, only=["figure"]).hits == every
    assert not library.figures.like(picture, k=100, only=["table"]).hits
    nothing = library.figures.like(picture, filters=Filters(author=("nobody",)))
    assert not nothing.hits and nothing.note
    with pytest.raises(UsageError, match="kind of passage"):
        library.figures.like(picture, filters=Filters(kind=("body",)))
    with pytest.raises(UsageError, match="at least 1"):
        library.figures.like(picture, k=0)
    with pytest.raises(NotFoundError, match="nobody"):
        library.figures.like("nobody.fx")


def test_each_figure_is_looked_at_once(library: Library) -> None:
    encoder = library.session.injected.encoder
    assert isinstance(encoder, Small)
    library.figures.like(Image.new("RGB", (10, 10)))
    looked = encoder.seen
    library.figures.like(Image.new("RGB", (10, 10)))
    assert encoder.seen == looked + 1, "the picture that was asked for"
    assert library.figures.encode() == 0


def test_who_does_not_look_is_told(library: Library) -> None:
    found = library.figures.like(Image.new("RGB", (10, 10)), encode=False)
    assert not found.hits and "nobody has looked at them yet" in found.note


def test_another_encoder_looks_anew(tmp_path: Path, library: Library) -> None:
    library.figures.encode()
    rows = len(table_rows(library)["pictures"])
    other = Small("other")
    with open_library(tmp_path / "lib", encoder=other) as again:
        assert again.figures.like(Image.new("RGB", (9, 9))).models == ("other",)
        assert len(table_rows(again)["pictures"]) == rows and other.seen == rows + 1


def test_pictures_go_with_their_paper_and_stay_with_its_record(tmp_path: Path, library: Library) -> None:
    library.figures.encode()
    before = table_rows(library)["pictures"]
    paper = library.figures.search(k=1).hits[0].figure.paper
    library.add(
        write_jsonl(tmp_path / "record.jsonl", [{"title": paper.title, "doi": paper.doi, "venue": "Elsewhere"}])
    )
    assert table_rows(library)["pictures"] == before, "its figures are the same"
    assert library.figures.encode() == 0
    library.remove(paper.id)
    left = table_rows(library)["pictures"]
    assert left and set(left) < set(before)
    assert paper.id not in {hit.figure.paper.id for hit in library.figures.like(Image.new("RGB", (9, 9)), k=99).hits}


def test_a_paper_whose_file_is_gone_is_told(tmp_path: Path) -> None:
    copy = tmp_path / "copy.pdf"
    copy.write_bytes(next(PAPERS.glob("*.pdf")).read_bytes())
    with open_library(tmp_path / "lib", encoder=Small()) as library:
        library.add(copy)
        copy.unlink()
        found = library.figures.like(Image.new("RGB", (9, 9)))
        assert not found.hits
        assert found.note == "The figures of 1 papers are not among them: their files are gone, or cannot be drawn."
        copy.write_bytes(next(PAPERS.glob("*.pdf")).read_bytes())
        assert library.figures.like(Image.new("RGB", (9, 9))).hits, "they are looked for again"


def test_a_panel_is_found_by_itself(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "two.pdf"))
    canvas.setFont("Helvetica", 16)
    canvas.drawString(72, 800, "On two discs and what they show")
    canvas.setFont("Helvetica", 10)
    for line in range(6):
        canvas.drawString(72, 770 - 13 * line, "Discs are seen in Figure 1, which is here to be looked at by all.")
    for left, label, full in ((72, "(a)", 0), (332, "(b)", 1)):
        canvas.rect(left, 450, 200, 200)
        canvas.ellipse(left + 9, 459, left + 191, 641, fill=full)
        canvas.drawString(left + 90, 435, label)
    canvas.drawString(72, 410, "Figure 1. Two discs. (a) An empty one. (b) A full one.")
    canvas.save()
    with open_library(tmp_path / "lib", encoder=Small()) as library:
        library.add(tmp_path / "two.pdf")
        (hit,) = library.figures.like(Image.new("RGB", (90, 90), "black"), measure="euclidean").hits
    assert [(panel.label, panel.caption) for panel in hit.figure.panels] == [
        ("a", "An empty one."),
        ("b", "A full one."),
    ]
    assert hit.panel == hit.figure.panels[1] and hit.panel.box[0] > 0.5


def test_a_figure_has_two_names(library: Library) -> None:
    """What a paper's structure calls a figure could be shown, and not drawn or looked for."""
    figure = next(hit.figure for hit in library.figures.search(k=100).hits if hit.figure.page)
    name = f"{figure.paper.id}.{figure.name}"
    assert library.figures.image(name).size == library.figures.image(figure.id).size
    assert library.figures.file(name) == library.figures.file(figure.id)
    assert library.figures.like(name).hits == library.figures.like(figure.id).hits
    cut = library.figures.like(name, crop=(0, 0, 0.5, 0.5), k=100).hits
    assert cut and figure.id not in {hit.figure.id for hit in cut}


@pytest.mark.parametrize("name", ["query.png", "no.f1", "../etc/passwd", ""])
def test_a_word_is_never_a_file(library: Library, name: str) -> None:
    """Who asks a server for a figure could have its files read."""
    with pytest.raises(NotFoundError, match="no figure") as told:
        library.figures.like(name)
    assert ("Path" in told.value.hint) == name.endswith(".png")


def test_a_kind_that_there_is_not_is_told(library: Library) -> None:
    """A slip of the pen would say that nothing was found."""
    for ask in (library.figures.search, lambda **asked: library.figures.like(Image.new("L", (9, 9)), **asked)):
        with pytest.raises(UsageError, match="no kind of figure 'foo'"):
            ask(only=["foo"])


def test_the_only_figure_has_no_other(tmp_path: Path) -> None:
    with open_library(tmp_path / "lib", encoder=Small()) as library:
        library.add(PAPERS / "action-potential.pdf")
        figure = library.figures.search(k=1).hits[0].figure.id
        found = library.figures.like(figure)
        assert not found.hits and found.note == "No other figure that was looked at passes."


def test_numbers_that_are_too_large_for_two_bytes(tmp_path: Path) -> None:
    """They would be infinite, and their cosines no numbers."""

    class Large(Small):
        def images(self, pictures: Iterable[Image.Image]) -> Iterator[FloatArray]:
            return (1e4 * vector for vector in super().images(pictures))

    with open_library(tmp_path / "lib", encoder=Large()) as library:
        library.add(PAPERS / "action-potential.pdf")
        (hit,) = library.figures.like(Image.new("RGB", (9, 9), "white")).hits
        assert math.isfinite(hit.score)
