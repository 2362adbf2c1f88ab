"""Import from Zotero: what has changed there since the last time, as a file of records, and what goes with papers."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from conspectus.core.disk import user_path
from conspectus.core.errors import UnavailableError, UsageError
from conspectus.core.groups import grouped
from conspectus.core.job_context import Notice, emit
from conspectus.core.text import line, pluralize
from conspectus.ingest.files import lies_in
from conspectus.session.session import Session
from conspectus.store.connection import utc_now
from conspectus.zotero import database
from conspectus.zotero.client import Item, ZoteroApi, open_local, open_web
from conspectus.zotero.state import (
    GROUP,
    RECORDS,
    ZoteroState,
    find_group,
    group_names,
    is_work,
    known_places,
    load_state,
    name_collections,
    place_of,
    read_records,
    save_state,
    write_bytes,
)

PREFIX = "zotero:"
_PINNED = re.compile(r"^[ \t]*+citation key[ \t]*+:[ \t]*+(\S+)", re.I | re.M)
_SYNCHRONISED = frozenset({"version", "dateModified", "relations", "links"})
_TYPES = (".pdf", ".epub")
"""Endings of files that are added with an item; pages that Zotero saved are not."""


def import_items(session: Session, name: str) -> list[Path]:
    """Read what is new in Zotero and write the file of records; returns what is to be added: it, and files of items.

    What is gone in Zotero stays here, and is told.

    Args:
        session: the library.
        name: `zotero:`, `zotero:Collection/Within`, `zotero:group/Name/Collection`, or
            `zotero:/path/to/zotero.sqlite`; also the key of an item whose paper was removed, to take it again.

    Raises:
        UnavailableError: no Zotero can be read.
        NotFoundError: there is no such collection, group, or file.
    """
    file = user_path(name.removeprefix(PREFIX)) if names_file(name) else None
    scope = "" if file else name.removeprefix(PREFIX).strip().strip("/")
    removed_from = next((place for place in known_places(session.folder) if scope in load_state(place).removed), None)
    source = file or open_readable(session)
    place, state, collection = (
        (removed_from, load_state(removed_from), "") if removed_from else _find_library(session, source, scope)
    )
    if removed_from:
        state.take_again(scope)
    _update(state, source)
    collection = state.find_collection(collection) if collection else ""
    if collection not in state.scopes and not removed_from:
        state.scopes.append(collection)
    children, folders = state.children(), database.data_folders()
    if file:
        folders.insert(0, file.parent)
    works = state.chosen()
    files, missing = {}, list[str]()
    for work in works:
        paths, lost = _files(children.get(work["key"], ()), folders, session.settings.sources.root_folders)
        files[work["key"]] = paths
        missing += lost
    records = [_record(state, work, files[work["key"]]) for work in works]
    if missing:
        emit(Notice(f"{pluralize(len(missing), 'file')} of Zotero cannot be added, such as {missing[0]}."))
    _tell_left_out(state)
    state.read_as, state.imported = [], utc_now()
    write_bytes(place / RECORDS, msgspec.json.encode(records))
    save_state(place, state)
    return [place / RECORDS, *dict.fromkeys(path for paths in files.values() for path in paths)]


def _find_library(session: Session, source: ZoteroApi | Path, scope: str) -> tuple[Path, ZoteroState, str]:
    """Where what is remembered of the library of a scope lies, this, and the name of the scope's collection there."""
    group, name = 0, ""
    if scope.startswith(GROUP):
        groups = group_names(source.groups() if isinstance(source, ZoteroApi) else database.read_groups(source))
        group, scope = find_group(groups, scope)
        name = groups[group]
    place = place_of(session.folder, group)
    state = load_state(place)
    state.group, state.name = group, name
    return place, state, scope


def _tell_left_out(state: ZoteroState) -> None:
    """Tell what of the scopes is in Zotero and does not come."""
    counted = {kind: state.without_work(kind) for kind in ("note", "attachment")}
    if any(counted.values()):
        alone = [pluralize(number, kind) for kind, number in counted.items() if number]
        emit(Notice(
            f"{' and '.join(alone)} of Zotero without an item left out. Create a parent item for a file there to have "
            "it added; the library has notes of papers only."
        ))  # fmt: skip
    if state.removed:
        emit(Notice(
            f"{pluralize(len(state.removed), 'item')} of papers that you removed here left out; "
            f"`add zotero:{next(iter(state.removed))}` adds {'it' if len(state.removed) == 1 else 'the first'} again."
        ))  # fmt: skip


