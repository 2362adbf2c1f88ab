"""What a library says nothing of its own of: everyday words that all papers use alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from conspectus.graph import entities
from conspectus.graph.entities import GeneralityTest
from graph.vocabularies import put_vocabulary
from helpers import markdown, open_library, write

RANKS = {"number": 180, "brain": 1870, "pain": 1150, "attention": 980}
JUDGE = GeneralityTest(RANKS, 600, 4_000_000)


@pytest.mark.parametrize(
    ("names", "sentences", "papers", "general"),
    [
        *[(["Number"], 4000, 570, True), (["serial", "number"], 4000, 570, True), (["voxel"], 5400, 550, False)],
        *[(["brain"], 18000, 590, False), (["pain"], 4000, 100, False), (["attention"], 2095, 375, False)],
        *[(["attention"], 400, 270, True), ([], 4000, 570, False)],
    ],
)
def test_what_is_general(names: list[str], sentences: int, papers: int, general: bool) -> None:
    """What everybody says everywhere would stand above what a field is about; what is said oftener here, or in some
    papers only, is the field's own."""
    assert JUDGE.is_general(names, sentences, papers) is general


def test_of_few_papers_nobody_can_say() -> None:
    assert not GeneralityTest(RANKS, 99, 1000).is_general(["number"], 90, 90)


def test_the_most_explored_are_without_it(tmp_path: Path, quick_pool: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entities, "FEWEST", 3)
    monkeypatch.setattr("conspectus.graph.entities.plain_ranks", lambda _: {"sleep": 1, "number": 1})
    with open_library(tmp_path / "lib") as library:
        texts = ("Sleep. A mouse.", "Sleep. The sleep brings warmth.", "Sleep, a mouse.")
        library.add([write(tmp_path / f"{at}.md", markdown(f"P{at}", text)) for at, text in enumerate(texts)])
        put_vocabulary(library)
        library.graph.link()
        assert [one.id for one in library.graph.entities().entities] == ["CAT:3", "CAT:2"]
        assert [one.id for one in library.graph.entities(general=True).entities] == ["CAT:4", "CAT:3", "CAT:2"]
        assert [one.id for one in library.graph.entities(rare=True).entities] == ["CAT:2", "CAT:3", "CAT:4"]
        assert len(library.graph.entities(next(library.papers()).id).entities) == 2
