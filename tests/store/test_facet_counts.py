"""What filters offer to choose from: each value with as many papers as choosing it leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.papers.paper_search import is_subject
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
            **{"authors": ["Moser, May-Britt", "Cajal, S."][: 1 + n % 2], "doi": f"10.1000/{n}"},
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


def test_names_are_completed_as_papers_write_them(library: Library) -> None:
    """Nobody knows how the library writes a journal or an author, and a name misspelt finds nothing."""
    library.collections.add("Night swimmers", ["p0", "p1"])
    library.collections.tag("to read", ["p1"])
    for facet, starts, wanted in (
        ("author", "mos", [("May-Britt Moser", 4), ("Moser", 4)]),
        ("author", "S", [("S. Cajal", 2)]),
        ("venue", "eel", [("Journal of Eels", 1)]),
        ("venue", "nat", [("Nature", 2)]),
        ("keyword", "the", [("theta", 1)]),
        ("keyword", "zz", []),
        ("keyword", "%", []),
        ("collection", "swim", [("Night swimmers", 2)]),
        ("collection", "immers", []),
        ("tag", "", [("to read", 1)]),
    ):
        found = [(one.value, one.papers) for one in library.facet_values(facet, starts=starts)]  # type: ignore[arg-type]
        assert found == wanted, (facet, starts)
    for one in library.facet_values("author"):
        assert len(list(library.papers(Filters(author=(one.value,))))) == one.papers
    assert len(library.facet_values("author", most=1)) == 1


def test_papers_are_named_one_by_one(library: Library) -> None:
    """A lasso on the map, or a PDF to chat with, would have to become a collection first."""
    chosen = Filters(among=("p0", "https://doi.org/10.1000/2", "p3"))
    papers = list(library.papers(chosen))
    assert [one.title for one in papers] == ["Work 0", "Work 2", "Work 3"]
    assert library.facets(filters=chosen).papers == 3
    assert {hit.paper.id for hit in library.search("eels swim", filters=chosen).hits} == {one.id for one in papers}
    assert {hit.paper.id for hit in library.search("eels swim", filters=Filters(among=(papers[0].id,))).hits} == {
        papers[0].id
    }
    assert library.count("eels", chosen).papers == 3
    answer = library.ask("When do eels swim?", Filters(among=("10.1000/2",)))
    cited = {citation.paper.title for one in answer.statements for citation in one.citations}
    assert cited == {"Work 2"}
    with pytest.raises(NotFoundError, match="There is no paper 'p9'"):
        library.search("eels", filters=Filters(among=("p0", "p9")))
    with pytest.raises(UsageError, match="5,001 names"):
        Filters(among=tuple(map(str, range(5001))))


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
    given = {normal_name(word) for one in left for word in one.keywords}
    for told, values in (
        (found.year, [str(one.year) for one in left if one.year]),
        (found.venue, [one.venue for one in left if one.venue]),
        (
            found.keyword,
            [
                name
                for one in left
                for name in {normal_name(n) for n in (*one.keywords, *one.key_phrases)}
                if name in given or is_subject(name)
            ],
        ),
    ):
        assert {normal_name(one.value): one.papers for one in told} == Counter(map(normal_name, values))


def test_completion_counts_terms_once(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each letter that somebody types would go through all terms of 20,000 papers in the database."""
    from conspectus.store import paper_pages

    counted = []
    count = paper_pages.count_terms
    monkeypatch.setattr(paper_pages, "count_terms", lambda *given: counted.append(given) or count(*given))
    for starts in ("g", "gr", "gri"):
        assert library.facet_values("keyword", starts=starts)[0] == PaperCounts("Grid Cells", 4)
    assert len(counted) == 1
