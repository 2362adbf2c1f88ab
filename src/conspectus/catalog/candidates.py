"""Words of papers that may speak of an entity, as names and a language model found them, and what is so of them.

Of papers that no model has read there are none; of others the mentions are the longest that are `kept`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, exists, insert, select, update

from conspectus.catalog.codec import pack, unpack
from conspectus.catalog.connection import CatalogReader, delete_where, insert_rows, rows_in, split_chunks
from conspectus.catalog.derivations import Part, Row, put_rows
from conspectus.catalog.schema import candidates, concept_names, concepts, mentions, merges, vocabularies
from conspectus.core.grouped import grouped
from conspectus.records import normal_name
from conspectus.records.concepts import NameKind
from conspectus.records.entities import LOCAL

Other = tuple[str, float]
"""What words could mean as well: an id, and a score."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Words of a sentence that may speak of an entity; `span` and `passage` by their own names within the paper."""

    passage: str
    span: str
    start: int
    stop: int
    text: str
    entity: str
    score: float
    method: str
    others: tuple[Other, ...] = ()
    kept: bool = True

    @property
    def place(self) -> tuple[str, int, int]:
        """Where it stands."""
        return self.span, self.start, self.stop


def any_read(catalog: CatalogReader) -> bool:
    """Whether a model has read any paper."""
    return catalog.scalar(select(candidates.c.paper_key).limit(1)) is not None


def of_papers(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, list[Candidate]]:
    """Paper key -> what may speak of entities there; papers without are left out."""
    query = select(candidates).order_by(candidates.c.paper_key, candidates.c.span, candidates.c.start)
    rows = catalog.rows_where(query, candidates.c.paper_key, paper_keys)
    return grouped((row.paper_key, _candidate(row)) for row in rows)


def linked(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, list[Candidate]]:
    """Paper key -> its mentions as candidates, without their texts; as they are where nothing was merged."""
    query = select(mentions, concepts.c.id.label("entity")).join(concepts, concepts.c.key == mentions.c.concept_key)
    rows = catalog.rows_where(query, mentions.c.paper_key, paper_keys)
    return grouped((row.paper_key, _candidate(row, text="", kept=True)) for row in rows)


def _candidate(row: Any, **more: Any) -> Candidate:
    values = {name: more[name] if name in more else getattr(row, name) for name in Candidate.__slots__}
    others = unpack(row.others, tuple[Other, ...], "what words could mean") if row.others else ()
    return Candidate(**{**values, "others": others})


def row_of(one: Candidate) -> Row:
    """It as a row."""
    values = {name: getattr(one, name) for name in Candidate.__slots__}
    return {**values, "others": pack(list(one.others)) if one.others else None}


def mention_rows(connection: Connection, found: Sequence[Candidate]) -> list[Row]:
    """The mentions that candidates of a paper come to: the longest of those that count, none over another (eq. 1)."""
    keys = standing(connection, {one.entity for one in found})
    counting = (one for one in found if one.kept and one.entity in keys)
    return [mention_row(one, keys[one.entity]) for one in longest(counting)]


def longest(found: Iterable[Candidate]) -> Iterator[Candidate]:
    """The longest that do not overlap, sentence by sentence."""
    for group in grouped((one.span, one) for one in found).values():
        taken: list[Candidate] = []
        for one in sorted(group, key=lambda one: (one.start - one.stop, one.start)):
            if all(one.stop <= other.start or other.stop <= one.start for other in taken):
                taken.append(one)
        yield from taken


def named(catalog: CatalogReader, name: str) -> list[str]:
    """The ids of the concepts of vocabularies that have a name, also one that texts are not searched for."""
    if not (term := normal_name(name)):
        return []
    own = select(concept_names.c.concept_key).where(concept_names.c.term == term)
    query = select(concepts.c.id).join(vocabularies).where(concepts.c.key.in_(own), concepts.c.state == "")
    rows = catalog.rows(query.order_by(vocabularies.c.rank, concepts.c.key))
    return list(dict.fromkeys(row.id for row in rows))


def labels(catalog: CatalogReader, ids: Collection[str]) -> dict[str, str]:
    """The labels of concepts by their ids, of the first vocabulary that has each."""
    query = select(concepts.c.id, concepts.c.label).join(vocabularies)
    query = query.order_by(vocabularies.c.rank.desc(), concepts.c.key.desc())
    return {row.id: row.label for row in catalog.rows_where(query, concepts.c.id, ids)}


