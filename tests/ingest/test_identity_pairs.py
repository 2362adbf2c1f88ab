"""Records of several services become one paper where they are of one work, and only there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from identity_pairs import PAIRS, A, J, Pair, Record, T, work

from conspectus import Library
from conspectus.ingest.paper_groups import group
from conspectus.ingest.work_identity import notice_word
from conspectus.parse.bibliography.records import item_of_record
from conspectus.records import Block, ParsedPaper
from conspectus.store.rows import StoredDocument
from helpers import assert_consistent, open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")


def document(record: Record, number: int) -> StoredDocument:
    parsed = item_of_record(dict(record), "a record")
    assert isinstance(parsed, ParsedPaper)
    path = f"/library/online/{record['service']}/{number}.jsonl"
    return StoredDocument(number, path, str(number), 1, str(number).encode(), parsed)


def are_one(records: Sequence[Record]) -> bool:
    return len(group([document(record, number) for number, record in enumerate(records, 1)]).groups) == 1


def wrong(pairs: Sequence[Pair]) -> list[str]:
    """The kinds of those that become one and are two, or the other way round, in either order."""
    orders = ((pair, are_one((pair.one, pair.other)), are_one((pair.other, pair.one))) for pair in pairs)
    return [f"{pair.kind}: {pair.one['title']}" for pair, *found in orders if found != [pair.same, pair.same]]


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_pairs(sealed: bool) -> None:
    """A correction would be taken for its paper, or a paper be listed once for each service."""
    half = [pair for pair in PAIRS if pair.sealed == sealed]
    true = [pair for pair in half if pair.same]
    assert len(PAIRS) == 300 and len(half) > 120
    assert wrong([pair for pair in half if not pair.same]) == []
    missed = wrong(true)
    assert len(missed) <= 0.03 * len(true), missed


@pytest.mark.parametrize(
    ("title", "notice"),
    [
        ("The acute phase response of alpine marmots", ""),
        ("Response of grid cells to a rotating arena", ""),
        ("Correction of spherical aberration in small lenses", ""),
        ("Index theorems for families of wetted surfaces", ""),
        ("A study protocol for the care of small glaciers", ""),
        ("Non-linear models of non-response", ""),
        ("Reply to Brandauer and others", "reply"),
        ("Comment on “Thermal drift of quartz gauges”", "comme"),
        ("Author's Correction: Thermal drift of quartz gauges", "corre"),
        ("Thermal drift of quartz gauges - Corrigendum", "corri"),
        ("Thermal drift of quartz gauges (withdrawn)", "withd"),
    ],
)
def test_a_title_that_only_has_a_word_of_notices_is_none(title: str, notice: str) -> None:
    """Each paper on an immune response would stay as many papers as there are services."""
    assert notice_word(title) == notice
    if not notice:
        assert are_one([work("crossref", title, A, 2011, **J), work("pubmed", title, A, 2011, pmid="41", **J)])


def test_editors_with_two_introductions_are_not_taken_for_one() -> None:
    """Two prefaces of one year and journal, without pages, would become one paper with the citations of both."""
    editors = "Jan Novotný; Olga Petrova"
    short = [work(service, "Introduction to the issue", editors, 2011, **J) for service in ("crossref", "openalex")]
    assert not are_one([{**short[0], "doi": "10.5555/i.1"}, {**short[1], "openalex": "W1"}])
    assert are_one([{**one, "pages": "7-9"} for one in short])
    title = "Introduction to the special issue on the physics of cold matter"
    first, second, third = (
        work(service, title, editors, 2011, **more, **J)
        for service, more in (
            ("crossref", {"doi": "10.5555/i.1"}),
            ("europepmc", {"doi": "10.5555/i.2"}),
            ("pubmed", {}),
        )
    )
    assert are_one([first, third])
    groups = group([document(one, number) for number, one in enumerate((first, second, third), 1)]).groups
    assert len(groups) == 3, "whose the third is nobody can say"


def test_one_author_and_a_title_are_too_little(
    title: str = "Preface to the special volume on cold matter", author: str = "Jan Novotný"
) -> None:
    """Two prefaces of one editor would become one; with a page or an abstract they are known to be one."""
    for more, same in (({}, False), ({"pages": "201-204"}, True), ({"abstract": "Cold matter is told of. " * 9}, True)):
        pair = [work(service, title, author, 2011, venue=J["venue"], **more) for service in ("crossref", "openalex")]
        assert are_one(pair) == same


def test_a_kicker_in_a_record_does_not_part_it_from_its_text() -> None:
    """A user would have the commentary of a journal twice: as its record and as its PDF."""
    text = document(work("crossref", T, A, 2011, doi="10.5555/q.1"), 1)
    text = replace(text, parsed=replace(text.parsed, blocks=(Block("paragraph", f"{T}. Gauges drift.", ()),)))
    for prefix, same in (("Commentary: ", True), ("Correction: ", False)):
        record = document(work("crossref", prefix + T, A, 2011, doi="10.5555/q.1"), 2)
        assert (len(group([text, record]).groups) == 1) == same


RECORDS: list[Record] = [
    work("crossref", T, A, 2011, doi="10.5555/q.1", **J),
    work("pubmed", f"{T}.", "Brandauer O; Vermeulen P; Falk I", 2011, pmid="41", abstract="Gauges drift."),
    work("openalex", T, A, 2011, openalex="W5", citation_count=9, counted="2026-02-01"),
    work("semanticscholar", T, A, 2011, s2="ab12", doi="10.5555/q.1", citation_count=7, counted="2026-01-01"),
]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as made:
        yield made


def write_records(folder: Path, records: Sequence[Record]) -> list[Path]:
    """The records in the files that the library keeps of their services, each in its own."""
    for record in records:
        (folder / "online" / record["service"]).mkdir(parents=True, exist_ok=True)
    return [write_jsonl(folder / "online" / record["service"] / "aa.jsonl", [record]) for record in records]


@pytest.mark.parametrize("order", list(permutations(range(4)))[::5])
def test_one_paper_of_several_services(library: Library, tmp_path: Path, order: tuple[int, ...]) -> None:
    """A paper would be listed once for each service, or by which came first."""
    paths = write_records(tmp_path, RECORDS)
    for number in order:
        library.add(paths[number])
    (paper,) = library.papers()
    assert (paper.doi, paper.pmid, paper.citation_count) == ("10.5555/q.1", "41", 9)
    assert paper.extra["counted"] == "2026-02-01"
    gives = {one.service: one.gives for one in library.documents(paper.id)}
    assert "title" in gives["crossref"] and "abstract" in gives["pubmed"] and "citation_count" in gives["openalex"]
    assert_consistent(library)


def test_a_preprint_and_its_article_are_linked(library: Library, tmp_path: Path) -> None:
    """A reader of the preprint would not learn of the article; or citing one would cite the other."""
    preprint = work("openalex", T, A, 2010, doi="10.1101/2010.01.02", type="preprint")
    library.add(write_records(tmp_path, [preprint, work("crossref", T, A, 2011, doi="10.5555/q.1", **J)]))
    library.add(write_records(tmp_path, [work("pubmed", "Sleep of cats in the Sargasso", A, 2011)]))
    for one, other in (("10.1101/2010.01.02", "10.5555/q.1"), ("10.5555/q.1", "10.1101/2010.01.02")):
        assert [paper.doi for paper in library.versions(one)] == [other]
    library.add(write_records(tmp_path, [preprint | {"versions": {"published": "10.5555/q.1"}}]))
    (paper,) = (paper for paper in library.papers() if paper.doi)
    assert (paper.doi, paper.year) == ("10.5555/q.1", 2011)
    assert library.paper("10.1101/2010.01.02").id == paper.id and library.versions(paper.id) == ()


def test_the_users_own_go_first(library: Library, tmp_path: Path) -> None:
    """What a user wrote would be replaced by what a service says; and its notices would be lost."""
    own = write_jsonl(tmp_path / "own.jsonl", [{"title": "Thermal drift", "doi": "10.5555/q.1", "venue": "JCM"}])
    notices = [{"kind": "retraction", "service": name, "doi": "10.5555/q.3", "date": "2013-01-01"} for name in "ab"]
    noted = [RECORDS[0] | {"notices": notices[:1], "checked": "2026-01-01"}, RECORDS[3] | {"notices": notices[1:]}]
    library.add([own, *write_records(tmp_path, noted)])
    (paper,) = library.papers()
    assert (paper.title, paper.venue, paper.year) == ("Thermal drift", "JCM", 2011)
    assert (paper.extra["notices"], paper.extra["checked"]) == (notices, "2026-01-01")
    library.edit(paper.id, {"venue": "By hand"})
    assert library.paper(paper.id).venue == "By hand"


def test_a_split_holds_when_records_are_written_again(library: Library, tmp_path: Path) -> None:
    """A wrong merge would come back with the next look at a service."""
    paths = write_records(tmp_path, RECORDS[:2])
    library.add(paths)
    (paper,) = library.papers()
    library.split(paper.id, [str(paths[1])])
    assert len(list(library.papers())) == 2
    again = [RECORDS[0] | {"citation_count": 3, "counted": "2026-03-01"}, RECORDS[1] | {"venue": "J. Cryog. Metrol."}]
    library.add(write_records(tmp_path, again))
    assert len(list(library.papers())) == 2
    write_jsonl(paths[1], [work("pubmed", "Another one", "B Other", 2001, pmid="99"), again[1]])
    library.add(paths[1])
    assert len(list(library.papers())) == 3, "another record came before it in the file"
    assert_consistent(library)


def test_a_users_own_records_need_more_than_a_title(library: Library, tmp_path: Path) -> None:
    """Two of a user's records would become one by their title; or a service's would stay beside the user's."""
    own = [{"title": T, "authors": A.split(";"), "year": 2011, "venue": J["venue"], "abstract": text} for text in "ab"]
    library.add(write_jsonl(tmp_path / "own.jsonl", own))
    assert len(list(library.papers())) == 2
    library.remove([paper.id for paper in library.papers()][1])
    for records in (RECORDS[:1], RECORDS[:2]):
        library.add(write_records(tmp_path, records))
        assert [paper.doi for paper in library.papers()] == ["10.5555/q.1"]
    assert_consistent(library)


