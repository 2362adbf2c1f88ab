"""Entities that models found are reviewed and merged; everyday words are left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from conspectus import Library
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.graph import entities, name_table_cache
from conspectus.graph.linking.plausibility import ConceptKind, PlausibilityModel, read_weights
from conspectus.graph.linking.words import new_id
from conspectus.graph.sql import MentionCounts
from graph.vocabularies import put_mention, put_vocabulary
from helpers import markdown, open_library, write

GRID, ARENA = new_id("grid cell"), new_id("arena")
pytestmark = pytest.mark.usefixtures("quick_pool")
PAPERS = {
    "one": markdown("One", "Grid cells tile the arena. A mouse is warm."),
    "two": markdown("Two", "We met grid cells there. Grid cells come with warmth."),
}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as opened:
        opened.add([write(tmp_path / f"{name}.md", text) for name, text in PAPERS.items()])
        put_vocabulary(opened, {"X:1": ("grid", "lattice"), "X:2": ("warmth", "warm"), "X:3": ("cell assembly",)})
        opened.graph.link()
        put_mention(opened, "One", "Grid cells", GRID)
        put_mention(opened, "Two", "grid cells", GRID)
        put_mention(opened, "Two", "Grid cells", GRID)
        put_mention(opened, "One", "arena", ARENA)
        yield opened


def spoken(library: Library) -> dict[str, int]:
    return {one.id: one.sentences for one in library.graph.entities().entities}


def test_they_wait_the_most_frequent_first(library: Library) -> None:
    found = library.graph.review(examples=9)
    first, second = found.entities
    assert (first.id, first.name, first.names) == (GRID, "Grid cells", ("Grid cells", "grid cells"))
    assert (first.state, first.papers, first.sentences) == ("new", 2, 3)
    assert {one.quote for one in first.examples} == {
        "Grid cells tile the arena.",
        "We met grid cells there.",
        "Grid cells come with warmth.",
    }
    assert (second.id, found.total) == (ARENA, 2)
    assert [one.id for one in library.graph.review(limit=1, offset=1).entities] == [ARENA]
    assert library.graph.review(examples=0).entities[0].examples == ()
    with pytest.raises(UsageError, match="No entity is 'old'"):
        library.graph.review(state="old")  # type: ignore[arg-type]


def test_they_are_spoken_of_while_they_wait(library: Library) -> None:
    assert spoken(library) == {GRID: 3, ARENA: 1, "X:2": 2}
    assert [one.id for one in library.graph.entities(vocabulary="local").entities] == [GRID, ARENA]
    assert library.graph.link().linked == 0


def test_what_is_rejected_goes_and_leaves_what_it_hid(library: Library) -> None:
    before = spoken(library)
    assert library.graph.reject([GRID])[0].state == "rejected"
    assert spoken(library) == {"X:1": 3, ARENA: 1, "X:2": 2} and library.graph.link().linked == 0
    assert [one.id for one in library.graph.review(state="rejected").entities] == [GRID]
    assert library.graph.review().total == 1
    assert library.graph.undo_review(["Grid cells"])[0].state == "new"
    assert spoken(library) == before


def test_what_is_accepted_is_searched_for(library: Library, tmp_path: Path) -> None:
    library.add(write(tmp_path / "three.md", markdown("Three", "Nobody knew a Grid cell.")))
    library.graph.link()
    assert spoken(library)[GRID] == 3
    library.graph.accept([GRID])
    assert library.graph.link().linked == 3 and spoken(library)[GRID] == 4
    library.graph.undo_review([GRID])
    assert spoken(library)[GRID] == 3, "what only its name found is gone at once"
    library.graph.link()
    assert spoken(library)[GRID] == 3


def test_what_is_merged_no_longer_waits(library: Library) -> None:
    library.graph.merge(GRID, "cell assembly")
    assert [one.id for one in library.graph.review().entities] == [ARENA]
    assert spoken(library) == {"X:3": 3, ARENA: 1, "X:2": 2}
    library.graph.unmerge(GRID)
    assert library.graph.review().total == 2


def test_only_what_models_found_is_reviewed(library: Library) -> None:
    for name in ("X:2", "warmth", "quokka", "!!"):
        with pytest.raises(NotFoundError, match="No language model found"):
            library.graph.reject([name])
    with pytest.raises(UsageError, match="what language models find"):
        library.vocabularies.add("x.csv", name="Local")


def test_one_name_is_one_entity_however_it_is_written() -> None:
    for names in (
        ("Place cells", "place-cell", "place  Cell"),
        ("LTP", "LTPs"),
        ("tumour diseases", "tumor disease"),
        ("crossed synapses", "crossed synapse"),
        ("virus", "Viruses"),
        ("Galaxies", "galaxy"),
    ):
        assert len(set(map(new_id, names))) == 1, names
    assert len(set(map(new_id, ("LTP", "ltp", "cell", "place cell", "cell place", "gas", "glass")))) == 7


@pytest.mark.parametrize(
    ("label", "sentences", "papers", "general"),
    [
        *[("Difference", 8500, 820, True), ("Response", 6400, 650, True), ("Experiment", 3700, 550, True)],
        *[("Memory", 2500, 290, False), ("Anterior cingulate cortex", 1300, 300, False)],
        *[("voxel", 4500, 630, False), ("schizophrenia", 1600, 170, False), ("Dark matter", 680, 360, False)],
    ],
)
def test_what_is_general(label: str, sentences: int, papers: int, general: bool) -> None:
    """What everybody says everywhere would stand above what a field is about."""
    model, counts = PlausibilityModel(read_weights()), MentionCounts(sentences, papers)
    log_odds = model.standing(ConceptKind(label, depth=1)).general
    assert (log_odds + entities.rate_use(model, label, counts, 1276) > 0) is general


def test_the_most_explored_are_without_it(tmp_path: Path, quick_pool: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entities, "FEWEST", 3)
    monkeypatch.setattr(name_table_cache, "JUDGED", 1)
    monkeypatch.setattr(PlausibilityModel, "priors", lambda _, uses: np.full(len(uses), 9.0))
    monkeypatch.setattr(entities, "rate_use", lambda _model, label, *_: 99.0 if label == "sleep" else -99.0)
    with open_library(tmp_path / "lib") as library:
        texts = ("Sleep. A mouse.", "Sleep. The sleep brings warmth.", "Sleep, a mouse.")
        library.add([write(tmp_path / f"{at}.md", markdown(f"P{at}", text)) for at, text in enumerate(texts)])
        put_vocabulary(library)
        library.graph.link()
        assert [one.id for one in library.graph.entities().entities] == ["CAT:3", "CAT:2"]
        assert [one.id for one in library.graph.entities(general=True).entities] == ["CAT:4", "CAT:3", "CAT:2"]
        assert [one.id for one in library.graph.entities(rare=True).entities] == ["CAT:2", "CAT:3", "CAT:4"]
        assert len(library.graph.entities(next(library.papers()).id).entities) == 2
