"""Vocabularies of a library, from adding to removing, on both catalogs."""

from pathlib import Path

import pytest
from sqlalchemy import func, select

from conspectus import Library
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.records.events import Progress
from conspectus.records.vocabularies import AddedVocabulary
from conspectus.store.entities import GRAPH_CHANGE
from conspectus.store.graph_tables import concept_links, concept_names, concepts, name_rules, vocabularies
from helpers import markdown, open_library, write
from vocabulary_files import CELLS, ENTITIES, MESH, OBO, TABLE, TURTLE

pytestmark = pytest.mark.usefixtures("both_catalogs")


def opened(folder: Path) -> Library:
    return open_library(folder / "lib")


def written(place: Path, text: str) -> Path:
    place.write_text(text, "utf-8")
    return place


def added(library: Library, *paths: Path, name: str = "") -> AddedVocabulary:
    (found,) = library.vocabularies.add(paths, name=name).vocabularies
    return found


def keys(library: Library) -> dict[str, int]:
    return {row.id: row.key for row in library.session.catalog.rows(select(concepts.c.id, concepts.c.key))}


def rows(library: Library) -> list[int]:
    tables = (vocabularies, concepts, concept_names, concept_links, name_rules)
    return [int(library.session.catalog.scalar(select(func.count()).select_from(one))) for one in tables]


def test_again_only_what_changed_is_written(tmp_path: Path) -> None:
    """What papers say of a concept would be lost each time its vocabulary has a new version."""
    with opened(tmp_path) as library:
        seen: list[Progress] = []
        path = written(tmp_path / "cl.obo", OBO)
        report = library.vocabularies.add(path, progress=seen.append)
        assert [one.outcome for one in report.vocabularies] == ["added"] and not report.failed and seen
        assert (report.vocabularies[0].concepts, report.vocabularies[0].names) == (2, 4)
        before, change = keys(library), library.session.catalog.meta(GRAPH_CHANGE)
        again = added(library, path)
        assert (again.outcome, again.concepts, again.names) == ("unchanged", 2, 4)
        assert library.session.catalog.meta(GRAPH_CHANGE) == change
        text = OBO.replace("name: neuron", "name: Neuron").replace("id: CL:0000393", "id: CL:0000394")
        third = added(library, written(path, text))
        assert (third.outcome, third.added, third.changed, third.removed) == ("updated", 1, 1, 1)
        after = keys(library)
        assert after["CL:0000540"] == before["CL:0000540"] and after.keys() == {"CL:0000540", "CL:0000394"}
        assert (
            library.vocabularies.show("CL:0000540")[0].label == "Neuron"
            and library.session.catalog.meta(GRAPH_CHANGE) != change
        )


def test_one_that_fails_leaves_what_there_was(tmp_path: Path) -> None:
    """A download that broke off would empty the vocabulary, or leave half of it."""
    with opened(tmp_path) as library:
        path, other = written(tmp_path / "brain.ttl", TURTLE), written(tmp_path / "words.tsv", TABLE)
        assert added(library, path).outcome == "added"
        before = rows(library)
        written(path, TURTLE[:900])
        broken, fine = library.vocabularies.add([path, other]).vocabularies
        assert broken.outcome == "failed" and "brain.ttl" in broken.reason and "Turtle" in broken.reason
        assert fine.outcome == "added" and library.vocabularies.show("UBERON:0000955")[0].vocabulary == "brain"
        library.vocabularies.remove("WORDS")
        assert rows(library) == before
        missing = added(library, tmp_path / "none.ttl")
        assert missing.outcome == "failed" and "none.ttl" in missing.reason
        assert added(library, path, name="other").outcome == "failed"
        assert [one.name for one in library.vocabularies.list()] == ["brain"]


def test_one_that_is_broken_off_leaves_what_there_was(tmp_path: Path) -> None:
    """Ctrl-C would leave half of a vocabulary."""
    with opened(tmp_path) as library:
        path = written(tmp_path / "cl.obo", OBO)
        added(library, path)
        before = rows(library)
        written(path, OBO.replace("name: neuron", "name: Neuron"))

        def stop(progress: Progress) -> None:
            if progress.unit == "concepts":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            library.vocabularies.add(path, progress=stop)
        assert rows(library) == before and library.vocabularies.show("CL:0000540")[0].label == "neuron"
        assert added(library, path).changed == 1


