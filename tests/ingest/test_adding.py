"""`add`: what is new or changed is read, what is not is left alone, what is wrong is named."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from conspectus import Library
from conspectus.core.errors import LibraryError
from conspectus.ingest.adder import Adder
from conspectus.ingest.executor import LocalExecutor
from conspectus.parse.process.pool import ParsePool
from conspectus.parse.text.passages import passages
from conspectus.records.events import Progress
from helpers import HashEmbedder, assert_consistent, markdown, open_library, snapshot, statements, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")

CATS = markdown("Cats", "Cats purr when they are happy and warm.")
DOGS = markdown("Dogs", "Dogs bark when they hear a stranger come.")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as made:
        yield made


def titles(library: Library) -> list[str]:
    return sorted(paper.title for paper in library.papers())


def test_a_folder_is_added_and_found(library: Library, tmp_path: Path) -> None:
    """The first thing that anybody does."""
    folder = tmp_path / "papers"
    (folder / "deep").mkdir(parents=True)
    write(folder / "cats.md", CATS)
    write(folder / "deep" / "dogs.md", DOGS)
    write(folder / ".hidden.md", DOGS)
    write(folder / "picture.png", "not a paper")
    report = library.add(folder)
    assert [Path(row.path).name for row in report.added] == ["cats.md", "dogs.md"]
    assert not report.updated and not report.unchanged and not report.failed
    assert report.passed_over == {".png": 1}
    assert titles(library) == ["Cats", "Dogs"]
    assert library.search("purring cats").hits[0].paper.title == "Cats"
    assert {row.state for row in library.status().files} == {"indexed"}
    assert_consistent(library)


def test_a_file_takes_few_statements(library: Library, tmp_path: Path) -> None:
    """Each is a round trip to the server: with a distant server a folder of small files would take minutes."""
    counts = []
    library.add(write(tmp_path / "cats.md", CATS))
    for name, number in (("one", 1), ("eleven", 11)):
        (tmp_path / name).mkdir()
        for at in range(number):
            write(tmp_path / name / f"{at}.md", markdown(f"Dogs of {name} {at}", "Dogs bark at strangers."))
        with statements(library) as asked:
            library.add(tmp_path / name)
        counts.append(len(asked))
    assert (counts[1] - counts[0]) / 10 <= 44, counts


def test_what_is_unchanged_is_not_read_again(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else adding one paper to a library of thousands takes hours."""
    path, other = write(tmp_path / "cats.md", CATS), write(tmp_path / "dogs.md", DOGS)
    library.add([path, other])
    before = snapshot(library)
    os.utime(other, ns=(1, 1))  # copied or touched: another time, the same bytes

    def refuse(*_: Any) -> Any:
        raise AssertionError("it was read again")
        yield

    monkeypatch.setattr("conspectus.ingest.executor.ParsePool", ParsePool)
    monkeypatch.setattr("conspectus.parse.process.worker_process.WorkerProcess.read", refuse)
    for _ in range(2):
        report = library.add([path, other])
        assert [Path(row.path).name for row in report.unchanged] == ["cats.md", "dogs.md"]
        assert [row.state for row in report.unchanged] == ["unchanged", "unchanged"]
        assert report.rows == report.unchanged
    assert snapshot(library) == before
    change = library.session.catalog.change()
    library.add([path, other])
    assert library.session.catalog.change() == change, "the index would be built anew for nothing"


def test_an_edited_file_replaces_what_it_said(library: Library, tmp_path: Path) -> None:
    """Else both versions of a manuscript are quoted."""
    path = write(tmp_path / "paper.md", markdown("Cats", "Cats purr at 25 hertz when warm.", doi="10.1000/c"))
    library.add(path)
    paper = library.paper("10.1000/c")
    write(path, markdown("Cats, revised", "Cats purr at 30 hertz when warm.", doi="10.1000/c"))
    report = library.add(path)
    assert [row.path for row in report.updated] == [str(path)]
    assert titles(library) == ["Cats, revised"]
    assert library.paper("10.1000/c").id == paper.id
    words = " ".join(passage.text for passage in library.passages(paper.id))
    assert "30 hertz" in words and "25 hertz" not in words
    assert_consistent(library)


