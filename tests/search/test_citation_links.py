"""Similarity by citations, on papers whose references are known."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from conspectus import Library
from conspectus.core.errors import UsageError
from conspectus.records import Filters
from helpers import open_library

PAPERS = {
    "seed": ("10.1000/seed", 2005, ["10.1000/classic", "10.1000/method", "10.1000/outside"]),
    "sibling": ("10.1000/sibling", 2006, ["10.1000/classic", "10.1000/method"]),
    "cousin": ("10.1000/cousin", 2007, ["10.1000/classic", "10.1000/a", "10.1000/b", "10.1000/c"]),
    "classic": ("10.1000/classic", 1980, []),
    "later": ("10.1000/later", 2010, ["10.1000/seed", "10.1000/twin"]),
    "twin": ("10.1000/twin", 2005, ["10.1000/other"]),
    "stranger": ("10.1000/stranger", 2005, ["10.1000/nothing"]),
    "silent": ("", 2005, []),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("citations")
    records = [
        {"id": name, "title": f"The {name} paper on cells", "abstract": f"About {name}.", "year": year}
        | ({"doi": doi} if doi else {})
        | {"references": references}
        for name, (doi, year, references) in PAPERS.items()
    ]
    (folder / "papers.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    with open_library(folder / "lib") as opened:
        opened.add([folder / "papers.jsonl"])
        yield opened


def test_papers_that_share_references_or_cite_one_another_are_near(library: Library) -> None:
    found = library.similar("seed", by="citations")
    scores = {hit.paper.external_id: hit.factors for hit in found.hits}
    assert set(scores) == {"sibling", "cousin", "classic", "later", "twin"}
    assert scores["sibling"] == {"coupling": pytest.approx(2 / 6**0.5)}
    assert scores["cousin"] == {"coupling": pytest.approx(1 / 12**0.5)}
    assert scores["twin"] == {"cocitation": 1.0}
    assert scores["later"]["citation"] == scores["classic"]["citation"] == 1.0
    assert found.total == 5 and all(hit.score == pytest.approx(sum(hit.factors.values())) for hit in found.hits)


def test_filters_hold_and_the_first_are_best(library: Library) -> None:
    found = library.similar("seed", by="citations", filters=Filters(year=(2005, None)), k=2)
    assert "classic" not in {hit.paper.external_id for hit in found.hits} and len(found.hits) == 2
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)


@pytest.mark.parametrize(("names", "options"), [(["silent"], {}), ([], {"text": "cells"}), ([], {})])
def test_what_has_no_citations_is_refused(library: Library, names: list[str], options: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        library.similar(names, by="citations", **options)


def test_a_removed_paper_takes_its_citations_with_it(library: Library) -> None:
    library.remove("cousin")
    assert "cousin" not in {hit.paper.external_id for hit in library.similar("seed", by="citations").hits}
    library.undo_remove()
    assert "cousin" in {hit.paper.external_id for hit in library.similar("seed", by="citations").hits}
