"""The tools, asked by the protocol's own client."""

import asyncio
import json
import os
import sys
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.types import CallToolResult, TextContent

from conspectus import Library
from conspectus.mcp.server import create
from conspectus_evaluations.simulator import Simulator
from graph.vocabularies import put_vocabulary
from helpers import markdown, open_library, write, write_jsonl
from mcp import Client, StdioServerParameters

RECORDS = [
    {
        "id": "p0",
        "title": "Grid cells",
        "year": 2005,
        "abstract": "Grid cells fire on a hexagonal lattice.",
    },
    {"id": "p1", "title": "Place cells", "year": 1971, "abstract": "Place cells fire in one place of the arena."},
]


@pytest.fixture
def library(tmp_path: Path, quick_pool: None) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", RECORDS))
        yield library


def call(library: Library, tool: str, allow_add: bool = False, **given: Any) -> CallToolResult:
    async def run() -> CallToolResult:
        async with Client(create(library, allow_add=allow_add)) as client:
            return await client.call_tool(tool, given)

    return asyncio.run(run())


def said(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


def text(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


def test_each_tool_says_what_it_gives(library: Library) -> None:
    """A model would have to guess what to ask for."""

    async def listed() -> list[Any]:
        async with Client(create(library)) as client:
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in asyncio.run(listed())}
    assert set(tools) == {
        "cite",
        "collections",
        "highlights",
        "search",
        "figures",
        "similar",
        "graph",
        "entity",
        "discover",
        "paragraphs",
        "hypotheses",
        "map",
        "gaps",
        "trends",
        "impact",
        "directions",
        "explain",
        "get_paper",
        "get_passage",
        "ask",
        "consensus",
        "ranking",
        "review_table",
        "screen_next",
        "screen_status",
        "reviews",
    }
    assert all(tool.description and tool.output_schema["properties"] for tool in tools.values())


def test_services_are_asked_only_where_the_user_allows_it(library: Library) -> None:
    """A model would send the user's questions to services that the user has not allowed."""
    works = [{"title": "Grid cells online", "abstract": "Of grid cells.", "authors": ["Ada Moser"], "year": 2012,
              "doi": "10.1000/online", "pmid": "77"}]  # fmt: skip
    with Simulator(works) as world:
        flags = {name.replace(".", "__"): value for name, value in world.settings.items()}
        for allowed in (False, True):
            with open_library(library.folder, **{**flags, "sources__online": allowed}) as opened:
                result = call(opened, "find_online", words="grid cells", from_services=["europepmc"])
                assert result.is_error != allowed and bool(world.requests) == allowed
        assert [one["paper"]["doi"] for one in said(result)["results"]] == ["10.1000/online"]
        assert "Grid cells online" in text(result) and said(result)["added"] is None
        with open_library(library.folder, **flags) as opened:
            assert call(opened, "find_online", words="grid", add=True).is_error


def test_figures_come_with_their_pictures(library: Library) -> None:
    """A model that sees could only read captions."""
    library.add(Path(__file__).resolve().parents[2] / "examples" / "papers" / "action-potential.pdf")
    result = call(library, "figures", query="membrane potential", k=1)
    (figure,) = (hit["figure"] for hit in said(result)["hits"])
    assert figure["label"] == "Figure 1" and figure["page"] == 1 and figure["mentions"]
    (picture,) = [part for part in result.content if part.type == "image"]
    assert picture.mime_type == "image/png" and b64decode(picture.data).startswith(b"\x89PNG")
    assert said(call(library, "figures", query="membrane", only=["table"]))["hits"] == []


def test_a_search_leads_to_the_sentences(library: Library) -> None:
    """A model would quote what it cannot look up."""
    result = call(library, "search", query="hexagonal lattice", k=1)
    (hit,) = said(result)["hits"]
    assert hit["paper"]["title"] == "Grid cells" and "hexagonal" in text(result)
    links = [part.uri for part in result.content if part.type == "resource_link"]
    assert links == [f"conspectus://paper/{hit['paper']['id']}"]
    passage = said(call(library, "get_passage", id=hit["passage"]["spans"][0]["id"]))
    assert passage["passage_id"] == hit["passage"]["id"] and passage["sentences"][0]["text"] in passage["text"]
    paper = said(call(library, "get_paper", paper="Grid cells"))
    assert paper["year"] == 2005 and paper["passages"][0]["id"] == hit["passage"]["id"] and paper["more"] == 0
    assert said(call(library, "similar", papers=["p0"], k=1))["hits"][0]["paper"]["title"] == "Place cells"
    assert not said(call(library, "search", query="cells", year="1990..1991"))["hits"]


def test_the_graph_leads_to_sentences(library: Library) -> None:
    """A model would tell of relations that no paper speaks of."""
    put_vocabulary(library, {"X:1": ("grid cells",), "X:2": ("lattice",), "X:3": ("arena",)})
    library.graph.link()
    result = call(library, "graph", entities=["lattice"])
    (edge,) = said(result)["edges"]
    assert {edge["source"], edge["target"]} == {"X:1", "X:2"} and edge["kind"] == "co-mention"
    (quote,) = edge["examples"]
    assert quote["quote"] in text(result) and quote["quote"] == "Grid cells fire on a hexagonal lattice."
    assert said(call(library, "get_passage", id=quote["spans"][0]["id"]))["passage_id"] == quote["passage_id"]
    assert said(call(library, "graph", entities=["grid cells", "arena"]))["paths"] == []
    assert call(library, "graph", entities=["nothing"]).is_error
    shown = call(library, "entity", name="LATTICE")
    assert said(shown)["names"] == ["lattice"] and said(shown)["edges"] == [edge]
    assert said(shown)["entity"]["sentences"] == 1
    assert quote["quote"] in text(shown) and "lattice [X:2]" in text(shown)


def test_a_suggestion_is_told_as_no_finding_with_its_sentences(library: Library, tmp_path: Path) -> None:
    """A model would pass on as found what no paper says, and could not say by what it is suggested."""
    said_of = {"one": ("Migraine comes with vasospasm.", "1980"), "two": ("Magnesium prevents vasospasm.", "1984")}
    said_of |= {"three": ("Magnesium helps in migraine.", "1989")}
    papers = {name: markdown(name.title(), words, year=year) for name, (words, year) in said_of.items()}
    library.add([write(tmp_path / f"{name}.md", words) for name, words in papers.items()])
    put_vocabulary(library, {"M:1": ("migraine",), "M:2": ("magnesium",), "M:3": ("vasospasm",)})
    library.graph.link()
    result = call(library, "discover", entity="migraine", until=1987)
    (one,) = said(result)["pairs"]
    assert (one["source"], one["target"]) == ("M:1", "M:2") and one["later"]["year"] == 1989
    (bridge,) = one["paths"]
    assert [quote["quote"] for hop in bridge["hops"] for quote in hop["examples"]] == [
        words for words, year in said_of.values() if year < "1987"
    ]
    told = text(result)
    assert (
        told.splitlines()[1].startswith("No sentence was found that names both.")
        and "May be worth looking into" in told
    )
    assert all(words in told for words, _ in said_of.values())
    assert "No candidates" in text(call(library, "discover", entity="vasospasm", until=1987))
    assert call(library, "discover", entity="nothing").is_error


def test_a_paper_is_a_resource(library: Library) -> None:
    """The links would lead nowhere."""

    async def read() -> str:
        async with Client(create(library)) as client:
            found = await client.read_resource(f"conspectus://paper/{library.paper('p0').id}")
            content: Any = found.contents[0]
            return str(content.text)

    assert json.loads(asyncio.run(read()))["paper"]["title"] == "Grid cells"


def test_an_answer_has_its_quotes(library: Library) -> None:
    """A model would be told what no paper says."""
    result = call(library, "ask", question="Do grid cells fire on a hexagonal lattice?")
    found = said(result)
    assert found["answered"] and "hexagonal" in found["statements"][0]["citations"][0]["quote"]
    assert found["statements"][0]["citations"][0]["span_ids"] and "hexagonal" in text(result)
    none = call(library, "ask", question="Who won the football match of 1954?")
    assert not said(none)["answered"] and text(none).startswith("Not answered:")


def test_an_answer_comes_with_the_figures_it_rests_on(library: Library) -> None:
    """A model that sees could only read captions."""
    library.add(Path(__file__).resolve().parents[2] / "examples" / "papers" / "action-potential.pdf")
    result = call(library, "ask", question="Which figure shows the membrane potential?")
    figure = said(result)["figures"][0]
    assert figure["label"] == "Figure 1" and figure["by"] == "mention" and figure["id"] in text(result)
    assert figure["span_ids"][0] in said(result)["statements"][0]["citations"][0]["span_ids"]
    assert [part.mime_type for part in result.content if part.type == "image"] == ["image/png"]
    assert figure["reading"] == ""
    refused = call(library, "ask", question="Which figure shows the membrane potential?", read_figures=True)
    assert refused.is_error and "language.vision" in text(refused)


def test_progress_is_told(library: Library) -> None:
    """A host would think that nothing happens, and give up."""
    told: list[tuple[float, str]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message or ""))

    async def run() -> None:
        async with Client(create(library)) as client:
            await client.call_tool(
                "ask", {"question": "Do grid cells fire on a hexagonal lattice?"}, progress_callback=hear
            )

    asyncio.run(run())
    assert [number for number, _ in told] == sorted({number for number, _ in told})
    assert any("hexagonal" in message for _, message in told)


