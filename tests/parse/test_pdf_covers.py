"""Covers of publishers and repositories: the paper is the one behind them, and what they say of it is used."""

from __future__ import annotations

from pathlib import Path

import pytest
from pdf_samples import ABSTRACT, FIRST, SECOND, THIRD, TITLE, Sheet, save

from conspectus.parse.pdf.lines import Usual
from conspectus.parse.pdf.page_text import Group, Line, Style, Word
from conspectus.parse.pdf.reader import read_pdf
from conspectus.parse.pdf.title_page import TitleFinder, count_covers
from conspectus.records import ParsedPaper

NAMES = "Ada Lindqvist and Marco di Renzo"
CITED = f"Ada Lindqvist, Marco di Renzo. {TITLE}. Journal of Ice, 2012, 4 (1), pp.1-9."
DOI = "10.1234/ice.1"
HALVES = TITLE[:28], TITLE[29:]
Said = tuple[float, str]


def cover(lines: list[Said]) -> Sheet:
    """A page of lines, each of a size; those larger than the text are bold."""
    sheet, y = Sheet(), 80.0
    for size, text in lines:
        y = 8 + sheet.paragraph(60, y, 470, text, font="Helvetica-Bold" if size > 12 else "Helvetica", size=size)
    return sheet


def article(*, names: str = NAMES, abstract: bool = True) -> Sheet:
    sheet = Sheet()
    sheet.put(72, 90, TITLE, "Times-Bold", 17)
    y = 120.0
    if names:
        sheet.put(72, y, names, "Times-Roman", 11)
        sheet.put(72, y + 14, "Institute of Moons, University of Nowhere", "Times-Italic", 9)
        y += 40
    if abstract:
        sheet.put(72, y, "Abstract", "Times-Bold", 10)
        y = sheet.paragraph(72, y + 14, 450, ABSTRACT, size=9) + 10
    sheet.put(72, y, "1 Introduction", "Times-Bold", 12)
    for text in (FIRST, SECOND, THIRD):
        y = sheet.paragraph(72, y + 18, 450, text)
    return sheet


def read(path: Path, *sheets: Sheet) -> ParsedPaper:
    return read_pdf(save(path / "paper.pdf", list(sheets)))


TERMS = (
    "Items in this archive are protected by copyright, with all rights reserved unless they say otherwise. They may be "
    "downloaded for private study, or for other acts that the law of the land permits to those who read them."
)
COVERS: dict[str, list[Said]] = {
    "a proof": [(22, "Journal Pre-proof"), (13, TITLE), (11, NAMES), (9, "PII: S0000-0000(12)30001-1"),
                (9, f"DOI: {DOI}"), (9, "To appear in: Journal of Ice"),
                (9, f"Please cite as: A. Lindqvist, M. di Renzo, {TITLE}, Journal of Ice (2012), doi: {DOI}"),
                (9, TERMS)],
    "labelled lines": [(13, TITLE), (9, f"Author(s): {NAMES}"), (9, f"Digital object: {DOI}"),
                       (9, "Source: Journal of Ice, Vol. 4, No. 1 (Jan., 2012), pp. 1-9"),
                       (9, "Published by: Ice Press"), (8, TERMS)],
    "a recommended citation": [(9, "Id: arch-01234567"), (9, "Submitted on 5 Mar 2021"), (20, TITLE), (12, NAMES),
                               (10, "To cite this version:"), (10, f"{CITED} <{DOI}>. <arch-01234567>"), (8, TERMS)],
    "a copy": [(12, f"This is a repository copy of {TITLE}."), (10, "Version: Accepted Version"), (13, "Article:"),
               (10, f"Lindqvist, A. and di Renzo, M. (2012) {TITLE}. Journal of Ice, 4 (1). pp. 1-9. ISSN 1234-5678"),
               (10, f"https://doi.org/{DOI}"), (13, "Reuse"), (10, TERMS)],
    "a title in two lines": [(16, HALVES[0]), (16, HALVES[1]),
                             (11, NAMES), (10, "Article in Journal of Ice · January 2012"), (9, f"DOI: {DOI}")],
    "a university's name": [(18, "University of Nowhere"), (12, TITLE), (11, "Lindqvist, Ada; di Renzo, Marco"),
                            (10, f"Citation: Lindqvist, A., di Renzo, M. 2012. {TITLE}. Journal of Ice 4(1), 1-9."),
                            (10, f"https://doi.org/{DOI}.")],
}  # fmt: skip


@pytest.mark.parametrize("lines", COVERS.values(), ids=COVERS)
def test_the_article_behind_a_cover_is_the_paper(tmp_path: Path, lines: list[Said]) -> None:
    """Lost otherwise: title, authors and venue; and terms of use are quoted as findings."""
    paper = read(tmp_path, cover(lines), article())
    said = paper.metadata
    assert (said.title, said.venue, said.year, said.doi) == (TITLE, "Journal of Ice", 2012, DOI)
    assert [author.name for author in said.authors] == ["Ada Lindqvist", "Marco di Renzo"]
    assert all(author.affiliations for author in said.authors)
    assert said.abstract == ABSTRACT
    assert [block.text for block in paper.blocks if block.kind == "paragraph"] == [FIRST, SECOND, THIRD]
    assert any(left.place.page == 1 for left in paper.left_out), "what a cover says can be looked at"


def test_a_title_page_gives_the_authors_that_the_article_lacks(tmp_path: Path) -> None:
    """Lost otherwise: the authors of manuscripts for blind review."""
    paper = read(tmp_path, cover([(16, TITLE), (12, NAMES), (10, "Word count: 4321")]), article(names=""))
    assert [author.name for author in paper.metadata.authors] == ["Ada Lindqvist", "Marco di Renzo"]
    assert paper.metadata.abstract == ABSTRACT


def test_a_first_page_whose_title_a_later_page_repeats_is_no_cover(tmp_path: Path) -> None:
    """Lost otherwise: the first page of an article whose supplement has the same title."""
    later = Sheet()
    later.put(72, 90, TITLE, "Times-Bold", 17)
    later.paragraph(72, 130, 450, SECOND)
    paper = read(tmp_path, article(), later)
    assert FIRST in [block.text for block in paper.blocks]
    assert paper.metadata.abstract == ABSTRACT


def groups(page: int, said: list[Said]) -> list[Group]:
    """One group a text, each of one line of a size, from the top of a page."""
    styles = [Style("Times", size, bold=False, italic=False) for size, _ in said]
    return [
        Group(
            [
                Line(
                    page,
                    [Word(word, 72 + 9 * at, 80 + 9 * at, 60.0 + 30 * row, style) for at, word in enumerate(words)],
                )
            ]
        )
        for row, (style, words) in enumerate(zip(styles, (text.split() for _, text in said), strict=True))
    ]


@pytest.mark.parametrize(("size", "covers"), [(17, 1), (10.5, 0), (10, 0), (8, 0)])
def test_a_running_head_with_the_title_makes_no_cover_of_the_page_before(size: float, covers: int) -> None:
    """Lost otherwise: the first page of every article with little text on it and its title over each page."""
    first = groups(1, [(17, TITLE), (11, NAMES), (10, "Abstract"), (10, ABSTRACT)])
    second = groups(2, [(size, TITLE), (11, NAMES), (10, FIRST), (10, SECOND), (10, THIRD)])
    finder = TitleFinder(Usual(10, 12, "Times", bold=False), 842, (), frozenset())
    found = finder.find(second)
    assert found is not None and found.text == TITLE, "else the size decides nothing"
    assert count_covers([first, second], finder) == covers
