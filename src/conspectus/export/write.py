"""An export as pieces of text, paper by paper, so that memory does not grow with the library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from conspectus.core import entry_points
from conspectus.core.characters import cleaned_deep, line
from conspectus.core.errors import UsageError
from conspectus.export import bibtex, csl, ris, table
from conspectus.export.citekeys import Citekeys, any_id, citekey
from conspectus.export.formats import formats
from conspectus.parse.text.blocks import clean_paragraphs
from conspectus.records import Author, Paper

Papers = Callable[[], Iterable[Paper]]
"""Gives the papers in their order, each time it is called."""
Files = Callable[[Paper], Sequence[str]]
"""The paths of a paper's own files."""


Pieces = Iterator[tuple[int, str]]
"""(number of papers so far, text) of each piece of an export; the texts in order make it up."""


def pieces(to: str, papers: Papers, files: Files | None = None) -> Pieces:
    """The pieces of an export.

    Args:
        to: one of `formats`.
        papers: gives the papers; it is called twice where keys have to be unique.
        files: which files of a paper are named; None: none. CSL-JSON and CSV have no place for them.

    Raises:
        UsageError: there is no such format.
        UnavailableError: the package that brings it cannot be loaded.
    """
    known = formats()
    if to not in known:
        raise UsageError(f"There is no format '{to}'.", f"There are: {', '.join(known)}, library.")
    made: Pieces = entry_points.make(known[to], papers, files or (lambda _: ()))
    return made


def _bibtex(papers: Papers, files: Files) -> Pieces:
    papers, files = _fit(papers, files)
    keys = Citekeys(papers(), citekey)
    return enumerate((bibtex.entry(paper, keys.of(paper), files(paper)) for paper in papers()), 1)


def _ris(papers: Papers, files: Files) -> Pieces:
    papers, files = _fit(papers, files)
    return enumerate((ris.record(paper, files(paper)) for paper in papers()), 1)


def _csl(papers: Papers, _: Files) -> Pieces:
    keys = Citekeys(papers(), any_id)
    return _list(csl.item(paper, keys.of(paper)) for paper in papers())


def _csv(papers: Papers, files: Files) -> Pieces:
    papers, _ = _fit(papers, files)
    return _headed(table.row(paper) for paper in papers())


def _jsonl(papers: Papers, files: Files) -> Pieces:
    return jsonl(papers, files)


def jsonl(papers: Papers, files: Files, kept: Callable[[Paper], Mapping[str, Any]] = lambda _: {}) -> Pieces:
    """JSON Lines; `kept`: what users keep about a paper."""
    return enumerate((table.line(paper, files(paper), kept(paper)) for paper in papers()), 1)


def _fit(papers: Papers, files: Files) -> tuple[Papers, Files]:
    """Both without characters that lie, and with no line end where a line of the format would end. JSON has escapes."""
    return lambda: map(_clean, papers()), lambda paper: [line(path) for path in files(paper)]


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
