"""Lists of authors in the orders, separators and marks in which papers print them."""

from __future__ import annotations

import pytest

from conspectus.parse.people.bylines import CLOSE, OPEN, NamedAuthors, byline
from conspectus.records import Author
from growth import Steep

THREE = ["Ada Lindqvist", "Marco di Renzo", "Wei-Lin Chen"]


def names(text: str) -> list[str]:
    return [named.author.name for named in byline(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Ada Lindqvist, Marco di Renzo and Wei-Lin Chen",
        "By Ada Lindqvist, Marco di Renzo, and Wei-Lin Chen",
        "Ada Lindqvist; Marco di Renzo; Wei-Lin Chen",
        "Ada Lindqvist & Marco di Renzo & Wei-Lin Chen",
        "Ada Lindqvist\nMarco di Renzo\nWei-Lin Chen",
        "Ada Lindqvist, Marco\ndi Renzo, Wei-Lin Chen",
        "Ada Lindqvist · Marco di Renzo · Wei-Lin Chen",
        "ADA LINDQVIST, MARCO DI RENZO AND WEI-LIN CHEN",
        "Ada LINDQVIST, Marco DI RENZO, Wei-Lin CHEN",
        "LINDQVIST Ada, DI RENZO Marco, CHEN Wei-Lin",
        "Lindqvist, Ada1,2, di Renzo, Marco3, Chen, Wei-Lin1",
        "Lindqvist, Ada; di Renzo, Marco; Chen, Wei-Lin",
        "Lindqvist, Ada and di Renzo, Marco and Chen, Wei-Lin",
        "Lindqvist, Ada; Renzo, Marco di; Chen, Wei-Lin",
        "Ada Lindqvist1,2*, Marco di Renzo3†, and Wei-Lin Chen1",
        "Ada Lindqvist,1 Marco di Renzo,2,3 and Wei-Lin Chen1,*",
        "Ada Lindqvist a,b,*, Marco di Renzo b, Wei-Lin Chen c",
        "Ada Lindqvist (1), Marco di Renzo (1,2), Wei-Lin Chen (2)",
        "Ada Lindqvist¹·², Marco di Renzo³, Wei-Lin Chen¹",
        "Ada Lindqvist[1], Marco di Renzo[2], Wei-Lin Chen[1,2]",
        "1Ada Lindqvist, 2Marco di Renzo, 1Wei-Lin Chen",
        "1st Ada Lindqvist, 2nd Marco di Renzo, 3rd Wei-Lin Chen",
        f"Ada Lindqvist{OPEN}1{CLOSE} Marco di Renzo{OPEN}2{CLOSE} Wei-Lin Chen{OPEN}a,b{CLOSE}",
        "Ada Lindqvist, MD, PhD, Marco di Renzo, MSc; Wei-Lin Chen, DrPH",
        "Ada Lindqvist MD, Marco di Renzo PhD, Wei-Lin Chen MD PhD",
        "Prof. Dr. Ada Lindqvist, Dr. Marco di Renzo, Wei-Lin Chen",
        "Ada Lindqvist, Member, IEEE, Marco di Renzo, Senior Member, IEEE, and Wei-Lin Chen",
        "Ada Lindqvist (ada@example.org), Marco di Renzo, m@example.org, Wei-Lin Chen {wl,c}@example.org",
        "Ada Lindqvist iD, Marco di Renzo iD 2, Wei-Lin Chen 1 iD",
    ],
)
def test_every_order_and_mark_gives_the_same_three_names(text: str) -> None:
    """Lost otherwise: all authors of papers whose journal prints names another way."""
    assert names(text) == THREE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lindqvist, A.B., di Renzo, M., and Chen, W.-L.", ["A.B. Lindqvist", "M. di Renzo", "W.-L. Chen"]),
        ("Lindqvist AB, di Renzo M, Chen WL", ["Lindqvist AB", "di Renzo M", "Chen WL"]),
        ("Lindqvist, J. A., Stone, B. C., & Brown, D.", ["J. A. Lindqvist", "B. C. Stone", "D. Brown"]),
        ("de la Cruz, Ana Maria; van der Berg, Jan Piet", ["Ana Maria de la Cruz", "Jan Piet van der Berg"]),
        ("Cruz Lopez, Ana Maria1, Roe Doe, Jane Ann2", ["Ana Maria Cruz Lopez", "Jane Ann Roe Doe"]),
        ("John Stone, Jr., Ada Lindqvist, Bob Roe III", ["John Stone Jr.", "Ada Lindqvist", "Bob Roe III"]),
        ("Stone, John, Jr.; Roe, Bob, III", ["John Stone Jr.", "Bob Roe III"]),
        ("Sukarno1, Ada Lindqvist2, Marco di Renzo1", ["Sukarno", "Ada Lindqvist", "Marco di Renzo"]),
        ("王伟1, 李娜2, 张丽", ["王伟", "李娜", "张丽"]),
        ("王伟、李娜", ["王伟", "李娜"]),
        ("ZHANG Wei1, LI Na2", ["Wei Zhang", "Na Li"]),
        ("Иван Петров, Elena Petrova", ["Иван Петров", "Elena Petrova"]),
        ("Patrick MCDONALD, Ada O'BRIEN", ["Patrick McDonald", "Ada O'Brien"]),
        ("Ahmed al-Khalili, Yusuf ibn Ziyad", ["Ahmed al-Khalili", "Yusuf ibn Ziyad"]),
        ("April Jones, June Fellows, Mark England", ["April Jones", "June Fellows", "Mark England"]),
        ("Ben Stone, Van Nguyen, Al Gorman", ["Ben Stone", "Van Nguyen", "Al Gorman"]),
        ("Ada Roe and Bo Day for the Moon Watch Collaboration", ["Ada Roe", "Bo Day", "Moon Watch Collaboration"]),
        ("Ada Roe, Bo Day, on behalf of the Ice Study Group", ["Ada Roe", "Bo Day", "Ice Study Group"]),
        ("The Moon Watch Collaboration", ["Moon Watch Collaboration"]),
        ("The Moon Watch developers", ["Moon Watch developers"]),
        ("The Moon Watch Development Team1,*", ["Moon Watch Development Team"]),
        ("Ada Roe, Bo Day, for the MOON team", ["Ada Roe", "Bo Day", "MOON team"]),
    ],
)
def test_names_of_all_kinds(text: str, expected: list[str]) -> None:
    """Lost otherwise: people whose names are not two words, or are printed family name first."""
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Tidal heating of small moons around ringed planets",
        "Institute of Moons, University of Nowhere",
        "1Department of Moons, University of Nowhere",
        "Oslo, Norway",
        "Received 3 June 2019, accepted 4 May 2020",
        "Journal of Ice, Annals of Snow",
        "",
        "1 2 3, 4",
        "Dr., Jr., III",
    ],
)
def test_what_is_no_list_of_names_gives_none(text: str) -> None:
    """Lost otherwise: trust in authors, when addresses and headings stand among them."""
    assert byline(text) == ()


