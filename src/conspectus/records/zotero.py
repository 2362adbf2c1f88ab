"""Zotero as the library sees it: what can be read and written there, and what became of papers that were written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ZoteroCollection:
    """A collection of Zotero.

    Attributes:
        path: `Reading/Grid cells`; of a group `group/Lab`, of a collection in it `group/Lab/Reading`.
        items: how many it has itself; None where Zotero does not say.
        imported: whether it, one around it, or the whole library was imported.
        group: the group whose library it is in, which cannot be written; "" for the user's own.
    """

    path: str
    items: int | None = None
    imported: bool = False
    group: str = ""


@dataclass(frozen=True, slots=True)
class ZoteroStatus:
    """Which Zotero would be read and written now.

    Attributes:
        reads: the program on this machine, zotero.org (`web`), the file of a program that does not run, or `none`.
        zotero: which one, in words; "" for none.
        version: of the program; "" where it does not say.
        why: none can be read, or not all of it; "" where all can.
        collections: of it, by their paths.
        imported: when something was last imported (ISO 8601, UTC); "" where nothing was.
        writes: what is written to; the program asks its user first.
        why_not: nothing can be written; "" where something can.
    """

    reads: Literal["program", "web", "file", "none"]
    zotero: str = ""
    version: str = ""
    why: str = ""
    collections: tuple[ZoteroCollection, ...] = ()
    imported: str = ""
    writes: Literal["program", "web", "none"] = "none"
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class ZoteroConflict:
    """What was changed here and in Zotero in different ways; neither was touched.

    Attributes:
        paper: its id.
        item: key of the item, the note or the annotation in Zotero.
        field: `tags`, `collections`, `note` or `highlight`.
        ours, theirs: the values; names are apart by `;`.
    """

    paper: str
    item: str
    field: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class ZoteroExport:
    """What became of papers that were written to Zotero.

    Attributes:
        zotero: where they were written to.
        collection: the one that they are in.
        made, changed, unchanged: how many items.
        notes: how many notes were made or changed.
        annotations: how many annotations of PDFs were made or changed.
        conflicts: that users have to settle: import, decide, export again.
        failed: (id of a paper, why) of those that Zotero refused.
    """

    zotero: str
    collection: str
    made: int = 0
    changed: int = 0
    unchanged: int = 0
    notes: int = 0
    annotations: int = 0
    conflicts: tuple[ZoteroConflict, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
