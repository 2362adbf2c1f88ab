"""Whether authors and where they work are read from PDFs, in twelve ways in which journals print them.

Run `python benchmarks/authors.py [--data DIR] [--part held-out|developed-on] [--show N]`.

Truth: names and affiliations of JATS articles (PLOS, BMC, eLife, PMC). Each article's front matter is printed by us
with reportlab in three of twelve ways, with a text of our own below. Right is an article all of whose names are right
and in order; and, of those, all of whose authors have the affiliations that they should, in any order. Compared are
letters without case, accents, punctuation and white space. Articles with letters that the PDF's own fonts lack are
left out. Articles are parted by the hash of their names; nothing was developed on those held out.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from parsing import default_data, fold_text
from reference_truth import ARCHIVES
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from conspectus.parse.pdf.reader import read_pdf
from conspectus.records import Author

TITLE = "On the melting of small moons in rings of ice"
ABSTRACT = "We measure how warm the moons are. The warmest of them are those that share a resonance with the others. "
TEXT = "The tides of a planet bend its moons at every turn, and the work that is done becomes heat in the ice. "
SIGNS = "*†‡§¶#"


@dataclass(frozen=True)
class Person:
    """One author as the truth has it; `places` are numbers of affiliations."""

    given: str
    family: str
    suffix: str
    places: tuple[int, ...]

    @property
    def name(self) -> str:
        return " ".join(filter(None, (self.given, self.family, self.suffix)))


@dataclass(frozen=True)
class Article:
    """One article's authors, and the affiliations, numbered in the order in which its authors have them."""

    name: str
    people: tuple[Person, ...]
    places: tuple[str, ...]

    @property
    def held_out(self) -> bool:
        return hashlib.sha256(self.name.encode()).digest()[0] % 2 == 1


def articles(data: Path) -> Iterator[Article]:
    """The articles of the three JATS sets whose authors can be printed."""
    for archive in ARCHIVES:
        with tarfile.open(data / archive) as tar:
            for member in sorted((m for m in tar if m.name.endswith("xml")), key=lambda m: m.name):
                file = tar.extractfile(member)
                assert file is not None
                try:
                    root = ElementTree.parse(io.BytesIO(file.read())).getroot()
                except ElementTree.ParseError:
                    continue
                found = article_of(root, Path(member.name).name)
                if found.people and printable(" ".join([*(p.name for p in found.people), *found.places])):
                    yield found


def printable(text: str) -> bool:
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


def article_of(root: Element, name: str) -> Article:
    meta = root.find("front/article-meta")
    if meta is None:
        return Article(name, (), ())
    known = {aff.get("id", ""): words_of(aff) for aff in meta.iter("aff")}
    order: list[str] = []
    people = []
    for contrib in meta.findall("contrib-group/contrib"):
        person = contrib.find("name")
        if contrib.get("contrib-type") != "author" or person is None:
            continue
        keys = [
            x.get("rid", "") for x in contrib.iter("xref") if x.get("ref-type") == "aff" and known.get(x.get("rid", ""))
        ]
        order += [key for key in keys if key not in order]
        parts = [" ".join((person.findtext(tag) or "").split()) for tag in ("given-names", "surname", "suffix")]
        people.append(Person(*parts, tuple(order.index(key) + 1 for key in dict.fromkeys(keys))))
    return Article(name, tuple(people), tuple(known[key] for key in order))


def words_of(aff: Element) -> str:
    """An affiliation's words without its label."""
    parts = [aff.text or ""]
    for child in aff:
        parts += ["" if child.tag in ("label", "sup", "email") else "".join(child.itertext()), child.tail or ""]
    return " ".join("".join(parts).split()).strip(" ,;.")


