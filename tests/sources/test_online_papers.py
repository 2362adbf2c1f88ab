"""Papers found online, added, completed and followed, through the library's verbs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from fakes import FakeService, services, work

from conspectus import Library
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.records import Author, Metadata
from conspectus.services.protocol import Identifier
from conspectus.sources import online_works
from conspectus.sources.online_folder import OnlineFolder, record_key
from conspectus.sources.online_works import FullTexts, same_works
from helpers import assert_consistent, open_library


@pytest.fixture
def crossref() -> FakeService:
    return FakeService("crossref", [work(number) for number in range(25)])


@pytest.fixture
def europepmc() -> FakeService:
    mine = [work(number, pmid=str(1000 + number), extra={"notices": []}) for number in range(0, 25, 2)]
    retracted = work(3, extra={"notices": [{"kind": "retraction", "service": "europepmc"}]})
    return FakeService("europepmc", [*mine, retracted])


@pytest.fixture
def library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crossref: FakeService, europepmc: FakeService
) -> Iterator[Library]:
    with services(monkeypatch, crossref, europepmc), open_library(tmp_path / "lib", sources__online=True) as opened:
        yield opened


def test_each_work_is_found_once_with_all_services_that_have_it(library: Library) -> None:
    found = library.sources.find("grid cells", k=50)
    assert len({one.paper.doi for one in found.results}) == len(found.results) == 25
    both = next(one for one in found.results if one.paper.doi == "10.1000/w.4")
    assert set(both.services) == {"crossref", "europepmc"} and both.paper.pmid == "1004"
    assert [one.paper.doi for one in found.results if one.retracted] == ["10.1000/w.3"]
    assert {one.name: (one.found, one.total, one.note) for one in found.services} == {
        "crossref": (25, 25, ""),
        "europepmc": (14, 14, ""),
    }


def test_nothing_is_asked_where_it_is_not_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crossref: FakeService
) -> None:
    with services(monkeypatch, crossref), open_library(tmp_path / "lib") as library:
        for call in (lambda: library.sources.find("grid"), library.sources.enrich, lambda: library.sources.follow("x")):
            with pytest.raises(UsageError, match="Online services are turned off"):
                call()
        report = library.add(["doi:10.1000/w.1"])
        assert "online=True" in report.failed[0].reason and not crossref.asked
        assert library.add(["doi:10.1000/w.1"], online=True).added and crossref.asked


def test_found_works_are_added_once_and_marked(library: Library) -> None:
    first = library.sources.find("grid cells", k=50, add=True)
    assert first.added == 25 and library.counts()["papers"] == 25
    again = library.sources.find("grid cells", k=50, add=True)
    assert again.added == 0 and all(one.in_library for one in again.results)
    paper = library.paper("10.1000/w.4")
    assert (paper.pmid, paper.extra["found_for"]) == ("1004", "grid cells")
    assert paper.external_id == "10.1000/w.4"


def test_a_service_that_is_away_costs_its_own_results_only(library: Library, europepmc: FakeService) -> None:
    europepmc.away = 99
    found = library.sources.find("grid cells", k=50)
    assert len(found.results) == 25 and found.failed == ("europepmc",)


def test_identifiers_are_added_beside_files(library: Library, tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text(json.dumps({"title": "A file of mine"}) + "\n", "utf-8")
    names = ["doi:10.1000/w.1", "https://doi.org/10.1000/w.2", "pmid:1004", "10.1000/nobody", "https://example.org/"]
    report = library.add([tmp_path / "notes.jsonl", *names])
    assert library.counts()["papers"] == 4
    assert {row.path: row.retry for row in report.failed} == {"10.1000/nobody": False, "https://example.org/": False}
    assert "Crossref, Europepmc" in report.failed[0].reason


def test_no_file_of_the_machine_is_added_as_an_identifier(library: Library, tmp_path: Path) -> None:
    """Who may only talk to the server would read any file of it."""
    secret = tmp_path / "secret.txt"
    secret.write_text("The password of grid cells is swordfish.", "utf-8")
    told = library.sources.add([str(secret), "*", ".", f"file://{secret}", "doi:10.1000/w.1"])
    assert told.added == 1 and len(told.failed) == 4
    assert not library.search("swordfish").hits or "swordfish" not in library.search("swordfish").hits[0].passage.text


def test_what_a_service_missed_another_is_asked(library: Library, crossref: FakeService) -> None:
    crossref.away = 1
    report = library.add(["10.1000/w.3", "10.1000/w.1"])
    assert library.counts()["papers"] == 1 and [row.path for row in report.failed] == ["10.1000/w.1"]
    assert report.failed[0].retry and "did not answer" in report.failed[0].reason


def test_papers_that_others_add_meanwhile_are_not_counted(
    library: Library, tmp_path: Path, crossref: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user would be told of papers as added that another process, or window, has added at that time."""
    files = iter(range(9))

    def meanwhile(*_: object) -> None:
        lines = json.dumps({"title": f"Another file, number {next(files)}"}) + "\n"
        (tmp_path / f"{next(files)}.jsonl").write_text(lines, "utf-8")
        library.add([*tmp_path.glob("*.jsonl")])

    monkeypatch.setattr(crossref, "_ask", meanwhile)
    assert library.sources.add(["10.1000/w.1"]).added == 1
    monkeypatch.setattr(online_works, "fetch_full_texts", lambda *_: (meanwhile(), FullTexts())[1])
    assert library.sources.find("grid cells part 21", add=True, full_text=True).added == 1
    assert library.counts()["papers"] == 2 + 3


