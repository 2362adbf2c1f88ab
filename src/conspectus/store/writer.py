"""Writing the catalog: each function takes a connection from `connection.writing` and is all or nothing with it.

A removed paper is kept as rows, and put back where it was. Calls of models, and traces of answers, that had words of it
do not come back: they may have words of others that were removed since.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Table, and_, bindparam, delete, exists, insert, select, update

from conspectus.core.errors import UsageError
from conspectus.records import facet_terms, normal_name
from conspectus.records.filters import OWN_FACETS
from conspectus.records.views import pick_fields
from conspectus.store import atlas, calls, curation, schema
from conspectus.store.codec import pack_metadata, pack_parsed
from conspectus.store.columns import metadata
from conspectus.store.connection import bump, delete_where, insert_rows, keys_by_id, rows_in, split_chunks, utc_now
from conspectus.store.derivations import Part, Prepared, Stored, put_rows
from conspectus.store.rows import Draft, FileRow, StoredPassages, add_passages, put_passages
from conspectus.store.schema import (
    answers,
    call_papers,
    concepts,
    derivations,
    documents,
    facets,
    files,
    identifiers,
    models,
    papers,
    sets,
    vectors,
)

_IDENTIFIERS, _OWN_FACETS = Part(identifiers), Part(facets, "facet", (*OWN_FACETS, "title"))


def note_changed(connection: Connection, paper_keys: Collection[int]) -> None:
    """Say that the index was told otherwise of the passages that these papers have kept."""
    if paper_keys:
        change = bump(connection)
        for chunk in split_chunks(sorted(paper_keys)):
            connection.execute(update(papers).where(papers.c.key.in_(chunk)).values(changed=change))


def put_file(connection: Connection, row: FileRow) -> int:
    """Write a ledger row by its path; returns its key."""
    values: dict[str, Any] = {
        name: getattr(row, name) for name in ("size", "mtime_ns", "sha256", "reader", "state", "reason", "retry")
    }
    values |= {"notes": json.dumps(row.notes), "updated": utc_now()}
    key = connection.scalar(select(files.c.key).where(files.c.path == row.path))
    if key is None:
        result = connection.execute(insert(files).values(path=row.path, **values))
        assert result.inserted_primary_key is not None
        return int(result.inserted_primary_key[0])
    connection.execute(update(files).where(files.c.key == key).values(**values))
    return int(key)


def mark_indexed(connection: Connection) -> None:
    """Every stored file is indexed now."""
    connection.execute(update(files).where(files.c.state == "stored").values(state="indexed"))


def put_papers(connection: Connection, writes: Sequence[Draft], made: Iterable[Prepared], held: StoredPassages) -> None:
    """Make all of `writes` true, with what was `made` of them."""
    if not writes:
        return
    keys, changed = _put_rows(connection, writes)
    fresh = {key for key, write in zip(keys, writes, strict=True) if not write.key}
    _pass_on(connection, writes)
    _put_documents(connection, writes, keys)
    changed |= _put_names(connection, dict(zip(keys, writes, strict=True)), fresh)
    named = [(key, passage) for key, write in zip(keys, writes, strict=True) for passage in write.all_passages]
    changed |= put_passages(connection, named, held)
    rows = {name: row["key"] for name, row in held.kept.items()}
    rows |= add_passages(connection, [one for one in named if one[1].id not in rows])
    stood = {passage.id: key for key, passage in named if passage.id in held.kept}
    stored = Stored(keys, fresh, rows, stood)
    for one in made:
        changed |= one.put(connection, stored)
    delete_where(connection, papers.c.key, [key for write in writes for key in write.absorbs])
    bump(connection)
    note_changed(connection, changed - fresh)


def _put_rows(connection: Connection, writes: Sequence[Draft]) -> tuple[list[int], set[int]]:
    """Write the papers' own rows; returns their keys, and those that are others now."""
    rows = [_paper_row(write) for write in writes]
    known = {write.id: write.key for write in writes if write.key}
    if new := [row for row in rows if row["id"] not in known]:
        connection.execute(insert(papers), new)
        known |= keys_by_id(connection, papers, [row["id"] for row in new])
    keys = [known[write.id] for write in writes]
    own = Part(papers, columns=tuple(name for name in rows[0] if name != "id"))
    old = {key: [row] for key, row, write in zip(keys, rows, writes, strict=True) if write.key}
    return keys, put_rows(connection, own, old) if old else set()


def _paper_row(write: Draft) -> dict[str, Any]:
    return {
        "id": write.id,
        "external_id": write.metadata.external_id,
        "title": write.metadata.title,
        "year": write.metadata.year,
        "has_full_text": write.parsed.has_full_text,
        "metadata": pack_metadata(write.metadata),
    }