TEXT = """---
title: Thermal drift of quartz gauges in polar stations
author: [Jan Novotný, Olga Petrova]
abstract: "{abstract}"
---

## Results

The drift was 4 ppm a year in all of the stations, and it did not depend on the age of the gauges.
"""
ABSTRACT = (
    "Quartz gauges drift with temperature, and nobody has said by how much in the cold. We compared forty gauges in "
    "six polar stations for nine years and report their drift, what it depends on, and how it can be removed."
)
OTHER = (
    "Gauges of quartz were sold to stations under a contract of which this note gives the history, from the first "
    "tender to the last delivery, with the names of all who signed it and the prices that were paid in each year."
)


def own_record(**more: object) -> dict[str, object]:
    title, authors = "Thermal drift of quartz gauges in polar stations", ["Jan Novotný", "Olga Petrova"]
    return {"title": title, "authors": authors, "abstract": ABSTRACT, **more}


@pytest.mark.parametrize("text_first", [True, False])
@pytest.mark.parametrize(
    ("more", "papers"),
    [
        ({"year": 2011}, 1),
        ({"abstract": ""}, 1),
        ({"abstract": OTHER}, 2),
        ({"authors": ["Ana Ruiz", "Olga Petrova"]}, 2),
        ({"title": "Reply to: Thermal drift of quartz gauges in polar stations"}, 2),
    ],
)
def test_a_text_and_a_record_without_a_common_identifier_are_one_paper(
    library: Library, tmp_path: Path, text_first: bool, more: dict[str, object], papers: int
) -> None:
    """Who adds a reference list and a folder of papers that print no DOI would have each of them twice."""
    text = tmp_path / "drift.md"
    text.write_text(TEXT.format(abstract=ABSTRACT))
    record = write_jsonl(tmp_path / "own.jsonl", [own_record(**more)])
    for path in (text, record) if text_first else (record, text):
        library.add(path)
    assert len(list(library.papers())) == papers
    assert_consistent(library)


