"""What the map tells of a field."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from conspectus import Library
from conspectus.cli.app import app
from conspectus.core.intervals import wilson
from conspectus.errors import NotFoundError, UsageError
from conspectus.map.survey import effective, gaps, growth, is_review, says_review, trend
from helpers import open_library, read_cases, write_jsonl

CASES = read_cases(__file__)

pytestmark = pytest.mark.usefixtures("quick_pool")
ALMA = " with ALMA"
SUBJECTS = {"marsupials": "quokkas hop at night", "stars": "dwarf stars cool", "bread": "sourdough rises slowly"}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    records = [
        {
            "title": f"{subject} study {number}",
            "abstract": f"{text}, as {subject} {number} shows{ALMA if subject == 'stars' and number > 9 else ''}.",
            "year": 2000 + number,
            "authors": ["Faber, Ann"] if number == 3 else ["Doe, Jo"],
        }
        for subject, text in SUBJECTS.items()
        for number in range(20)
    ]
    for subject, year in (("stars", 2015), ("bread", 2005)):
        records.append(
            {
                "title": f"{subject} study: a review",
                "abstract": f"{SUBJECTS[subject]}, as {subject} study {subject} shows. " * 3,
                "year": year,
            }
        )
    with open_library(tmp_path / "lib", atlas__method="pca") as opened:
        opened.add(write_jsonl(tmp_path / "a.jsonl", records))
        yield opened


def test_regions_without_a_review_come_first(library: Library) -> None:
    """Else nobody sees what no one has put together."""
    found = library.map.gaps()
    lacking = [gap for gap in found if not gap.reviews]
    assert lacking and [gap.score for gap in found] == sorted((gap.score for gap in found), reverse=True)
    assert all(gap.last_review is None and gap.papers_since_review == gap.papers for gap in lacking)
    assert not any(gap.latest_reviews for gap in lacking)
    assert any("marsupials" in paper.title for gap in lacking for paper in gap.newest)
    (stars,) = (gap for gap in found if any("stars study: a review" in one.title for one in gap.latest_reviews))
    assert stars.last_review == 2015 and stars.papers_since_review < stars.papers
    assert sum(gap.papers for gap in found) == 62 and sum(gap.reviews for gap in found) == 2


def test_a_review_that_is_taken_away_leaves_a_gap(library: Library) -> None:
    found = library.map.build()
    reviews = np.array(["review" in title for title in found.titles])
    of = found.region_ids[reviews & np.array(["stars" in title for title in found.titles]), 1][0]
    before = next(gap for gap in gaps(found, np.stack([reviews] * 3, axis=1), 1) if gap.id == of)
    reviews[found.region_ids[:, 1] == of] = False
    after = next(gap for gap in gaps(found, np.stack([reviews] * 3, axis=1), 1) if gap.id == of)
    assert before.reviews and not after.reviews and after.score > before.score


def test_gaps_of_some_years(library: Library) -> None:
    """Who looks at ten years would be told of the reviews, and of the papers, of all others too."""
    early, late = library.map.gaps(year=(None, 2009)), library.map.gaps(year=(2010, 2019))
    assert sum(gap.papers for gap in early) == sum(gap.papers for gap in late) == 31
    assert [paper.title for gap in early for paper in gap.latest_reviews] == ["bread study: a review"]
    (stars,) = (gap for gap in late if gap.reviews)
    assert stars.last_review == 2015 and all(2010 <= (paper.year or 0) <= 2019 for paper in stars.newest)
    assert stars.papers_since_review == sum(
        one.papers for one in library.map.trends(topic=stars.id, year=(2016, None)).years
    )
    only = library.map.gaps(level=2, year=(2015, 2015))
    held = {
        int(row[2])
        for row, year in zip(library.map.build().region_ids, library.map.build().years, strict=True)
        if year == 2015
    }
    assert {gap.id for gap in only} == held and not library.map.gaps(year=(1900, 1901)).regions
    assert not library.map.gaps(year=(0, 0)).regions and not library.map.gaps(year=(None, 0)).regions, (
        "no year is asked for as if it were none"
    )
    with pytest.raises(UsageError, match="The years cannot be"):
        library.map.gaps(year=(2015, 2010))


def test_growth_is_of_the_years_that_are_shown() -> None:
    """The last of some years is over, but where it is the newest of all."""
    years = np.repeat(np.arange(2000, 2012), 5)
    twice = np.concatenate([years[years < 2007], np.repeat(years[(years >= 2007) & (years < 2010)], 2)])
    assert growth(twice, years[years < 2010], 2011) == 2 and growth(twice, years[years < 2010]) != 2
    assert growth(years, years, 2011) == growth(years, years) == 1
    assert growth(years[years > 2008], years[years > 2008], 2011) is None


@pytest.mark.parametrize(("kind", "venue", "title", "is_one"), CASES["what_a_review_is"])
def test_what_a_review_is(kind: str, venue: str, title: str, is_one: bool) -> None:
    assert is_review(kind, venue, title) is is_one


@pytest.mark.parametrize(("abstract", "is_one"), CASES["what_an_abstract_says_of_itself"])
def test_what_an_abstract_says_of_itself(abstract: str, is_one: bool) -> None:
    assert says_review(abstract) is is_one


SYNTHESES = [
    (
        "Neural correlates of fear: meta-analytic evidence from neuroimaging studies",
        "Many studies report where fear is seen in the brain, with mixed results. We searched PubMed and conducted a "
        "meta-analysis of 45 studies using activation likelihood estimation. The amygdala was found consistently.",
        True,
    ),
    (
        "Sleep and memory in children",
        "Objective: to assess if sleep changes memory. Methods: we performed a systematic review and meta-analysis of "
        "randomized trials, and searched MEDLINE and Embase. Results: 23 studies with 1,200 patients were included.",
        True,
    ),
    (
        "A new estimator for random-effects meta-analysis with few studies",
        "In random-effects meta-analysis the between-study variance is hard to estimate. We propose a Bayesian one, "
        "show its asymptotic properties and compare it with existing methods in a simulation study.",
        False,
    ),
    (
        "Disparate detectors of sleep",
        "We build a detector of sleep. A previous meta-analysis suggested its frequency. We measure 12 rats.",
        False,
    ),
]


@pytest.mark.parametrize(("title", "abstract", "is_one"), SYNTHESES)
def test_a_meta_analysis_is_a_review_and_a_paper_on_its_method_is_none(title: str, abstract: str, is_one: bool) -> None:
    """Else a field that is summed up by meta-analyses is called a gap, and its statistics a review."""
    assert is_review("", "", title, abstract) is is_one


def test_trends(library: Library) -> None:
    found = library.map.trends("ALMA")
    assert found.papers == 10 and [one.year for one in found.years] == list(range(2010, 2020))
    assert found.years[0].papers == 1 and found.years[0].all == 3 and found.years[0].share == pytest.approx(1 / 3)
    assert all(one.low <= one.share <= one.high for one in found.years)
    assert library.map.trends(author="Faber").papers == 3 and library.map.trends(author="Faber").peak == 2003
    region = library.map.build().at(1)[0]
    assert library.map.trends(topic=region.id).papers == region.size
    some = library.map.trends("ALMA", year=(2005, 2012))
    assert some.papers == 3 and some.years == found.years[:3] and some.peak in (2010, 2011, 2012)
    assert library.map.trends("ALMA", year=(1990, 2000)).papers == 0
    assert library.map.trends("nothing says this").years == ()
    for wrong in ({}, {"words": "a", "author": "b"}):
        with pytest.raises(UsageError):
            library.map.trends(**wrong)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        library.map.trends(topic=10**6)
    text: Any = str(region.id)
    for ask in (lambda: library.map.trends(topic=text), lambda: library.map.topics(text)):
        with pytest.raises(UsageError, match="is no number of a region"):
            ask()
    with pytest.raises(NotFoundError):
        library.map.trends(author="Nobody")


def test_intervals() -> None:
    """Against Newcombe (1998), table I: 81 of 263, 0 of 20."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    assert trend(np.array([-1]), np.array([2000])) == ()


