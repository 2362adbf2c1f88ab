"""Hidden text: never searched, quoted, exported or in a title; what only looks hidden stays. For `hostile_ground.py`.

Each way of hiding a sentence is put at one of the places in a PDF (by turns, so that every place meets every kind of
way), in web pages, e-books and Word files, and is looked for in all that a library gives of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import hidden_samples as samples
import test_hidden_documents as documents
from articles import SAMPLE
from hidden_samples import HIDING, SECRET, SHOWING, SPOTS, WORD
from render_epub import epub

from conspectus import Library
from conspectus.core.errors import EmptyTextError
from conspectus.parse.pdf.reader import read_pdf
from helpers import open_library

Case = tuple[str, Callable[[Path], str]]
_ONLY = ("white", "mode 3", "transparent", "0.1 point", "squeezed", "under a picture", "left of the page")


def cases() -> Iterator[Case]:
    """Each way of hiding at two places, each way of showing at one; other kinds of file; files of hidden text only."""
    spots = list(SPOTS)
    for number, way in enumerate(HIDING):
        for turn in (0, 2):
            spot = spots[(number + turn) % len(spots)]
            yield f"pdf: {way}, {spot}", partial(_hidden_pdf, way, spot)
    for number, way in enumerate(SHOWING):
        spot = ("in the abstract", "beside the title")[number % 2]
        yield f"pdf: {way} is seen, {spot}", partial(_seen_pdf, way, spot)
    for before, mode in ((False, 3), (True, 0), (True, 3)):
        yield f"pdf: a scan's layer, mode {mode}, {'under' if before else 'over'} it", partial(_scan, before, mode)
    for way in _ONLY:
        yield f"pdf: nothing but hidden text, {way}", partial(_only, way)
    for way in documents.HIDING:
        yield f"html: {way}", partial(_hidden_page, way)
        if way in ("display", "white", "one pixel", "by a class", "far"):
            yield f"epub: {way}", partial(_hidden_book, way)


def _hidden_pdf(way: str, spot: str, home: Path) -> str:
    return _told_of(samples.paper(home / "a.pdf", HIDING[way], SPOTS[spot]), home)


def _hidden_page(way: str, home: Path) -> str:
    path = home / "a.html"
    path.write_bytes(documents.page(documents.HIDING[way]))
    return _told_of(path, home)


def _hidden_book(way: str, home: Path) -> str:
    path = home / "a.epub"
    path.write_bytes(documents.with_hidden(epub(SAMPLE), documents.HIDING[way].format(SECRET)))
    return _told_of(path, home)


def _told_of(path: Path, home: Path) -> str:
    """Add the file and look for its secret everywhere but among what it hides."""
    with open_library(home / "library") as library:
        library.add(path)
        papers = list(library.papers())
        if len(papers) != 1:
            return f"{len(papers)} papers"
        parsed = library.parsed(papers[0].id)
        if "".join(SECRET.split()) not in "".join("".join(text.text for text in parsed.hidden).split()):
            return "not kept among what is hidden"
        return next((f"in {place}" for place, said in _given(library, home) if WORD in said), "")


def _given(library: Library, home: Path) -> Iterator[tuple[str, str]]:
    """All that is given of a library with one paper, by place."""
    paper = next(iter(library.papers()))
    yield "the paper", repr(paper)
    yield "passages", repr(list(library.passages(paper.id)))
    yield "a search for its words", repr(library.search(SECRET, k=5).hits)
    answer = library.ask(f"Does {SECRET}?")
    yield "an answer", repr((answer.text, answer.statements))
    for form in ("bibtex", "ris", "csl", "csv", "jsonl"):
        out = home / f"out.{form}"
        library.export(form, out)
        yield form, out.read_text("utf-8")


def _seen_pdf(way: str, spot: str, home: Path) -> str:
    path = samples.paper(home / "a.pdf", SHOWING[way], SPOTS[spot], on=True)
    with open_library(home / "library") as library:
        library.add(path)
        paper = next(iter(library.papers()))
        if hidden := library.parsed(paper.id).hidden:
            return f"taken for hidden: {hidden[0].text}"
        said = repr((paper, list(library.passages(paper.id))))
        return "" if WORD in said or way == "four points" else "lost"


def _scan(before: bool, mode: int, home: Path) -> str:
    paper = read_pdf(samples.searchable_scan(home / "a.pdf", before=before, number=mode))
    return "" if "resonance" in paper.metadata.abstract and not paper.hidden else "the text of the scan is not read"


def _only(way: str, home: Path) -> str:
    try:
        paper = read_pdf(samples.only_hidden(home / "a.pdf", HIDING[way]))
    except EmptyTextError as error:
        return "" if "hidden text" in error.message else error.message
    return f"read as {paper.blocks[:1]}"