def standing(connection: Connection, ids: Collection[str]) -> dict[str, int]:
    """The keys of concepts by their ids, of the first vocabulary that has each; none of those that were rejected."""
    query = select(concepts.c.id, concepts.c.key).join(vocabularies).where(concepts.c.state != "rejected")
    query = query.order_by(vocabularies.c.rank.desc(), concepts.c.key.desc())
    return {row.id: row.key for row in rows_in(connection, query, concepts.c.id, sorted(ids))}


def mention_row(one: Candidate, key: int) -> Row:
    """It as a mention of the concept of a key."""
    names = ("span", "start", "passage", "stop", "score", "method", "others")
    row = row_of(one)
    return {**{name: row[name] for name in names}, "concept_key": key}


def settle(connection: Connection, entity: str) -> None:
    """Let the mentions of papers where a model found an entity be what its candidates come to now."""
    query = select(candidates.c.paper_key).where(candidates.c.entity == entity, candidates.c.kept).distinct()
    for some in split_chunks([row.paper_key for row in connection.execute(query)]):
        rows = rows_in(connection, select(candidates), candidates.c.paper_key, some)
        found = grouped((row.paper_key, _candidate(row)) for row in rows)
        put_rows(connection, Part(mentions), {key: mention_rows(connection, group) for key, group in found.items()})


def put_new(connection: Connection, found: Mapping[str, str]) -> None:
    """Let entities be there that a model found: id -> a name; those that are there stay as they are."""
    if not found:
        return
    owner = _local(connection)
    query = select(concepts.c.id).where(concepts.c.vocabulary_key == owner)
    there = {row.id for row in rows_in(connection, query, concepts.c.id, sorted(found))}
    said = {"vocabulary_key": owner, "iri": "", "definition": "", "deprecated": False, "state": "new"}
    insert_rows(
        connection, concepts, [{**said, "id": id, "label": name} for id, name in found.items() if id not in there]
    )


def _local(connection: Connection) -> int:
    """The key of the vocabulary of what models found, which is behind all others."""
    query = select(vocabularies.c.key).where(vocabularies.c.term == LOCAL)
    if (key := connection.scalar(query)) is None:
        said = {"rank": 1_000, "source": "", "sha256": "", "version": "", "options": "{}", "made": ""}
        connection.execute(insert(vocabularies).values(name=LOCAL, term=LOCAL, **said))
        key = connection.scalar(query)
    return int(key or 0)


def tidy(connection: Connection) -> None:
    """Let those that wait be called as papers call them now; those that no paper has any more go."""
    used = exists().where(candidates.c.entity == concepts.c.id, candidates.c.kept)
    merged = concepts.c.key.in_(select(merges.c.concept_key))
    waits = concepts.c.state == "new"
    connection.execute(delete(concepts).where(waits, ~used, ~merged))
    query = select(concepts.c.key, candidates.c.text).where(waits, candidates.c.kept)
    said = connection.execute(query.join(candidates, candidates.c.entity == concepts.c.id))
    names = {key: _in_order(texts) for key, texts in grouped((row.key, row.text) for row in said).items()}
    query = select(concepts.c.key, concept_names.c.text).join(concept_names).where(waits)
    told = connection.execute(query.order_by(concepts.c.key, concept_names.c.ordinal))
    before = grouped((row.key, row.text) for row in told)
    _rename(connection, {key: own for key, own in names.items() if before.get(key) != own})


def _in_order(texts: Iterable[str]) -> list[str]:
    """The names, first those that papers use most, without capitals that only begin a sentence."""
    counted = Counter(texts)
    return sorted(counted, key=lambda name: (-counted[name], sum(map(str.isupper, name)), len(name), name))


def _rename(connection: Connection, names: Mapping[int, Sequence[str]]) -> None:
    """Let concepts have these names, of which the first is shown."""
    if not names:
        return
    mine = concepts.c.key == bindparam("b_key")
    connection.execute(update(concepts).where(mine), [{"b_key": key, "label": own[0]} for key, own in names.items()])
    delete_where(connection, concept_names.c.concept_key, names)
    same = {"kind": str(NameKind.EXACT), "left_out": ""}
    rows = [
        {**same, "concept_key": key, "ordinal": at, "text": name, "term": normal_name(name)}
        for key, own in names.items()
        for at, name in enumerate(own)
    ]
    connection.execute(insert(concept_names), rows)