def _pass_on(connection: Connection, writes: Sequence[Draft]) -> None:
    """What models said of a paper goes to the one that takes it up; of one that falls into several it is forgotten."""
    goes_to = {document.key: write for write in writes for document in write.documents if document.key}
    rows = rows_in(connection, select(documents.c.key, documents.c.paper_key), documents.c.key, goes_to)
    parted = {row.paper_key for row in rows if row.paper_key not in goes_to[row.key].keys}
    calls.forget_calls(connection, sorted(parted))
    for write in writes:
        for key in write.absorbs:
            calls.move_user_data(connection, key, write.key)


def _put_documents(connection: Connection, writes: Sequence[Draft], keys: Sequence[int]) -> None:
    new, kept = [], []
    for paper_key, write in zip(keys, writes, strict=True):
        for document in write.documents:
            row = {"paper_key": paper_key, "ordinal": document.ordinal}
            if document.key:
                kept.append({"b_key": document.key, **row})
            else:
                new.append(row | pick_fields(document, "file_key", "digest") | {"parsed": pack_parsed(document.parsed)})
    rows = rows_in(
        connection, select(documents.c.key), documents.c.paper_key, [key for write in writes if (key := write.key)]
    )
    delete_where(connection, documents.c.key, {row.key for row in rows} - {row["b_key"] for row in kept})
    if kept:
        names: dict[str, Any] = {"paper_key": bindparam("paper_key"), "ordinal": bindparam("ordinal")}
        connection.execute(update(documents).where(documents.c.key == bindparam("b_key")).values(names), kept)
    insert_rows(connection, documents, new)


def number_documents(connection: Connection, numbers: Mapping[int, int]) -> None:
    """Give documents, by their keys, their numbers in their files."""
    if numbers:
        rows = [{"b_key": key, "ordinal": number} for key, number in numbers.items()]
        change = update(documents).where(documents.c.key == bindparam("b_key"))
        connection.execute(change.values(ordinal=bindparam("ordinal")), rows)


def _put_names(connection: Connection, writes: Mapping[int, Draft], fresh: Collection[int]) -> set[int]:
    """What papers are known by, and what filters compare; returns those of which the latter is otherwise now."""
    names: dict[int, list[dict[str, str]]] = {}
    terms: dict[int, list[dict[str, str]]] = {}
    for key, write in writes.items():
        names[key] = [{"scheme": scheme, "value": value} for scheme, value in write.identities]
        known = facet_terms(write.metadata) | {
            "title": (title,) if (title := normal_name(write.metadata.title)) else ()
        }
        terms[key] = [{"facet": facet, "term": term} for facet, values in known.items() for term in values]
    put_rows(connection, _IDENTIFIERS, names, fresh)
    return put_rows(connection, _OWN_FACETS, terms, fresh)


def delete_papers(connection: Connection, keys: Sequence[int]) -> None:
    """Delete papers with all that is theirs, and the ledger rows of files that then say nothing."""
    query = select(documents.c.file_key).distinct()
    touched = {row.file_key for row in rows_in(connection, query, documents.c.paper_key, keys)}
    drop_papers(connection, keys)
    delete_where(connection, files.c.key, sorted(touched), ~exists().where(documents.c.file_key == files.c.key))
    bump(connection)


def drop_papers(connection: Connection, keys: Sequence[int]) -> None:
    """Delete papers with all that is theirs; files stay in the ledger. An emptied library has no embedder any more."""
    if keys:
        calls.forget_calls(connection, keys)
        delete_where(connection, papers.c.key, keys)
        curation.drop_unused(connection)
        for table, used in ((models, vectors.c.model_key), (schema.derivations, schema.derived.c.derivation_key)):
            connection.execute(delete(table).where(~exists().where(used == table.c.key)))
        atlas.tidy_regions(connection)
        bump(connection)


def drop_files(connection: Connection, keys: Sequence[int]) -> None:
    """Delete ledger rows of files that no paper rests on."""
    delete_where(connection, files.c.key, keys)


RowValues = Mapping[str, Any]
NATURAL: Mapping[Table, tuple[str, ...]] = {
    files: ("path",),
    derivations: ("name", "version"),
    models: ("id",),
    sets: ("kind", "term"),
    answers: ("id",),
    concepts: ("vocabulary_key", "id"),
}
"""Tables that rows of a paper name rows of, which may go and come back meanwhile, and what these are known by."""
ADD_AGAIN = "Add its files again."


@dataclass(frozen=True, slots=True)
class RemovedRows:
    """Rows of a paper, by tables, parents before their children, and the rows of other tables that they name.

    `map`: what the map lost with it.
    """

    own: Mapping[Table, Sequence[RowValues]]
    named: Mapping[Table, Sequence[RowValues]]
    map: atlas.RegionTables | None = None

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        values = (value for rows in self.own.values() for row in rows for value in row.values())
        return sum(len(value) if isinstance(value, bytes | str) else 8 for value in values)


