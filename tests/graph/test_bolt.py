"""The graph loaded into a database by Neo4j's driver, and asked there: what arrives, and what may not be sent."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bolt_server import bolt
from conspectus import Library
from conspectus.cli.app import app
from conspectus.errors import ServiceError, UnavailableError, UsageError
from conspectus.graph import bolt as loading
from graph.vocabularies import put_vocabulary
from helpers import markdown, open_library, write

pytest.importorskip("neo4j")
pytestmark = pytest.mark.usefixtures("quick_pool")
TEXT = "Purring comes with warmth. Nobody knows."


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "purr")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as opened:
        opened.add([write(tmp_path / "one.md", markdown("One", TEXT, year="1999"))])
        put_vocabulary(opened)
        opened.graph.link()
        yield opened


def merged(ran: list[tuple[str, dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """The rows of each kind of node or edge."""
    kinds = {statement: kind for kind, statement in loading.STATEMENTS.items()}
    found: dict[str, list[dict[str, Any]]] = {}
    for statement, values in ran:
        if statement in kinds:
            found.setdefault(kinds[statement], []).extend(values["rows"])
    return found


@pytest.mark.parametrize("version", [(4, 4), (5, 4)])
@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_all_arrives(library: Library, version: tuple[int, int], scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "BATCH", 2)
    with bolt(version=version) as server:
        told = library.graph.export(to=server.url.replace("bolt", scheme))
    rows = merged(server.ran)
    numbers = [len(rows[kind]) for kind in ("Entity", "Paper", "Sentence", "RELATED_TO")]
    assert numbers == [told.entities, told.papers, told.sentences, told.related] == [2, 1, 1, 1]
    (sentence,) = rows["Sentence"]
    assert sentence["said"] == {"text": "Purring comes with warmth."}
    assert {one["said"]["words"] for one in rows["MENTIONS"]} == {"Purring", "warmth"}
    (edge,) = rows["RELATED_TO"]
    assert edge["own"] == "co-mention" and edge["said"]["span_ids"] == [sentence["id"]]
    known = {one["id"] for kind in loading.NODES for one in rows[kind]}
    ties = [one for kind in loading.TIES for one in rows.get(kind, ())]
    assert {one[end] for one in ties for end in ("first", "second")} == known
    assert set(server.modes) == {"w"} and sum("CONSTRAINT" in statement for statement, _ in server.ran) == 4
    assert all("MERGE" in statement for statement, values in server.ran if values), "again, it makes nothing twice"


def test_nodes_come_before_what_ties_them(library: Library) -> None:
    """An edge would be lost without a word: MATCH finds nothing."""
    with bolt() as server:
        library.graph.export(to=server.url)
    order = [statement for statement, values in server.ran if values]
    assert order == [statement for statement in loading.STATEMENTS.values() if statement in order]


def test_it_is_asked_for_reading_only(library: Library) -> None:
    rows = [{"b.label": "warmth", "n": 1}, {"b.label": "sleep", "n": 2}]
    asked: list[Any] = []
    with bolt(lambda *arrived: asked.append(arrived) or rows) as server:  # type: ignore[func-returns-value]
        found = library.graph.query("MATCH (a {label: $a})--(b)", address=server.url, values={"a": "purring"}, k=1)
        begin = ["--library", str(library.folder), "--json", "graph", "query", "MATCH (b)"]
        library.close()
        said = CliRunner().invoke(app, [*begin, "--from", server.url])
    assert found == ({"b.label": "warmth", "n": 1},)
    assert asked[0] == ("MATCH (a {label: $a})--(b)", {"a": "purring"}) and set(server.modes) == {"r"}
    assert server.ran == [], "nothing is committed"
    assert json.loads(said.stdout)["rows"] == rows, said.output


@pytest.mark.parametrize(
    ("address", "why"),
    [
        *[("bolt://me:geheim@127.0.0.1", "in it"), ("neo4j://db.example.org", "unencrypted")],
        *[
            ("bolt+ssc://db.example.org", "shows who"),
            ("neo4j+s://", "no address"),
            ("bolt://127.0.0.1/x", "no addr"),
        ],
    ],
)
def test_nobody_unknown_gets_anything(library: Library, address: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        library.graph.export(to=address)
    assert "geheim" not in f"{caught.value} {caught.value.hint}"


def test_what_the_server_says_is_told(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    with bolt(lambda *_: ValueError("Invalid input 'X'")) as server, pytest.raises(ServiceError, match="Invalid input"):
        library.graph.query("X", address=server.url)
    monkeypatch.setenv("NEO4J_PASSWORD", "geheim")
    with bolt() as server, pytest.raises(ServiceError, match="let us in") as caught:
        library.graph.export(to=server.url)
    assert "geheim" not in str(caught.value) and server.greetings[-1]["credentials"] == "geheim"
    monkeypatch.setattr(loading, "SECONDS", 0.1)
    with pytest.raises(ServiceError, match="did not answer"):
        library.graph.query("RETURN 1", address=server.url)


def test_without_its_driver_it_is_told(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "neo4j.exceptions", None)
    with pytest.raises(UnavailableError, match="not installed"):
        library.graph.export(to="neo4j+s://db.example.org")


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_nothing_but_the_error_is_printed(scheme: str) -> None:
    """The driver's own words would stand before it, on standard error; seen from a process without pytest's logging."""
    asked = "from conspectus.graph.bolt import run_query\ntry:\n    run_query('RETURN 1', '{}://localhost:1', {{}})\n"
    asked += "except Exception as error:\n    print(type(error).__name__)"
    done = subprocess.run([sys.executable, "-c", asked.format(scheme)], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("ServiceError", "")
