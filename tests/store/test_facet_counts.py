"""What filters offer to choose from: each value with as many papers as choosing it leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.records import Filters, normal_name
from conspectus.records.results import PaperCounts
from helpers import open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs")
VENUES = ("Nature", "Journal of Eels", "Nature", "")
WORDS = (["Grid Cells", "theta"], ["eels"], ["grid cells"], [])


@pytest.fixture
def library(tmp_path: Path, quick_pool: None) -> Iterator[Library]:
    records = [
        {
            **{"id": f"p{n}", "title": f"Work {n}", "year": None if n == 3 else 2000 + n // 2, "venue": venue},
            **{"abstract": f"Grid cells and eels swim at night, number {n}.", "keywords": words},
        }
        for n, (venue, words) in enumerate(zip(VENUES, WORDS, strict=True))
    ]
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records))
        yield library


def test_each_value_has_as_many_papers_as_its_filter_leaves(library: Library) -> None:
    """A filter that says 12 would show 3."""
    found = library.facets()
    assert (found.papers, found.best) == (4, False)
    assert found.year == (PaperCounts("2000", 2), PaperCounts("2001", 1))
    assert found.venue == (PaperCounts("Nature", 2), PaperCounts("Journal of Eels", 1))
    assert found.kind == (PaperCounts("abstract", 4),)
    assert {"Grid Cells", "eels", "theta"} <= {one.value for one in found.keyword}
    for name in ("venue", "keyword", "language", "kind"):
        for one in getattr(found, name):
            chosen = Filters(**{name: (one.value,)})
            assert len(list(library.papers(chosen))) == one.papers, (name, one)


def test_filters_and_words_leave_fewer(library: Library) -> None:
    """The numbers beside the results would be those of another search."""
    found = library.facets(filters=Filters(venue=("nature",)))
    assert (found.papers, found.venue) == (2, (PaperCounts("Nature", 2),))
    assert [one.value for one in found.year] == ["2000", "2001"]
    of_search = library.facets("venue:nature grid")
    assert (of_search.papers, of_search.best, of_search.venue) == (2, True, (PaperCounts("Nature", 2),))
    nothing = library.facets(filters=Filters(venue=("nobody",)))
    assert (nothing.papers, nothing.year, nothing.keyword) == (0, (), ())
    assert len(library.facets(most=1).venue) == 1


def test_they_follow_the_library(library: Library, tmp_path: Path) -> None:
    """What is held in memory would be of yesterday."""
    before = library.facets().papers
    library.remove("p0")
    assert library.facets().papers == before - 1


@pytest.mark.parametrize("few", [0, 5000])
@pytest.mark.parametrize(
    "chosen",
    [
        Filters(year=(2001, None)),
        Filters(year=(2000, None)),
        Filters(year=(None, 2030)),
        Filters(full_text=False),
        Filters(kind=("abstract",)),
        Filters(keyword=("grid cells", "theta", "eels")),
        Filters(venue=("nature", "journal of eels")),
        Filters(venue=("nature", "journal of eels"), year=(2000, 2000)),
    ],
)
def test_few_most_and_all_are_counted_alike(
    library: Library, chosen: Filters, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Papers that do not pass, or have no year, would be counted where most others pass."""
    monkeypatch.setattr("conspectus.store.paper_pages._FEW_PAPERS", few)
    left = list(library.papers(chosen))
    found = library.facets(filters=chosen, most=100)
    assert found.papers == len(left) > 0
    for told, values in (
        (found.year, [str(one.year) for one in left if one.year]),
        (found.venue, [one.venue for one in left if one.venue]),
        (found.keyword, [name for one in left for name in {normal_name(n) for n in (*one.keywords, *one.key_phrases)}]),
    ):
        assert {normal_name(one.value): one.papers for one in told} == Counter(map(normal_name, values))
