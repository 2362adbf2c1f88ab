"""Which Zotero can be read and written now."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Literal

from conspectus.core.errors import ConspectusError, ServiceError
from conspectus.records.zotero import ZoteroCollection, ZoteroStatus
from conspectus.session.session import Session
from conspectus.settings.groups import SourcesSettings
from conspectus.zotero.client import Item, ZoteroApi, open_writable
from conspectus.zotero.database import read_database, read_groups
from conspectus.zotero.item_import import open_readable
from conspectus.zotero.state import (
    GROUP,
    ZoteroState,
    group_names,
    is_work,
    known_places,
    load_state,
    name_collections,
    place_of,
)


def find_status(session: Session) -> ZoteroStatus:
    """Ask which Zotero can be read and written; that none can is no error, and the reason is told."""
    try:
        status = _find_readable(session.folder, open_readable(session))
    except ConspectusError as error:
        status = ZoteroStatus("none", why=str(error))
    imported = max(load_state(place).imported for place in known_places(session.folder))
    return replace(_with_writable(status, session.settings.sources), imported=imported)


def _find_readable(library: Path, source: ZoteroApi | Path) -> ZoteroStatus:
    if isinstance(source, Path):
        status, groups = ZoteroStatus("file", str(source)), read_groups(source)
    else:
        kind: Literal["program", "web"] = "program" if source.is_program else "web"
        status, groups = ZoteroStatus(kind, source.origin, source.version), source.groups()
    collections, why = _own_collections(source, load_state(place_of(library))), list[str]()
    names = group_names(groups)
    for group in sorted(groups, key=lambda key: names[key].casefold()):
        state, path = load_state(place_of(library, group)), f"{GROUP}{names[group]}"
        collections.append(ZoteroCollection(path, _number_of_items(groups[group]), "" in state.scopes, names[group]))
        try:
            within = _own_collections(source, state, group)
        except ServiceError as error:
            why.append(f"The group '{names[group]}' cannot be read: {error}")
        else:
            collections += (
                replace(collection, path=f"{path}/{collection.path}", group=names[group]) for collection in within
            )
    return replace(status, collections=tuple(collections), why=" ".join(why))


def _own_collections(source: ZoteroApi | Path, state: ZoteroState, group: int = 0) -> list[ZoteroCollection]:
    """The collections of the user's own library, or a group's, by their paths there."""
    if isinstance(source, Path):
        items, collections = read_database(source, group)
        counts = Counter(key for item in items.values() if is_work(item) for key in item["collections"])
        numbers: dict[str, int | None] = {collection["key"]: counts[collection["key"]] for collection in collections}
    else:
        collections, _ = source.of_group(group).list_all("/collections")
        numbers = {collection["key"]: _number_of_items(collection) for collection in collections}
    paths = name_collections(collections)
    listed = [ZoteroCollection(path, numbers[key], state.is_in_scope(path)) for key, path in paths.items()]
    return sorted(listed, key=lambda collection: collection.path.casefold())


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
