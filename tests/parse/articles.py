"""A small article with everything in it, as data: the renderers make pages, Word files and LaTeX of it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cite:
    """A citation of entries of the reference list, counted from 1."""

    numbers: tuple[int, ...]


@dataclass(frozen=True)
class See:
    """A pointer to the figure or table with this id."""

    id: str


@dataclass(frozen=True)
class Math:
    tex: str


@dataclass(frozen=True)
class Note:
    """A footnote at this place."""

    text: str


@dataclass(frozen=True)
class Italic:
    text: str


Piece = str | Cite | See | Math | Note | Italic


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Para:
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Items:
    """A list."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    id: str
    label: str
    caption: str
    href: str


@dataclass(frozen=True)
class Grid:
    """A table with its caption."""

    id: str
    label: str
    caption: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Formula:
    tex: str
    label: str


Part = Heading | Para | Items | Picture | Grid | Formula


@dataclass(frozen=True)
class Entry:
    """One entry of the reference list."""

    text: str
    doi: str = ""


@dataclass(frozen=True)
class Article:
    title: str
    authors: tuple[str, ...]
    affiliation: str
    abstract: tuple[str, ...]
    parts: tuple[Part, ...]
    references: tuple[Entry, ...]
    venue: str = ""
    date: str = ""
    doi: str = ""
    keywords: tuple[str, ...] = field(default=())

    def label(self, id: str) -> str:
        """What the figure or table is called."""
        return next(p.label for p in self.parts if isinstance(p, Picture | Grid) and p.id == id)


def paragraphs(article: Article) -> list[str]:
    """The text of every paragraph and list item, with formulas as `$…$` and without marks of citations and notes."""
    found: list[str] = []
    for part in article.parts:
        if isinstance(part, Items):
            found += part.items
        elif isinstance(part, Para):
            found.append("".join(plain(article, piece) for piece in part.pieces))
    return found


def plain(article: Article, piece: Piece) -> str:
    """The words of a piece."""
    if isinstance(piece, See):
        return article.label(piece.id)
    if isinstance(piece, Math):
        return f"${piece.tex}$"
    if isinstance(piece, Italic):
        return piece.text
    return piece if isinstance(piece, str) else ""


SAMPLE = Article(
    title="How Moss Warms a Stone Wall at Night",
    authors=("Ada Brook", "Ben van der Lake"),
    affiliation="Institute of Walls, Hillside University",
    abstract=(
        "Stone walls cool at night, and moss is said to slow that down. We measured twelve walls over one winter.",
        "Walls with moss stayed warmer by two degrees. Moss is a blanket, not a stove.",
    ),
    parts=(
        Heading(1, "Introduction"),
        Para(
            (
                "Walls of loose stone have stood in the hills for centuries, and lizards, spiders and ",
                Italic("Tortula"),
                " live in them through the coldest months of the year",
                Cite((1,)),
                ". Earlier work measured single stones, never whole walls, and found no effect at all",
                Cite((1, 2)),
                ".",
            )
        ),
        Para(
            (
                "We asked whether moss keeps a wall warm. The walls stand in three valleys with the same kind of stone",
                Note("The stone is a grey limestone from one quarry."),
                " and face south, as ",
                See("fig1"),
                " shows.",
            )
        ),
        Heading(1, "Materials and methods"),
        Heading(2, "Walls and sensors"),
        Para(
            (
                "Each wall carried eight sensors, four under moss and four on bare stone, and each sensor was read ",
                "every ten minutes. The flow of heat was taken as ",
                Math("q = -k \\nabla T"),
                ", with the values of ",
                See("tab1"),
                ".",
            )
        ),
        Picture("fig1", "Figure 1", "A wall in the north valley. Moss covers its lower half.", "wall.png"),
        Formula("T(t) = T_0 e^{-t/\\tau}", "(1)"),
        Heading(2, "Statistics"),
        Para(
            (
                "Means were compared with a mixed model in which the wall was a random effect. A night counted as ",
                "clear when fewer than two tenths of the sky were covered.",
            )
        ),
        Items(("Nights with rain were left out of the analysis.", "Nights with wind above five metres a second too.")),
        Grid(
            "tab1",
            "Table 1",
            "Constants of the three kinds of surface.",
            (
                ("Surface", "k", "tau"),
                ("bare stone", "2.1", "3.5"),
                ("thin moss", "0.9", "4.8"),
                ("thick moss", "0.4", "6.2"),
            ),
        ),
        Heading(1, "Results"),
        Para(
            (
                "Walls with moss were warmer by 2.1 degrees at dawn, and the difference grew with the thickness of ",
                "the moss. On cloudy nights no difference was found, which agrees with the model",
                Cite((3,)),
                ".",
            )
        ),
        Heading(1, "Discussion"),
        Para(
            (
                "Moss works as a blanket. It slows the loss of heat but brings none of its own, so that after two ",
                "clear nights the walls with moss were as cold as the others. Builders may leave it where it grows.",
            )
        ),
    ),
    references=(
        Entry("Stone A, Field B. Heat in dry walls. J Walls. 2001;12(3):45–52.", "10.1000/walls.2001.45"),
        Entry("Moor C. Moss and frost. Hill Lett. 2005;7:101–109.", "10.1000/hill.2005.101"),
        Entry("Glen D, Burn E, Beck F. A model of clear nights. Night Sci. 2010;3:1–20."),
    ),
    venue="Journal of Walls",
    date="2019-03-07",
    doi="10.1000/moss.2019",
    keywords=("moss", "walls"),
)
