"""Overlays of the map, and their colours."""

import json
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from conspectus import Library
from conspectus.cli.app import app
from conspectus.errors import NotFoundError, UsageError
from conspectus.map.named_overlays import PLAIN
from conspectus.map.overlay_plot import CATEGORIES, NONE
from conspectus.map.overlays import density, find_modes
from conspectus.records.atlas import Atlas, Overlay
from conspectus.wire import encode
from helpers import catalog_flags, open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")
SUBJECTS = {
    "marsupials": "quokkas hop at night and wombats dig burrows",
    "stars": "dwarf stars cool slowly and giant stars swell",
    "bread": "sourdough rises while the oven warms the flour",
}
EACH = 20
TABLE = "id,label,parent\nX:1,Animals,\nX:2,wombats,X:1\nX:3,Food,\nX:4,sourdough,X:3\nX:5,flour,X:3\n"


def records() -> list[dict[str, Any]]:
    """Papers of three subjects; those of stars have a keyword from 2015 on, and an author of their own."""
    return [
        {
            "id": f"{subject}{number}",
            "title": f"{subject} study {number}",
            "abstract": f"{text}, as {subject} number {number} shows.",
            "year": 2005 + number,
            "authors": ["Payne, Cecilia" if subject == "stars" else "Nobody, Ann"],
            "keywords": ["ALMA"] if subject == "stars" and number >= 10 else [],
            **({"citation_count": number} if subject == "bread" else {}),
        }
        for subject, text in SUBJECTS.items()
        for number in range(EACH)
    ]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib", atlas__method="pca") as opened:
        opened.add(write_jsonl(tmp_path / "a.jsonl", records()))
        opened.map.build()
        yield opened


def subject(found: Atlas, name: str) -> Any:
    """Which texts are of a subject."""
    return np.array([title.startswith(name) for title in found.titles])


def has(shown: Overlay) -> Any:
    """Which texts have a value."""
    return np.isfinite(shown.values)


def test_values_are_in_the_order_of_the_map(library: Library) -> None:
    """A page that colours points by them would colour others."""
    found = library.map.build()
    year, cited = library.map.overlay("year"), library.map.overlay("citations")
    assert year.values.tolist() == found.years.tolist() and (year.legend.low, year.legend.high) == (2005, 2024)
    assert (has(cited) == subject(found, "bread")).all() and cited.kind == "number"
    assert [row.id for row in year.regions] == [one.id for one in found.regions]
    about = library.map.overlay("density")
    assert about.values.min() >= 0.9 and len(about) == len(found)


def test_a_text_counts_less_the_farther_it_is() -> None:
    places = np.array([[0, 0], [0, 0], [0, 0.01], [10, 10]], np.float32)
    assert density(places) == pytest.approx([3, 3, 3, 1], abs=0.05)
    assert density(places, np.array([True, False, False, False])) == pytest.approx([1, 1, 1, 0], abs=0.05)


def test_what_has_a_keyword_or_the_words_is_lit(library: Library) -> None:
    found = library.map.build()
    shown = library.map.overlay("keyword:alma")
    assert shown.kind == "lit" and (has(shown) == (subject(found, "stars") & (found.years >= 2015))).all()
    assert (has(library.map.overlay("keyword:giant stars")) == subject(found, "stars")).all(), "words as a phrase"
    assert not has(library.map.overlay("keyword:stars giant")).any()
    both = library.map.overlay('keyword:"giant stars" OR sourdough')
    assert (has(both) == ~subject(found, "marsupials")).all()
    for row in shown.regions:
        own = found.region_ids[:, row.level] == row.id
        assert row.value == pytest.approx(has(shown)[own].mean()) and row.texts == has(shown)[own].sum()


def test_all_that_is_said_of_overlays_has_its_words_in_other_languages(library: Library, tmp_path: Path) -> None:
    """The page's legend would be English in the midst of German: it finds what is said by its form in `en.json`."""
    words = json.loads((Path(__file__).parents[2] / "web" / "src" / "i18n" / "en.json").read_text("utf-8"))
    forms = [re.sub(r"\\\{\w+\\\}", ".+", re.escape(text)) for key, text in words.items() if key.startswith("said.")]
    table = tmp_path / "table.csv"
    table.write_text(TABLE, "utf-8")
    library.vocabularies.add(table)
    named = ["vocabulary:table", "keyword:ALMA", "entity:wombats", "query:giant stars", "author:Payne"]
    named.append(f"answer:{library.ask('Do giant stars swell?').id}")
    shown = [library.map.overlay(name) for name in (*PLAIN, *named)]
    shown += [library.map.overlay(name, since=2015) for name in ("density", "keyword:ALMA", "citations")]
    shown += [
        library.map.overlay("year", year=span) for span in ((2010, 2010), (2010, None), (None, 2012), (2010, 2012))
    ]
    with open_library(tmp_path / "bare", atlas__method="pca") as bare:
        bare.add(write_jsonl(tmp_path / "b.jsonl", records()[:5]))
        bare.map.build()
        shown += [bare.map.overlay("citations"), bare.map.overlay("query:quokkas")]
    said = {text for one in shown for text in (one.legend.meaning, one.legend.unit, *one.notes) if text}
    said |= {one.modes.method for one in shown if one.modes}
    assert (
        len(said) > 20 and {text for text in said if not any(re.fullmatch(form, text, re.S) for form in forms)} == set()
    )


