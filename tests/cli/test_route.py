"""`route`: what a user reads, and what a program does."""

from pathlib import Path

import pytest
from cli_cases import Run, Shelf, body, error

from language_server import Say, serve_script

pytestmark = pytest.mark.model
COMPARE = "What is the difference between \x1b[2J neap tides and spring tides?"


def test_a_user_sees_kind_reasons_settings_and_parts(run: Run, shelf: Shelf) -> None:
    """A choice without its reason cannot be judged, and a suggestion that is not shown not be taken."""
    said = run("--library", shelf.library, "route", COMPARE)
    assert said.exit_code == 0 and "\x1b" not in said.stdout
    lines = said.stdout.splitlines()
    assert lines[0].startswith("compositional")
    assert "'difference'" in lines[1]
    assert "Suggested: 10 to 15 papers" in lines
    assert "  off  recent papers weigh more" in lines and "  on   let a model choose the steps" in lines
    assert lines[lines.index("Sub-questions:") + 2] == "  - What is known about spring tides?"
    assert lines[-1] == "by rules"
    hello = run("--library", shelf.library, "route", "Hello").stdout
    assert "Nothing is suggested" in hello and "Sub-questions" not in hello


def test_the_model_is_asked_where_there_is_one(run: Run, own: Path) -> None:
    """`--model` would be taken and mean nothing; an outage would pass for an answer."""
    sorted_as = {"reason": "Chat.", "kind": "unclassified", "flags": [], "parts": []}
    with serve_script(lambda _: Say(object=sorted_as)) as server:
        set_up = {"env": {"CONSPECTUS_LANGUAGE_MODEL": server.url}}
        named = run("--library", own, "--json", "route", COMPARE, "--model", server.url)
        assert body(named, "route")["reasons"] == ["Chat."]
        usual = run("--library", own, "--json", "route", COMPARE, "--no-cache", **set_up)
        assert body(usual, "route")["kind"] == "unclassified"
        assert len(server.requests) == 2
        assert run("--library", own, "route", COMPARE, "--model", "none", **set_up).stdout.endswith("by rules\n")
    away = run("--library", own, "--json", "route", "Who?", "--model", "http://127.0.0.1:9/v1")
    assert (away.exit_code, error(away)["type"]) == (3, "ServiceAwayError")
    assert run("--library", own, "route", " ").exit_code == 2
