"""How changes of papers look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conspectus.faces.describe import describe_document
from conspectus.faces.printer import Printer, one_line

if TYPE_CHECKING:
    from conspectus.records import LedgerRow
    from conspectus.records.curation import RemovedPapers, SplitPaper


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
