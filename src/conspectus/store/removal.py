"""Removing papers with every trace of them, putting one back, and handing what hangs on one to another.

Calls of models and traces of answers that had words of a removed paper do not come back with it: they may have words
of other papers that were removed since.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Table, and_, delete, exists, insert, literal, select, text, update

from conspectus.core.errors import UsageError
from conspectus.records.atlas import LEVELS
from conspectus.records.filters import keyword_forms
from conspectus.store import schema
from conspectus.store.codec import pack, unpack_json
from conspectus.store.columns import metadata
from conspectus.store.connection import (
    bump,
    delete_where,
    insert_rows,
    rows_in,
    split_chunks,
)
from conspectus.store.direction_tables import activations, direction_sets
from conspectus.store.graph_tables import concepts
from conspectus.store.map_tables import maps, positions, regions
from conspectus.store.review_tables import review_entries, review_papers, reviews
from conspectus.store.schema import (
    answer_papers,
    answers,
    call_papers,
    calls,
    derivations,
    documents,
    edits,
    evidence,
    files,
    highlights,
    key_phrases,
    models,
    notes,
    papers,
    set_papers,
    sets,
    vectors,
)

NO_TRACE = pack([])


def lock_papers(connection: Connection, paper_ids: Iterable[str]) -> dict[str, int]:
    """The keys of those of the papers that are there, by their ids; none of them can go before the transaction ends."""
    query = select(papers.c.id, papers.c.key).order_by(papers.c.key).with_for_update(read=True, key_share=True)
    return {row.id: row.key for row in rows_in(connection, query, papers.c.id, sorted(set(paper_ids)))}


def forget_calls(connection: Connection, paper_keys: Sequence[int]) -> None:
    """Delete what models said when they had words of these papers before them; answers stay, without their traces."""
    _lock_keys(connection, paper_keys)
    for chunk in split_chunks(paper_keys):
        called = select(call_papers.c.call_key).where(call_papers.c.paper_key.in_(chunk))
        connection.execute(delete(calls).where(calls.c.key.in_(called)))
        made_of = select(answer_papers.c.answer_key).where(answer_papers.c.paper_key.in_(chunk))
        connection.execute(update(answers).where(answers.c.key.in_(made_of)).values(trace=NO_TRACE))
        connection.execute(delete(evidence).where(evidence.c.paper_key.in_(chunk)))


def move_user_data(connection: Connection, old: int, new: int) -> None:
    """Let what is kept about a paper belong to the one that takes it up; what that has of it already stays."""
    _lock_keys(connection, (old, new))
    for table in (call_papers, set_papers, edits, review_papers):
        own_columns = [column for column in table.columns if column.name != "paper_key"]
        key = next(column for column in own_columns if column.primary_key)
        known = select(key).where(table.c.paper_key == new)
        moved = select(literal(new), *own_columns).where(table.c.paper_key == old, key.not_in(known))
        connection.execute(insert(table).from_select(["paper_key", *(column.name for column in own_columns)], moved))
    for table in (answer_papers, evidence, notes, highlights, review_entries):
        connection.execute(update(table).where(table.c.paper_key == old).values(paper_key=new))
    pairs = review_entries.c
    connection.execute(update(review_entries).where(pairs.other_key == old).values(other_key=new))
    connection.execute(delete(review_entries).where(pairs.other_key == pairs.paper_key))


def _lock_keys(connection: Connection, paper_keys: Sequence[int]) -> None:
    """Let nobody keep more of these papers until the transaction ends (SQLite has one writer anyway)."""
    if connection.dialect.name != "sqlite":
        for chunk in split_chunks(sorted(paper_keys)):
            query = select(papers.c.key).where(papers.c.key.in_(chunk)).order_by(papers.c.key)
            connection.execute(query.with_for_update())


MAP_CHANGE = "map_change"


RegionValues = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RegionTables:
    """Rows of the tables `regions` and `maps`, by their keys."""

    regions: Mapping[int, RegionValues]
    maps: Mapping[str, RegionValues]

    def otherwise(self, now: RegionTables) -> RegionTables:
        """Regions that are no longer as they were, and the maps that they may be of."""
        changed = {key: row for key, row in self.regions.items() if now.regions.get(key) != row}
        return RegionTables(changed, self.maps if changed else {})


def read_region_tables(connection: Connection) -> RegionTables:
    """All there are."""
    region_rows, facts = (connection.execute(select(table)).mappings() for table in (regions, maps))
    return RegionTables({row["key"]: dict(row) for row in region_rows}, {row["of"]: dict(row) for row in facts})


def restore_regions(connection: Connection, before: RegionTables) -> None:
    """Let regions be as they were; of a map that was made again since nothing is done."""
    now = read_region_tables(connection)
    same = {of for of, row in before.maps.items() if now.maps.get(of, row)["version"] == row["version"]}
    for of in same:
        connection.execute(delete(maps).where(maps.c.of == of))
        connection.execute(insert(maps).values(**before.maps[of]))
    for key, row in before.regions.items():
        if row["of"] in same and key not in now.regions:
            connection.execute(insert(regions).values(**row))
        elif row["of"] in same and now.regions[key]["named_by"] == row["named_by"]:
            connection.execute(update(regions).where(regions.c.key == key).values(name=row["name"], terms=row["terms"]))
    tidy_regions(connection)  # they may have words of what was removed later


def tidy_regions(connection: Connection) -> None:
    """Let go of maps and regions without texts, and of words for regions that no paper has as a key phrase any more.

    Names by users, by vocabularies and by models stay as long as their region does.
    """
    region_rows = [dict(row) for row in connection.execute(select(regions)).mappings()]
    left = _with_texts(connection, region_rows) if region_rows else []
    connection.execute(delete(maps).where(maps.c.of.not_in(sorted({row["of"] for row in left}))))
    if not region_rows:
        return
    delete_where(connection, regions.c.key, sorted({row["key"] for row in region_rows} - {row["key"] for row in left}))
    changed = _without_lost_words(connection, left)
    for row in changed:
        now = {"name": row["name"], "terms": row["terms"]}
        connection.execute(update(regions).where(regions.c.key == row["key"]).values(now))
    if changed or len(left) < len(region_rows):
        for of, raw_facts in connection.execute(select(maps.c.of, maps.c.facts)).all():
            facts = unpack_json(raw_facts, dict[str, Any], "what the map says of itself")
            new_facts = json.dumps({**facts, "changes": []})  # it has names
            connection.execute(update(maps).where(maps.c.of == of).values(facts=new_facts))


def _with_texts(connection: Connection, region_rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those in which texts stand."""
    stands = exists().where(positions.c.region == regions.c.key)
    inner = set(connection.scalars(select(regions.c.key).where(regions.c.level == LEVELS - 1, stands)))
    for level in reversed(range(LEVELS - 1)):
        parents = {row["parent_key"] for row in region_rows if row["level"] == level + 1 and row["key"] in inner}
        inner |= parents
    return [row for row in region_rows if row["key"] in inner]


