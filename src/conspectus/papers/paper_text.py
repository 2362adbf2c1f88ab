"""A paper as it is read on a screen. The file itself is only asked how large its pages are; the rest was stored."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, islice
from typing import Any

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.figures.page_images import sizes_of
from conspectus.ingest.paper_merge import merge
from conspectus.records import Block, Paper, Place, Rect, Sentence
from conspectus.records.parsed_paper import Heading, Occurrence, PageSize, PageText, TextLine
from conspectus.session.session import Session

MOST = 1000
"""Sentences told of in which words stand."""


class ReadablePaper:
    """The text of one paper, ready to be shown."""

    def __init__(self, session: Session, paper: Paper) -> None:
        self.parsed = merge(session.documents(paper))
        passages = session.catalog.passages(paper.id)
        self._spans = {_sentence_key(span.text, span.places): span.id for passage in passages for span in passage.spans}

    def span(self, block: Block, sentence: Sentence) -> str:
        """The id of a sentence; "" where it is of none that is searched."""
        return self._spans.get(_sentence_key(block.text[sentence.start : sentence.end], sentence.places), "")

    @cached_property
    def pages(self) -> dict[int, list[tuple[int, str, int, int, Place]]]:
        """Page -> (number of the block, span, start and end of the text, where it stands) of its lines, in order."""
        lines_by_page: dict[int, list[tuple[int, str, int, int, Place]]] = {}
        for number, block in enumerate(self.parsed.blocks):
            for sentence in block.sentences:
                span = self.span(block, sentence)
                for start, end, place in dealt(block.text, sentence):
                    lines_by_page.setdefault(place.page, []).append((number, span, start, end, place))
        return lines_by_page


def page_sizes(session: Session, paper: Paper) -> tuple[PageSize, ...]:
    """Measure the pages of a paper's PDF, once as long as its files are the same."""
    files = tuple(file.sha256 for file in paper.files)
    return session.parts.get_cached("reading", lambda: sizes_of(session, paper), "sizes", paper.id, files)


def read_page(session: Session, paper: Paper, page: int) -> PageText:
    """Read the lines of a page; see `Library.page_text`."""
    sizes = page_sizes(session, paper)
    if not 1 <= page <= len(sizes):
        raise NotFoundError(f"'{paper.heading}' has no page {page}.", f"It has pages 1 to {len(sizes)}.")
    size, readable_paper = sizes[page - 1], _read(session, paper)
    blocks = readable_paper.parsed.blocks
    lines = (
        TextLine(blocks[n].text[start:end], _part(place.rect, size), n, blocks[n].kind, start, end, span)
        for n, span, start, end, place in readable_paper.pages.get(page, ())
    )
    return PageText(page, size.width, size.height, tuple(lines))


def read_outline(session: Session, paper: Paper) -> tuple[Heading, ...]:
    """Read a paper's headings in order."""
    readable_paper = _read(session, paper)
    return tuple(
        Heading(block.text, block.level, number, next((p for s in block.sentences for p in s.places), None))
        for number, block in enumerate(readable_paper.parsed.blocks)
        if block.kind == "heading"
    )


def find(session: Session, name: str, words: str) -> tuple[Occurrence, ...]:
    """The sentences of a paper, headings and references too, in which words stand together as they are given.

    Case, accents and line breaks do not count. No more than 1,000 are told.

    Raises:
        UsageError: there are no words.
    """
    phrase = _folded(" ".join(words.split()))[0]
    if not phrase:
        raise UsageError("There is nothing to look for.", "Give a word, or several that stand together.")
    readable_paper = _read(session, session.paper(name))
    return tuple(islice(_occurrences(readable_paper, phrase), MOST))


def _occurrences(readable_paper: ReadablePaper, phrase: str) -> Iterator[Occurrence]:
    for number, block in enumerate(readable_paper.parsed.blocks):
        for sentence in block.sentences:
            text = block.text[sentence.start : sentence.end]
            folded, places = _folded(text)
            at = folded.find(phrase)
            while at >= 0:
                yield Occurrence(
                    *(text, places[at], places[at + len(phrase) - 1] + 1),
                    *(number, readable_paper.span(block, sentence), sentence.places),
                )
                at = folded.find(phrase, at + len(phrase))


def dealt(text: str, sentence: Sentence) -> Iterator[tuple[int, int, Place]]:
    """The words of a sentence on the lines that it stands on, by how long these are: (start, end, place)."""
    if not sentence.places:
        return
    lengths = [max(place.rect[2] - place.rect[0], 0.1) for place in sentence.places]
    size = sentence.end - sentence.start
    start = sentence.start
    for place, room in zip(sentence.places, accumulate(lengths), strict=True):
        if place is sentence.places[-1]:
            end = sentence.end
        else:
            end = _between_words(text, sentence.start + round(size * room / sum(lengths)), start, sentence.end)
        if end > start:
            yield start, end, place
        start = end


def _between_words(text: str, near: int, first: int, last: int) -> int:
    """The place behind white space that is nearest to `near`."""
    before = max((n for n in range(first, near + 1) if n == first or text[n - 1].isspace()), default=first)
    behind = next((n for n in range(max(near, first), last) if n > first and text[n - 1].isspace()), last)
    return before if near - before <= behind - near else behind


def _read(session: Session, paper: Paper) -> ReadablePaper:
    return session.parts.get_cached(
        "reading", lambda: ReadablePaper(session, paper), "text", paper.id, session.catalog.change()
    )


def _sentence_key(text: str, places: Sequence[Place]) -> Any:
    return tuple(places) or " ".join(text.split())


def _part(rect: Rect, size: PageSize) -> Rect:
    def within(value: float, extent: float) -> float:
        return round(min(max(value / extent, 0.0), 1.0), 5) if extent else 0.0

    x0, y0, x1, y1 = rect
    return within(x0, size.width), within(y0, size.height), within(x1, size.width), within(y1, size.height)


def _folded(text: str) -> tuple[str, list[int]]:
    """Without case and accents, runs of white space as one space; and where each letter was."""
    letters: list[tuple[str, int]] = []
    for number, letter in enumerate(text):
        if letter.isspace():
            if letters and letters[-1][0] != " ":
                letters.append((" ", number))
            continue
        plain = unicodedata.normalize("NFKD", letter.casefold())
        letters += [(character, number) for character in plain if not unicodedata.combining(character)]
    return "".join(character for character, _ in letters), [number for _, number in letters]
