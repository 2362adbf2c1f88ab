"""Papers by filters and by name: the same meaning as `Filters` has in words."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from conspectus import Filters, Library, Paper
from conspectus.core.errors import NotFoundError
from conspectus.records import FACETS, facet_terms
from helpers import InlinePool, markdown, open_library, write, write_jsonl

VENUES = ["The Astrophysical Journal", "Nature", "Revista Española", ""]
AUTHORS = ["Smith, John", "Jane Smith", "Li, Wei", "Ludwig van Beethoven", "Müller, Änne", "Plato"]
KEYWORDS = ["dark matter", "Dark Energy", "α-synuclein"]


pytestmark = pytest.mark.usefixtures("both_catalogs")


@pytest.fixture(scope="module")
def library(both_catalogs: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("catalog")
    draw = random.Random(3)
    records = [
        {
            "title": f"Paper {number}",
            "venue": draw.choice(VENUES),
            "authors": draw.sample(AUTHORS, draw.randrange(3)),
            "keywords": draw.sample(KEYWORDS, draw.randrange(3)),
            "year": draw.choice([None, *range(1998, 2004)]),
            **({"text": "# Results\n\nIt has a text. It is short."} if draw.random() < 0.4 else {}),
        }
        for number in range(80)
    ]
    with pytest.MonkeyPatch.context() as patch, open_library(folder / "lib") as made:
        patch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
        made.add(write_jsonl(folder / "refs.jsonl", records))
        yield made


def passes(paper: Paper, filters: Filters) -> bool:
    if filters.year is not None:
        low, high = filters.year
        if paper.year is None or paper.year < (low or -9999) or paper.year > (high or 9999):
            return False
    if filters.full_text is not None and paper.has_full_text != filters.full_text:
        return False
    terms = facet_terms(paper)
    return all(not filters.terms(facet) or set(filters.terms(facet)) & set(terms[facet]) for facet in FACETS)


ALONE = [
    Filters(),
    Filters(year=(2000, 2002)),
    Filters(year=(None, 2000)),
    Filters(year=(2001, None)),
    Filters(year=(None, None)),
    Filters(venue=("astrophysical journal",)),
    Filters(venue=("NATURE", "Revista Espanola")),
    Filters(venue=("",)),
    Filters(venue=("Natur",)),
    Filters(author=("Smith",)),
    Filters(author=("J. Smith",)),
    Filters(author=("Smith, Jane",)),
    Filters(author=("muller",)),
    Filters(author=("Beethoven", "Plato")),
    Filters(keyword=("Dark-Matter",)),
    Filters(keyword=("α synuclein", "dark energy")),
    Filters(full_text=True),
    Filters(full_text=False),
]
TOGETHER = [
    Filters(year, venue, author, keyword, full_text=full)
    for year, venue, author, keyword, full in product(
        (None, (1999, 2002)), ((), ("Nature",)), ((), ("Smith", "Li")), ((), ("dark matter",)), (None, True)
    )
]


@pytest.mark.parametrize("filters", [*ALONE, *TOGETHER], ids=str)
def test_filters_mean_what_they_say(library: Library, filters: Filters) -> None:
    """Else the list of papers and the search disagree on what '2000–2002' means."""
    wanted = [paper.id for paper in library.papers() if passes(paper, filters)]
    assert [paper.id for paper in library.papers(filters)] == wanted
    if filters.kind == () and filters.venue != ("",):
        found = library.search("paper results text", k=200, filters=filters)
        assert sorted(hit.paper.id for hit in found.hits) == sorted(wanted)


@pytest.mark.parametrize(
    ("filters", "count_above"),
    [
        (Filters(author=("Smith",)), 5),
        (Filters(venue=("The Astrophysical Journal",)), 5),
        (Filters(keyword=("dark matter",)), 5),
    ],
    ids=str,
)
def test_filters_find_something(library: Library, filters: Filters, count_above: int) -> None:
    """Guards the test above: an empty list equals an empty list."""
    assert len(list(library.papers(filters))) > count_above


def test_papers_come_in_the_order_they_were_added(library: Library) -> None:
    """Else a long list cannot be read on from where one was."""
    assert [paper.title for paper in library.papers()] == [f"Paper {number}" for number in range(80)]


@pytest.fixture(scope="module")
def named_folder(both_catalogs: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("named")


@pytest.fixture(scope="module")
def named(named_folder: Path) -> Iterator[Library]:
    write_jsonl(
        named_folder / "refs.jsonl",
        [
            {
                "id": "key-7",
                "title": "Über die Grenze",
                "doi": "10.1000/ABC.d",
                "arxiv_id": "2001.00001",
                "pmid": "123456",
                "bibcode": "2019ApJ...882L..24A",
            },
            {"title": "Plain Title"},
            {"title": "ÜBER alles"},
        ],
    )
    write(named_folder / "Cats and dogs.md", markdown("Cats & Dogs", "They do not agree on much at all."))
    with pytest.MonkeyPatch.context() as patch, open_library(named_folder / "lib") as library:
        patch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
        library.add([named_folder / "refs.jsonl", named_folder / "Cats and dogs.md"])
        yield library


@pytest.mark.parametrize(
    "name",
    ["key-7", "10.1000/ABC.d", "10.1000/abc.D", "2001.00001", "123456", "2019ApJ...882L..24A", "Über die Grenze"],
)
def test_a_paper_by_each_of_its_names(named: Library, name: str) -> None:
    """Else what a user copies out of a list does not lead back to the paper."""
    paper = named.paper(name)
    assert paper.external_id == "key-7"
    assert named.paper(paper.id) == paper
    assert list(named.passages(name)) == list(named.passages(paper.id))


@pytest.mark.parametrize("name", ["plain title", "PLAIN TITLE", "Plain Title", "Plain Title.", "“Plain—title”"])
def test_a_title_as_people_type_it(named: Library, name: str) -> None:
    """Else a title typed by hand finds nothing."""
    assert named.paper(name).title == "Plain Title"


def test_a_paper_by_its_file(named: Library, named_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else nobody who thinks in files can remove one."""
    monkeypatch.chdir(named_folder)
    for name in (str(named_folder / "Cats and dogs.md"), "Cats and dogs.md", "./Cats and dogs.md"):
        assert named.paper(name).title == "Cats & Dogs"


