"""`eval`, as the command line has it."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_cases import Run, body, error

from conspectus.evaluation.question_sets import SetReader
from conspectus.evaluation.set_files import read_beir_folder
from language_server import error as failure
from language_server import request_text, serve_script

pytestmark = pytest.mark.model


@pytest.fixture
def a_set(tmp_path: Path) -> Path:
    """Six papers and two questions; one paper commands terminals."""
    folder = tmp_path / "waters"
    folder.mkdir()
    texts = {
        "tides": "The Moon raises the tides of the sea.",
        "rivers": "Rivers carry sand \x1b[2J to the sea.",
        "glaciers": "Glaciers carve valleys into rock.",
        "springs": "Hot springs bring minerals up from below.",
        "rain": "Rain falls where moist air rises.",
        "wells": "Wells reach the water below the ground.",
    }
    lines: dict[str, list[Any]] = {
        "corpus.jsonl": [{"_id": name, "title": name, "text": text} for name, text in texts.items()],
        "queries.jsonl": [{"_id": "1", "text": "What lifts the sea?"}, {"_id": "2", "text": "What shapes valleys?"}],
    }
    for name, rows in lines.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\ttides\t1\n2\tglaciers\t1\n2\trivers\t1\n")
    return folder


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, a_set: Path) -> None:
    """A package brings the set `waters`; the folder of data is the one that has it."""
    reader = SetReader("waters", "of waters", "waters", lambda data: read_beir_folder(data / "waters"))
    monkeypatch.setattr("conspectus.evaluation.question_sets.InstalledSets", lambda group: {"waters": reader})
    monkeypatch.setenv("CONSPECTUS_DATA", str(a_set.parent))


def test_from_measuring_to_comparing(run: Run, a_set: Path, tmp_path: Path) -> None:
    """A set is measured, listed, shown and compared without writing Python."""
    at = ("--work", tmp_path / "work")
    own = 'low=search.rerank=0 search.dense_weight="0.2"'
    result = run("eval", "retrieval", a_set, "--compare", "bm25,default", "--config", own, *at)
    assert result.exit_code == 0, result.stderr
    for part in ("waters · 2 questions · 6 papers", "nDCG@10", "default − bm25", "low − bm25", "kept as ev-"):
        assert part in result.stdout
    first, second, third = result.stdout.rsplit("kept as ", 1)[1].strip().split(", ")
    listed = run("eval", "show", *at).stdout
    assert all(name in listed for name in (first, third))
    shown = run("eval", "show", second, "--failures", "2", *at).stdout
    assert "relevant, " in shown and "found, rank" in shown and "\x1b" not in shown
    assert "search.rerank=0" in run("eval", "show", first, *at).stdout
    compared = run("eval", "diff", first, third, *at)
    assert compared.exit_code == 0 and "search.dense_weight: 0.0 → 0.2" in compared.stdout
    assert "Not comparable" not in compared.stdout


def test_what_cannot_end_well_is_told_before_it_begins(run: Run, a_set: Path, tmp_path: Path) -> None:
    """The first configuration would be measured for hours, and then nothing be shown."""
    at = ("--work", tmp_path / "work")
    for words, code, said in (
        (("--compare", "bm25", "--config", "x=search.mmr=7"), 2, "'x': 'search.mmr' cannot be '7'"),
        (("--config", "r=search.reranker=nope:x"), 2, "'r': There is no reranker 'nope:x'"),
        (("--compare", "bm25,hyde"), 3, "--set language.model=NAME"),
        (("--depth", "5", "--metric", "RR", "--metric", "recall@10"), 2, "A depth of 5 is too small for recall@10."),
    ):
        result = run("eval", "retrieval", a_set, *words, *at)
        assert result.exit_code == code and said in result.stderr and not result.stdout, words
    assert not (tmp_path / "work").exists()


def test_an_error_takes_nothing_that_was_measured(run: Run, a_set: Path, tmp_path: Path) -> None:
    """What took hours is kept, and its id is told, whatever comes after it."""
    with serve_script(lambda _: failure(401, "no")) as server:
        words = ("eval", "retrieval", a_set, "--compare", "dense,bm25,hyde", "--baseline", "hyde", "--work", tmp_path)
        hyde = ("--config", f"hyde=search.expand=hyde language.model={server.url}")
        result = run(*words, *hyde)
        said = run("--json", *words, *hyde)
    assert result.exit_code == said.exit_code == 3 and "error: " in result.stderr
    assert "bm25 − dense" in result.stdout
    names = result.stdout.rsplit("kept as ", 1)[1].strip().split(", ")
    assert len(names) == 2 and all(name in run("eval", "show", "--work", tmp_path).stdout for name in names)
    assert [one["configuration"]["name"] for one in body(said, "eval.retrieval")["results"]] == ["dense", "bm25"]
    assert "ServiceError" in said.stderr


@pytest.mark.parametrize(("fails", "code"), [("the sea", 1), ("", 3)])
def test_the_code_says_how_much_could_be_used(run: Run, a_set: Path, tmp_path: Path, fails: str, code: int) -> None:
    """A table of zeros would look like a bad search."""
    at = ("--work", tmp_path / "work", "--metric", "RR")
    with serve_script(lambda body: {"abstracts": ["" if fails in request_text(body) else "Ice carves."]}) as server:
        result = run("eval", "retrieval", a_set, "--config", f"h=search.expand=hyde language.model={server.url}", *at)
    assert result.exit_code == code, result.stderr
    assert "nothing could be used" in result.stdout and "kept as ev-" in result.stdout
    assert "error:" not in result.stderr
    shown = body(run("--json", "eval", "show", "last", "--work", tmp_path / "work"), "eval.show")["result"]
    assert "unusable reply" in shown["questions"][0]["details"]["trouble"]


def test_the_own_library(run: Run, own: Path, tmp_path: Path) -> None:
    """Measured where it is; nothing of it is changed."""
    at = ("--work", tmp_path / "work")
    before = body(run("--library", own, "--json", "status"), "status")["counts"]
    result = run("--library", own, "--quiet", "--json", "eval", "self", "--questions", "3", *at)
    if result.exit_code:  # so few papers may give no question: then that is said
        assert "No question can be made" in error(result)["message"]
    else:
        assert all(one["kind"] == "self" for one in body(result, "eval.self")["results"])
    assert body(run("--library", own, "--json", "status"), "status")["counts"] == before
    assert run("--library", tmp_path / "none", "eval", "self", *at).exit_code == 2


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("retrieval", "watrs"), 2, "Did you mean 'waters'"),
        (("retrieval", "waters", "--data", "nowhere"), 2, "--data DIR"),
        (("retrieval", "waters", "--compare", "bm24"), 2, "bm25"),
        (("retrieval", "waters", "--metric", "nonsense"), 2, "no metric"),
        (("retrieval", "waters", "--config", "x"), 2, "--config"),
        (("retrieval", "waters", "--baseline", "dense"), 2, "not among"),
        (("show", "ev-none"), 2, "eval show"),
        (("diff", "a", "b"), 2, "no result"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_done(
    run: Run, installed: None, tmp_path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    result = run("eval", *words, "--work", tmp_path / "work")
    assert result.exit_code == code and said in result.stderr
    assert not (tmp_path / "work").exists()


def test_installed_sets_are_listed(run: Run, installed: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If none is installed, nobody would know where to get one."""
    assert "waters  of waters" in run("eval", "retrieval").stdout
    (row,) = body(run("--json", "eval", "retrieval"), "eval.retrieval")["sets"]
    assert row == {"name": "waters", "about": "of waters", "folder": "waters"}
    monkeypatch.setattr("conspectus.evaluation.question_sets.InstalledSets", lambda group: {})
    assert "conspectus-evaluations" in run("eval", "retrieval").stdout
    assert "conspectus-evaluations" in run("eval", "retrieval", "scifact").stderr
    assert body(run("--json", "eval", "show", "--results", tmp_path), "eval.show")["results"] == []