def test_a_removed_paper_leaves_no_trace_and_comes_back(library: Library) -> None:
    library.add(["10.1000/w.1", "10.1000/w.2"])
    online = library.folder / "online"
    assert sum("10.1000/w.1" in path.read_text("utf-8") for path in online.glob("*.jsonl")) == 1
    library.remove("10.1000/w.1")
    assert not any("10.1000/w.1" in path.read_text("utf-8") for path in online.glob("*.jsonl"))
    assert any("10.1000/w.2" in path.read_text("utf-8") for path in online.glob("*.jsonl"))
    library.undo_remove()
    library.add([*online.glob("*.jsonl")])
    assert {paper.doi for paper in library.papers()} == {"10.1000/w.1", "10.1000/w.2"}


def online_texts(library: Library) -> str:
    """All that is in the folder of what services said."""
    return " ".join(path.read_text("utf-8") for path in (library.folder / "online").rglob("*") if path.is_file())


def put_together(library: Library, numbers: Sequence[int]) -> Path:
    """The records of works in one file, as a large library has them."""
    folder = OnlineFolder(library.folder)
    folder._file_of = lambda _: folder.path / "crossref-00.jsonl"  # type: ignore[method-assign]
    [path] = folder.keep([work(number, extra={"service": "crossref"}) for number in numbers])
    library.add([path])
    return path


@pytest.mark.parametrize("gone", [(0,), (1,), (2,), (0, 1), (2, 0)])
def test_a_removal_is_undone_though_the_records_were_read_again(library: Library, gone: tuple[int, ...]) -> None:
    """A user who added one more paper meanwhile could not have the removed one back."""
    path = put_together(library, range(3))
    before = {paper.doi: paper.id for paper in library.papers()}
    for number in gone:
        library.remove(f"10.1000/w.{number}")
        library.add([path])
    library.collections.tag("kept", next(paper.doi for paper in library.papers()))
    for _ in gone:
        library.undo_remove()
    library.add([path])
    assert {paper.doi: paper.id for paper in library.papers()} == before
    assert [paper.doi for paper in library.papers() if paper.tags] and online_texts(library).count('"record"') == 3
    assert_consistent(library)


