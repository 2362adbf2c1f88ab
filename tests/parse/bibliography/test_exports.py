"""Exports of databases and reference managers: whoever comes with one gets all its records, whole and apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from export_record import Record
from other_samples import BIBTEX, OTHER_FILES, PROSE
from table_samples import TABLES
from tagged_samples import RIS, TAGGED_FILES

from conspectus.core.errors import InputError
from conspectus.parse.bibliography.dialects import TABLES as DIALECTS
from conspectus.parse.bibliography.dialects import Dialect
from conspectus.parse.bibliography.field_map import paper_of_values
from conspectus.parse.bibliography.json import zotero_item
from conspectus.parse.bibliography.tagged_text import is_tagged
from conspectus.parse.people.authors import NameOrder, read_names
from conspectus.parse.people.names import is_organisation
from conspectus.parse.registry import reader_for, supported
from conspectus.records import Metadata, ParsedPaper
from growth import Steep, repeat_text

SAMPLES = TABLES | TAGGED_FILES | RIS | BIBTEX | OTHER_FILES


def papers_of(path: Path) -> list[Metadata]:
    """The metadata of all papers in the file; fails where a record cannot be read."""
    items = list(reader_for(path).read(path))
    assert all(isinstance(item, ParsedPaper) for item in items), items
    return [item.metadata for item in items if isinstance(item, ParsedPaper)]


def summary_of(paper: Metadata, expected: Record) -> Record:
    """What the paper says of the fields that `expected` names."""
    names = "; ".join(author.name for author in paper.authors)
    said = {
        name: getattr(paper, name, None) if hasattr(paper, name) else paper.extra.get(name) for name in expected.fields
    }
    return Record(paper.title, names, paper.year, said)


@pytest.mark.parametrize(
    ("name", "encoding"),
    [*((name, "utf-8") for name in SAMPLES), *((name, "utf-16") for name in SAMPLES if name not in OTHER_FILES)],
)
def test_every_record_is_read_whole(tmp_path: Path, name: str, encoding: str) -> None:
    """Titles, authors and years of an export would be lost, run together or mixed, and nobody would know.

    Only tables and tagged text are written in UTF-16 by any program.
    """
    text, expected = SAMPLES[name]
    path = tmp_path / name
    path.write_text(text.removeprefix("\ufeff") if encoding == "utf-16" else text, encoding, newline="")
    papers = papers_of(path)
    assert [summary_of(paper, record) for paper, record in zip(papers, expected, strict=False)] == expected
    assert len(papers) == len(expected)


@pytest.mark.parametrize("name", PROSE)
def test_prose_is_no_list_of_records(tmp_path: Path, name: str) -> None:
    """Otherwise somebody's notes are cut into papers that nobody wrote."""
    path = tmp_path / name
    path.write_text(PROSE[name], "utf-8")
    assert reader_for(path).name == "text"


def test_unknown_columns_are_kept(tmp_path: Path) -> None:
    """Lost otherwise: what somebody has added to an export by hand."""
    path = tmp_path / "a.csv"
    path.write_text(
        "Title,Authors,Year,Source title,EID,Site,Index Keywords,Author Keywords\nMoss,Lund A.,2014,R,1,north,b,a\n"
    )
    (paper,) = papers_of(path)
    assert (paper.extra["Site"], paper.extra["Index Keywords"], paper.keywords) == ("north", "b", ("a",))


@pytest.mark.parametrize("name", ["notes.py", "log", "data.foo"])
def test_other_text_is_passed_over_in_folders(tmp_path: Path, name: str) -> None:
    """Lost otherwise: a run that reads programs and logs as papers."""
    path = tmp_path / name
    path.write_text('@Entity(name = "x")\n@media { a = 1 }\nUSA - one\nUK - two\n%A b\nTitle,Year\n')
    assert not supported(path)


def test_a_list_that_is_none_is_refused_with_a_reason(tmp_path: Path) -> None:
    """Lost otherwise: why a file with the right ending is not added."""
    path = tmp_path / "a.enw"
    path.write_text("Dear reader\n")
    with pytest.raises(InputError, match=r"'a\.enw' has no records with known tags"):
        list(reader_for(path).read(path))


