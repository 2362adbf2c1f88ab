"""Dates in words, as title pages of all formats have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from conspectus.parse.markup.latex import read_tex
from conspectus.parse.markup.page import paper_of_page
from conspectus.parse.text.dates import date_in, read_date

WRITTEN = [
    ("March 2020", "2020-03"),
    ("12 March 2020", "2020-03-12"),
    ("March 12, 2020", "2020-03-12"),
    ("Sept. 3rd, 2020", "2020-09-03"),
    ("2020-03-12", "2020-03-12"),
    ("31 February 2020", "2020-02"),
    ("Submitted in spring 2020", "2020"),
    ("today", ""),
]


@pytest.mark.parametrize(("text", "date"), [*WRITTEN, ("2020-13-12", "2020")])
def test_a_date_is_as_exact_as_it_is_written(text: str, date: str) -> None:
    """Papers of one year could not be put in order."""
    assert date_in(text) == date


@pytest.mark.parametrize(("text", "date"), WRITTEN)
def test_latex_and_web_pages_keep_the_month(text: str, date: str, tmp_path: Path) -> None:
    """A paper would have another date as LaTeX than as PDF."""
    path = tmp_path / "a.tex"
    head = f"\\documentclass{{article}}\\title{{Cats}}\\date{{{text}}}"
    path.write_text(f"{head}\\begin{{document}}\\maketitle Cats sleep.\\end{{document}}", "utf-8")
    page = f'<html><head><meta name="citation_date" content="{text}"></head><body><p>Cats sleep.</p></body></html>'
    for found in (read_tex(path).metadata, paper_of_page(page.encode(), "a.html").metadata):
        assert (found.date, found.year) == (date, int(date[:4]) if date else None)


@pytest.mark.parametrize(
    ("text", "year", "date"),
    [
        ("2019-03-07", "", "2019-03-07"),
        ("2014/2015", "", "2014"),
        ("2016/12//", "", "2016-12"),
        ("2012-01-01 10:00:00", "", "2012-01-01"),
        ("20140305", "", "2014-03-05"),
        ("March 5, 2014", "", "2014-03-05"),
        ("3rd March 2014", "", "2014-03-03"),
        ("2012 Oct-Nov", "", "2012-10"),
        ("MAR 5", "2014", "2014-03-05"),
        ("Mar2014", "", "2014-03"),
        ("6", "2003", "2003-06"),
        ("c1999", "", "1999"),
        ("2005a", "", "2005"),
        ("January 1978", "", "1978-01"),
        ("05/03/2014", "", "2014"),
        ("in press", "", ""),
        ("MAR 5", "", ""),
    ],
)
def test_date_fields_of_bibliographies(text: str, year: str, date: str) -> None:
    """Lost otherwise: the year of a paper, or a day that nobody wrote."""
    assert read_date(text, year) == date
