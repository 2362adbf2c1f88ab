"""Concepts that vocabularies say are one are one node, until somebody says otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.errors import NotFoundError
from helpers import markdown, open_library, write

OLD = """id,label,synonyms,broader,deprecated,replaced_by,same
O:1,Hippocampus,,O:9,true,N:1,
O:2,Amygdala,amygdaloid body,O:9,,,
O:3,Nucleus,,O:8,,,
O:4,Thalamus,,O:9,,,N:4
O:5,DRD5 gene,,O:7,,,
O:10,obsolete axis,midline,O:9,true,,
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
        text = "The hippocampus and the amygdaloid body. Ammon's horn is old. The thalamus sleeps at the midline."
        opened.add(write(tmp_path / "one.md", markdown("One", text)))
        opened.vocabularies.add([write(tmp_path / "old.csv", OLD), write(tmp_path / "new.csv", NEW)])
        opened.graph.link()
        yield opened


def sentences(library: Library) -> dict[str, int]:
    return {one.id: one.sentences for one in library.graph.entities().entities}


def test_replaced_matched_and_namesakes_are_one(library: Library) -> None:
    """Else a paper speaks of an obsolete class, and the same region stands in the list twice.

    What is obsolete without a replacement is no entity at all.
    """
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


def test_an_entity_is_spelt_as_papers_spell_it(tmp_path: Path, quick_pool: None) -> None:
    """Else a list begins with `Redshifted` and `Parkinsons disease`, as vocabularies have them."""
    table = """id,label,synonyms
S:1,Redshifted,Redshift|Red shift
S:2,Parkinsons disease,PD|Parkinson's disease|Paralysis Agitans
S:3,Metallicity,Metal abundance
"""
    text = "The redshift is low. Redshifts of galaxies. Parkinson's disease is rare. Metal abundance is high."
    with open_library(tmp_path / "lib") as library:
        library.add(write(tmp_path / "one.md", markdown("One", text)))
        library.vocabularies.add([write(tmp_path / "terms.csv", table)])
        library.graph.link()
        names = {one.id: one.name for one in library.graph.entities().entities}
    assert names == {"S:1": "Redshift", "S:2": "Parkinson's disease", "S:3": "Metallicity"}


def _merges(library: Library) -> list[tuple[str, str]]:
    from sqlalchemy import select

    from conspectus.store.graph_tables import concepts, merges

    query = select(concepts.c.id, merges.c.made).join(merges, merges.c.concept_key == concepts.c.key)
    return [tuple(row) for row in library.session.catalog.rows(query)]


HEAD = "format-version: 1.2\ntreat-xrefs-as-equivalent: SAME\n"
OBO = """
[Term]
id: C:1
name: cornu ammonis
synonym: "hippocampus proper" EXACT []
xref: D:1 {source="somebody"}
xref: PMID:1

[Term]
id: C:2
name: fornix
xref: D:2 "fornix of the brain"

[Term]
id: C:3
name: prolactin
xref: D:3

[Term]
id: C:4
name: dentate gyrus
xref: D:4
xref: D:5

[Term]
id: C:5
name: somatosensory barrel
xref: SAME:1
"""
OTHER = """id,label,synonyms
D:1,hippocampus proper,
D:2,fornix cerebri,
D:3,PRL gene,
D:4,area dentata,dentate gyrus
D:5,gyrus dentatus,dentate gyrus
SAME:1,barrel column,
"""


def obographs() -> str:
    xrefs = {"C:1": ["D:1"], "C:2": ["D:2"], "C:3": ["D:3"], "C:4": ["D:4", "D:5"], "C:5": ["SAME:1"]}
    names = {"C:1": "hippocampus proper", "C:2": "fornix", "C:3": "prolactin", "C:4": "dentate gyrus", "C:5": "barrel"}
    nodes = [
        {"id": id, "lbl": name, "type": "CLASS", "meta": {"xrefs": [{"val": one} for one in xrefs[id]]}}
        for id, name in names.items()
    ]
    pred = "http://www.geneontology.org/formats/oboInOwl#treat-xrefs-as-equivalent"
    return json.dumps({"graphs": [{"nodes": nodes, "meta": {"basicPropertyValues": [{"pred": pred, "val": "SAME"}]}}]})