def test_two_spans_of_years(library: Library) -> None:
    shown = library.map.overlay("keyword:ALMA", since=2015)
    assert shown.kind == "number" and shown.legend.scale == "diverging"
    best = max((row for row in shown.regions if row.value is not None), key=lambda row: row.value or 0)
    assert best.before == 0 and best.after is not None and best.after > 0.5 and best.value == best.after
    moved = library.map.overlay("year", since=2015)
    assert sum(row.before or 0 for row in moved.regions if row.level == 0) == pytest.approx(1)
    assert sum(row.value or 0 for row in moved.regions if row.level == 0) == pytest.approx(0)
    late = library.map.overlay("citations", since=2020)
    assert np.nanmin(late.values) == 15 and "2020" in late.legend.meaning
    with pytest.raises(UsageError, match="of before 1900"):
        library.map.overlay("density", since=1900)


def test_some_years_alone(library: Library) -> None:
    """Who looks at some years would see how dense all of them are, and shares of regions that are of others."""
    found = library.map.build()
    within = (found.years >= 2008) & (found.years <= 2010)
    shown = library.map.overlay("density", year=(2008, 2010))
    assert (has(shown) == within).all() and "only of 2008–2010" in shown.legend.meaning
    assert np.nanmax(shown.values) < library.map.overlay("density").values.max()
    assert sum(row.texts for row in shown.regions if row.level == 0) == within.sum()
    cited = library.map.overlay("citations", year=(None, 2010))
    assert has(cited).sum() == 6 and cited.legend.high == 5 and cited.state == found.state
    assert not has(library.map.overlay("keyword:ALMA", year=(None, 2010))).any()
    reviews = {row.id: row.value for row in library.map.overlay("reviews", year=(2020, None)).regions}
    gaps = library.map.gaps(year=(2020, None))
    assert gaps and all(reviews[gap.id] == gap.papers_since_review for gap in gaps)
    seen = library.map.overlay("keyword:ALMA", year=(2012, 2016))
    for row in seen.regions:
        of = ((found.region_ids[:, row.level] == row.id) & (found.years >= 2012) & (found.years <= 2016)).sum()
        assert row.value == (row.texts / of if of else None)
    with pytest.raises(UsageError, match="years cannot be"):
        library.map.overlay("year", year=(2010, 2008))
    one: Any = 2010  # a filter takes a year alone, too
    assert library.map.overlay("density", year=one).legend == library.map.overlay("density", year=(2010, 2010)).legend


@pytest.mark.parametrize("name", ["year", "density", "keyword:giant stars"])
def test_two_spans_within_the_years_chosen(library: Library, name: str) -> None:
    """Regions would be told by papers of all years, while these years are said to be the only ones."""
    found = library.map.build()
    shown = library.map.overlay(name, since=2010, year=(2007, 2012))
    late, early = ((found.years >= low) & (found.years <= high) for low, high in ((2010, 2012), (2007, 2009)))
    lit = subject(found, "stars") if name.startswith("keyword") else found.years > 0
    for row in shown.regions:
        own = found.region_ids[:, row.level] == row.id
        assert row.texts == (own & late & lit).sum()
        if name == "year":
            assert (row.before, row.after) == ((own & early).sum() / early.sum(), (own & late).sum() / late.sum())
    assert not has(shown)[(found.years < 2007) | (found.years > 2012)].any()
    for year, missing in (((2005, 2008), "of 2010 or later"), ((2012, None), "of before 2010")):
        with pytest.raises(UsageError, match=f"{missing} in the years chosen"):
            library.map.overlay(name, since=2010, year=year)


@pytest.mark.parametrize("name", ["year", "citations"])
def test_a_year_that_is_none(library: Library, name: str) -> None:
    """Who gives the text of a year would get an error of NumPy's."""
    wrong: Any = "2014"
    with pytest.raises(UsageError, match="years cannot be"):
        library.map.overlay(name, since=wrong)


def test_an_author_has_a_path(library: Library) -> None:
    found = library.map.build()
    shown = library.map.overlay("author:Payne")
    assert (has(shown) == subject(found, "stars")).all()
    assert [step.year for step in shown.path] == list(range(2005, 2025)) and {step.papers for step in shown.path} == {1}
    for some in ({"year": (2008, 2010)}, {"since": 2008, "year": (None, 2010)}):
        few = library.map.overlay("author:Payne", **some)
        assert [step.year for step in few.path] == [2008, 2009, 2010]
        for row in few.regions:
            own = (found.region_ids[:, row.level] == row.id) & (found.years >= 2008) & (found.years <= 2010)
            assert row.value == (row.texts / own.sum() if own.any() else None)
    with pytest.raises(NotFoundError):
        library.map.overlay("author:Curie")


