"""Files that records name: they are added, and file and record are one paper."""

from __future__ import annotations

import os
from itertools import permutations
from pathlib import Path

import pytest

from conspectus.core.errors import NotFoundError
from helpers import assert_consistent, open_library, snapshot, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")

BODY = "The rotation curve stays flat far beyond the visible disc. A dark halo explains this best."


def paper(folder: Path, name: str = "papers/halo.md", body: str = BODY) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return write(path, f"# halos (preprint)\n\n## Results\n\n{body}\n")


def bib(folder: Path, *files: str, name: str = "refs.bib", title: str = "Halos of Galaxies") -> Path:
    entries = [
        f"@article{{rubin{number}, author = {{Rubin, Vera}}, title = {{{title}{'!' * number}}}, year = 1980,"
        f" file = {{{file}}}}}\n"
        for number, file in enumerate(files)
    ]
    return write(folder / name, "".join(entries))


def test_a_record_and_the_file_it_names_are_one_paper(tmp_path: Path) -> None:
    """Else every paper of a Zotero library whose PDF shows no DOI is there twice, once without its text."""
    text = paper(tmp_path)
    with open_library(tmp_path / "lib") as library:
        report = library.add(bib(tmp_path, "Full Text:papers/halo.md:text/markdown"))
        assert [Path(row.path).name for row in report.added] == ["refs.bib", "halo.md"]
        (found,) = library.papers()
        assert (found.title, found.external_id, found.has_full_text) == ("Halos of Galaxies", "rubin0", True)
        assert [file.path for file in found.files] == [str(text), str(tmp_path / "refs.bib")]
        assert [row.path for row in library.add(tmp_path / "refs.bib").unchanged] == [
            str(tmp_path / "refs.bib"),
            str(text),
        ]
        assert_consistent(library)


@pytest.mark.parametrize("at_once", [True, False])
def test_the_order_makes_no_difference(tmp_path: Path, at_once: bool) -> None:
    """Else whoever adds the PDFs first has other papers than who adds the bibliography first."""
    files = [paper(tmp_path), bib(tmp_path, ":papers/halo.md:MD"), write_jsonl(tmp_path / "r.jsonl", [{"title": "X"}])]
    for number, order in enumerate(permutations(files)):
        with open_library(tmp_path / f"lib{number}") as library:
            for step in [list(order)] if at_once else [[path] for path in order]:
                library.add(step)
            seen = sorted((p.title, p.has_full_text, len(p.files)) for p in library.papers())
            assert seen == [("Halos of Galaxies", True, 2), ("X", False, 1)]
            assert_consistent(library)


def test_a_file_that_comes_later_finds_its_record(tmp_path: Path) -> None:
    """Else a PDF downloaded after the bibliography was added stays a paper of its own."""
    refs = bib(tmp_path, "papers/halo.md")
    with open_library(tmp_path / "lib") as library:
        report = library.add(refs)
        assert "papers/halo.md', which 'rubin0' names, is not there." in report.added[0].notes[0].replace(os.sep, "/")
        (before,) = library.papers()
        paper(tmp_path)
        assert [Path(row.path).name for row in library.add(refs).added] == ["halo.md"]
        (after,) = library.papers()
        assert after.has_full_text
        assert after.id == before.id


def test_an_edited_file_stays_with_its_record(tmp_path: Path) -> None:
    """Else adding a corrected PDF parts it from its bibliography entry, and notes lead nowhere."""
    text, refs = paper(tmp_path), bib(tmp_path, "papers/halo.md")
    with open_library(tmp_path / "lib") as library:
        library.add(refs)
        (before,) = library.papers()
        paper(tmp_path, body="The curve falls after all. Nobody knows why.")
        library.add(text)
        (after,) = library.papers()
        assert after.id == before.id
        assert any("falls after all" in passage.text for passage in library.passages(after.id))
        assert not any("stays flat" in passage.text for passage in library.passages(after.id))
        assert_consistent(library)


def test_without_the_record_the_file_is_what_it_was(tmp_path: Path) -> None:
    """Else a title once entered stays on a PDF whose entry was deleted."""
    text, refs = paper(tmp_path), bib(tmp_path, "papers/halo.md")
    with open_library(tmp_path / "lib") as library, open_library(tmp_path / "plain") as plain:
        library.add(refs)
        write(refs, "@misc{other, title = {Something else}}\n")
        library.add(refs)
        assert sorted(p.title for p in library.papers()) == ["Something else", "halos (preprint)"]
        plain.add(text)
        (alone,) = plain.papers()
        assert [p.files for p in library.papers() if p.title == alone.title] == [alone.files]
        assert_consistent(library)