def names_file(name: str) -> bool:
    """Whether what is to be imported is a file of Zotero, and no collection."""
    return name.endswith(".sqlite")


def has_changed(session: Session, name: str) -> bool:
    """Whether what is imported by a name has changed in Zotero since the last import, as far as it can be asked."""
    api = open_local(session.settings.sources) or open_web(session.settings.sources)
    if api is None:
        return True
    _, state, _ = _find_library(session, api, name.removeprefix(PREFIX).strip())
    return api.origin != state.origin or api.of_group(state.group).has_changed(state.version)


def _update(state: ZoteroState, source: ZoteroApi | Path) -> None:
    """Bring what is remembered up to Zotero."""
    api: ZoteroApi | None = None
    if isinstance(source, ZoteroApi):
        api = source.of_group(state.group)
        if api.origin == state.origin and not api.has_changed(state.version):
            return
        items, version, current = _changed_items(api, state.version if api.origin == state.origin else 0)
        collections, _ = api.list_all("/collections")
        origin = api.origin
    else:
        items_read, collections = database.read_database(source, state.group)
        items, version, current, origin = items_read, 0, set(items_read), f"the file {source}"
    state.items |= items
    state.drop_removed()
    state.collections = name_collections(collections)
    _note_gone(state, current if origin == state.origin else set(state.items))
    state.origin, state.version = origin, version
    _find_citation_keys(state, api)


def open_readable(session: Session) -> ZoteroApi | Path:
    """The Zotero on this machine, or on the web, or the file of one that does not run."""
    sources, why = session.settings.sources, ""
    try:
        if local := open_local(sources):
            return local
    except UnavailableError as error:
        why = f" {error}"
    if web := open_web(sources):
        return web
    if folders := database.data_folders():
        return folders[0] / database.NAME
    raise UnavailableError(
        f"No Zotero library was found.{why}" if why else "Zotero isn't running and its data folder wasn't found.",
        "Start Zotero on this computer and try again, or add its database: `add zotero:/path/to/zotero.sqlite`. For a "
        "library on zotero.org, start Conspectus with its key in ZOTERO_API_KEY and allow it to go online.",
    )


def _changed_items(api: ZoteroApi, since: int) -> tuple[dict[str, Item], int, set[str]]:
    """(items that changed since a version, the version now, keys of all items)."""
    params = {"since": str(since)} if since else {}
    changed, version = api.list_all("/items", params)
    annotations, _ = api.list_all("/items", {**params, "itemType": "annotation"})  # Zotero leaves them out above
    items = {
        item["key"]: {**item["data"], "key": item["key"], "version": item.get("version", 0)}
        for item in (*changed, *annotations)
        if isinstance(item["data"].get("itemType"), str) and not item["data"].get("deleted")
    }
    return items, version, api.keys() | {item["key"] for item in annotations} | set(items)


def _note_gone(state: ZoteroState, current: set[str]) -> None:
    """Tell of works that are gone from Zotero; they stay in the library."""
    gone = [key for key, item in state.items.items() if key not in current and item.get("itemType") != "annotation"]
    new = [line(str(state.items[key].get("title") or key)) for key in gone if key not in state.gone]
    works = [title for key, title in zip((k for k in gone if k not in state.gone), new, strict=True)
             if is_work(state.items[key])]  # fmt: skip
    if works:
        emit(Notice(
            f"{pluralize(len(works), 'item')} no longer in Zotero, such as '{works[0][:80]}'. The library keeps what "
            "it has of them; `remove` deletes it."
        ))  # fmt: skip
    state.gone = gone


