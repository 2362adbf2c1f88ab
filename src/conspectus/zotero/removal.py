"""Items of papers that are removed: nothing of them stays but their keys, by which the next import leaves them out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from conspectus.session.session import Session
from conspectus.store.removal import RemovedRows
from conspectus.store.rows import StoredDocument
from conspectus.store.schema import documents as document_table
from conspectus.store.schema import files as file_table
from conspectus.zotero.client import Item
from conspectus.zotero.state import RECORDS, ZoteroState, load_state, read_records, save_state, write_bytes


@dataclass(frozen=True, slots=True)
class TakenItems:
    """What was taken out of the files of Zotero's items.

    Attributes:
        numbers: key of an item -> the number of its record, as the library read it.
        state: with what was remembered of the items alone.
        records: theirs.
        order, record_order: keys of all items and records as they stood before.
    """

    numbers: Mapping[str, int]
    state: ZoteroState
    records: Sequence[Item] = ()
    order: Sequence[str] = ()
    record_order: Sequence[str] = ()

    @property
    def size(self) -> int:
        """Bytes, about."""
        return len(msgspec.json.encode((self.state, self.records, self.order, self.record_order)))


def take_out(folder: Path, paper: str, documents: Iterable[StoredDocument]) -> TakenItems:
    """Take the items that a paper was imported from or written to out of the files in a library's folder.

    Args:
        folder: the library's.
        paper: its id.
        documents: the paper's.
    """
    numbers = {
        key: document.ordinal
        for document in documents
        if _is_records(document.path) and isinstance(key := document.parsed.metadata.extra.get("zoteroKey"), str)
    }
    state = load_state(folder)
    exported = {origin: {paper: keys[paper]} for origin, keys in state.exported.items() if paper in keys}
    wanted = [*numbers, *(key for own in exported.values() for key in own.values())]
    if not wanted:
        return TakenItems({}, ZoteroState())
    records, order = read_records(folder), list(state.items)
    held = ZoteroState(version=state.version, exported=exported, removed={key: [] for key in wanted})
    state.removed |= {key: [] for key in wanted if key not in state.removed}
    held.items = state.drop_removed()
    held.cited_as = {key: state.cited_as.pop(key) for key in wanted if key in state.cited_as}
    held.taken = {key: state.taken.pop(key) for key in wanted if key in state.taken}
    held.gone = [key for key in state.gone if key in held.items]
    state.gone = [key for key in state.gone if key not in held.items]
    for keys in state.exported.values():
        keys.pop(paper, None)
    record_order = [record["key"] for record in records]
    state.read_as = state.read_as or record_order
    _write(folder, state, [record for record in records if record["key"] not in wanted])
    own = [record for record in records if record["key"] in wanted]
    return TakenItems(numbers, held, own, order, record_order)


def rows_to_restore(session: Session, rows: RemovedRows, taken: TakenItems) -> RemovedRows:
    """Rows of a removed paper as they fit the file of records, which an import may have written anew meanwhile."""
    if not taken.numbers:
        return rows
    state = load_state(session.folder)
    read_as = _read_as(state, read_records(session.folder), taken)
    new = {number: read_as.index(key) + 1 for key, number in taken.numbers.items()}
    changed, named = set[int](), list[Mapping[str, object]]()
    for row in rows.named.get(file_table, ()):
        now = next(iter(session.catalog.file_rows([row["path"]])), None) if _is_records(row["path"]) else None
        if now and now.sha256 != row["sha256"]:
            changed.add(row["key"])
        named.append({**row, "sha256": now.sha256} if now else row)
    own = [
        {**row, "ordinal": new.get(row["ordinal"], row["ordinal"])} if row["file_key"] in changed else row
        for row in rows.own[document_table]
    ]
    return replace(rows, own={**rows.own, document_table: own}, named={**rows.named, file_table: named})


def put_back(folder: Path, taken: TakenItems) -> None:
    """Undo `take_out`; what came since stays."""
    if not taken.state.removed:
        return
    state, records = load_state(folder), read_records(folder)
    state.read_as = _read_as(state, records, taken)
    if state.version != taken.state.version:
        state.version = 0  # changes of the items were left out: all is read again
    for key in taken.state.removed:
        state.removed.pop(key, None)
    items = taken.state.items | state.items
    state.items = {key: items[key] for key in dict.fromkeys([*taken.order, *items]) if key in items}
    state.cited_as = taken.state.cited_as | state.cited_as
    state.taken = taken.state.taken | state.taken
    state.gone = list(dict.fromkeys([*state.gone, *taken.state.gone]))
    for origin, keys in taken.state.exported.items():
        state.exported.setdefault(origin, {}).update(keys)
    by_key = {record["key"]: record for record in (*taken.records, *records)}
    ordered = dict.fromkeys([*taken.record_order, *by_key])
    _write(folder, state, [by_key[key] for key in ordered if key in by_key])


def _read_as(state: ZoteroState, records: Sequence[Item], taken: TakenItems) -> list[str]:
    """Keys of the records as the library has read them, when the items are back."""
    return list(dict.fromkeys([*(state.read_as or (record["key"] for record in records)), *taken.numbers]))


def _write(folder: Path, state: ZoteroState, records: Sequence[Item]) -> None:
    if state.read_as == [record["key"] for record in records]:
        state.read_as = []
    save_state(folder, state)
    if records or (folder / RECORDS).is_file():
        write_bytes(folder / RECORDS, msgspec.json.encode(records))


def _is_records(path: str) -> bool:
    """Whether a path is that of the file of records; the library's folder may have been elsewhere when it was kept."""
    return path.replace("\\", "/").endswith(f"/{RECORDS.as_posix()}")