def test_removing_takes_both_and_adding_brings_the_file_back(tmp_path: Path) -> None:
    """Else what was removed lives on in the index, or can never be had again."""
    text, refs = paper(tmp_path), bib(tmp_path, "papers/halo.md", "none.pdf")
    with open_library(tmp_path / "lib") as library:
        library.add(refs)
        library.remove(str(text))
        assert [p.title for p in library.papers()] == ["Halos of Galaxies!"]
        with pytest.raises(NotFoundError):
            library.paper("rubin0")
        assert [row.path for row in library.add(refs).rows] == [str(refs)], "as with every removed record"
        library.add(text)
        assert sorted(p.title for p in library.papers()) == ["Halos of Galaxies!", "halos (preprint)"]
        assert_consistent(library)


def test_proceedings_in_one_file_remain_many_papers(tmp_path: Path) -> None:
    """Else a hundred papers of a conference become one, under the title of the first."""
    paper(tmp_path, "proc.md")
    with open_library(tmp_path / "lib") as library:
        report = library.add(bib(tmp_path, "proc.md", "proc.md", "proc.md"))
        assert sorted(p.title for p in library.papers()) == [
            *(f"Halos of Galaxies{'!' * n}" for n in range(3)),
            "halos (preprint)",
        ]
        assert any("named by several papers" in note for note in report.added[0].notes)


def test_the_same_entry_twice_is_no_reason_to_part(tmp_path: Path) -> None:
    """Else a duplicate in the bibliography costs the link to its PDF."""
    paper(tmp_path)
    entry = "@article{%s, title = {Halos}, author = {Rubin, Vera}, year = 1980, file = {papers/halo.md}}\n"
    refs = write(tmp_path / "refs.bib", entry % "a" + entry % "b")
    with open_library(tmp_path / "lib") as library:
        library.add(refs)
        (found,) = library.papers()
        assert (found.has_full_text, len(found.files)) == (True, 2)


def test_a_supplement_comes_behind_its_article(tmp_path: Path) -> None:
    """Else the text that is searched and quoted is that of the appendix, by the luck of its name."""
    paper(tmp_path, "z-article.md")
    paper(tmp_path, "a-supplement.md", "Tables follow. They are long.")
    with open_library(tmp_path / "lib") as library:
        library.add(bib(tmp_path, "Article:z-article.md:md;Supplement:a-supplement.md:md"))
        (found,) = library.papers()
        assert len(found.files) == 3
        assert any("rotation curve" in passage.text for passage in library.passages(found.id))


def test_a_strange_bibliography_reads_no_other_files(tmp_path: Path) -> None:
    """Else a bibliography from the net puts keys and notes of its reader into a library that is shared later."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("notes.md", "secret.txt", "id_rsa", "passwd"):
        write(home / name, "secret words that nobody may see\n")
    inside = tmp_path / "bib"
    inside.mkdir()
    (inside / "innocent.md").symlink_to(home / "notes.md")
    (inside / "folder.pdf").mkdir()
    os.mkfifo(inside / "pipe.pdf")
    write_jsonl(home / "other.jsonl", [{"title": "secret words"}])
    names = ["/etc/passwd", "../home/notes.md", str(home / "secret.txt"), "../home/id_rsa", "innocent.md", "folder.pdf"]
    names += ["pipe.pdf", "../home/other.jsonl", "http\\://example.org/a.pdf", "//server/share/a.pdf", "/dev/zero"]
    refs = bib(inside, *names)
    with open_library(tmp_path / "lib") as library:
        report = library.add(refs)
        assert [row.path for row in report.rows] == [str(refs)]
        assert not any("secret" in p.text for found in snapshot(library).values() for p in found[1])
        assert len(report.added[0].notes) == 9, "each is told, but for addresses"


def test_the_setting_turns_it_off(tmp_path: Path) -> None:
    """Else nobody can look into a bibliography without its files."""
    paper(tmp_path)
    with open_library(tmp_path / "lib", parse__linked=False) as library:
        assert [Path(row.path).name for row in library.add(bib(tmp_path, "papers/halo.md")).rows] == ["refs.bib"]
        assert len(list(library.papers())) == 1


def test_a_moved_folder_stays_together(tmp_path: Path) -> None:
    """Else moving a library of PDFs with its bibliography tears every paper in two."""
    old = tmp_path / "old"
    old.mkdir()
    paper(old)
    bib(old, "papers/halo.md")
    with open_library(tmp_path / "lib") as library:
        library.add(old)
        (before,) = library.papers()
        old.rename(tmp_path / "new")
        library.add(tmp_path / "new")
        (after,) = library.papers()
        assert after.id == before.id
        assert {Path(file.path).relative_to(tmp_path / "new").as_posix() for file in after.files} == {
            "papers/halo.md",
            "refs.bib",
        }
        assert_consistent(library)


def test_records_of_our_own_name_files_too(tmp_path: Path) -> None:
    """Else an exported library, read again, doubles every paper without an identifier."""
    text = paper(tmp_path)
    refs = write_jsonl(tmp_path / "refs.jsonl", [{"title": "Halos of Galaxies", "files": [str(text)]}])
    with open_library(tmp_path / "lib") as library:
        library.add(refs)
        (found,) = library.papers()
        assert (found.title, found.has_full_text, found.extra) == ("Halos of Galaxies", True, {})
