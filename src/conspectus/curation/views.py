"""How collections, tags and notes look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conspectus.core.characters import line as one_line
from conspectus.core.plural import pluralize

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.curation import PaperNote, PaperSet, TagRemoval


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
    if not sets and out.width is not None:
        out.line(f"There is none yet: {remedy}")


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
    if not notes and out.width is not None:
        out.line("There is none yet: conspectus collections note PAPER TEXT")


def note(out: Printer, note: PaperNote) -> None:
    """That a note is kept."""
    out.line(f"Kept {note.id}")


def edit_note(out: Printer, note: PaperNote) -> None:
    """That a note was changed."""
    out.line(f"Changed {note.id}")


def delete_note(out: Printer, note: PaperNote) -> None:
    """That a note was deleted."""
    out.line(f"Deleted {note.id}")
