"""What users keep about papers: tags, collections, notes."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus import Filters, Library
from conspectus.core.errors import LibraryError, NotFoundError, UsageError
from conspectus.core.job_context import Notice, listen
from conspectus.records.curation import LONGEST_NAME, checked_name
from conspectus.records.filters import set_term
from conspectus.store.schema import CHILDREN
from helpers import assert_consistent, open_library, statements, table_rows, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
RECORDS = [
    {"title": f"Cells {n}", "abstract": f"Grid cells of kind {n} fire. They like theta.", "doi": f"10.1000/{n}"}
    for n in range(5)
]


@pytest.fixture
def library(tmp_path: Path) -> Any:
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", RECORDS))
        yield library


def titles(library: Library, query: str = "grid cells", filters: Filters | None = None) -> set[str]:
    return {hit.paper.title for hit in library.search(query, 10, filters).hits}


def test_a_tag_is_on_papers_and_filters_them(library: Library) -> None:
    """What was marked to be read would not be found again."""
    library.collections.tag("To read", ["10.1000/1", "10.1000/2"])
    assert library.collections.tag("TO READ", "10.1000/3").papers == 3, "in any case it is one"
    assert [(one.name, one.papers) for one in library.collections.tags()] == [("To read", 3)]
    asked = Filters(tag="to read")
    assert titles(library, filters=asked) == titles(library, 'grid tag:"to read"') == {"Cells 1", "Cells 2", "Cells 3"}
    assert titles(library, 'grid -tag:"to read"') == {"Cells 0", "Cells 4"}
    assert titles(library, 'tag:"to read" OR title:4') == {"Cells 1", "Cells 2", "Cells 3", "Cells 4"}
    assert library.count("grid", asked).papers == library.count("", asked).papers == 3
    assert [paper.tags for paper in library.papers(asked)] == [("To read",)] * 3
    library.collections.untag("to read", "10.1000/1")
    assert titles(library, filters=asked) == {"Cells 2", "Cells 3"}, "at once"
    assert library.collections.untag("to read").taken_off == 2 and library.collections.tags() == ()
    assert "No paper has the tag 'to read'" in library.search("grid", filters=asked).note


def test_a_collection_limits_what_is_asked(library: Library, tmp_path: Path) -> None:
    """A question to some papers would be answered from all."""
    made = library.collections.add("Grid; cells", ["10.1000/0", "10.1000/4"])
    for name in ("grid; CELLS", made.id):
        asked = Filters(collection=name)
        assert titles(library, filters=asked) == {"Cells 0", "Cells 4"}
        assert library.export("bibtex", tmp_path / "out.bib", filters=asked) == 2
    answer = library.ask("Which grid cells fire?", Filters(collection=made.id))
    assert {cited.paper.title for one in answer.statements for cited in one.citations} <= {"Cells 0", "Cells 4"}
    assert library.answers.show().filters == Filters(collection=(made.id,)), "it is asked again of the same"
    assert library.collections.rename("grid; cells", "Others").id == made.id
    library.collections.remove("others", "10.1000/0")
    assert titles(library, "collection:others") == {"Cells 4"} == titles(library, "collection:others grid")
    assert (
        library.collections.add("Empty").papers == 0 and titles(library, filters=Filters(collection="empty")) == set()
    )
    with pytest.raises(UsageError):
        library.collections.rename("empty", "OTHERS")
    assert library.collections.delete("others").papers == 1
    assert [one.name for one in library.collections.list()] == ["Empty"] and library.counts()["papers"] == 5


def test_many_make_the_same_at_the_same_time(library: Library) -> None:
    """Two pages that put a new tag on papers would see an error, or the tag be there twice."""
    ids = [paper.id for paper in library.papers()]
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda number: library.collections.tag("new", ids[number % 5]).id, range(16)))
    assert len(set(made)) == 1 and [one.papers for one in library.collections.tags()] == [5]


def test_many_papers_are_collected_at_once(library: Library) -> None:
    """A selection of thousands would take a minute, each paper looked up by itself."""
    ids = [paper.id for paper in library.papers()]
    with statements(library) as said:
        library.collections.add("few", ids[:1])
    few = len(said)
    with statements(library) as said:
        library.collections.add("all", ids)
    assert len(said) == few and library.collections.show("all").papers == len(ids)


@pytest.mark.parametrize("asked", [Filters(collection="gone"), Filters(collection=("gone", "there"))])
def test_a_collection_that_is_not_there_is_no_empty_one(library: Library, asked: Filters) -> None:
    """Who misspells a name would believe that its papers say nothing."""
    library.collections.add("There", "10.1000/0")
    for ask in (
        lambda: library.search("grid", filters=asked),
        lambda: library.count("", asked),
        lambda: library.count("grid", asked),
        lambda: list(library.papers(asked)),
        lambda: library.ask("Which grid cells fire?", asked),
    ):
        with pytest.raises(NotFoundError, match="no collection 'gone'"):
            ask()


def test_notes_stay_as_they_were_written(library: Library) -> None:
    """Lines of Markdown would run together, or a terminal be commanded."""
    note = library.collections.note("10.1000/1", "# Mine\n\n- a\x1b[31m\n- <b>b</b>\u202e")
    assert note.text == "# Mine\n\n- a\n- <b>b</b>"
    other = library.collections.note("10.1000/1", "Second")
    assert [one.id for one in library.collections.notes("10.1000/1")] == [
        note.id,
        other.id,
    ] and library.collections.notes("10.1000/2") == ()
    assert (
        library.collections.edit_note(note.id[:8], "New").text == "New"
        and library.collections.delete_note(other.id).text == "Second"
    )
    assert [(one.text, one.paper) for one in library.collections.notes()] == [("New", library.paper("10.1000/1").id)]
    for text in ("", " \u200b\n", "x" * 20_001):
        with pytest.raises(UsageError):
            library.collections.note("10.1000/1", text)


@pytest.mark.parametrize("name", ["", " ", "\u200b\u202e", "x" * 10_000, "\x1b]0;x\x07"])
def test_names_that_nobody_can_read_are_refused(library: Library, name: str) -> None:
    """A tag could not be seen, or would fill the page."""
    with pytest.raises(UsageError):
        library.collections.tag(name, "10.1000/1")
    with pytest.raises(UsageError):
        library.collections.add(name)
    assert library.collections.tags() == library.collections.list() == ()


@given(st.text(max_size=120))
def test_a_name_is_one_line_and_found_by_itself(name: str) -> None:
    """Two tags would look the same, or one not be found by what is shown of it."""
    try:
        kept = checked_name(name, "tag")
    except UsageError:
        return
    assert kept == checked_name(kept, "tag") and len(kept) <= LONGEST_NAME and "\n" not in kept
    assert set_term(kept) == set_term(name)


def test_it_stays_when_a_paper_is_read_again(library: Library, tmp_path: Path) -> None:
    """A changed file, or another that speaks of the paper, would cost what was written about it."""
    library.collections.tag("a", "10.1000/1")
    library.collections.add("b", "10.1000/1")
    library.collections.note("10.1000/1", "c")
    write_jsonl(tmp_path / "a.jsonl", [{**one, "title": one["title"] + " anew"} for one in RECORDS])
    library.add(
        [tmp_path / "a.jsonl", write_jsonl(tmp_path / "b.jsonl", [{"doi": "10.1000/1", "title": "Cells 1 anew"}])]
    )
    paper = library.paper("10.1000/1")
    assert (paper.title, paper.tags, paper.collections) == ("Cells 1 anew", ("a",), ("b",))
    assert [one.text for one in library.collections.notes(paper.id)] == ["c"]


def test_two_that_become_one_have_what_either_had(tmp_path: Path) -> None:
    """What was kept about the one that is taken up would be lost."""
    with open_library(tmp_path / "lib") as library:
        two = [{"title": "Eels swim", "doi": "10.1000/e"}, {"title": "Eels swim", "arxiv_id": "2101.00001"}]
        library.add(write_jsonl(tmp_path / "a.jsonl", two))
        library.collections.tag("both", ["10.1000/e", "2101.00001"])
        library.collections.tag("one", "2101.00001")
        library.collections.add("set", "2101.00001")
        library.collections.note("2101.00001", "late")
        library.collections.note("10.1000/e", "early")
        library.add(
            write_jsonl(tmp_path / "b.jsonl", [{"title": "Eels swim", "doi": "10.1000/e", "arxiv_id": "2101.00001"}])
        )
        (paper,) = library.papers()
        assert (paper.tags, paper.collections) == (("both", "one"), ("set",))
        assert {one.text for one in library.collections.notes(paper.id)} == {"early", "late"}
        library.split(paper.id)
        assert {one.tags for one in library.papers()} == {("both", "one"), ()}, "it stays with the first"
        assert_consistent(library)


@given(st.lists(st.sampled_from("ABCDE"), unique=True), st.data())
@settings(max_examples=settings.default.max_examples // 5)
def test_removing_a_paper_removes_what_was_kept_about_it_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, gone: list[str], data: st.DataObject
) -> None:
    """A removed paper would leave a trace, or take another's notes with it."""
    folder = tmp_path_factory.mktemp("exact")
    with open_library(folder / "lib") as library:
        for letter in "ABCDE":
            library.add(write(folder / f"{letter}.md", f"# Of {letter}\n\nThe {letter} sings at night.\n"))
        ids = {Path(paper.files[0].path).stem: paper.id for paper in library.papers()}
        own = {letter: data.draw(st.sets(st.sampled_from(("x", "y", letter)))) for letter in ids}
        for letter, names in own.items():
            for name in names:
                library.collections.tag(name, ids[letter])
            library.collections.add("all", ids[letter])
            library.collections.note(ids[letter], f"about {letter}")
        for letter in gone:
            library.remove(ids[letter])
        left = {letter: name for letter, name in ids.items() if letter not in gone}
        assert {one.name: one.papers for one in library.collections.tags()} == {
            name: number for name in ("x", "y", *left) if (number := sum(name in own[letter] for letter in left))
        }
        assert library.collections.list()[0].papers == len(left)
        assert {one.text for one in library.collections.notes()} == {f"about {letter}" for letter in left}
        rows = table_rows(library)
        for table, column in CHILDREN:
            if table.name in ("set_papers", "notes"):
                at = [one.name for one in table.columns].index(column.name)
                parent = next(iter(column.foreign_keys)).column.table.name
                assert {row[at] for row in rows[table.name]} <= {row[0] for row in rows[parent]}


