"""Highlights as people see them: with their sentences in the paper as it was read last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from conspectus.core.characters import cleaned, line
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.groups import grouped
from conspectus.curation import sql
from conspectus.curation.anchors import SentenceText
from conspectus.curation.sql import StoredHighlight
from conspectus.records import Paper
from conspectus.records.curation import LONGEST_NOTE, checked_text
from conspectus.records.highlights import Anchor, Highlight, HighlightColor
from conspectus.store import connection, schema
from conspectus.store.catalog import Catalog
from conspectus.store.connection import utc_now

if TYPE_CHECKING:
    from conspectus.session.session import Session

_MOST = 1_000
"""Removed highlights that can be restored."""


class RemovedHighlights:
    """Highlights that were removed since the library was opened, by their ids."""

    def __init__(self) -> None:
        self._held: dict[str, StoredHighlight] = {}

    def hold(self, highlight: StoredHighlight) -> None:
        """Hold one more; the oldest goes if there are too many."""
        self._held[highlight.id] = highlight
        while len(self._held) > _MOST:
            del self._held[next(iter(self._held))]

    def find(self, name: str) -> StoredHighlight:
        """One of them.

        Raises:
            NotFoundError: there is none.
        """
        if name not in self._held:
            raise NotFoundError(f"No highlight '{name}' was removed since the library was opened.", "Make it again.")
        return self._held[name]

    def drop(self, name: str) -> None:
        """Hold one no longer."""
        self._held.pop(name, None)


def list_highlights(
    catalog: Catalog, stored: Iterable[StoredHighlight], text: SentenceText | None = None
) -> list[Highlight]:
    """Highlights with the words and places that they have now; `text`: of their paper, if all are of one."""
    rows = list(stored)
    keys = catalog.keys_of(list(dict.fromkeys(row.paper for row in rows)))
    papers = {paper.id: paper for paper in catalog.papers_by_key(list(keys.values())).values()}
    found = dict[int, Highlight]()
    for name, numbers in grouped((row.paper, number) for number, row in enumerate(rows)).items():
        if name in papers:  # else it was removed meanwhile
            sentences = text or SentenceText(catalog.passages(name))  # of one paper at a time
            found |= {number: place_highlight(rows[number], papers[name], sentences) for number in numbers}
    return [found[number] for number in sorted(found)]


def place_highlight(stored: StoredHighlight, paper: Paper, text: SentenceText) -> Highlight:
    """A highlight with the words and places that it has in the paper's text."""
    there = text.find(stored.anchor, stored.quote)
    sentences = text.marked(there) if there else ()
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
    made = utc_now()
    return StoredHighlight(name, paper, color, checked_quote(quote), note, anchor, made, made)


def import_highlight(session: Session, highlight: StoredHighlight) -> StoredHighlight:
    """A highlight of another library with an id of this one, not stored yet; what a stranger wrote is checked."""
    name = connection.new_id(session.catalog, schema.highlights, sql.HIGHLIGHT_PREFIX)
    quote, note, moment = checked_quote(highlight.quote), checked_text(highlight.note, "note"), utc_now()
    made, updated = line(highlight.made)[:32] or moment, line(highlight.updated)[:32] or moment
    return replace(highlight, id=name, quote=quote, note=note, made=made, updated=updated)


def checked_quote(quote: str) -> str:
    """Words on one line as they are stored.

    Raises:
        UsageError: there are none, or too many.
    """
    found = line(cleaned(quote))
    if not found:
        raise UsageError("A highlight needs words.", "Give words of the paper, or the ids of sentences.")
    if len(found) > LONGEST_NOTE:
        raise UsageError(f"The words have {len(found):,} characters.", f"Mark at most {LONGEST_NOTE:,}.")
    return found


def checked_color(color: str) -> HighlightColor:
    """`color`, if there is such a one.

    Raises:
        UsageError: there is none.
    """
    for known in get_args(HighlightColor):
        if known == color:
            return known  # type: ignore[no-any-return]
    raise UsageError(f"There is no colour '{line(color)[:40]}'.", f"There are: {', '.join(get_args(HighlightColor))}.")
