"""Passages and spans: the pieces of a paper that are searched, what is embedded of them, and quoted sentences."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from conspectus.records.paper import Metadata

Rect = tuple[float, float, float, float]
"""x0, y0, x1, y1 in PDF points, origin at the top left corner of the page as it is shown (after rotation)."""

Cell = tuple[str, str]
"""The name of a column, and what stands in it."""

PassageKind = Literal["abstract", "body", "caption", "summary", "table"]
Use = Literal["raw", "summary", "both"]
"""What is searched: the papers' own passages, what a model wrote of them, or both (S3)."""


@dataclass(frozen=True, slots=True)
class Place:
    """One rectangle on one page (counted from 1). A sentence over two lines has two places.

    `rect`: x0, y0, x1, y1 in PDF points, from the top left corner of the page as it is shown.
    """

    page: int
    rect: Rect


@dataclass(frozen=True, slots=True)
class Span:
    """A sentence of a passage, the unit of evidence: `text == passage.text[start:end]`, always.

    A row of a table is one, too: its `text` says the names of columns with what stands in them, and `cells` are these
    apart, the row's label first.

    `places` is empty where the source has no pages. What is `recognised` was read from a picture by OCR: its words may
    be wrong. The id depends on the paper and the sentence's own words, so it
    survives re-parsing and never comes to mean another sentence; two overlapping passages share it.
    """

    id: str
    start: int
    end: int
    text: str
    places: tuple[Place, ...] = ()
    recognised: bool = False
    cells: tuple[Cell, ...] = ()

    @property
    def page(self) -> int | None:
        """The page the sentence begins on, from 1; None where there are no pages."""
        return self.places[0].page if self.places else None


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one section of one paper, about 1,400 characters, cut at sentence ends.

    `section` is the path of headings joined by " > " ("" before the first heading). Spans are in order, never
    overlap, and leave nothing between them but white space.
    """

    id: str
    paper_id: str
    kind: PassageKind
    section: str
    text: str
    spans: tuple[Span, ...]
    ordinal: int = 0

    @property
    def pages(self) -> tuple[int, ...]:
        """The pages the passage stands on, ascending, from 1."""
        return tuple(sorted({place.page for span in self.spans for place in span.places}))

    @property
    def recognised(self) -> bool:
        """Whether some of it was read from a picture by OCR."""
        return any(span.recognised for span in self.spans)


@dataclass(frozen=True, slots=True)
class PaperParagraph:
    """A paragraph as its paper has it: an abstract, a paragraph, a caption, a footnote, or a table's caption and rows.

    Passages begin and end without regard to paragraphs; this is made of the paper when it is asked for.

    Attributes:
        id: made of its words; stays when the paper is read again.
        kind, section: as of a passage.
        text: its sentences, with what is between them.
        span_ids: of its sentences, in order.
        number: from 1, in the order of the paper.
    """

    id: str
    kind: PassageKind
    section: str
    text: str
    span_ids: tuple[str, ...]
    number: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What a language model wrote of a stretch of a paper (S3): it leads to the paper's sentences, and is never cited.

    Attributes:
        passage: of the kind `summary`; its spans are the model's sentences, which stand on no page.
        links: for each of its spans, the ids of the paper's own spans that carry it.
        model: that wrote it.
        prompt: name and version of what the model was asked.
        made: when, ISO 8601, UTC.
        digest: of the paper's own sentences as they were then; with others the summary is stale.
    """

    passage: Passage
    links: tuple[tuple[str, ...], ...]
    model: str
    prompt: str
    made: str
    digest: bytes

    @property
    def sources(self) -> tuple[str, ...]:
        """The ids of all spans of the paper that it rests on, each once, as the sentences name them."""
        return tuple(dict.fromkeys(name for names in self.links for name in names))


def digest_of(*said: object) -> bytes:
    """8 bytes that stand for what is said."""
    return hashlib.blake2b("\0".join(map(str, said)).encode(errors="replace"), digest_size=8).digest()


def embedding_text(metadata: Metadata, passage: Passage) -> tuple[str, int]:
    """What is embedded for a passage, and how many characters stand before its own text.

    Title, first author, year and section go in front, so that no passage is orphaned (S2); a passage that is the title
    stands alone.
    """
    if passage.text == metadata.title:
        return passage.text, 0
    author = metadata.authors[0].surname if metadata.authors else ""
    byline = " ".join(part for part in (author, str(metadata.year or "")) if part)
    head = ". ".join(part for part in (metadata.title.rstrip("."), byline, passage.section) if part)
    prefix = f"{head}\n" if head else ""
    return prefix + passage.text, len(prefix)


def text_digest(text: str) -> bytes:
    """16 bytes that stand for a text that was embedded."""
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=16).digest()


def digest_of_texts(texts: Sequence[bytes]) -> bytes:
    """What stands for the texts of a paper that were embedded, by their digests in reading order."""
    return digest_of(*(text.hex() for text in texts))
