"""Dates in words, as title pages of all formats have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from conspectus.parse.dates import date_in
from conspectus.parse.tex.reader import read_tex
from conspectus.parse.web.reader import paper_of_page

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
