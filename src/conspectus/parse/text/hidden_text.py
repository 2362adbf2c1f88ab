"""Notes on text that a file holds and does not show."""

from __future__ import annotations

from collections.abc import Iterable

from conspectus.records import Hidden, HiddenReason

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
    told = {page: counts for page, counts in pages.items() if sum(counts.values()) >= _WORTH_TELLING}
    notes = [_note(page, counts) for page, counts in list(told.items())[:_MOST_PAGES]]
    if len(told) > _MOST_PAGES:
        notes.append(f"{len(told) - _MOST_PAGES} more pages have {_KEPT}.")
    return notes


def is_hidden_note(note: str) -> bool:
    """Whether a note is one of these."""
    return _KEPT in note


def _note(page: int, counts: dict[HiddenReason, int]) -> str:
    where = f"Page {page} has {_KEPT}" if page else f"There is {_KEPT}"
    parts = ", ".join(f"{count:,} letters {_REASONS[reason]}" for reason, count in counts.items())
    return f"{where} and not searched: {parts}."