TURTLE = """@prefix : <http://example.org/c/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .
<http://example.org/c> a owl:Ontology ; oio:treat-xrefs-as-equivalent "SAME" .
:C_1 a owl:Class ; rdfs:label "hippocampus proper" ; oio:hasDbXref "D:1" .
:C_2 a owl:Class ; rdfs:label "fornix" ; oio:hasDbXref "D:2" .
:C_3 a owl:Class ; rdfs:label "prolactin" ; oio:hasDbXref "D:3" .
:C_4 a owl:Class ; rdfs:label "dentate gyrus" ; oio:hasDbXref "D:4", "D:5" .
:C_5 a owl:Class ; rdfs:label "barrel" ; oio:hasDbXref "SAME:1" .
"""
TABLE = """id,label,xref,same
C:1,hippocampus proper,D:1,
C:2,fornix,D:2,
C:3,prolactin,D:3,
C:4,dentate gyrus,D:4|D:5,
C:5,barrel,,SAME:1
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [("c.obo", HEAD + OBO), ("c.json", obographs()), ("c.ttl", TURTLE), ("c.csv", TABLE)],
)
def test_a_cross_reference_alone_unites_nothing(tmp_path: Path, quick_pool: None, name: str, text: str) -> None:
    """A protein refers to its gene: one node for both would say of the one what papers say of the other.

    One with a name in common does unite, unless there are several; so does one of which the file says it is the same.
    """
    with open_library(tmp_path / "lib") as library:
        library.add(write(tmp_path / "one.md", markdown("One", "Prolactin.")))
        library.vocabularies.add([write(tmp_path / "d.csv", OTHER), write(tmp_path / name, text)])
        library.graph.link()
        found = {frozenset((one.entity, one.into)): one.why for one in library.graph.merges(vocabularies=True)}
        assert found == {frozenset(("C:1", "D:1")): "cross-reference", frozenset(("C:5", "SAME:1")): "same"}


def test_what_is_united_is_listed_and_stays_separated(library: Library, tmp_path: Path) -> None:
    """A wrong union would be found by nobody, or come back when the vocabulary is read again."""
    found = library.graph.merges(vocabularies=True)
    assert {(one.entity, one.into, one.why) for one in found} == {
        ("O:1", "N:1", "replaced"),
        ("O:4", "N:4", "same"),
        ("O:2", "N:2", "name"),
    }
    assert [one.entity for one in library.graph.merges("hippocampus")] == ["O:1"]
    library.graph.unmerge("O:4")
    library.vocabularies.add([write(tmp_path / "old.csv", OLD + "O:200,sulcus,,O:9,,,\n")])
    library.graph.link()
    assert "O:4" not in {one.entity for one in library.graph.merges(vocabularies=True)}
    with pytest.raises(NotFoundError, match="heart"):
        library.graph.merges("heart")


def test_what_is_separate_unites_no_others(tmp_path: Path, quick_pool: None) -> None:
    """Three of one name: who separates the middle one would still have it as what stands for the third."""
    with open_library(tmp_path / "lib") as library:
        library.add(write(tmp_path / "one.md", markdown("One", "The fornix.")))
        for name in ("a", "b", "c"):
            text = f"id,label,same\n{name}:1,fornix {name},{chr(ord(name) + 1)}:1\n"
            library.vocabularies.add([write(tmp_path / f"{name}.csv", text)])
        library.graph.link()
        assert len(library.graph.merges(vocabularies=True)) == 2
        library.graph.unmerge("b:1")
        library.graph.link()
        assert library.graph.merges(vocabularies=True) == ()


def test_a_name_is_offered_once_and_only_where_papers_have_it(library: Library) -> None:
    """Completion would offer the same region twice, or one that leads nowhere."""
    offered = [(one.label, one.sentences) for one in library.vocabularies.search("amygd", mentioned=True).concepts]
    assert offered == [("Amygdala", 1)]
    assert not library.vocabularies.search("nucl", mentioned=True).concepts
