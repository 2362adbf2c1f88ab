"""What users keep about papers and say of answers, from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conspectus import Library
from conspectus.cli.app import app
from helpers import open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")
PAPERS = [{"title": "Cells 1", "abstract": "Grid cells fire.", "doi": "10.1000/1"}, {"title": "B", "doi": "10.1000/2"}]


@pytest.fixture
def library(tmp_path: Path) -> Any:
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", PAPERS))
        yield library


def run(folder: Path, *words: str, stdin: str | None = None) -> Any:
    result = CliRunner().invoke(app, ["--json", "--library", str(folder), *words], input=stdin)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_note_from_standard_input_is_shown_with_its_paper(library: Library) -> None:
    """A long note could not be written in a terminal, or not be found again."""
    folder = library.folder
    note = run(folder, "collections", "note", "10.1000/1", "-", stdin="From\nbelow")["note"]
    assert note["text"] == run(folder, "show", "10.1000/1")["notes"][0]["text"] == "From\nbelow"
    assert "below" in CliRunner().invoke(app, ["--library", str(folder), "show", "10.1000/1"]).stdout


def test_feedback_and_edits(library: Library, tmp_path: Path) -> None:
    """Who works in a terminal could not do what the page does."""
    answer = library.ask("Do grid cells fire in the dark?")
    folder = library.folder
    good = run(folder, "answers", "judge", "last", "--verdict", "up", "--comment", "Good")
    assert good["feedback"][0]["comment"] == "Good"
    bad = run(folder, "answers", "judge", "last", "--verdict", "down")
    assert bad["feedback"][0]["comment"] == "Good", "it stays"
    assert run(folder, "answers", "export-feedback", "-o", str(tmp_path / "f.csv"))["feedback"] == 1
    assert "Good" in (tmp_path / "f.csv").read_text("utf-8")
    assert "Good" in run(folder, "answers", "export-feedback", "--to", "jsonl")["text"]
    result = CliRunner().invoke(
        app, ["--library", str(folder), "answers", "judge", answer.id, "--remove", "--verdict", "up"]
    )
    assert result.exit_code == 2 and "--remove" in result.stderr
    assert run(folder, "answers", "judge", answer.id, "--remove")["feedback"] == []
    result = CliRunner().invoke(app, ["--library", str(folder), "edit", "10.1000/1", "title"])
    assert result.exit_code == 2 and "FIELD=VALUE" in result.stderr


def test_taking_a_tag_off_reports_how_many_papers_had_it(library: Library) -> None:
    """Else somebody who takes a tag off all papers reads that it was taken off none."""
    folder = library.folder

    def line(*words: str) -> str:
        words = ("--library", str(folder), "collections", *words)
        return CliRunner().invoke(app, words, catch_exceptions=False).stdout.strip()

    assert line("tag", "read", "10.1000/1", "10.1000/2") == "Tagged 2 papers with 'read'; 2 papers in all."
    assert line("untag", "read", "10.1000/2") == "Took 'read' off 1 paper. 1 paper left with it."
    assert line("untag", "read", "10.1000/2") == "Took 'read' off 0 papers. 1 paper left with it."
    assert line("untag", "read") == "Took 'read' off 1 paper. No paper has it now, so it is deleted."
