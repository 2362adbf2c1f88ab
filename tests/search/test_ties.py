"""Passages that are equally good: they come in the order in which they are read."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from conspectus import Library
from conspectus.search.candidates import Candidates
from helpers import open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")

SAME = {"title": "Eels at night", "abstract": "Eels swim up the river at night."}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """Three papers that say the same."""
    with open_library(tmp_path / "lib") as library:
        for name in "cab":
            record = {"id": name, "doi": f"10.1000/eels.{name}", "venue": name, **SAME}
            library.add(write_jsonl(tmp_path / f"{name}.jsonl", [record]))
        yield library


def test_equal_papers_come_as_they_were_added(library: Library) -> None:
    """The same library would show its papers in another order on each machine that was filled otherwise."""
    for question in ("eels swim", "river"):
        hits = library.search(question).hits
        assert len({hit.score for hit in hits}) == 1
        assert [hit.paper.external_id for hit in hits] == ["c", "a", "b"]
    similar = library.similar(text="Eels swim up the river").hits
    assert [hit.paper.external_id for hit in similar] == ["c", "a", "b"]


def test_equal_passages_of_a_paper_come_as_they_stand_in_it() -> None:
    """A paper would be shown by its last passage where its first says as much."""
    places = {3: (1, 0), 1: (1, 1), 2: (0, 7), 4: (0, 0)}
    asked: list[int] = []

    def told(keys: Sequence[int]) -> dict[int, tuple[int, int]]:
        asked.extend(keys)
        return {key: places[key] for key in keys}

    found = Candidates([1, 2, 3, 4], np.array([0.5, 0.5, 0.5, 0.4]), {"cosine": np.full(4, 0.1)}, told)
    assert [one.key for one in found.rank_passages()] == [2, 3, 1, 4]
    assert sorted(asked) == [1, 2, 3], "only of equals it is asked where they stand"
