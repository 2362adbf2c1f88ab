"""`vocabulary` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from conspectus.cli.app import app
from vocabulary_files import MESH, OBO, TURTLE


def said(library: Path, *words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["--library", str(library), "vocabulary", *words])
    assert result.exit_code == code, result.output
    return result.stdout


def body(library: Path, *words: str, code: int = 0) -> Any:
    return json.loads(said(library, *words, "--json", code=code))


def test_a_vocabulary_from_adding_to_removing(tmp_path: Path) -> None:
    """What the documentation says a user does."""
    library, files = tmp_path / "lib", {"brain.ttl": TURTLE, "cl.obo": OBO, "mesh.xml": MESH, "bad.ttl": "<a"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / name) for name in files]
    added = body(library, "add", *paths, code=1)
    assert added["schema"] == "conspectus.vocabulary.add/1"
    outcomes = [(one["name"], one["outcome"]) for one in added["vocabularies"]]
    assert outcomes == [("brain", "added"), ("cl", "added"), ("mesh", "added"), ("bad", "failed")]
    text = said(library, "add", *paths[:2], paths[3], code=1)
    assert "unchanged brain: 4 concepts" in text and "2 imports not there" in text and "failed bad" in text
    text = said(library, "add", paths[2], "--subtree", "A08,", "--name", "MeSH")
    assert "updated MeSH: 2 concepts" in text and "0 added, 0 changed, 1 removed" in text
    assert [one["name"] for one in body(library, "list")["vocabularies"]] == ["brain", "cl", "mesh"]
    assert "below A08" in said(library, "list")
    assert "encephalon  exact  Brain  UBERON:0000955  brain" in said(library, "search", "ENCEPH", "--of", "brain")
    assert body(library, "search", "nothing")["concepts"] == []
    shown = said(library, "show", "UBERON:0000955")
    assert "exact: encephalon" in shown and "narrower: colour area  MY:1" in shown and "What thinks." in shown
    assert "7  number" in said(library, "search", "--left-out")
    first = body(library, "search", "n", "-n", "1")
    assert "More after" in said(library, "search", "n", "-n", "1")
    assert body(library, "search", "n", "--after", first["next"])["concepts"] != first["concepts"]
    assert "leave cell" in said(library, "name", "Cell", "leave")
    assert body(library, "name", "NC", "use", "--concept", "CL:0000540")["rules"][1]["concept"] == "CL:0000540"
    assert "cell" not in said(library, "name", "cell", "undo") and "use   nc" in said(library, "names")
    said(library, "name", "cell", code=2), said(library, "show", code=2), said(library, "show", "X:0", code=2)
    assert "Removed cl: 2 concepts." in said(library, "remove", "CL")
    result = CliRunner().invoke(app, ["--library", str(library), "status"])
    assert "6 of 2 vocabularies" in result.stdout
