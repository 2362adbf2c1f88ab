"""Papers brought from services on the internet while a question is answered (P1): found, added, and then read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conspectus.core.plural import pluralize
from conspectus.records import Paper
from conspectus.search.retriever import Retriever

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class OnlineRound:
    """What a search online brought.

    Attributes:
        retriever: finds what was added, too.
        brought: papers that are new to the library, or have a text now that they had not.
        found: how many works were found in all.
        unread: full texts that could not be read, a sentence each.
        troubles: what went wrong with services.
    """

    retriever: Retriever
    brought: tuple[Paper, ...]
    found: int
    unread: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """What the user is told."""
        read = sum(paper.has_full_text for paper in self.brought)
        new = f"{pluralize(len(self.brought), 'paper')} added, {read} with full text"
        parts = [f"Searched online: {pluralize(self.found, 'work')} found, {new}."]
        if self.unread:
            shown = "; ".join(text.rstrip(".") for text in self.unread[:_SHOWN])
            more = f"; and {len(self.unread) - _SHOWN} more" if len(self.unread) > _SHOWN else ""
            parts.append(f"Not read in full: {shown}{more}.")
        return " ".join([*parts, *self.troubles])


SearchOnline = Callable[[Sequence[str], int | None, int | None], OnlineRound]
"""Searches by each of the texts, between two years, and adds what it finds. It blocks."""
