"""Sentences that mention concepts, alone and together, and what models read of them, from the catalog."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, func, literal, not_, or_, select

from conspectus.core.groups import grouped
from conspectus.graph.label_spellings import find_usual_spellings
from conspectus.graph.vocabularies.concept_merges import AUTOMATIC, automatic_merges
from conspectus.graph.vocabularies.sql import search_concepts
from conspectus.lexicon.word_lists import is_on_methods
from conspectus.records import Citation, Filters
from conspectus.records.graph import LOCAL, Entity, Mention
from conspectus.records.vocabularies import ConceptHit, LinkKind
from conspectus.store.catalog import Catalog
from conspectus.store.codec import unpack
from conspectus.store.connection import CatalogReader, split_chunks
from conspectus.store.entities import (
    GRAPH_CHANGE,
    _mention_row,
    _merge_targets,
    _select_mentions,
    filter_clauses,
    merge_groups,
    merged_into,
)
from conspectus.store.facets import filter_conditions
from conspectus.store.graph_tables import (
    concept_links,
    concept_names,
    concepts,
    mentions,
    merges,
    name_rules,
    relations,
    vocabularies,
)
from conspectus.store.schema import papers, passages

COMPLETED = 5000
"""Concepts with a name that begins as is typed, among which those are looked for that papers mention."""


@dataclass(frozen=True, slots=True)
class SentencePlace:
    """A sentence: its paper's key, its own name, and that of its passage."""

    paper: int
    span: str
    passage: str


@dataclass(frozen=True, slots=True)
class MentionCounts:
    """How many sentences, of how many papers, mention two concepts."""

    sentences: int
    papers: int


def graph_state(catalog: Catalog) -> tuple[object, ...]:
    """Otherwise than before where any mention was found, or went, or a concept was merged."""
    return (catalog.meta(GRAPH_CHANGE), catalog.meta("change"))


def read_entities(catalog: CatalogReader, counts: Mapping[int, MentionCounts]) -> dict[int, Entity]:
    """Concepts by their keys, with how much mentions them, in the order of `counts`."""
    query = select(concepts.c.key, concepts.c.id, concepts.c.label, vocabularies.c.name.label("vocabulary"))
    query = query.join(vocabularies, vocabularies.c.key == concepts.c.vocabulary_key)
    rows = {row.key: row for row in catalog.rows_where(query, concepts.c.key, counts)}
    plain = plain_labels(catalog, counts)
    labels = {key: plain.get(key) or row.label.strip("*._ ") or row.label for key, row in rows.items()}
    spellings = find_usual_spellings(catalog, labels)
    return {
        key: Entity(
            row.id,
            spellings.get(key, labels[key]),
            row.vocabulary,
            count.papers,
            count.sentences,
        )
        for key, count in counts.items()
        if (row := rows.get(key))
    }


def plain_labels(catalog: CatalogReader, keys: Collection[int]) -> dict[int, str]:
    """Concept -> the label that most of those have that vocabularies say are the same; of equals the shortest."""
    query = select(merges.c.said_key, concepts.c.label).join(concepts, concepts.c.key == merges.c.concept_key)
    rows = catalog.rows_where(query.where(merges.c.made == AUTOMATIC), merges.c.said_key, keys)
    labels_by_key = grouped((row.said_key, row.label) for row in rows)
    label_query = select(concepts.c.key, concepts.c.label)
    for row in catalog.rows_where(label_query, concepts.c.key, labels_by_key):
        labels_by_key[row.key].append(row.label)
    return {key: _plainest(labels) for key, labels in labels_by_key.items()}


def _plainest(labels: Sequence[str]) -> str:
    times = Counter(label.casefold() for label in labels)
    plain = [label for label in labels if label[0].isalnum()] or labels
    return min(plain, key=lambda label: (-times[label.casefold()], len(label), not label[:1].isupper(), label))


