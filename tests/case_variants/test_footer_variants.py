"""Heads, footers and notes: they split no sentence, are no text, and name the journal."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from variant_papers import PARTS, TITLE, front
from variant_pdfs import BOLD, SANS, WIDTH, Drawing, wrap

from case_reading import searchable_text
from helpers import open_library

SPLIT = (
    "The measured heights of the last forty years were defined by the mean of the three highest gauges in each of the "
    "bays, which were read every hour by the same observer, and they agree with the model within ten centimetres.",
    "Pressure alone would lift the sea by no more than half a metre, even under the deepest of the four storms, so "
    "that the wind has to explain the rest, and in the narrow bays the friction at the bottom hardly slows it.",
)
Footer = Callable[[Drawing, int], None]


def rescience(page: Drawing, number: int) -> None:
    page.text(70, 790, "ReScience C 4.1 (#2) – Holm and Ruiz 2018", 8, SANS)
    page.right(WIDTH - 70, 790, str(number), 8, SANS)


def archive(page: Drawing, number: int) -> None:
    page.paragraph(
        70, 770, WIDTH - 140,
        "The code is available at https://git.example/bays – SWH swh:1:dir:7a6bc00f1e2d3c4b5a69788796a5b4c3d2e1f00"
        f"{number}; origin=https://git.example/bays; anchor=swh:1:rev:0123456789abcdef",
        size=7, font=SANS,
    )  # fmt: skip
    page.text(70, 800, f"ReScience C 4.1 (#2) – Holm and Ruiz 2018 {number}", 8, SANS)


def download(page: Drawing, number: int) -> None:
    page.text(70, 800, f"Downloaded from https://bays.example/article/31/2 by guest on 0{number} March 2020", 7, SANS)


def water(page: Drawing, number: int) -> None:
    page.text(70, 45, "Water 2018, 10, 345" if number > 1 else "Water 2018, 10, 345; doi:10.5555/w10030345", 8, SANS)
    page.right(WIDTH - 70, 45, f"{number} of 9", 8, SANS)


def frontiers(page: Drawing, number: int) -> None:
    page.text(70, 800, "Frontiers in Marine Science | www.frontiersin.example", 7, SANS)
    page.centre(800, str(number), 7, SANS)
    page.right(WIDTH - 70, 800, "March 2018 | Volume 5 | Article 31", 7, SANS)


def plos(page: Drawing, number: int) -> None:
    page.text(70, 800, "PLOS ONE | https://doi.org/10.5555/journal.pone.0190031  March 5, 2018", 7, SANS)
    page.right(WIDTH - 70, 800, f"{number} / 9", 7, SANS)


def joss(page: Drawing, number: int) -> None:
    page.paragraph(
        70, 780, WIDTH - 200,
        f"Holm et al., (2018). {TITLE}. Journal of Open Source Software, 3(25), 731. https://doi.org/10.5555/joss.00731",
        size=7, font=SANS,
    )  # fmt: skip
    page.right(WIDTH - 70, 780, str(number), 7, SANS)


def elife(page: Drawing, number: int) -> None:
    page.text(70, 800, "Holm and Ruiz. eLife 2018;7:e31031. DOI: https://doi.org/10.5555/eLife.31031", 7, SANS)
    page.right(WIDTH - 70, 800, f"{number} of 9", 7, SANS)


def rights(page: Drawing, number: int) -> None:
    """What stands once, under the text of the first page."""
    rescience(page, number)
    lines = (
        "Copyright © 2018 G. Holm and T. Ruiz, released under a Creative Commons Attribution 4.0 license.",
        "Correspondence should be addressed to Greta Holm (greta@dike.example)",
        "The authors have declared that no competing interests exist.",
        "Code is available at https://git.example/bays.",
        " – SWH swh:1:dir:7a6bc00f1e2d3c4b5a69788796a5b4c3d2e1f00a;origin=https://git.example/bays;",
    )
    for row, line in enumerate(lines if number == 1 else ()):
        page.text(70, 728 + 9 * row, line, 7, SANS)


def grant(page: Drawing, number: int) -> None:
    """A note under a rule on the first page, close to the text."""
    joss(page, number)
    if number == 1:
        page.canvas.line(70, page.height - 716, 200, page.height - 716)
        page.text(70, 726, "∗ This work was supported by the Dike Society. E-mail: greta@dike.example", 8)
        page.text(70, 736, "Received 5 March 2018; accepted 9 June 2018", 8)


def signature(page: Drawing, number: int) -> None:
    """An id in the size of the text, on the first page only."""
    if number == 1:
        page.text(70, 745, "– SWH swh:1:dir:7a6bc00f1e2d3c4b5a69788796a5b4c3d2e1f00a", 9.5)
    page.centre(800, str(number), 9)


def addresses(*lines: str) -> Footer:
    """Ids and addresses set as the text, under the text of the second page only."""

    def draw(page: Drawing, number: int) -> None:
        for row, line in enumerate(lines if number == 2 else ()):
            page.text(70, 752 + 11 * row, line, 9.5)
        page.centre(810, str(number), 9)

    return draw


SWH = "– SWH swh:1:rev:0123456789abcdef0123456789abcdef01234567;"
FOOTERS: dict[str, tuple[Footer, str]] = {
    "rescience": (rescience, "ReScience C"),
    "an archive's id in two lines": (archive, "ReScience C"),
    "who downloaded it": (download, ""),
    "a head with the journal": (water, "Water"),
    "three parts": (frontiers, "Frontiers in Marine Science"),
    "journal and address": (plos, "PLOS ONE"),
    "a whole citation": (joss, "Journal of Open Source Software"),
    "names and journal": (elife, "eLife"),
    "rights once, then the journal": (rights, "ReScience C"),
    "a note of a grant": (grant, "Journal of Open Source Software"),
    "an id as large as the text": (signature, ""),
    "an id and an address": (addresses(SWH, "origin=https://git.example/x;path=/a.f90"), ""),
    "an address": (addresses("https://doi.org/10.5281/zenodo.1234567890123"), ""),
    "a command": (addresses("git clone https://git.example/holm-and-ruiz/narrow-bays-surge-model.git"), ""),
}


def fill(page: Drawing, y: float, text: str) -> None:
    """Paragraphs down to the foot of the page; the last is the first line of `text`."""
    number = 0
    while y < 690:
        y = page.paragraph(70, y, WIDTH - 140, PARTS[number % 4], indent=12)
        number += 1
    page.text(82, y, wrap(text, WIDTH - 140, indent=12)[0])


def go_on(page: Drawing, text: str) -> float:
    y = 80.0
    for line in wrap(text, WIDTH - 140, indent=12)[1:]:
        page.text(70, y, line)
        y += 12.5
    return y


def paper_with(page: Drawing, footer: Footer) -> None:
    """A paper of three pages; a sentence goes on from the first to the second, and from the second to the third."""
    fill(page, front(page), SPLIT[0])
    footer(page, 1)
    page.page()
    y = page.paragraph(70, go_on(page, SPLIT[0]), WIDTH - 140, PARTS[2], indent=12)
    page.text(70, y + 16, "2 Methods", 12, BOLD)
    fill(page, y + 34, SPLIT[1])
    footer(page, 2)
    page.page()
    page.paragraph(70, go_on(page, SPLIT[1]), WIDTH - 140, PARTS[3], indent=12)
    footer(page, 3)


@pytest.mark.parametrize(("footer", "venue"), FOOTERS.values(), ids=FOOTERS)
def test_a_footer_does_not_split_a_sentence(tmp_path: Path, footer: Footer, venue: str) -> None:
    """The sentence could not be quoted, and a footer would be quoted as part of it."""
    page = Drawing(tmp_path / "footer.pdf")
    paper_with(page, footer)
    text = searchable_text(page.read())
    assert all(sentence in text for sentence in SPLIT), text
    assert "swh:1" not in text and "Downloaded from" not in text and "2 of 9" not in text


@pytest.mark.parametrize("name", [name for name, (_, venue) in FOOTERS.items() if venue])
def test_the_journal_of_a_footer(tmp_path: Path, name: str) -> None:
    """A citation would name no journal, and an exported reference would be of an unknown kind."""
    footer, venue = FOOTERS[name]
    page = Drawing(tmp_path / "venue.pdf")
    paper_with(page, footer)
    assert page.read().metadata.venue == venue


@pytest.mark.usefixtures("quick_pool")
def test_the_journal_of_a_footer_is_exported(tmp_path: Path) -> None:
    """BibTeX would get an entry of the kind 'misc'."""
    page = Drawing(tmp_path / "export.pdf")
    paper_with(page, rescience)
    page.read()
    text = io.StringIO()
    with open_library(tmp_path / "lib") as library:
        library.add([tmp_path / "export.pdf"])
        library.export("bibtex", text)
    assert "@article{" in text.getvalue() and "ReScience C" in text.getvalue()


def test_a_note_under_a_column_does_not_split_a_sentence(tmp_path: Path) -> None:
    """The first column of most first pages ends with a note; the sentence goes on in the second."""
    page = Drawing(tmp_path / "columns.pdf")
    width = (WIDTH - 120) / 2
    top = y = front(page)
    lines = [line for part in (*PARTS, *PARTS, PARTS[0]) for line in wrap(part, width, size=9)]
    room = int((690 - top) / 11.25) - 3
    text = lines[:room] + wrap(SPLIT[0], width, size=9)
    for line in text[: room + 3]:
        page.text(50, y, line, 9)
        y += 11.25
    page.canvas.line(50, page.height - 716, 120, page.height - 716)
    page.paragraph(50, 728, width, "G. Holm is with the Dike Institute, Husum. T. Ruiz is with the Marsh Lab.", size=7)
    page.text(50, 750, "Digital Object Identifier 10.5555/bays.2018.31", 7)
    y = top
    for line in text[room + 3 :]:
        page.text(70 + width, y, line, 9)
        y += 11.25
    page.paragraph(70 + width, y, width, SPLIT[1], size=9, indent=10)
    text = searchable_text(page.read())
    assert SPLIT[0] in text and SPLIT[1] in text