def test_an_import_that_comes_later_is_read(tmp_path: Path) -> None:
    """Who was told that an import is missing, and fetched it, would be told that nothing has changed."""
    with opened(tmp_path) as library:
        path = written(tmp_path / "brain.ttl", TURTLE)
        assert len(added(library, path).missing) == 2 and added(library, path).outcome == "unchanged"
        cells = written(tmp_path / "cells.ttl", CELLS)
        assert added(library, path).added == 1 and added(library, path).outcome == "unchanged"
        written(cells, CELLS.replace("neuron", "nerve cell"))
        assert added(library, path).changed == 1 and library.vocabularies.show("CL:0000540")[0].label == "nerve cell"


def test_several_side_by_side(tmp_path: Path) -> None:
    """Two vocabularies of one name would silently become one; those that share ids would hide each other."""
    with opened(tmp_path) as library:
        (tmp_path / "b").mkdir()
        first, second = written(tmp_path / "cl.obo", OBO), written(tmp_path / "b" / "cl.obo", OBO)
        added(library, first)
        refused = added(library, second)
        assert refused.outcome == "failed" and "already" in refused.reason
        assert added(library, second, name="second").outcome == "added"
        assert [one.vocabulary for one in library.vocabularies.show("CL:0000540")] == ["cl", "second"]
        assert [one.rank for one in library.vocabularies.list()] == [1, 2]
        assert added(library, first, second, name="CL").outcome == "updated"
        assert {one.name: one.concepts for one in library.vocabularies.list()} == {"cl": 2, "second": 2}
        assert (
            library.vocabularies.add(written(tmp_path / "m.xml", MESH), subtree=["A08"]).vocabularies[0].concepts == 2
        )
        assert library.vocabularies.list()[2].subtree == ("A08",)
        with pytest.raises(UsageError, match="no name of a vocabulary"):
            library.vocabularies.add(first, name="…")


def test_concepts_are_found_by_their_names(tmp_path: Path) -> None:
    """A user has a word, and no id."""
    with opened(tmp_path) as library:
        added(library, written(tmp_path / "brain.ttl", TURTLE))
        added(library, written(tmp_path / "cl.obo", OBO))
        (hit,) = library.vocabularies.search("ENCEPH").concepts
        assert (hit.id, hit.label, hit.name, hit.vocabulary) == ("UBERON:0000955", "Brain", "encephalon", "brain")
        assert (
            library.vocabularies.search("n").concepts[0].name == "NC"
            and not library.vocabularies.search("n", vocabulary="brain").concepts
        )
        every, after = [], ""
        while True:
            page = library.vocabularies.search("", limit=2, after=after)
            every += [one.id for one in page.concepts]
            if not (after := page.next):
                break
        assert sorted(every) == sorted(keys(library)), "each once"
        out = library.vocabularies.search("", left_out=True).concepts
        assert [(one.name, one.left_out) for one in out] == [("7", "number")]
        shown = library.vocabularies.show("UBERON:0000955")[0]
        assert [one.id for one in shown.narrower] == ["MY:1"] and library.vocabularies.show("MY:1")[0].links[
            0
        ].label == "Brain"
        for ask in (
            lambda: library.vocabularies.show("X:0"),
            lambda: library.vocabularies.search("a", vocabulary="none"),
        ):
            with pytest.raises(NotFoundError, match="There is no"):
                ask()
        with pytest.raises(UsageError, match="goes on"):
            library.vocabularies.search("", after="x")