def count_mentions(
    catalog: CatalogReader, keys: Collection[int] | None = None, filters: Filters | None = None
) -> dict[int, MentionCounts]:
    """How much mentions concepts, of some or of all that are mentioned, by their keys."""
    merged_keys = _mentioned_merges(catalog)
    groups = {key: [key, *merged_keys.get(key, ())] for key in (merged_keys if keys is None else keys)}
    several = {key: group for key, group in groups.items() if len(group) > 1}
    inside = {key for group in several.values() for key in group}
    rows = select(mentions.c.concept_key, mentions.c.paper_key, mentions.c.span).where(*filter_clauses(filters))
    if keys is None:
        count_rows = list(catalog.rows(_count_by_concept(rows.distinct())))
    else:
        alone = [key for key in groups if key not in several]
        count_rows = [
            row
            for chunk in split_chunks(alone)
            for row in catalog.rows(_count_by_concept(rows.where(mentions.c.concept_key.in_(chunk)).distinct()))
        ]
    counts = {row.concept: MentionCounts(row.sentences, row.papers) for row in count_rows if row.concept not in inside}
    for key, group in several.items():
        group_query = select(literal(key), mentions.c.paper_key, mentions.c.span).where(
            mentions.c.concept_key.in_(group)
        )
        for row in catalog.rows(_count_by_concept(group_query.where(*filter_clauses(filters)).distinct())):
            counts[key] = MentionCounts(row.sentences, row.papers)
    return counts


def _mentioned_merges(catalog: CatalogReader) -> dict[int, list[int]]:
    """Concept -> those that were merged into it and that papers mention themselves."""
    is_mentioned = exists().where(mentions.c.concept_key == merges.c.concept_key)
    query = select(merges.c.into_key, merges.c.concept_key).where(
        is_mentioned, merges.c.into_key != merges.c.concept_key
    )
    return grouped((row.into_key, row.concept_key) for row in catalog.rows(query))


def _count_by_concept(inner: Select[Any]) -> Select[Any]:
    """(concept, sentences, papers) of rows (concept, paper, span), each once."""
    rows = inner.subquery()
    concept, paper = rows.c[0], rows.c[1]
    number = func.count().label("sentences")
    return select(concept.label("concept"), number, func.count(paper.distinct()).label("papers")).group_by(concept)


def neighbours(
    catalog: CatalogReader, group: Sequence[int], filters: Filters | None = None
) -> dict[int, MentionCounts]:
    """The concepts that are in one sentence with a concept, which is given with what was merged into it."""
    other = mentions.alias()
    same = and_(other.c.paper_key == mentions.c.paper_key, other.c.span == mentions.c.span)
    concept_key = func.coalesce(merges.c.into_key, other.c.concept_key).label("concept")
    inner = select(concept_key, mentions.c.paper_key, mentions.c.span).select_from(mentions).join(other, same)
    inner = inner.outerjoin(merges, merges.c.concept_key == other.c.concept_key)
    inner = inner.where(mentions.c.concept_key.in_(group), other.c.concept_key.not_in(group), *filter_clauses(filters))
    return {
        row.concept: MentionCounts(row.sentences, row.papers)
        for row in catalog.rows(_count_by_concept(inner.distinct()))
    }


def relation_places(
    catalog: CatalogReader, group: Sequence[int], filters: Filters | None = None
) -> dict[int, list[SentencePlace]]:
    """Concept -> the sentences by which a model has related it to a concept, given with what was merged into it."""
    places: dict[int, list[SentencePlace]] = {}
    near, far = relations.c.concept_key, relations.c.other_key
    for mine, theirs in ((near, far), (far, near)):
        concept_key = func.coalesce(merges.c.into_key, theirs).label("concept")
        query = select(concept_key, relations.c.paper_key, relations.c.passage, relations.c.spans)
        query = query.outerjoin(merges, merges.c.concept_key == theirs).where(mine.in_(group), theirs.not_in(group))
        for row in catalog.rows(query.where(*filter_clauses(filters, relations.c.paper_key)).order_by(relations.c.key)):
            spans = unpack(row.spans, list[str], "the sentences of a relation")
            places.setdefault(row.concept, []).extend(SentencePlace(row.paper_key, span, row.passage) for span in spans)
    return places


