"""What users say is otherwise: edited fields of papers, removals undone, feedback on answers."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from conspectus import Filters, Library
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.papers import removed_papers
from conspectus.store import removal, schema
from helpers import HashEmbedder, assert_consistent, markdown, open_library, table_rows, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
TEXTS = ("Grid cells fire while rats run in the dark.", "They like the theta rhythm, too.")


@pytest.fixture
def library(tmp_path: Path) -> Any:
    with open_library(tmp_path / "lib") as library:
        front = {"doi": "10.1000/a", "year": "2001", "abstract": "An abstract about grids."}
        library.add(write(tmp_path / "a.md", markdown("Wrnog title", *TEXTS, **front)))
        yield library


def add_record(library: Library, folder: Path, **fields: Any) -> None:
    library.add(write_jsonl(folder / f"{len(list(folder.iterdir()))}.jsonl", [fields]))


def test_what_is_written_by_hand_is_searched_filtered_and_exported(library: Library) -> None:
    """A title that was mended would be wrong wherever it is used."""
    changes = {"title": "Right title", "year": "2007", "authors": "Moser, Edvard; The Team", "venue": "Nature"}
    paper = library.edit("10.1000/a", changes).paper
    assert (paper.title, paper.year, paper.venue) == ("Right title", 2007, "Nature")
    assert [author.surname for author in paper.authors] == ["Moser", "Team"]
    assert paper.edited == ("authors", "title", "venue", "year")
    asked = Filters(year=(2007, 2007), author="moser", venue="nature")
    for query in ("theta", "right title", 'title:"right title" author:moser', "year:2007 venue:nature"):
        assert [hit.paper.id for hit in library.search(query, filters=asked).hits] == [paper.id], query
    assert not library.search("title:wrnog").hits and not library.search("theta year:2001").hits
    out = io.StringIO()
    library.export("bibtex", out)
    assert "Right title" in out.getvalue() and "Moser, Edvard" in out.getvalue()
    assert library.paper("right TITLE").id == paper.id and library.parsed(paper.id).metadata.title == "Right title"
    assert_consistent(library)


def test_an_edited_abstract_is_what_is_read(library: Library) -> None:
    """The old words would still be quoted."""
    paper = library.edit("10.1000/a", {"abstract": "Zebras gallop in herds."}).paper
    assert [one.text for one in library.passages(paper.id) if one.kind == "abstract"] == ["Zebras gallop in herds."]
    assert "Zebras gallop" in library.search("zebras gallop").hits[0].passage.text
    library.edit(paper.id, revert=["abstract"])
    assert [one.text for one in library.passages(paper.id) if one.kind == "abstract"] == ["An abstract about grids."]


def test_it_goes_before_whatever_comes_later(library: Library, tmp_path: Path) -> None:
    """Work by hand would be lost when the file is read again, or its BibTeX added."""
    paper = library.edit("10.1000/a", {"title": "Right title", "venue": ""}).paper
    add_record(library, tmp_path, doi="10.1000/a", title="Wrnog title", venue="Cell", keywords=["k"], year=2002)
    now = library.paper(paper.id)
    assert (now.title, now.venue, now.keywords, now.year, len(now.files)) == ("Right title", "", ("k",), 2002, 2)
    front = {"doi": "10.1000/a", "abstract": "Otherwise."}
    library.add(write(tmp_path / "a.md", markdown("Wrong title yet", *TEXTS, **front)))
    now = library.paper("10.1000/a")
    assert (now.id, now.title, now.abstract, now.edited) == (paper.id, "Right title", "Otherwise.", ("title", "venue"))
    assert library.counts()["papers"] == 1
    library.edit(paper.id, revert=["title", "venue"])
    now = library.paper(paper.id)
    assert (now.title, now.venue, now.edited) == ("Wrnog title", "Cell", ())
    assert_consistent(library)


def test_it_is_there_when_papers_are_cut_or_embedded_anew(library: Library, tmp_path: Path) -> None:
    """Another setting would bring the wrong title back."""
    library.edit("10.1000/a", {"title": "Right title"})
    library.close()
    with open_library(tmp_path / "lib", passages__chars=200, passages__overlap=40) as again:
        again.add(write(tmp_path / "b.md", markdown("Other", "Dogs bark.")))
        assert again.paper("10.1000/a").title == "Right title"
    with open_library(tmp_path / "lib", HashEmbedder("hash/2")) as other:
        other.reindex()
        assert other.search("right title").hits[0].paper.edited == ("title",)
        assert_consistent(other)


def test_the_year_and_the_date_follow_each_other(library: Library, tmp_path: Path) -> None:
    """A paper of 2007 would be ranked as one of 2001, by the date that a file says."""
    add_record(library, tmp_path, doi="10.1000/a", title="Wrnog title", date="2001-03-07")
    for changes, year, date in (
        ({"year": 2007}, 2007, ""),
        ({"year": 2001}, 2001, "2001-03-07"),
        ({"date": "2018-05"}, 2018, "2018-05"),
        ({"year": None}, None, ""),
    ):
        paper = library.edit("10.1000/a", changes).paper
        assert (paper.year, paper.date) == (year, date), changes
    paper = library.edit("10.1000/a", revert=["year"]).paper
    assert (paper.year, paper.date, paper.edited) == (2001, "2001-03-07", ())
    with pytest.raises(UsageError):
        library.edit("10.1000/a", {"year": 1999, "date": "2001-01"})


def test_a_paper_is_known_by_the_identifier_that_was_written(library: Library, tmp_path: Path) -> None:
    """Its BibTeX would be another paper."""
    paper = library.edit("10.1000/a", {"doi": "https://doi.org/10.1000/OTHER"}).paper
    assert paper.doi == "10.1000/other" and library.paper("10.1000/other").id == paper.id
    add_record(library, tmp_path, doi="10.1000/other", title="Wrnog title", citation_count=7)
    (one,) = library.papers()
    assert (one.id, one.citation_count) == (paper.id, 7)
    library.edit(paper.id, revert=["doi"])
    assert sorted(paper.doi for paper in library.papers()) == ["10.1000/a", "10.1000/other"], (
        "as if it was never written"
    )
    assert_consistent(library)


def test_a_wrong_identifier_is_taken_away_without_taking_the_paper_apart(library: Library, tmp_path: Path) -> None:
    """The PDF and its BibTeX would be two papers, because both of them name a wrong DOI."""
    add_record(library, tmp_path, doi="10.1000/a", title="Wrnog title", venue="Cell")
    paper = library.edit("10.1000/a", {"doi": ""}).paper
    assert (paper.doi, paper.venue, library.counts()["papers"]) == ("", "Cell", 1)
    assert_consistent(library)


def test_writing_the_identifier_of_another_makes_them_one(library: Library, tmp_path: Path) -> None:
    """The two would stay apart until the file changes; what was written of the later one would be lost."""
    add_record(library, tmp_path, doi="10.1000/late", title="Wrnog title", year=2001)
    later = library.edit("10.1000/late", {"venue": "Nature"}).paper
    library.collections.tag("t", later.id)
    found = library.edit(later.id, {"doi": "10.1000/a"}).paper
    (one,) = library.papers()
    assert (one.id, one.venue, one.tags, one.edited) == (found.id, "Nature", ("t",), ("doi", "venue"))
    library.split(one.id)
    assert sorted(paper.edited for paper in library.papers()) == [(), ("doi", "venue")]
    assert_consistent(library)


@pytest.mark.parametrize(
    "changes",
    [
        {"nope": 1}, {"year": "abc"}, {"year": 99999}, {"year": True}, {"doi": "nonsense"}, {"title": "x" * 10_000},
        {"title": ["a"]}, {"authors": 5}, {"authors": ["\u200b"]}, {"title": "\u200b\u202e"}, {"date": "2001-13"},
        {"citation_count": -1}, {"keywords": {"a": 1}}, {"id": "x"}, {"references": ["x"]},
        {"title": "Ok", "pmid": "x"}, {"url": "javascript:alert(1)"},
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(library: Library, changes: dict[str, Any]) -> None:
    """A field would be wrong, or empty, and nobody know why."""
    before = library.paper("10.1000/a")
    with pytest.raises(UsageError):
        library.edit("10.1000/a", changes)
    with pytest.raises(UsageError):
        library.edit("10.1000/a", revert=["nope"])
    assert library.paper("10.1000/a") == before


def test_characters_that_lie_do_not_come_in_by_hand(library: Library) -> None:
    """What is shown of a title would be something else."""
    assert library.edit("10.1000/a", {"title": "a\u202eb <script>\x1b[31m\nc"}).paper.title == "ab <script> c"


def test_what_was_edited_is_told_and_kept(library: Library, tmp_path: Path) -> None:
    """Nobody would know what a file says and what a colleague has written."""
    library.edit("10.1000/a", {"title": "Right title", "authors": ["Moser, Edvard", "The Team"]})
    told = {one.field: (one.value, one.files_say) for one in library.edits("10.1000/a")}
    assert told == {"title": ("Right title", "Wrnog title"), "authors": ("Moser, Edvard; The Team", "")}
    library.backup(tmp_path / "lib.zip")
    with open_library(tmp_path / "other") as other:
        other.restore(tmp_path / "lib.zip")
        assert other.paper("10.1000/a").edited == ("authors", "title") and len(other.edits("10.1000/a")) == 2
    library.export("library", tmp_path / "all.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text("utf-8").splitlines()]
    (paper,) = [line for line in lines if line["schema"] == "conspectus.paper/1"]
    assert paper["edits"]["title"] == paper["record"]["title"] == "Right title"
    library.remove("10.1000/a")
    library.add(tmp_path / "a.md")
    assert library.paper("10.1000/a").edited == (), "removed is removed"


def test_feedback_on_answers(library: Library, tmp_path: Path) -> None:
    """What was good and what was wrong would be forgotten."""
    answer = library.ask("Do grid cells fire in the dark?")
    assert answer.statements
    library.answers.judge(answer.id, verdict="up", comment="Just so.\nYes\x1b[2J")
    library.answers.judge(answer.id, verdict="up")
    library.answers.judge("last", verdict="down", comment="=1+1", statement=1)
    assert [(one.statement, one.verdict, one.comment) for one in library.answers.feedback()] == [
        (0, "up", "Just so.\nYes"),
        (1, "down", "=1+1"),
    ]
    for wrong in ({"statement": 99}, {"statement": -1}, {"verdict": "sideways"}, {"comment": "x" * 20_001}):
        with pytest.raises((NotFoundError, UsageError)):
            library.answers.judge(answer.id, **wrong)
    written = library.answers.export_feedback(to="csv")
    assert written.feedback == 2
    rows = list(csv.DictReader(io.StringIO(written.text, newline="")))
    assert rows[1]["comment"] == "'=1+1" and rows[1]["text"] == answer.statements[0].text
    assert rows[0]["text"] == answer.text and rows[0]["question"] == answer.question
    written = library.answers.export_feedback(to="jsonl")
    assert [json.loads(line)["verdict"] for line in written.text.splitlines()] == ["up", "down"]
    with pytest.raises(UsageError):
        library.answers.judge(answer.id, verdict="up", remove=True)
    with pytest.raises(UsageError):
        library.answers.export_feedback(to="pdf")  # type: ignore[arg-type]
    library.export("library", tmp_path / "all.jsonl")
    assert json.loads((tmp_path / "all.jsonl").read_text("utf-8").splitlines()[-1])["feedback"][1]["verdict"] == "down"
    assert [one.statement for one in library.answers.judge(answer.id, remove=True, statement=1)] == [0]
    other = library.ask("Do they like theta?")
    library.answers.judge(other.id, verdict="down")
    library.answers.remove(answer.id)
    assert [one.answer for one in library.answers.feedback()] == [other.id]


def all_of_it(library: Library) -> dict[str, list[Any]]:
    """All rows but those that count changes, and numbers that rows of no child have."""
    rows = table_rows(library)
    left = {name: sorted(map(repr, found)) for name, found in rows.items() if name not in ("meta", "sqlite_sequence")}
    return left | {"evidence": sorted(repr(row[1:]) for row in rows["evidence"])}


@pytest.mark.parametrize("name", ["10.1000/a", "10.1000/r"])
def test_a_removal_is_undone_exactly(library: Library, tmp_path: Path, name: str) -> None:
    """Who clicked wrong would have lost a paper and all that was written about it."""
    add_record(library, tmp_path, doi="10.1000/r", title="Rats", abstract="Rats run in the dark.", venue="Cell")
    for one in ("10.1000/a", "10.1000/r"):
        library.collections.tag("both", one)
        library.collections.note(one, "note")
    library.collections.tag("own", name)
    library.collections.add("set", name)
    library.edit(name, {"year": 1999})
    answer = library.ask("Do grid cells fire in the dark?")
    before, shown = all_of_it(library), library.answers.show(answer.id).answer.statements
    paper = library.paper(name)
    assert library.remove(name).removed == (paper,)
    assert library.collections.tags()[0].papers == 1 and len(library.collections.tags()) == 1
    assert [(one.paper, one.title) for one in library.removals()] == [(paper.id, paper.title)]
    assert library.undo_remove() == paper
    assert all_of_it(library) == before
    assert library.answers.show(answer.id).answer.statements == shown
    assert library.search("dark", filters=Filters(tag="own")).hits[0].paper == paper
    assert library.removals() == () and not library.add(paper.files[0].path).added
    assert_consistent(library)
    with pytest.raises(NotFoundError):
        library.undo_remove(paper.id)


def test_what_was_removed_elsewhere_meanwhile_stays_away(library: Library, tmp_path: Path) -> None:
    """An undone removal would bring back a collection that was deleted since, or an answer."""
    paper = library.paper("10.1000/a")
    library.collections.add("gone", paper.id)
    library.collections.add("stays", paper.id)
    library.collections.tag("tag", paper.id)
    answer = library.ask("Do grid cells fire in the dark?")
    library.remove(paper.id)
    library.collections.delete("gone")
    library.answers.remove(answer.id)
    assert library.undo_remove(paper.id).collections == ("stays",) and library.collections.tags()[0].name == "tag"
    assert_consistent(library)


def test_what_cannot_be_undone_is_refused_whole(library: Library, tmp_path: Path) -> None:
    """A paper would be there twice, or rest on a file that says otherwise."""
    paper = library.paper("10.1000/a")
    file = tmp_path / "a.md"
    library.remove(paper.id)
    library.add(file)
    before = all_of_it(library)
    with pytest.raises(UsageError, match="in the library again"):
        library.undo_remove()
    assert all_of_it(library) == before and len(library.removals()) == 1
    library.remove(paper.id)
    library.add(write(file, markdown("Quite another", "Zebras gallop in herds.", doi="10.1000/z")))
    with pytest.raises(UsageError, match="read again since"):
        library.undo_remove(paper.id)
    assert [one.title for one in library.papers()] == ["Quite another"]
    assert_consistent(library)


def test_a_backup_that_is_restored_ends_what_could_be_undone(library: Library, tmp_path: Path) -> None:
    """Rows of one library would be put into another."""
    library.backup(tmp_path / "lib.zip")
    library.remove("10.1000/a")
    library.restore(tmp_path / "lib.zip", replace=True)
    assert library.removals() == () and library.counts()["papers"] == 1


def test_all_that_papers_have_can_come_back() -> None:
    """A table that a later version adds would be left out of what is undone."""
    own = {schema.papers}
    for table in schema.metadata.sorted_tables:
        parents = {next(iter(column.foreign_keys)).column.table for column in table.c if column.foreign_keys}
        if table is not schema.call_papers and parents & own:
            own.add(table)
            assert parents - own <= removal.NATURAL.keys(), table.name


def test_after_another_model_a_removal_is_not_undone(library: Library, tmp_path: Path) -> None:
    """Vectors of two models would lie in one index."""
    add_record(library, tmp_path, doi="10.1000/r", title="Rats", abstract="Rats run in the dark.")
    library.remove("10.1000/a")
    with open_library(tmp_path / "lib", HashEmbedder("hash/2")) as other:
        other.reindex()
    with pytest.raises(UsageError, match="another model"):
        library.undo_remove()


def test_removals_are_bounded(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that runs for weeks would hold all that was ever removed."""
    monkeypatch.setattr(removed_papers, "MOST", 2)
    records = [{"doi": f"10.1000/{n}", "title": f"Paper {n}", "abstract": f"Text {n}."} for n in range(4)]
    library.add(write_jsonl(tmp_path / "b.jsonl", records))
    for n in range(4):
        library.remove(f"10.1000/{n}")
    assert [one.title for one in library.removals()] == ["Paper 3", "Paper 2"]
    monkeypatch.setattr(removed_papers, "MOST_BYTES", 10)
    library.remove("10.1000/a")
    assert library.removals() == ()
