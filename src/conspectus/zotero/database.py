"""Read `zotero.sqlite` if Zotero does not run: from a copy, so that Zotero's own file is never opened."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from conspectus.core.disk import read_text
from conspectus.core.errors import ConspectusError, InputError, NotFoundError, describe_os_error
from conspectus.zotero.client import KEY, Item

T = TypeVar("T")
NAME = "zotero.sqlite"
_LONGEST_VALUE = 64 * 2**20
_STEPS = 2_000_000_000
"""Instructions of SQLite for one reading; a million items take a tenth of it."""
_LINK_MODES = ("imported_file", "imported_url", "linked_file", "linked_url", "embedded_image")
_ANNOTATIONS = ("", "highlight", "note", "image", "ink", "underline", "text")
_STORED_DATE = re.compile(r"\d{4}-\d\d-\d\d (?=\S)")
_DATA_FOLDER = re.compile(r'user_pref\("extensions\.zotero\.dataDir", "((?:[^"\\]|\\.)*)"\)')
_ITEMS = """
    SELECT items.itemID AS id, items.key, items.version, items.dateAdded, items.dateModified, itemTypes.typeName AS kind
    FROM items JOIN itemTypes USING (itemTypeID)
    WHERE items.libraryID = ? AND items.itemID NOT IN (SELECT itemID FROM deletedItems)
    ORDER BY items.itemID
"""
_FIELDS = """
    SELECT itemID AS id, fieldName AS name, value FROM itemData JOIN fields USING (fieldID)
    JOIN itemDataValues USING (valueID)
"""
_CREATORS = """
    SELECT itemID AS id, creatorType AS kind, firstName AS first, lastName AS last, fieldMode AS mode
    FROM itemCreators JOIN creators USING (creatorID) JOIN creatorTypes USING (creatorTypeID)
    ORDER BY itemID, orderIndex
"""
_TAGS = "SELECT itemID AS id, name, type FROM itemTags JOIN tags USING (tagID) ORDER BY itemID, name"
_IN_COLLECTIONS = "SELECT itemID AS id, key FROM collectionItems JOIN collections USING (collectionID)"
_COLLECTIONS = """
    SELECT own.key, own.collectionName AS name, parent.key AS parent FROM collections AS own
    LEFT JOIN collections AS parent ON parent.collectionID = own.parentCollectionID
    WHERE own.libraryID = ?
"""
_OWN_LIBRARY = "SELECT libraryID FROM libraries WHERE type = 'user'"
_GROUP_LIBRARY = "SELECT libraryID FROM groups WHERE groupID = ?"
_GROUPS = "SELECT groupID AS id, name FROM groups"
_CHILDREN = {
    "itemNotes": "note",
    "itemAttachments": "linkMode, contentType, path",
    "itemAnnotations": "type, authorName, text, comment, color, pageLabel, sortIndex, position",
}


def data_folders() -> list[Path]:
    """Zotero's data folders on this machine, as its preferences name them, and the usual one."""
    home = Path.home()
    profiles = {
        "darwin": home / "Library/Application Support/Zotero/Profiles",
        "win32": Path(os.environ.get("APPDATA", home)) / "Zotero/Zotero/Profiles",
    }.get(sys.platform, home / ".zotero/zotero")
    folders = []
    for preferences in sorted(profiles.glob("*/prefs.js")):
        try:
            match = _DATA_FOLDER.search(read_text(preferences))
        except (ConspectusError, OSError):
            continue
        if match:
            folders.append(Path(re.sub(r"\\(.)", r"\1", match[1])))
    return [folder for folder in dict.fromkeys([*folders, home / "Zotero"]) if (folder / NAME).is_file()]


def read_database(path: Path, group: int = 0) -> tuple[dict[str, Item], list[Item]]:
    """The items of the user's own library by their keys, without the trash, and its collections; as the API has both.

    With `group` those of this group's library.

    Raises:
        NotFoundError: there is no such file.
        InputError: it is no database of Zotero 5 or newer, or it is damaged.
    """
    return _from_copy(path, lambda connection: _read(connection, group))


def read_groups(path: Path) -> dict[int, Item]:
    """The groups that the user is in, by their numbers, as the API has them. Errors as `read_database`."""
    return _from_copy(path, lambda connection: {
        row["id"]: {"id": row["id"], "data": {"name": row["name"]}} for row in connection.execute(_GROUPS)
    })  # fmt: skip


