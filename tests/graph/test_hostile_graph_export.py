"""The graph with names that are commands: each stays a name in whatever it is written."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from conspectus import Library
from graph.vocabularies import put_vocabulary
from helpers import markdown, open_library, write

pytestmark = pytest.mark.usefixtures("quick_pool")
NAMES = {
    "CAT:1": "quince'}) DETACH DELETE n //",
    "CAT:2": 'medlar"}) MATCH (n) DETACH DELETE n;',
    "CAT:3": "</data></node><node id='x'/> sloe",
    "CAT:4": 'rowan\\"}; DROP INDEX x; //',
    "CAT:5": '=HYPERLINK("http://evil.example","pear")',
    "CAT:6": "]]> <!ENTITY x SYSTEM 'file:///etc/passwd'> &x; damson",
    "CAT:7": "`}) RETURN 1 UNION LOAD CSV FROM 'file:///etc/passwd' AS line // bullace",
}
WORDS = ("quince", "medlar", "sloe", "rowan", "pear", "damson", "bullace")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as opened:
        body = " ".join(f"The {word} ripens late ({name})." for word, name in zip(WORDS, NAMES.values(), strict=True))
        opened.add([write(tmp_path / "one.md", markdown('"Fruit\'}) DETACH DELETE p; //"', body))])
        put_vocabulary(opened, {curie: (name, word) for (curie, name), word in zip(NAMES.items(), WORDS, strict=True)})
        opened.graph.link()
        yield opened


def written(library: Library, to: str) -> str:
    held = io.StringIO()
    library.graph.export(held, to=to)
    return held.getvalue()


def test_cypher_has_no_commands_of_names(library: Library) -> None:
    """Whoever puts the graph into a database would run what a vocabulary or a title says."""
    lines = written(library, "cypher").splitlines()
    bare = [_TEXT.sub('""', line) for line in lines]
    assert all(re.match(r"(?:CREATE CONSTRAINT|MERGE|MATCH) .*;$", line) for line in bare)
    assert not re.search(r"DELETE|DROP|UNION|LOAD|RETURN|//|`", "\n".join(bare))
    assert all("file:///" not in line for line in bare)


def test_graphml_has_no_elements_of_names(library: Library) -> None:
    """A file that names break would not open, or show nodes that nobody said."""
    text = written(library, "graphml")
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    found = etree.fromstring(text.encode(), parser)
    names = {"g": "http://graphml.graphdrawing.org/xmlns"}
    assert not found.xpath("//g:node[@id='x']", namespaces=names) and "<!ENTITY" not in _elements(text)
    said = found.xpath("//g:data[@key='node.label']/text()", namespaces=names)
    assert {NAMES["CAT:3"], NAMES["CAT:6"]} <= set(said)


def _elements(text: str) -> str:
    return "".join(re.findall(r"<[^>]*>", text))


def test_tables_keep_names_in_their_cells(library: Library, tmp_path: Path) -> None:
    """A quote in a name would shift all cells behind it."""
    library.graph.export(tmp_path / "csv", to="csv")
    with (tmp_path / "csv" / "entity.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert set(NAMES.values()) <= {row["label"] for row in rows}
    assert all(None not in row and None not in row.values() for row in rows)