def test_a_name_of_several_or_none_is_refused(named: Library, named_folder: Path) -> None:
    """Else the first of several papers is taken in silence."""
    with pytest.raises(NotFoundError, match="3 papers"):
        named.paper(str(named_folder / "refs.jsonl"))
    for name in ("", "nothing", "10.1000", "%", "Plain"):
        with pytest.raises(NotFoundError):
            named.paper(name)


def test_metadata_come_back_as_they_were(tmp_path: Path, quick_pool: None) -> None:
    """Else unknown fields, accents and large numbers are lost on the way."""
    record = {
        "title": "All of it \U0001f30c",
        "authors": ["Müller, Änne", "李伟"],
        "date": "2019-03-07",
        "doi": "10.1000/x",
        "references": ["10.1000/y", "Smith 1999"],
        "url": "https://a.example/?q=1",
        "citation_count": 0,
        "my_field": {"deep": [1, "two", None]},
        "big": 2**70,
    }
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [record]))
    with open_library(tmp_path / "lib") as library:
        paper = library.paper("10.1000/x")
    assert (paper.title, paper.year, paper.date, paper.citation_count) == (
        "All of it \U0001f30c",
        2019,
        "2019-03-07",
        0,
    )
    assert [author.name for author in paper.authors] == ["Änne Müller", "李伟"]
    assert paper.references == ("10.1000/y", "Smith 1999")
    assert paper.extra["my_field"] == {"deep": [1, "two", None]}
    assert int(paper.extra["big"]) == 2**70


def test_about_no_papers_no_question_is_put_together(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else each file of new papers would take a millisecond more."""

    def never(*_: object) -> None:
        raise AssertionError("a question that nobody is asked")

    monkeypatch.setattr("conspectus.store.catalog.select", never)
    assert library.session.catalog.papers_by_key([]) == {}
