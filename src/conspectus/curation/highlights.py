"""Highlights as people see them: with the words that they mark, found in the paper as it was read last."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, get_args

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.groups import grouped
from conspectus.core.text import cleaned, line
from conspectus.curation import sql
from conspectus.curation.sql import StoredHighlight
from conspectus.records import Paper
from conspectus.records.curation import LONGEST_NOTE, Anchor, Highlight, HighlightColor, MarkedSentence, checked_text
from conspectus.records.passage import Passage, Place, Span
from conspectus.store import connection, schema
from conspectus.store.catalog import Catalog
from conspectus.store.connection import utc_now

if TYPE_CHECKING:
    from conspectus.session.session import Session


AROUND = 60
"""Characters before and after marked words that are kept."""
ALIKE = 0.85
"""Part of the trigrams of marked words that sentences must have which another reader wrote in other letters."""


class TextRange(NamedTuple):
    """From the character `start` of the sentence number `first` to before the character `end` of `last`."""

    first: int
    start: int
    last: int
    end: int


class SentenceText:
    """The sentences of a paper in reading order.

    Args:
        passages: of the paper, in reading order; a sentence of several counts once.
    """

    def __init__(self, passages: Iterable[Passage]) -> None:
        self.spans = list({span.id: span for passage in passages for span in passage.spans}.values())
        self._numbers = {span.id: number for number, span in enumerate(self.spans)}

    @cached_property
    def _letters(self) -> tuple[str, list[tuple[int, int]]]:
        """All letters and digits, folded, and where each is: (number of the sentence, character)."""
        letters = [
            (letter, (number, at)) for number, span in enumerate(self.spans) for letter, at in _letters(span.text)
        ]
        return "".join(letter for letter, _ in letters), [place for _, place in letters]

    def range_of(self, ids: Sequence[str]) -> TextRange | None:
        """Whole sentences that follow each other; None if one is missing or they do not."""
        numbers = sorted(self._numbers.get(name, -1) for name in ids)
        if not numbers or numbers[0] < 0 or numbers != list(range(numbers[0], numbers[-1] + 1)):
            return None
        return TextRange(numbers[0], 0, numbers[-1], len(self.spans[numbers[-1]].text))

    def find(self, anchor: Anchor, quote: str) -> TextRange | None:
        """The marked words; None if they are not in the paper."""
        sentences = self.range_of(anchor.sentences)
        is_one = len(anchor.sentences) == 1
        if sentences and anchor.start >= 0 and (anchor.start if is_one else 0) < anchor.end <= sentences.end:
            return sentences._replace(start=anchor.start, end=anchor.end)
        return self.find_words(quote, anchor.before, anchor.after) or self._find_alike(quote, len(anchor.sentences))

    def find_words(self, quote: str, before: str = "", after: str = "", near: str = "") -> TextRange | None:
        """Words of the paper; case, accents, signs and white space do not count.

        Args:
            quote: the words.
            before, after: what is around them, which decides if there are several.
            near: a sentence; the first words from there are preferred.
        """
        folded_quote = fold(quote)
        letters, places = self._letters
        starts = list(_occurrences(letters, folded_quote))
        if not starts:
            return None
        number, head, tail = self._numbers.get(near, 0), fold(before)[::-1], fold(after)

        def rank(start: int) -> tuple[int, bool, int]:
            end = start + len(folded_quote)
            same = _shared(letters[max(0, start - AROUND) : start][::-1], head) + _shared(
                letters[end : end + AROUND], tail
            )
            return same, places[start][0] >= number, -abs(places[start][0] - number)

        best = max(starts, key=rank)
        (first, start), (last, end) = places[best], places[best + len(folded_quote) - 1]
        return self._with_signs(TextRange(first, start, last, end + 1))

    def _with_signs(self, words_range: TextRange) -> TextRange:
        """Take in the quotation mark before a sentence and the full stop behind it."""
        head, tail = (
            self.spans[words_range.first].text[: words_range.start],
            self.spans[words_range.last].text[words_range.end :],
        )
        start = words_range.start if fold(head) else 0
        return words_range._replace(start=start, end=words_range.end if fold(tail) else words_range.end + len(tail))

    def _find_alike(self, quote: str, count: int) -> TextRange | None:
        """The `count` sentences that have most of the words' trigrams, if they have enough."""
        quote_trigrams = _trigrams(quote)
        sentence_trigrams = [_trigrams(span.text) for span in self.spans]
        parts = [
            (len(quote_trigrams & set().union(*sentence_trigrams[number : number + count])), -number)
            for number in range(len(sentence_trigrams) - count + 1)
        ]
        best, number = max(parts, default=(0, 0))
        if not count or best < ALIKE * len(quote_trigrams) or not quote_trigrams:
            return None
        return self.range_of([span.id for span in self.spans[-number : -number + count]])

    def sentences_in(self, text_range: TextRange) -> tuple[MarkedSentence, ...]:
        """The sentences of a range, each with what of it is marked."""
        return tuple(
            MarkedSentence(span.id, start, end, span.text[start:end]) for span, start, end in self._parts(text_range)
        )

    def places(self, text_range: TextRange) -> tuple[Place, ...]:
        """Where a range is on the pages."""
        return tuple(place for span, start, end in self._parts(text_range) for place in clip_places(span, start, end))

    def anchor(self, text_range: TextRange) -> Anchor:
        """What is kept of a range."""
        ids = tuple(span.id for span in self.spans[text_range.first : text_range.last + 1])
        before = self.spans[text_range.first - 1].text if text_range.first else ""
        after = self.spans[text_range.last + 1].text if text_range.last + 1 < len(self.spans) else ""
        before = f"{before} {self.spans[text_range.first].text[: text_range.start]}".strip()[-AROUND:]
        after = f"{self.spans[text_range.last].text[text_range.end :]} {after}".strip()[:AROUND]
        return Anchor(ids, text_range.start, text_range.end, before, after, self.places(text_range))

    def _parts(self, words_range: TextRange) -> Iterator[tuple[Span, int, int]]:
        for number in range(words_range.first, words_range.last + 1):
            span = self.spans[number]
            start = words_range.start if number == words_range.first else 0
            yield span, start, words_range.end if number == words_range.last else len(span.text)