def sentences_of(catalog: CatalogReader, group: Sequence[int], filters: Filters | None = None) -> list[SentencePlace]:
    """The sentences that mention a concept, in the order of the library."""
    query = select(mentions.c.paper_key, mentions.c.span, mentions.c.passage).where(mentions.c.concept_key.in_(group))
    query = query.where(*filter_clauses(filters)).distinct().order_by(mentions.c.paper_key, mentions.c.span)
    return [SentencePlace(row.paper_key, row.span, row.passage) for row in catalog.rows(query)]


def sentences_with(catalog: CatalogReader, paper_keys: Collection[int], group: Collection[int]) -> set[tuple[int, str]]:
    """(paper's key, own name) of the sentences of papers that mention one of a few concepts."""
    query = select(mentions.c.paper_key, mentions.c.span).where(mentions.c.concept_key.in_(group)).distinct()
    return {(row.paper_key, row.span) for row in catalog.rows_where(query, mentions.c.paper_key, paper_keys)}


def description_places(
    catalog: CatalogReader, group: Sequence[int], filters: Filters | None = None
) -> list[SentencePlace]:
    """The sentences that a model has read to describe a concept."""
    query = select(relations.c.paper_key, relations.c.passage, relations.c.spans).where(relations.c.other_key.is_(None))
    query = query.where(relations.c.concept_key.in_(group), *filter_clauses(filters, relations.c.paper_key))
    return [
        SentencePlace(row.paper_key, span, row.passage)
        for row in catalog.rows(query.order_by(relations.c.key))
        for span in unpack(row.spans, list[str], "the sentences of a relation")
    ]


def sentences_between(
    catalog: CatalogReader, concept_keys: Sequence[int], other_keys: Sequence[int], filters: Filters | None = None
) -> list[SentencePlace]:
    """The sentences that mention two concepts; first those where they stand nearest to each other."""
    other = mentions.alias()
    same = and_(other.c.paper_key == mentions.c.paper_key, other.c.span == mentions.c.span)
    near = func.min(func.abs(mentions.c.start - other.c.start)).label("near")
    names = (mentions.c.paper_key, mentions.c.span, mentions.c.passage)
    query = select(*names, near).select_from(mentions).join(other, same).group_by(*names)
    query = query.where(
        mentions.c.concept_key.in_(concept_keys), other.c.concept_key.in_(other_keys), *filter_clauses(filters)
    )
    rows = catalog.rows(query.order_by(near, mentions.c.paper_key, mentions.c.span))
    return [SentencePlace(row.paper_key, row.span, row.passage) for row in rows]


def mentions_of_sentences(catalog: Catalog, span_ids: Sequence[str]) -> Iterator[Mention]:
    """What sentences mention, sentence by sentence; of those that are not in the catalog nothing is told."""
    keys = catalog.keys_of(list({name.partition(".")[0] for name in span_ids}))
    asked_ids, names = set(span_ids), {name.partition(".")[2] for name in span_ids}
    mention_rows = catalog.rows_where(
        _select_mentions().where(mentions.c.span.in_(names)), mentions.c.paper_key, keys.values()
    )
    rows = [row for row in map(_mention_row, mention_rows) if row.span_id in asked_ids]
    stored = catalog.passages_where(passages.c.id, list({row.passage_id for row in rows})).values()
    places = {
        (record.passage.id, span.id): (record.passage, span) for record in stored for span in record.passage.spans
    }
    for row in rows:
        if row.place in places:
            yield row.mention(*places[row.place])


def has_mentions(catalog: CatalogReader) -> bool:
    """Whether any sentence is known to mention anything."""
    return bool(catalog.rows(select(mentions.c.start).limit(1)))


