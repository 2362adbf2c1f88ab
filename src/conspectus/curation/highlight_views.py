"""How highlights look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conspectus.core.characters import line as one_line

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.highlights import Highlight


def list(out: Printer, highlights: Sequence[Highlight]) -> None:
    """Highlights, each with its id, colour and place, its words and its note."""
    for highlight in highlights:
        out.line((f"{highlight.id}  {highlight.color}  {_place(highlight)}", "dim"))
        out.fold(f"“{one_line(highlight.quote)}”", indent=2)
        for line in highlight.note.splitlines():
            out.fold(line, indent=4)
    if not highlights and out.width is not None:
        out.line("No highlights yet. Add one: conspectus highlights add PAPER QUOTE")


def _place(highlight: Highlight) -> str:
    page = f", p. {highlight.page}" if highlight.page else ""
    lost = "" if highlight.found else ", not found in the current text"
    return f"{one_line(highlight.label)}{page}{lost}"


def add(out: Printer, highlight: Highlight) -> None:
    """That words are marked."""
    out.line(f"Marked {highlight.id} in {highlight.color}: {_place(highlight)}")


def edit(out: Printer, highlight: Highlight) -> None:
    """That a highlight was changed."""
    out.line(f"Changed {highlight.id}")


def remove(out: Printer, highlight: Highlight) -> None:
    """That a highlight was removed."""
    out.line(f"Removed {highlight.id}")