@pytest.mark.parametrize(
    "name", ["World Health Organization", "Agence de la Santé", "Roof Study Group", "Slate and Sons"]
)
def test_organisations_are_told_from_people(name: str) -> None:
    """Lost otherwise: an organisation in a list that does not mark it."""
    assert is_organisation(name)
    assert not any(map(is_organisation, ("Ada Lund", "Ludwig van Beethoven", "Nguyễn Văn An", "Wei Li", "Plato", "")))


@pytest.mark.parametrize("piece", ["a", ",", " ", ", a", ";", " and ", "a. ", "(1", "a 1:"])
@pytest.mark.parametrize("dialect", [DIALECTS[0], DIALECTS[5], DIALECTS[7]], ids=lambda dialect: dialect.name)
def test_time_grows_with_the_length_of_a_cell(piece: str, dialect: Dialect, steep: Steep) -> None:
    """Lost otherwise: minutes for one cell that a stranger wrote."""

    def read(length: int) -> object:
        text = f"Lund A{repeat_text(piece, length)}x"
        return paper_of_values(
            dialect, {name: [text] for name in ("Title", "Source", "Author", "Author Names", "DOI")}, ""
        )

    assert not steep(read, 5_000)
    assert not steep(lambda length: read_names([f"Lund{repeat_text(piece, length)}x"], NameOrder.COMMA), 5_000)


def test_long_runs_of_spaces_are_read_at_once(steep: Steep) -> None:
    """Lost otherwise: seconds for each text file of a folder, in the process that answers the user."""
    for start in ("<1", "<1>\nA"):
        assert not steep(lambda size, start=start: is_tagged(f"{start}{' ' * size}x"), 2_000)


def test_the_edition_of_refworks_is_no_editor(tmp_path: Path) -> None:
    """Lost otherwise: a wrong editor in every citation of a book with an edition."""
    path = tmp_path / "books.txt"
    path.write_text("RT Book, Whole\nA1 Lund, Ada\nT1 Sea ice\nED 2nd\nYR 2012\n")
    (paper,) = papers_of(path)
    assert paper.extra["edition"] == "2nd"
    assert not paper.extra.get("editor")


@pytest.mark.parametrize(
    ("text", "order", "names"),
    [
        ("Smith J.  Jones AB", NameOrder.INITIALS, ["J Smith", "AB Jones"]),
        ("Smith J. Jones AB", NameOrder.INITIALS, ["J Smith", "AB Jones"]),
        ("Smith J, Jones A and Brown B", NameOrder.COMMA, ["J Smith", "A Jones", "B Brown"]),
        ("Smith J, Jones A & Brown B", NameOrder.INITIALS, ["J Smith", "A Jones", "B Brown"]),
        ("Smith J, Jones A, and Brown B", NameOrder.INITIALS, ["J Smith", "A Jones", "B Brown"]),
        ("Smith, J; Jones, A and Brown, B", NameOrder.COMMA, ["J Smith", "A Jones", "B Brown"]),
        ("Lund, Ada; Johnson and Johnson", NameOrder.COMMA, ["Ada Lund", "Johnson and Johnson"]),
        ("Lund, Ada and Roth, Eva", NameOrder.COMMA, ["Ada Lund", "Eva Roth"]),
    ],
)
def test_names_before_the_last_and_are_people_of_their_own(text: str, order: NameOrder, names: list[str]) -> None:
    """Lost otherwise: authors, run together to a person who does not exist."""
    assert [name["literal"] for name in read_names([text], order)] == names


def test_the_sync_numbers_of_zotero_are_no_fields() -> None:
    """Lost otherwise: the sense of exported fields; `version = {1}` would be printed as that of the work."""
    item = {"itemType": "book", "title": "Sea ice", "key": "ABCD2345", "version": 1, "date": "2012"}
    plain, keyed = (zotero_item(value, "") for value in (item, item | {"citationKey": "lund2012"}))
    assert isinstance(plain, ParsedPaper)
    assert isinstance(keyed, ParsedPaper)
    assert not {"key", "version"} & (plain.metadata.extra.keys() | keyed.metadata.extra.keys())