def test_nothing_of_forgotten_records_stays(library: Library) -> None:
    """What a user had forgotten would come back with the next paper whose record lies in the same file."""
    path = put_together(library, range(3))
    with pytest.raises(UsageError, match="papers rest on"):
        library.forget(path)
    assert path.is_file()
    library.forget(path, papers=True)
    assert library.counts()["papers"] == 0 and "10.1000" not in online_texts(library)


@pytest.mark.parametrize("way", ["remove", "forget"])
def test_full_texts_that_could_not_be_read_go_with_their_record(library: Library, way: str) -> None:
    """A file that is no paper would lie in the library for good; one that another paper is made of stays."""
    folder = OnlineFolder(library.folder)
    folder.files.mkdir(parents=True)
    broken, shared = folder.files / "broken.pdf", folder.files / "shared.md"
    broken.write_bytes(b"%PDF-1.4 secret words")
    shared.write_text("# Another paper\n\nThat dogs bark was shown.", "utf-8")
    library.add([shared])
    for number, file in ((1, broken), (2, shared)):
        record = work(number, extra={"service": "crossref"})
        library.add(folder.keep([record], files={record_key(record): file}))
    library.add([broken])
    for number in (1, 2):
        if way == "remove":
            library.remove(f"10.1000/w.{number}")
        else:
            [shard] = [path for path in folder.path.glob("*.jsonl") if f"10.1000/w.{number}" in path.read_text("utf-8")]
            library.forget(shard, papers=True)
    assert not broken.exists() and shared.exists() == (library.counts()["papers"] == 1)
    assert not [row for row in library.session.catalog.file_rows() if "broken" in row.path]
    if way == "remove":
        library.undo_remove("last")
        library.undo_remove("last")
        assert broken.exists() and {"10.1000/w.1", "10.1000/w.2"} <= {paper.doi for paper in library.papers()}


def test_papers_are_completed_and_their_own_words_stay(library: Library, tmp_path: Path) -> None:
    own = {"title": "Grid cells in the entorhinal cortex, part 4", "doi": "10.1000/w.4", "venue": "Mine"}
    (tmp_path / "own.jsonl").write_text(json.dumps(own) + "\n" + json.dumps({"title": "Nobody's"}) + "\n", "utf-8")
    library.add([tmp_path / "own.jsonl"])
    report = library.sources.enrich()
    paper = library.paper("10.1000/w.4")
    assert (paper.venue, paper.pmid, paper.year) == ("Mine", "1004", 2004) and paper.abstract
    assert (report.papers, report.known, len(report.unknown)) == (2, 1, 1)
    assert set(report.fields) == {"pmid", "abstract", "authors", "year", "notices"}
    assert library.counts()["papers"] == 2


def test_a_paper_without_identifier_is_completed_in_one_run(
    library: Library, tmp_path: Path, crossref: FakeService, europepmc: FakeService
) -> None:
    """What is found by its title is asked for at all services; else a user would have to know to run it twice."""
    people = (Author("Ada Moser", "Moser", "Ada"),)
    crossref.works = [work(4, authors=people)]
    europepmc.works = [work(4, authors=people, pmid="1004")]
    own = {"title": "Grid cells in the entorhinal cortex, part 4", "authors": ["Ada Moser"], "year": 2004}
    (tmp_path / "own.jsonl").write_text(json.dumps(own) + "\n", "utf-8")
    library.add([tmp_path / "own.jsonl"])
    report = library.sources.enrich()
    [paper] = library.papers()
    assert (paper.doi, paper.pmid, report.known) == ("10.1000/w.4", "1004", 1)
    assert (Identifier("doi", "10.1000/w.4"),) not in crossref.asked  # it has told already what it knows


