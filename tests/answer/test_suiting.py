"""`ask --auto`: the answer is made as suits the kind of question, and the user is told what it was taken for."""

from pathlib import Path
from typing import Any

import pytest

from helpers import open_library, write_jsonl
from language_server import LanguageServer, request_text, serve_script
from oracle import read_each

pytestmark = pytest.mark.usefixtures("quick_pool")

RECORDS: list[dict[str, Any]] = [
    {"id": "moss", "title": "Moss on walls", "abstract": "Moss does not damage walls of brick.", "citation_count": 9},
    {"id": "eels", "title": "Where eels go", "abstract": "Eels swim to the Sargasso sea to spawn."},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with open_library(tmp_path / "library") as made:
        made.add(write_jsonl(tmp_path / "records.jsonl", RECORDS))
    return tmp_path / "library"


def routed(kind: str, parts: list[str] | None = None) -> Any:
    """A model that sees a question as of a kind, and finds nothing relevant."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        said = request_text(request)
        if "single-paper" in said:
            return {"reason": "It asks so.", "kind": kind, "flags": [], "parts": parts or []}
        if "abstract of a paper" in said:
            return {"abstracts": ["Walls bear moss."]}
        if "different phrasings" in said:
            return {"phrasings": []}
        return read_each(request, lambda _: {"relevant": False, "score": 0, "spans": [], "summary": ""})

    return answer


def asked(server: LanguageServer, folder: Path, question: str, **options: Any) -> Any:
    with open_library(folder, language__model=server.url) as library:
        return library.ask(question, auto=True, **options)


def test_a_consensus_question_is_answered_with_a_critique(folder: Path) -> None:
    with serve_script(routed("consensus")) as server:
        found = asked(server, folder, "Does moss damage walls?")
        assert found.kind == "nuanced"
        assert "Taken as a consensus question" in found.note
        assert any(
            "abstract of a paper" in request_text(request) for request in server.requests
        )  # HyDE, as Table 1 has it


def test_what_is_asked_for_stays(folder: Path) -> None:
    with serve_script(routed("consensus")) as server:
        assert asked(server, folder, "Does moss damage walls?", kind="single").kind == "single"


def test_sub_questions_are_searched_for_too(folder: Path) -> None:
    script = routed("compositional", ["Where do eels spawn?", "Where does moss grow?"])
    with serve_script(script) as server, open_library(folder, language__model=server.url) as library:
        events = list(library.events("How do eels and moss differ?", auto=True))
    searched = {event.question for event in events if type(event).__name__ == "Searching"}
    assert {"Where do eels spawn?", "Where does moss grow?"} <= searched


def test_without_a_model_rules_tell(folder: Path) -> None:
    with open_library(folder) as library:
        found = library.ask("Does moss damage walls?", auto=True)
    assert found.method == "extractive"
    assert "Taken as a consensus question" in found.note
    assert "needs a language model" in found.note