@pytest.mark.parametrize(
    ("tool", "given", "why"),
    [
        ("search", {"query": ""}, "nothing to search for"),
        ("search", {"query": "cells", "year": "20x"}, "is not a year"),
        ("get_paper", {"paper": "nobody"}, "no paper 'nobody'"),
        ("get_passage", {"id": "x.1"}, "no sentence"),
        ("consensus", {"question": "Do cats purr?"}, "language model"),
        ("similar", {}, "nothing to compare"),
    ],
)
def test_failures_are_errors_with_remedies(library: Library, tool: str, given: dict[str, Any], why: str) -> None:
    """A model would take a failure for an empty library, and say that nothing is known."""
    result = call(library, tool, **given)
    assert result.is_error and why in text(result)


@pytest.mark.parametrize(
    ("tool", "given", "told"),
    [
        ("search", {"query": "cells", "k": 5000}, "`k`: Input should be less than or equal to 1000; given was 5000."),
        ("search", {}, "`query`: Field required.\nWhat `query` is: Words or a question"),
        ("ask", {"question": "Do they?", "depth": "deepest"}, "`depth`: Input should be 'quick', 'standard' or"),
        ("figures", {"only": ["x"]}, "`only.0`: Input should be 'figure', 'table', "),
        ("search", {"query": "cells", "yeer": "2000"}, "`search` has no argument `yeer`. The nearest is `year`."),
    ],
)
def test_wrong_arguments_are_told_with_what_they_may_be(
    library: Library, tool: str, given: dict[str, Any], told: str
) -> None:
    """A model would read of classes of this program and of a website, or have its filter passed over."""
    result = call(library, tool, **given)
    assert result.is_error and text(result).startswith(told)
    assert "pydantic" not in text(result) and "validation error" not in text(result)