class Page:
    """A page that is written from the top; `^…^` in a text is raised."""

    def __init__(self, path: Path) -> None:
        self.canvas = Canvas(str(path), pagesize=A4, invariant=1)
        self.y = 70.0

    def put(self, text: str, font: str = "Times-Roman", size: float = 10, x: float = 60, width: float = 475) -> None:
        """Writes the text in lines as wide as `width`, also over the end of the page."""
        line: list[str] = []
        for word in text.split():
            if line and stringWidth(" ".join([*line, word]).replace("^", ""), font, size) > width:
                self._line(" ".join(line), font, size, x)
                line = []
            line.append(word)
        self._line(" ".join(line), font, size, x)
        self.y += 0.5 * size

    def _line(self, text: str, font: str, size: float, x: float) -> None:
        if self.y > 780:
            self.canvas.showPage()
            self.y = 60
        for number, part in enumerate(text.split("^")):
            small = size * 0.65 if number % 2 else size
            self.canvas.setFont(font, small)
            self.canvas.drawString(x, A4[1] - self.y + (0.35 * size if number % 2 else 0), part)
            x += stringWidth(part, font, small)
        self.y += 1.2 * size

    def foot(self, lines: list[str], size: float = 8) -> None:
        """Writes notes at the foot of the page."""
        y, self.y = self.y, 790 - 1.2 * size * len(lines)
        for line in lines:
            self._line(line, "Times-Roman", size, 60)
        self.y = y


def joined(names: list[str], last: str = " and ") -> str:
    return last.join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def letters(numbers: tuple[int, ...]) -> str:
    return ",".join("abcdefghijklmnopqrstuvwxyz"[n - 1] for n in numbers)


def digits(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))


def keyed(article: Article, form: str) -> list[str]:
    return [form.format(n=n, l=letters((n,)) if n < 27 else "", p=place) for n, place in enumerate(article.places, 1)]


def named(article: Article, form: str) -> list[str]:
    names = []
    for p in article.people:
        marks = letters(p.places) if max(p.places, default=0) < 27 else ""
        suffix = f" {p.suffix}" if p.suffix else ""
        names.append(form.format(g=p.given, f=p.family, s=suffix, n=digits(p.places), l=marks))
    return names


def raised(page: Page, a: Article) -> None:
    page.put(joined(named(a, "{g} {f}{s}^{n}^")), size=11)
    for line in keyed(a, "^{n}^{p}"):
        page.put(line, size=8)


def behind_commas(page: Page, a: Article) -> None:
    page.put("; ".join(named(a, "{g} {f}{s},^{n}^")).replace("^; ", "^ "), size=11)
    page.put("; ".join(keyed(a, "^{n}^{p}")), "Times-Italic", 8)


def glued(page: Page, a: Article) -> None:
    page.put(joined(named(a, "{g} {f}{s}{n}"), ", and "), size=11)
    for line in keyed(a, "{n} {p}"):
        page.put(line, size=8)


def inverted_raised(page: Page, a: Article) -> None:
    page.put(", ".join(named(a, "{f}, {g}^{n}^")), size=11)
    for line in keyed(a, "^{n}^{p}"):
        page.put(line, size=8)


def inverted_semicolons(page: Page, a: Article) -> None:
    page.put("; ".join(named(a, "{f}, {g} ({n})")), size=11)
    for line in keyed(a, "({n}) {p}"):
        page.put(line, size=8)


def capitals(page: Page, a: Article) -> None:
    page.put(joined([n.upper() for n in named(a, "{g} {f}{s}")], " AND "), size=10)
    if len(a.places) == 1:
        page.put(a.places[0], "Times-Italic", 9)


def elsevier(page: Page, a: Article) -> None:
    page.put(", ".join(named(a, "{g} {f}{s} ^{l}^")), size=12)
    for line in keyed(a, "^{l}^ {p}"):
        page.put(line, "Times-Italic", 8)


def notes(page: Page, a: Article) -> None:
    page.put(joined(named(a, "{g} {f}{s}^{n}^")), "Times-Bold", 11)
    page.foot([line[:150] for line in keyed(a, "^{n}^{p}")][:12])


def blocks(page: Page, a: Article) -> None:
    for person in a.people:
        page.put(person.name, size=11)
        for number in person.places:
            page.put(a.places[number - 1], "Times-Italic", 8)


def surname_capitals(page: Page, a: Article) -> None:
    page.put(", ".join(f"{p.family.upper()} {p.given} ^{digits(p.places)}^" for p in a.people), size=11)
    for line in keyed(a, "^{n}^ {p}"):
        page.put(line, size=8)


