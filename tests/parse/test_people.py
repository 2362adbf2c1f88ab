"""Authors in the fields of records, as people copy them from a page."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conspectus.parse.people.authors import authors_of
from conspectus.parse.people.bylines import byline, keyed_places
from conspectus.records import Author
from growth import Steep, repeat_text

TWO = (Author("Ada Lindqvist", "Lindqvist", "Ada"), Author("Marco di Renzo", "di Renzo", "Marco"))


@pytest.mark.parametrize(
    "text",
    [
        "Lindqvist, Ada1,2; di Renzo, Marco3",
        "Lindqvist, Ada1,2, di Renzo, Marco3",
        "Lindqvist, Ada and di Renzo, Marco",
        "Lindqvist, Ada*, di Renzo, Marco†",
    ],
)
def test_names_with_marks_or_and_between_them(text: str) -> None:
    """Lost otherwise: all authors but one, whose name would have numbers in it."""
    assert authors_of(text, ValueError) == TWO


@pytest.mark.parametrize("text", ["Ada Roe and Bo Day", "Ada Roe & Bo Day", "Ada Roe1, Bo Day2,*", "Ada Roe¹, Bo Day²"])
def test_whole_names(text: str) -> None:
    """Lost otherwise: the second author."""
    assert [author.name for author in authors_of(text, ValueError)] == ["Ada Roe", "Bo Day"]


@pytest.mark.parametrize("text", ["Johnson & Johnson", "NASA and ESA", "Group 7", "Research and Development Team"])
def test_organisations_stay_whole(text: str) -> None:
    """Lost otherwise: authors that are no persons, torn apart."""
    assert [author.name for author in authors_of(text, ValueError)] == [text]


@pytest.mark.parametrize("piece", ["a", ",", "(", " \n", "\x01", "1,", "@", "A."])
@pytest.mark.parametrize(
    "read", [lambda text: authors_of(text, ValueError), byline, lambda text: keyed_places(text, {"1"})]
)
def test_time_grows_with_the_length_of_what_a_stranger_wrote(
    piece: str, read: Callable[[str], object], steep: Steep
) -> None:
    """Lost otherwise: minutes for one field of 50,000 characters."""

    assert not steep(lambda length: read(f"Ada Roe {repeat_text(piece, length)}x"), 12_500)


def test_a_rare_family_name_is_a_person() -> None:
    """Otherwise a first author stands as an organisation in lists, labels and exports."""
    (author,) = authors_of(["Clifford Kentros"], ValueError)
    assert author.family != "Clifford Kentros"
