"""Who and what a PDF's paper is: the front matter of its first page, in the ways journals print it."""

from __future__ import annotations

from pathlib import Path

import pdf_samples as samples
import pytest
from pdf_samples import ABSTRACT, FIRST, SECOND, THIRD, TITLE, Sheet, save, wrap_lines

from conspectus.parse.pdf.reader import read_pdf
from conspectus.records import ParsedPaper


def front(names: list[str], below: list[str] = [], after: list[str] = []) -> Sheet:  # noqa: B006
    """A first page: title, the names' lines, lines below them, an abstract, lines after it, and text."""
    sheet = Sheet()
    sheet.put(72, 90, TITLE, "Times-Bold", 17)
    y = 120.0
    for line in names:
        sheet.put(72, y, line, "Times-Roman", 11)
        y += 13
    y += 4
    for line in below:
        sheet.put(72, y, line, "Times-Italic", 9)
        y += 11
    sheet.put(72, y + 16, "Abstract", "Times-Bold", 10)
    y = sheet.paragraph(72, y + 32, 450, ABSTRACT, size=9)
    for line in after:
        sheet.put(72, y, line, "Times-Roman", 9)
        y += 11
    sheet.put(72, y + 16, "1 Introduction", "Times-Bold", 12)
    for text in (FIRST, SECOND, THIRD):
        y = sheet.paragraph(72, y + 34, 450, text)
        y -= 22
    return sheet


def read(path: Path, *sheets: Sheet) -> ParsedPaper:
    return read_pdf(save(path / "paper.pdf", list(sheets)))


def names(paper: ParsedPaper) -> list[str]:
    return [author.name for author in paper.metadata.authors]


@pytest.mark.parametrize(
    "lines",
    [
        ["Lindqvist, Ada1,2, di Renzo, Marco3, Chen, Wei-Lin1"],
        ["Lindqvist, Ada; di Renzo, Marco; Chen, Wei-Lin"],
        ["Ada Lindqvist MD,1 Marco di Renzo PhD,2,3 and", "Wei-Lin Chen, MPH1,*"],
        ["1Ada Lindqvist, 2Marco di Renzo, 1Wei-Lin Chen"],
        ["LINDQVIST Ada1, DI RENZO Marco2, CHEN Wei-Lin"],
    ],
)
def test_authors_in_any_order_with_any_marks(tmp_path: Path, lines: list[str]) -> None:
    """Lost otherwise: all authors of the paper."""
    paper = read(tmp_path, front(lines, ["1Institute of Moons, University of Nowhere"]))
    assert names(paper) == ["Ada Lindqvist", "Marco di Renzo", "Wei-Lin Chen"]
    assert paper.metadata.abstract == ABSTRACT


MOONS = "Institute of Moons, University of Nowhere"
BRACKETS = ["[2] Observatory of Ice, 12 Cold Road,", "Nowhere 3, Northland"]
ICE = "Observatory of Ice, 12 Cold Road, Nowhere 3, Northland"
SNOW = "Department of Snow, University of Elsewhere"


def places(paper: ParsedPaper) -> list[tuple[str, ...]]:
    return [author.affiliations for author in paper.metadata.authors]


@pytest.mark.parametrize(
    ("lines", "below"),
    [
        (["Ada Lindqvist1,2 and Marco di Renzo3"], [f"1{MOONS}", f"2 {ICE}", f"3{SNOW}"]),
        (["Ada Lindqvist1,2, Marco di Renzo3,*"], [f"1 {MOONS}, 2 {ICE},", f"3 {SNOW}. *Corresponding author"]),
        (["Ada Lindqvist a,b, Marco di Renzo c,*"], [f"a {MOONS}", f"b {ICE}", f"c {SNOW}", "* a@example.org"]),
        (["Lindqvist, Ada (1,2); di Renzo, Marco (3)"], [f"(1) {MOONS}", f"(2) {ICE}", f"(3) {SNOW}"]),
        (["Ada Lindqvist*,† and Marco di Renzo‡"], [f"* {MOONS}", f"† {ICE}", f"‡ {SNOW}, m@example.org"]),
        (["Ada Lindqvist[1,2], Marco di Renzo[3]"], [f"[1] {MOONS}", *BRACKETS, f"[3] {SNOW}"]),
    ],
)  # fmt: skip
def test_marks_lead_to_affiliations(tmp_path: Path, lines: list[str], below: list[str]) -> None:
    """Lost otherwise: who works where, for finding a group's papers and telling namesakes apart."""
    paper = read(tmp_path, front(lines, below))
    assert places(paper) == [(MOONS, ICE), (SNOW,)]
    assert (paper.metadata.abstract, paper.metadata.venue) == (ABSTRACT, "")


