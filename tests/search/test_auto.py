"""`auto`: the settings that suit a question are taken, shown, and no others."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core.errors import ConspectusError, UsageError
from conspectus.papers.retriever import make_retriever
from conspectus.records import Hit, Paper, Passage, SearchResult
from conspectus.search import search as module
from conspectus.search.router import adapt_settings, merge_results, nearness_to_question, route_question
from conspectus.settings import SearchSettings
from helpers import open_library, write_jsonl
from language_server import Say, request_text, serve_script

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
    topics = {hit.paper.external_id.split("-")[0] for hit in found.hits[:5]}
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
    single, consensus = route_question("What is the mass of the electron?"), route_question("Does moss damage walls?")
    assert single.suggested and single.suggested.rerank and consensus.suggested and not consensus.suggested.rerank
    assert adapt_settings(own, single, model=True)[0].reranker == "onnx:somewhere"
    assert adapt_settings(own, consensus, model=True)[0].reranker == "late"
    assert adapt_settings(own, consensus, model=True)[0].expand == "hyde"
    nothing = route_question("bcdfg")
    assert adapt_settings(own, nothing, model=True) == (own, "")


def test_settings_of_the_search_route_it_too(library: Library) -> None:
    """The rules would sort a question for which a model was named."""
    said = {"reason": "Chat.", "kind": "unclassified", "flags": [], "parts": []}
    with serve_script(lambda _: Say(object=said)) as server:
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
    found = merge_results(
        [empty, result(("x", 0.9, 0.1), ("y", 0.5, 0.4), note="Behind.", model="b")], 5, {"x": 1, "y": 1}
    )
    assert [hit.paper.id for hit in found.hits] == ["y", "x"]
    assert (found.note, found.models) == ("Behind.", ("a", "b"))
    assert merge_results([empty, empty], 5, {}).note == empty.note
    whole, part = result(("x", 0.9, 0.1)), result(("y", 0.5, 0.4), note="No name was found in the query.")
    assert merge_results([whole, part], 5, {}).note == ""


def test_a_part_far_from_the_question_does_not_lead(library: Library) -> None:
    """Each search has a best paper with a score near 1, also one that nothing fits."""
    question = "Do eels swim to the sea, and how do simulations compare with observations?"
    found = library.search(question, 20, auto=True)
    assert found.routing is not None and len(found.routing.parts) > 1
    assert {hit.paper.external_id.split("-")[0] for hit in found.hits[:10]} == {"eel"}
    assert all(0 <= hit.factors["whole"] <= 1 for hit in found.hits)
    retriever = make_retriever(library.session)
    near = nearness_to_question(retriever, "eels", [hit.paper for hit in library.search("eels moss", 40).hits])
    assert max(near.values()) == 1.0 and min(near.values()) < 0.9


def test_weights_that_were_set_stay() -> None:
    own = SearchSettings(citations=True)
    single = route_question("What is the mass of the electron?")
    assert single.suggested and not single.suggested.citations
    assert adapt_settings(own, single, model=False)[0].citations


def test_what_changes_nothing_is_said(library: Library) -> None:
    """The user would believe that papers were weighed which could not be."""

    def note(words: str, prefer: tuple[str, ...] = (), **settings: Any) -> str:
        return library.search(words, prefer=prefer, settings={f"search.{k}": v for k, v in settings.items()}).note

    assert "No citation counts are known" in note("moss", citations=True)
    assert "published" in note("moss", weighting="published")
    assert "(zebra)" in note("moss", prefer=("zebra",))
    assert "no name" in note("moss on walls", keywords=True)
    assert "need words" in note("year:1995..2000", mmr=0.5)
    assert note("moss", recency=True) == note("moss") == ""
    with pytest.raises(UsageError, match="empty"):
        library.search("moss", prefer=[" "])


def test_conditions_alone_list_the_newest_first(library: Library) -> None:
    found = library.search("-sea", settings={"search.mmr": 0.0})
    years = [hit.paper.year or 0 for hit in found.hits]
    assert years == sorted(years, reverse=True)


def test_a_library_of_no_more_papers_has_no_outliers(library: Library) -> None:
    found = library.search("moss eels", 40, settings={"search.outliers": True})
    assert len(found.hits) == 40 and "no more than these" in found.note


def test_models_count_in_the_time_taken(library: Library) -> None:
    def slowly(_: Any) -> Say:
        time.sleep(0.3)
        return Say(object={"abstracts": ["Moss grows."]})

    with serve_script(slowly) as server:
        found = library.search("moss", settings={"language.model": server.url, "search.expand": "hyde"})
        assert found.took >= 0.3 and found.expansions == ("Moss grows.",)


def test_titles_that_show_the_style_pass_the_conditions(library: Library) -> None:
    """Papers that were excluded would be written after."""
    with serve_script(lambda _: Say(object={"abstracts": ["Moss."]})) as server:
        library.search("moss -eels year:1995..1996", settings={"language.model": server.url, "search.expand": "hyde"})
        shown = request_text(server.requests[0])
        assert "Moss, part 5" in shown and "Moss, part 9" not in shown and "Eels, part" not in shown


def test_what_cannot_be_is_said_before_a_model_is_paid(library: Library) -> None:
    with serve_script(lambda _: Say(object={"abstracts": ["Moss."]})) as server:
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
    assert "too few papers" in few.note and not any(hit.outlying and hit.outlying.outlier for hit in few.hits)


@pytest.mark.parametrize("auto", [False, True])
def test_a_paper_that_another_removes_meanwhile_is_still_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, auto: bool
) -> None:
    """What a search has found at one moment is its result; how far a paper is that has gone nobody can say."""
    searched = module.search_papers

    def meanwhile(*given: Any) -> SearchResult:
        found = searched(*given)
        with open_library(tmp_path / "library") as other:
            other.remove(found.hits[0].paper.id)
        return found

    with open_library(tmp_path / "library") as library:
        library.add(write_jsonl(tmp_path / "records.jsonl", RECORDS))
        monkeypatch.setattr(module, "search_papers", meanwhile)
        question = "What is the difference between the swimming of eels and the growth of moss?"
        found = library.search(question, auto=auto, settings={"search.outliers": True})
        gone = [hit.outlying for hit in found.hits if not library.session.catalog.has_paper(hit.paper.id)]
        assert auto or len(gone) == 1, "of several searches merged it may be none of the best: it is near to nothing"
        assert all(one and one.distance is None and not one.outlier for one in gone)
        assert sum(1 for hit in found.hits if hit.outlying and hit.outlying.distance) == len(found.hits) - len(gone) > 0