def test_an_edited_file_that_is_another_paper_now(library: Library, tmp_path: Path) -> None:
    """Else a file name used again leaves a paper behind that is in no file."""
    path = write(tmp_path / "paper.md", CATS)
    library.add(path)
    write(path, DOGS)
    library.add(path)
    assert titles(library) == ["Dogs"]
    assert_consistent(library)


def test_a_record_taken_out_of_its_file_takes_its_paper_along(library: Library, tmp_path: Path) -> None:
    """Else a corrected export cannot correct the library."""
    records = [{"id": f"r{number}", "title": f"Record {number}"} for number in range(150)]
    path = write_jsonl(tmp_path / "refs.jsonl", records)
    library.add(path)
    kept = {paper.external_id: paper.id for paper in library.papers()}
    write_jsonl(path, [*records[:40], *records[41:120], {"id": "new", "title": "A new one"}])
    report = library.add(path)
    assert (report.updated[0].papers, len(report.rows)) == (120, 1)
    now = {paper.external_id: paper.id for paper in library.papers()}
    assert set(now) == set(kept) - {"r40", *(f"r{number}" for number in range(120, 150))} | {"new"}
    assert all(now[name] == kept[name] for name in now if name != "new")
    assert_consistent(library)


def test_a_record_that_another_file_has_too_stays(library: Library, tmp_path: Path) -> None:
    """Else taking a record out of one bibliography takes it out of all."""
    both = {"title": "In both", "doi": "10.1000/both"}
    one = write_jsonl(tmp_path / "one.jsonl", [{**both, "venue": "Only here"}, {"title": "Alone"}])
    two = write_jsonl(tmp_path / "two.jsonl", [{**both, "year": 1999}])
    library.add([one, two])
    write_jsonl(one, [{"title": "Alone"}])
    library.add(one)
    paper = library.paper("10.1000/both")
    assert (paper.year, paper.venue, [file.path for file in paper.files]) == (1999, "", [str(two)])
    assert_consistent(library)


def test_only_what_is_new_is_embedded(tmp_path: Path) -> None:
    """Else an edited line in a file of 10,000 records embeds all of them again."""
    embedder = HashEmbedder()
    records = [{"title": f"Record {number}", "abstract": f"It says {number}."} for number in range(70)]
    path = write_jsonl(tmp_path / "refs.jsonl", records)
    with open_library(tmp_path / "lib", embedder) as library:
        library.add(path)
        embedder.embedded.clear()
        write_jsonl(path, [*records[:69], {"title": "Record 69", "abstract": "It says something else."}])
        library.add(path)
        assert len(embedder.embedded) == 1 and "something else" in embedder.embedded[0]


