"""The table of `benchmarks/README.md` is what the result files give."""

import importlib
import json
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.setattr(sys, "argv", ["report.py", "--check"])
    return importlib.import_module("report")


def test_the_readme_is_made_of_the_results(report: object, capsys: pytest.CaptureFixture[str]) -> None:
    """A figure that was changed by hand, or forgotten, would be believed."""
    assert report.main() == 0, capsys.readouterr().out  # type: ignore[attr-defined]
    assert len((FOLDER / "README.md").read_text("utf-8").splitlines()) <= 200


def test_results_are_whole(report: object) -> None:
    """A figure without the command that measures it cannot be checked."""
    topics = importlib.import_module("results").TOPICS
    for path in (FOLDER / "results").glob("*.json"):
        result = json.loads(path.read_text("utf-8"))
        assert result["benchmark"] == path.stem and result["topic"] in topics and result["figures"], path.name
        assert bool(result["commit"]) != bool(result.get("from")), path.name
        words = result["command"].split()
        script = next((word for word in words if word.endswith(".py")), "")
        assert words[0] == "conspectus" or (FOLDER.parent / script).is_file(), path.name
    assert all((FOLDER / f"{topic}.md").is_file() for topic in topics)
