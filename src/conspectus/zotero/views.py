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


def status(out: Printer, zotero_status: ZoteroStatus) -> None:
    """What is read and written, and the collections."""
    if zotero_status.reads != "none":
        out.line(
            one_line(
                f"Read: {zotero_status.zotero}{f', version {zotero_status.version}' if zotero_status.version else ''}"
            )
        )
    if zotero_status.why:
        out.line(one_line(zotero_status.why))
    out.line(
        f"Write: {_WRITES[zotero_status.writes]}" if zotero_status.writes != "none" else one_line(zotero_status.why_not)
    )
    out.line(f"Last import: {zotero_status.imported or 'none'}")
    for collection in zotero_status.collections:
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