def papers_with_mentions(catalog: CatalogReader) -> list[int]:
    """The keys of the papers that are known to mention anything."""
    return [
        row.paper_key for row in catalog.rows(select(mentions.c.paper_key).distinct().order_by(mentions.c.paper_key))
    ]


def concepts_of_passages(
    catalog: CatalogReader, paper_keys: Sequence[int]
) -> dict[int, dict[str, list[tuple[tuple[int, str], str]]]]:
    """Paper key -> passage's own name -> ((concept, its label), sentence's id) of each of its mentions."""
    concept = concepts.alias()
    query = select(
        mentions.c.paper_key, mentions.c.passage, papers.c.id, mentions.c.span, concept.c.key, concept.c.label
    )
    query = query.join(papers, papers.c.key == mentions.c.paper_key)
    query = query.outerjoin(merges, merges.c.concept_key == mentions.c.concept_key)
    query = query.join(concept, concept.c.key == func.coalesce(merges.c.into_key, mentions.c.concept_key))
    by_paper: dict[int, dict[str, list[tuple[tuple[int, str], str]]]] = {}
    for row in catalog.rows_where(query.order_by(mentions.c.span), mentions.c.paper_key, paper_keys):
        group = by_paper.setdefault(row.paper_key, {}).setdefault(row.passage, [])
        group.append(((row.key, row.label), f"{row.id}.{row.span}"))
    return by_paper


def paper_years(catalog: CatalogReader, filters: Filters | None = None) -> dict[int, int]:
    """Paper's key -> its year, where it has one."""
    query = select(papers.c.key, papers.c.year).where(
        papers.c.year.is_not(None), *filter_conditions(filters or Filters())
    )
    return {row.key: row.year for row in catalog.rows(query)}


def linked_concepts(catalog: CatalogReader, group: Sequence[int]) -> list[int]:
    """The concepts that a vocabulary itself links to one (broader, part of …), given with what was merged into it."""
    targets = select(concept_links.c.target).where(concept_links.c.concept_key.in_(group))
    ids = select(concepts.c.id).where(concepts.c.key.in_(group))
    far = select(concepts.c.key.label("concept")).where(concepts.c.id.in_(targets))
    near = select(concept_links.c.concept_key.label("concept")).where(concept_links.c.target.in_(ids))
    return merged_into(catalog, [row.concept for query in (far, near) for row in catalog.rows(query)])


def mean_scores(catalog: CatalogReader) -> dict[int, float]:
    """Concept -> the mean score of its mentions; see `Mention`."""
    concept_key = func.coalesce(merges.c.into_key, mentions.c.concept_key).label("concept")
    query = select(concept_key, func.avg(mentions.c.score).label("score"))
    query = (
        query.select_from(mentions)
        .outerjoin(merges, merges.c.concept_key == mentions.c.concept_key)
        .group_by(concept_key)
    )
    return {row.concept: float(row.score) for row in catalog.rows(query)}


def method_shares(catalog: CatalogReader, least: int) -> dict[int, float]:
    """Concept -> the share of its mentions that are in sections on materials and methods, of those that have a heading.

    `least`: mentions below which a concept is left out.
    """
    sections = {row.section for row in catalog.rows(select(passages.c.section).distinct()) if row.section}
    if not (methods := set(filter(is_on_methods, sections))):
        return {}
    concept_key = func.coalesce(merges.c.into_key, mentions.c.concept_key).label("concept")
    query = select(concept_key, passages.c.section, func.count().label("times")).select_from(mentions)
    query = query.join(papers, papers.c.key == mentions.c.paper_key)
    query = query.join(passages, passages.c.id == papers.c.id + "." + mentions.c.passage)
    query = query.outerjoin(merges, merges.c.concept_key == mentions.c.concept_key)
    every, method_counts = Counter[int](), Counter[int]()
    for row in catalog.rows(query.where(passages.c.section != "").group_by(concept_key, passages.c.section)):
        every[row.concept] += row.times
        method_counts[row.concept] += row.times * (row.section in methods)
    return {concept: method_counts[concept] / times for concept, times in every.items() if times >= least}


