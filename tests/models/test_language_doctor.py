"""`doctor` and language models: one small call, and what is wrong with the key, the name or the server."""

from pathlib import Path
from typing import Any

import pytest

from conspectus.records import Finding
from grobid_server import address_of_nobody
from helpers import open_library
from language_server import Say, error, serve_script


def examined(folder: Path, **settings: Any) -> Finding | None:
    with open_library(folder, **settings) as library:
        return next((found for found in library.doctor().findings if found.check == "language"), None)


pytestmark = pytest.mark.usefixtures("no_waiting")


def test_nothing_is_said_where_no_model_is_set(tmp_path: Path) -> None:
    """Else a library that needs no model looks broken."""
    assert examined(tmp_path) is None
    assert examined(tmp_path, language__model="none", language__judge="none") is None


def test_a_model_that_answers(tmp_path: Path) -> None:
    """Else a user learns only with a question whether the model works. Each is asked once, whatever its roles."""
    with serve_script(["ready", "ready"]) as server:
        found = examined(tmp_path, language__model=server.url, language__judge=server.url + "#other")
    assert found and found.ok and f"{server.url}#scripted answered" in found.detail and "#other" in found.detail
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("said", "detail", "remedy"),
    [
        (error(401, "no such key"), "no such key", "Check the key: language.api_key"),
        (error(404, "no such model"), "no such model", "Check the model's name"),
        (error(503, "busy"), "busy", "Try again later"),
        (Say(raw=b"<html>", headers=(("content-type", "text/html"),)), "no chat completion", "address"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, said: Say, detail: str, remedy: str) -> None:
    """Else a user cannot tell a wrong key from a wrong name."""
    with serve_script(lambda _: said) as server:
        found = examined(tmp_path, language__model=server.url + "#m")
    assert found and not found.ok and detail in found.detail and remedy in found.remedy


def test_a_server_that_is_away_a_missing_key_and_a_wrong_name(tmp_path: Path) -> None:
    """Else `doctor` itself fails, or says that all is well."""
    away = examined(tmp_path, language__model=address_of_nobody() + "/v1#m")
    assert away and not away.ok and "cannot be reached" in away.detail and "runs" in away.remedy
    keyless = examined(tmp_path, language__model="anthropic:m")
    assert keyless and not keyless.ok and "ANTHROPIC_API_KEY" in keyless.remedy
    wrong = examined(tmp_path, language__model="gpt-5-mini")
    assert wrong and not wrong.ok and "openai:gpt-5-mini" in wrong.remedy


def test_of_several_models_each_has_its_remedy(tmp_path: Path) -> None:
    """Else a user mends the model that is well."""
    nobody = address_of_nobody() + "/v1#m"
    found = examined(tmp_path, language__model=nobody, language__judge="anthropic:m")
    assert found and f"{nobody}: Check that the server" in found.remedy
    assert "(`models connect anthropic key=True`), or set the variable ANTHROPIC_API_KEY" in found.remedy