def test_records_of_two_databases_are_one_paper_by_their_abstract(library: Library, tmp_path: Path) -> None:
    """A review's exports of two databases would have each paper twice; or two texts would hide each other."""
    library.add(write_jsonl(tmp_path / "first.jsonl", [own_record(year=2011, venue="Journal of Cryogenic Metrology")]))
    library.add(write_jsonl(tmp_path / "other.jsonl", [own_record(year=2011, pmid="41")]))
    library.add(write_jsonl(tmp_path / "third.jsonl", [own_record(year=2014)]))
    assert [(paper.year, paper.pmid) for paper in library.papers()] == [(2011, "41"), (2014, "")]
    for name in ("draft", "proof"):
        (tmp_path / f"{name}.md").write_text(TEXT.format(abstract=ABSTRACT) + f"This is the {name}.")
    library.remove([paper.id for paper in library.papers()])
    library.add([tmp_path / "draft.md", tmp_path / "proof.md"])
    assert len(list(library.papers())) == 2
    assert_consistent(library)


def test_what_a_title_joins_is_joined_again_whenever_it_can_be(library: Library, tmp_path: Path) -> None:
    """A split that was undone, or a record that was corrected, would leave two papers until one is added again."""
    text = tmp_path / "drift.md"
    text.write_text(TEXT.format(abstract=ABSTRACT))
    library.add([text, write_jsonl(tmp_path / "own.jsonl", [own_record(year=2011)])])
    (paper,) = library.papers()
    library.split(paper.id, ["1"])
    assert len(list(library.papers())) == 2
    library.split(paper.id, undo=True)
    assert len(list(library.papers())) == 1
    for more, papers in (({"year": 2018}, 1), ({"title": "Another drift of quite other gauges"}, 2), ({}, 1)):
        library.add(write_jsonl(tmp_path / "own.jsonl", [own_record(**more)]))
        assert len(list(library.papers())) == papers
        assert_consistent(library)
