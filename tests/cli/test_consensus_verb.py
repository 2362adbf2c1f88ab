"""`consensus`, as the command line has it."""

import re
from pathlib import Path
from typing import Any

import pytest
from cli_cases import Run, body

from language_server import request_text, serve_script
from oracle import sentences, task

pytestmark = pytest.mark.model

QUESTION = "Do mitochondria gather before a cell dies?"


def script(asked: dict[str, Any]) -> dict[str, Any]:
    """Only one paper is about it; a model's words try to command the terminal."""
    if task(asked) == "claim":
        return {"claim": "Mitochondria gather \x1b[2Jbefore a cell dies."}
    about = [number for number, text in sentences(asked).items() if "Mitochondria gather" in text]
    if not about:
        return {"stance": "not about it", "spans": [], "why": ""}
    return {"stance": "supports", "spans": about, "why": "\x1b[31mIt says so."}


def test_a_consensus_on_the_command_line(run: Run, own: Path) -> None:
    """Else it needs Python; what is printed leads to the sentences, and commands no terminal."""
    with serve_script(script) as server:
        at = ("--library", own, "--set", f"language.model={server.url}")
        found = body(run(*at, "--json", "consensus", QUESTION, "-k", "3"), "consensus")
        shown = run(*at, "consensus", QUESTION, "--explain")
        plain = run(*at, "consensus", QUESTION)
        given = body(run(*at, "--json", "consensus", "--claim", "Mitochondria gather."), "consensus")
        few = body(run(*at, "--json", "consensus", QUESTION, "--year", "2011"), "consensus")
    assert found["claim"] == "Mitochondria gather before a cell dies." and given["claim"] == "Mitochondria gather."
    assert len(found["stances"]) == 3 and len(few["stances"]) == 1
    assert found["counts"] == {"supports": 1, "opposes": 0, "mixed": 0, "not about it": 2}
    assert found["level"] is None and "Only 1 of the 3 papers" in found["reason"] and found["balance"] == 1
    (one,) = [item for item in found["stances"] if item["stance"] == "supports"]
    assert one["paper"]["external_id"] == "lace" and "references" not in one["paper"]
    assert set(one["outlying"]) == {"distance", "cut", "outlier"}
    (citation,) = one["citations"]
    assert citation["quote"] == "Mitochondria gather around the nucleus before a cell of the leaf dies."
    assert shown.exit_code == 0 and "\x1b" not in shown.stdout
    assert "supports" in shown.stdout and citation["quote"] in shown.stdout and "Not about it" in shown.stdout
    span = citation["spans"][0]["id"]
    assert span in shown.stdout and span not in plain.stdout
    assert re.search(r"\d+ tokens", shown.stdout)


def test_without_a_model_it_says_so(run: Run, own: Path) -> None:
    """3 is the exit code of what is missing; nothing is printed that could be taken for a result."""
    result = run("--library", own, "consensus", QUESTION)
    assert result.exit_code == 3 and not result.stdout
    assert "language model" in result.stderr and "--model" in result.stderr


def test_what_cannot_be_judged_is_named(run: Run, own: Path) -> None:
    """The exit code 1 tells a script that some are missing."""

    def half(asked: dict[str, Any]) -> Any:
        return {"stance": "so", "spans": []} if "tides" in request_text(asked) else script(asked)

    with serve_script(half) as server:
        result = run("--library", own, "--set", f"language.model={server.url}", "consensus", QUESTION)
    assert result.exit_code == 1 and "not judged" in result.stdout