def test_affiliations_in_a_note_at_the_foot(tmp_path: Path) -> None:
    """Lost otherwise: the same where the journal prints them at the page's foot."""
    sheet = front(["Ada Lindqvist1 and Marco di Renzo2"])
    for number, place in enumerate((MOONS, SNOW), 1):
        sheet.put(72, 760 + 10 * number, str(number), size=5)
        sheet.put(75, 763 + 10 * number, place, size=8)
    assert places(read(tmp_path, sheet)) == [(MOONS,), (SNOW,)]


def test_affiliations_below_names_that_stand_side_by_side(tmp_path: Path) -> None:
    """Lost otherwise: the same in the proceedings of conferences, which use no marks."""
    sheet, texts = Sheet(), front([]).texts
    for x, who, where in ((72, "Ada Lindqvist", MOONS), (330, "Marco di Renzo", SNOW)):
        sheet.put(x, 112, who, "Times-Roman", 11)
        for number, line in enumerate(where.split(", ")):
            sheet.put(x, 123 + 9 * number, line, "Times-Italic", 8)
    sheet.texts = [texts[0], *sheet.texts, *((x, y + 30, *rest) for x, y, *rest in texts[1:])]
    paper = read(tmp_path, sheet)
    assert names(paper) == ["Ada Lindqvist", "Marco di Renzo"]
    assert places(paper) == [(MOONS,), (SNOW,)]


def test_one_place_is_everybodys_and_notes_say_who_is_where(tmp_path: Path) -> None:
    """Lost otherwise: the affiliations of papers of one group, and those of the IEEE's journals."""
    assert places(read(tmp_path, front(["Ada Lindqvist and Marco di Renzo"], [MOONS]))) == [(MOONS,)] * 2
    sheet = front(["Ada Lindqvist and Marco di Renzo"])
    sheet.put(80, 770, f"A. Lindqvist is with the {MOONS} (e-mail: a@example.org).", size=8)
    sheet.put(80, 780, f"M. di Renzo is with the {SNOW}.", size=8)
    assert places(read(tmp_path, sheet)) == [(MOONS,), (SNOW,)]


def test_names_that_the_file_says_of_itself_keep_what_the_page_says_of_them(tmp_path: Path) -> None:
    """Lost otherwise: affiliations of every PDF whose document information has the authors too."""
    sheet = front(["Ada Lindqvist1, Marco di Renzo2"], [f"1{MOONS}", f"2{SNOW}"])
    path = save(tmp_path / "a.pdf", [sheet], author="Ada Lindqvist; Marco di Renzo")
    assert places(read_pdf(path)) == [(MOONS,), (SNOW,)]


@pytest.mark.parametrize("group", ["The Moon Watch developers", "MOON Collaboration", "The Moon Watch Team"])
def test_a_group_alone_is_the_author(tmp_path: Path, group: str) -> None:
    """Lost otherwise: who wrote it; the group's name stands in the text as a paragraph."""
    paper = read(tmp_path, front([group], [MOONS]))
    assert names(paper) == [group.removeprefix("The ")]
    assert not any(group in block.text for block in paper.blocks)


def many(count: int) -> list[str]:
    given = ("Ada", "Bo", "Cleo", "Dag", "Eve", "Finn", "Gro", "Hal", "Ida", "Jon")
    family = ("Lind", "Moe", "Nord", "Oak", "Pine", "Quist", "Roe", "Sand", "Tveit", "Udd", "Vik", "Wold")
    return [f"{given[i % 10]} {'ABCD'[i // 120]}. {family[i % 12]}{family[i // 12 % 10].lower()}" for i in range(count)]


