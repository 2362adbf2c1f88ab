"""Figures as a folder of pictures with a manifest and a sheet, and one figure by its id."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from conspectus import Library
from conspectus.core.errors import NotFoundError, UsageError
from helpers import open_library, write

pytestmark = pytest.mark.usefixtures("quick_pool")
PDF = Path(__file__).resolve().parents[2] / "examples" / "papers" / "action-potential.pdf"
TEXT = """---
title: Discs <b>and</b> squares
---

# Results

The disc in Figure 1 is red.

![Figure 1: A red disc & nothing else.](red.png)

![Figure 2: <script>alert(1)</script> was lost.](lost.png)
"""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    Image.new("RGB", (90, 60), "red").save(tmp_path / "red.png")
    with open_library(tmp_path / "lib") as library:
        library.add([PDF, write(tmp_path / "discs.md", TEXT)])
        yield library


def manifest(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "figures.jsonl").read_text(encoding="utf-8").splitlines()]


def test_every_figure_is_in_the_manifest_with_its_picture_or_why_not(library: Library, tmp_path: Path) -> None:
    done = library.export_figures(tmp_path / "out")
    rows = manifest(tmp_path / "out")
    assert done.pictures == sum(bool(row["file"]) for row in rows) == len(rows) - 1
    ((name, why),) = done.without
    assert next(row for row in rows if row["id"] == name)["why"] == why and "lost.png" in why
    for row in rows:
        assert set(row) >= {"id", "paper", "label", "caption", "kind", "page", "box", "file", "mentions"}
        if row["file"]:
            with Image.open(tmp_path / "out" / row["file"]) as image:
                assert image.width > 20
    assert [one["text"] for one in next(row for row in rows if not row["page"])["mentions"]] == [
        "The disc in Figure 1 is red."
    ]
    assert not list((tmp_path / "out").glob(".*"))


def test_the_sheet_shows_what_papers_say_and_runs_none_of_it(library: Library, tmp_path: Path) -> None:
    library.export_figures(tmp_path / "out")
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "A red disc &amp; nothing else." in page and "<script" not in page and "<b>" not in page


def test_a_second_export_draws_only_what_is_missing(library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    library.export_figures(folder)
    first, *others = sorted(folder.glob("*.png"))
    marks = {path: path.stat().st_mtime_ns for path in others}
    first.unlink()
    library.export_figures(folder)
    assert first.exists() and {path: path.stat().st_mtime_ns for path in others} == marks
    library.export_figures(folder, scale=1.0)
    assert len(list(folder.glob("*.png"))) == 2 * len(marks) + 2, "another scale has pictures of its own"


def test_papers_are_chosen_and_a_folder_that_cannot_be_is_told(library: Library, tmp_path: Path) -> None:
    library.export_figures(tmp_path / "out", [library.paper(PDF.name).id])
    assert {row["paper"] for row in manifest(tmp_path / "out")} == {library.paper(PDF.name).id}
    with pytest.raises(UsageError, match="cannot be written"):
        library.export_figures(tmp_path / "red.png")
    with pytest.raises(NotFoundError, match="no paper"):
        library.export_figures(tmp_path / "out", ["nobody"])


def test_a_figure_by_its_id_has_its_sentences(library: Library) -> None:
    found = library.figures.search("disc", k=9).hits
    one = next(hit.figure for hit in found if hit.figure.label == "Figure 1" and not hit.figure.page)
    card = library.figures.show(one.id)
    assert card.figure == one and card.href == "red.png" and card.cells == ()
    assert library.figures.show(f"{one.paper.id}.{one.name}") == card, "as the reader knows it"
    assert [(span.id, span.text) for span in card.said] == [(one.mentions[0], "The disc in Figure 1 is red.")]
    with pytest.raises(NotFoundError, match="no figure"):
        library.figures.show(f"{one.paper.id}.faaaaaaaa")


@pytest.mark.parametrize("scale", [float("nan"), 0.0, -1.0, 21.0, float("inf")])
def test_a_scale_that_cannot_be_is_refused_at_once(library: Library, tmp_path: Path, scale: float) -> None:
    """Each figure would be told of, and an export without any be left."""
    with pytest.raises(UsageError, match="not possible"):
        library.export_figures(tmp_path / "out", scale=scale)
    assert not (tmp_path / "out").exists()
