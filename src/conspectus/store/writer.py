"""Writing the catalog: each function takes a connection from `connection.writing` and is all or nothing with it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from conspectus.records import facet_terms, normal_name
from conspectus.records.filters import OWN_FACETS
from conspectus.records.views import pick_fields
from conspectus.store import removal
from conspectus.store.codec import pack_metadata, pack_parsed
from conspectus.store.connection import bump, delete_where, insert_rows, keys_by_id, rows_in, split_chunks, utc_now
from conspectus.store.derivations import DerivedRows, Prepared, Stored, note, put_rows
from conspectus.store.rows import FileRow, PaperDraft, StoredPassages, add_passages, put_passages, title_number
from conspectus.store.schema import (
    documents,
    facets,
    files,
    identifiers,
    papers,
)

_IDENTIFIERS, _OWN_FACETS = DerivedRows(identifiers), DerivedRows(facets, "facet", (*OWN_FACETS, "title"))


def note_changed(connection: Connection, paper_keys: Collection[int]) -> None:
    """Say that the index was told otherwise of the passages that these papers have kept."""
    if paper_keys:
        change = bump(connection, paper_keys, changed=True)
        for chunk in split_chunks(sorted(paper_keys)):
            connection.execute(update(papers).where(papers.c.key.in_(chunk)).values(changed=change))


def put_file(connection: Connection, row: FileRow) -> int:
    """Write a ledger row by its path; returns its key."""
    values: dict[str, Any] = {
        name: getattr(row, name)
        for name in ("size", "mtime_ns", "sha256", "reader", "machine", "state", "reason", "retry")
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


def put_papers(
    connection: Connection,
    writes: Sequence[PaperDraft],
    derivations: Iterable[Prepared],
    stored_passages: StoredPassages,
) -> None:
    """Make all of `writes` true, with the `derivations` that were made of them."""
    if not writes:
        return
    keys, changed = _put_rows(connection, writes)
    fresh = {key for key, write in zip(keys, writes, strict=True) if not write.key}
    _pass_on(connection, writes)
    _put_documents(connection, writes, keys)
    changed |= _put_names(connection, dict(zip(keys, writes, strict=True)), fresh)
    keyed_passages = [(key, passage) for key, write in zip(keys, writes, strict=True) for passage in write.all_passages]
    changed |= put_passages(connection, keyed_passages, stored_passages)
    rows = {name: row["key"] for name, row in stored_passages.row_by_id.items()}
    rows |= add_passages(connection, [pair for pair in keyed_passages if pair[1].id not in rows])
    stood = {passage.id: key for key, passage in keyed_passages if passage.id in stored_passages.row_by_id}
    stored = Stored(keys, fresh, rows, stood)
    for derivation in derivations:
        changed |= derivation.put(connection, stored)
    note(connection, stored.unnoted, fresh)
    delete_where(connection, papers.c.key, [key for write in writes for key in write.absorbs])
    bump(connection, [*keys, *(key for write in writes for key in write.absorbs)])
    note_changed(connection, changed - fresh)


def _put_rows(connection: Connection, writes: Sequence[PaperDraft]) -> tuple[list[int], set[int]]:
    """Write the papers' own rows; returns their keys, and those that are others now."""
    rows = [_paper_row(write) for write in writes]
    known = {write.id: write.key for write in writes if write.key}
    if new := [row for row in rows if row["id"] not in known]:
        connection.execute(insert(papers), new)
        known |= keys_by_id(connection, papers, [row["id"] for row in new])
    keys = [known[write.id] for write in writes]
    paper_columns = DerivedRows(papers, columns=tuple(name for name in rows[0] if name != "id"))
    old = {key: [row] for key, row, write in zip(keys, rows, writes, strict=True) if write.key}
    return keys, put_rows(connection, paper_columns, old) if old else set()


def _paper_row(write: PaperDraft) -> dict[str, Any]:
    return {
        "id": write.id,
        "external_id": write.metadata.external_id,
        "title": write.metadata.title,
        "year": write.metadata.year,
        "has_full_text": write.parsed.has_full_text,
        "title_number": title_number(normal_name(write.metadata.title)),
        "metadata": pack_metadata(write.metadata),
    }


def _pass_on(connection: Connection, writes: Sequence[PaperDraft]) -> None:
    """What models said of a paper goes to the one that takes it up; of one that falls into several it is forgotten."""
    goes_to = {document.key: write for write in writes for document in write.documents if document.key}
    rows = rows_in(connection, select(documents.c.key, documents.c.paper_key), documents.c.key, goes_to)
    parted = {row.paper_key for row in rows if row.paper_key not in goes_to[row.key].keys}
    removal.forget_calls(connection, sorted(parted))
    for write in writes:
        for key in write.absorbs:
            removal.move_user_data(connection, key, write.key)


def _put_documents(connection: Connection, writes: Sequence[PaperDraft], keys: Sequence[int]) -> None:
    new, kept_rows = [], []
    for paper_key, write in zip(keys, writes, strict=True):
        for document in write.documents:
            row = {"paper_key": paper_key, "ordinal": document.ordinal}
            if document.key:
                kept_rows.append({"b_key": document.key, **row})
            else:
                new.append(row | pick_fields(document, "file_key", "digest") | {"parsed": pack_parsed(document.parsed)})
    rows = rows_in(
        connection, select(documents.c.key), documents.c.paper_key, [key for write in writes if (key := write.key)]
    )
    delete_where(connection, documents.c.key, {row.key for row in rows} - {row["b_key"] for row in kept_rows})
    if kept_rows:
        names: dict[str, Any] = {"paper_key": bindparam("paper_key"), "ordinal": bindparam("ordinal")}
        connection.execute(update(documents).where(documents.c.key == bindparam("b_key")).values(names), kept_rows)
    insert_rows(connection, documents, new)


def number_documents(connection: Connection, numbers: Mapping[int, int]) -> None:
    """Give documents, by their keys, their numbers in their files."""
    if numbers:
        rows = [{"b_key": key, "ordinal": number} for key, number in numbers.items()]
        change = update(documents).where(documents.c.key == bindparam("b_key"))
        connection.execute(change.values(ordinal=bindparam("ordinal")), rows)


def _put_names(connection: Connection, writes: Mapping[int, PaperDraft], fresh: Collection[int]) -> set[int]:
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


def drop_files(connection: Connection, keys: Sequence[int]) -> None:
    """Delete ledger rows of files that no paper rests on."""
    delete_where(connection, files.c.key, keys)
