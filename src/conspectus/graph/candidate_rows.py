"""Entities that models found: words of papers that may speak of them, users' reviews, and what joins entities.

Of papers that no model has read there are no candidates; of others the mentions are the longest that are `kept`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    text,
    update,
)

from conspectus.core.groups import grouped
from conspectus.graph.sql import MentionCounts, SentencePlace
from conspectus.records import Filters, normal_name
from conspectus.records.graph import LOCAL, EntityState, NewEntity
from conspectus.records.vocabularies import NameKind
from conspectus.store import entities
from conspectus.store.catalog import Catalog
from conspectus.store.codec import pack, unpack
from conspectus.store.connection import CatalogReader, delete_where, insert_rows, rows_in, split_chunks
from conspectus.store.derivations import DerivedRows, Row, put_rows
from conspectus.store.entities import note_graph_change
from conspectus.store.graph_tables import candidates, concept_names, concepts, mentions, merges, relations, vocabularies
from conspectus.store.schema import passages

OtherMeaning = tuple[str, float]
"""What words could mean as well: an id, and a score."""


@dataclass(frozen=True, slots=True)
class MentionCandidate:
    """Words of a sentence that may mention an entity; `span` and `passage` by their own names within the paper."""

    passage: str
    span: str
    start: int
    stop: int
    text: str
    entity: str
    score: float
    method: str
    others: tuple[OtherMeaning, ...] = ()
    kept: bool = True

    @property
    def place(self) -> tuple[str, int, int]:
        """Where it stands."""
        return self.span, self.start, self.stop


def has_candidates(catalog: CatalogReader) -> bool:
    """Whether a model has read any paper."""
    return catalog.scalar(select(candidates.c.paper_key).limit(1)) is not None


def candidates_of_papers(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, list[MentionCandidate]]:
    """Paper key -> what may mention entities there; papers without are left out."""
    query = select(candidates).order_by(candidates.c.paper_key, candidates.c.span, candidates.c.start)
    rows = catalog.rows_where(query, candidates.c.paper_key, paper_keys)
    return grouped((row.paper_key, _candidate(row)) for row in rows)


def linked_candidates(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, list[MentionCandidate]]:
    """Paper key -> its mentions as candidates, without their texts; as they are where nothing was merged."""
    query = select(mentions, concepts.c.id.label("entity")).join(concepts, concepts.c.key == mentions.c.concept_key)
    rows = catalog.rows_where(query, mentions.c.paper_key, paper_keys)
    return grouped((row.paper_key, _candidate(row, text="", kept=True)) for row in rows)


def _candidate(row: Any, **more: Any) -> MentionCandidate:
    values = {name: more[name] if name in more else getattr(row, name) for name in MentionCandidate.__slots__}
    others = unpack(row.others, tuple[OtherMeaning, ...], "what words could mean") if row.others else ()
    return MentionCandidate(**{**values, "others": others})


def candidate_row(candidate: MentionCandidate) -> Row:
    """It as a row."""
    values = {name: getattr(candidate, name) for name in MentionCandidate.__slots__}
    return {**values, "others": pack(list(candidate.others)) if candidate.others else None}


def mention_rows(connection: Connection, paper_candidates: Sequence[MentionCandidate]) -> list[Row]:
    """The mentions that candidates of a paper come to: the longest of those that count, none over another (eq. 1)."""
    keys = keys_by_concept_id(connection, {candidate.entity for candidate in paper_candidates})
    counting = (candidate for candidate in paper_candidates if candidate.kept and candidate.entity in keys)
    return [mention_row(candidate, keys[candidate.entity]) for candidate in longest_candidates(counting)]


def longest_candidates(known_candidates: Iterable[MentionCandidate]) -> Iterator[MentionCandidate]:
    """The longest that do not overlap, sentence by sentence."""
    for group in grouped((candidate.span, candidate) for candidate in known_candidates).values():
        taken: list[MentionCandidate] = []
        for candidate in sorted(group, key=lambda candidate: (candidate.start - candidate.stop, candidate.start)):
            if all(candidate.stop <= other.start or other.stop <= candidate.start for other in taken):
                taken.append(candidate)
        yield from taken


def ids_by_name(catalog: CatalogReader, name: str) -> list[str]:
    """The ids of the concepts of vocabularies that have a name, also one that texts are not searched for."""
    if not (term := normal_name(name)):
        return []
    matching_keys = select(concept_names.c.concept_key).where(concept_names.c.term == term)
    query = select(concepts.c.id).join(vocabularies).where(concepts.c.key.in_(matching_keys), concepts.c.state == "")
    rows = catalog.rows(query.order_by(vocabularies.c.rank, concepts.c.key))
    return list(dict.fromkeys(row.id for row in rows))


def labels_by_id(catalog: CatalogReader, ids: Collection[str]) -> dict[str, str]:
    """The labels of concepts by their ids, of the first vocabulary that has each."""
    query = select(concepts.c.id, concepts.c.label).join(vocabularies)
    query = query.order_by(vocabularies.c.rank.desc(), concepts.c.key.desc())
    return {row.id: row.label for row in catalog.rows_where(query, concepts.c.id, ids)}


def keys_by_concept_id(connection: Connection, ids: Collection[str]) -> dict[str, int]:
    """The keys of concepts by their ids, of the first vocabulary that has each; none of those that were rejected."""
    query = select(concepts.c.id, concepts.c.key).join(vocabularies).where(concepts.c.state != "rejected")
    query = query.order_by(vocabularies.c.rank.desc(), concepts.c.key.desc())
    return {row.id: row.key for row in rows_in(connection, query, concepts.c.id, sorted(ids))}


def mention_row(candidate: MentionCandidate, key: int) -> Row:
    """It as a mention of the concept of a key."""
    names = ("span", "start", "passage", "stop", "score", "method", "others")
    row = candidate_row(candidate)
    return {**{name: row[name] for name in names}, "concept_key": key}


def settle_mentions(connection: Connection, entity: str) -> None:
    """Let the mentions of papers where a model found an entity be what its candidates come to now."""
    query = select(candidates.c.paper_key).where(candidates.c.entity == entity, candidates.c.kept).distinct()
    for paper_keys in split_chunks([row.paper_key for row in connection.execute(query)]):
        rows = rows_in(connection, select(candidates), candidates.c.paper_key, paper_keys)
        by_paper = grouped((row.paper_key, _candidate(row)) for row in rows)
        put_rows(
            connection, DerivedRows(mentions), {key: mention_rows(connection, group) for key, group in by_paper.items()}
        )


def put_new_entities(connection: Connection, names_by_id: Mapping[str, str]) -> None:
    """Let entities be there that a model found: id -> a name; those that are there stay as they are."""
    if not names_by_id:
        return
    owner = _local(connection)
    query = select(concepts.c.id).where(concepts.c.vocabulary_key == owner)
    there = {row.id for row in rows_in(connection, query, concepts.c.id, sorted(names_by_id))}
    fields = {"vocabulary_key": owner, "iri": "", "definition": "", "deprecated": False, "state": "new"}
    insert_rows(
        connection,
        concepts,
        [{**fields, "id": id, "label": name} for id, name in names_by_id.items() if id not in there],
    )


def _local(connection: Connection) -> int:
    """The key of the vocabulary of what models found, which is behind all others."""
    query = select(vocabularies.c.key).where(vocabularies.c.term == LOCAL)
    if (key := connection.scalar(query)) is None:
        fields = {"rank": 1_000, "source": "", "sha256": "", "version": "", "options": "{}", "made": ""}
        connection.execute(insert(vocabularies).values(name=LOCAL, term=LOCAL, **fields))
        key = connection.scalar(query)
    return int(key or 0)


def tidy_entities(connection: Connection) -> None:
    """Let those that wait be called as papers call them now; those that no paper has any more go."""
    used = exists().where(candidates.c.entity == concepts.c.id, candidates.c.kept)
    merged = concepts.c.key.in_(select(merges.c.concept_key))
    waits = concepts.c.state == "new"
    connection.execute(delete(concepts).where(waits, ~used, ~merged))
    query = select(concepts.c.key, candidates.c.text).where(waits, candidates.c.kept)
    text_rows = connection.execute(query.join(candidates, candidates.c.entity == concepts.c.id))
    names = {key: _in_order(texts) for key, texts in grouped((row.key, row.text) for row in text_rows).items()}
    query = select(concepts.c.key, concept_names.c.text).join(concept_names).where(waits)
    name_rows = connection.execute(query.order_by(concepts.c.key, concept_names.c.ordinal))
    before = grouped((row.key, row.text) for row in name_rows)
    _rename_concepts(connection, {key: texts for key, texts in names.items() if before.get(key) != texts})


def _in_order(texts: Iterable[str]) -> list[str]:
    """The names, first those that papers use most, without capitals that only begin a sentence."""
    counted = Counter(texts)
    return sorted(counted, key=lambda name: (-counted[name], sum(map(str.isupper, name)), len(name), name))


def _rename_concepts(connection: Connection, names: Mapping[int, Sequence[str]]) -> None:
    """Let concepts have these names, of which the first is shown."""
    if not names:
        return
    mine = concepts.c.key == bindparam("b_key")
    connection.execute(
        update(concepts).where(mine), [{"b_key": key, "label": texts[0]} for key, texts in names.items()]
    )
    delete_where(connection, concept_names.c.concept_key, names)
    same = {"kind": str(NameKind.EXACT), "left_out": ""}
    rows = [
        {**same, "concept_key": key, "ordinal": at, "text": name, "term": normal_name(name)}
        for key, texts in names.items()
        for at, name in enumerate(texts)
    ]
    connection.execute(insert(concept_names), rows)


def list_new_entities(catalog: CatalogReader, state: EntityState, limit: int, after: int = 0) -> dict[int, NewEntity]:
    """Those of a state that no one merged, by their keys, those first that most sentences have."""
    query = _select_counts().where(_in_state(state)).order_by(text("sentences DESC"), concepts.c.key)
    return describe_new_entities(catalog, _mention_counts(catalog.rows(query.limit(limit).offset(after))))


def count_candidates(catalog: CatalogReader, keys: Iterable[int]) -> dict[int, MentionCounts]:
    """How much mentions entities, by their keys, as models read it."""
    return _mention_counts(catalog.rows_where(_select_counts(), concepts.c.key, keys))


def _select_counts() -> Select[Any]:
    query = select(candidates.c.entity, candidates.c.paper_key, candidates.c.span).where(candidates.c.kept)
    sentences = query.distinct().subquery()
    numbers = (
        func.count(sentences.c.span).label("sentences"),
        func.count(sentences.c.paper_key.distinct()).label("papers"),
    )
    return (
        select(concepts.c.key, *numbers)
        .outerjoin(sentences, sentences.c.entity == concepts.c.id)
        .group_by(concepts.c.key)
    )


def _mention_counts(rows: Iterable[Any]) -> dict[int, MentionCounts]:
    return {row.key: MentionCounts(row.sentences, row.papers) for row in rows}


def describe_new_entities(catalog: CatalogReader, counts: Mapping[int, MentionCounts]) -> dict[int, NewEntity]:
    """Entities by their keys, with how much mentions them."""
    query = select(concept_names.c.concept_key, concept_names.c.text).order_by(concept_names.c.ordinal)
    names = grouped(
        (row.concept_key, row.text) for row in catalog.rows_where(query, concept_names.c.concept_key, counts)
    )
    concept_query = select(concepts.c.key, concepts.c.id, concepts.c.label, concepts.c.state)
    rows = {row.key: row for row in catalog.rows_where(concept_query, concepts.c.key, counts)}
    return {
        key: NewEntity(row.id, row.label, tuple(names.get(key, ())), row.state, count.papers, count.sentences)
        for key, count in counts.items()
        if (row := rows.get(key))
    }


def count_new_entities(catalog: CatalogReader, state: EntityState = "new") -> int:
    """How many there are of a state that no one merged."""
    return int(catalog.scalar(select(func.count()).select_from(concepts).where(_in_state(state))))


def _in_state(state: EntityState) -> ColumnElement[bool]:
    return and_(concepts.c.state == state, concepts.c.key.not_in(select(merges.c.concept_key)))


def new_entity_places(catalog: CatalogReader, ids: Iterable[str], most: int) -> dict[str, list[SentencePlace]]:
    """Id -> some of the sentences in which a model read the entity."""
    places: dict[str, list[SentencePlace]] = {}
    base_query = (
        select(candidates.c.paper_key, candidates.c.span, candidates.c.passage).where(candidates.c.kept).distinct()
    )
    for name in ids if most else ():
        query = base_query.where(candidates.c.entity == name).order_by(candidates.c.paper_key, candidates.c.span)
        places[name] = [SentencePlace(row.paper_key, row.span, row.passage) for row in catalog.rows(query.limit(most))]
    return places


def find_new_entities(catalog: CatalogReader, id: str, term: str) -> list[int]:
    """The keys of those that have an id, or a name."""
    matching_keys = select(concept_names.c.concept_key).where(concept_names.c.term == term)
    is_called = or_(concepts.c.id == id, concepts.c.key.in_(matching_keys)) if term else concepts.c.id == id
    return [row.key for row in catalog.rows(select(concepts.c.key).where(concepts.c.state != "", is_called))]


def set_entity_state(connection: Connection, key: int, state: EntityState) -> bool:
    """Say what an entity is; its mentions follow. Whether that was something new.

    Where it was found by an accepted name alone it is no longer mentioned, if it is not accepted.
    """
    mine = concepts.c.key == key
    if not connection.execute(update(concepts).where(mine, concepts.c.state != state).values(state=state)).rowcount:
        return False
    if state != "accepted":
        connection.execute(delete(mentions).where(mentions.c.concept_key == key))
    settle_mentions(connection, str(connection.scalar(select(concepts.c.id).where(mine))))
    note_graph_change(connection)
    return True


_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class EntityJoin:
    """The sentences that join two entities, by their keys."""

    first: int
    second: int
    kind: str
    places: tuple[SentencePlace, ...]


def paper_mentions(catalog: Catalog, papers: Sequence[int]) -> dict[int, list[Any]]:
    """Paper -> (sentence, start, stop, score, method, entity's key) of its mentions."""
    concept_key = func.coalesce(merges.c.into_key, mentions.c.concept_key).label("concept")
    names = (mentions.c.span, mentions.c.start, mentions.c.stop, mentions.c.score, mentions.c.method, concept_key)
    query = select(mentions.c.paper_key, *names).outerjoin(merges, merges.c.concept_key == mentions.c.concept_key)
    query = query.order_by(mentions.c.paper_key, mentions.c.span, mentions.c.start)
    return grouped((row.paper_key, row) for row in catalog.rows_where(query, mentions.c.paper_key, papers))


Relation = tuple[list[str], int, int | None, str]
"""Sentences, an entity's key, the other's or None where they describe it, model: what a model read in a paper."""


def paper_relations(catalog: Catalog, papers: Sequence[int]) -> dict[int, list[Relation]]:
    """Paper -> what a model read in it."""
    return grouped(
        (row.paper_key, (unpack(row.spans, list[str], _SENTENCES), row.first, row.second, row.model))
        for row in catalog.rows_where(_select_relations(), relations.c.paper_key, papers)
    )


_SENTENCES = "the sentences of a relation"


def _select_relations() -> Select[Any]:
    near, far = merges.alias(), merges.alias()
    first = func.coalesce(near.c.into_key, relations.c.concept_key).label("first")
    second = func.coalesce(far.c.into_key, relations.c.other_key).label("second")
    columns = (relations.c.paper_key, relations.c.passage, relations.c.spans, relations.c.model)
    query = select(*columns, first, second).select_from(relations)
    query = query.outerjoin(near, near.c.concept_key == relations.c.concept_key)
    query = query.outerjoin(far, far.c.concept_key == relations.c.other_key)
    return query.order_by(relations.c.key)


def iterate_joins(catalog: Catalog, filters: Filters | None = None) -> Iterator[EntityJoin]:
    """What joins each two entities; each pair once: what models read, then what sentences mention together."""
    stated: dict[tuple[int, int], list[SentencePlace]] = {}
    for row in catalog.rows(_select_relations().where(*entities.filter_clauses(filters, relations.c.paper_key))):
        if row.second not in (None, row.first):
            pair = min(row.first, row.second), max(row.first, row.second)
            spans = unpack(row.spans, list[str], _SENTENCES)
            stated.setdefault(pair, []).extend(SentencePlace(row.paper_key, span, row.passage) for span in spans)
    for (first, second), stated_places in sorted(stated.items()):
        yield EntityJoin(first, second, "stated", tuple(dict.fromkeys(stated_places)))
    with _stream(catalog, _select_joins(filters)) as rows:
        for (first, second), group in groupby(rows, lambda row: (int(row.first), int(row.second))):
            places = tuple(SentencePlace(row.paper_key, row.span, "") for row in group)
            yield EntityJoin(first, second, "co-mention", places)


def _select_joins(filters: Filters | None) -> Select[Any]:
    """(concept, another with a higher key, paper's key, sentence) of the concepts that are in one sentence."""
    other, near, far = mentions.alias(), merges.alias(), merges.alias()
    same = and_(other.c.paper_key == mentions.c.paper_key, other.c.span == mentions.c.span)
    first = func.coalesce(near.c.into_key, mentions.c.concept_key).label("first")
    second = func.coalesce(far.c.into_key, other.c.concept_key).label("second")
    query = select(first, second, mentions.c.paper_key, mentions.c.span).select_from(mentions).join(other, same)
    query = query.outerjoin(near, near.c.concept_key == mentions.c.concept_key)
    query = query.outerjoin(far, far.c.concept_key == other.c.concept_key)
    query = query.where(second > first, *entities.filter_clauses(filters)).distinct()
    return query.order_by(first, second, mentions.c.paper_key, mentions.c.span)


@contextmanager
def _stream(catalog: Catalog, query: Select[Any]) -> Iterator[Iterator[Any]]:
    options = {"yield_per": _AT_ONCE, "binary": True}
    with catalog.engine.connect() as connection, connection.execute(query, execution_options=options) as result:
        yield iter(result)


def passage_keys(
    catalog: Catalog, names: Sequence[tuple[int, str]], filters: Filters | None = None
) -> dict[tuple[int, str], int]:
    """(paper's key, passage's own name) -> its key; those that are gone, or not of the filters' kinds, are left out."""
    ids = catalog.ids_of({paper for paper, _ in names})
    name_by_id = {f"{ids[paper]}.{passage}": (paper, passage) for paper, passage in names if paper in ids}
    kinds = [passages.c.kind.in_(filters.kind)] if filters and filters.kind else []
    query = select(passages.c.id, passages.c.key).where(*kinds)
    return {name_by_id[row.id]: row.key for row in catalog.rows_where(query, passages.c.id, name_by_id)}