def remove_paper(connection: Connection, paper_key: int) -> RemovedRows:
    """Remove a paper; returns all that went with it."""
    rows, before = read_removed(connection, paper_key), atlas.read_region_tables(connection)
    delete_papers(connection, [paper_key])
    return replace(rows, map=before.otherwise(atlas.read_region_tables(connection)))


def read_removed(connection: Connection, paper_key: int) -> RemovedRows:
    """All rows that go with a paper, before it is removed in the same transaction."""
    own: dict[Table, Sequence[RowValues]] = {papers: _rows_where(connection, papers, "key", [paper_key])}
    named: dict[Table, dict[int, RowValues]] = {}
    for table in metadata.sorted_tables:
        parents = {column: next(iter(column.foreign_keys)).column.table for column in table.c if column.foreign_keys}
        of = next((column for column, parent in parents.items() if parent in own), None)
        if of is None or table is call_papers:
            continue
        own[table] = _rows_where(connection, table, of.name, [row["key"] for row in own[parents[of]]])
        for column, parent in parents.items():
            if parent not in own:
                wanted = sorted({row[column.name] for row in own[table]} - {None})
                found = _rows_where(connection, parent, "key", wanted)
                named.setdefault(parent, {}).update({row["key"]: row for row in found})
    return RemovedRows(own, {table: tuple(rows.values()) for table, rows in named.items()})


def restore_paper(connection: Connection, removed: RemovedRows) -> int:
    """Put the rows where they were; the paper's key. What they name and that is no longer there they are without.

    Raises:
        UsageError: the paper is there again, its file was read again and says otherwise, or the library has been
            embedded with another model since; nothing is done.
    """
    (paper,) = removed.own[papers]
    there = papers.c.id == paper["id"]
    if connection.scalar(select(papers.c.key).where(there | (papers.c.key == paper["key"]))) is not None:
        raise UsageError(f"The paper '{paper['id']}' is in the library again.", "Remove that one first.")
    keys = {table: _find_or_restore(connection, table, rows) for table, rows in removed.named.items()}
    for table, rows in removed.own.items():
        insert_rows(
            connection, table, [row for row in (_relinked(table, row, keys) for row in rows) if row is not None]
        )
    if removed.map is not None:
        atlas.restore_regions(connection, removed.map)
    bump(connection)
    return int(paper["key"])


def _rows_where(connection: Connection, table: Table, column: str, values: Iterable[Any]) -> list[RowValues]:
    return [dict(row._mapping) for row in rows_in(connection, select(table), table.c[column], values)]


def _find_or_restore(connection: Connection, table: Table, rows: Sequence[RowValues]) -> dict[int, int]:
    """Key then -> key now of rows that a paper names; those that went with it are made again."""
    found: dict[int, int] = {}
    for row in rows:
        same = and_(*(table.c[name] == row[name] for name in NATURAL[table]))
        now = connection.execute(select(table).where(same)).mappings().first()
        if table is files and now and now["sha256"] != row["sha256"]:
            raise UsageError(f"The file '{row['path']}' was read again since, and is another.", ADD_AGAIN)
        if table is models and not now and connection.scalar(select(vectors.c.model_key).limit(1)) is not None:
            raise UsageError("The library was embedded with another model since.", ADD_AGAIN)
        if now:
            found[row["key"]] = now["key"]
        elif not _was_removed_alone(table, row):
            made = connection.execute(insert(table).values(_insertable(table, row))).inserted_primary_key
            assert made is not None
            found[row["key"]] = made[0]
    return found


def _was_removed_alone(table: Table, row: RowValues) -> bool:
    """Whether somebody removed it by itself; an entity that a model found goes with the last paper that has it."""
    return table is answers or row.get("kind") == "collection" or (table is concepts and not row["state"])


def _relinked(table: Table, row: RowValues, keys: Mapping[Table, Mapping[int, int]]) -> RowValues | None:
    """A row with the keys of now; None where what it names is gone."""
    values = dict(_insertable(table, row))
    for column in table.c:
        parents = [key.column.table for key in column.foreign_keys]
        if not parents or parents[0] not in keys or values[column.name] is None:
            continue
        if (now := keys[parents[0]].get(values[column.name])) is None:
            return None
        values[column.name] = now
    return values


def _insertable(table: Table, row: RowValues) -> RowValues:
    """A row without a number that may have been given to another since."""
    if "key" not in table.c or table.dialect_options["sqlite"]["autoincrement"]:
        return row
    return {name: value for name, value in row.items() if name != "key"}