def _find_citation_keys(state: ZoteroState, api: ZoteroApi | None) -> None:
    """Note the citation key of each work, and who made it."""
    works = [item for item in state.items.values() if is_work(item)]
    keys = [item["key"] for item in works] if api and api.is_local and not state.group else []
    generated = api.find_generated_keys(keys) if api and keys else {}
    for item in works:
        pinned = _PINNED.search(str(item.get("extra") or ""))
        if pinned:
            state.cited_as[item["key"]] = pinned[1], "pinned by Better BibTeX"
        elif isinstance(citation_key := item.get("citationKey"), str) and citation_key.strip():
            state.cited_as[item["key"]] = citation_key.strip(), "kept by Zotero"
        elif item["key"] in generated:
            state.cited_as[item["key"]] = generated[item["key"]], "generated by Better BibTeX"


def _record(state: ZoteroState, work: Item, files: Iterable[Path]) -> Item:
    """A work as a record that readers of Zotero's JSON read."""
    record = {name: value for name, value in work.items() if name not in _SYNCHRONISED}
    record |= {"zoteroKey": work["key"], "attachments": [{"path": str(path)} for path in files]}
    if work["key"] in state.cited_as:
        record["citationKey"], record["citationKeyOrigin"] = state.cited_as[work["key"]]
    return record


def _files(children: Iterable[Item], folders: Sequence[Path], roots: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The files of an item on this machine that may be added, and why others may not."""
    files, lost = list[Path](), list[str]()
    for item in children:
        mode, name = str(item.get("linkMode") or ""), str(item.get("filename") or "")
        if item.get("itemType") != "attachment" or mode not in ("imported_file", "imported_url", "linked_file"):
            continue
        linked = str(item.get("path") or "") if mode == "linked_file" else ""
        if not (linked or name).lower().endswith(_TYPES) or "\0" in linked + name:
            continue
        if mode == "linked_file":
            if not lies_in(linked, roots):
                lost.append(f"'{line(linked)[:100]}' (set sources.roots to its folder)")
            elif os.path.isfile(linked):  # noqa: PTH113 - false for names that no path can have, without an error
                files.append(Path(linked))
            continue
        stored = [folder / "storage" / item["key"] for folder in folders]
        path = next((place / name for place in stored if _is_stored(place, name)), None)
        files += [path] if path else []
        lost += [] if path else [f"'{line(name)[:100]}' (not in Zotero's folder on this machine)"]
    return files, lost


def _is_stored(place: Path, name: str) -> bool:
    """Whether a file of this name lies in a folder of Zotero's storage itself, and no link leads elsewhere."""
    if "/" in name or "\\" in name or name in ("", ".", ".."):
        return False
    return os.path.isfile(place / name) and lies_in(place / name, [place])  # noqa: PTH113 - as above


def papers_of_items(session: Session, place: Path, state: ZoteroState) -> dict[str, str]:
    """The id of the paper that each item imported from a library of Zotero has become, by its key."""
    path = place / RECORDS
    rows = list(session.catalog.file_rows([str(path)]))
    if not rows:
        return {}
    keys = [record["key"] for record in read_records(place)]
    if state.read_as and rows[0].sha256 != hashlib.sha256(path.read_bytes()).hexdigest():
        keys = state.read_as
    places = session.catalog.places(rows[0].key)
    ids = session.catalog.ids_of({paper for _, _, paper in places})
    return {keys[number - 1]: ids[paper] for _, number, paper in places if 0 < number <= len(keys)}


def other_libraries(session: Session, place: Path) -> list[tuple[ZoteroState, dict[str, list[str]]]]:
    """What is remembered of the other libraries of Zotero, each with the keys of its items by the ids of papers."""
    states = [(other, load_state(other)) for other in known_places(session.folder) if other != place]
    return [
        (state, grouped((paper, key) for key, paper in papers_of_items(session, other, state).items()))
        for other, state in states
    ]


def is_zotero(name: object) -> bool:
    """Whether what is to be added is in Zotero."""
    return isinstance(name, str) and name.startswith(PREFIX)


def check_watchable(names: Sequence[object]) -> None:
    """See that Zotero is watched alone.

    Raises:
        UsageError: files are named as well.
    """
    if any(map(is_zotero, names)) and not all(map(is_zotero, names)):
        raise UsageError("Zotero is watched on its own.", "Watch files and folders with another call.")