def test_concepts(library: Library, tmp_path: Path) -> None:
    found = library.map.build()
    (tmp_path / "x.csv").write_text(TABLE, "utf-8")
    library.vocabularies.add(tmp_path / "x.csv", name="things")
    assert "link" in library.map.overlay("vocabulary:things").notes[0]
    library.graph.link()
    shown = library.map.overlay("vocabulary:things")
    assert shown.kind == "category" and sorted(shown.categories) == ["Animals", "Food"]
    food = shown.values == shown.categories.index("Food")
    assert (food == subject(found, "bread")).all() and (has(shown) == ~subject(found, "stars")).all()
    assert (has(library.map.overlay("entity:X:2")) == subject(found, "marsupials")).all()
    assert (has(library.map.overlay("entity:wombats")) == subject(found, "marsupials")).all()
    for name in ("vocabulary:nothing", "entity:quokka"):
        with pytest.raises(NotFoundError):
            library.map.overlay(name)
    library.map.build(of="passages")
    assert has(library.map.overlay("entity:X:2", of="passages")).sum() == EACH


def test_hits_and_sources(library: Library) -> None:
    found = library.map.build()
    shown = library.map.overlay("query:dwarf stars cool")
    assert 0 < has(shown).sum() <= 50 and shown.modes is not None
    answer = library.ask("Do giant stars swell?")
    if answer.id:
        cited = {one.paper.id for statement in answer.statements for one in statement.citations}
        lit = has(library.map.overlay(f"answer:{answer.id}"))
        assert {paper for paper, is_lit in zip(found.papers, lit, strict=True) if is_lit} == cited


def test_whether_they_stand_in_one_place(library: Library) -> None:
    found = library.map.build()
    rows = {name: np.flatnonzero(subject(found, name)) for name in SUBJECTS}
    one, two = find_modes(found, rows["stars"]), find_modes(found, np.concatenate([rows["stars"], rows["bread"]]))
    assert one and (one.kind, len(one.groups), one.share) == ("one", 1, 1.0)
    assert two and two.kind == "two" and [group.texts for group in two.groups] == [EACH, EACH]
    three = find_modes(found, np.arange(len(found)))
    assert three and three.kind == "spread" and three.groups == ()
    assert find_modes(found, rows["stars"][:3]) is None


@pytest.mark.parametrize("name", ["", "weather", "keyword:", "keyword: ", "years"])
def test_what_there_is_not(library: Library, name: str) -> None:
    with pytest.raises(UsageError):
        library.map.overlay(name)


def test_few_texts(tmp_path: Path) -> None:
    """A library of three papers would end in a traceback."""
    with open_library(tmp_path / "lib") as small:
        small.add(write_jsonl(tmp_path / "a.jsonl", records()[:3]))
        with pytest.raises(NotFoundError):
            small.map.overlay("year")
        small.map.build()
        for name in ("density", "year", "citations", "keyword:ALMA", "query:wombats", "author:Nobody"):
            shown = small.map.overlay(name)
            assert len(shown) == 3 and encode.body(shown)["values"]
            assert "svg" in small.map.show(overlay=name)._repr_html_()


def test_on_the_command_line(library: Library, tmp_path: Path) -> None:
    flags = [f"--set={name}={value}" for name, value in catalog_flags(library.folder).items()]
    library.close()
    start = [*flags, "--library", str(library.folder), "map", "show", "--overlay"]

    def run(*words: str) -> str:
        result = CliRunner().invoke(app, [*start, *words])
        assert result.exit_code == 0, result.output
        return result.stdout

    told = json.loads(run("citations", "--json"))["overlay"]
    assert len(told["values"]) == 3 * EACH and None in told["values"] and told["legend"]["scale"] == "log"
    assert " before, " in run("year", "--since", "2015")
    assert "2005  1 paper at" in run("author:Payne")
    assert CliRunner().invoke(app, [*start[:-1], "--since", "2015"]).exit_code == 2


PAGE = Path(__file__).parents[2] / "web" / "src" / "map" / "colours.ts"
OF_PAGE = re.compile(r"CATEGORIES: Colour\[\] = \[\n(.*?)\];", re.S)
NUMBERS = re.compile(r"\d+")
LMS = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
OKLAB = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]
APART = 0.1
"""In Oklab, where 0.02 is just seen on large patches; dots are small."""


def oklab(colour: str) -> np.ndarray:
    parts = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return np.array(OKLAB) @ np.cbrt(np.array(LMS) @ linear)


def test_categories_are_told_apart() -> None:
    """Else Solar physics looks like Observational astronomy on the map."""
    for one, other in combinations((*CATEGORIES, NONE), 2):
        assert np.linalg.norm(oklab(one) - oklab(other)) > APART, (one, other)


def test_the_page_has_the_same_colours() -> None:
    """Else a picture and the page show one overlay in other colours."""
    own = [int(number) for number in NUMBERS.findall(OF_PAGE.search(PAGE.read_text("utf-8"))[1])]  # type: ignore[index]
    assert own == [int(colour[start : start + 2], 16) for colour in CATEGORIES for start in (1, 3, 5)]
