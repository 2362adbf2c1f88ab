"""Another reranker in the place of late interaction: it decides, it is shown, and its failure is not hidden."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core.errors import BudgetError, ServiceError, SettingsError, UnavailableError
from helpers import open_library, write_jsonl
from language_server import error, request_text, serve_script

pytestmark = pytest.mark.usefixtures("quick_pool")

RECORDS: list[dict[str, Any]] = [
    {"id": "plain", "title": "Bobbin lace", "abstract": "Bobbin lace is made of linen."},
    {"id": "wanted", "title": "On lace", "abstract": "Lace of bobbins, with zebras on it."},
    {"id": "third", "title": "Bobbins", "abstract": "Bobbins for lace are turned of wood."},
]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "library") as made:
        made.add(write_jsonl(tmp_path / "records.jsonl", RECORDS))
        yield made


def likes_zebras(request: dict[str, Any]) -> dict[str, Any]:
    """What a judge would say that looks for zebras."""
    shown = re.findall(r"^\[(\d+)\] (.*)$", request_text(request), re.MULTILINE)
    return {"scores": [{"number": int(n), "score": 9 if "zebras" in text else int(n) % 2} for n, text in shown]}


def test_a_language_model_as_judge_decides(library: Library) -> None:
    with serve_script(likes_zebras) as server:
        settings = {"search.reranker": "judge", "language.model": server.url}
        found = library.search("bobbin lace", settings=settings)
        library.search("bobbin lace", settings=settings)
        assert len(server.requests) == 1  # what it said is kept
        assert "bobbin lace" in request_text(server.requests[0])
    first = found.hits[0]
    assert first.paper.external_id == "wanted"
    assert first.score == first.factors["rerank"] == 1.0
    assert first.factors["reranker"] == pytest.approx(0.9)
    assert "on the best 30" in found.method
    assert any(model.startswith("judge:") for model in found.models)
    assert library.search("bobbin lace").hits[0].paper.external_id == "plain"


def test_its_weight_is_a_setting(library: Library) -> None:
    with serve_script(likes_zebras) as server:
        settings = {"search.reranker": "judge", "language.model": server.url, "search.reranker_weight": 0.5}
        found = library.search("bobbin lace", settings=settings)
    for hit in found.hits:
        assert hit.score == pytest.approx(0.5 * hit.factors["fusion"] + 0.5 * hit.factors["rerank"])


def test_its_failure_is_told(library: Library) -> None:
    """A ranking by something else than was asked for would be a silent substitute."""
    with serve_script(lambda _: error(400, "no such model")) as server, pytest.raises(ServiceError):
        library.search("bobbin lace", settings={"search.reranker": "judge", "language.model": server.url})
    with pytest.raises(UnavailableError, match="judge"):
        library.search("bobbin lace", settings={"search.reranker": "judge"})


def test_none_is_none(library: Library) -> None:
    found = library.search("bobbin lace", settings={"search.reranker": "none"})
    assert all(hit.score == hit.factors["fusion"] for hit in found.hits)
    with pytest.raises(SettingsError):
        library.search("bobbin lace", settings={"search.reranker": "nane"})


def test_each_search_has_its_own_budget(library: Library, tmp_path: Path) -> None:
    """A limit would be that of the first search, or a search without one be refused."""
    more = [{"id": f"m{n}", "title": f"Lace {n}", "abstract": f"Bobbin lace of kind {n}."} for n in range(25)]
    library.add(write_jsonl(tmp_path / "more.jsonl", more))
    with serve_script(likes_zebras) as server:
        judge = {"search.reranker": "judge", "language.model": server.url, "language.concurrency": 1}
        with pytest.raises(BudgetError):
            library.search("bobbin lace", settings={**judge, "budget.tokens": 1})
        assert library.search("bobbin lace", settings=judge).hits
        with pytest.raises(BudgetError):
            library.search("lace of a kind", settings={**judge, "budget.tokens": 1})


def test_without_a_model_the_judge_is_not_to_be_had(library: Library) -> None:
    with pytest.raises(UnavailableError) as failed:
        library.search("bobbin lace", settings={"search.reranker": "judge"})
    assert failed.value.exit_code == 3


def test_equal_scores_are_said(library: Library) -> None:
    """All would seem to fit perfectly."""

    def same(request: dict[str, Any]) -> dict[str, Any]:
        return {"scores": [{**one, "score": 0} for one in likes_zebras(request)["scores"]]}

    with serve_script(same) as server:
        found = library.search("bobbin lace", settings={"search.reranker": "judge", "language.model": server.url})
        assert "the same score" in found.note
