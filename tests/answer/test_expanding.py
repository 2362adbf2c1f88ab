"""Searching by what a language model writes (F5): the question reaches it, and what it wrote is shown and not cited."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core.errors import ModelAnswerError, UnavailableError, UsageError
from conspectus.records.events import Notice
from helpers import open_library, write_jsonl
from language_server import LanguageServer, request_text, serve_script
from oracle import read_each

pytestmark = pytest.mark.usefixtures("quick_pool")

RECORDS: list[dict[str, Any]] = [
    {"id": "eels", "title": "Where eels go", "abstract": "Eels swim to the Sargasso sea to spawn."},
    {"id": "moss", "title": "Moss on walls", "abstract": "Moss grows on shaded walls in damp towns."},
]
QUESTION = "How do slippery fish reproduce?"
WRITTEN = "Moss grows on shaded walls in damp towns."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with open_library(tmp_path / "library") as made:
        made.add(write_jsonl(tmp_path / "records.jsonl", RECORDS))
    return tmp_path / "library"


@pytest.fixture
def server() -> Iterator[LanguageServer]:
    def answer(request: dict[str, Any]) -> dict[str, Any]:
        texts = [WRITTEN]
        return {"abstracts": texts} if "abstract of a paper" in request_text(request) else {"phrasings": texts}

    with serve_script(answer) as running:
        yield running


def asked(library: Library, server: LanguageServer, way: str, **more: Any) -> Any:
    return library.search(QUESTION, settings={"language.model": server.url, "search.expand": way, **more})


@pytest.mark.parametrize("way", ["hyde", "rephrase"])
def test_the_question_reaches_the_prompt(folder: Path, server: LanguageServer, way: str) -> None:
    """A template that never receives the question is one of the known mistakes."""
    with open_library(folder) as library:
        found = asked(library, server, way)
    assert QUESTION in request_text(server.requests[0])
    assert found.expansions == (WRITTEN,)
    assert found.hits[0].paper.external_id == "moss"
    assert "scripted" in found.models[-1]
    assert {"cosine", "expanded"} <= set(found.hits[0].factors)
    assert found.hits[0].factors["expanded"] > found.hits[0].factors["cosine"]


def test_the_style_is_that_of_the_library(folder: Path, server: LanguageServer) -> None:
    with open_library(folder) as library:
        asked(library, server, "hyde", **{"search.conclusion": True})
    said = request_text(server.requests[0])
    assert "Where eels go" in said
    assert "conclusion" in said


def test_the_same_is_not_asked_twice(folder: Path, server: LanguageServer) -> None:
    """Each search would cost again; and a paper that is removed takes what was written near its title along."""
    with open_library(folder) as library:
        first, again = asked(library, server, "hyde"), asked(library, server, "hyde")
        assert first.expansions == again.expansions
        assert len(server.requests) == 1
        library.remove("eels")
        asked(library, server, "hyde")
    assert len(server.requests) == 2


def test_without_a_model_it_is_refused(folder: Path) -> None:
    """A search that does something else than was asked for would be a silent substitute."""
    with open_library(folder) as library, pytest.raises(UnavailableError, match="model"):
        library.search(QUESTION, settings={"search.expand": "hyde"})


def test_nothing_usable_is_an_error(folder: Path) -> None:
    with serve_script(lambda _: {"abstracts": [" "]}) as server, open_library(folder) as library:
        with pytest.raises(ModelAnswerError):
            asked(library, server, "hyde")
        assert library.search(QUESTION).hits


def test_how_many_abstracts(folder: Path) -> None:
    with (
        serve_script(lambda _: {"abstracts": ["One.", "Two.", "Two.", "Three."]}) as server,
        open_library(folder) as library,
    ):
        found = asked(library, server, "hyde", **{"search.expansions": 2})
    assert found.expansions == ("One.", "Two.")
    assert "2 abstracts" in request_text(server.requests[0])


def test_an_answer_is_searched_for_by_it_too(folder: Path) -> None:
    """What was written is told, and is no source: the answer rests on what was found."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        said = request_text(request)
        if "abstract of a paper" in said:
            assert QUESTION in said
            return {"abstracts": [WRITTEN + " And volcanoes."]}
        if "phrasings" in said:
            return {"phrasings": []}
        return dict(read_each(request, lambda _: {"relevant": False, "score": 0, "spans": [], "summary": ""}))

    with (
        serve_script(answer) as server,
        open_library(folder, search__expand="hyde", language__model=server.url) as library,
    ):
        events = list(library.events(QUESTION))
        assert any(isinstance(event, Notice) and "And volcanoes" in event.text for event in events)
        assert not any("volcanoes" in request_text(request) for request in server.requests)
    with open_library(folder, search__expand="hyde") as library:
        assert library.ask(QUESTION).note.endswith("written by a language model, and there is none.")


def test_asked_without_the_model_that_is_set(folder: Path) -> None:
    """Who asks for quotes would be told to set a model, which is set."""
    with serve_script([]) as server, open_library(folder, search__expand="hyde", language__model=server.url) as library:
        assert "and it was asked without one (model 'none')." in library.ask(QUESTION, model="none").note
        with pytest.raises(UsageError, match="it was asked without one"):
            library.ask(QUESTION, model="none", agent=True)
        with pytest.raises(UnavailableError, match="it was asked without one"):
            library.consensus(QUESTION, model="none")