def test_what_is_said_of_names_stays(tmp_path: Path) -> None:
    """A rule would have to be made anew with each version of a vocabulary."""
    with opened(tmp_path) as library:
        path, catalog = written(tmp_path / "cl.obo", OBO), library.session.catalog
        added(library, path)
        change = catalog.meta(GRAPH_CHANGE)
        first = library.vocabularies.name("Cell", "leave")
        assert first == library.vocabularies.name("cell", "leave")
        library.vocabularies.name("NC", "use", concept="CL:0000540")
        assert catalog.meta(GRAPH_CHANGE) != change
        said = {(one.name, one.concept): (one.verdict, one.source) for one in library.vocabularies.names()}
        assert said == {("cell", ""): ("leave", "user"), ("nc", "CL:0000540"): ("use", "user")}
        library.vocabularies.remove("cl")
        assert len(library.vocabularies.names()) == 2 and rows(library)[:4] == [0, 0, 0, 0]
        assert len(library.vocabularies.name("cell", "undo")) == len(library.vocabularies.name("cell", "undo")) == 1
        with pytest.raises(NotFoundError):
            library.vocabularies.name("NC", "use", concept="CL:0")
        with pytest.raises(UsageError):
            library.vocabularies.name("…", "leave")


def test_what_is_said_of_names_counts_where_papers_are_linked(tmp_path: Path) -> None:
    """A user would say that a name means something else, and it would be linked all the same."""
    with opened(tmp_path) as library:
        text = "An area 7 of brain tissue. An encephalon has a colour area."
        library.add(write(tmp_path / "one.md", markdown("One", text)))
        added(library, written(tmp_path / "brain.ttl", TURTLE))
        added(library, written(tmp_path / "copy.ttl", TURTLE), name="copy")
        (paper,) = library.papers()

        def found() -> list[tuple[str, str]]:
            library.graph.link()
            return [(one.text, one.entity) for one in library.graph.mentions(paper.id)]

        brain, whole, area = ("brain", "UBERON:0000955"), ("encephalon", "UBERON:0000955"), ("colour area", "MY:1")
        assert found() == [brain, whole, area]
        library.vocabularies.name("Encephalon", "leave")
        assert found() == [brain, area]
        library.vocabularies.name("7", "use"), library.vocabularies.name("colour area", "leave", concept="MY:1")
        assert found() == [("7", "MY:1"), brain]
        library.vocabularies.name("encephalon", "use", concept="UBERON:0000955"), library.vocabularies.name("7", "undo")
        library.vocabularies.name("colour area", "use", concept="UBERON:1"), library.vocabularies.name("brain", "leave")
        assert found() == [whole, ("colour area", "UBERON:1")]


def test_entities_that_unfold_take_no_memory_here(tmp_path: Path) -> None:
    """A file of a kilobyte could end the program that has the library open."""
    text = f"""<?xml version="1.0"?><!DOCTYPE rdf:RDF [{ENTITIES}]><rdf:RDF
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
    <rdfs:Class rdf:about="http://x.org/1"><rdfs:label>&j;</rdfs:label></rdfs:Class></rdf:RDF>"""
    with opened(tmp_path) as library:
        found = added(library, written(tmp_path / "bomb.rdf", text))
        assert found.outcome == "failed" and "bomb" in found.reason
        beside = added(library, written(tmp_path / "brain.ttl", TURTLE))
        assert beside.outcome == "added", "what lies beside is looked at for its imports, and costs it nothing"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with open_library(tmp_path / "lib") as library:
        (one,) = library.vocabularies.add(tmp_path / "absent.ttl").vocabularies
    assert one.outcome == "failed" and "There is no file" in one.reason


def test_what_all_names_show_is_left_out_and_told(tmp_path: Path) -> None:
    """Nobody would know why "cell" is found nowhere."""
    rows = "".join(f"C:{number},{name} cell\n" for number, name in enumerate("abcdefghijklmnopqrstuvwxyz", 1))
    with open_library(tmp_path / "lib") as library:
        library.vocabularies.add(write(tmp_path / "cells.csv", f"id,label\nC:0,cell\n{rows}"))
        listed = library.vocabularies.search("", vocabulary="cells", left_out=True).concepts
        assert [(one.id, one.name, one.left_out) for one in listed] == [("C:0", "cell", "ends many names")]
        assert not library.vocabularies.search("cell", vocabulary="cells").concepts[0].left_out
        library.vocabularies.name("cell", "use")
        assert not library.vocabularies.search("", vocabulary="cells", left_out=True).concepts
