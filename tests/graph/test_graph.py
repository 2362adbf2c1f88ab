"""What papers speak of: mentions, what stands around entities and between them, and that it goes with its papers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import insert

from conspectus import Filters, Library
from conspectus.errors import NotFoundError, UsageError
from conspectus.graph import sql as kept
from conspectus.settings.user_folders import library_cache
from conspectus.store import entities, graph_tables
from conspectus.store.codec import pack
from conspectus.store.connection import writing
from graph.vocabularies import put_vocabulary
from helpers import markdown, open_library, table_rows, write

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
PAPERS = {
    "one": markdown("One", "Purring comes with warmth. Cats purr. A mouse is warm."),
    "two": markdown("Two", "A mouse brings sleep. Warmth brings sleep.", year="1999"),
    "three": markdown("Three", "Nothing is said here. Purring and warmth and sleep."),
}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as opened:
        opened.add([write(tmp_path / f"{name}.md", text) for name, text in PAPERS.items()])
        put_vocabulary(opened)
        yield opened


def test_sentences_are_linked_once(library: Library) -> None:
    first, again = library.graph.link(), library.graph.link()
    assert (first.linked, first.papers, first.failed, first.vocabularies) == (3, 3, 0, ("Cats",))
    assert (again.linked, again.mentions, again.entities) == (0, first.mentions, 4)
    (paper,) = [one for one in library.papers() if one.title == "One"]
    found = library.graph.mentions(paper.id)
    assert [(one.text, one.entity) for one in found] == [
        *(("Purring", "CAT:1"), ("warmth", "CAT:2"), ("purr", "CAT:1"), ("mouse", "CAT:3"), ("warm", "CAT:2")),
    ]
    texts = {passage.id: passage.text for passage in library.passages(paper.id)}
    assert all(texts[one.passage_id][one.start : one.end] == one.text for one in found)
    spans = {span.id: span for passage in library.passages(paper.id) for span in passage.spans}
    assert all(spans[one.span_id].start <= one.start < one.end <= spans[one.span_id].end for one in found)


def test_another_vocabulary_links_anew(library: Library) -> None:
    library.graph.link()
    put_vocabulary(library, {"DOG:1": ("nothing",)}, "Dogs")
    assert library.graph.link().linked == 3
    assert "DOG:1" in {one.id for one in library.graph.entities().entities}
    assert [one.id for one in library.graph.entities(vocabulary="dogs").entities] == ["DOG:1"]
    with pytest.raises(NotFoundError, match="no vocabulary 'birds'"):
        library.graph.entities(vocabulary="birds")


def test_most_and_least_explored(library: Library) -> None:
    library.graph.link()
    most = library.graph.entities(top=2).entities
    assert [(one.id, one.sentences, one.papers) for one in most] == [("CAT:2", 4, 3), ("CAT:1", 3, 2)]
    assert [one.id for one in library.graph.entities(top=1, rare=True).entities] == ["CAT:3"]
    assert [one.id for one in library.graph.entities(filters=Filters(year=(1999, 1999))).entities] == [
        "CAT:4",
        "CAT:2",
        "CAT:3",
    ]
    (paper,) = [one for one in library.papers() if one.title == "Two"]
    assert [(one.id, one.sentences) for one in library.graph.entities(paper.id).entities] == [
        ("CAT:4", 2),
        ("CAT:2", 1),
        ("CAT:3", 1),
    ]


def test_what_stands_around_one(library: Library) -> None:
    library.graph.link()
    found = library.graph.show(["purr"], depth=1)
    assert found.asked == ("CAT:1",)
    (edge,) = [one for one in found.edges if one.target == "CAT:2"]
    assert (edge.source, edge.kind, edge.sentences, edge.papers) == ("CAT:1", "co-mention", 2, 2)
    assert {one.target for one in found.edges} == {"CAT:2", "CAT:4"}
    assert edge.examples[0].quote in {"Purring and warmth and sleep.", "Purring comes with warmth."}


def test_ways_from_one_to_another(library: Library) -> None:
    library.graph.link()
    found = library.graph.show(["purring", "mouse"])
    assert found.paths == (("CAT:1", "CAT:2", "CAT:3"), ("CAT:1", "CAT:4", "CAT:3"))
    longer = library.graph.show(["purring", "mouse"], depth=3).paths
    assert set(longer) == {*found.paths, ("CAT:1", "CAT:2", "CAT:4", "CAT:3"), ("CAT:1", "CAT:4", "CAT:2", "CAT:3")}
    assert all(edge.examples for edge in found.edges)


def test_what_was_merged_counts_as_one(library: Library) -> None:
    library.graph.link()
    before = library.graph.entities().entities
    done = library.graph.merge("sleep", "CAT:1")
    assert (done.entity, done.into, done.into_name) == ("CAT:4", "CAT:1", "purring")
    found = {one.id: (one.sentences, one.papers) for one in library.graph.entities().entities}
    assert found == {"CAT:1": (5, 3), "CAT:2": (4, 3), "CAT:3": (2, 2)}
    (edge,) = library.graph.show(["sleep", "CAT:2"], depth=1).edges
    assert (edge.source, edge.target, edge.sentences) == ("CAT:1", "CAT:2", 3)
    library.graph.merge("CAT:1", "Cats/CAT:2")
    assert {one.id for one in library.graph.entities().entities} == {"CAT:2", "CAT:3"}, (
        "what was merged into it goes along"
    )
    merged = (("CAT:4", "CAT:3", "already merged into 'purring'"), ("CAT:2", "CAT:4", "already one entity"))
    for one, other, why in merged:
        with pytest.raises(UsageError, match=why):
            library.graph.merge(one, other)
    assert library.graph.link().linked == 0, "nothing that was found is changed"
    library.graph.unmerge("purring")
    assert {one.id: (one.sentences, one.papers) for one in library.graph.entities().entities} == found
    library.graph.unmerge("sleep")
    assert library.graph.entities().entities == before
    with pytest.raises(NotFoundError, match="was not merged"):
        library.graph.unmerge("CAT:4")


@settings(max_examples=settings.default.max_examples // 3)
@given(st.data())
def test_merges_outlive_what_lies_between(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whoever removes a vocabulary would lose what he said of the concepts of others."""
    with open_library(tmp_path_factory.mktemp("merges") / "lib") as opened:
        every = [f"{name}:{number}" for name in "ABC" for number in range(3)]
        for name in "ABC":
            put_vocabulary(opened, {one: (one.lower().replace(":", " "),) for one in every if one[0] == name}, name)
        said: dict[str, str] = {}
        for one, other in data.draw(st.lists(st.tuples(*[st.sampled_from(every)] * 2), max_size=12)):
            with suppress(UsageError):
                opened.graph.merge(one, other)
                said[one] = other
        gone = data.draw(st.sets(st.sampled_from("ABC"), max_size=2))
        for name in gone:
            opened.vocabularies.remove(name)
        chains = {one: _chain(said, one) for one in said if one[0] not in gone}
        left = {one: [far for far in chain if far[0] not in gone] for one, chain in chains.items()}
        keys = {one: entities.find_concepts(opened.session.catalog, one) for one in every if one[0] not in gone}
        assert keys == {one: _own(opened, (left.get(one) or [one])[-1]) for one in keys}
        assert {one.entity: one.into for one in opened.graph.merges()} == {o: far[0] for o, far in left.items() if far}