def test_impact(library: Library) -> None:
    found = library.map.impact("ALMA")
    assert found.papers == 10 and found.first == 2010 and found.share == pytest.approx(10 / 62)
    assert sum(one.papers for one in found.regions) == 10
    assert 1 <= found.low <= found.spread <= found.high <= found.possible
    some = library.map.impact("ALMA", year=(2010, 2014))
    assert some.papers == 5 and some.share == pytest.approx(5 / 15) and some.possible <= 3
    assert sum(one.papers / one.share for one in some.regions) <= 15
    with pytest.raises(NotFoundError, match="in these years"):
        library.map.impact("ALMA", year=(2000, 2001))
    with pytest.raises(NotFoundError, match="nowhere"):
        library.map.impact("nowhere said")
    with pytest.raises(UsageError, match="'of the' has no words that can be looked for") as refused:
        library.map.impact("of the")
    assert "Add other words" in refused.value.hint
    assert effective(np.array([5, 5, 0])) == pytest.approx(2) and effective(np.array([7])) == pytest.approx(1)


@pytest.mark.model
def test_words_on_the_command_line(tmp_path: Path) -> None:
    with Library(tmp_path / "lib") as library:
        papers = [{"title": f"Stars {number}", "abstract": "Seen with ALMA.", "year": 2010} for number in range(3)]
        library.add(write_jsonl(tmp_path / "b.jsonl", papers))
        library.map.build(method="pca")
    for words, said in ((["map", "trends", "ALMA"], "3 papers"), (["map", "impact", "ALMA"], "since 2010")):
        done = CliRunner().invoke(app, ["--library", str(tmp_path / "lib"), *words])
        assert done.exit_code == 0 and said in done.output, done.output


