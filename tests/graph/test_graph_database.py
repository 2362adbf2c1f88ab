"""The graph in a database that is none of ours: loaded and asked by Neo4j's driver, run by ArcadeDB's openCypher."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import arcadedb_server
from arcadedb_server import DATABASE, PASSWORD, USER, ArcadeDB, arcadedb
from conspectus import Library
from conspectus.cli.app import app
from conspectus.errors import ServiceError, UsageError
from conspectus.graph import bolt as loading
from conspectus.graph.formats import NODES, TIES
from graph.vocabularies import put_vocabulary
from helpers import markdown, open_library, write
from language_server import serve_script

neo4j = pytest.importorskip("neo4j")
pytestmark = pytest.mark.usefixtures("quick_pool")
WARM = "Purring comes with warmth."
QUOTED = 'A "mouse" runs < 3 > 2 & hides, $x; it\'s warm \\ asleep \\usepackage{cat} \\u0022 🐁.'
STATED = {"relations": [{"first": 1, "second": 2, "spans": [1]}, {"first": 2, "second": 0, "spans": [1]}]}


@pytest.fixture(scope="module")
def server() -> Iterator[ArcadeDB]:
    if not arcadedb_server.installed():
        pytest.skip("ArcadeDB is not installed: pip install 'arcadedb>=26.11.1.dev2'")
    with arcadedb() as running:
        yield running


@pytest.fixture
def run(server: ArcadeDB, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Statements run by the driver itself, in a database that is empty."""
    monkeypatch.setenv("NEO4J_USERNAME", USER)
    monkeypatch.setenv("NEO4J_PASSWORD", PASSWORD)
    with neo4j.GraphDatabase.driver(server.url, auth=(USER, PASSWORD)) as driver:

        def run(statement: str) -> list[dict[str, Any]]:
            return [one.data() for one in driver.execute_query(statement, database_=DATABASE).records]

        run("MATCH (n) DETACH DELETE n")
        yield run


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with (
        serve_script(lambda body: STATED) as model,
        open_library(tmp_path / "lib", language__model=model.url) as opened,
    ):
        opened.add([write(tmp_path / "one.md", markdown("One", f"{WARM} Nobody knows."))])
        put_vocabulary(opened)
        opened.graph.link()
        opened.graph.relate()
        opened.add([write(tmp_path / "two.md", markdown("Two", QUOTED, year="1999"))])
        put_vocabulary(opened, {"CAT:1": ("asleep",)}, "Other; cats")
        opened.graph.link()
        yield opened


