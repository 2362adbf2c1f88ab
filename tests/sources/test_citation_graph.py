"""The works around papers by citations: from lists of references, and from services that know citations."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from lxml import etree

from conspectus import Library
from conspectus.cli.app import app
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.text import line
from conspectus.records.sources import CitationGraph
from conspectus.sources.citation_graph import write_graph
from conspectus.wire.encode import body
from conspectus_evaluations.simulator import Faults, Simulator
from helpers import open_library


def paper(name: str, year: int, *cites: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "title": f"Firing of cells in field {name}",
        "abstract": f"We recorded the cells of field {name}.",
        "authors": [f"Ada {name.capitalize()}"],
        "year": year,
        "doi": f"10.1000/{name}",
        "references": [f"10.1000/{other}" for other in cites],
        **more,
    }


PAPERS = (
    paper("old", 1990),
    paper("seed", 2000, "old", "lacking", "alone"),
    paper("late", 2010, "seed", "lacking", "shared"),
    paper("like", 2001, "old", "lacking", "shared"),
    paper("other", 2001),
)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    lines = "\n".join(json.dumps(one) for one in PAPERS)
    (tmp_path / "papers.jsonl").write_text(f"{lines}\n", "utf-8")
    with open_library(tmp_path / "lib") as opened:
        opened.add([tmp_path / "papers.jsonl"])
        yield opened


def relations(graph: CitationGraph) -> dict[str, str]:
    """Short name -> what the work is to the seeds."""
    return {_short(graph, node.id): node.relation for node in graph.nodes}


def edges(graph: CitationGraph) -> set[tuple[str, str]]:
    return {(_short(graph, edge.source), _short(graph, edge.target)) for edge in graph.edges}


def _short(graph: CitationGraph, name: str) -> str:
    node = next(node for node in graph.nodes if node.id == name)
    return (node.title or node.id.rpartition("/")[2]).split()[-1]


CASES: tuple[tuple[tuple[str, ...], int, Mapping[str, str]], ...] = (
    (
        ("10.1000/seed",),
        40,
        {"seed": "seed", "old": "earlier", "late": "later", "like": "near"}
        | {"lacking": "earlier", "alone": "earlier", "shared": "earlier"},
    ),
    (("10.1000/seed",), 1, {"seed": "seed"}),
    (("10.1000/other",), 40, {"other": "seed"}),
    (
        ("10.1000/like", "10.1000/late"),
        40,
        {
            "like": "seed",
            "late": "seed",
            "old": "earlier",
            "seed": "earlier",
            "lacking": "earlier",
            "shared": "earlier",
        },
    ),
)


@pytest.mark.parametrize(("seeds", "k", "expected"), CASES)
def test_works_around_papers(library: Library, seeds: tuple[str, ...], k: int, expected: Mapping[str, str]) -> None:
    """A reader could not tell what a paper stands on from what came of it."""
    assert relations(library.sources.graph(seeds, k=k)) == expected


def test_edges_lead_from_the_citing_work_to_the_cited(library: Library) -> None:
    """Arrows the wrong way round turn history upside down."""
    graph = library.sources.graph("10.1000/seed")
    assert edges(graph) == {
        *(("seed", name) for name in ("old", "lacking", "alone")),
        *(("late", name) for name in ("seed", "lacking", "shared")),
        *(("like", name) for name in ("old", "lacking", "shared")),
    }


def test_a_work_of_which_only_a_name_is_known_gets_no_other(library: Library) -> None:
    """A title that nobody wrote would be believed."""
    graph = library.sources.graph("10.1000/seed")
    lacking = next(node for node in graph.nodes if node.id == "doi:10.1000/lacking")
    assert (lacking.title, lacking.byline, lacking.year, lacking.in_library) == ("", "", None, False)
    assert lacking.link == "https://doi.org/10.1000/lacking" and lacking.links == 3
    assert graph.nodes.index(lacking) < next(
        at for at, node in enumerate(graph.nodes) if node.id == "doi:10.1000/alone"
    )


def test_what_there_is_no_room_for_is_counted(library: Library) -> None:
    """A part of the graph would look like the whole."""
    graph = library.sources.graph("10.1000/seed", k=4)
    assert len(graph.nodes) == 4 and graph.left_out == 2
    assert {node.in_library for node in graph.nodes[1:]} == {True, False}


def test_a_paper_that_the_library_lacks_is_no_seed(library: Library) -> None:
    """An empty graph would be taken for a paper without citations."""
    with pytest.raises(NotFoundError):
        library.sources.graph("10.1000/nobody")


def test_the_list_on_a_terminal(library: Library) -> None:
    """On a command line the parts have to be told from each other."""
    shown = CliRunner().invoke(app, ["--library", str(library.folder), "sources", "graph", "10.1000/seed"])
    assert shown.exit_code == 0, shown.output
    cells = [line.split("\t") for line in shown.output.splitlines()]
    assert cells[0][0] == "seed" and ["earlier", "doi:10.1000/lacking", "", "", "", "3"] in cells


HOSTILE = "=HYPERLINK(1) <b>&\"'\x1b[31m]]></data>\u202e\ufffe; , \n end"


def test_the_graph_as_files(library: Library, tmp_path: Path) -> None:
    """Gephi, pandas and a spreadsheet would get another graph, or a title would be markup or a formula to them."""
    paths = {kind: tmp_path / f"graph.{kind}" for kind in ("json", "graphml", "csv")}
    graph = library.sources.graph("10.1000/seed", output=str(paths["csv"]))
    place = next(place for place, node in enumerate(graph.nodes) if node.year == 2010)
    assert paths["csv"].read_text("utf-8").count("\n") == 1 + len(graph.nodes)
    nodes = [*graph.nodes[:place], replace(graph.nodes[place], title=HOSTILE), *graph.nodes[place + 1 :]]
    graph = replace(graph, nodes=tuple(nodes))
    for path in paths.values():
        write_graph(graph, str(path))
    made = json.loads(paths["json"].read_text("utf-8"))
    assert made == {"schema": "conspectus.sources.graph/1", **json.loads(json.dumps(body(graph)))}
    parsed = etree.parse(paths["graphml"])
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    written = parsed.findall(".//g:node", space)
    assert [node.get("id") for node in written] == [node.id for node in graph.nodes]
    assert [(edge.get("source"), edge.get("target")) for edge in parsed.findall(".//g:edge", space)] == [
        (edge.source, edge.target) for edge in graph.edges
    ]
    said = {data.get("key"): data.text for data in written[place]}
    assert said["title"] == line(HOSTILE) and "]]></data>" in said["title"]
    assert (said["in_library"], said["links"]) == ("true", str(graph.nodes[place].links))
    rows = list(csv.DictReader(paths["csv"].read_text("utf-8").splitlines()))
    assert [row["id"] for row in rows] == [node.id for node in graph.nodes]
    assert rows[place]["title"].startswith("'=HYPERLINK") and graph.nodes[0].id in rows[place]["cites"].split("; ")
    with pytest.raises(UsageError, match="format"):
        library.sources.graph("10.1000/seed", output=str(tmp_path / "graph.docx"))


@pytest.fixture
def world() -> Iterator[Simulator]:
    online = [
        paper("seed", 2000, "root", "old"),
        paper("root", 1985, citation_count=321),
        paper("old", 1990),
        *(paper(f"new{number}", 2015, "seed", "root") for number in range(3)),
        paper("late", 2010, "seed"),
    ]
    works = [{**one, "pmid": str(500 + number)} for number, one in enumerate(online)]
    with Simulator(works) as simulator:
        yield simulator


@pytest.fixture
def asking(tmp_path: Path, world: Simulator, library: Library) -> Iterator[Library]:
    flags = {name.replace(".", "__"): value for name, value in world.settings.items()} | {"sources__online": False}
    with open_library(library.folder, **flags) as opened:
        yield opened


def test_services_add_what_lists_of_references_lack(asking: Library, world: Simulator) -> None:
    """The works that cite a paper are in no file of it."""
    assert not world.requests and "new0" not in relations(asking.sources.graph("10.1000/seed"))
    assert not world.requests
    before = asking.counts()
    graph = asking.sources.graph("10.1000/seed", online=True)
    found = relations(graph)
    assert {name: found[name] for name in ("root", "new0", "new1", "new2", "late", "old")} == {
        **dict.fromkeys(("new0", "new1", "new2", "late"), "later"),
        **dict.fromkeys(("root", "old"), "earlier"),
    }
    assert {("new0", "seed"), ("seed", "root"), ("late", "seed")} <= edges(graph)
    root = next(node for node in graph.nodes if node.id == "doi:10.1000/root")
    assert (root.year, root.byline, root.citation_count, root.counted_by) == (1985, "Root", 321, "europepmc")
    assert root.counted > "2020" and not graph.failed
    assert sum(name == "seed" for name in map(str, found)) == 1
    assert asking.counts() == before, "nothing is added"


def test_a_service_that_is_away_is_named(asking: Library, world: Simulator, quick_retries: None) -> None:
    """Half of a graph would look like the whole."""
    world.faults = Faults(error_share=1.0)
    graph = asking.sources.graph("10.1000/seed", online=True)
    assert graph.failed and "lacking" in relations(graph)


def test_a_count_has_its_date_and_its_source(asking: Library) -> None:
    """Counts of different services and years cannot be compared."""
    asking.add(["doi:10.1000/root"], online=True)
    root = asking.paper("10.1000/root")
    assert root.citation_count == 321 and root.extra["counted_by"] and root.extra["counted"] > "2020"
    shown = CliRunner().invoke(app, ["--library", str(asking.folder), "show", "10.1000/root"])
    assert f"cited 321 times (Crossref, {root.extra['counted']})" in shown.output
    asking.edit(root.id, {"citation_count": 7})
    assert "counted" not in asking.paper(root.id).extra
