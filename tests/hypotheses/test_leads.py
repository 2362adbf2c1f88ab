"""Hypotheses from directions that grow together, from contradictions and from gaps: evidence, ledger, later years."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conspectus.cli.app import app
from conspectus.errors import NotFoundError, UnavailableError, UsageError
from conspectus.records.hypotheses import HypothesisReport
from directions.test_directions import SUBJECTS
from helpers import open_library, write_jsonl
from language_server import InProcess
from map.test_citation_patterns import papers
from review.test_contradictions import FALL, RECORDS, RISE, judged

pytestmark = pytest.mark.usefixtures("quick_pool")
GROWING = ("quasar", "glacier")


def check(found: HypothesisReport) -> None:
    """Each has sentences as the library has them, one link that nothing states at its end, and a test."""
    assert [one.rank for one in found.leads] == list(range(1, len(found.leads) + 1))
    for lead in found.leads:
        assert [one.basis for one in lead.ledger].count("not stated") == 1 and lead.ledger[-1].basis == "not stated"
        assert lead.ledger[0].citation and lead.ledger[0].citation.spans[0].text == lead.ledger[0].citation.quote
        assert "To test it" in lead.test


def growing_papers(*, growing: bool = True) -> Iterator[dict[str, Any]]:
    """Quasars and glaciers come more often from 2008 on, both with violins, and meet in papers of 2010 alone.

    Not `growing`: they come as often each year, and never meet.
    """
    for year in range(2004, 2011):
        for subject, text in SUBJECTS.items():
            for number in range(3 + 9 * (subject in GROWING and (year > 2007 or not growing))):
                met = [subject]
                if subject in GROWING and number % 3 == 0:
                    met.append("violin")
                if subject == "quasar" and year == 2010 and growing:
                    met.append("glacier")
                says = ". ".join(f"Here {SUBJECTS[one]}, as every {one} shows in the study of {one}" for one in met)
                yield {
                    "id": f"{subject}:{year}:{number}",
                    "title": f"{' and '.join(met).capitalize()} {number}",
                    "abstract": f"{says}. {text.capitalize()}.",
                    "year": year,
                }


def test_directions_that_grow_together_and_never_meet(tmp_path: Path) -> None:
    """What two growing subjects have to do with one another is what nobody has looked at yet."""
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", list(growing_papers())))
        with pytest.raises(NotFoundError, match="directions"):
            library.hypotheses(source="directions")
        library.directions.build(size=16)
        found = library.hypotheses(source="directions", until=2009, k=5)
        check(found)
        words = [{subject, *SUBJECTS[subject].split()} for subject in GROWING]
        lead = next(one for one in found.leads if all(own & set(one.title.lower().split()) for own in words))
        assert "papers with both: 0, " in lead.ledger[-1].text and "from 2004 to 2007" in lead.ledger[0].text
        assert lead.later and "to be expected by chance" in lead.later.text
        met = [one.later for one in found.leads if one.later and one.later.papers]
        assert all(one.year == 2010 and one.first and one.first.paper.year == 2010 for one in met)
        with pytest.raises(UsageError, match="of no entities"):
            library.hypotheses(["quasar"], source="directions")


def test_where_nothing_grows_directions_that_stay_apart_are_offered(tmp_path: Path) -> None:
    """Of 650 abstracts there were no hypotheses from directions: hardly anything grows beyond chance in so few."""
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", list(growing_papers(growing=False))))
        library.directions.build(size=16)
        found = library.hypotheses(source="directions", k=5)
        check(found)
        assert found.leads and "grow beyond chance" in found.note and "papers of 2004 to 2009" in found.note
        assert not any(" grows: " in one.text for lead in found.leads for one in lead.ledger)


def test_gaps_say_what_they_lack_and_what_works_instead(tmp_path: Path) -> None:
    """Without references nothing is cited unusually, and the answer was that there is nothing."""
    with open_library(tmp_path / "lib", atlas__method="pca") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", list(growing_papers())))
        found = library.hypotheses(source="gaps")
        assert not found.leads and "No references" in found.note and "need no references" in found.note


def test_contradictions_ask_what_decides(tmp_path: Path) -> None:
    """Two findings that exclude each other are where a study is worth most."""
    records = [one | {"year": 2000 + number} for number, one in enumerate(RECORDS)]
    with open_library(tmp_path / "lib", models={"judge": InProcess(judged)}) as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records))
        found = library.hypotheses(source="contradictions", model="judge")
        check(found)
        (lead,) = found.leads
        assert {one.citation.quote for one in lead.ledger if one.citation} == {RISE, FALL}
        assert "or not" in lead.ledger[-1].text and lead.later is None and found.models
        early = library.hypotheses(source="contradictions", model="judge", until=2000)
        assert not early.leads and early.later_papers == len(RECORDS) - 1
        with pytest.raises(UnavailableError, match="judged by a language model"):
            library.hypotheses(source="contradictions")  # a candidate is no contradiction, and none is no finding
        with pytest.raises(UsageError, match="No language model is asked for hypotheses from gaps"):
            library.hypotheses(source="gaps", model="judge")


def test_gaps_name_a_neighbour(tmp_path: Path) -> None:
    """A neglected region is a gap; what may be found there is the hypothesis."""
    with open_library(tmp_path / "lib", atlas__method="pca") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", list(papers())))
        found = library.hypotheses(source="gaps", until=2011)
        check(found)
        by_kind = {one.title.partition("(")[2].rstrip(")"): one for one in found.leads}
        assert by_kind.keys() == {"cites old work", "cites only itself", "not followed up"}
        assert len(by_kind["cites only itself"].ledger) == 3 and len(by_kind["cites old work"].ledger) == 2
        left = by_kind["not followed up"]
        assert left.later and left.later.papers == 5 and left.later.year == 2012, "those that cite it in 2012"
    words = ["--library", str(tmp_path / "lib"), "hypotheses", "--from", "gaps", "--until", "2011"]
    shown = CliRunner().invoke(app, words)
    assert "stated nowhere" in shown.output and "Later: 5 papers" in shown.output, shown.output
