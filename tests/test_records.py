"""Records: names compared without case and accents, labels, markers."""

from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.errors import UsageError
from conspectus.records import Author, Citation, Filters, Metadata, Paper, Place, Span, facet_terms, normal_name
from conspectus.records.filters import NAMED, OWN_FACETS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Astrophysical Journal", "astrophysical journal"),
        ("Astronomy & Astrophysics", "ASTRONOMY  ASTROPHYSICS"),
        ("Revista Española", "revista espanola"),
        ("β-Amyloid", "β amyloid"),
        ("Straße", "STRASSE"),
        ("  dark-matter. ", "Dark Matter"),
    ],
)
def test_names_that_mean_the_same(one: str, other: str) -> None:
    """Else a venue typed a little differently finds nothing."""
    assert normal_name(one) == normal_name(other)
    for facet in ("venue", "keyword"):
        assert Filters(**{facet: (one,)}).terms(facet) == Filters(**{facet: (other,)}).terms(facet)


def test_names_that_do_not() -> None:
    """Else all papers of one venue are shown under another."""
    assert normal_name("Nature") != normal_name("Nature Physics")
    assert normal_name("Theory") == "theory"


def test_each_filter_is_compared_with_something() -> None:
    """A field that is not in `NAMED` and that no engine knows would be an option of all faces that filters nothing."""
    assert {field.name for field in fields(Filters)} == {*NAMED, "year", "kind", "full_text", "among"}


@given(st.text(), st.text())
def test_any_name_can_be_compared(name: str, venue: str) -> None:
    """Else one odd character in a record breaks `add`; and what a paper is called finds it."""
    paper = Metadata(title=name, authors=(Author(name),), venue=venue, keywords=(name,))
    terms = facet_terms(paper)
    assert set(terms) == set(OWN_FACETS)
    assert all(term for values in terms.values() for term in values)
    for facet, value in (("venue", venue), ("keyword", name), ("author", name)):
        asked = Filters(**{facet: (value,)}).terms(facet)[0]
        assert not asked or asked in terms[facet]


@pytest.mark.parametrize(
    "asked", ["Smith", "smith", "J. Smith", "j smith", "Smith, J.", "John Adam Smith", "Smith, John Adam"]
)
@pytest.mark.parametrize(
    "author",
    [
        Author("John Adam Smith"),
        Author("Smith, John Adam"),
        Author("John Adam Smith", family="Smith", given="John Adam"),
    ],
)
def test_an_author_by_every_usual_form(author: Author, asked: str) -> None:
    """Else 'Smith, J.' copied from a reference list finds nothing."""
    terms = facet_terms(Metadata(authors=(author,)))["author"]
    assert set(Filters(author=(asked,)).terms("author")) & set(terms)


@pytest.mark.parametrize("asked", ["Adam", "Smit", "Smithson", "K. Smith", "John"])
def test_an_author_not_by_parts(asked: str) -> None:
    """Else every John is taken for a Smith."""
    terms = facet_terms(Metadata(authors=(Author("John Adam Smith"),)))["author"]
    assert not set(Filters(author=(asked,)).terms("author")) & set(terms)


@pytest.mark.parametrize(
    ("author", "surname"),
    [
        (Author("Ludwig van Beethoven", family="van Beethoven"), "van Beethoven"),
        (Author("van Beethoven, Ludwig"), "van Beethoven"),
        (Author("Vera Rubin"), "Rubin"),
        (Author("Plato"), "Plato"),
        (Author("Moon Watch developers"), "Moon Watch developers"),
        (Author("MOON team"), "MOON team"),
        (Author(""), ""),
        (Author("   "), ""),
    ],
)
def test_surnames(author: Author, surname: str) -> None:
    """Else papers are cited by first names."""
    assert author.surname == surname


@pytest.mark.parametrize(
    ("known", "label"),
    [
        ({"authors": (Author("Vera Rubin"),), "year": 1980}, "Rubin 1980"),
        ({"authors": (Author("Vera Rubin"), Author("Kent Ford"))}, "Rubin & Ford"),
        ({"authors": tuple(map(Author, ("Ann Bell", "Carl Dahl", "Eve Fox"))), "year": 2001}, "Bell et al. 2001"),
        ({"title": "A short title", "year": 2001}, "A short title 2001"),
        ({"title": "x" * 40}, "x" * 40),
        ({"title": "A title " * 10}, "A title A title A title A title A title…"),
    ],
)
def test_labels(known: dict[str, Any], label: str) -> None:
    """Else a citation cannot be told from another."""
    assert Metadata(**known).label == label
    assert len(Metadata(**known).label) <= 50


