"""Which Zotero can be read and written now."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Literal

from conspectus.core.errors import ConspectusError
from conspectus.records.zotero import ZoteroCollection, ZoteroStatus
from conspectus.session.session import Session
from conspectus.settings.groups import SourcesSettings
from conspectus.zotero.client import Item, open_writable
from conspectus.zotero.database import read_database
from conspectus.zotero.item_import import open_readable
from conspectus.zotero.state import ZoteroState, is_work, load_state, name_collections


def find_status(session: Session) -> ZoteroStatus:
    """Ask which Zotero can be read and written; that none can is no error, and the reason is told."""
    state = load_state(session.folder)
    try:
        status = _find_readable(session, state)
    except ConspectusError as error:
        status = ZoteroStatus("none", why=str(error))
    return replace(_with_writable(status, session.settings.sources), imported=state.imported)


def _find_readable(session: Session, state: ZoteroState) -> ZoteroStatus:
    found = open_readable(session)
    if isinstance(found, Path):
        items, collections = read_database(found)
        counts = Counter(key for item in items.values() if is_work(item) for key in item["collections"])
        numbers: dict[str, int | None] = {one["key"]: counts[one["key"]] for one in collections}
        return ZoteroStatus("file", str(found), collections=_listed(state, collections, numbers))
    collections, _ = found.list_all("/collections")
    numbers = {one["key"]: _number_of_items(one) for one in collections}
    kind: Literal["program", "web"] = "program" if found.is_program else "web"
    return ZoteroStatus(kind, found.origin, found.version, collections=_listed(state, collections, numbers))


def _listed(
    state: ZoteroState, collections: list[Item], numbers: dict[str, int | None]
) -> tuple[ZoteroCollection, ...]:
    paths = name_collections(collections)
    found = [ZoteroCollection(path, numbers[key], state.is_in_scope(path)) for key, path in paths.items()]
    return tuple(sorted(found, key=lambda one: one.path.casefold()))


def _number_of_items(collection: Item) -> int | None:
    meta = collection.get("meta")
    number = meta.get("numItems") if isinstance(meta, dict) else None
    return number if isinstance(number, int) and number >= 0 else None


def _with_writable(status: ZoteroStatus, settings: SourcesSettings) -> ZoteroStatus:
    try:
        api = open_writable(settings)
    except ConspectusError as error:
        return replace(status, why_not=str(error))
    return replace(status, writes="program" if api.is_program else "web")