def count_sentences(catalog: CatalogReader, filters: Filters | None = None) -> int:
    """How many sentences mention anything."""
    inner = select(mentions.c.paper_key, mentions.c.span).where(*filter_clauses(filters)).distinct().subquery()
    return int(catalog.scalar(select(func.count()).select_from(inner)))


def read_citations(catalog: Catalog, places: Sequence[SentencePlace]) -> list[Citation]:
    """Sentences, copied from the library as it is now; those that are gone are left out."""
    papers_by_key = catalog.papers_by_key(list({place.paper for place in places}))
    name_by_place = {
        place: f"{paper.id}.{place.passage}" for place in places if (paper := papers_by_key.get(place.paper))
    }
    stored = {
        record.passage.id: record.passage
        for record in catalog.passages_where(passages.c.id, list(set(name_by_place.values()))).values()
    }
    citations = []
    for place, name in name_by_place.items():
        paper, passage = papers_by_key[place.paper], stored.get(name)
        spans = [span for span in passage.spans if span.id == f"{paper.id}.{place.span}"] if passage else []
        citations += [Citation(paper, name, (span,), span.text, paper.label) for span in spans[:1]]
    return citations


def searched_names(catalog: CatalogReader) -> Iterator[tuple[int, str, str, int]]:
    """(concept, name, kind, rank of its vocabulary) of all that texts are searched for.

    Concepts that vocabularies say are one have the names of all; deprecated ones without a known replacement have none.
    """
    query = select(concepts.c.key, concept_names.c.text, concept_names.c.kind, vocabularies.c.rank)
    query = query.select_from(concept_names).join(concepts).join(vocabularies)
    query = query.where(concept_names.c.left_out == "", _is_settled(), _is_in_use())
    behind = (catalog.scalar(select(func.max(vocabularies.c.rank)).where(vocabularies.c.term != LOCAL)) or 0) + 1
    same = automatic_merges(catalog)
    for row in catalog.rows(query):
        yield same.get(row.key, row.key), row.text, row.kind, min(row.rank, behind)


def _is_in_use() -> ColumnElement[bool]:
    """That a concept is not deprecated, or that a replacement for it is known."""
    replaced = select(concept_links.c.concept_key).where(concept_links.c.kind == LinkKind.REPLACED_BY)
    return or_(
        not_(concepts.c.deprecated),
        concepts.c.key.in_(select(merges.c.concept_key)),
        concepts.c.key.in_(replaced),
    )


def _is_settled() -> ColumnElement[bool]:
    """That a concept is a vocabulary's, or was accepted, or merged: what only a model found waits."""
    merged = and_(concepts.c.state == "new", concepts.c.key.in_(select(merges.c.concept_key)))
    return or_(concepts.c.state.in_(("", "accepted")), merged)


def complete_entities(catalog: CatalogReader, words: str, vocabulary: int | None, limit: int) -> Iterator[ConceptHit]:
    """Entities that papers mention and that have a name which begins so, those first that most sentences mention.

    What was merged is one entity, by the first of its names; of several with one label only the first is there.
    """
    hits = {key: hit for key, _, hit in search_concepts(catalog, words, vocabulary, COMPLETED, ("", 0))}
    into = _merge_targets(catalog, hits)
    first = {into[key]: hits[key] for key in reversed(hits)}
    counts = {key: count for key, count in count_mentions(catalog, list(first)).items() if count.sentences}
    entities = read_entities(catalog, counts)
    seen = set[str]()
    for key in sorted(entities, key=lambda key: (-counts[key].sentences, key)):
        known = entities[key]
        if (label := known.name.casefold()) not in seen and len(seen) < limit:
            seen.add(label)
            yield replace(
                first[key],
                id=known.id,
                label=known.name,
                vocabulary=known.vocabulary,
                deprecated=False,
                sentences=known.sentences,
            )


