"""Blocks from clean text, for readers of formats without pages; and notes on text that a file does not show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate

from conspectus.core.text import cleaned, line
from conspectus.lexicon.word_lists import headings
from conspectus.parse.text.sentences import split_sentences, stripped
from conspectus.records import Block, BlockKind, Figure, FigureKind, Hidden, HiddenReason, Sentence

MOST_CELLS = 50_000
"""Of one table."""
_LONGEST_LISTING = 600
_HEADING_MARKS = re.compile(r"(?:^|(?<=\s))#{1,6}(?=\s)\s*")
_RUN_IN = re.compile(
    r"(?:^|(?<=\s))#{1,6}\s+(?P<label>"
    rf"(?i:{headings()}|aims?|findings?|importance|interpretations?|objectives?|purposes?|rationale|significance)"
    r"[:.]?)\s+(?=[A-Z\d\"“(][^\n]{40})"
)
"""A heading of Markdown, known as one, with text behind it: it is no part of the sentence that begins there."""
_ENTRY_NUMBER = re.compile(r"\[?(\d{1,4})[\].)]\s+(?=\S)")
_BLANK_LINE = re.compile(r"\n\s*\n")
_NUMBERED = re.compile(r"^(?:section\s+)?(?:\d{1,2}(?:\.\d{1,2})*\.?|[ivx]+\.)\s+")
_ROLES = {role: re.compile(headings(role)) for role in ("abstract", "references")}
_ABSTRACT_LABEL = re.compile(r"^(?:Abstract|ABSTRACT|Summary|SUMMARY)\s?[.:—–-]\s*(?=\S)")


def clean_line(text: str) -> str:
    """`text` on one line: no characters that lie, white space folded, nothing around it."""
    return line(text)


def clean_paragraphs(text: str) -> str:
    """`text` with every paragraph on one line and a blank line between two."""
    if "\n" not in text:
        return clean_line(text)
    return "\n\n".join(clean for part in _BLANK_LINE.split(text) if (clean := clean_line(part)))


def even_rows(rows: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """The rows of a table, all as wide as the widest; those left out with which it had more than `MOST_CELLS` cells."""
    width = 0
    for number, row in enumerate(rows):
        if max(width, len(row)) * (number + 1) > MOST_CELLS:
            rows = rows[:number]
            break
        width = max(width, len(row))
    return tuple(row + ("",) * (width - len(row)) for row in rows)


def rows_block(rows: Sequence[tuple[str, ...]]) -> Block:
    """A table without a caption as a paragraph: its rows, none of them empty, are lines and sentences."""
    lines = [" | ".join(filter(None, row)) for row in rows]
    ends = list(accumulate(len(line) + 1 for line in lines))
    spans = (Sentence(end - 1 - len(line), end - 1) for line, end in zip(lines, ends, strict=True))
    return Block("paragraph", "\n".join(lines), tuple(spans))


def next_key(kind: FigureKind, figures: Iterable[Figure]) -> str:
    """The key of the figure (`f2`) or table (`t2`) that follows these."""
    return f"{kind[0]}{sum(figure.kind == kind for figure in figures) + 1}"


def clean_abstract(text: str) -> str:
    """An abstract as reading text: one line a paragraph, without `#` of headings; known ones stand alone."""
    if "#" in text:
        text = _HEADING_MARKS.sub("", _RUN_IN.sub(r"\n\n\g<label>\n\n", text))
    return clean_paragraphs(text)


def text_block(kind: BlockKind, text: str, level: int = 0) -> Block:
    """A block without places; a heading is one sentence, other text as many as it has. `text` must be clean."""
    spans = [(0, len(text))] if kind == "heading" else split_sentences(text)
    return Block(kind, text, tuple(Sentence(start, end) for start, end in spans), level)


def numbered_entry(text: str) -> tuple[str, str]:
    """The number that an entry of a reference list begins with (`[12]`, `12.`), or "", and the entry without it."""
    match = _ENTRY_NUMBER.match(text)
    return (match[1], text[match.end() :]) if match else ("", text)


def code_block(text: str) -> Block | None:
    """A listing with its lines and indents; None where there is nothing in it."""
    lines = [row.expandtabs(4).rstrip() for row in cleaned(text).split("\n")]
    code = "\n".join(lines).strip("\n")
    spans = listing_sentences(code)
    return Block("code", code, tuple(Sentence(start, end) for start, end in spans)) if spans else None


def listing_sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a listing are: all of it, or pieces of whole lines, cut at blank lines if there are some.

    Pieces have at most `_LONGEST_LISTING` characters, unless a line has more.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        end = len(text)
        if end - start > _LONGEST_LISTING:
            limit = start + _LONGEST_LISTING
            cut = text.rfind("\n\n", start, limit)
            cut = cut if cut > start else text.rfind("\n", start, limit)
            cut = cut if cut > start else text.find("\n", limit)
            end = cut + 1 if cut > start else len(text)
        spans.append(stripped(text, start, end))
        start = end
    return [(first, last) for first, last in spans if first < last]


def section_role(heading: str) -> str:
    """`abstract`, `references` or "": what stands under a heading, whatever its number and case."""
    plain = _NUMBERED.sub("", heading.lower()).rstrip(" .:")
    return next((role for role, names in _ROLES.items() if names.fullmatch(plain)), "")


def labelled_abstract(paragraph: str) -> str:
    """The paragraph without its label if it is one such as `Abstract: We …`, else ""."""
    match = _ABSTRACT_LABEL.match(paragraph)
    return paragraph[match.end() :] if match else ""


_REASONS: dict[HiddenReason, str] = {
    "invisible": "invisible",
    "same colour": "of the colour of their ground",
    "tiny": "too small to be seen",
    "clipped": "cut away",
    "switched off": "switched off",
    "covered": "covered by something else",
    "off page": "outside the page",
}
_WORTH_TELLING = 8
"""Fewer letters of a page, as of a number under the legend of a plot, are not told of."""

_MOST_PAGES = 5
_KEPT = "hidden text, which is kept apart"


def hidden_notes(hidden: Iterable[Hidden]) -> list[str]:
    """A sentence for each of the first pages with hidden text, and one for the rest; one for a file without pages."""
    pages: dict[int, dict[HiddenReason, int]] = {}
    for text in hidden:
        counts = pages.setdefault(text.place.page if text.place else 0, {})
        counts[text.reason] = counts.get(text.reason, 0) + len("".join(text.text.split()))
    counts_by_page = {page: counts for page, counts in pages.items() if sum(counts.values()) >= _WORTH_TELLING}
    notes = [_note(page, counts) for page, counts in list(counts_by_page.items())[:_MOST_PAGES]]
    if len(counts_by_page) > _MOST_PAGES:
        notes.append(f"{len(counts_by_page) - _MOST_PAGES} more pages have {_KEPT}.")
    return notes


def is_hidden_note(note: str) -> bool:
    """Whether a note is one of these."""
    return _KEPT in note


def _note(page: int, counts: dict[HiddenReason, int]) -> str:
    where = f"Page {page} has {_KEPT}" if page else f"There is {_KEPT}"
    parts = ", ".join(f"{count:,} letters {_REASONS[reason]}" for reason, count in counts.items())
    return f"{where} and not searched: {parts}."