def test_a_record_that_would_not_become_one_with_the_paper_is_not_taken(
    library: Library, tmp_path: Path, crossref: FakeService
) -> None:
    """Completing papers would add papers: a work of the same title by others is another one."""
    others = (Author("Kim Lee", "Lee", "Kim"), Author("Ada Moser", "Moser", "Ada"))
    crossref.works = [work(4, authors=others)]
    own = {"title": "Grid cells in the entorhinal cortex, part 4", "authors": ["Ada Moser", "Eva Berg"], "year": 2004}
    (tmp_path / "own.jsonl").write_text(json.dumps(own) + "\n", "utf-8")
    library.add([tmp_path / "own.jsonl"])
    report = library.sources.enrich()
    assert (report.known, len(report.unknown), library.counts()["papers"]) == (0, 1, 1)


def test_a_kept_search_tells_what_is_new(library: Library, crossref: FakeService, europepmc: FakeService) -> None:
    kept = library.sources.follow("grid cells", name="Grids")
    assert (kept.name, kept.query, kept.known) == ("Grids", "grid cells", 25)
    assert not library.sources.news().results
    crossref.works.append(work(77, year=2035))
    europepmc.away = 99
    assert [one.paper.doi for one in library.sources.news("grids").results] == ["10.1000/w.77"]
    europepmc.away = 0
    again = library.sources.news(add=True)  # a service was away, so it is still news
    assert [one.paper.doi for one in again.results] == ["10.1000/w.77"] and again.added == 1
    assert not library.sources.news().results
    with pytest.raises(UsageError, match="already"):
        library.sources.follow("grid cells", name="grids")
    library.sources.unfollow("Grids")
    assert library.sources.followed() == ()
    with pytest.raises(NotFoundError):
        library.sources.unfollow("Grids")


def test_a_query_needs_something_and_a_service_that_understands_it(library: Library) -> None:
    for options in ({}, {"year": (2000, 2001)}):
        with pytest.raises(UsageError, match="nothing to search for"):
            library.sources.find("", **options)
    with pytest.raises(UsageError, match="searched by MeSH heading"):
        library.sources.find(mesh="Hippocampus")
    with pytest.raises(UsageError, match="no service 'nobody'"):
        library.sources.find("x", from_services=("nobody",))


def test_records_of_one_work_stand_together_and_prefaces_apart() -> None:
    """Two prefaces of a journal would be one result, and one of them never be found; or a paper be listed thrice."""
    two = (Author("Ada Moser", "Moser", "Ada"), Author("Eva Berg", "Berg", "Eva"))
    paper = {"title": "Grid cells of the entorhinal cortex in darkness", "authors": two, "year": 2011}
    preface = {"title": "Preface", "authors": two, "year": 2011, "venue": "Cells"}
    issue = {"title": "Introduction to the special issue on grid cells", "authors": two, "year": 2011, "venue": "Cells"}
    short = {"title": "Grid cells in darkness", "authors": two, "year": 2011}
    first, whole = {"pages": "7"}, {"pages": "7-9"}
    table: list[tuple[list[dict[str, object]], int]] = [
        ([{**paper, "doi": "10.1000/a"}, {**paper, "pmid": "1"}, paper], 1),
        ([{**paper, "doi": "10.1000/a"}, {**paper, "doi": "10.1000/b"}], 2),
        ([{**paper, "pmid": "1"}, {**paper, "pmid": "2"}], 2),
        ([{**preface, "doi": "10.1000/a"}, {**preface, "pmid": "1"}], 2),
        ([{**short, "doi": "10.1000/a"}, {**short, "pmid": "1"}], 2),
        ([{**short, "doi": "10.1000/a", "extra": first}, {**short, "pmid": "1", "extra": whole}], 1),
        ([{**issue, "doi": "10.1000/a"}, {**issue, "doi": "10.1000/b"}, {**issue, "pmid": "1"}], 3),
    ]
    for records, count in table:
        assert len(same_works([Metadata(**record) for record in records])) == count, records  # type: ignore[arg-type]
