"""Gaps by citations: old work only, only themselves, and what others cite while nobody follows it up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conspectus import Library
from conspectus.cli.app import app
from conspectus.ingest.derivations.facts import find_year
from helpers import open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")
TEXTS = {
    "marsupials": "quokkas hop at night",
    "stars": "dwarf stars cool",
    "bread": "sourdough rises slowly",
    "tides": "tidal currents turn",
    "glass": "volcanic glass cracks",
}
YEARS = range(2000, 2013)


def papers(citing: bool = True) -> Iterator[dict[str, Any]]:
    """Five papers of each subject a year. Bread has none from 2009 on, when tides and glass cite it.

    Marsupials cite works of the fifties, stars only stars; all others cite their own subject and the next one.
    """
    for subject, text in TEXTS.items():
        others = [other for other in TEXTS if other not in (subject, "stars")]
        for year in YEARS:
            for number in range(0 if subject == "bread" and year > 2008 else 5):
                references = [f"10.1000/{subject}.{year - 1}.{place}" for place in range(2)]
                if subject != "stars":
                    far = "bread" if year > 2008 and subject in ("tides", "glass") else others[(year + number) % 3]
                    references += [f"10.1000/{far}.{min(year - 1, 2008)}.{place}" for place in (number, 4)]
                old = [f"Doe (195{place}) Hopping {place} and other ways to go." for place in range(6)]
                yield {
                    "title": f"{subject} study {year} {number}",
                    "abstract": f"{text}, as {subject} {year} {number} shows.",
                    "year": year,
                    "doi": f"10.1000/{subject}.{year}.{number}",
                    "references": (references + (old if subject == "marsupials" else [])) if citing else [],
                }


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("patterns")
    with open_library(folder / "lib", atlas__method="pca") as opened:
        opened.add(write_jsonl(folder / "a.jsonl", list(papers())))
        yield opened


def test_planted_patterns_are_found_and_no_others(library: Library) -> None:
    """Else a neglected region looks like any other, or each region gets a reason."""
    found = library.map.gaps(level=1)
    kinds = {gap.newest[0].title.split()[0]: [one.kind for one in gap.patterns] for gap in found}
    assert kinds == {
        "marsupials": ["cites old work"],
        "stars": ["cites only itself"],
        "bread": ["not followed up"],
        "tides": [],
        "glass": [],
    }
    assert not found.notes and {gap.newest[0].title.split()[0] for gap in found.regions[:2]} == {"marsupials", "stars"}
    assert next(gap.score for gap in found if gap.papers == 45) == 1.5 * 45, "that it grew less is no reason"


def test_reasons_have_the_numbers(library: Library) -> None:
    """A reader has to see what a claim of neglect rests on."""
    patterns = {one.kind: one for gap in library.map.gaps(level=1) for one in gap.patterns}
    left = patterns["not followed up"]
    assert left.value == 0 and left.usual > 5 and left.citations > 30
    assert f"{left.citations} times from 2009 to 2011" in left.reason
    assert patterns["cites old work"].value < 0.5 < patterns["cites old work"].usual
    assert patterns["cites only itself"].value == 0


def test_years_that_are_left_out_do_not_count(library: Library) -> None:
    """Bread was neglected after 2008; until then it was not."""
    early = library.map.gaps(level=1, year=(None, 2008))
    assert "not followed up" not in {one.kind for gap in early for one in gap.patterns}


def test_without_references_a_note_says_so(tmp_path: Path) -> None:
    """Else it looks as if no region were neglected."""
    with open_library(tmp_path / "lib", atlas__method="pca") as bare:
        bare.add(write_jsonl(tmp_path / "a.jsonl", list(papers(citing=False))))
        found = bare.map.gaps()
        assert found and not any(gap.patterns for gap in found)
        assert "No references of these papers are known" in found.notes[0]
    shown = CliRunner().invoke(app, ["--library", str(tmp_path / "lib"), "map", "gaps", "--no-update"])
    assert "No references" in " ".join(shown.output.split())


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("arXiv:hep-th/9110025", 1991),
        ("arXiv:0704.0001", 2007),
        ("arXiv:2103.01234", 2021),
        ("1998ApJ...500..525S", 1998),
        ("Smith J. (2010a) On things. Nature 12, 1999-2004", 2010),
        ("J. Smith, Phys. Rev. D 12, 1345 (1985)", 1985),
        ("Doe J. Nature. 2003;12:1901-10. doi:10.1000/2011.5", 2003),
        ("10.1103/PhysRevLett.2010.12", None),
        ("W2010123", None),
        ("no year at all", None),
    ],
)
def test_the_year_of_a_cited_work(text: str, year: int | None) -> None:
    """Ages of what is cited rest on it."""
    assert find_year(text) == year