def test_adding_has_to_be_allowed(library: Library, tmp_path: Path) -> None:
    """A model would read any file of the machine into the library."""
    place = write_jsonl(tmp_path / "b.jsonl", [{"id": "new", "title": "Eels", "abstract": "Eels swim."}])
    assert call(library, "add", paths=[str(place)]).is_error
    missing = call(library, "add", allow_add=True, paths=[str(place), str(tmp_path / "nothing.pdf")])
    assert missing.is_error and "nothing.pdf" in text(missing) and "absolute" in text(missing)
    report = said(call(library, "add", allow_add=True, paths=[str(place)]))
    assert report["added"] == [str(place)] and library.paper("new").title == "Eels"


@pytest.mark.parametrize("path", ["x" * 5000, "a\0b", "/nowhere/a.pdf"])
def test_a_path_that_cannot_be_is_named(library: Library, path: str) -> None:
    """Else a model reads that the tool failed, and not why."""
    assert "There is no " in text(call(library, "add", allow_add=True, paths=[path]))


def test_over_standard_input(library: Library) -> None:
    """The command that hosts run would answer with something else than the protocol."""
    folder = str(library.folder)
    library.close()
    environment = {**os.environ, "CONSPECTUS_LIBRARY": folder}
    server = StdioServerParameters(command=sys.executable, args=["-m", "conspectus", "mcp"], env=environment)

    async def run() -> dict[str, Any]:
        async with Client(server) as client:
            return said(await client.call_tool("get_paper", {"paper": "p0"}))

    assert asyncio.run(run())["title"] == "Grid cells"


