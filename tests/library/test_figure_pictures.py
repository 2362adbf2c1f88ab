"""Pictures of figures, wherever they come from, and what is kept of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from conspectus import Library
from conspectus.core.errors import InputError, LibraryReadOnlyError, NotFoundError
from conspectus.figures import figure_images
from conspectus.parse.process.wire import Drawing
from conspectus.session.render_cache import FigureDrawing, RenderCache, render_cache
from helpers import open_library, write

pytestmark = pytest.mark.usefixtures("quick_pool")
PDF = Path(__file__).resolve().parents[2] / "examples" / "papers" / "action-potential.pdf"
TEXT = """---
title: Discs of two colours
year: 2001
---

# Results

The disc in Figure 1 is red, and there is another in Figure 2, of which nothing is known.

![Figure 1: A red disc.](figs/red.png)

![Figure 2: A disc that was lost.](figs/lost.png)
"""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    picture(tmp_path / "figs" / "red.png", "red")
    with open_library(tmp_path / "lib") as library:
        library.add([PDF, write(tmp_path / "discs.md", TEXT)])
        yield library


def picture(path: Path, colour: str) -> None:
    path.parent.mkdir(exist_ok=True)
    Image.new("RGB", (90, 60), colour).save(path)


def kept(library: Library) -> list[Path]:
    return sorted(render_cache(library.session).folder.glob("*/*"))


def test_a_figure_without_pages_has_the_picture_beside_its_source(library: Library) -> None:
    red, lost = (
        hit.figure
        for hit in library.figures.search("disc colour", k=9).hits
        if hit.figure.kind == "figure" and not hit.figure.page
    )
    assert library.figures.image(red.id).getpixel((5, 5)) == (255, 0, 0)
    with pytest.raises(NotFoundError, match=r"is not here: 'figs/lost\.png'"):
        library.figures.image(lost.id)


def test_what_was_drawn_is_kept_until_it_shows_something_else(library: Library, tmp_path: Path) -> None:
    name = library.paper("Discs of two colours").id
    first = library.figures.file(name, "f1")
    assert kept(library) == [first] and library.figures.file(name, "f1") == first
    assert library.figures.file(name, "f1", 1.0) != first, "another scale is another picture"
    picture(tmp_path / "figs" / "red.png", "blue")
    assert library.figures.image(name, "f1").getpixel((5, 5)) == (0, 0, 255)
    first.write_bytes(b"cut short")
    shutil.rmtree(render_cache(library.session).folder)
    assert library.figures.image(name, "f1").size == (90, 60), "the folder may be deleted at any time"


def test_drawings_of_a_removed_paper_go_with_it_and_come_back_when_that_is_undone(library: Library) -> None:
    pdf, discs = library.paper(PDF.name).id, library.paper("Discs of two colours").id
    mine, other = library.figures.file(pdf, "f1"), library.figures.file(discs, "f1")
    library.remove(pdf)
    assert kept(library) == [other] and not mine.parent.exists()
    library.undo_remove()
    assert library.figures.file(pdf, "f1") == mine
    library.forget([PDF], papers=True)
    assert kept(library) == [other]


def test_a_drawing_made_while_its_paper_is_removed_is_not_kept(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:

    name, drawn = library.paper("Discs of two colours").id, figure_images.draw

    def slow(*given: object) -> object:
        library.remove(name)
        return drawn(*given)

    monkeypatch.setattr(figure_images, "draw", slow)
    assert library.figures.image(name, "f1").size == (90, 60)
    assert kept(library) == []


def test_a_changed_source_is_told(library: Library, tmp_path: Path) -> None:
    name = library.paper("Discs of two colours").id
    write(tmp_path / "discs.md", TEXT + "\nAnd more.\n")
    with pytest.raises(NotFoundError, match=r"'discs\.md', from which .* is gone, was changed"):
        library.figures.image(name, "f1")


def test_a_figure_with_neither_page_nor_file_is_told(library: Library, tmp_path: Path) -> None:
    text = TEXT.replace("two colours", "no colour").replace("(figs/red.png)", "()")
    library.add([write(tmp_path / "none.md", text)])
    with pytest.raises(InputError, match=r"There is no picture of Figure 1 "):
        library.figures.image(library.paper("Discs of no colour").id, "f1")


def test_the_oldest_drawings_go_where_they_have_too_many_bytes(tmp_path: Path) -> None:
    own = RenderCache(tmp_path / "drawings", most=2000)
    image = Image.effect_noise((20, 20), 90)
    for number in range(20):
        own.keep(FigureDrawing("a" * 64, tmp_path / "x.pdf", Drawing(number, 1.0)), image)
    left = list((tmp_path / "drawings").glob("*/*"))
    assert 0 < sum(one.stat().st_size for one in left) <= 2000 and all(one.suffix == ".png" for one in left)
    assert own.find(FigureDrawing("a" * 64, tmp_path / "x.pdf", Drawing(19, 1.0))) is not None
    assert own.find(FigureDrawing("a" * 64, tmp_path / "x.pdf", Drawing(0, 1.0))) is None


def test_where_nothing_can_be_kept_the_picture_is_had_all_the_same(library: Library) -> None:
    name = library.paper("Discs of two colours").id
    place = render_cache(library.session).folder
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("in the way")
    assert library.figures.image(name, "f1").size == (90, 60)
    with pytest.raises(LibraryReadOnlyError, match="cannot be kept"):
        library.figures.file(name, "f1")


def test_each_drawing_counts_once(tmp_path: Path) -> None:
    """The oldest would go before there are too many."""
    image = Image.effect_noise((20, 20), 90)
    first, second = (FigureDrawing("a" * 64, tmp_path / "x.pdf", Drawing(number, 1.0)) for number in (1, 2))
    size = RenderCache(tmp_path / "one").keep(first, image).stat().st_size
    own = RenderCache(tmp_path / "drawings", most=int(2.5 * size))
    assert own.keep(first, image).exists() and own.keep(second, image).exists()
    assert own.find(first) is not None