def _chain(said: dict[str, str], one: str) -> list[str]:
    found = []
    while one in said:
        found.append(one := said[one])
    return found


def _own(library: Library, name: str) -> list[int]:
    return entities.find_concepts(library.session.catalog, name, resolved=False)


def test_a_vocabulary_that_comes_again_is_linked_again(library: Library, tmp_path: Path) -> None:
    table = write(tmp_path / "moods.csv", "id,label\nM:1,sleep\nM:2,cats\n")
    library.vocabularies.add(table)
    library.graph.link()
    before = library.graph.entities().entities
    library.vocabularies.remove("moods")
    library.vocabularies.add(table)
    assert "M:2" not in {one.id for one in library.graph.entities().entities}
    assert library.graph.link().linked == 3 and library.graph.entities().entities == before


@pytest.mark.parametrize("name", ["", "!!!"])
def test_no_name_is_no_entity(library: Library, name: str) -> None:
    put_vocabulary(library, {"X:1": ("*.*",)}, "Signs")
    with pytest.raises(NotFoundError, match="No vocabulary"):
        library.graph.show([name])


def test_what_a_model_stated_is_an_edge_of_its_own(library: Library) -> None:
    library.graph.link()
    catalog = library.session.catalog
    keys = {one.id: key for key, one in kept.read_entities(catalog, kept.count_mentions(catalog)).items()}
    (paper,) = [one for one in library.papers() if one.title == "One"]
    passage = next(iter(library.passages(paper.id)))
    row = {
        "passage": passage.id.partition(".")[2],
        "spans": pack([passage.spans[0].id.partition(".")[2]]),
        "model": "m",
    }
    with writing(catalog.engine) as connection:
        two = {"concept_key": keys["CAT:1"], "other_key": keys["CAT:3"]}
        connection.execute(insert(graph_tables.relations), {"paper_key": catalog.paper_key(paper.id), **two, **row})
    found = library.graph.show(["purring", "mouse"], depth=1)
    assert [(one.kind, one.examples[0].quote) for one in found.edges] == [("stated", passage.spans[0].text)]


def test_nothing_is_asked_in_vain(library: Library) -> None:
    with pytest.raises(NotFoundError, match="speaks of 'mouse'"):
        library.graph.show(["mouse"])
    library.graph.link()
    with pytest.raises(NotFoundError, match="No vocabulary"):
        library.graph.show(["quokka"])
    with pytest.raises(UsageError):
        library.graph.show(["mouse"], depth=9)
    with pytest.raises(UsageError):
        library.graph.show("mouse")


