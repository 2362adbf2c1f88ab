"""`images` on the command line."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from conspectus.cli.app import app
from helpers import ToneEncoder


@pytest.fixture(autouse=True)
def encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conspectus.models.registry.make_encoder", lambda _: ToneEncoder())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "sem"
    made.mkdir()
    for number in range(5):
        tones = np.random.default_rng(number % 4).integers(0, 255, (5, 6, 3), np.uint8)
        Image.fromarray(tones).resize((60, 50)).save(made / f"a{number}.png")
    return made


def said(library: Path, *words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["--library", str(library), "images", *words])
    assert result.exit_code == code, result.output
    return result.stdout


def test_wrong_use_is_told(tmp_path: Path, folder: Path) -> None:
    """A mistake ends with what to do, and with the code of wrong use."""
    library = tmp_path / "lib"
    said(library, "add", str(folder))
    for words in (["search", "none.png"], ["search", str(folder / "a1.png"), "--crop", "1,2"], ["remove"]):
        assert said(library, *words, code=2) == ""
    assert said(library, "list", "--where", "x", code=2) == ""
    (folder / "a0.png").unlink()
    assert "gone" in said(library, "add", str(folder)) and "(1 removed)" in said(library, "add", str(folder), "--prune")


def test_a_sheet_is_written_over_and_nothing_else(tmp_path: Path, folder: Path) -> None:
    """A slip of the pen would cost a file of somebody's own."""
    library, own, sheet = tmp_path / "lib", tmp_path / "thesis.html", tmp_path / "sheet.html"
    said(library, "add", str(folder))
    own.write_text("<!doctype html><p>Three years.")
    for words in (["search", str(folder / "a1.png")], ["clusters"], ["duplicates"]):
        said(library, *words, "--sheet", str(own), code=2)
        assert "Wrote" in said(library, *words, "--sheet", str(sheet))
    assert own.read_text() == "<!doctype html><p>Three years." and "groups" in sheet.read_text()
    assert not list(tmp_path.glob(".*"))


def test_a_table_that_fits_nothing_is_told(tmp_path: Path, folder: Path) -> None:
    """Who gives the wrong table would search for what nobody knows."""
    library, table = tmp_path / "lib", tmp_path / "facts.csv"
    table.write_text("file,voltage\nb1.png,15 kV\n")
    assert "The table fits no image" in said(library, "add", str(folder), "--csv", str(table))
    table.write_text("file,voltage\na1.png,15 kV\n")
    assert "The table describes 1 image." in said(library, "add", str(folder), "--csv", str(table))
    assert "table" not in said(library, "add", str(folder))


def test_numbers_are_told_as_one_says_them(tmp_path: Path, folder: Path) -> None:
    library, empty = tmp_path / "lib", tmp_path / "empty"
    empty.mkdir()
    assert "There is no collection 'q': no image was added to it." in said(
        library, "add", str(empty), "--collection", "q"
    )
    said(library, "add", str(folder / "a1.png"), "--collection", "q")
    assert "1 of 1 image ·" in said(library, "search", str(folder / "a1.png"))
