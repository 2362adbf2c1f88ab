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


def test_tags_collections_and_notes(library: Library) -> None:
    """Who works in a terminal could not do what the page does."""
    folder = library.folder
    assert run(folder, "collections", "tag", "read", "10.1000/1", "10.1000/2")["tag"]["papers"] == 2
    run(folder, "collections", "untag", "read", "10.1000/2")
    assert [one["title"] for one in run(folder, "list", "--tag", "read")["papers"]] == ["Cells 1"]
    assert run(folder, "collections", "tags")["tags"][0]["name"] == "read"
    assert run(folder, "collections", "add", "mine", "10.1000/1")["collection"]["papers"] == 1
    assert run(folder, "collections", "rename", "mine", "ours")["collection"]["name"] == "ours"
    assert [one["papers"] for one in run(folder, "collections", "list")["collections"]] == [1]
    assert run(folder, "collections", "remove", "ours", "10.1000/1")["collection"]["papers"] == 0
    assert run(folder, "collections", "delete", "ours")["collection"]["name"] == "ours"
    note = run(folder, "collections", "note", "10.1000/1", "-", stdin="From\nbelow")["note"]
    assert run(folder, "collections", "edit-note", note["id"], "New")["note"]["text"] == "New"
    assert run(folder, "show", "10.1000/1")["notes"][0]["text"] == "New"
    assert "New" in CliRunner().invoke(app, ["--library", str(folder), "show", "10.1000/1"]).stdout
    assert run(folder, "collections", "delete-note", note["id"])["note"]["id"] == note["id"]
    assert run(folder, "collections", "notes", "10.1000/1")["notes"] == []


def test_feedback_and_edits(library: Library, tmp_path: Path) -> None:
    """Who works in a terminal could not do what the page does."""
    answer = library.ask("Do grid cells fire in the dark?")
    folder = library.folder
    good = run(folder, "answers", "judge", "last", "--verdict", "up", "--comment", "Good")
    assert good["feedback"][0]["comment"] == "Good"
    assert run(folder, "answers", "feedback")["feedback"][0]["answer"] == answer.id
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
    assert run(folder, "edit", "10.1000/1")["edits"] == []
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
