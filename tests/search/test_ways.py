"""Every way that a question can go through retrieval finds what it found when these numbers were written down."""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.search import candidates
from helpers import open_library, write_jsonl

KNOWN = Path(__file__).with_suffix(".json")
"""Written by `PYTHONPATH=tests python tests/search/test_ways.py EMPTY_FOLDER`, where what is found is to change."""
WORDS = (
    "cats purr zebra stripes dark matter halo eel river swim night grid cell place neuron lace bobbin linen wood star "
    "planet transit light dust solar wind"
).split()
QUERIES = ("What do cats eat in the night?", "dark matter halo", "zebra stripes star transit -wood", "year:2000..2005")
TIE = 2e-6
WAYS: dict[str, dict[str, Any]] = {
    "as set": {},
    "a question": {"search.by_query": False},
    "exact": {"search.by_query": False, "search.exact_weight": 0.3},
    "vectors": {"search.dense_weight": 0.9, "search.reranker": "none"},
    "weights": {"search.recency": True, "search.citations": True, "search.keywords": True},
    "published": {"search.citations": True, "search.recency": True, "search.weighting": "published"},
    "feedback": {"search.expand": "feedback"},
    "feedback, published": {"search.expand": "feedback", "search.citations": True, "search.weighting": "published"},
    "diverse": {"search.mmr": 0.5},
}


def records() -> list[dict[str, Any]]:
    draw = random.Random(3)
    return [
        {
            "id": f"p{number}",
            "title": " ".join(draw.choices(WORDS, k=5)),
            "abstract": ". ".join(" ".join(draw.choices(WORDS, k=12)).capitalize() for _ in range(8)),
            "year": 1990 + number % 30,
            "citation_count": number * 7 % 400,
            "keywords": draw.choices(WORDS, k=2),
        }
        for number in range(60)
    ]


def found(library: Library, way: str) -> list[list[Any]]:
    """(paper, score) of the best for each query."""
    results = [library.search(query, 5, settings=WAYS[way], prefer=("star",)[: way == "weights"]) for query in QUERIES]
    return [[[hit.paper.external_id, round(hit.score, 6)] for hit in result.hits] for result in results]


def apart(hits: list[list[Any]]) -> list[str]:
    """Those whose scores differ from all others: which of equal ones comes first depends on the processor."""
    near = lambda one, other: abs(one - other) <= TIE  # noqa: E731
    return [name for name, score in hits if sum(near(score, other) for _, other in [*hits, hits[-1]]) == 1]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("ways")
    with open_library(folder / "library") as made:
        made.add(write_jsonl(folder / "records.jsonl", records()))
        yield made


@pytest.mark.parametrize("way", WAYS)
def test_what_is_found_stays(library: Library, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a change that is meant to change nothing ranks papers otherwise, and nobody sees it."""
    monkeypatch.setattr(candidates, "this_year", lambda: 2026.5)
    known = json.loads(KNOWN.read_text("utf-8"))[way]
    now = found(library, way)
    for hits, wanted in zip(now, known, strict=True):
        assert [score for _, score in hits] == pytest.approx([score for _, score in wanted], abs=TIE)
        assert apart(hits) == apart(wanted)


def write_down(folder: Path) -> None:
    """Keep what is found now."""
    candidates.this_year = lambda: 2026.5  # type: ignore[assignment]
    with open_library(folder / "library") as made:
        made.add(write_jsonl(folder / "records.jsonl", records()))
        lines = [f"{json.dumps(way)}: {json.dumps(found(made, way))}" for way in WAYS]
    KNOWN.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    write_down(Path(sys.argv[1]))
