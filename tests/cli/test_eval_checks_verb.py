"""`eval checks` at the command line."""

import json
from pathlib import Path

import pytest
from cli_cases import Run, body, error

from language_server import request_text, serve_script
from oracle import dismiss_hints


@pytest.mark.data
def test_rates_of_each_kind_are_told(run: Run, tmp_path: Path, data: Path) -> None:
    """A program could not read how well statements are checked, nor a person which judge that was."""
    words = ["--library", tmp_path / "none", "eval", "checks", "--data", data, "--limit", "2", "--judge"]
    found = body(run(*words, "perfect", "--json"), "eval.checks")
    assert (found["half"], found["judge"]) == ("open", "perfect")
    assert {"number", "swap", "entity", "negation", "cause", "hedge", "scope", "direction"} < found["kinds"].keys()
    number = found["kinds"]["number"]
    assert (number["precision"], number["recall"], number["auc"], number["statements"]) == (1, 1, 1, 2)
    assert number["rules"]["recall"] <= 1 and found["true"]["paraphrase"]["both"]["struck_out"] == 0
    alone = body(run(*words, "none", "--json"), "eval.checks")
    assert alone["judge"] == "" and alone["called_supported"] == {"rules": 0}
    assert "judge: perfect" in run(*words, "perfect").stdout


@pytest.mark.data
def test_a_language_model_is_measured_as_judge(run: Run, tmp_path: Path, data: Path) -> None:
    """The figures would be those of another judge than `ask` has."""
    requests: list[str] = []

    def judge(request: dict[str, object]) -> dict[str, object]:
        requests.append(said := request_text(request))
        count = said.count(". statement: ")
        verdicts = [{"number": n, "status": "unsupported", "why": "No."} for n in range(1, count + 1)]
        return {**dismiss_hints(request), "verdicts": verdicts}

    with serve_script(judge) as server:
        words = ["eval", "checks", "--data", data, "--limit", "1", "--half", "sealed", "--judge", server.url, "--json"]
        found = body(run("--library", tmp_path / "none", *words), "eval.checks")
    assert found["judge"].startswith("http://127.0.0.1") and found["kinds"]["swap"]["recall"] == 1
    assert found["true"]["paraphrase"]["both"]["struck_out"] == 1 and "SciFact" not in json.dumps(found)
    half = len(requests) // 2
    assert not any("hint 1:" in said for said in requests[:half]) and any("hint 1:" in said for said in requests[half:])


def test_without_data_it_says_so(run: Run, tmp_path: Path) -> None:
    """A user would not know what is missing."""
    made = run("--library", tmp_path, "eval", "checks", "--data", tmp_path / "nowhere", "--json")
    assert made.exit_code != 0 and "no folder of data" in error(made)["message"]