def everything(run: Any) -> dict[str, list[str]]:
    """Kind -> its nodes or relations, each with the ids of its ends, as sorted texts; without when they came."""
    found = {}
    for kind in NODES:
        found[kind] = [one["said"] for one in run(f"MATCH (n:{kind}) RETURN properties(n) AS said")]
    for kind in TIES:
        found[kind] = run(f"MATCH (a)-[r:{kind}]->(b) RETURN a.id AS a, b.id AS b, properties(r) AS said")
    for one in chain.from_iterable(found.values()):
        one.get("said", one).pop(loading.LOADS, None)
    return {kind: sorted(json.dumps(one, sort_keys=True) for one in rows) for kind, rows in found.items()}


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_what_is_loaded_is_what_the_papers_say(
    library: Library, server: ArcadeDB, run: Any, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relation there would lead to another sentence, or to none."""
    monkeypatch.setattr(loading, "BATCH", 3)
    told = library.graph.export(to=server.url.replace("bolt", scheme), database=DATABASE)
    found = everything(run)
    assert {kind: len(rows) for kind, rows in found.items()} == {
        **{"Entity": told.entities, "Paper": told.papers, "Sentence": told.sentences, "RELATED_TO": told.related},
        **{"IN_PAPER": told.sentences, "MENTIONS": 5, "DESCRIBES": 1},
        **{"Paragraph": told.paragraphs, "PARAGRAPH_OF": 2, "IN_PARAGRAPH": 2, "MENTIONED_IN": 5},
    }
    spans = {
        span.id: span.text for paper in library.papers() for one in library.passages(paper.id) for span in one.spans
    }
    texts = {one["id"]: one["text"] for one in run("MATCH (s:Sentence) RETURN s.id AS id, s.text AS text")}
    assert set(texts.values()) == {WARM, QUOTED} and texts.items() <= spans.items()
    said = "MATCH (a:Entity {label: 'purring'})-[r:RELATED_TO]-(b:Entity) MATCH (s:Sentence) WHERE s.id IN r.span_ids "
    there = {(one["kind"], one["text"]) for one in run(said + "RETURN r.kind AS kind, s.text AS text")}
    edges = library.graph.show(["purring", "warmth"], depth=1).edges
    assert there == {(one.kind, one.examples[0].quote) for one in edges} == {("co-mention", WARM), ("stated", WARM)}
    words = run("MATCH (s:Sentence)-[m:MENTIONS]->() RETURN s.id AS id, m.start AS a, m.stop AS z, m.words AS words")
    assert len(words) == 5 and all(texts[one["id"]][one["a"] : one["z"]] == one["words"] for one in words)


def test_again_it_is_brought_up_to_date(library: Library, server: ArcadeDB, run: Any, tmp_path: Path) -> None:
    """Nodes would be there twice, or numbers stay what they were."""
    library.graph.export(to=server.url, database=DATABASE)
    once = everything(run)
    library.graph.export(to=server.url, database=DATABASE)
    assert everything(run) == once
    library.add([write(tmp_path / "three.md", markdown("Three", "Warmth makes purring."))])
    library.graph.link()
    library.remove(next(one.id for one in library.papers() if one.title == "Two"))
    told = library.graph.export(to=server.url, database=DATABASE)
    assert (told.entities, told.papers, told.sentences) == (2, 2, 2)
    tie = "MATCH (:Entity {label: 'purring'})-[r:RELATED_TO {kind: 'co-mention'}]-(:Entity) RETURN r.papers AS n"
    (row,) = run(tie)
    assert row["n"] == 2
    assert len(everything(run)["Paper"]) == 3, "what the library no longer has stays"


def test_what_is_gone_is_taken_out(
    library: Library, server: ArcadeDB, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A paper that was retracted would go on speaking there; what somebody else keeps there would be lost."""
    monkeypatch.setattr(loading, "BATCH", 2)
    assert library.graph.export(to=server.url, database=DATABASE, prune=True).pruned == 0
    run("CREATE (:Paper {id: 'mine', loaded: 1})-[:IN_PAPER]->(:Paper {id: 'mine, too'})")
    run("MATCH (a:Entity {label: 'purring'}), (b:Paper {id: 'mine'}) CREATE (a)-[:RELATED_TO {kind: 'mine'}]->(b)")
    before = sum(map(len, everything(run).values()))
    library.remove(next(one.id for one in library.papers() if one.title == "Two"))
    told = library.graph.export(to=server.url, database=DATABASE, prune=True)
    found = everything(run)
    assert told.pruned == before - sum(map(len, found.values())) == 2 + 1 + 1 + 1 + 3 + 3 + 1 + 1 + 1 + 3
    assert {one["id"] for one in run("MATCH (p:Paper) RETURN p.id AS id") if "mine" in one["id"]} == {
        "mine",
        "mine, too",
    }
    run("MATCH (p:Paper) WHERE p.id STARTS WITH 'mine' DETACH DELETE p")
    found = everything(run)
    run("MATCH (n) DETACH DELETE n")
    library.graph.export(to=server.url, database=DATABASE)
    assert everything(run) == found
    with pytest.raises(UsageError, match="nothing to `prune`"):
        library.graph.export(io.StringIO(), to="cypher", prune=True)
    library.remove(*(one.id for one in library.papers()))
    begin = ["--library", str(library.folder), "graph", "export", "--to", server.url, "--database", DATABASE]
    library.close()
    refused = CliRunner().invoke(app, [*begin, "--year", "1850", "--prune"])
    assert refused.exit_code == 2 and "would remove everything that the filters leave out" in refused.output
    assert everything(run) == found


def test_what_another_library_brought_stays(
    library: Library, server: ArcadeDB, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two groups that keep one database would take each other's papers out of it."""
    monkeypatch.setattr(loading, "BATCH", 2)
    to: dict[str, Any] = {"to": server.url, "database": DATABASE, "prune": True}
    with open_library(tmp_path / "other") as other:
        other.add([tmp_path / "two.md", write(tmp_path / "three.md", markdown("Three", "Cats are asleep."))])
        put_vocabulary(other, {"CAT:1": ("asleep",)}, "Other; cats")
        other.graph.link()
        other.graph.export(**to)
        theirs = everything(run)
        assert len(theirs["Paper"]) == 2 and len(theirs["MENTIONS"]) == 2
        assert library.graph.export(**to).pruned == 0
        both = everything(run)
        assert len(both["Paper"]) == 3
        library.remove(next(one.id for one in library.papers() if one.title == "Two"))
        gone = library.graph.export(**to).pruned
        assert gone and gone == sum(map(len, both.values())) - sum(map(len, everything(run).values()))
        kept = "MATCH (p:Paper) RETURN p.title AS title, size(p.conspectus_loads) AS n"
        assert sorted((one["title"], one["n"]) for one in run(kept)) == [("One", 1), ("Three", 1), ("Two", 1)]
        mine = everything(run)
        assert other.graph.export(**to).pruned == 0
        assert all(set(rows) <= set(everything(run)[kind]) for kind, rows in theirs.items())
        other.remove(*(one.id for one in other.papers() if one.title == "Two"))
        other.graph.export(**to)
        assert {one["title"] for one in run(kept)} == {"One", "Three"}
        library.graph.export(**to)
        assert len(everything(run)["Paper"]) == len(mine["Paper"]) - 1


def test_what_a_library_says_no_more_is_said_no_more(
    library: Library, server: ArcadeDB, run: Any, tmp_path: Path
) -> None:
    """A year that was wrong, and was taken away, would stay."""
    year = "MATCH (p:Paper {title: 'Three'}) RETURN p.year AS year"
    for said in ({"year": "1998"}, {}):
        library.add([write(tmp_path / "three.md", markdown("Three", WARM, doi="10.1234/three", **said))])
        library.graph.link()
        if said:
            library.graph.export(to=server.url, database=DATABASE)
            assert [one["year"] for one in run(year)] == [1998]
    script = io.StringIO()
    library.graph.export(script, to="cypher")
    run("MATCH (p:Paper) SET p.mine = 1")
    library.graph.export(to=server.url, database=DATABASE)
    (row,) = run("MATCH (p:Paper {title: 'Three'}) RETURN properties(p) AS said")
    assert "year" not in row["said"] and row["said"]["mine"] == 1
    run("MATCH (p:Paper) SET p.year = 1998")
    for line in script.getvalue().splitlines():
        run(line)
    assert [one["year"] for one in run(year)] == [None]


def test_the_script_does_the_same(library: Library, server: ArcadeDB, run: Any) -> None:
    """A statement that no database takes, or a sentence that comes out as another one."""
    library.graph.export(to=server.url, database=DATABASE)
    loaded = everything(run)
    run("MATCH (n) DETACH DELETE n")
    script = io.StringIO()
    library.graph.export(script, to="cypher")
    for _ in range(2):
        for line in script.getvalue().splitlines():
            run(line)
        assert everything(run) == loaded


def test_it_is_asked_in_cypher(library: Library, server: ArcadeDB, run: Any) -> None:
    library.graph.export(to=server.url, database=DATABASE)
    asked = "MATCH (a:Entity {label: $a})-[r:RELATED_TO]-(b) RETURN b.label, r.sentences ORDER BY b.label DESC"
    begin = ["--library", str(library.folder), "--json", "graph", "query", asked, "--value", "a=warmth"]
    found = library.graph.query(asked, address=server.url, values={"a": "warmth"}, database=DATABASE, k=2)
    assert [one["b.label"] for one in found] == ["purring", "purring"]
    whole = "MATCH p = (s:Sentence)-[r:IN_PAPER]->(n:Paper {title: 'Two'}) RETURN p, r, n, [n.year, true, null] AS l"
    ((row),) = library.graph.query(whole, address=server.url, database=DATABASE)
    sentence, tie, paper = row["p"]
    assert sentence["text"] == QUOTED and tie == row["r"] == {loading.LOADS: paper[loading.LOADS]} and paper == row["n"]
    assert paper["title"] == "Two" and row["l"] == [1999, True, None]
    (row,) = library.graph.query(
        "MATCH ()-[r:MENTIONS {words: 'mouse'}]->() RETURN r, date('1999-01-02') AS day",
        address=server.url,
        database=DATABASE,
    )
    assert row["r"]["start"] == QUOTED.index("mouse") and row["day"] == "1999-01-02"
    library.close()
    said = CliRunner().invoke(app, [*begin, "--from", server.url, "--database", DATABASE, "-k", "2"])
    assert json.loads(said.stdout)["rows"] == list(found), said.output


def test_asking_changes_nothing(library: Library, server: ArcadeDB, run: Any) -> None:
    """A server that does not look at who may only read would lose the graph to a question."""
    library.graph.export(to=server.url, database=DATABASE)
    before = everything(run)
    for writes in ("CREATE (n:Paper {id: 'x'}) RETURN n", "MATCH (n) DETACH DELETE n", "MATCH (n) SET n.title = ''"):
        library.graph.query(writes, address=server.url, database=DATABASE)
        assert everything(run) == before, writes


def test_what_it_refuses_is_told(library: Library, server: ArcadeDB, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ServiceError, match=r"refused: .*no viable alternative"):
        library.graph.query("MATCH (n RETURN n", address=server.url, database=DATABASE)
    with pytest.raises(ServiceError, match=r"refused: .*[Dd]atabase"):
        library.graph.export(to=server.url, database="cats")
    monkeypatch.setenv("NEO4J_PASSWORD", "geheim")
    with pytest.raises(ServiceError, match="let us in") as caught:
        library.graph.export(to=server.url, database=DATABASE)
    assert "geheim" not in str(caught.value)
