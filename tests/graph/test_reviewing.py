"""What models found and no vocabulary has: it waits, and whatever is said of it can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.graph.linking.words import new_id
from graph.vocabularies import put_found, put_vocabulary
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
        opened.link()
        put_found(opened, "One", "Grid cells", GRID)
        put_found(opened, "Two", "grid cells", GRID)
        put_found(opened, "Two", "Grid cells", GRID)
        put_found(opened, "One", "arena", ARENA)
        yield opened


def spoken(library: Library) -> dict[str, int]:
    return {one.id: one.sentences for one in library.entities()}


def test_they_wait_the_most_frequent_first(library: Library) -> None:
    found = library.new_entities(examples=9)
    first, second = found.entities
    assert (first.id, first.name, first.names) == (GRID, "Grid cells", ("Grid cells", "grid cells"))
    assert (first.state, first.papers, first.sentences) == ("new", 2, 3)
    assert {one.quote for one in first.examples} == {
        "Grid cells tile the arena.",
        "We met grid cells there.",
        "Grid cells come with warmth.",
    }
    assert (second.id, found.total) == (ARENA, 2)
    assert [one.id for one in library.new_entities(limit=1, offset=1).entities] == [ARENA]
    assert library.new_entities(examples=0).entities[0].examples == ()
    with pytest.raises(UsageError, match="No entity is 'old'"):
        library.new_entities("old")  # type: ignore[arg-type]


def test_they_are_spoken_of_while_they_wait(library: Library) -> None:
    assert spoken(library) == {GRID: 3, ARENA: 1, "X:2": 2}
    assert [one.id for one in library.entities(vocabulary="local")] == [GRID, ARENA]
    assert library.link().linked == 0


def test_what_is_rejected_goes_and_leaves_what_it_hid(library: Library) -> None:
    before = spoken(library)
    assert library.review_entity(GRID, "reject").state == "rejected"
    assert spoken(library) == {"X:1": 3, ARENA: 1, "X:2": 2} and library.link().linked == 0
    assert [one.id for one in library.new_entities("rejected").entities] == [GRID]
    assert library.new_entities().total == 1
    assert library.review_entity("Grid cells", "undo").state == "new"
    assert spoken(library) == before


def test_what_is_accepted_is_searched_for(library: Library, tmp_path: Path) -> None:
    library.add(write(tmp_path / "three.md", markdown("Three", "Nobody knew a Grid cell.")))
    library.link()
    assert spoken(library)[GRID] == 3
    library.review_entity(GRID, "accept")
    assert library.link().linked == 3 and spoken(library)[GRID] == 4
    library.review_entity(GRID, "undo")
    assert spoken(library)[GRID] == 3, "what only its name found is gone at once"
    library.link()
    assert spoken(library)[GRID] == 3


def test_what_is_merged_no_longer_waits(library: Library) -> None:
    library.merge_entities(GRID, "cell assembly")
    assert [one.id for one in library.new_entities().entities] == [ARENA]
    assert spoken(library) == {"X:3": 3, ARENA: 1, "X:2": 2}
    library.unmerge_entity(GRID)
    assert library.new_entities().total == 2


def test_only_what_models_found_is_reviewed(library: Library) -> None:
    for name in ("X:2", "warmth", "quokka", "!!"):
        with pytest.raises(NotFoundError, match="No language model found"):
            library.review_entity(name, "reject")
    with pytest.raises(UsageError, match="cannot be said"):
        library.review_entity(GRID, "like")
    with pytest.raises(UsageError, match="what language models find"):
        library.add_vocabulary("x.csv", "Local")


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