def test_marks_are_kept_with_their_names() -> None:
    """Lost otherwise: who works where."""
    found = byline("Lindqvist, Ada1–3,*, di Renzo, Marco2 https://orcid.org/0000-0002-1825-0097")
    assert found == (
        NamedAuthors(Author("Ada Lindqvist", "Lindqvist", "Ada"), ("1", "2", "3", "*")),
        NamedAuthors(Author("Marco di Renzo", "di Renzo", "Marco", "0000-0002-1825-0097"), ("2",)),
    )


def test_the_family_name_is_told_where_the_print_tells_it() -> None:
    """Lost otherwise: sorting and citing by family name, which would be `Jr.` or `Berg`."""
    authors = [named.author for named in byline("Jan van der Berg, José Ortega y Gasset, John Stone Jr., Ada Roe")]
    assert [author.surname for author in authors] == ["van der Berg", "Ortega y Gasset", "Stone", "Roe"]


def test_three_thousand_names_take_a_moment_and_time_grows_with_their_number(steep: Steep) -> None:
    """Lost otherwise: minutes for the paper of a collaboration, or for a hostile file."""

    def read(count: int) -> None:
        byline(", ".join(f"Ada B. Lindqvist{i % 90},{i % 7} (*), D" + "x" * (i % 9) + "e" for i in range(count)))

    assert not steep(read, 750)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("José García López y María Pérez Ruiz", ["José García López", "María Pérez Ruiz"]),
        ("Ana Ruiz1, Luis Mora2 y Eva Gil1", ["Ana Ruiz", "Luis Mora", "Eva Gil"]),
        ("Giulia Rossi e Marco Bianchi", ["Giulia Rossi", "Marco Bianchi"]),
        ("Jan Kowalski i Anna Nowak", ["Jan Kowalski", "Anna Nowak"]),
        ("И. И. Петров и А. Б. Сидорова", ["И. И. Петров", "А. Б. Сидорова"]),
        ("Νίκος Παπάς και Ελένη Βλάχου", ["Νίκος Παπάς", "Ελένη Βλάχου"]),
        ("محمد أحمد، فاطمة علي", ["محمد أحمد", "فاطمة علي"]),
        ("Santiago Ramón y Cajal, José Ortega y Gasset", ["Santiago Ramón y Cajal", "José Ortega y Gasset"]),
        ("Author(s): Nikos Papas and Eleni Vlachos", ["Nikos Papas", "Eleni Vlachos"]),
    ],
)
def test_names_are_joined_by_and_in_other_languages(text: str, names: list[str]) -> None:
    """Lost otherwise: the second author, who becomes a part of the first one's name."""
    assert [named.author.name for named in byline(text)] == names
