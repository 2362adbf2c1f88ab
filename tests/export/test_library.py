"""`Library.export`: which papers, under which keys, into what."""

import csv
import io
import json
from pathlib import Path

import pytest

from conspectus import Filters, Library
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.export.bibliography import make_key
from conspectus.records import Author, Paper
from helpers import assert_consistent, markdown, open_library, snapshot, write, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")

BIB = r"""@article{Rubin:1980, author = {Rubin, Vera C.}, title = {Rotation of {SC} Galaxies \& 50\% G{\"o}del},
  journal = {ApJ}, year = 1980, volume = 238, pages = {471--487}, doi = {10.1086/158003}, month = jun}
@book{b, title = {A Book}, year = 1999, editor = {Smith, A. and {The Team}}}
"""


def text_of(library: Library, to: str, *names: str, filters: Filters | None = None, files: bool | None = None) -> str:
    out = io.StringIO()
    library.export(to, out, names, filters, files=files)
    return out.getvalue()


def test_bibtex_comes_out_as_it_went_in(tmp_path: Path) -> None:
    """Else a manuscript's `\\cite` commands point to nothing after its bibliography was exported."""
    write(tmp_path / "refs.bib", BIB)
    with open_library(tmp_path / "lib") as library:
        library.add(tmp_path / "refs.bib")
        assert text_of(library, "bibtex") == (
            "@article{Rubin:1980,\n  author = {Rubin, Vera C.},\n"
            "  title = {Rotation of {SC} Galaxies \\& 50\\% Gödel},\n  journal = {ApJ},\n  year = {1980},\n"
            "  month = jun,\n  date = {1980-06},\n  pages = {471--487},\n  doi = {10.1086/158003},\n"
            "  volume = {238}\n}\n\n"
            "@book{b,\n  title = {A Book},\n  year = {1999},\n  editor = {Smith, A. and {The Team}}\n}\n\n"
        )


def test_keys_are_kept_or_made_and_always_unique(tmp_path: Path) -> None:
    """Else two papers answer to one key, and a manuscript cites the wrong one."""
    records = [
        {"title": "The rotation of galaxies", "authors": "Rubin, Vera", "year": 1980, "doi": "10.1000/1"},
        {"title": "Rotation again", "authors": "Rubin, Vera", "year": 1980, "doi": "10.1000/2"},
        {"id": "rubin1980rotation", "title": "Named so by its owner", "doi": "10.1000/3"},
        {"id": "same", "title": "One", "doi": "10.1000/4"},
        {"id": "two words", "title": "No key for BibTeX", "authors": "Müller-Ørsted, Łukasz", "doi": "10.1000/6"},
    ]
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records))
        library.add(write_jsonl(tmp_path / "b.jsonl", [{"id": "same", "title": "Two", "doi": "10.1000/5"}]))
        keys = [line[6:-1] for line in text_of(library, "bibtex").splitlines() if line.startswith("@")]
        assert keys == [
            "rubin1980rotationa",
            "rubin1980rotationb",
            "rubin1980rotation",
            "same",
            "mullerorstedkey",
            "samea",
        ]
        ids = [item["id"] for item in json.loads(text_of(library, "csl"))]
        assert ids == ["10.1000/1", "10.1000/2", "rubin1980rotation", "same", "two words", "samea"]


def test_keys_of_names_in_other_scripts() -> None:
    """Else a key is empty, or two thousand papers share it."""
    assert (
        make_key(Paper(id="abcdefghij", title="你好", authors=(Author("王 伟", "王", "伟"),), year=2001))
        == "abcdefghij2001"
    )
    assert make_key(Paper(id="x", title="The Ætiology of æ", authors=(Author("Straße, Jo"),))) == "strasseaetiology"


