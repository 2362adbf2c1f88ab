"""Which papers are one, and by which names they are known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.parse.markup.markdown import read_markdown
from conspectus.records import ParsedPaper
from helpers import assert_consistent, markdown, open_library, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")

CATS = markdown("Cats", "Cats purr when they are happy and warm.")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as made:
        yield made


def test_papers_part_again_when_their_link_goes(library: Library, tmp_path: Path) -> None:
    """A wrong record that made two papers one could never be put right."""
    first = write_jsonl(tmp_path / "a.jsonl", [{"title": "Tides of the sea", "doi": "10.1000/a"}])
    second = write_jsonl(tmp_path / "c.jsonl", [{"title": "Tides of the sea (preprint)", "arxiv_id": "2001.00001"}])
    link = [{"title": "Tides of the sea.", "doi": "10.1000/a", "arxiv_id": "2001.00001"}, {"title": "Another paper"}]
    wrong = write_jsonl(tmp_path / "b.jsonl", link)
    library.add([first, second, wrong])
    assert len(list(library.papers())) == 2
    write_jsonl(wrong, link[1:])
    library.add([first, second, wrong])
    assert sorted(paper.title for paper in library.papers()) == [
        "Another paper",
        "Tides of the sea",
        "Tides of the sea (preprint)",
    ]
    assert library.paper("2001.00001").title == "Tides of the sea (preprint)"
    assert_consistent(library)


def test_another_version_of_a_reader_keeps_ids(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Citations written down before an upgrade would lead nowhere after it."""
    path = write(tmp_path / "cats.md", CATS)
    library.add(path)
    before = next(library.papers())
    sentence = next(library.passages(before.id)).spans[0]

    def better(file: Path) -> ParsedPaper:
        item = read_markdown(file)
        return replace(item, metadata=replace(item.metadata, title="Cats, a study", venue="Felis"))

    monkeypatch.setattr("conspectus.parse.markup.markdown.read_markdown", better)
    monkeypatch.setattr("conspectus.ingest.adder.reader_key", lambda name, _: f"{name}/99.1")
    assert library.add(path).updated
    after = next(library.papers())
    assert (after.id, after.title) == (before.id, "Cats, a study")
    assert library.citation(sentence.id)[2].text == sentence.text


def test_one_file_by_two_ways_is_one(library: Library, tmp_path: Path) -> None:
    """The ledger would list it twice, and read it twice."""
    (tmp_path / "deep").mkdir()
    path = write(tmp_path / "cats.md", CATS)
    library.add(path)
    report = library.add(tmp_path / "deep" / ".." / "cats.md")
    assert [row.path for row in report.unchanged] == [str(path)]


@pytest.mark.parametrize("name", ["10.1000/ABC", "https://doi.org/10.1000/abc", "arXiv:2001.00001v2", "PMID: 123"])
def test_a_paper_by_its_identifiers_as_people_write_them(library: Library, tmp_path: Path, name: str) -> None:
    """What is pasted from a web page would not be found."""
    record = {"title": "Tides", "doi": "10.1000/abc", "arxiv_id": "2001.00001", "pmid": "123"}
    library.add(write_jsonl(tmp_path / "a.jsonl", [record]))
    assert library.paper(name).title == "Tides"


def test_a_failed_file_that_is_gone_leaves_the_ledger(library: Library, tmp_path: Path) -> None:
    """`doctor` would complain of it for ever."""
    bad = write(tmp_path / "bad.jsonl", "not a record\n")
    good = write(tmp_path / "cats.md", CATS)
    assert len(library.add([bad, good]).failed) == 1
    bad.unlink()
    library.add(good)
    assert [row.path for row in library.status().files] == [str(good)]


def test_papers_of_one_title_stay_apart(library: Library, tmp_path: Path) -> None:
    """All editorials of all journals would be one paper; only what has no identifier is known by its title."""
    records = [
        {"title": "Editorial", "doi": "10.1000/a"},
        {"title": "Editorial", "doi": "10.1000/b"},
        {"title": "Preface"},
        {"title": "preface "},
    ]
    library.add(write_jsonl(tmp_path / "refs.jsonl", records))
    assert sorted(paper.title for paper in library.papers()) == ["Editorial", "Editorial", "Preface"]
    assert_consistent(library)


@pytest.mark.parametrize("name", ["cats.md", "cats.jsonl"])
def test_a_file_that_was_moved(library: Library, tmp_path: Path, name: str) -> None:
    """Its papers would be listed with two files, one of them missing for ever."""
    text = CATS if name.endswith("md") else '{"title": "Cats", "abstract": "Cats purr when they are happy."}\n'
    before = write(tmp_path / name, text)
    library.add(before)
    paper = next(library.papers())
    after = before.rename(tmp_path / f"moved-{name}")
    library.add(after)
    assert [row.path for row in library.status().files] == [str(after)]
    (moved,) = library.papers()
    assert (moved.id, [file.path for file in moved.files]) == (paper.id, [str(after)])
    assert library.status().counts["missing"] == 0
    assert_consistent(library)


def test_a_copy_is_not_a_move(library: Library, tmp_path: Path) -> None:
    """The ledger would forget a file that is still there."""
    first, second = write(tmp_path / "cats.md", CATS), write(tmp_path / "copy.md", CATS)
    library.add([first])
    library.add([second])
    assert [row.path for row in library.status().files] == [str(first), str(second)]
    assert len(list(library.papers())) == 1


@pytest.mark.parametrize("ending", ["jsonl", "md"])
def test_a_paper_whose_title_is_changed_keeps_its_id(library: Library, tmp_path: Path, ending: str) -> None:
    """Citations of a paper would lead nowhere after its title was put right."""
    path, ids = tmp_path / f"a.{ending}", []
    for title in ("Tides of the sea", "Why the cat sleeps"):
        if ending == "jsonl":
            write_jsonl(path, [{"title": title, "doi": "10.1000/a"}])
        else:
            write(path, markdown(title, "It is so.", doi="10.1000/a"))
        library.add(path)
        (paper,) = library.papers()
        ids.append(paper.id)
        assert paper.title == title
    assert ids[0] == ids[1]
    assert_consistent(library)