def test_a_new_paper_is_cut_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a large library takes longer to fill: its papers are cut to be embedded ahead, and again to be stored."""
    cut: list[str] = []

    def counted(name: str, *args: Any, **settings: Any) -> Any:
        cut.append(name)
        return passages(name, *args, **settings)

    monkeypatch.setattr("conspectus.ingest.paper_store.passages", counted)
    records = [{"title": f"Owls {number}", "abstract": f"Owls see {number} mice."} for number in range(5)]
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "owls.jsonl", records))
        assert sorted(cut) == sorted(paper.id for paper in library.papers())
        again = {"title": "Owls 9", "doi": "10.1000/9", "abstract": "Owls hoot."}
        library.add(write_jsonl(tmp_path / "two.jsonl", [again, again | {"year": 2001, "abstract": ""}]))
        assert [(paper.year, paper.abstract) for paper in library.papers()][5:] == [(2001, "Owls hoot.")]


def test_a_failed_file_is_named_and_the_others_go_on(library: Library, tmp_path: Path) -> None:
    """Else one broken download among a thousand papers costs the whole run."""
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"%PDF-1.4\nthis is no PDF")
    write(tmp_path / "cats.md", CATS)
    (tmp_path / "empty.md").touch()
    report = library.add([tmp_path / "gone.md", bad, tmp_path / "cats.md", tmp_path / "empty.md", tmp_path / "*.nope"])
    assert [Path(row.path).name for row in report.added] == ["cats.md"]
    failed = {Path(row.path).name: row for row in report.failed}
    assert set(failed) == {"gone.md", "bad.pdf", "empty.md", "*.nope"}
    assert all(row.reason and row.state == "failed" for row in failed.values())
    assert "no such file" in failed["gone.md"].reason
    states = {Path(row.path).name: row.state for row in library.status().files}
    assert states == {"bad.pdf": "failed", "empty.md": "failed", "cats.md": "indexed"}
    assert library.status().counts["failed"] == 2


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere file names are Unicode")
def test_a_name_that_is_no_utf8(library: Library, tmp_path: Path) -> None:
    """One old archive's file name would end the run for all."""
    folder = tmp_path / "old"
    folder.mkdir()
    write(folder / "cats.md", CATS)
    write(folder / os.fsdecode(b"caf\xe9.md"), DOGS)
    report = library.add(folder)
    assert [Path(row.path).name for row in report.added] == ["cats.md"]
    (failed,) = report.failed
    assert failed.path == str(folder / "caf\\xe9.md") and "not valid UTF-8" in failed.reason
    assert titles(library) == ["Cats"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere file names are Unicode")
def test_a_library_folder_that_is_no_utf8(tmp_path: Path) -> None:
    """The catalog could not keep its paths; better told before anything is written."""
    with pytest.raises(LibraryError, match="not valid UTF-8"):
        Library(tmp_path / os.fsdecode(b"caf\xe9"))
    assert not list(tmp_path.iterdir())


def test_a_failed_file_is_tried_again(library: Library, tmp_path: Path) -> None:
    """Else a repaired file is not taken, for it failed before."""
    path = tmp_path / "paper.md"
    path.touch()
    assert [row.state for row in library.add(path).failed] == ["failed"]
    assert [row.state for row in library.add(path).failed] == ["failed"], "and it still says so"
    write(path, CATS)
    assert [row.path for row in library.add(path).added] == [str(path)]
    assert library.status().counts["failed"] == 0
    assert titles(library) == ["Cats"]


def test_a_file_that_fails_after_an_edit_keeps_its_papers(library: Library, tmp_path: Path) -> None:
    """Else a file half written at the wrong moment empties the library."""
    path = write(tmp_path / "paper.md", CATS)
    library.add(path)
    files = next(library.papers()).files
    for text in ("", " "):
        write(path, text)
        assert len(library.add(path).failed) == 1
        assert titles(library) == ["Cats"]
        assert next(library.papers()).files == files, "else its pages would be drawn from what could not be read"
    assert_consistent(library)


def test_a_record_twice_in_one_file_is_one(library: Library, tmp_path: Path) -> None:
    """Else exports with repeated rows show papers twice."""
    same = {"title": "Twice", "doi": "10.1000/2", "abstract": "It stands here twice."}
    many = [{"title": f"Other {number}"} for number in range(70)]
    path = write_jsonl(tmp_path / "refs.jsonl", [same, *many, same, {**same, "venue": "Here"}, same])
    report = library.add(path)
    assert not report.failed
    assert len(titles(library)) == 71
    assert library.paper("10.1000/2").venue == "Here"
    assert len(library.paper("10.1000/2").files) == 1
    write_jsonl(path, [*many, same])
    library.add(path)
    assert library.paper("10.1000/2").venue == ""
    assert_consistent(library)


def test_bad_records_are_named_with_their_lines(library: Library, tmp_path: Path) -> None:
    """Else nobody knows which of 10,000 lines is missing from the library."""
    path = write_jsonl(
        tmp_path / "refs.jsonl", [{"title": "Good"}, "{not json", {"year": 1999}, "[1]", {"title": "Good too"}]
    )
    report = library.add(path)
    row = report.added[0]
    assert "3 of 5" in row.reason
    assert [note.split(":")[0] for note in row.notes] == ["line 2", "line 3", "line 4"]
    assert titles(library) == ["Good", "Good too"]
    assert library.status().files[0].notes == row.notes


def test_a_file_that_went_bad_keeps_its_papers(library: Library, tmp_path: Path) -> None:
    """One line cut off by a full disk would take papers out of the library."""
    records = [{"title": f"Record {number}", "abstract": f"It says {number}."} for number in range(3)]
    path = write_jsonl(tmp_path / "refs.jsonl", records)
    library.add(path)
    write_jsonl(path, ["garbage", "more garbage"])
    assert library.add(path).failed
    assert titles(library) == ["Record 0", "Record 1", "Record 2"]
    write_jsonl(path, [records[0], '{"title": "Record 1", "abstr', {**records[2], "title": "Record 2, mended"}])
    (row,) = library.add(path).updated
    assert "1 of 3 records refused" in row.reason and "kept until" in row.notes[0]
    assert {"Record 0", "Record 1", "Record 2, mended"} <= set(titles(library))
    write_jsonl(path, [records[0]])
    library.add(path)
    assert titles(library) == ["Record 0"]
    assert_consistent(library)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_what_is_kept_of_a_file_that_fails_is_told(library: Library, tmp_path: Path) -> None:
    """Else a paper seems lost that is still there."""
    path = tmp_path / "cats.md"
    write(path, "")
    assert "kept" not in library.add(path).failed[0].reason
    write(path, CATS)
    library.add(path)
    write(path, "")
    for _ in range(2):
        assert library.add(path).failed[0].reason.endswith(" What was read of it before is kept.")
    assert titles(library) == ["Cats"]


def test_a_named_pipe_is_passed_over(library: Library, tmp_path: Path) -> None:
    """Looking into it would wait for ever."""
    folder = tmp_path / "papers"
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    write(folder / "cats.md", CATS)
    report = library.add(folder)
    assert [Path(row.path).name for row in report.rows] == ["cats.md"]
    assert report.passed_over == {"without ending": 1}


def test_a_library_among_the_papers_is_passed_over(tmp_path: Path) -> None:
    """Its own files would be taken for papers, or complained of."""
    write(tmp_path / "cats.md", CATS)
    with open_library(tmp_path / "lib") as library:
        library.add(tmp_path)
        report = library.add(tmp_path)
    assert [Path(row.path).name for row in report.rows] == ["cats.md"] and not report.passed_over


def test_a_file_of_bad_records_only_has_failed(library: Library, tmp_path: Path) -> None:
    """Else a file of the wrong kind is reported as added."""
    path = write_jsonl(tmp_path / "refs.jsonl", [{"year": 1999}, {"year": 2000}])
    report = library.add(path)
    assert not report.added and "line 1" in report.failed[0].reason
    assert list(library.papers()) == []


def test_other_passage_settings_cut_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a changed setting has no effect on papers that are there, and nobody is told."""
    path = write(
        tmp_path / "long.md", markdown("Long", " ".join(f"Sentence number {n} says a little." for n in range(60)))
    )
    with open_library(tmp_path / "lib", passages__chars=1400) as library:
        library.add(path)
        few = len(list(library.passages("Long")))
    with open_library(tmp_path / "lib", passages__chars=400, passages__overlap=100) as library:
        monkeypatch.setattr("conspectus.parse.markup.markdown.read_markdown", None)  # it is not read again
        assert len(library.add(path).unchanged) == 1
        passages = list(library.passages("Long"))
        assert len(passages) > few
        assert library.search("sentence 59").hits[0].passage.id in {passage.id for passage in passages}
        for passage in passages:
            assert all(span.text == passage.text[span.start : span.end] for span in passage.spans)
        assert_consistent(library)


def test_a_library_of_an_older_version_is_cut_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the tables of papers that are there never become searchable."""
    path = write(tmp_path / "cells.md", "# Cells\n\nThey fire.\n\n| Cell | Rate |\n| --- | --- |\n| Golgi | 8.3 |\n")
    with open_library(tmp_path / "lib") as library:
        with monkeypatch.context() as older:
            older.setattr("conspectus.parse.text.passages.table_rows", lambda _: [])
            older.setattr("conspectus.ingest.paper_store.PASSAGES_VERSION", 1)
            library.add(path)
        assert "table" not in {one.kind for one in library.passages("Cells")}
        monkeypatch.setattr("conspectus.parse.markup.markdown.read_markdown", None)  # it is not read again
        library.reindex()
        (table,) = (one for one in library.passages("Cells") if one.kind == "table")
        assert table.spans[0].text == "Table, row Golgi (Cell): Rate = 8.3"
        assert table.spans[0].cells == (("Cell", "Golgi"), ("Rate", "8.3"))
        assert library.search("Golgi rate").hits[0].passage == table
        assert_consistent(library)


def test_progress_is_told(library: Library, tmp_path: Path) -> None:
    """Else a long run looks as if it hung."""
    told: list[Progress] = []
    library.add([write(tmp_path / "a.md", CATS), write(tmp_path / "b.md", DOGS)], progress=told.append)
    adding = [step for step in told if step.stage == "adding"]
    assert adding[-1].done == adding[-1].total and adding[-1].files == (2, 2)
    assert any(step.stage == "indexing" for step in told)
    assert all(first.done <= second.done for first, second in pairwise(adding))


def test_an_interrupted_run_keeps_what_is_committed(library: Library, tmp_path: Path) -> None:
    """Else Ctrl-C after an hour loses the hour; and the same call goes on."""
    one = write_jsonl(tmp_path / "a.jsonl", [{"id": f"a{number}", "title": f"First {number}"} for number in range(150)])
    two = write(tmp_path / "b.md", CATS)

    def stop(step: Progress) -> None:
        if step.stage == "adding":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        library.add([one, two], progress=stop)
    assert 0 < len(titles(library)) < 150
    assert library.search("first").hits, "what is committed can be found"
    begun = next(finding for finding in library.doctor().findings if finding.check == "files read")
    assert not begun.ok and "a.jsonl" in begun.detail and "`retry`" in begun.remedy
    assert [row.path for row in library.retry().rows] == [str(one)]
    report = library.add([one, two])
    assert not report.failed and [row.path for row in report.unchanged] == [str(one)]
    assert len(titles(library)) == 151
    assert [row.path for row in library.add([one, two]).unchanged] == [str(one), str(two)]
    assert_consistent(library)


def test_a_version_taken_back_after_an_interruption(library: Library, tmp_path: Path) -> None:
    """Else papers of a version that was never wholly added stay for ever, in no file."""
    records = [{"id": str(number), "title": f"Old {number}"} for number in range(150)]
    path = write_jsonl(tmp_path / "a.jsonl", records)
    library.add(path)

    def stop(_: Progress) -> None:
        raise KeyboardInterrupt

    write_jsonl(path, [{**record, "title": f"New {record['id']}"} for record in records])
    with pytest.raises(KeyboardInterrupt):
        library.add(path, progress=stop)
    write_jsonl(path, records)
    library.add(path)
    assert titles(library) == sorted(record["title"] for record in records)
    assert_consistent(library)


def test_what_is_added_can_be_found_while_a_long_run_goes_on(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For hours nothing would be found but what was there before."""
    monkeypatch.setattr("conspectus.ingest.adder.FOLLOW_SECONDS", 0)
    found: list[int] = []

    def look(step: Progress) -> None:
        if step.stage == "adding":
            found.append(library.session.index.stats().rows)

    records = [{"id": f"r{number}", "title": f"Record {number}"} for number in range(150)]
    library.add(write_jsonl(tmp_path / "refs.jsonl", records), progress=look)
    assert 0 < found[1] < 150


def test_searching_does_not_wait_for_a_writer(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever shares a library could not ask anything while somebody adds to it."""
    library.add(write(tmp_path / "cats.md", CATS))
    adder = Adder(library.session.catalog, LocalExecutor(HashEmbedder()), library.settings, nullcontext, lambda: None)
    adder.run([write(tmp_path / "dogs.md", DOGS)])  # committed, and the index has not yet followed
    waits: list[float] = []

    class Noting(FileLock):
        def acquire(self, timeout: float | None = None, **more: Any) -> Any:
            waits.append(-1.0 if timeout is None else timeout)
            return super().acquire(timeout, **more)

    with FileLock(library.folder / "write.lock"):
        monkeypatch.setattr("conspectus.store.lock.FileLock", Noting)
        result, answer = library.search("barking dogs and purring cats"), library.ask("When do cats purr?")
    assert set(waits) == {0}
    assert [hit.paper.title for hit in result.hits] == ["Cats"]
    assert "not searched yet" in result.note and "not searched yet" in answer.note
    assert "not searched yet" in answer._repr_html_()
    result = library.search("barking dogs")
    assert (result.hits[0].paper.title, result.note) == ("Dogs", "")


def test_what_is_not_searched_yet_is_not_nothing(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """During the first long run the library would be called empty."""
    monkeypatch.setattr("conspectus.ingest.index_sync.FIRST_SECONDS", 0.2)
    adder = Adder(library.session.catalog, LocalExecutor(HashEmbedder()), library.settings, nullcontext, lambda: None)
    adder.run([write(tmp_path / "cats.md", CATS)])
    with FileLock(library.folder / "write.lock"):
        result, answer = library.search("cats"), library.ask("When do cats purr?")
    assert "searched yet" in result.note and "empty" not in result.note
    assert "searched yet" in answer.reason and "empty" not in answer.reason


def test_a_library_stays_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that changes folders would go on in another library."""
    monkeypatch.chdir(tmp_path)
    with open_library(Path("lib")) as library:
        library.add(write(tmp_path / "cats.md", CATS))
        (tmp_path / "other").mkdir()
        monkeypatch.chdir(tmp_path / "other")
        assert library.search("purring cats").hits
    assert not list((tmp_path / "other").iterdir())


def test_a_library_searched_while_empty_can_be_filled(library: Library, tmp_path: Path) -> None:
    """Else looking before adding breaks the library."""
    assert "empty" in library.search("cats").note
    library.add(write(tmp_path / "cats.md", CATS))
    assert library.search("cats").hits[0].paper.title == "Cats"


def test_with_real_child_processes(tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it once as users have it: a PDF, Markdown and records, read in children."""
    monkeypatch.setattr("conspectus.ingest.executor.ParsePool", ParsePool)
    with open_library(tmp_path / "lib", parse__workers=2) as library:
        report = library.add(
            [
                examples / "papers" / "exoplanet-transits.pdf",
                examples / "papers" / "graphene.md",
                examples / "records.jsonl",
            ]
        )
        assert len(report.added) == 3 and not report.failed
        assert any(paper.has_full_text and paper.files[0].path.endswith(".pdf") for paper in library.papers())
        assert_consistent(library)


def test_progress_counts_bytes_and_records(tmp_path: Path) -> None:
    """By files, a large one and 20 small ones are 5 % done when nearly all of the work is."""
    records = [{"title": f"Eels {n}", "abstract": "At night. " * 50} for n in range(90)]
    large = write_jsonl(tmp_path / "z.jsonl", records)
    small = [write(tmp_path / f"{n:02}.md", markdown(f"Moss {n}", "It grows.")) for n in range(20)]
    news: list[Progress] = []
    with open_library(tmp_path / "library") as library:
        library.add([*small, large], progress=news.append)
    adding = [one for one in news if one.stage == "adding"]
    total = large.stat().st_size + sum(path.stat().st_size for path in small)
    assert all(one.unit == "bytes" and one.total == total and one.done <= total for one in adding)
    assert (adding[-1].done, adding[-1].files, adding[-1].papers) == (total, (21, 21), 110)
    assert [one.done for one in adding] == sorted(one.done for one in adding)
    assert adding[0].papers == 64 and adding[0].files == (0, 21)
    first = next(one for one in adding if one.files[0] == 1)  # files of records are read before the others
    assert first.done / total > 0.85