def clip_places(span: Span, start: int, end: int) -> tuple[Place, ...]:
    """Where the characters from `start` to `end` of a sentence are, as if all letters were of one width."""
    if start <= 0 and end >= len(span.text):
        return span.places
    widths = [place.rect[2] - place.rect[0] for place in span.places]
    per_point = len(span.text) / (sum(widths) or 1)
    places, at = list[Place](), 0.0
    for place, width in zip(span.places, widths, strict=True):
        size = width * per_point
        low, high = max(start - at, 0.0), min(end - at, size)
        x0, y0, _, y1 = place.rect
        if high > low:
            places.append(Place(place.page, (round(x0 + low / per_point, 2), y0, round(x0 + high / per_point, 2), y1)))
        at += size
    return tuple(places)


def fold(text: str) -> str:
    """Letters and digits of a text without case and accents."""
    return "".join(letter for letter, _ in _letters(text))


def _letters(text: str) -> Iterator[tuple[str, int]]:
    for at, sign in enumerate(text):
        for letter in sign.casefold() if sign.isascii() else unicodedata.normalize("NFKD", sign.casefold()):
            if letter.isalnum():
                yield letter, at


def _occurrences(letters: str, sought: str) -> Iterator[int]:
    at = letters.find(sought) if sought else -1
    while at >= 0:
        yield at
        at = letters.find(sought, at + 1)


def _shared(ours: str, other: str) -> int:
    """How many characters both begin with."""
    return next((n for n, (a, b) in enumerate(zip(ours, other, strict=False)) if a != b), min(len(ours), len(other)))


def _trigrams(text: str) -> set[str]:
    folded = fold(text)
    return {folded[at : at + 3] for at in range(len(folded) - 2)}


_MOST = 1_000
"""Removed highlights that can be restored."""


class RemovedHighlights:
    """Highlights that were removed since the library was opened, by their ids."""

    def __init__(self) -> None:
        self._highlights: dict[str, StoredHighlight] = {}

    def hold(self, highlight: StoredHighlight) -> None:
        """Hold one more; the oldest goes if there are too many."""
        self._highlights[highlight.id] = highlight
        while len(self._highlights) > _MOST:
            del self._highlights[next(iter(self._highlights))]

    def find(self, name: str) -> StoredHighlight:
        """One of them.

        Raises:
            NotFoundError: there is none.
        """
        if name not in self._highlights:
            raise NotFoundError(f"No highlight '{name}' was removed since the library was opened.", "Make it again.")
        return self._highlights[name]

    def drop(self, name: str) -> None:
        """Hold one no longer."""
        self._highlights.pop(name, None)


