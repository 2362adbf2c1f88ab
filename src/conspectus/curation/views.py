"""How collections, tags, notes and highlights look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.curation import Highlight, PaperNote, PaperSet, TagRemoval


def list(out: Printer, sets: Sequence[PaperSet]) -> None:
    """A line a collection."""
    _rows(out, sets, "conspectus collections add NAME PAPERS…")


def tags(out: Printer, sets: Sequence[PaperSet]) -> None:
    """A line a tag."""
    _rows(out, sets, "conspectus collections tag NAME PAPERS…")


def _rows(out: Printer, sets: Sequence[PaperSet], remedy: str) -> None:
    for papers in sets:
        name = one_line(papers.name)
        count = pluralize(papers.papers, "paper")
        out.row((papers.id, str(papers.papers), name), (papers.id, "dim"), f"  {count:>10}  ", name)
    if not sets:
        out.empty(f"There is none yet: {remedy}")


def show(out: Printer, papers: PaperSet) -> None:
    """A set in a line."""
    out.line(f"{one_line(papers.name)}: {pluralize(papers.papers, 'paper')}")


add = remove = rename = show


def tag(out: Printer, tag: PaperSet, *, papers: Sequence[str] = ()) -> None:
    """How many papers were tagged, and how many have the tag."""
    tagged, total = pluralize(len(papers), "paper"), pluralize(tag.papers, "paper")
    out.line(f"Tagged {tagged} with '{one_line(tag.name)}'; {total} in all.")


def delete(out: Printer, papers: PaperSet) -> None:
    """What was deleted."""
    out.line(f"Deleted the collection {one_line(papers.name)}. Its papers stay.")


def untag(out: Printer, removal: TagRemoval) -> None:
    """Off how many papers a tag was taken, and how many have it still."""
    left = removal.tag.papers
    rest = f"{pluralize(left, 'paper')} left with it." if left else "No paper has it now, so it is deleted."
    out.line(f"Took '{one_line(removal.tag.name)}' off {pluralize(removal.taken_off, 'paper')}. {rest}")


def notes(out: Printer, notes: Sequence[PaperNote]) -> None:
    """Notes, each with its id and when it was last changed."""
    for note in notes:
        out.line((f"{note.id}  {note.updated[:16].replace('T', ' ')}  {note.paper}", "dim"))
        for line in note.text.splitlines():
            out.fold(line, indent=2)
    if not notes:
        out.empty("There is none yet: conspectus collections note PAPER TEXT")


def note(out: Printer, note: PaperNote) -> None:
    """That a note is kept."""
    out.line(f"Kept {note.id}")


def edit_note(out: Printer, note: PaperNote) -> None:
    """That a note was changed."""
    out.line(f"Changed {note.id}")


def delete_note(out: Printer, note: PaperNote) -> None:
    """That a note was deleted."""
    out.line(f"Deleted {note.id}")


def highlights_list(out: Printer, highlights: Sequence[Highlight]) -> None:
    """Highlights, each with its id, colour and place, its words and its note."""
    for highlight in highlights:
        out.line((f"{highlight.id}  {highlight.color}  {_place(highlight)}", "dim"))
        out.fold(f"“{one_line(highlight.quote)}”", indent=2)
        for line in highlight.note.splitlines():
            out.fold(line, indent=4)
    if not highlights:
        out.empty("No highlights yet. Add one: conspectus highlights add PAPER QUOTE")


def _place(highlight: Highlight) -> str:
    page = f", p. {highlight.page}" if highlight.page else ""
    lost = "" if highlight.found else ", not found in the current text"
    return f"{one_line(highlight.label)}{page}{lost}"


def highlights_add(out: Printer, highlight: Highlight) -> None:
    """That words are marked."""
    out.line(f"Marked {highlight.id} in {highlight.color}: {_place(highlight)}")


def highlights_edit(out: Printer, highlight: Highlight) -> None:
    """That a highlight was changed."""
    out.line(f"Changed {highlight.id}")


def highlights_remove(out: Printer, highlight: Highlight) -> None:
    """That a highlight was removed."""
    out.line(f"Removed {highlight.id}")