@pytest.mark.parametrize("marks", ["{}", "{}{n}", "{} ({n})"])
@pytest.mark.parametrize("inverted", [False, True])
def test_a_list_of_authors_that_goes_on_over_the_page(tmp_path: Path, marks: str, inverted: bool) -> None:
    """Lost otherwise: the authors of collaborations from the end of the first page on."""
    everybody = many(230)
    turned = [f"{name.split()[2]}, {' '.join(name.split()[:2])}" for name in everybody] if inverted else everybody
    text = ("; " if inverted else ", ").join(marks.format(name, n=i % 9 + 1) for i, name in enumerate(turned))
    lines = [line for line, _ in wrap_lines(text, 380, 0, "Times-Roman", 11)]
    first, second = Sheet(), front(lines[45:])
    first.put(72, 90, TITLE, "Times-Bold", 17)
    for number, line in enumerate(lines[:45]):
        first.put(72, 120 + 14.5 * number, line, "Times-Roman", 11)
    second.texts = [each for each in second.texts if each[2] != TITLE]
    assert names(read(tmp_path, first, second)) == everybody


IMPRINTS = [
    ("J. Ice Imag. 12 (2019) 34-45", "J. Ice Imag."),
    ("MOON ONE | https://doi.org/10.5555/moon.0000001 March 7, 2019 1 / 15", "MOON ONE"),
    ("Frontiers in Moons | www.example.org 1 March 2019 | Volume 5 | Article 12", "Frontiers in Moons"),
    ("Ice Rev. D 99, 012345 (2019)", "Ice Rev. D"),
    ("eLife 2019;8:e12345. DOI: https://doi.org/10.5555/eLife.12345", "eLife"),
    ("Ice Physics, Vol. 12, No. 3, March 2019", "Ice Physics"),
    ("Monthly Notices of Ice 480, 1-12 (2019)", "Monthly Notices of Ice"),
    ("Lindqvist et al. Ice Research (2019) 12:34", "Ice Research"),
    ("A. Lindqvist et al. / Science of Ice 650 (2019) 1-9", "Science of Ice"),
    ("The Journal of Snow, September 15, 2019 | 39(37):7300-7312", "The Journal of Snow"),
    ("Snow Ice | VOL 12 | MARCH 2019 | 34-45 | www.example.org/snowice", "Snow Ice"),
]
LETTERS = "1Department of Letters and Annals, University of Nowhere, 2019"


@pytest.mark.parametrize(("line", "venue"), IMPRINTS)
@pytest.mark.parametrize(("y", "everywhere"), [(800, True), (800, False), (40, True)])
def test_the_journal_is_named_at_the_foot_or_head(
    tmp_path: Path, line: str, venue: str, y: float, everywhere: bool
) -> None:
    """Lost otherwise: the journal; or an address is taken for it, and the foot's words stand in the text."""
    first, second = front(["Ada Lindqvist1, Marco di Renzo1"], [LETTERS]), Sheet()
    second.paragraph(72, 90, 450, THIRD)
    for sheet in [first, second] if everywhere else [first]:
        sheet.texts.insert(0 if y < 90 else len(sheet.texts), (72, y, line, "Times-Roman", 8))
    paper = read(tmp_path, first, second)
    assert (paper.metadata.venue, paper.metadata.title) == (venue, TITLE)
    assert not any(line[:9] in block.text for block in paper.blocks)


@pytest.mark.parametrize(
    "place", [LETTERS[1:], "Annual Reviews Institute, 12 (2019) Ice Road, Nowhere", "Bulletin of Ice School"]
)
def test_an_affiliation_is_no_venue(tmp_path: Path, place: str) -> None:
    """Lost otherwise: trust in the journal's name, which would be a department's."""
    assert read(tmp_path, front(["Ada Lindqvist, Marco di Renzo"], [place])).metadata.venue == ""