def degrees(page: Page, a: Article) -> None:
    signs = ("MD", "PhD", "MD, PhD", "MSc", "MPH")
    page.put(joined([f"{n}, {signs[i % 5]}" for i, n in enumerate(named(a, "{g} {f}{s}"))]), size=11)
    if len(a.places) == 1:
        page.put(a.places[0], size=9)


def a_line_each(page: Page, a: Article) -> None:
    for line in named(a, "{g} {f}{s}^{n}^"):
        page.put(line, size=10)
    page.put(" ".join(keyed(a, "^{n}^{p}.")), size=8)


WAYS: tuple[Callable[[Page, Article], None], ...] = (
    raised, behind_commas, glued, inverted_raised, inverted_semicolons, capitals, elsevier, notes, blocks,
    surname_capitals, degrees, a_line_each,
)  # fmt: skip
UNPLACED = (capitals, degrees, notes)
"""Ways that do not print all affiliations in full."""


def write(path: Path, way: Callable[[Page, Article], None], article: Article) -> None:
    page = Page(path)
    page.put(TITLE, "Times-Bold", 17)
    way(page, article)
    page.put("Abstract", "Times-Bold", 11)
    page.put(ABSTRACT * 4, size=9)
    for heading in ("1 Introduction", "2 Methods"):
        page.put(heading, "Times-Bold", 12)
        page.put(TEXT * 9)
    page.canvas.save()


def right_places(found: Author, person: Person, article: Article) -> bool:
    return {fold_text(p) for p in found.affiliations} == {fold_text(article.places[n - 1]) for n in person.places}


def measure(article: Article, way: Callable[[Page, Article], None], count: Counter[str], misses: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "paper.pdf"
        write(path, way, article)
        found = read_pdf(path).metadata
    people = article.people
    wanted = [fold_text(p.name) for p in people]
    if way in (inverted_raised, inverted_semicolons, surname_capitals):
        wanted = [fold_text(f"{p.given} {p.family}") for p in people]
    right = [fold_text(author.name) for author in found.authors] == wanted
    count["articles"] += 1
    count["authors"] += right
    count["abstracts"] += fold_text(found.abstract) == fold_text(ABSTRACT * 4)
    if not right:
        misses.append(
            f"{way.__name__} {article.name}: {[a.name for a in found.authors]}\n    not {[p.name for p in people]}"
        )
    elif way not in UNPLACED and article.places:
        placed = [right_places(*each, article) for each in zip(found.authors, people, strict=True)]
        count["placed articles"] += 1
        count["placed"] += all(placed)
        if not all(placed):
            at = placed.index(False)
            misses.append(
                f"{way.__name__} {article.name}: {people[at].name} is at {found.authors[at].affiliations}"
                f"\n    not {[article.places[n - 1] for n in people[at].places]}"
            )


def share(part: int, whole: int) -> str:
    return f"{part / whole:6.1%} of {whole}" if whole else "–"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=default_data(), help="the folder with the JATS sets")
    parser.add_argument("--part", choices=("held-out", "developed-on"), default="held-out")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N of the misses")
    arguments = parser.parse_args()
    if not (arguments.data / "jats_plos").is_dir():
        print(f"No 'jats_plos' in '{arguments.data}': give the data folder with --data.", file=sys.stderr)
        return 2
    counts: dict[str, Counter[str]] = {way.__name__: Counter() for way in WAYS}
    misses: list[str] = []
    chosen = [a for a in articles(arguments.data) if a.held_out == (arguments.part == "held-out")]
    for article in chosen:
        chance = hashlib.sha256(article.name.encode()).digest()[1]
        for step in range(3):
            way = WAYS[(chance + 4 * step + step) % len(WAYS)]
            measure(article, way, counts[way.__name__], misses)
    total: Counter[str] = Counter()
    print(f"{len(chosen)} articles ({arguments.part})")
    for name, count in [*counts.items(), ("all", total)]:
        if name != "all":
            total.update(count)
        authors, places = share(count["authors"], count["articles"]), share(count["placed"], count["placed articles"])
        abstract = share(count["abstracts"], count["articles"])
        print(f"  {name:20} authors {authors:16} affiliations {places:16} abstract {abstract}")
    for miss in misses[:: max(len(misses) // arguments.show, 1)][: arguments.show] if arguments.show else ():
        print(f"- {miss}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