def _from_copy(path: Path, read: Callable[[sqlite3.Connection], T]) -> T:
    if not path.is_file():
        raise NotFoundError(f"There is no file '{path}'.", "Start Zotero, or name its zotero.sqlite.")
    with tempfile.TemporaryDirectory(prefix="conspectus-zotero-") as folder:
        copy = Path(folder) / NAME
        try:
            for ending in ("", "-journal", "-wal"):  # what Zotero has not yet written to the file itself
                if (companion := path.with_name(path.name + ending)).is_file():
                    shutil.copyfile(companion, copy.with_name(copy.name + ending))
            with closing(sqlite3.connect(copy)) as connection:
                connection.row_factory = sqlite3.Row
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.execute("PRAGMA query_only = ON")
                connection.set_progress_handler(lambda: True, _STEPS)
                return read(connection)
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"'{path}' cannot be read as a database of Zotero: {describe_os_error(error)}.",
                "If Zotero runs, let other programs communicate with it in Settings > Advanced, and add zotero: again.",
            ) from error


def _read(connection: sqlite3.Connection, group: int) -> tuple[dict[str, Item], list[Item]]:
    library = connection.execute(_GROUP_LIBRARY if group else _OWN_LIBRARY, [group] if group else []).fetchall()[0]
    items = {row["id"]: _item(row) for row in connection.execute(_ITEMS, library) if KEY.fullmatch(str(row["key"]))}
    for item, row in _rows(connection, _FIELDS, items):
        value = str(row["value"])
        item[str(row["name"])] = _STORED_DATE.sub("", value) if row["name"] == "date" else value
    for item, row in _rows(connection, _CREATORS, items):
        name = {"name": row["last"]} if row["mode"] else {"firstName": row["first"], "lastName": row["last"]}
        item.setdefault("creators", []).append({"creatorType": row["kind"], **name})
    for item, row in _rows(connection, _TAGS, items):
        item["tags"].append({"tag": row["name"], **({"type": 1} if row["type"] else {})})
    for item, row in _rows(connection, _IN_COLLECTIONS, items):
        item["collections"].append(row["key"])
    for table, columns in _CHILDREN.items():
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone():
            continue  # annotations came with Zotero 6
        query = f"SELECT itemID AS id, parentItemID AS parent, {columns} FROM {table}"  # noqa: S608 - of names above
        for item, row in _rows(connection, query, items):
            if row["parent"] in items:
                item["parentItem"] = items[row["parent"]]["key"]
            item.update(_child(table, row))
    collections = [
        {"key": row["key"], "data": {"name": row["name"], "parentCollection": row["parent"] or False}}
        for row in connection.execute(_COLLECTIONS, library)
        if KEY.fullmatch(str(row["key"]))
    ]
    return {item["key"]: item for item in items.values()}, collections


def _rows(connection: sqlite3.Connection, query: str, items: dict[int, Item]) -> Iterator[tuple[Item, sqlite3.Row]]:
    """(item, row) of each row that is of an item."""
    return ((items[row["id"]], row) for row in connection.execute(query) if row["id"] in items)


def _item(row: sqlite3.Row) -> Item:
    same: dict[str, Any] = {name: row[name] for name in ("key", "version", "dateAdded", "dateModified")}
    return {**same, "itemType": str(row["kind"]), "tags": [], "collections": []}


def _child(table: str, row: sqlite3.Row) -> Item:
    """What a note, an attachment or an annotation has besides."""
    if table == "itemNotes":
        return {"note": row["note"] or ""}
    if table == "itemAttachments":
        mode, path = row["linkMode"], row["path"] or ""
        link = _LINK_MODES[mode] if isinstance(mode, int) and 0 <= mode < len(_LINK_MODES) else ""
        location = {"filename": path.removeprefix("storage:")} if path.startswith("storage:") else {"path": path}
        return {"linkMode": link, "contentType": row["contentType"] or "", **location}
    kind = row["type"]
    return {
        "annotationType": _ANNOTATIONS[kind] if isinstance(kind, int) and 0 <= kind < len(_ANNOTATIONS) else "",
        "annotationAuthorName": row["authorName"] or "",
        "annotationText": row["text"] or "",
        "annotationComment": row["comment"] or "",
        "annotationColor": row["color"] or "",
        "annotationPageLabel": row["pageLabel"] or "",
        "annotationSortIndex": row["sortIndex"] or "",
        "annotationPosition": row["position"] or "",
    }
