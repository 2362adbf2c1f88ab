"""Reference lists audited against a library and a service on loopback that answers as Crossref does."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import InputError
from conspectus.records import AuditReport, ReferenceCheck
from crossref_server import CrossrefServer, crossref_server, work
from grobid_server import address_of_nobody
from helpers import open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")

MAP = "Microstructure of a spatial map in the entorhinal cortex"
CURRENT = "A quantitative description of membrane current and its application to conduction"
KNOWN = [
    {"title": MAP, "doi": "10.1038/nature03721", "year": 2005, "authors": ["Hafting, Torkel", "Fyhn, Marianne"]},
    {
        "title": "Sleep of the old cat: a study of ten years",
        "year": 2001,
        "authors": ["Doe, Anna"],
        "arxiv_id": "2001.00001",
    },
    {"title": "Tides of the sea", "doi": "10.1000/tides", "year": 1990, "authors": ["Ebb, Flo"], "pmid": "123456"},
]
WORKS = [
    work("The hippocampus as a spatial map", "10.1016/hip", 1971, "John O'Keefe", "Jon Dostrovsky"),
    work(CURRENT, "10.1113/current", 1952, "A. L. Hodgkin", "A. F. Huxley"),
    work(MAP, "10.1038/nature03721", 2005, "Torkel Hafting", "Marianne Fyhn"),
    work("Introduction", "10.1000/intro", 1999, "Max Other"),
]
AGENCIES = {"10.48550/arxiv.1706.03762": "DataCite", "10.5281/zenodo.7": "DataCite"}


@pytest.fixture
def crossref() -> Iterator[CrossrefServer]:
    with crossref_server(WORKS, AGENCIES) as made:
        yield made


@pytest.fixture
def library(tmp_path: Path, crossref: CrossrefServer) -> Iterator[Library]:
    places = {"sources__crossref_url": crossref.url, "sources__timeout": 5.0, "sources__max_age": 0.0}
    with open_library(tmp_path / "lib", **places) as made:
        made.add(write_jsonl(tmp_path / "papers.jsonl", KNOWN))
        yield made


def one(report: AuditReport) -> ReferenceCheck:
    (check,) = report.checks
    return check


OFFLINE = [
    (f"Hafting T, Fyhn M. {MAP}. Nature. 2005;436:801-6.", "in library", ()),
    (f"Hafting, T. (2005). {MAP.upper()}. Nature, 436, 801. doi:10.1038/NATURE03721", "in library", ()),
    ("Doe, A. (2001). Sleep of the old cat. Science, 2, 3–4.", "in library", ()),
    ("Doe, A. (2001). Sleep of the old cat: a stduy of ten years. Science, 2, 3–4.", "in library", ()),
    ("doi:10.1000/tides", "in library", ()),
    ("PMID: 123456", "in library", ()),
    ("Doe, A. (2001). Sleep of the old cat. arXiv:2001.00001", "in library", ()),
    (f"Hafting, T. (2005). {MAP}. Nature, 436, 801. doi:10.1000/tides", "wrong", ("title", "author", "year")),
    (f"Hafting, T. (1999). {MAP}. Nature, 436, 801.", "wrong", ("year",)),
    (f"Smith, J. (2005). {MAP}. Nature, 436, 801.", "wrong", ("author",)),
    ("Ebb, F. (1990). Currents of warm rivers. Sea, 1, 2. doi:10.1000/tides", "wrong", ("title",)),
    (f"Hafting, T. (2005). {MAP}. Nature, 436, 801. doi:10.1038/nature99999", "wrong", ("doi",)),
    (f"Hafting, T. (2005). {MAP}. bioRxiv. doi:10.1101/2004.12345", "in library", ()),
    ("Hodgkin, A. L. (1952). Sodium currents of the squid. J. Physiol., 117, 500.", "unchecked", ()),
    ("Nobody, N. (1990). Tides of the sea. Sea, 1, 2.", "unchecked", ()),
]


@pytest.mark.parametrize(("text", "verdict", "contradicts"), OFFLINE)
def test_against_the_library_alone(
    library: Library, crossref: CrossrefServer, text: str, verdict: str, contradicts: tuple[str, ...]
) -> None:
    """A reference would be called wrong, or right, that is not; or the network be used unasked."""
    check = one(library.audit(text))
    assert (check.verdict, check.contradicts) == (verdict, contradicts), check
    assert bool(check.paper_id) == bool(check.record) == (verdict != "unchecked")
    assert check.verdict != "unchecked" or check.note
    assert not crossref.asked


ONLINE = [
    ("O'Keefe J, Dostrovsky J. The hippocampus as a spatial map. Brain Res. 1971;34:171-5.", "found", ()),
    (f"Hodgkin, A. L. & Huxley, A. F. {CURRENT}. J. Physiol. 117, 500 (1952). doi:10.1113/current", "found", ()),
    ("https://doi.org/10.1113/CURRENT", "found", ()),
    (f"Hodgkin, A. L. (1951). {CURRENT}. J. Physiol., 117, 500.", "found", ()),
    (
        "O'Keefe, J. (1971). The hippocampus as a spatial map. Brain Res., 34, 171. doi:10.1113/current",
        "wrong",
        ("title", "author", "year"),
    ),
    (
        "O'Keefe, J. (1971). The hippocampus as a spatial map. Brain Res., 34, 171. doi:10.1016/nobody",
        "wrong",
        ("doi",),
    ),
    ("O'Keefe, J. (1985). The hippocampus as a spatial map. Brain Res., 34, 171.", "wrong", ("year",)),
    ("Smith, J. (1971). The hippocampus as a spatial map. Brain Res., 34, 171.", "wrong", ("author",)),
    (
        "Hodgkin, A. L. & Huxley, A. F. (1952). The waves of glial calcium in sleeping cats. J. Physiol., 1, 2.",
        "not found",
        (),
    ),
    ("Smith, J. (2020). Something about grids nobody wrote. Science, 1, 2. doi:10.1126/nobody", "not found", ("doi",)),
    ("doi:10.1126/nobody", "not found", ("doi",)),
    ("Vaswani, A. (2017). Attention is all you need. arXiv:1706.03762.", "unchecked", ()),
    ("Doe, A. (2020). Some software for old cats. Zenodo. doi:10.5281/zenodo.7", "unchecked", ()),
    ("PMID: 999999", "unchecked", ()),
    ("Smith, J. & Doe, A. Phys. Rev. Lett. 12, 34 (2011).", "unchecked", ()),
    (f"Hafting, T. (2005). {MAP}. Nature, 436, 801.", "in library", ()),
]


@pytest.mark.parametrize(("text", "verdict", "contradicts"), ONLINE)
def test_against_library_and_service(library: Library, text: str, verdict: str, contradicts: tuple[str, ...]) -> None:
    """An invented reference would pass, or a real one be called invented."""
    report = library.audit(text, online=True)
    check = one(report)
    assert check.verdict == verdict, check
    assert set(contradicts) <= set(check.contradicts), check
    assert bool(check.contradicts) == bool(contradicts), check
    assert (check.record is not None) == (verdict in ("in library", "found", "wrong"))
    assert report.counts[check.verdict] == 1 == sum(report.counts.values())
    assert bool(report.doubtful) == (verdict in ("wrong", "not found"))


def test_what_the_right_one_is_is_told(library: Library) -> None:
    """Who is told that a DOI is wrong wants the right one."""
    check = one(library.audit(f"Hodgkin, A. L. (1952). {CURRENT}. J. Physiol., 1, 2. doi:10.1016/hip", online=True))
    assert check.verdict == "wrong" and "10.1113/current" in check.note and "10.1016/hip" in check.note


def test_the_setting_allows_it_and_the_call_goes_before(tmp_path: Path, crossref: CrossrefServer) -> None:
    """A user who forbade the network would be online, or one who allowed it would not."""
    text = "Hodgkin, A. L. (1952). Sodium currents of the squid. J. Physiol., 117, 500."
    with open_library(tmp_path / "lib", sources__crossref_url=crossref.url, sources__online="yes") as library:
        assert one(library.audit(text, online=False)).verdict == "unchecked" and not crossref.asked
        report = library.audit(text)
        assert one(report).verdict == "not found" and crossref.asked and report.service == crossref.url


LIST = "\n".join(f"{n}. Smith, J. (2020). A title that nobody wrote number {n}. Science, 1, {n}." for n in range(1, 9))


def test_a_service_that_is_away_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An outage would make every reference an invention, or hold the user for an hour."""
    monkeypatch.setattr("conspectus.core.http.time.sleep", lambda _: None)
    text = f"{LIST}\n9. Hafting T. {MAP}. Nature. 2005;436:801-6."
    with open_library(tmp_path / "lib", sources__crossref_url=address_of_nobody(), sources__timeout=2.0) as library:
        library.add(write_jsonl(tmp_path / "papers.jsonl", KNOWN))
        report = library.audit(text, online=True)
    assert report.counts["unchecked"] == 8 and report.counts["in library"] == 1
    assert all("did not answer" in check.note for check in report.checks[:8])
    assert len(report.notes) == 1 and "did not answer" in report.notes[0]


