"""The graph in other programs: read by parsers that are not ours, with the papers' own words."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from lxml import etree

from conspectus import Filters, Library
from conspectus.cli.app import app
from conspectus.errors import NotFoundError, UsageError
from graph.vocabularies import put_vocabulary
from helpers import markdown, open_library, write

pytestmark = pytest.mark.usefixtures("quick_pool")
QUOTED = 'A "mouse" runs < 3 > 2 & hides; it\'s warm \\ asleep 🐁.'


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as opened:
        opened.add([write(tmp_path / "one.md", markdown("One", "Purring comes with warmth. Nobody knows."))])
        opened.add([write(tmp_path / "two.md", markdown("Two", QUOTED, year="1999"))])
        put_vocabulary(opened)
        put_vocabulary(opened, {"CAT:1": ("asleep",)}, "Other; cats")
        opened.graph.link()
        yield opened


def written(library: Library, to: str, filters: Filters | None = None) -> str:
    held = io.StringIO()
    library.graph.export(held, to=to, filters=filters)
    return held.getvalue()


def test_graphml_has_the_sentences(library: Library) -> None:
    """What networkx shows would lead to no paper."""
    found = etree.fromstring(written(library, "graphml").encode())
    names = {"g": "http://graphml.graphdrawing.org/xmlns"}
    ids = found.xpath("//g:node/@id", namespaces=names)
    ends = found.xpath("//g:edge/@source | //g:edge/@target", namespaces=names)
    assert len(ids) == len(set(ids)) and set(ends) <= set(ids)
    assert any("mouse" in one and "🐁" in one for one in found.xpath("//g:data/text()", namespaces=names))
    networkx = pytest.importorskip("networkx")
    read = networkx.read_graphml(io.BytesIO(written(library, "graphml").encode()))
    (tie,) = [one for *_, one in read.edges(data=True) if one["kind_of"] == "RELATED_TO" and one["papers"] == 1][:1]
    (span,) = tie["span_ids"].split()
    assert read.nodes[f"urn:conspectus:sentence:{span}"]["text"] == "Purring comes with warmth."


def test_jsonld_is_rdf(library: Library) -> None:
    """A triple store would refuse it."""
    oxigraph = pytest.importorskip("pyoxigraph")
    text = written(library, "jsonld")
    quads = list(oxigraph.parse(text.encode(), oxigraph.RdfFormat.JSON_LD))
    kinds = {str(one.object) for one in quads if str(one.predicate).endswith("#type>")}
    assert {"<urn:conspectus:Entity>", "<urn:conspectus:RELATED_TO>", "<urn:conspectus:Sentence>"} <= kinds
    of = {str(one.subject): one.object.value for one in quads if one.predicate.value == "urn:conspectus:text"}
    texts = {text for name, text in of.items() if ":sentence:" in name}
    spans = {
        span.id: span.text for paper in library.papers() for one in library.passages(paper.id) for span in one.spans
    }
    assert texts and texts <= set(spans.values())
    said_in = {one.object.value.rpartition(":")[2] for one in quads if one.predicate.value == "urn:conspectus:said_in"}
    assert said_in <= spans.keys() and len(said_in) == 2


def test_csv_fits_together(library: Library, tmp_path: Path) -> None:
    """Neo4j's import refuses a table whose ends are not there, or whose lines are not as long as the first."""
    told = library.graph.export(tmp_path / "out", to="csv")
    tables = {}
    for file in (tmp_path / "out").iterdir():
        with file.open(newline="", encoding="utf-8") as stream:
            head, *rows = csv.reader(stream)
        assert all(len(row) == len(head) for row in rows)
        tables[file.stem] = [dict(zip(head, row, strict=True)) for row in rows]
    entities = {row["id:ID(Entity)"] for row in tables["entity"]}
    assert len(entities) == told.entities == 4 and "Other; cats/CAT:1" in entities
    sentences = {row["id:ID(Sentence)"] for row in tables["sentence"]}
    assert len(tables["paragraph"]) == told.paragraphs == 2
    assert {row[":END_ID(Paragraph)"] for row in tables["in_paragraph"]} == {
        row["id:ID(Paragraph)"] for row in tables["paragraph"]
    }
    assert len(tables["related_to"]) == told.related == 4
    for row in tables["related_to"]:
        assert {row[":START_ID(Entity)"], row[":END_ID(Entity)"]} <= entities
        assert set(row["span_ids:string[]"].split(";")) <= sentences and row["kind"] == "co-mention"
    with pytest.raises(UsageError, match="tables"):
        library.graph.export(io.StringIO(), to="csv")


