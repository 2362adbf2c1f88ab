"""What `doctor` finds of the image encoder, and of the vectors that it made."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy
from PIL import Image

from conspectus import Library
from conspectus.core.errors import LibraryDamagedError
from conspectus.library.checks.models import encoder
from helpers import ToneEncoder, open_library

pytestmark = pytest.mark.usefixtures("quick_pool", "both_catalogs")
PDF = Path(__file__).resolve().parents[2] / "examples" / "papers" / "exoplanet-transits.pdf"


class Inverted(ToneEncoder):
    """It has the name of another one, and gives other vectors."""

    def images(self, pictures: Any) -> Any:
        return (255 - vector for vector in super().images(pictures))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A library in which a figure was looked at, and an image is."""
    picture = Image.radial_gradient("L")
    picture.save(tmp_path / "one.png")
    with open_library(tmp_path / "lib", encoder=ToneEncoder()) as library:
        library.add(PDF)
        library.images.add(tmp_path / "one.png")
        assert library.figures.encode() == 1
    return tmp_path / "lib"


def of(library: Library) -> tuple[bool, str] | None:
    found = encoder(library.session)
    return found and (found.ok, found.detail)


def harm(library: Library, vector: str, raw: bytes) -> None:
    with library.session.catalog.engine.begin() as connection:
        connection.execute(sqlalchemy.text(f"UPDATE {vector} SET vector = :raw"), {"raw": raw})


def test_who_uses_none_is_told_of_none(tmp_path: Path) -> None:
    """Everybody without figures would be asked to fetch a model."""
    with open_library(tmp_path / "lib") as library:
        assert of(library) is None


def test_one_that_makes_what_is_kept_is_well(folder: Path) -> None:
    with open_library(folder, encoder=ToneEncoder()) as library:
        assert of(library) == (True, "tones/1, 48 dimensions")


@pytest.mark.parametrize("gone", ["figure", "'"])
def test_another_one_of_the_same_name_is_told(folder: Path, gone: str) -> None:
    """New figures would be compared with vectors that mean something else."""
    with open_library(folder, encoder=Inverted()) as library:
        if gone == "figure":
            library.remove(library.figures.search(k=1).hits[0].figure.paper.id)
        else:
            library.images.remove(collection="images")
        ok, detail = of(library) or (True, "")
        other = "'" if gone == "figure" else "figure"
        assert not ok and f"no longer makes the stored vectors, such as that of {other}" in detail


def test_one_that_is_not_there_is_told(folder: Path, tmp_path: Path) -> None:
    with open_library(folder, models__store=str(tmp_path / "none")) as library:
        found = encoder(library.session)
        assert found and not found.ok and "models fetch efficientnet" in found.remedy


@pytest.mark.parametrize("raw", [b"\0" * 10, np.full(48, np.nan, "<f2").tobytes()])
@pytest.mark.parametrize("table", ["pictures", "images"])
def test_damaged_vectors_are_told_as_such(folder: Path, table: str, raw: bytes) -> None:
    """They would be an internal error, or come first in every search."""
    with open_library(folder, encoder=ToneEncoder()) as library:
        figure = library.figures.search(k=1).hits[0].figure.id
        harm(library, table, raw)
        acts = [lambda: library.figures.like(Image.new("L", (9, 9))), lambda: library.figures.like(figure)]
        for act in acts if table == "pictures" else [lambda: library.images.search(Image.new("L", (9, 9)))]:
            with pytest.raises(LibraryDamagedError, match="vector"):
                act()
        ok, detail = of(library) or (True, "")
        assert not ok and ("do not have 48 numbers" in detail or "no longer" in detail)