def mentioned_concepts(catalog: CatalogReader, keys: Collection[int]) -> list[int]:
    """Those among some concepts that papers mention, by their names or by those of what they were merged with."""
    into = _merge_targets(catalog, keys)
    groups = merge_groups(catalog, set(into.values()))
    is_mentioned = exists().where(mentions.c.concept_key == concepts.c.key)
    every = {key for group in groups.values() for key in group}
    mentioned_keys = {
        row.key for row in catalog.rows_where(select(concepts.c.key).where(is_mentioned), concepts.c.key, every)
    }
    return [key for key in keys if mentioned_keys.intersection(groups[into[key]])]


def ids_by_vocabulary(catalog: CatalogReader) -> dict[int, tuple[str, int]]:
    """The id and the vocabulary's key of each concept, by its key, in the order of the vocabularies."""
    query = select(concepts.c.key, concepts.c.id, concepts.c.vocabulary_key).join(vocabularies)
    rows = catalog.rows(query.order_by(vocabularies.c.rank, concepts.c.key))
    return {row.key: (row.id, row.vocabulary_key) for row in rows}


def vocabulary_names(catalog: CatalogReader) -> tuple[str, ...]:
    """The names of the vocabularies, in their order, without that of what models found."""
    query = (
        select(vocabularies.c.name)
        .where(vocabularies.c.term != LOCAL)
        .order_by(vocabularies.c.rank, vocabularies.c.key)
    )
    return tuple(row.name for row in catalog.rows(query))


def vocabularies_digest(catalog: CatalogReader, *, reviewed: bool = True) -> str:
    """What stands for the vocabularies, and for what users say of their names: otherwise where any is otherwise.

    `reviewed`: also for what users accepted, or merged, of what models found.
    """
    sources = select(
        *(vocabularies.c.key, vocabularies.c.term, vocabularies.c.rank, vocabularies.c.sha256, vocabularies.c.options)
    ).where(vocabularies.c.term != LOCAL)
    rules = select(name_rules.c.term, name_rules.c.concept, name_rules.c.verdict)
    local = concepts.c.vocabulary_key.in_(select(vocabularies.c.key).where(vocabularies.c.term == LOCAL))
    model_entities = select(concepts.c.key, concepts.c.id).where(local, concepts.c.state != "", _is_settled())
    separate = select(merges.c.concept_key, merges.c.said_key).where(merges.c.said_key == merges.c.concept_key)
    queries = (sources, rules, separate, *([model_entities] if reviewed else []))
    rows = [tuple(row) for query in queries for row in catalog.rows(query)]
    return blake2b(repr(sorted(rows, key=repr)).encode(), digest_size=8).hexdigest()


def names_state(catalog: CatalogReader) -> str:
    """What stands for all that texts are searched for, and for the keys of its concepts, in a name of a file."""
    query = select(vocabularies.c.key, vocabularies.c.made)
    state = vocabularies_digest(catalog), sorted(tuple(row) for row in catalog.rows(query))
    return blake2b(repr(state).encode(), digest_size=8).hexdigest()


def mention_size(catalog: CatalogReader) -> tuple[int, int]:
    """How many mentions there are, and of how many concepts."""
    number: Any = func.count().label("number")
    several: Any = func.count(mentions.c.concept_key.distinct()).label("concepts")
    query = select(number, several)
    (row,) = catalog.rows(query)
    return row.number, row.concepts


def count_mentions_in(catalog: CatalogReader, paper_key: int) -> dict[int, MentionCounts]:
    """How many of a paper's sentences mention each concept."""
    concept_key = func.coalesce(merges.c.into_key, mentions.c.concept_key).label("concept")
    inner = select(concept_key, mentions.c.paper_key, mentions.c.span).where(mentions.c.paper_key == paper_key)
    inner = inner.outerjoin(merges, merges.c.concept_key == mentions.c.concept_key).distinct()
    return {row.concept: MentionCounts(row.sentences, row.papers) for row in catalog.rows(_count_by_concept(inner))}
