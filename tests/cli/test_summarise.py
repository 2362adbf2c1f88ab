"""`summarise` and `--use`, as the command line has them."""

import re
from pathlib import Path
from typing import Any

import pytest
from cli_cases import Run, body

from language_server import error, request_text, serve_script

pytestmark = pytest.mark.model


def short(asked: dict[str, Any]) -> dict[str, Any]:
    """A summary that repeats the first sentence, with a command for terminals in it."""
    number, text = re.findall(r"^\[(\d+)\] (.*)$", request_text(asked), re.MULTILINE)[0]
    return {"sentences": [{"text": f"\x1b[2J{text}", "spans": [int(number)]}]}


def test_from_summarising_to_finding(run: Run, own: Path) -> None:
    """Else summaries cannot be made or found without writing Python, or a model's words command the terminal."""
    with serve_script(short) as server:
        at = ("--library", own, "--set", f"language.model={server.url}")
        result = run(*at, "summarise")
        assert result.exit_code == 0, result.stderr
        assert "1 paper summarised" in result.stdout and "--abstracts" in result.stdout
        assert "tokens" in result.stdout and "scripted" in result.stdout
        assert "Summary by" in result.stdout, "what was made is shown"
        again = body(run(*at, "--json", "summarise", "--again"), "papers.summarise")["summarised"]
        assert again and all(len(one["summaries"]) == one["passages"] for one in again)
        done = body(run(*at, "--json", "summarise"), "papers.summarise")
    assert (done["already"], done["summarised"], done["usage"]["calls"]) == (1, [], 0)
    found = body(run("--library", own, "--json", "search", "planet transit", "--use", "summary"), "search")
    (hit,) = found["hits"]
    assert hit["passage"]["kind"] == "summary" and hit["summary"]["model"].endswith("scripted")
    assert hit["sources"] == [name for names in hit["summary"]["links"] for name in names]
    said = run("--library", own, "search", "planet transit", "--use", "both").stdout
    assert "\x1b" not in said
    shown = run("--library", own, "search", "planet transit", "--use", "summary", "--explain").stdout
    assert "Summary by" in shown and hit["sources"][0] in shown and "\x1b" not in shown
    paper = hit["paper"]["id"]
    listed = body(run("--library", own, "--json", "show", paper, "--summaries"), "show")
    assert len(listed["summaries"]) == listed["summary_count"] > 0
    text = run("--library", own, "show", paper, "--summaries").stdout
    assert "Summary by" in text and "\x1b" not in text
    answer = run("--library", own, "--json", "ask", "What does a transit tell of a planet?", "--use", "summary")
    assert all(one["status"] == "quoted" for one in body(answer, "ask")["statements"])
    plain = body(run("--library", own, "--json", "search", "planet transit"), "search")
    assert all("sources" not in one for one in plain["hits"])


def test_what_failed_is_named(run: Run, own: Path) -> None:
    """Else a script takes a run in which a paper was left out for a whole one."""
    calls = []

    def script(asked: dict[str, Any]) -> Any:
        calls.append(asked)
        return short(asked) if len(calls) == 1 else {"sentences": []}

    with serve_script(script) as server:
        at = ("--library", own, "--set", f"language.model={server.url}", "--set", "language.concurrency=1")
        result = run(*at, "summarise")
    assert result.exit_code == 1 and "1 failed" in result.stdout and "no sentences" in result.stdout


def test_a_limit_ends_it(run: Run, own: Path) -> None:
    """Else a run spends more than was said."""
    with serve_script(short) as server:
        at = ("--library", own, "--set", f"language.model={server.url}", "--set", "language.concurrency=1")
        result = run(*at, "summarise", "--max-tokens", "1")
        assert result.exit_code == 1 and "1 are left" in result.stdout and "budget.tokens" in result.stdout
        assert not server.requests


def test_without_a_model_or_a_server(run: Run, own: Path) -> None:
    """Else who forgets the model, or has a wrong key, is told that papers failed."""
    result = run("--library", own, "summarise")
    assert result.exit_code == 3 and "models connect" in result.stderr
    with serve_script(lambda _: error(401, "Incorrect API key provided")) as server:
        result = run("--library", own, "summarise", "--model", server.url)
    assert result.exit_code == 3 and "key" in result.stderr.lower()
