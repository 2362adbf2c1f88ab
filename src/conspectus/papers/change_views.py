"""How changes of papers look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conspectus.faces.describe import describe_document
from conspectus.faces.printer import Printer, one_line

if TYPE_CHECKING:
    from conspectus.records import LedgerRow
    from conspectus.records.curation import EditedPaper, RemovedPapers, SplitPaper


def remove(out: Printer, done: RemovedPapers) -> None:
    """A line a paper."""
    for paper in done.removed:
        out.line(f"Removed {paper.id}  {one_line(paper.heading)}")
    if not done.removed:
        out.line("Nothing was removed.")


def forget(out: Printer, rows: Sequence[LedgerRow]) -> None:
    """A line a file."""
    for row in rows:
        out.line(f"Forgot {row.path}")


def split(out: Printer, papers: Sequence[SplitPaper]) -> None:
    """The papers, each with its documents."""
    for one in papers:
        out.line(f"{one.paper.id}  {one_line(one.paper.heading)}")
        for document in one.documents:
            out.line((one_line(describe_document(document)), "dim"), indent=4)


def edit_fields(out: Printer, edited: EditedPaper) -> None:
    """A line a field that was edited."""
    for one in edited.edits:
        said = one_line(str(one.files_say if one.files_say is not None else ""))
        value = one_line(str(one.value if one.value is not None else ""))
        out.row(
            (one.field, value, said),
            (f"{one.field:<15} ", "dim"),
            value,
            (f"  (files say: {said or 'nothing'})", "dim"),
        )
    if not edited.edits and out.width is not None:
        out.line("All is as its files say.")
