"""Entities that papers mention, as the map, derivations and the graph ask for them.

A concept that users merged into another one (`merges`) counts as that one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    func,
    or_,
    select,
)

from conspectus.core.groups import grouped
from conspectus.records import Filters, Passage, Span, normal_name
from conspectus.records.graph import LOCAL, Mention
from conspectus.records.vocabularies import (
    LinkKind,
)
from conspectus.store.codec import unpack
from conspectus.store.connection import CatalogReader, count_on, split_chunks
from conspectus.store.derivations import Row as DerivedRow
from conspectus.store.facets import filter_conditions
from conspectus.store.graph_tables import (
    concept_links,
    concept_names,
    concepts,
    mentions,
    merges,
    relations,
    vocabularies,
)
from conspectus.store.schema import papers

GRAPH_CHANGE = "graph_change"
"""A number that grows with each change that `note_change` is told."""


def note_graph_change(connection: Connection) -> None:
    """Vocabularies, what is said of names, mentions, relations or merges are others now."""
    count_on(connection, GRAPH_CHANGE)


def merge_groups(catalog: CatalogReader, keys: Collection[int]) -> dict[int, list[int]]:
    """Each concept with those that were merged into it."""
    groups = {key: [key] for key in keys}
    others = select(merges.c.concept_key, merges.c.into_key).where(merges.c.concept_key != merges.c.into_key)
    for row in catalog.rows_where(others, merges.c.into_key, keys):
        groups[row.into_key].append(row.concept_key)
    return groups


def filter_clauses(filters: Filters | None, column: Any = mentions.c.paper_key) -> list[ColumnElement[bool]]:
    """What holds of rows whose papers pass filters."""
    conditions = filter_conditions(filters) if filters else []
    return [column.in_(select(papers.c.key).where(*conditions))] if conditions else []


def find_concepts(catalog: CatalogReader, name: str, *, resolved: bool = True) -> list[int]:
    """The keys of concepts that have an id, or a name; `VOCABULARY/ID` is that of one vocabulary.

    `resolved`: each as that which it was merged into.
    """
    resolved_key = func.coalesce(merges.c.into_key, concepts.c.key) if resolved else concepts.c.key
    query = select(resolved_key.label("concept"), vocabularies.c.rank)
    query = query.join_from(concepts, vocabularies, vocabularies.c.key == concepts.c.vocabulary_key)
    query = query.outerjoin(merges, merges.c.concept_key == concepts.c.key)
    vocabulary, _, own_id = name.partition("/")
    conditions = [concepts.c.id == name, and_(vocabularies.c.term == normal_name(vocabulary), concepts.c.id == own_id)]
    if term := normal_name(name):
        conditions.append(concepts.c.key.in_(select(concept_names.c.concept_key).where(concept_names.c.term == term)))
    rows = catalog.rows(query.where(or_(*conditions)).order_by(vocabularies.c.rank, resolved_key))
    return list(dict.fromkeys(row.concept for row in rows))


def mentions_of_papers(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, list[MentionRow]]:
    """Paper key -> its mentions, sentence by sentence."""
    rows = catalog.rows_where(_select_mentions(), mentions.c.paper_key, paper_keys)
    return grouped((row.paper_key, _mention_row(row)) for row in rows)


def _select_mentions() -> Select[Any]:
    """All mentions, paper by paper and sentence by sentence."""
    resolved_concepts = concepts.alias()
    names = (mentions.c.start, mentions.c.stop, mentions.c.score, mentions.c.method, mentions.c.others)
    known = (resolved_concepts.c.id.label("entity"), resolved_concepts.c.label, vocabularies.c.name.label("vocabulary"))
    query = select(
        mentions.c.paper_key, papers.c.id.label("paper"), mentions.c.passage, mentions.c.span, *names, *known
    )
    query = query.join(papers, papers.c.key == mentions.c.paper_key)
    query = query.outerjoin(merges, merges.c.concept_key == mentions.c.concept_key)
    query = query.join(
        resolved_concepts, resolved_concepts.c.key == func.coalesce(merges.c.into_key, mentions.c.concept_key)
    )
    query = query.join(vocabularies, vocabularies.c.key == resolved_concepts.c.vocabulary_key)
    return query.order_by(mentions.c.paper_key, mentions.c.span, mentions.c.start)


@dataclass(frozen=True, slots=True)
class MentionRow:
    """A mention as it is stored: `start` and `stop` are offsets in the sentence."""

    entity: str
    name: str
    passage_id: str
    span_id: str
    start: int
    stop: int
    score: float
    method: str
    others: tuple[tuple[str, float], ...]
    vocabulary: str

    @property
    def place(self) -> tuple[str, str]:
        """The ids of the passage and of the sentence."""
        return self.passage_id, self.span_id

    def mention(self, passage: Passage, span: Span) -> Mention:
        """The mention in the passage that has the sentence."""
        start, end = span.start + self.start, span.start + self.stop
        return Mention(
            entity=self.entity,
            name=self.name,
            text=passage.text[start:end],
            passage_id=passage.id,
            span_id=span.id,
            start=start,
            end=end,
            score=self.score,
            method=self.method,
            others=self.others,
            vocabulary=self.vocabulary,
        )


def _mention_row(row: Any) -> MentionRow:
    others = unpack(row.others, tuple[tuple[str, float], ...], "what words could mean") if row.others else ()
    passage, span = f"{row.paper}.{row.passage}", f"{row.paper}.{row.span}"
    place = (passage, span, row.start, row.stop)
    return MentionRow(row.entity, row.label, *place, row.score, row.method, others, row.vocabulary)


def iterate_mentions(catalog: CatalogReader, filters: Filters | None = None) -> Iterator[tuple[int, str, str, int]]:
    """(paper's key, passage, sentence, concept) of all mentions, sentence by sentence."""
    resolved_key = func.coalesce(merges.c.into_key, mentions.c.concept_key).label("concept")
    query = select(mentions.c.paper_key, mentions.c.passage, mentions.c.span, resolved_key)
    query = query.outerjoin(merges, merges.c.concept_key == mentions.c.concept_key).where(*filter_clauses(filters))
    for row in catalog.rows(query.order_by(mentions.c.paper_key, mentions.c.span)):
        yield row.paper_key, row.passage, row.span, row.concept


def concept_ids(catalog: CatalogReader, keys: Collection[int]) -> dict[int, str]:
    """The ids of concepts, by their keys."""
    return {row.key: row.id for row in catalog.rows_where(select(concepts.c.key, concepts.c.id), concepts.c.key, keys)}


def concepts_of_vocabulary(catalog: CatalogReader, name: str) -> npt.NDArray[np.int64]:
    """The keys of a vocabulary's concepts, int64; none where there is no such."""
    query = select(concepts.c.key).join(vocabularies, vocabularies.c.key == concepts.c.vocabulary_key)
    return catalog.numbers(query.where(vocabularies.c.term == normal_name(name)))


def merged_into(catalog: CatalogReader, keys: Sequence[int]) -> list[int]:
    """Each concept, or that which it was merged into; each once."""
    return list(dict.fromkeys(_merge_targets(catalog, keys).values()))


def _merge_targets(catalog: CatalogReader, keys: Collection[int]) -> dict[int, int]:
    rows = catalog.rows_where(select(merges.c.concept_key, merges.c.into_key), merges.c.concept_key, keys)
    return {**{key: key for key in keys}, **{row.concept_key: row.into_key for row in rows}}


MapText = tuple[int, str]
"""A paper's key, and a passage's own name; "" of a paper."""


def concept_counts(
    catalog: CatalogReader, keys: Collection[int], *, passages: bool
) -> Iterator[tuple[MapText, int, int]]:
    """(text, concept, how often it speaks of that) of papers, or of passages, for some concepts."""
    text_columns = [mentions.c.paper_key, *([mentions.c.passage] if passages else [])]
    for chunk in split_chunks(list(keys)):
        query = select(mentions.c.concept_key, func.count().label("times"), *text_columns)
        query = query.where(mentions.c.concept_key.in_(chunk)).group_by(mentions.c.concept_key, *text_columns)
        for row in catalog.rows(query):
            yield (row.paper_key, row.passage if passages else ""), row.concept_key, row.times


def broader_concepts(catalog: CatalogReader, vocabulary: int) -> dict[int, list[int]]:
    """Each concept of a vocabulary -> those of it that are broader."""
    query = select(concepts.c.key, concepts.c.id).where(concepts.c.vocabulary_key == vocabulary)
    keys = {row.id: row.key for row in catalog.rows(query)}
    links = select(concept_links.c.concept_key, concept_links.c.target).join(concepts)
    links = links.where(concepts.c.vocabulary_key == vocabulary, concept_links.c.kind == str(LinkKind.BROADER))
    broader: dict[int, list[int]] = {key: [] for key in keys.values()}
    for row in catalog.rows(links):
        if row.target in keys and keys[row.target] != row.concept_key:
            broader[row.concept_key].append(keys[row.target])
    return broader


def top_concepts(parents: Mapping[int, Sequence[int]], roots: Collection[int]) -> dict[int, set[int]]:
    """Each concept -> those of `roots` that it is, or lies below, on any way."""
    below: dict[int, list[int]] = defaultdict(list)
    for key, above in parents.items():
        for parent in above:
            below[parent].append(key)
    roots_by_concept: dict[int, set[int]] = defaultdict(set)
    for root in roots:
        waiting = [root]
        while waiting:
            key = waiting.pop()
            if root not in roots_by_concept[key]:
                roots_by_concept[key].add(root)
                waiting += below[key]
    return roots_by_concept


def concept_labels(catalog: CatalogReader, keys: Collection[int]) -> dict[int, str]:
    """The labels of concepts."""
    query = select(concepts.c.key, concepts.c.label)
    return {row.key: row.label for row in catalog.rows_where(query, concepts.c.key, keys)}


def export_mentions(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, list[DerivedRow]]:
    """Paper key -> its mentions as an export has them."""
    mention_items = mentions_of_papers(catalog, paper_keys).items()
    return {
        key: [
            {"span": mention.span_id, "start": mention.start, "stop": mention.stop, "entity": mention.entity}
            for mention in group
        ]
        for key, group in mention_items
    }


def export_relations(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, list[DerivedRow]]:
    """Paper key -> what a model read that it states, as an export has it."""
    rows = list(catalog.rows_where(select(relations).order_by(relations.c.key), relations.c.paper_key, paper_keys))
    names = concept_ids(catalog, {key for row in rows for key in (row.concept_key, row.other_key) if key})
    return grouped((row.paper_key, _relation_row(row, names)) for row in rows)


def _relation_row(row: Any, names: Mapping[int, str]) -> DerivedRow:
    spans = unpack(row.spans, list[str], "the sentences of a relation")
    entities = [names[key] for key in (row.concept_key, row.other_key) if key]
    return {"entities": entities, "passage": row.passage, "spans": spans, "model": row.model}


def vocabulary_key(catalog: CatalogReader, name: str) -> int | None:
    """The key of the vocabulary called so, in any case; None where there is none."""
    key = catalog.scalar(select(vocabularies.c.key).where(vocabularies.c.term == normal_name(name)))
    return None if key is None else int(key)


def broader_labels(catalog: CatalogReader, name: str = "") -> tuple[dict[int, str], dict[int, list[int]]]:
    """Concept -> its label, and -> what it is a kind of; of a vocabulary, or of all but what models found."""
    mine = vocabularies.c.term == normal_name(name) if name else vocabularies.c.term != LOCAL
    query = select(concepts.c.key, concepts.c.id, concepts.c.label).join(vocabularies).where(mine)
    rows = list(catalog.rows(query))
    numbers = {row.id: row.key for row in rows}
    in_vocabulary = concept_links.c.concept_key.in_(query.with_only_columns(concepts.c.key))
    links = select(concept_links.c.concept_key, concept_links.c.target)
    links = links.where(concept_links.c.kind == LinkKind.BROADER, in_vocabulary)
    parents: dict[int, list[int]] = {}
    for row in catalog.rows(links):
        if row.target in numbers:
            parents.setdefault(row.concept_key, []).append(numbers[row.target])
    return {row.key: row.label or row.id for row in rows}, parents
