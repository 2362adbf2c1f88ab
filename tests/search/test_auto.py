"""`auto`: the settings that suit a question are taken, shown, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.errors import ConspectusError, UsageError
from conspectus.records import Hit, Paper, Passage, SearchResult
from conspectus.search.route import route
from conspectus.search.suited import merged, suited
from conspectus.settings import SearchSettings
from helpers import open_library, write_jsonl
from language_server import Say, scripted

PAPER = Paper(id="p")
PASSAGE = Passage("p.a", "p", "abstract", "", "Moss.", ())

RECORDS: list[dict[str, Any]] = [
    {"id": f"eel-{n}", "title": f"Eels, part {n}", "abstract": f"Eels swim to the sea, {n}.", "year": 1990 + n}
    for n in range(20)
] + [
    {"id": f"moss-{n}", "title": f"Moss, part {n}", "abstract": f"Moss grows on walls, {n}.", "year": 1990 + n}
    for n in range(20)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("auto")
    with open_library(home / "library") as made:
        made.add(write_jsonl(home / "records.jsonl", RECORDS))
    return home / "library"


@pytest.fixture
def library(folder: Path) -> Iterator[Library]:
    with open_library(folder) as opened:
        yield opened


def test_what_is_suggested_is_taken(library: Library) -> None:
    found = library.search("Does moss damage walls?", auto=True)
    assert found.routing is not None and found.routing.kind == "consensus"
    assert len(found.hits) == 20  # Table 1: 15 to 20 papers, citations and no recency
    assert "citations" in found.hits[0].factors and "recency" not in found.hits[0].factors
    assert "needs a language model" in found.note


def test_what_is_asked_for_goes_before(library: Library) -> None:
    found = library.search("Does moss damage walls?", 3, auto=True, settings={"search.expand": "feedback"})
    assert len(found.hits) == 3
    assert "feedback" in found.method and "needs a language model" not in found.note


def test_without_auto_it_is_only_shown(library: Library) -> None:
    plain = library.search("Does moss damage walls?")
    assert plain.routing is not None and plain.routing.kind == "consensus"
    assert len(plain.hits) == 10
    assert "citations" not in plain.hits[0].factors


def test_sub_questions_are_searched_apart_and_merged(library: Library) -> None:
    """A question with two halves finds papers on both, though one half has the better words."""
    question = "What is the difference between the swimming of eels and the growth of moss?"
    found = library.search(question, auto=True)
    assert found.routing is not None and found.routing.kind == "compositional"
    assert len(found.routing.parts) > 1
    topics = {hit.paper.external_id.split("-")[0] for hit in found.hits[: len(found.routing.parts) + 1]}
    assert topics == {"eel", "moss"}
    assert len({hit.paper.id for hit in found.hits}) == len(found.hits)
    assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    assert len({hit.factors["part"] for hit in found.hits}) > 1
    assert "sub-questions apart" in found.method


def test_names_in_the_question_are_keywords(library: Library, tmp_path: Path) -> None:
    records = [
        {"id": "with", "title": "One", "abstract": "Galaxies in a deep field.", "keywords": ["JWST"]},
        {"id": "without", "title": "Two", "abstract": "Galaxies in a deep field as well.", "keywords": ["Hubble"]},
    ]
    with open_library(tmp_path / "library") as made:
        made.add(write_jsonl(tmp_path / "records.jsonl", records))
        found = made.search("Which galaxies did JWST see?", settings={"search.keywords": True})
        assert {hit.paper.external_id: hit.factors["keywords"] for hit in found.hits} == {"with": 1, "without": 0}
        assert (
            "keywords"
            not in made.search("Which galaxies are deep?", settings={"search.keywords": True}).hits[0].factors
        )


def test_a_reranker_that_is_set_is_used_where_suggested() -> None:
    own = SearchSettings(reranker="onnx:somewhere")
    single, consensus = route("What is the mass of the electron?"), route("Does moss damage walls?")
    assert single.suggested and single.suggested.rerank and consensus.suggested and not consensus.suggested.rerank
    assert suited(own, single, model=True)[0].reranker == "onnx:somewhere"
    assert suited(own, consensus, model=True)[0].reranker == "late"
    assert suited(own, consensus, model=True)[0].expand == "hyde"
    nothing = route("bcdfg")
    assert suited(own, nothing, model=True) == (own, "")


def test_settings_of_the_search_route_it_too(library: Library) -> None:
    """The rules would sort a question for which a model was named."""
    said = {"reason": "Chat.", "kind": "unclassified", "flags": [], "parts": []}
    with scripted(lambda _: Say(object=said)) as server:
        settings = {"language.model": server.url}
        found = library.search("Does moss damage walls?", auto=True, settings=settings)
        assert found.routing is not None and found.routing.kind == "unclassified"
        assert len(server.requests) == 1


def test_merged_searches_keep_diversity_notes_and_models() -> None:
    """With `mmr` the order is that of marginal relevance; one part without hits does not say that nothing was found."""

    def result(*hits: tuple[str, float, float], note: str = "", model: str = "") -> SearchResult:
        made = tuple(
            Hit(rank, score, {"mmr": mmr}, replace(PAPER, id=name), PASSAGE)
            for rank, (name, score, mmr) in enumerate(hits, 1)
        )
        return SearchResult("q", made, "by", (model,), 1.0, note)

    empty = result(note="No passage passes year:1900.", model="a")
    found = merged([empty, result(("x", 0.9, 0.1), ("y", 0.5, 0.4), note="Behind.", model="b")], 5)
    assert [hit.paper.id for hit in found.hits] == ["y", "x"]
    assert (found.note, found.models, found.took) == ("Behind.", ("a", "b"), 2.0)
    assert merged([empty, empty], 5).note == empty.note


def test_what_cannot_be_is_said_before_a_model_is_paid(library: Library) -> None:
    with scripted(lambda _: Say(object={"abstracts": ["Moss."]})) as server:
        settings = {"language.model": server.url, "search.expand": "hyde"}
        with pytest.raises(UsageError, match="k must be at least 1"):
            library.search("moss", 0, settings=settings)
        with pytest.raises(UsageError, match="cannot be 'all'"):
            library.search("moss", use="all", settings=settings)  # type: ignore[arg-type]
        assert not server.requests


def test_what_ranks_nothing_needs_no_reranker(folder: Path) -> None:
    """A key that is not there would stop a count."""
    with open_library(folder, search__reranker="onnx:nowhere") as library:
        assert library.count("moss").papers == 20
        assert library.similar(text="Moss on a wall").hits
        with pytest.raises(ConspectusError, match="nowhere"):
            library.search("moss")


def test_outliers_are_said_where_asked_for(library: Library) -> None:
    assert {hit.outlying for hit in library.search("moss").hits} == {None}
    found = library.search("moss", settings={"search.outliers": True}).hits
    assert all(hit.outlying and hit.outlying.distance is not None and hit.outlying.cut for hit in found)
    few = library.search("moss", 2, settings={"search.outliers": True})
    assert "cannot be said of so few" in few.note and not any(hit.outlying and hit.outlying.outlier for hit in few.hits)