def test_a_bad_answer_costs_one_reference(library: Library, crossref: CrossrefServer) -> None:
    """One odd record would leave all that follow unchecked; endless ones would be asked for all the same."""
    crossref.say(200, b"<html>")
    assert [check.verdict for check in library.audit(LIST, online=True).checks] == ["unchecked"] + ["not found"] * 7
    crossref.asked.clear()
    for _ in range(20):
        crossref.say(200, b"<html>")
    report = library.audit(LIST, online=True)
    assert report.counts["unchecked"] == 8 and len(crossref.asked) == 3 and report.notes


def test_files_and_nothing(library: Library, tmp_path: Path) -> None:
    """An empty list would look like a failure, or a missing file like an empty list."""
    path = tmp_path / "list.txt"
    path.write_text(f"Hafting T, Fyhn M. {MAP}. Nature. 2005;436:801-6.\n", "utf-8")
    assert one(library.audit(path)).verdict == one(library.audit(str(path))).verdict == "in library"
    nothing = library.audit("\n")
    assert not nothing.checks and nothing.notes == ("No references were found in it.",)
    with pytest.raises(InputError):
        library.audit(tmp_path / "gone.txt")


def test_how_a_list_fared_by_doi_and_by_title(library: Library) -> None:
    """Table VII of Ta et al.: who asks how much a model invents wants DOIs and titles apart."""
    report = library.audit(
        "\n".join(
            [
                f"Hodgkin, A. L. & Huxley, A. F. {CURRENT}. J. Physiol. 117, 500 (1952). doi:10.1113/current",
                "O'Keefe, J. (1971). The hippocampus as a spatial map. Brain Res., 34, 171. doi:10.1113/current",
                "O'Keefe, J. (1971). The hippocampus as a spatial map. Brain Res., 34, 171. doi:10.1016/nobody",
                "Smith, J. (2020). Something about grids nobody wrote. Science, 1, 2. doi:10.1126/nobody",
                "Smith, J. (2020). Waves of glial calcium in sleeping cats. Science, 1, 2.",
                "Doe, A. (2020). Some software for old cats. Zenodo. doi:10.5281/zenodo.7",
            ]
        ),
        online=True,
    )
    by_doi, by_title = report.looked_up
    assert (by_doi.given, by_doi.not_found, by_doi.mismatch, by_doi.incorrect) == (4, 2, 1, 3)
    assert (by_title.given, by_title.not_found) == (5, 2), "the title under another work's DOI is that of a work"