def test_names_filters_and_files_choose(tmp_path: Path) -> None:
    """Else one paper cannot be exported, or a bibliography comes without its PDFs."""
    write(tmp_path / "refs.bib", BIB.replace("month = jun", "file = {note:paper.md:md}"))
    write(tmp_path / "paper.md", markdown("Preprint", "Stars turn. They really do."))
    with open_library(tmp_path / "lib") as library:
        library.add(tmp_path / "refs.bib")
        assert [item["title"] for item in json.loads(text_of(library, "csl", "b"))] == ["A Book"]
        assert "Rotation" in text_of(library, "ris", filters=Filters(year=(1980, 1980)))
        assert "Book" not in text_of(library, "ris", filters=Filters(year=(1980, 1980)))
        assert text_of(library, "csl", "b", filters=Filters(year=(1980, 1980))) == "[]\n"
        assert "paper.md" not in text_of(library, "bibtex")
        assert f"  file = {{:{tmp_path}/paper.md:MD}}" in text_of(library, "bibtex", files=True)
        assert f"L1  - {tmp_path}/paper.md\n" in text_of(library, "ris", files=True)
        assert "refs.bib" not in text_of(library, "jsonl"), "a bibliography is nobody's own file"
        with pytest.raises(NotFoundError):
            text_of(library, "ris", "nobody")
        with pytest.raises(UsageError, match="no format 'word'"):
            text_of(library, "word")


@pytest.mark.parametrize("to", ["jsonl", "bibtex", "ris", "csl"])
def test_adding_an_export_changes_no_paper(tmp_path: Path, to: str) -> None:
    """Else a library that is exported and added again has every paper twice."""
    write(tmp_path / "refs.bib", BIB)
    write(tmp_path / "paper.md", "# A text without any identifier\n\n## Results\n\nStars turn. They really do.\n")
    write_jsonl(
        tmp_path / "r.jsonl", [{"title": "R", "abstract": "Only words.", "Paws": {"n": 4}, "references": ["x"]}]
    )
    with open_library(tmp_path / "lib") as library:
        library.add([tmp_path / "refs.bib", tmp_path / "paper.md", tmp_path / "r.jsonl"])
        before = snapshot(library)
        ending = {"bibtex": "bib", "csl": "json"}.get(to, to)
        assert library.export(to, tmp_path / f"zz.{ending}", files=True) == 4 if to != "csl" else True
        if to == "csl":  # which has no place for files
            library.export(to, tmp_path / "zz.json", [p.id for p, _ in before.values() if not p.has_full_text])
        library.add(tmp_path / f"zz.{ending}")
        after = snapshot(library)
        assert after.keys() == before.keys()
        for name, (paper, passages) in before.items():
            assert [p.text for p in after[name][1]] == [p.text for p in passages]
            if to == "jsonl":
                fields = {field: getattr(paper, field) for field in paper.__dataclass_fields__ if field != "files"}
                assert fields == {field: getattr(after[name][0], field) for field in fields}
        assert_consistent(library)


def test_a_spreadsheet_computes_nothing(tmp_path: Path) -> None:
    """Else a title from somebody's file starts a program when the table is opened."""
    titles = ["=HYPERLINK(1)", "+1", "-x", "@SUM(A1)", "'=already", "plain", 'a "b", c']
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": title} for title in titles]))
        library.export("csv", tmp_path / "t.csv")
        rows = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text("utf-8"))))
        assert not any(cell[:1] in "=+-@" for row in rows for cell in row.values() if cell)
        with open_library(tmp_path / "other") as other:
            other.add(tmp_path / "t.csv")
            assert sorted(paper.title for paper in other.papers()) == sorted(titles)


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    """Else a failed export leaves half a bibliography in the place of the good one."""
    target = write(tmp_path / "out.bib", "the old one")
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "T"}]))
        with pytest.raises(UsageError):
            library.export("word", target)
        assert target.read_text() == "the old one"
        assert library.export("bibtex", target) == 1
        assert target.read_text().startswith("@misc{")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "lib", "out.bib"]
        with pytest.raises(UsageError, match="cannot be written"):
            library.export("bibtex", tmp_path / "nowhere" / "out.bib")
