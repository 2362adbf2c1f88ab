"""Concepts that vocabularies say are one are one node, until somebody says otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from helpers import markdown, open_library, write

OLD = """id,label,synonyms,broader,deprecated,replaced_by,same
O:1,Hippocampus,,O:9,true,N:1,
O:2,Amygdala,amygdaloid body,O:9,,,
O:3,Nucleus,,O:8,,,
O:4,Thalamus,,O:9,,,N:4
O:5,DRD5 gene,,O:7,,,
O:7,gene,,O:6,,,
O:6,molecule,,O:66,,,
O:66,material,,,,,
O:8,organelle,,O:88,,,
O:88,cell component,,O:89,,,
O:89,cell,,,,,
O:9,brain region,,O:99,,,
O:99,region of body,,O:100,,,
O:100,anatomical part,,,,,
"""
NEW = """id,label,synonyms,broader,definition
N:1,Ammon's horn,,N:9,A part of the brain.
N:2,amygdala,,N:9,An almond.
N:3,nucleus,,N:9,Grey matter.
N:4,dorsal thalamus,,N:9,A part.
N:9,brain part,,N:98,
N:98,brain,,N:97,
N:97,organ,,,
"""


@pytest.fixture
def library(tmp_path: Path, quick_pool: None) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as opened:
        text = "The hippocampus and the amygdaloid body. Ammon's horn is old. The thalamus sleeps."
        opened.add(write(tmp_path / "one.md", markdown("One", text)))
        opened.vocabularies.add([write(tmp_path / "old.csv", OLD), write(tmp_path / "new.csv", NEW)])
        opened.graph.link()
        yield opened


def sentences(library: Library) -> dict[str, int]:
    return {one.id: one.sentences for one in library.graph.entities().entities}


def test_replaced_matched_and_namesakes_are_one(library: Library) -> None:
    """Else a paper speaks of an obsolete class, and the same region stands in the list twice."""
    assert sentences(library) == {"N:1": 2, "N:2": 1, "N:4": 1}
    assert library.graph.show(["O:1"]).asked == ("N:1",)
    assert library.graph.merges() == (), "what users say is listed, not what vocabularies do"


def test_a_namesake_of_another_kind_is_another(library: Library) -> None:
    """A cell's nucleus is none of the brain."""
    merged = {row[0] for row in _merges(library)}
    assert merged == {"O:1", "O:2", "O:4"}


def test_a_user_undoes_it_for_good(library: Library) -> None:
    assert library.graph.unmerge("O:1").into == "N:1"
    assert library.graph.link().linked == 1
    assert sentences(library) == {"O:1": 1, "N:1": 1, "N:2": 1, "N:4": 1}
    library.graph.link()
    assert sentences(library)["O:1"] == 1
    library.graph.merge("O:1", "N:1")
    assert sentences(library)["N:1"] == 2 and len(library.graph.merges()) == 1


def _merges(library: Library) -> list[tuple[str, str]]:
    from sqlalchemy import select

    from conspectus.store.graph_tables import concepts, merges

    query = select(concepts.c.id, merges.c.made).join(merges, merges.c.concept_key == concepts.c.key)
    return [tuple(row) for row in library.session.catalog.rows(query)]