@pytest.mark.parametrize(
    ("lines", "keywords", "extra"),
    [
        (["Keywords: moons; tides of ice"], ("moons", "tides of ice"), {}),
        (["Key words. moons - tides of ice"], ("moons - tides of ice",), {}),
        (["Subject headings: moons, tides of ice"], ("moons", "tides of ice"), {}),
        (["Index Terms—moons, tides of ice"], ("moons", "tides of ice"), {}),
        (["PACS numbers: 96.30.N-, 95.10.Fh"], (), {"pacs": "96.30.N-, 95.10.Fh"}),
        (["2010 Mathematics Subject Classification: 70F15, 85A04"], (), {"msc": "70F15, 85A04"}),
        (["MSC (2010): 70F15"], (), {"msc": "70F15"}),
        (["JEL classification: Q54, C61"], (), {"jel": "Q54, C61"}),
        (["CCS Concepts: Applied computing, Astronomy"], (), {"ccs": "Applied computing, Astronomy"}),
        (["Categories and Subject Descriptors: J.2 Physics"], (), {"ccs": "J.2 Physics"}),
        (["Received 3 May 2019; accepted 7 June 2019"], (), {"received": "2019-05-03", "accepted": "2019-06-07"}),
        (["(c) 2019 The Authors. All rights reserved."], (), {}),
        (
            ["Keywords: moons, tides", "JEL codes: Q54", "MSC: 70F15"],
            ("moons", "tides"),
            {"jel": "Q54", "msc": "70F15"},
        ),
    ],
)
@pytest.mark.parametrize("run_in", [False, True])
def test_lines_of_categories_are_no_part_of_the_abstract(
    tmp_path: Path, lines: list[str], keywords: tuple[str, ...], extra: dict[str, str], run_in: bool
) -> None:
    """Lost otherwise: keywords, and an abstract without codes, dates and rights in it."""
    sheet = front(["Ada Lindqvist"], after=[] if run_in else lines)
    if run_in:
        x, y, last, font, size = next(text for text in sheet.texts if text[2].endswith("craters."))
        sheet.texts.remove((x, y, last, font, size))
        sheet.put(x, y, f"{last} {lines[0]}", font, size)
        for number, line in enumerate(lines[1:], 1):
            sheet.put(x, y + 10.8 * number, line, font, size)
        sheet.texts.sort(key=lambda text: text[1])
    found = read(tmp_path, sheet)
    assert (found.metadata.abstract, found.metadata.keywords) == (ABSTRACT, keywords)
    assert found.metadata.extra == extra
    assert FIRST in [block.text for block in found.blocks]


@pytest.mark.parametrize(
    "names", ["Claire Dubois, Étienne Lefèvre", "Claire Dubois and Étienne Lefèvre", "Claire Dubois et Étienne Lefèvre"]
)
@pytest.mark.parametrize(
    "place", ["INRAE, Rennes, France", "Forstliche Versuchsanstalt Freiburg", "University of Padua"]
)
def test_a_place_below_the_names_is_no_author(tmp_path: Path, names: str, place: str) -> None:
    """An institute would be listed as a person, or two people by names made of their own and their town's."""
    sheet = samples.Sheet()
    sheet.put(72, 60, "Effects of blue light on the flowering of flax", "Times-Bold", 18)
    sheet.put(72, 86, names, "Times-Roman", 10)
    sheet.put(72, 98, place, "Times-Roman", 10)
    sheet.put(72, 130, "1 Introduction", "Times-Bold", 12)
    y = sheet.paragraph(72, 150, 450, samples.FIRST)
    sheet.paragraph(72, y, 450, samples.SECOND, indent=15)
    authors = read_pdf(samples.save(tmp_path / "place.pdf", [sheet])).metadata.authors
    assert [author.name for author in authors] == ["Claire Dubois", "Étienne Lefèvre"]


def test_a_title_may_cite_a_journal_by_its_abbreviations(tmp_path: Path) -> None:
    """Taken for several sentences, the title, the names and their institute would become paragraphs of the text."""
    title = (
        "Reproduction of a calculation of the second virial coefficient for the interactions of hydrogen "
        "[J. Chem. Phys. vol. 112, 4417 (2000)]"
    )
    sheet = Sheet()
    y = sheet.paragraph(72, 90, 450, title, font="Times-Bold", size=17)
    sheet.put(72, y + 10, "Ada Lindqvist and Marco di Renzo", "Times-Roman", 11)
    sheet.put(72, y + 26, MOONS, "Times-Italic", 9)
    sheet.put(72, y + 50, "Abstract", "Times-Bold", 10)
    y = sheet.paragraph(72, y + 66, 450, ABSTRACT, size=9)
    sheet.put(72, y + 16, "1 Introduction", "Times-Bold", 12)
    sheet.paragraph(72, y + 34, 450, FIRST)
    paper = read(tmp_path, sheet)
    assert (paper.metadata.title, names(paper)) == (title, ["Ada Lindqvist", "Marco di Renzo"])
    assert places(paper) == [(MOONS,), (MOONS,)]
    assert [block.text for block in paper.blocks if block.kind == "paragraph"] == [FIRST]