def test_paragraphs_are_those_of_the_paper(tmp_path: Path) -> None:
    """The graph of Ta et al. has paragraphs; a passage begins in one and ends in another.

    Short passages, so that paragraphs go over their ends; none is stored, so none can stay when its paper is removed.
    """
    first = "A mouse runs. " + "The weather was fine on that day, and it rained on no other one. " * 6
    body = f"{first}Purring is heard.\n\nThe mouse rests; purring stops.\n\nNothing here."
    with open_library(tmp_path / "lib", passages__chars=200, passages__overlap=50) as library:
        library.add([write(tmp_path / "one.md", markdown("One", body)), write(tmp_path / "two.md", markdown("Two"))])
        put_vocabulary(library)
        library.graph.link()
        found = library.graph.paragraphs(["mouse", "purring"])
        assert [len(one.citations) for one in found.paragraphs] == [2, 1] and found.papers == 1
        long, short = found.paragraphs
        assert long.text == f"{first}Purring is heard." and short.text == "The mouse rests; purring stops."
        for one in found.paragraphs:
            for citation in one.citations:
                passage = next(p for p in library.passages(one.paper.id) if p.id == citation.passage_id)
                assert citation.spans[0] in passage.spans and citation.quote in one.text
        assert [one.id for one in library.graph.paragraphs(["mouse", "purring"], k=1).paragraphs] == [long.id]

        exported = json.loads(written(library, "jsonld"))["@graph"]
        kinds = Counter(one["@type"] for one in exported)
        assert kinds["Paragraph"] == 2 and kinds["PARAGRAPH_OF"] == 2 and kinds["IN_PARAGRAPH"] == 3
        assert (
            kinds["MENTIONED_IN"]
            == 4
            == sum(one.get("sentences", 0) for one in exported if "said_in" in one and "described" in one)
        )
        assert {one["text"] for one in exported if one["@type"] == "Paragraph"} == {long.text, short.text}

        library.remove(long.paper.id)
        with pytest.raises(NotFoundError):
            library.graph.paragraphs(["mouse"])


def test_cypher_cannot_be_broken_out_of(library: Library) -> None:
    """A sentence with quotation marks would be a statement."""
    lines = written(library, "cypher").splitlines()
    (line,) = [one for one in lines if "MERGE (n:Sentence" in one and "mouse" in one]
    literal = line.partition("{text: ")[2].removesuffix("};")
    assert json.loads(literal) == QUOTED and literal.isascii()
    assert all(one.endswith(";") for one in lines)
    assert sum("[r:RELATED_TO {kind:" in one for one in lines) == 4


def test_filters_count(library: Library) -> None:
    """Who asks for the years before 2000 would get all."""
    found = library.graph.export(io.StringIO(), to="graphml", filters=Filters(year=(None, 1999)))
    assert (found.papers, found.related) == (1, 3)
    with pytest.raises(UsageError, match="format"):
        library.graph.export(io.StringIO(), to="xlsx")


def test_from_a_terminal(library: Library, tmp_path: Path) -> None:
    begin = ["--library", str(library.folder)]
    library.close()
    done = CliRunner().invoke(app, [*begin, "graph", "export", str(tmp_path / "g.xml"), "--to", "graphml"])
    assert done.exit_code == 0 and "4 entities, 2 sentences of 2 papers, 4 edges" in done.output, done.output
    shown = CliRunner().invoke(app, [*begin, "--json", "graph", "show", "purring"])
    assert json.loads(shown.output)["schema"] == "conspectus.graph.show/1"
