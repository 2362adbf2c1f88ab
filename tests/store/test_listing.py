"""The table of papers: in each order, page by page, none twice and none left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from conspectus import Library
from conspectus.core.errors import UsageError
from conspectus.records import Filters, Paper
from conspectus.records.results import PaperOrder, PaperSort
from helpers import open_library, write_jsonl

ROWS: list[tuple[str, int | None, str, int | None, str]] = [
    ("Zebras", 2001, "Nature", 5, "Moser, May-Britt"),
    ("Eels", None, "", None, "Kandel, Eric"),
    ("eagles", 2001, "Cell", 7, "Kandel, Eric"),
    ("Bats_of 100 %", 1999, "Nature", None, "de Vries, Jan"),
    ("Ants", 2010, "", 0, "Moser, Edvard"),
    ("Ants", 2010, "Cell", 5, "Moser, Edvard"),
    ("Ünder Ärzten", None, "Nature", 5, "O'Keefe, John"),
]


@pytest.fixture
def library(tmp_path: Path, quick_pool: None) -> Iterator[Library]:
    names = ("title", "year", "venue", "citation_count")
    records = [
        {"id": f"p{n}", "abstract": f"Text {n}.", "authors": [row[4]], **dict(zip(names, row[:4], strict=True))}
        for n, row in enumerate(ROWS)
    ]
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records))
        yield library


def names(papers: tuple[Paper, ...] | list[Paper]) -> list[str]:
    return [paper.external_id for paper in papers]


def walked(library: Library, sort: PaperSort, order: PaperOrder, limit: int) -> list[str]:
    found: list[str] = []
    after = ""
    while True:
        page = library.browse(sort=sort, order=order, after=after, limit=limit)
        assert page.total == (None if after else len(ROWS))
        found += names(page.papers)
        if not page.next:
            return found
        assert len(page.papers) == limit
        after = page.next


@pytest.mark.parametrize("order", get_args(PaperOrder))
@pytest.mark.parametrize("sort", get_args(PaperSort))
def test_pages_are_the_whole_in_its_order(library: Library, sort: PaperSort, order: PaperOrder) -> None:
    """Who scrolls would miss papers, or see some twice; those without a year or a venue would be lost."""
    whole = walked(library, sort, order, len(ROWS))
    assert sorted(whole) == [f"p{n}" for n in range(len(ROWS))]
    for limit in (1, 2, 3):
        assert walked(library, sort, order, limit) == whole
    for offset in range(len(ROWS) + 2):
        assert (
            names(library.browse(sort=sort, order=order, offset=offset, limit=2).papers) == whole[offset : offset + 2]
        )


def test_orders(library: Library) -> None:
    """A click on a column would sort by something else."""
    assert names(library.browse(sort="year").papers) == ["p5", "p4", "p2", "p0", "p3", "p1", "p6"]
    assert names(library.browse(sort="year", order="asc").papers)[:3] == ["p3", "p0", "p2"]
    assert names(library.browse(sort="title").papers) == ["p4", "p5", "p3", "p2", "p1", "p6", "p0"]
    assert names(library.browse(sort="venue").papers)[-2:] == ["p1", "p4"]
    assert names(library.browse(sort="cited").papers) == ["p2", "p6", "p5", "p0", "p4", "p1", "p3"]
    assert names(library.browse(order="desc", limit=1).papers) == ["p6"]


def test_words_stand_in_titles_and_names(library: Library) -> None:
    """Typing a name or half a word into the box would empty the table, or signs alone find each paper."""
    for text, found in {
        "moser": ["p0", "p4", "p5"],
        "ants mos": ["p4", "p5"],
        "AGL": ["p2"],
        "arzten under": ["p6"],
        "keefe": ["p6"],
        "s_o": ["p3"],
        "100 %": ["p3"],
        "%": [],
        "' –": [],
        "  ": [f"p{n}" for n in range(len(ROWS))],
        "nobody": [],
    }.items():
        page = library.browse(text=text)
        assert (names(page.papers), page.total) == (found, len(found)), text
    page = library.browse(Filters(year=(2005, None)), "moser", sort="title", limit=1)
    assert (names(page.papers), page.total) == (["p4"], 2)
    assert names(library.browse(Filters(year=(2005, None)), "moser", sort="title", after=page.next).papers) == ["p5"]


@pytest.mark.parametrize("after", ["x", "p0", "%00", "W10", "é"])
def test_a_place_that_is_none(library: Library, after: str) -> None:
    """A link that was cut would show the beginning, or a traceback."""
    with pytest.raises(UsageError, match=r"no place.*next"):
        library.browse(after=after)
    with pytest.raises(UsageError, match="no place"):
        library.browse(after=library.browse(sort="title", limit=1).next, sort="year")
    with pytest.raises(UsageError, match="no place"):  # both are numbers: papers would be left out without a word
        library.browse(after=library.browse(limit=1).next, sort="year")


def test_what_was_removed_meanwhile_breaks_nothing(library: Library) -> None:
    """The table would stop where somebody removed a paper."""
    first = library.browse(sort="title", limit=2)
    library.remove("p5")
    assert names(library.browse(sort="title", after=first.next, limit=1).papers) == ["p3"]
