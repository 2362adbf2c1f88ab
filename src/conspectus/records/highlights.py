"""Highlights: words of a paper that a user has marked in a colour, with a note on them or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from conspectus.records.passage import Place

HighlightColor = Literal["yellow", "red", "green", "blue", "purple", "magenta", "orange", "gray"]
HIGHLIGHT_COLORS: Mapping[HighlightColor, str] = {
    **{"yellow": "#ffd400", "red": "#ff6666", "green": "#5fb236", "blue": "#2ea8e5", "purple": "#a28ae5"},
    **{"magenta": "#e56eee", "orange": "#f19837", "gray": "#aaaaaa"},
}
"""The colours, as Zotero has them."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where words were marked, so that they are found again in another reading of the paper.

    Attributes:
        sentences: ids of the sentences that they were in.
        start: the first character of the first sentence that was marked.
        end: the character behind the last one, in the last sentence.
        before, after: some of the words around them.
        places: where they stood on the pages.
    """

    sentences: tuple[str, ...]
    start: int
    end: int
    before: str = ""
    after: str = ""
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence with marked words: `text` is the sentence's from the character `start` to `end`."""

    id: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Highlight:
    """Marked words of a paper.

    Attributes:
        paper: its id.
        label: how the paper is cited in running text.
        title: of the paper.
        quote: the words; as they were marked, if they are not found.
        note: in Markdown; "" for none.
        found: whether the words are in the paper as it was read last.
        sentences: that they are in; none if they are not found.
        page: on which they begin; None if there are no pages.
        places: where they are on the pages; where they were, if they are not found. Of a part of a sentence, estimated.
        made, updated: ISO 8601, UTC.
    """

    id: str
    paper: str
    label: str
    title: str
    color: HighlightColor
    quote: str
    note: str
    found: bool
    sentences: tuple[MarkedSentence, ...]
    page: int | None
    places: tuple[Place, ...]
    made: str
    updated: str