def test_regions_of_some_years(library: Library) -> None:
    """Beside ten years of dots would stand the growth, and typical papers, of all others too."""
    early, late = library.map.topics(year=(2000, 2009)), library.map.topics(year=(2010, None))
    assert [one.region for one in early] == [one.region for one in late] == list(library.map.build().at(1))
    assert sum(one.papers for one in early) == sum(one.papers for one in late) == 31
    assert all(one.growth is None for one in early), "of too few years"
    for one in early:
        shown = {paper.year for paper in (*one.typical, *one.newest)} | set(one.years)
        assert shown <= set(range(2000, 2010)) and len(one.typical) == min(5, one.papers)
    nothing = library.map.topics(early[0].region.id, year=(1900, 1901))
    assert {(one.papers, one.growth, one.typical, one.newest) for one in nothing} == {(0, None, (), ())}
    with pytest.raises(UsageError, match="The years cannot be"):
        library.map.topics(year=(2015, 2010))


def test_on_the_command_line(library: Library, tmp_path: Path) -> None:
    region = library.map.build().at(1)[0]
    library.close()
    for words, said in (
        (["map", "gaps"], "no review near its centre"),
        (["map", "gaps", "--year", "1900"], "No paper of the map is of these years."),
        (["map", "gaps", "--year", "2005", "--level", "1"], "since the review of 2005 near its centre"),
        (["map", "topics", str(region.id), "--year", "1900"], "0 papers"),
        (["map", "trends", "--author", "Faber", "--year", "2003.."], "3 papers"),
        (["map", "trends", "--author", "Faber", "--year", "..2002"], "0 papers"),
        (["map", "trends", "--author", "Faber"], "3 papers"),
        (["map", "trends", "--topic", str(region.id)], f"{region.size} papers"),
    ):
        done = CliRunner().invoke(app, ["--library", str(tmp_path / "lib"), *words])
        assert done.exit_code == 0 and said in done.output, done.output
