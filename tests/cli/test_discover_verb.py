"""`discover` on the command line."""

from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from conspectus.cli.app import app
from conspectus.faces.printer import Printer
from conspectus.graph import views
from conspectus.records.graph import NewEntities, NewEntity
from graph.vocabularies import put_vocabulary
from helpers import markdown, open_library, write

pytestmark = pytest.mark.usefixtures("quick_pool")
NAMES = {"MED:1": ("migraine",), "MED:2": ("magnesium",), "MED:3": ("vasospasm",), "MED:4": ("sugar",)}
PAPERS = {
    "one": markdown("One", "Migraine comes with vasospasm. Sugar brings vasospasm.", year="1980"),
    "two": markdown("Two", "Magnesium prevents vasospasm.", year="1984"),
    "three": markdown("Three", "Magnesium helps in migraine.", year="1989"),
}


def said(library: Path, *words: str) -> str:
    result = CliRunner().invoke(app, ["--library", str(library), "graph", "discover", *words])
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with open_library(tmp_path / "lib") as library:
        library.add([write(tmp_path / f"{name}.md", text) for name, text in PAPERS.items()])
        put_vocabulary(library, NAMES)
        library.graph.link()
    return tmp_path / "lib"


def test_what_is_suggested_is_no_finding(folder: Path) -> None:
    """A reader would take a suggestion for what a paper says."""
    text = said(folder, "migraine", "--until", "1987")
    assert "No sentence was found that names both." in text and "they state no finding" in text
    assert "1. magnesium" in text and "by vasospasm" in text
    assert "Migraine comes with vasospasm." in text and "Magnesium prevents vasospasm." in text
    assert "in 1 sentence of 1 paper after 1987, first in 1989: Magnesium helps in migraine." in text
    assert "2. sugar MED:4" in text and "1 paper of both" in text and "No sentence after 1987 mentions both." in text
    assert "sugar" not in said(folder, "migraine", "--apart")
    assert "No candidates" in said(folder, "vasospasm")


def test_names_and_ids_of_entities_are_set_apart() -> None:
    """Lost otherwise: where the name of an entity ends and its id begins."""
    found = NewEntities((NewEntity("local:70d7", "grid cells", ("grid cells",), "new", 2, 3, ()),), 1)
    out = StringIO()
    views.review(Printer(out), found)
    assert out.getvalue() == "grid cells  local:70d7 · 3 sentences of 2 papers\n"