def test_without_a_vocabulary(tmp_path: Path) -> None:
    with open_library(tmp_path / "lib") as library, pytest.raises(UsageError, match="no vocabulary"):
        library.graph.link()


@settings(max_examples=settings.default.max_examples // 5)
@given(st.sets(st.sampled_from(sorted(PAPERS)), min_size=1), st.booleans())
def test_what_is_removed_is_gone_exactly(tmp_path_factory: pytest.TempPathFactory, stay: set[str], early: bool) -> None:
    folder = tmp_path_factory.mktemp("removed")
    files = {name: write(folder / f"{name}.md", text) for name, text in PAPERS.items()}
    graphs = []
    for name, wanted in (("all", PAPERS.keys()), ("some", stay)):
        with open_library(folder / name) as library:
            put_vocabulary(library)
            library.add([files[one] for one in sorted(wanted)])
            if early:
                library.graph.link()
            for one in [one.id for one in library.papers() if one.title.lower() not in stay]:
                library.remove(one)
            library.graph.link()
            ids = {key: one.id for key, one in library.session.catalog.papers_by_key(list(range(99))).items()}
            rows = {(ids[row[0]], *row[1:]) for row in table_rows(library)["mentions"]}
            graphs.append((rows, library.graph.entities().entities))
    assert graphs[0] == graphs[1]


def test_a_removal_is_undone_with_its_mentions(library: Library) -> None:
    """A paper that comes back would not be in the graph, or could not come back."""
    library.graph.link()
    before = library.graph.entities().entities
    paper = next(one.id for one in library.papers() if one.title == "One")
    library.remove(paper)
    assert library.graph.entities().entities != before
    assert library.undo_remove("last").id == paper
    assert library.graph.entities().entities == before and library.graph.mentions(paper)


def test_what_was_found_in_other_words_goes(library: Library, tmp_path: Path) -> None:
    library.graph.link()
    library.add(write(tmp_path / "two.md", markdown("Two", "A mouse brings nothing.", year="1999")))
    assert "CAT:4" not in {one.id for one in library.graph.entities(filters=Filters(year=(1999, 1999))).entities}
    assert library.graph.link().linked == 1


def test_what_a_paper_spoke_of_comes_back_with_it(library: Library) -> None:
    library.graph.link()
    before = library.graph.entities().entities
    library.remove(next(library.papers()).id)
    assert library.graph.entities().entities != before
    library.undo_remove()
    assert library.graph.entities().entities == before and library.graph.link().linked == 0


def test_a_library_that_was_changed_is_no_longer_what_a_backup_held(library: Library, tmp_path: Path) -> None:
    """Else restoring it once more would say that it was done, and leave a merge that was made since."""
    library.graph.link()
    library.backup(backup := tmp_path / "kept.zip")
    with open_library(tmp_path / "copy") as copy:
        copy.restore(backup)
        copy.graph.merge("sleep", "CAT:1")
        with pytest.raises(UsageError):
            copy.restore(backup)
        copy.restore(backup, replace=True)
        assert copy.graph.merges() == () and copy.graph.entities().entities == library.graph.entities().entities


def test_another_method_links_anew_and_stays(library: Library) -> None:
    """Else mentions would be of two methods, or misprints stay unfound until each `link` is told of them."""
    one = library.graph.link()
    paper = next(one.id for one in library.papers() if one.title == "Three")
    library.vocabularies.name("nothing", "use", concept="CAT:1")
    library.graph.link()
    assert ("Nothing", "learnt") in {(one.text, one.method) for one in library.graph.mentions(paper)}
    assert [
        library.graph.link(method="fuzzy").linked,
        library.graph.link().linked,
        library.graph.link(method="both").linked,
    ] == [3, 0, 3]
    if not library.session.catalog.is_shared:
        assert len(list((library_cache(library.folder) / "linking").glob("*.npy"))) == 1
    assert [library.graph.link(method="exact").linked, one.linked] == [3, 3]
    with pytest.raises(UsageError, match="no way of linking 'nearly'"):
        library.graph.link(method="nearly")


def test_misprints_are_found_where_they_are_asked_for(tmp_path: Path) -> None:
    """Else what a recogniser misread would be in no graph; that it was so is told with the mention."""
    with open_library(tmp_path / "lib") as library:
        library.add([write(tmp_path / "one.md", markdown("One", "A hippocampis is large. An amygdala is small."))])
        put_vocabulary(library, {"A:1": ("hippocampus",), "A:2": ("amygdala",)})
        assert library.graph.link().mentions == 1
        assert library.graph.link(method="fuzzy").mentions == 2
        (found,) = [one for one in library.graph.mentions(next(iter(library.papers())).id) if one.entity == "A:1"]
        assert found.method == "fuzzy" and found.score < 1