@pytest.mark.parametrize(
    ("pages", "marker"),
    [
        ((), "[Rubin 1980]"),
        ((3,), "[Rubin 1980, p. 3]"),
        ((3, 3), "[Rubin 1980, p. 3]"),
        ((4, 3), "[Rubin 1980, pp. 3–4]"),
    ],
)
def test_markers_name_the_page(pages: tuple[int, ...], marker: str) -> None:
    """Else a reader has to look through the whole paper."""
    paper = Paper(id="x", authors=(Author("Vera Rubin"),), year=1980)
    places = tuple(Place(page, (0.0, 0.0, 1.0, 1.0)) for page in pages)
    span = Span("x.s1", 0, 3, "Yes", places)
    assert Citation(paper, "x.p1", (span,), "Yes").marker == marker
    assert span.page == (pages[0] if pages else None)


@pytest.mark.parametrize(
    ("date", "year", "published"),
    [
        ("2019-07-02", 2019, 2019.5),
        ("2019-01", None, 2019 + 15.5 / 365),
        ("2019", 2018, 2019.5),
        ("", 2018, 2018.5),
        ("", None, None),
        ("2019-13-45", 2018, 2018.5),
        ("last spring", None, None),
        ("0000", 0, 0.5),
        ("", -50, -49.5),
    ],
)
def test_when_a_paper_was_published(date: str, year: int | None, published: float | None) -> None:
    """As exactly as is known: the middle of the day, the month or the year."""
    assert Metadata(date=date, year=year).published == pytest.approx(published)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Neutron star", "neutron stars"), ("galaxy", "Galaxies"), ("mass", "masses"), ("X-ray", "X rays"),
        ("the Moon", "moons"), ("box", "boxes"), ("meta-analysis", "Meta analysis"),
    ],
)  # fmt: skip
def test_a_keyword_in_the_singular_or_the_plural(one: str, other: str) -> None:
    """Else it depends on chance which papers a keyword passes."""
    for asked, had in ((one, other), (other, one)):
        assert normal_name(had) in Filters(keyword=asked).terms("keyword")
    assert normal_name("neutron") not in Filters(keyword="neutron star").terms("keyword")


def test_filters_as_people_write_them() -> None:
    """Else one year, or one venue, fails in the middle of a search, or passes by letters."""
    assert Filters(year=2001) == Filters(year=(2001, 2001))  # type: ignore[arg-type]
    assert Filters(venue="Nature", kind="body") == Filters(venue=("Nature",), kind=("body",))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": ("bodies",)}, "no kind of text 'bodies'"),
        ({"year": (2001,)}, "(2001,)"),
        ({"year": ("2001", None)}, "'2001'"),
        ({"year": (2005, 2000)}, "(2005, 2000)"),
    ],
)
def test_filters_that_cannot_be_meant(wrong: dict[str, Any], said: str) -> None:
    """Else a misspelt kind finds nothing, and nobody is told why."""
    with pytest.raises(UsageError) as caught:
        Filters(**wrong)
    assert said in str(caught.value)


def test_records_cannot_be_changed() -> None:
    """Else one part of a program changes the results of another."""
    with pytest.raises(FrozenInstanceError):
        Paper(id="x").title = "other"  # type: ignore[misc]
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        Filters().year = (1, 2)  # type: ignore[misc]
    assert not Filters() and Filters(full_text=False) and Filters(year=(None, None))


def test_a_filter_takes_lists_and_has_a_limit() -> None:
    """Else a script that passes a list gets a TypeError, and 100,000 names keep a server busy for minutes."""
    assert Filters(author=["Ann Quill"]) == Filters(author=("Ann Quill",))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"`author` has 1,001 names; 1,000 are the most"):
        Filters(author=tuple(map(str, range(1001))))
    with pytest.raises(UsageError, match=r"`author` has a name of 1,000,000 letters; 1,000 are the most"):
        Filters(author="x" * 1_000_000)  # type: ignore[arg-type]
