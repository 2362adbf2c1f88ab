"""`images` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from conspectus.cli.app import app
from helpers import ToneEncoder


@pytest.fixture(autouse=True)
def encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conspectus.models.encoders.names.encoder", lambda _: ToneEncoder())


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


def body(library: Path, *words: str, code: int = 0) -> Any:
    return json.loads(said(library, *words, "--json", code=code))


def test_a_collection_from_adding_to_removing(tmp_path: Path, folder: Path) -> None:
    """What the documentation says a user does."""
    library = tmp_path / "lib"
    (folder / "bad.png").write_bytes(b"GIF89a")
    added = body(library, "add", str(folder), "--collection", "sem", code=1)
    assert added["schema"] == "conspectus.images.add/1" and (added["added"], added["images"]) == (5, 5)
    assert "bad.png" in added["failed"][0]["path"] and added["failed"][0]["reason"]
    (folder / "bad.png").unlink()
    assert "5 unchanged" in said(library, "add", str(folder), "--collection", "sem")
    assert "sem  5 images" in said(library, "list")
    listed = body(library, "list", "--where", "part=a3")
    assert [Path(one["path"]).name for one in listed["images"]] == ["a3.png"]
    sheet = tmp_path / "sheet.html"
    found = body(library, "search", str(folder / "a3.png"), "--k", "2", "--sheet", str(sheet))
    assert {"rank", "score", "path", "collection"} <= found["hits"][0].keys() and len(found["hits"]) == 2
    assert found["hits"][0]["path"] == str(folder / "a3.png") and "data:image/jpeg" in sheet.read_text("utf-8")
    assert "1.000" in said(library, "search", str(folder / "a3.png"), "--crop", "0,0,1,1")
    groups = body(library, "duplicates", "--collection", "sem")["groups"]
    assert [{Path(one["path"]).name for one in group["images"]} for group in groups] == [{"a0.png", "a4.png"}]
    assert "2. " in said(library, "clusters", "--k", "2")
    told = body(library, "map", "--method", "pca", "--sheet", str(sheet))
    assert told["schema"] == "conspectus.images.map/1" and len(told["images"]) == len(told["x"]) == len(told["y"]) == 5
    assert sheet.read_text("utf-8").count("<image") + sheet.read_text("utf-8").count("<circle") == 5
    assert "part: a1" in said(library, "show", str(folder / "a1.png"))
    assert "Removed 1 image." in said(library, "remove", str(folder / "a1.png"))
    assert body(library, "remove", "--collection", "sem") == {"schema": "conspectus.images.remove/1", "removed": 4}
    assert "no collection of images yet" in said(library, "list")


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
