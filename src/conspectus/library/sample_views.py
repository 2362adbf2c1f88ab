"""How the sample papers look in a terminal."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from conspectus.core.plural import pluralize
from conspectus.faces.printer import one_line

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records import LedgerRow
    from conspectus.records.sources import AddedWorks


def list(out: Printer, found: tuple[LedgerRow, ...]) -> None:
    """A file per line."""
    for row in found:
        out.row((row.path, row.state), one_line(PurePath(row.path).name), (f"  {row.state}", "dim"))
    if not found:
        out.line("The library has no sample papers; `conspectus samples add` adds them.")


def add(out: Printer, found: AddedWorks) -> None:
    """How many came, and what to do next."""
    for row in found.failed:
        out.line(one_line(f"{row.path}: {row.reason}"))
    out.line(f"{pluralize(found.added, 'sample paper')} added. Remove them again: conspectus samples remove")
    out.line('Ask them: conspectus ask "Do grain boundaries make metals better or worse?"')


def remove(out: Printer, found: tuple[LedgerRow, ...]) -> None:
    """How many files went."""
    out.line(f"{pluralize(len(found), 'file')} of sample papers removed.")
