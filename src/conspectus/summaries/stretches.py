"""A paper's own text in stretches that a language model can condense one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil

from conspectus.core.groups import split_runs
from conspectus.llm.prompts import MOST_CHARS
from conspectus.records import Passage, Span

LEAST = 400
"""A stretch of fewer characters says hardly more than a summary of it would."""
_FOOTNOTES = "Footnotes"


@dataclass(frozen=True, slots=True)
class SectionPart:
    """Sentences of one section, each once."""

    section: str
    spans: tuple[Span, ...]

    @property
    def length(self) -> int:
        """Characters of all sentences."""
        return sum(len(span.text) for span in self.spans)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring parts of a paper; more than one only where they belong to one of its sections."""

    parts: tuple[SectionPart, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """All sentences."""
        return tuple(span for part in self.parts for span in part.spans)

    @property
    def section(self) -> str:
        """The path of headings that all of it stands under."""
        return " > ".join(_common(self.parts))

    @property
    def length(self) -> int:
        """Characters of all sentences."""
        return sum(part.length for part in self.parts)


def stretches(own: Sequence[Passage], most: int = MOST_CHARS, *, abstracts: bool = False) -> list[Stretch]:
    """The text of a paper, without abstract, captions and footnotes, in stretches of about `most` characters.

    Where there is no such text, with `abstracts` the abstract. What is too short to be condensed is left out.

    Args:
        own: the paper's own passages in reading order.
        most: characters; a single sentence may have more.
        abstracts: whether an abstract is better than nothing.
    """
    parts = _parts([passage for passage in own if passage.kind == "body" and passage.section != _FOOTNOTES])
    if not parts and abstracts:
        parts = _parts([passage for passage in own if passage.kind == "abstract"])
    found: list[Stretch] = []
    depth = len(_common(parts)) + 1  # where all stands under one heading, such as the title, the next level counts
    for _, chapter in groupby(parts, key=lambda part: part.section.split(" > ")[:depth]):
        found += _packed([piece for part in chapter for piece in _pieces(part, most)], most)
    return [stretch for stretch in found if stretch.length >= LEAST]


def _common(parts: Sequence[SectionPart]) -> list[str]:
    """The headings that all parts stand under."""
    found: list[str] = []
    for names in zip(*(part.section.split(" > ") for part in parts), strict=False):
        if len(set(names)) > 1:
            break
        found.append(names[0])
    return found


def _parts(own: Sequence[Passage]) -> list[SectionPart]:
    """The sentences by section; those that overlapping passages share once."""
    seen: set[str] = set()
    found = []
    for section, group in groupby(own, key=lambda passage: passage.section):
        spans = {span.id: span for passage in group for span in passage.spans if span.id not in seen}
        seen |= spans.keys()
        if spans:
            found.append(SectionPart(section, tuple(spans.values())))
    return found


def _pieces(part: SectionPart, most: int) -> Iterator[SectionPart]:
    """A part cut at sentence ends into pieces of about the same length."""
    target = part.length / ceil(part.length / most) if part.length > most else most
    current: list[Span] = []
    length = 0
    for span in part.spans:
        if current and length + len(span.text) / 2 > target:
            yield SectionPart(part.section, tuple(current))
            current, length = [], 0
        current.append(span)
        length += len(span.text)
    yield SectionPart(part.section, tuple(current))


def _packed(pieces: Sequence[SectionPart], most: int) -> list[Stretch]:
    """Neighbouring pieces put together as long as they fit."""
    found = split_runs(pieces, lambda group, piece: sum(part.length for part in group) + piece.length <= most)
    return [Stretch(tuple(group)) for group in found]
