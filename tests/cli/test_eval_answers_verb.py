"""`eval answers`, as the command line has it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_cases import QUESTION, Run, body, error

from conspectus.evaluation.question_sets import AnswerSet, SetReader
from language_server import request_text, serve_script
from oracle import read_each

pytestmark = pytest.mark.model


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """One question that the small library answers, one that it does not."""
    rows = [
        {"id": "lace", "question": QUESTION, "options": ["yes", "no"], "right": "yes", "answerable": True},
        {"id": "rope", "question": "Which knot did sailors of Venice prefer?", "answerable": False},
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def model(body: dict[str, Any]) -> dict[str, Any]:
    said = request_text(body)
    if "You read passages" in said:
        about = "lace plant" in said.split("<passage")[0]
        return dict(
            read_each(body, lambda _: {"relevant": about, "score": 8 * about, "spans": [1] * about, "summary": ""})
        )
    if "from evidence alone" in said:
        text = "They do." if said.count("<evidence-") == 1 else "They gather there."
        return {"answerable": True, "statements": [{"text": text, "evidence": ["e1"]}], "missing": ""}
    if "You check statements" in said:
        return {"verdicts": [{"number": 1, "status": "supported", "why": ""}]}
    if options := re.findall(r"^([A-Z])\. (.+)$", said, re.MULTILINE):
        return {"reasoning": "so", "option": next(letter for letter, text in options if text == "yes")}
    return {"phrasings": []}


def test_questions_of_ones_own_without_a_model(run: Run, own: Path, questions: Path, tmp_path: Path) -> None:
    """Refusals and citations are measured on the user's library, and what needs a model is left out, and said."""
    at = ("--library", own, "--work", tmp_path / "work")
    result = run("eval", "answers", questions, *at)
    assert result.exit_code == 0, result.stderr
    assert "refusal R" in result.stdout and "accuracy was not measured" in " ".join(result.stdout.split())
    shown = body(run("--json", "eval", "show", "last", *at), "eval.show")["result"]
    assert [one["scores"]["answered"] for one in shown["questions"]] == [1.0, 0.0]
    failures = run("eval", "show", "last", "--failures", "1", "--metric", "answered", *at).stdout
    assert "Which knot" in failures and "expected: no answer" in failures


def test_with_a_model_compared_shown_and_held_against_each_other(
    run: Run, own: Path, questions: Path, tmp_path: Path
) -> None:
    at = ("--library", own, "--work", tmp_path / "work")
    with serve_script(model) as server:
        words = ("--json", "eval", "answers", questions, "--compare", "default,no-options", "--model", server.url)
        said = body(run(*words, *at), "eval.answers")
    first, second = said["results"]
    assert first["aggregates"]["accuracy"]["mean"] == 1.0 and first["aggregates"]["refusal R"]["mean"] == 1.0
    assert first["models"] and "eval_choose/1" in first["prompts"] and first["kind"] == "answers"
    assert said["comparisons"][0]["second"] == "no-options"
    compared = run("eval", "diff", first["id"], second["id"], *at)
    assert compared.exit_code == 0 and "No question has another score." in compared.stdout


def test_what_the_first_configuration_lacks_is_shown(run: Run, own: Path, questions: Path, tmp_path: Path) -> None:
    """Refusals and citations would be measured and not be seen; the model alone has none."""
    at = ("--library", own, "--work", tmp_path / "work")
    with serve_script(model) as server:
        words = ("eval", "answers", questions, "--compare", "blind,extractive", "--model", server.url)
        lines = run(*words, *at).stdout.splitlines()
    (header,) = [line for line in lines if "accuracy" in line and "refusal R" in line]
    blind, extractive = (
        next(line for line in lines if line.startswith(f"{name} ")) for name in ("blind", "extractive")
    )
    places = [header.index(name) + len(name) for name in ("accuracy", "refusal R")]
    assert [blind[:end].split()[-1] for end in places] == ["1.000", "-"]
    assert extractive[: places[1]].split()[-1] == "1.000"


def test_the_code_says_how_much_could_be_used(run: Run, own: Path, questions: Path, tmp_path: Path) -> None:
    """Nothing but ties, or an accuracy of 0, would look like a result."""
    at = ("--library", own, "--work", tmp_path / "work", "--model")
    usual = ("eval", "answers", questions, "--compare", "blind")

    def failing(*parts: str) -> Any:
        return lambda body: "nonsense" if any(part in request_text(body) for part in parts) else model(body)

    with serve_script(failing("from what you know")) as server:
        result = run(*usual, *at, server.url)
        assert result.exit_code == 1 and "nothing could be used" in result.stdout
        questions.write_text(questions.read_text("utf-8").splitlines()[0], "utf-8")
        assert run(*usual, *at, server.url).exit_code == 3


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("answers", "nowhere.txt"), 2, "no set of answers"),
        (("answers", "FILE", "--compare", "blindd"), 2, "blind"),
        (("answers", "FILE", "--compare", "blind"), 3, "needs a language model"),
        (("answers", "FILE", "--compare", "vanilla"), 3, "needs a language model"),
        (("answers", "FILE", "--baseline", "blind"), 2, "not among"),
        (("answers", "FILE", "--config", "x"), 2, "is no configuration"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_done(
    run: Run, own: Path, questions: Path, tmp_path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    named = [questions if word == "FILE" else word for word in words]
    result = run("eval", *named, "--library", own, "--work", tmp_path / "work")
    assert result.exit_code == code and said in result.stderr
    assert not (tmp_path / "work").exists()


def test_a_file_needs_a_library(run: Run, questions: Path, tmp_path: Path) -> None:
    result = run("--json", "eval", "answers", questions, "--library", tmp_path / "none")
    assert result.exit_code == 2 and "library" in error(result)["message"]


def test_sets_and_configurations_are_listed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = SetReader("knots", "which knot", "knots", lambda data: AnswerSet("knots", "", ()))
    monkeypatch.setattr("conspectus.evaluation.question_sets.InstalledSets", lambda group: {"knots": reader})
    text = run("eval", "answers").stdout
    assert "knots" in text and "no-evidence" in text and "also without a model" in text
    said = body(run("--json", "eval", "answers"), "eval.answers")
    assert [row["name"] for row in said["sets"]] == ["knots"]
    without = {"default", "no-graph", "graph", "pagerank", "extractive"}
    assert {row["name"] for row in said["configurations"] if not row["needs_model"]} == without