def test_it_is_in_backups_and_exports(library: Library, tmp_path: Path) -> None:
    """Who restores a library would have the papers, and not the years of work on them."""
    library.collections.tag("a", "10.1000/1")
    library.collections.add("b", "10.1000/1")
    library.collections.note("10.1000/1", "c")
    library.backup(tmp_path / "lib.zip")
    with open_library(tmp_path / "other") as other:
        other.restore(tmp_path / "lib.zip")
        assert other.paper("10.1000/1").tags == ("a",) and other.paper("10.1000/1").collections == ("b",)
        assert [one.text for one in other.collections.notes()] == ["c"]


def test_a_change_that_fails_in_the_middle_changes_nothing(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full between two steps would leave half of a change."""
    library.collections.tag("kept", "10.1000/0")
    made = library.collections.add("mine", "10.1000/0")

    def broken(*_: Any) -> None:
        raise LibraryError("No room.", "Make some.")

    monkeypatch.setattr("conspectus.curation.sql.take_from_set", broken)
    with pytest.raises(LibraryError):
        library.collections.change_tags("10.1000/1", add=["new", "kept"], remove=["kept"])
    with pytest.raises(LibraryError):
        library.collections.change("mine", rename="other", add=["10.1000/1"], remove=["10.1000/0"])
    monkeypatch.undo()
    assert [(one.name, one.papers) for one in library.collections.tags()] == [
        ("kept", 1)
    ] and library.collections.list() == (made,)


def test_what_is_put_on_can_be_taken_off_at_once(library: Library) -> None:
    """Tags would be taken off as they were before the change, or a collection be found under its old name."""
    assert library.collections.change_tags(["10.1000/0"], add=["a", "b"], remove=["A"]) == library.collections.tags()
    assert [one.name for one in library.collections.tags()] == ["b"]
    made = library.collections.add("x", ["10.1000/0", "10.1000/1"])
    changed = library.collections.change("X", rename="y", add="10.1000/2", remove=["10.1000/0", "10.1000/1"])
    assert (changed.id, changed.name, changed.papers) == (made.id, "y", 1)
    assert titles(library, filters=Filters(collection="y")) == {"Cells 2"}


def test_what_is_kept_is_in_json_lines_and_no_part_of_a_paper(library: Library, tmp_path: Path) -> None:
    """Who leaves with a list of papers leaves the notes behind; or adding the list again would change the papers."""
    library.collections.tag("to read", ["10.1000/1", "10.1000/2"])
    library.collections.add("Mine", "10.1000/1")
    library.collections.note("10.1000/1", "**Compare.**")
    library.export("jsonl", tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    kept = {one["doi"]: one["conspectus"] for one in lines if "conspectus" in one}
    assert kept.keys() == {"10.1000/1", "10.1000/2"} and kept["10.1000/2"] == {"tags": ["to read"]}
    (note,) = kept["10.1000/1"].pop("notes")
    assert kept["10.1000/1"] == {"tags": ["to read"], "collections": ["Mine"]} and note["text"] == "**Compare.**"
    before = list(library.papers())
    library.add(tmp_path / "out.jsonl")
    assert [replace(paper, files=()) for paper in library.papers()] == [replace(paper, files=()) for paper in before]
    assert len(library.collections.notes()) == 1, "the same note is not kept twice"


@pytest.mark.parametrize("to", ["jsonl", "library"])
def test_what_was_kept_comes_with_the_papers(library: Library, tmp_path: Path, to: str) -> None:
    """Who moves to another library by an export would tag all papers anew."""
    library.collections.tag("to read", ["10.1000/1", "10.1000/2"])
    library.collections.add("Mine", "10.1000/1")
    for text in ("**Compare.**", "And again."):
        library.collections.note("10.1000/1", text)
    library.export(to, tmp_path / "out.jsonl")
    told: list[Notice] = []
    with open_library(tmp_path / "other") as other:
        with listen(told.append, Notice):
            other.add(tmp_path / "out.jsonl")
        assert "notes and edits of 2 papers" in told[-1].text and "could not" not in told[-1].text
        for name in ("10.1000/0", "10.1000/1", "10.1000/2"):
            mine, its = library.paper(name), other.paper(name)
            assert (its.tags, its.collections, its.extra) == (mine.tags, mine.collections, mine.extra)
            assert [note.text for note in other.collections.notes(name)] == [
                note.text for note in library.collections.notes(name)
            ]
        other.collections.untag("to read")
        other.add(tmp_path / "out.jsonl")
        assert not other.collections.tags(), "what is taken off stays off"


def test_what_cannot_be_taken_over_is_told(tmp_path: Path) -> None:
    """A file by somebody else would end the run, or pass in silence."""
    wrong = ({"tags": 3}, {"tags": [""]}, {"notes": [{"text": "x" * 20_001}]}, {"tags": ["x" * 101]}, [], "x")
    records = [{"title": f"Eels {n}", "abstract": "They swim.", "conspectus": one} for n, one in enumerate(wrong)]
    told: list[Notice] = []
    with open_library(tmp_path / "lib") as library:
        with listen(told.append, Notice):
            report = library.add(write_jsonl(tmp_path / "a.jsonl", records))
        assert not report.failed and len(list(library.papers())) == len(wrong) and not library.collections.tags()
        assert "5 could not be imported" in told[-1].text


def test_a_note_that_cannot_be_kept_takes_nothing_along(tmp_path: Path) -> None:
    """The paper's tags, and its other notes, would be lost for one that is too long; and which paper it is not told."""
    kept = {"tags": ["fish"], "notes": [{"text": "x" * 20_001}, {"text": "Good."}]}
    record = {"title": "Eels", "abstract": "They swim.", "conspectus": kept}
    told: list[Notice] = []
    with open_library(tmp_path / "lib") as library:
        with listen(told.append, Notice):
            library.add(write_jsonl(tmp_path / "a.jsonl", [record]))
        assert library.paper("Eels").tags == ("fish",) and [
            note.text for note in library.collections.notes("Eels")
        ] == ["Good."]
        assert "1 could not be imported, such as: 'Eels': " in told[-1].text


def test_who_stops_it_is_told_that_some_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`add` says that it goes on from there, and these it does not read again."""
    record = {"title": "Eels", "abstract": "They swim.", "conspectus": {"tags": ["fish"]}}
    source = write_jsonl(tmp_path / "a.jsonl", [record])
    told: list[Notice] = []

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with open_library(tmp_path / "lib") as library:
        with monkeypatch.context() as patched, listen(told.append, Notice), pytest.raises(KeyboardInterrupt):
            patched.setattr("conspectus.curation.sql.put_in_set", stop)
            library.add(source)
        assert "not" in told[-1].text
        library.remove("Eels")
        library.add(source)
        assert library.paper("Eels").tags == ("fish",), "as it was told"