def test_tools_keep_to_tags_and_collections(library: Library) -> None:
    """A user who has chosen papers would be answered from all of them."""
    library.collections.tag("to read", "p0")
    library.collections.add("Arena", "p1")

    def found(tool: str, **given: Any) -> list[str]:
        return [hit["paper"]["title"] for hit in said(call(library, tool, **given))["hits"]]

    assert found("search", query="cells fire", tag=["to read"]) == ["Grid cells"]
    assert found("search", query="cells fire", collection=["arena"]) == ["Place cells"]
    assert found("similar", text="cells fire", collection=["Arena"]) == ["Place cells"]
    answer = said(call(library, "ask", question="Where do place cells fire?", tag=["to read"]))
    assert "Place cells" not in json.dumps(answer)
    assert call(library, "ask", question="Where do cells fire?", collection=["never"]).is_error


SUBJECTS = {"marsupials": "quokkas hop at night", "stars": "dwarf stars cool", "bread": "sourdough rises slowly"}


def test_the_map_tells_what_the_library_is_about(tmp_path: Path, quick_pool: None) -> None:
    """A model would have to guess what the papers are of, and what nobody has put together."""
    papers = [
        {
            "id": f"{name}{n}",
            "title": f"{name} study {n}",
            "abstract": f"{text}, as {name} {n} shows.",
            "year": 2000 + n,
        }
        for name, text in SUBJECTS.items()
        for n in range(20)
    ]
    with open_library(tmp_path / "lib", atlas__method="pca") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", papers))
        for tool in ("map", "gaps"):
            refused = call(library, tool)
            assert refused.is_error and "no map" in text(refused) and "map build" in text(refused)
        library.map.build()
        shown = call(library, "map", level=0, overlay="keyword:dwarf stars")
        topics = said(shown)["topics"]
        assert sum(one["papers"] for one in topics) == 60 and {len(one["typical"]) for one in topics} == {5}
        assert sum(one["value"] * one["papers"] for one in topics) == pytest.approx(20, abs=0.1)
        assert all(one["region"]["name"] in text(shown) for one in topics) and "dwarf stars" in said(shown)["meaning"]
        assert all(one["typical"][0]["id"] in text(shown) for one in topics), "get_paper needs an id"
        within = said(call(library, "map", region=topics[0]["region"]["id"]))["topics"]
        assert within[0]["region"] == topics[0]["region"]
        assert {one["region"]["parent"] for one in within[1:]} == {topics[0]["region"]["id"]}
        gaps = said(call(library, "gaps", k=2))["regions"]
        assert len(gaps) == 2 and all(
            gap["papers_since_review"] == gap["papers"] and not gap["reviews"] for gap in gaps
        )
        trend = said(call(library, "trends", words="dwarf stars"))
        assert trend["papers"] == 20 and len(trend["years"]) == 20
        assert said(call(library, "impact", words="dwarf stars"))["spread"] < 3
        assert said(call(library, "trends", topic=gaps[0]["id"]))["papers"] == gaps[0]["papers"]
        assert call(library, "map", region=10**6).is_error and call(library, "map", overlay="weather").is_error
        assert call(library, "impact", words="nowhere said").is_error
        early = said(call(library, "map", level=0, overlay="keyword:dwarf stars", year="2005..2009"))["topics"]
        assert sum(one["papers"] for one in early) == 15
        assert sum(one["value"] * one["papers"] for one in early if one["papers"]) == pytest.approx(5, abs=0.1)
        assert "typical" not in text(call(library, "map", year="1900"))
        gaps = said(call(library, "gaps", year="2005..2009", k=50))["regions"]
        assert sum(gap["papers"] for gap in gaps) == 15 and 2005 <= gaps[0]["newest"][0]["year"] <= 2009
        assert said(call(library, "trends", words="dwarf stars", year="2005..2009"))["papers"] == 5
        spread = said(call(library, "impact", words="dwarf stars", year="2005..2009"))
        assert sum(one["papers"] for one in spread["regions"]) == 5
        assert call(library, "gaps", year="soon").is_error