def list_highlights(
    catalog: Catalog, stored: Iterable[StoredHighlight], text: SentenceText | None = None
) -> list[Highlight]:
    """Highlights with the words and places that they have now; `text`: of their paper, if all are of one."""
    rows = list(stored)
    keys = catalog.keys_of(list(dict.fromkeys(row.paper for row in rows)))
    papers = {paper.id: paper for paper in catalog.papers_by_key(list(keys.values())).values()}
    placed = dict[int, Highlight]()
    for name, numbers in grouped((row.paper, number) for number, row in enumerate(rows)).items():
        if name in papers:  # else it was removed meanwhile
            sentences = text or SentenceText(catalog.passages(name))  # of one paper at a time
            placed |= {number: place_highlight(rows[number], papers[name], sentences) for number in numbers}
    return [placed[number] for number in sorted(placed)]


def place_highlight(stored: StoredHighlight, paper: Paper, text: SentenceText) -> Highlight:
    """A highlight with the words and places that it has in the paper's text."""
    there = text.find(stored.anchor, stored.quote)
    sentences = text.sentences_in(there) if there else ()
    places = text.places(there) if there else stored.anchor.places
    quote = " ".join(sentence.text for sentence in sentences) or stored.quote
    return Highlight(
        **{name: getattr(stored, name) for name in ("id", "paper", "color", "note", "made", "updated")},
        label=paper.label,
        title=paper.display_title,
        quote=quote,
        found=there is not None,
        sentences=sentences,
        page=places[0].page if places else None,
        places=places,
    )


def reading_order(highlights: Sequence[Highlight], text: SentenceText) -> list[Highlight]:
    """Highlights of a paper in the order of its text; those that are not found, at the end."""
    numbers = {span.id: number for number, span in enumerate(text.spans)}
    last = len(numbers)

    def place(highlight: Highlight) -> tuple[int, int]:
        first = highlight.sentences[0] if highlight.sentences else None
        return (numbers[first.id], first.start) if first else (last, highlight.page or 0)

    return sorted(highlights, key=place)


def list_paper_highlights(catalog: Catalog, paper_id: str) -> list[Highlight]:
    """The highlights in a paper in the order of its text."""
    stored = sql.list_highlights(catalog, paper_id)
    if not stored:
        return []
    text = SentenceText(catalog.passages(paper_id))
    return reading_order(list_highlights(catalog, stored, text), text)


def has_words(highlight: StoredHighlight, title: str, words: Sequence[str]) -> bool:
    """Whether each word is in the quote, the note or the paper's title, in any case."""
    text = f"{highlight.quote}\n{highlight.note}\n{title}".casefold()
    return all(word in text for word in words)


def new_highlight(
    session: Session, paper: str, anchor: Anchor, quote: str, color: HighlightColor, note: str
) -> StoredHighlight:
    """A highlight that is not stored yet, with an id of its own."""
    name = connection.new_id(session.catalog, schema.highlights, sql.HIGHLIGHT_PREFIX)
    now = utc_now()
    return StoredHighlight(name, paper, color, checked_quote(quote), note, anchor, now, now)


def import_highlight(session: Session, highlight: StoredHighlight) -> StoredHighlight:
    """A highlight of another library with an id of this one, not stored yet; what a stranger wrote is checked."""
    name = connection.new_id(session.catalog, schema.highlights, sql.HIGHLIGHT_PREFIX)
    quote, note, moment = checked_quote(highlight.quote), checked_text(highlight.note, "note"), utc_now()
    created, updated = line(highlight.made)[:32] or moment, line(highlight.updated)[:32] or moment
    return replace(highlight, id=name, quote=quote, note=note, made=created, updated=updated)


def checked_quote(quote: str) -> str:
    """Words on one line as they are stored.

    Raises:
        UsageError: there are none, or too many.
    """
    words = line(cleaned(quote))
    if not words:
        raise UsageError("A highlight needs words.", "Give words of the paper, or the ids of sentences.")
    if len(words) > LONGEST_NOTE:
        raise UsageError(f"The words have {len(words):,} characters.", f"Mark at most {LONGEST_NOTE:,}.")
    return words


def checked_color(color: str) -> HighlightColor:
    """`color`, if there is such a one.

    Raises:
        UsageError: there is none.
    """
    for known in get_args(HighlightColor):
        if known == color:
            return known  # type: ignore[no-any-return]
    raise UsageError(f"There is no colour '{line(color)[:40]}'.", f"There are: {', '.join(get_args(HighlightColor))}.")
