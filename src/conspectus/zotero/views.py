"""How Zotero, and what was written to it, look in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conspectus.core.text import pluralize
from conspectus.faces.printer import one_line

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.sources import AddedWorks
    from conspectus.records.zotero import ZoteroExport, ZoteroStatus

_WRITES = {"program": "Zotero on this machine, once you allow it there", "web": "zotero.org"}


def status(out: Printer, found: ZoteroStatus) -> None:
    """What is read and written, and the collections."""
    if found.reads != "none":
        out.line(one_line(f"Read: {found.zotero}{f', version {found.version}' if found.version else ''}"))
    if found.why:
        out.line(one_line(found.why))
    out.line(f"Write: {_WRITES[found.writes]}" if found.writes != "none" else one_line(found.why_not))
    out.line(f"Last import: {found.imported or 'none'}")
    for collection in found.collections:
        items = "" if collection.items is None else pluralize(collection.items, "item")
        mark = "imported" if collection.imported else ""
        about = " · ".join(text for text in (items, mark) if text)
        out.row(
            (one_line(collection.path), str(collection.items or 0), mark),
            f"{one_line(collection.path)}  ",
            (about, "dim"),
        )


def import_items(out: Printer, report: AddedWorks) -> None:
    """How many papers came, and what did not."""
    for row in report.failed:
        out.line(one_line(f"{row.path}: {row.reason}"))
    out.line(f"{pluralize(report.added, 'paper')} added.")


def export(out: Printer, report: ZoteroExport) -> None:
    """What was not written, with both values of each conflict; then how much was."""
    for clash in report.conflicts:
        out.line(
            f"{clash.paper}: its {clash.field} in Zotero ({clash.item}) changed there too; nothing was written. "
            f"Here: {one_line(clash.ours)}. In Zotero: {one_line(clash.theirs)}."
        )
    for paper, why in report.failed:
        out.line(f"{paper}: Zotero refused it: {one_line(why)}")
    where = f"{report.zotero}" + (f", collection {one_line(report.collection)}" if report.collection else "")
    out.line(
        f"{where}: {report.made} made, {report.changed} changed, {report.unchanged} unchanged, "
        f"{pluralize(report.notes, 'note')} and {pluralize(report.annotations, 'annotation')} written."
    )
