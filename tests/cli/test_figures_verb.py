"""`figures`, and `open` of what it found."""

import re
from pathlib import Path

import pytest
from cli_cases import Run, Shelf, body

pytestmark = pytest.mark.model


def test_a_figure_is_found_and_its_picture_cut(run: Run, shelf: Shelf, tmp_path: Path) -> None:
    """The contract: rank, score, factors and what the figure is; its id leads to the picture."""
    start = ("--library", shelf.library)
    (hit,) = body(run(*start, "figures", "search", "light", "curve", "-k", "1", "--json"), "figures.search")["hits"]
    assert {"rank", "score", "factors", "figure", "panel"} == set(hit)
    figure = hit["figure"]
    assert {"id", "paper", "label", "caption", "kind", "page", "box"} <= set(figure)
    words = run(*start, "figures", "search", "light", "curve", "--explain").stdout
    assert re.search(r"^(?:1 figure or table|\d+ figures and tables) · ", words, re.M)
    assert figure["id"] in words and figure["label"] in words and "mention" in words
    picture = tmp_path / "figure.png"
    opened = run(*start, "open", figure["id"], "--output", picture)
    assert opened.exit_code == 0 and str(picture) in opened.stdout and picture.read_bytes().startswith(b"\x89PNG")
    nothing = run(*start, "figures", "search", "light", "--only", "table")
    assert nothing.exit_code == 0 and "Nothing was found." in nothing.stdout
    for wrong in (("aaaaaaaaaa.faaaaaaaa",), (figure["id"], "--page", "1")):
        assert run(*start, "open", *wrong).exit_code == 2
    name = f"{figure['paper']['id']}.{figure['name']}"
    assert run(*start, "open", name, "--output", picture).exit_code == 0
    assert figure["caption"][:20] in run(*start, "show", name).stdout
    refused = run(*start, "figures", "search", "light", "--measure", "dot")
    assert refused.exit_code == 2 and "--image FILE" in refused.stderr
    assert run(*start, "export", tmp_path / "out", "--to", "figures").exit_code == 0


def test_an_export_without_any_picture_is_told_by_its_code(run: Run, shelf: Shelf, tmp_path: Path) -> None:
    """A script would go on with an empty folder."""
    text = tmp_path / "lost.md"
    text.write_text("# Lost\n\nWords are here.\n\n![Figure 1: A disc.](lost.png)\n")
    library = tmp_path / "lib"
    assert run("--library", library, "add", text).exit_code == 0
    done = run("--library", library, "export", tmp_path / "out", "--to", "figures")
    assert done.exit_code == 1 and "lost.png" in done.stdout
