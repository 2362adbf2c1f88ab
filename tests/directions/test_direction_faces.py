"""Directions on the command line, over HTTP and as a tool: the same JSON as in Python, and readable lists."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from conspectus import Library
from conspectus.cli.app import app
from conspectus.directions import views
from conspectus.faces.index import find_verb
from conspectus.faces.printer import Printer
from conspectus.faces.results import body_of
from conspectus.records.directions import Direction, describe_certainty
from directions.test_directions import library, template
from helpers import HashEmbedder, catalog_flags
from serving import make_client

__all__ = ["library", "template"]
pytestmark = pytest.mark.usefixtures("quick_pool")
SIDES = {"left": "quasar", "right": "glacier"}
CALLS: tuple[tuple[str, list[str], str, dict[str, Any], Callable[[Library], Any]], ...] = (
    ("list", [], "", {}, lambda lib: lib.directions.list()),
    ("show", ["2", "-n", "2"], "/2", {"limit": 2}, lambda lib: lib.directions.show("2", limit=2)),
    ("search", ["stars", "swell"], "/search", {"q": "stars swell"}, lambda lib: lib.directions.search("stars swell")),
    (
        "explain",
        ["quasar:1", "chess:2"],
        "/explain",
        {"paper": "quasar:1", "other": "chess:2"},
        lambda lib: lib.directions.explain("quasar:1", "chess:2"),
    ),
    (
        "compare",
        ["--left", "quasar", "--right", "glacier", "--within", "year"],
        "/compare",
        {**SIDES, "within": "year"},
        lambda lib: lib.directions.compare(**SIDES, within=("year",)),
    ),
    (
        "predict",
        ["citations", "--within", "venue"],
        "/predict/citations",
        {"within": "venue"},
        lambda lib: lib.directions.predict("citations", within=("venue",)),
    ),
)


@pytest.fixture(autouse=True)
def _embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line has the embedder of the library."""
    monkeypatch.setattr("conspectus.models.registry.make_embedder", lambda _: HashEmbedder())


def run(folder: Path, *words: str) -> str:
    """What the command prints."""
    flags = [part for name, value in catalog_flags(folder).items() for part in ("--set", f"{name}={value}")]
    done = CliRunner().invoke(app, ["--library", str(folder), *flags, *words])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize(("name", "words", "path", "query", "call"), CALLS, ids=[call[0] for call in CALLS])
def test_every_face_says_the_same(
    library: Library, name: str, words: list[str], path: str, query: dict[str, Any], call: Callable[[Library], Any]
) -> None:
    verb, _ = find_verb("directions", name)
    known = json.loads(msgspec.json.encode(body_of(verb, call(library))))
    with make_client(library) as client:
        served = client.get(f"/api/v1/directions{path}", params=query)
        assert served.status_code == 200, served.text
    typed = json.loads(run(library.folder, "--json", "directions", name, *words))
    for body in (served.json(), typed):
        assert body.pop("schema") == f"conspectus.directions.{name}/1"
        assert body == known
    assert run(library.folder, "directions", name, *words).strip()


def test_a_server_steers_too(library: Library) -> None:
    with make_client(library) as client:
        found = client.get("/api/v1/search", params={"q": "study", "more": "1:0.5"})
        assert found.status_code == 200 and "cosine with the question" in found.json()["note"]
        assert client.get("/api/v1/search", params={"q": "study", "more": "1:7"}).status_code == 400
        assert client.get("/api/v1/directions/999").status_code == 404


def test_a_list_in_a_terminal_says_what_is_hidden(library: Library) -> None:
    out = run(library.folder, "directions", "build")
    assert "recur in another training" in out and "quasar" in out.lower()


def test_a_search_without_a_hit_says_so_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody would know whether it found nothing or failed; what reads the rows gets none."""
    views.search(Printer(), ())
    assert capsys.readouterr() == ("", "No direction fits these words.\n")


def test_a_label_says_that_it_was_not_tested() -> None:
    """A guess would look like a tested name."""
    untested = Direction(1, "dark matter", ("dark matter",), None, 12, 1.0, None)
    assert describe_certainty(untested) == "label not tested"
    assert describe_certainty(replace(untested, auc=0.931)) == "label AUC 0.93"
    assert not describe_certainty(replace(untested, label="unnamed 1"))
