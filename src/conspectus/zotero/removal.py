"""Items of papers that are removed: nothing of them stays but their keys, by which the next import leaves them out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from conspectus.session.session import Session
from conspectus.store.removal import RemovedRows, fit_file
from conspectus.store.rows import StoredDocument
from conspectus.store.schema import files as file_table
from conspectus.zotero.client import Item
from conspectus.zotero.state import (
    RECORDS,
    ZoteroState,
    known_places,
    load_state,
    read_records,
    save_state,
    write_bytes,
)


@dataclass(frozen=True, slots=True)
class TakenItems:
    """What was taken out of the files of the items of one library of Zotero.

    Attributes:
        place: the folder of these files.
        numbers: key of an item -> the number of its record, as the library read it.
        state: with what was remembered of the items alone.
        records: theirs.
        order, record_order: keys of all items and records as they stood before.
    """

    place: Path
    numbers: Mapping[str, int]
    state: ZoteroState
    records: Sequence[Item] = ()
    order: Sequence[str] = ()
    record_order: Sequence[str] = ()

    @property
    def size(self) -> int:
        """Bytes, about."""
        return len(msgspec.json.encode((self.state, self.records, self.order, self.record_order)))


def take_out(folder: Path, paper: str, documents: Sequence[StoredDocument]) -> list[TakenItems]:
    """Take the items that a paper was imported from or written to out of the files in a library's folder.

    Args:
        folder: the library's.
        paper: its id.
        documents: the paper's.
    """
    taken = (_take_out(place, paper, documents) for place in known_places(folder))
    return [items for items in taken if items]


def _take_out(place: Path, paper: str, documents: Iterable[StoredDocument]) -> TakenItems | None:
    numbers = {
        key: document.ordinal
        for document in documents
        if _is_records(place, document.path) and isinstance(key := document.parsed.metadata.extra.get("zoteroKey"), str)
    }
    state = load_state(place)
    exported = {origin: {paper: keys[paper]} for origin, keys in state.exported.items() if paper in keys}
    removed_keys = [*numbers, *(key for exported_keys in exported.values() for key in exported_keys.values())]
    if not removed_keys:
        return None
    records, order = read_records(place), list(state.items)
    removed_state = ZoteroState(version=state.version, exported=exported, removed={key: [] for key in removed_keys})
    state.removed |= {key: [] for key in removed_keys if key not in state.removed}
    removed_state.items = state.drop_removed()
    removed_state.cited_as = {key: state.cited_as.pop(key) for key in removed_keys if key in state.cited_as}
    removed_state.taken = {key: state.taken.pop(key) for key in removed_keys if key in state.taken}
    removed_state.gone = [key for key in state.gone if key in removed_state.items]
    state.gone = [key for key in state.gone if key not in removed_state.items]
    for keys in state.exported.values():
        keys.pop(paper, None)
    record_order = [record["key"] for record in records]
    state.read_as = state.read_as or record_order
    _write(place, state, [record for record in records if record["key"] not in removed_keys])
    removed_records = [record for record in records if record["key"] in removed_keys]
    return TakenItems(place, numbers, removed_state, removed_records, order, record_order)


def rows_to_restore(session: Session, rows: RemovedRows, removed_items: TakenItems) -> RemovedRows:
    """Rows of a removed paper as they fit the file of records, which an import may have written anew meanwhile."""
    state = load_state(removed_items.place)
    read_as = _read_as(state, read_records(removed_items.place), removed_items)
    new = {number: read_as.index(key) + 1 for key, number in removed_items.numbers.items()}
    for row in rows.named_rows.get(file_table, ()):
        is_records = _is_records(removed_items.place, row["path"])
        now = next(iter(session.catalog.file_rows([row["path"]])), None) if is_records else None
        if now and now.sha256 != row["sha256"]:
            rows = fit_file(rows, now.path, now.sha256, new)
    return rows


def forget_records(folder: Path, paths: Iterable[str]) -> None:
    """Forget what is known of the libraries of Zotero whose files of records these are, but the keys of removed works.

    Args:
        folder: the library's.
        paths: of files; others are left as they are.
    """
    for path in paths:
        for place in known_places(folder):
            if _is_records(place, path):
                save_state(place, ZoteroState(removed=load_state(place).removed))
                (place / RECORDS).unlink(missing_ok=True)


def put_back(removed_items: TakenItems) -> None:
    """Undo `take_out`; what came since stays."""
    state, records = load_state(removed_items.place), read_records(removed_items.place)
    state.read_as = _read_as(state, records, removed_items)
    if state.version != removed_items.state.version:
        state.version = 0  # changes of the items were left out: all is read again
    for key in removed_items.state.removed:
        state.removed.pop(key, None)
    items = removed_items.state.items | state.items
    state.items = {key: items[key] for key in dict.fromkeys([*removed_items.order, *items]) if key in items}
    state.cited_as = removed_items.state.cited_as | state.cited_as
    state.taken = removed_items.state.taken | state.taken
    state.gone = list(dict.fromkeys([*state.gone, *removed_items.state.gone]))
    for origin, keys in removed_items.state.exported.items():
        state.exported.setdefault(origin, {}).update(keys)
    by_key = {record["key"]: record for record in (*removed_items.records, *records)}
    ordered = dict.fromkeys([*removed_items.record_order, *by_key])
    _write(removed_items.place, state, [by_key[key] for key in ordered if key in by_key])


def _read_as(state: ZoteroState, records: Sequence[Item], taken: TakenItems) -> list[str]:
    """Keys of the records as the library has read them, when the items are back."""
    return list(dict.fromkeys([*(state.read_as or (record["key"] for record in records)), *taken.numbers]))


def _write(place: Path, state: ZoteroState, records: Sequence[Item]) -> None:
    if state.read_as == [record["key"] for record in records]:
        state.read_as = []
    save_state(place, state)
    if records or (place / RECORDS).is_file():
        write_bytes(place / RECORDS, msgspec.json.encode(records))


def _is_records(place: Path, path: str) -> bool:
    """Whether a path is that of the file of records; the library's folder may have been elsewhere when it was kept."""
    behind = (place / RECORDS).parts[-4 if place.name.startswith("group-") else -3 :]  # `online/zotero/…`
    return path.replace("\\", "/").endswith("/" + "/".join(behind))
