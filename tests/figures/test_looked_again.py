"""Pictures that came, or became others, after somebody had looked."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from PIL import Image

from conspectus import Library
from conspectus.core.errors import LimitError
from conspectus.figures import figure_images, figure_vectors
from helpers import ToneEncoder, open_library, table_rows, write

pytestmark = pytest.mark.usefixtures("quick_pool", "both_catalogs")
TEXT = """---
title: Discs of two colours
---

# Results

The disc in Figure 1 is red, and that in Figure 2 is another.

![Figure 1: A red disc.](figs/red.png)

![Figure 2: Another disc.](figs/late.png)
"""


def picture(path: Path, colour: str, side: int = 60) -> None:
    path.parent.mkdir(exist_ok=True)
    Image.new("RGB", (90, side), colour).save(path)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    picture(tmp_path / "figs" / "red.png", "red")
    with open_library(tmp_path / "lib", encoder=ToneEncoder()) as library:
        library.add(write(tmp_path / "discs.md", TEXT))
        assert library.figures.encode() == 1 and seen(library) == 1
        yield library


def seen(library: Library) -> int:
    return len(table_rows(library)["pictures"])


def best(library: Library, colour: str) -> float:
    return library.figures.like(Image.new("RGB", (90, 60), colour), measure="euclidean").hits[0].score


def test_nothing_new_is_not_looked_at(library: Library) -> None:
    """Each search by a picture would draw all figures again."""
    before = table_rows(library)
    assert library.figures.encode() == 0 and table_rows(library) == before


def test_a_picture_that_is_put_beside_its_source_later(library: Library, tmp_path: Path) -> None:
    """Who brings the pictures after the text would never find them."""
    picture(tmp_path / "figs" / "late.png", "blue")
    assert best(library, "blue") < 1 and seen(library) == 2
    assert library.figures.encode() == 0


def test_a_folder_of_pictures_that_comes_later(tmp_path: Path) -> None:
    with open_library(tmp_path / "lib", encoder=ToneEncoder()) as library:
        library.add(write(tmp_path / "discs.md", TEXT))
        assert library.figures.encode() == 1 and seen(library) == 0
        picture(tmp_path / "figs" / "red.jpg", "red")
        assert library.figures.encode() == 1 and seen(library) == 1


def test_a_picture_that_its_publisher_calls_otherwise(tmp_path: Path) -> None:
    """PLOS gives its pictures addresses: their files have the last part of these as names."""
    text = TEXT.replace("figs/red.png", "info:doi/10.1371/journal.pbio.1.g001")
    with open_library(tmp_path / "lib", encoder=ToneEncoder()) as library:
        library.add(write(tmp_path / "discs.md", text))
        assert library.figures.encode() == 1 and seen(library) == 0
        picture(tmp_path / "journal.pbio.1.g001.png", "red")
        assert library.figures.encode() == 1 and seen(library) == 1


def test_a_picture_that_is_another_one_now(library: Library, tmp_path: Path) -> None:
    """It would be found by what it showed before."""
    picture(tmp_path / "figs" / "red.png", "green", 61)
    assert best(library, "green") < 1 < best(library, "red")


def test_what_is_gone_or_of_another_text_stays_known(library: Library, tmp_path: Path) -> None:
    """A drive that is not there, or a text that is being written, would cost all that was looked at."""
    before = table_rows(library)["pictures"]
    (tmp_path / "figs" / "red.png").rename(tmp_path / "figs" / "away")
    assert library.figures.encode() == 0
    picture(tmp_path / "figs" / "red.png", "green", 61)
    write(tmp_path / "discs.md", TEXT + "\nMore.\n")
    assert library.figures.encode() == 0 and table_rows(library)["pictures"] == before


def test_what_is_noted_goes_with_the_paper(library: Library) -> None:
    assert len(table_rows(library)["picture_files"]) == 2
    library.remove("Discs of two colours")
    assert not table_rows(library)["picture_files"]


def test_a_picture_inside_the_file_is_another_one_when_it_was_added_again(tmp_path: Path) -> None:
    """The name within a package is the same, whatever it shows."""

    def written(colour: str) -> None:
        picture(tmp_path / "p.png", colour)
        document = Document()
        document.core_properties.title = "A disc in a file"
        document.add_heading("A disc in a file", 0)
        document.add_paragraph("The disc in Figure 1 has a colour. It is told below what that is.")
        document.add_picture(str(tmp_path / "p.png"))
        document.add_paragraph("Figure 1: A disc.", style="Caption")
        document.save(str(tmp_path / "disc.docx"))

    written("red")
    with open_library(tmp_path / "lib", encoder=ToneEncoder()) as library:
        library.add(tmp_path / "disc.docx")
        assert best(library, "red") < 1
        written("blue")
        os.utime(tmp_path / "disc.docx", ns=(0, 10**18))
        assert best(library, "red") < 1, "it was not added again"
        library.add(tmp_path / "disc.docx")
        assert best(library, "blue") < 1


def test_what_took_too_long_is_tried_again_when_it_may_take_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One figure of a paper that was too much for one moment would never be found."""
    right = figure_images.draw_files

    def slow(wanted: Any, limits: Any) -> Iterator[Any]:
        first = True
        for found in right(wanted, limits):
            yield LimitError("It took too long.") if first else found
            first = False

    picture(tmp_path / "figs" / "red.png", "red")
    picture(tmp_path / "figs" / "late.png", "blue")
    with open_library(tmp_path / "lib", encoder=ToneEncoder()) as library:
        library.add(write(tmp_path / "discs.md", TEXT))
        monkeypatch.setattr(figure_images, "draw_files", slow)
        library.figures.encode()
        assert seen(library) == 1
        monkeypatch.undo()
        assert figure_vectors.look(library.session, failed=False) == 0, "a search does not wait for it each time"
    with open_library(tmp_path / "lib", encoder=ToneEncoder(), parse__timeout=200) as library:
        assert figure_vectors.look(library.session, failed=False) == 1 and seen(library) == 2
        assert library.figures.encode() == 0
