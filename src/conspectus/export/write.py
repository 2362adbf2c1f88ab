"""An export as pieces of text, paper by paper, so that memory does not grow with the library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Literal, get_args

from conspectus.core.characters import cleaned_deep, line
from conspectus.errors import UsageError
from conspectus.export import bibtex, csl, ris, table
from conspectus.export.citekeys import Citekeys, any_id, citekey
from conspectus.parse.blocks import clean_paragraphs
from conspectus.records import Author, Paper

Format = Literal["bibtex", "ris", "csl", "csv", "jsonl"]
FORMATS: tuple[str, ...] = get_args(Format)

Papers = Callable[[], Iterable[Paper]]
"""Gives the papers in their order, each time it is called."""
Files = Callable[[Paper], Sequence[str]]
"""The paths of a paper's own files."""


def pieces(to: str, papers: Papers, files: Files | None = None) -> Iterator[tuple[int, str]]:
    """(number of papers so far, text) of each piece of the export; the texts in order make it up.

    Args:
        to: one of `FORMATS`.
        papers: gives the papers; it is called twice where keys have to be unique.
        files: which files of a paper are named; None: none. CSL-JSON and CSV have no place for them.

    Raises:
        UsageError: there is no such format.
    """
    given = files or (lambda _: ())
    named: Files = given
    if to in ("bibtex", "ris", "csv"):  # JSON has escapes
        papers, named = _fit(papers), lambda paper: [line(path) for path in given(paper)]
    if to == "bibtex":
        keys = Citekeys(papers(), citekey)
        written = (bibtex.entry(paper, keys.of(paper), named(paper)) for paper in papers())
    elif to == "csl":
        keys = Citekeys(papers(), any_id)
        return _list(csl.item(paper, keys.of(paper)) for paper in papers())
    elif to == "ris":
        written = (ris.record(paper, named(paper)) for paper in papers())
    elif to == "csv":
        return _headed(table.row(paper) for paper in papers())
    elif to == "jsonl":
        written = (table.line(paper, named(paper)) for paper in papers())
    else:
        raise UsageError(f"There is no format '{to}'.", f"There are: {', '.join(FORMATS)}, library.")
    return enumerate(written, 1)


def _fit(papers: Papers) -> Papers:
    """The papers without characters that lie, and with no line end where a line of the format would end."""
    return lambda: map(_clean, papers())


def _clean(paper: Paper) -> Paper:
    texts = {field.name: line(value) for field in fields(Paper) if isinstance(value := getattr(paper, field.name), str)}
    return replace(
        paper,
        **texts | {"abstract": clean_paragraphs(paper.abstract)},  # type: ignore[arg-type]
        authors=tuple(map(_person, paper.authors)),
        keywords=tuple(map(line, paper.keywords)),
        references=tuple(map(line, paper.references)),
        extra=cleaned_deep(paper.extra, line),
    )


def _person(author: Author) -> Author:
    name, family, given, orcid = (line(text) for text in (author.name, author.family, author.given, author.orcid))
    return Author(name, family, given, orcid, tuple(map(line, author.affiliations)))


def _list(items: Iterable[str]) -> Iterator[tuple[int, str]]:
    number = 0
    for number, item in enumerate(items, 1):
        yield number, ("[\n" if number == 1 else ",\n") + item
    yield number, "\n]\n" if number else "[]\n"


def _headed(rows: Iterable[str]) -> Iterator[tuple[int, str]]:
    yield 0, table.HEADER
    yield from enumerate(rows, 1)