def _without_lost_words(connection: Connection, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Regions called by words that are gone, as they are called without them."""
    terms = {row["key"]: unpack_json(row["terms"], list[str], "the terms of a region") for row in rows}
    forms = {term: keyword_forms(term) for region_terms in terms.values() for term in region_terms}
    all_forms = sorted({form for term_forms in forms.values() for form in term_forms})
    query = select(key_phrases.c.term).distinct()
    present_terms = {row.term for row in rows_in(connection, query, key_phrases.c.term, all_forms)}
    changed = []
    for row in rows:
        remaining_terms = [term for term in terms[row["key"]] if present_terms.intersection(forms[term])]
        if lost := [term for term in terms[row["key"]] if term not in remaining_terms]:
            is_called_so = any(term.casefold() in row["name"].casefold() for term in lost)
            by_phrases = row["named_by"] == "phrases" and is_called_so
            name = f"{next(iter(remaining_terms), 'unnamed')} ({row['key']})" if by_phrases else row["name"]
            changed.append({**row, "terms": json.dumps(remaining_terms), "name": name})
    return changed


RowValues = Mapping[str, Any]


NATURAL: Mapping[Table, tuple[str, ...]] = {
    files: ("path",),
    derivations: ("name", "version"),
    models: ("id",),
    sets: ("kind", "term"),
    reviews: ("id",),
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

    own_rows: Mapping[Table, Sequence[RowValues]]
    named_rows: Mapping[Table, Sequence[RowValues]]
    map: RegionTables | None = None

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        values = (value for rows in self.own_rows.values() for row in rows for value in row.values())
        return sum(len(value) if isinstance(value, bytes | str) else 8 for value in values)


def remove_paper(connection: Connection, paper_key: int) -> RemovedRows:
    """Remove a paper; returns all that went with it."""
    rows, before = read_removed(connection, paper_key), read_region_tables(connection)
    delete_papers(connection, [paper_key])
    return replace(rows, map=before.otherwise(read_region_tables(connection)))


def read_removed(connection: Connection, paper_key: int) -> RemovedRows:
    """All rows that go with a paper, before it is removed in the same transaction."""
    own_rows: dict[Table, Sequence[RowValues]] = {papers: _rows_where(connection, papers, "key", [paper_key])}
    named_rows: dict[Table, dict[int, RowValues]] = {}
    for table in metadata.sorted_tables:
        parents = {column: next(iter(column.foreign_keys)).column.table for column in table.c if column.foreign_keys}
        of = [column for column, parent in parents.items() if parent in own_rows]
        if not of or table is call_papers:
            continue
        own_rows[table] = _rows_of(connection, table, {column.name: own_rows[parents[column]] for column in of})
        for column, parent in parents.items():
            if parent not in own_rows:
                parent_keys = sorted({row[column.name] for row in own_rows[table]} - {None})
                parent_rows = _rows_where(connection, parent, "key", parent_keys)
                named_rows.setdefault(parent, {}).update({row["key"]: row for row in parent_rows})
    return RemovedRows(own_rows, {table: tuple(rows.values()) for table, rows in named_rows.items()})


def fit_file(removed: RemovedRows, path: str, sha256: str, numbers: Mapping[int, int]) -> RemovedRows:
    """The rows as they fit a file of records that was written and read again since.

    Args:
        removed: the rows.
        path, sha256: of the file.
        numbers: number of a record in the file then -> the one that it gets.
    """
    keys = {row["key"] for row in removed.named_rows[files] if row["path"] == path}
    file_rows = [{**row, "sha256": sha256} if row["key"] in keys else row for row in removed.named_rows[files]]
    document_rows = [
        {**row, "ordinal": numbers.get(row["ordinal"], row["ordinal"])} if row["file_key"] in keys else row
        for row in removed.own_rows[documents]
    ]
    return replace(
        removed,
        own_rows={**removed.own_rows, documents: document_rows},
        named_rows={**removed.named_rows, files: file_rows},
    )


def restore_paper(connection: Connection, removed: RemovedRows) -> int:
    """Put the rows where they were; the paper's key. What they name and that is no longer there they are without.

    Raises:
        UsageError: the paper is there again, its file was read again and says otherwise, or the library has been
            embedded with another model since; nothing is done.
    """
    (paper,) = removed.own_rows[papers]
    there = papers.c.id == paper["id"]
    if connection.scalar(select(papers.c.key).where(there | (papers.c.key == paper["key"]))) is not None:
        raise UsageError(f"The paper '{paper['id']}' is in the library again.", "Remove that one first.")
    keys = {table: _find_or_restore(connection, table, rows) for table, rows in removed.named_rows.items()}
    keys[papers] = _find_others(connection, removed) | {paper["key"]: paper["key"]}
    for table, rows in removed.own_rows.items():
        insert_rows(
            connection, table, [row for row in (_relinked(table, row, keys) for row in rows) if row is not None]
        )
    if removed.map is not None:
        restore_regions(connection, removed.map)
    bump(connection, [paper["key"]])
    return int(paper["key"])


def _rows_where(connection: Connection, table: Table, column: str, values: Iterable[Any]) -> list[RowValues]:
    return [dict(row._mapping) for row in rows_in(connection, select(table), table.c[column], values)]


def _rows_of(connection: Connection, table: Table, named_rows: Mapping[str, Sequence[RowValues]]) -> list[RowValues]:
    """Rows of a table that name one of these rows, in any of these columns."""
    naming_rows: list[RowValues] = []
    known: dict[str, set[int]] = {}
    for column, rows in named_rows.items():
        keys = {row["key"] for row in rows}
        fresh = _rows_where(connection, table, column, sorted(keys))
        naming_rows += [
            row for row in fresh if not any(row[other] in known_keys for other, known_keys in known.items())
        ]
        known[column] = keys
    return naming_rows


def _find_or_restore(connection: Connection, table: Table, rows: Sequence[RowValues]) -> dict[int, int]:
    """Key then -> key now of rows that a paper names; those that went with it are made again."""
    current_keys: dict[int, int] = {}
    for row in rows:
        same = and_(*(table.c[name] == row[name] for name in NATURAL[table]))
        now = connection.execute(select(table).where(same)).mappings().first()
        if table is files and now and now["sha256"] != row["sha256"]:
            raise UsageError(f"The file '{row['path']}' was read again since, and is another.", ADD_AGAIN)
        if table is models and not now and connection.scalar(select(vectors.c.model_key).limit(1)) is not None:
            raise UsageError("The library was embedded with another model since.", ADD_AGAIN)
        if now:
            current_keys[row["key"]] = now["key"]
        elif not _was_removed_alone(table, row):
            inserted_key = connection.execute(insert(table).values(_insertable(table, row))).inserted_primary_key
            assert inserted_key is not None
            current_keys[row["key"]] = inserted_key[0]
    return current_keys


def _was_removed_alone(table: Table, row: RowValues) -> bool:
    """Whether somebody removed it by itself; an entity that a model found goes with the last paper that has it."""
    return table in (answers, reviews) or row.get("kind") == "collection" or (table is concepts and not row["state"])


def _find_others(connection: Connection, removed: RemovedRows) -> dict[int, int]:
    """Keys of other papers that its rows name, of pairs, and that are in the library."""
    other_keys = {row["other_key"] for row in removed.own_rows.get(review_entries, ())} - {None}
    other_keys |= {row["paper_key"] for row in removed.own_rows.get(review_entries, ())}
    return {row.key: row.key for row in rows_in(connection, select(papers.c.key), papers.c.key, sorted(other_keys))}


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
        forget_calls(connection, keys)
        _forget_events(connection, keys)
        delete_where(connection, papers.c.key, keys)
        drop_unused(connection)
        for table, used in ((models, vectors.c.model_key), (schema.derivations, schema.derived.c.derivation_key)):
            connection.execute(delete(table).where(~exists().where(used == table.c.key)))
        tidy_regions(connection)
        connection.execute(delete(direction_sets).where(~exists().where(activations.c.of == direction_sets.c.of)))
        bump(connection, keys)


def _forget_events(connection: Connection, paper_keys: Sequence[int]) -> None:
    """Delete what jobs of servers that share them told of these papers: it may have their words."""
    if connection.dialect.name == "sqlite" or not connection.scalar(text("SELECT to_regclass('server_events')")):
        return
    paper_ids = [row.id for row in rows_in(connection, select(papers.c.id), papers.c.key, paper_keys)]
    job_query = "SELECT e.job FROM server_events e, unnest(CAST(:papers AS text[])) p WHERE strpos(e.body, p) > 0"
    connection.execute(text(f"DELETE FROM server_events WHERE job IN ({job_query})"), {"papers": paper_ids})  # noqa: S608


def drop_unused(connection: Connection) -> None:
    """Delete tags that no paper has: nobody made them for their own sake."""
    used = exists().where(set_papers.c.set_key == sets.c.key)
    connection.execute(delete(sets).where(sets.c.kind == "tag", ~used))
