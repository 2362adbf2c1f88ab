"""Vocabularies, their concepts, and what users say of names and merge, read and written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, or_, select, tuple_, update

from conspectus.core.groups import grouped
from conspectus.graph.vocabularies.concept_merges import AUTOMATIC, bypass_merges
from conspectus.records import normal_name
from conspectus.records.graph import LOCAL
from conspectus.records.views import pick_fields
from conspectus.records.vocabularies import (
    Concept,
    ConceptHit,
    KeptConcept,
    KeptName,
    LinkedConcept,
    LinkKind,
    NameKind,
    NameRule,
    Verdict,
    Vocabulary,
)
from conspectus.store.connection import CatalogReader, delete_where, insert_rows, split_chunks, utc_now
from conspectus.store.entities import note_graph_change, vocabulary_key
from conspectus.store.graph_tables import concept_links, concept_names, concepts, merges, name_rules, vocabularies

LEARNT = "learnt"
"""The source of a rule that was learnt."""
MOST_NARROWER = 100
_BELOW = (LinkKind.BROADER, LinkKind.PART_OF)
_LAST = "\U0010ffff"
Surface = tuple[str, int]
"""A name, and the key of a concept; 0: whichever."""
LeftOutToo = Mapping[tuple[int, str], str]
"""(key of a concept, name) -> why texts are not searched for it, beside what is noted with the names."""
MOST_LEFT_OUT = 5000
"""Of these, so many are listed."""
LeftOut = Callable[[str], str]
"""Why texts are not searched for a name; "" where they are."""


@dataclass(frozen=True, slots=True)
class VocabularySource:
    """Where a vocabulary came from: `options` are what was taken of it, `files` with digests, and the like."""

    name: str
    source: str
    sha256: str
    version: str
    options: Mapping[str, Any]


def sources(catalog: CatalogReader) -> dict[int, VocabularySource]:
    """Where the vocabularies came from, by their keys, in the order of their ranks."""
    rows = catalog.rows(select(vocabularies).order_by(vocabularies.c.rank, vocabularies.c.key))
    return {
        row.key: VocabularySource(row.name, row.source, row.sha256, row.version, json.loads(row.options))
        for row in rows
    }


def list_vocabularies(catalog: CatalogReader) -> tuple[Vocabulary, ...]:
    """The vocabularies in the order of their ranks."""
    owner, numbers = concepts.c.vocabulary_key, select(concepts.c.vocabulary_key.label("owner"))
    concept_counts = {
        row.owner: row.n for row in catalog.rows(numbers.add_columns(func.count().label("n")).group_by(owner))
    }
    count = numbers.add_columns(
        func.count().label("n"), func.count().filter(concept_names.c.left_out != "").label("out")
    ).join(concept_names, concept_names.c.concept_key == concepts.c.key)
    name_counts = {row.owner: (row.n, row.out) for row in catalog.rows(count.group_by(owner))}
    rows = catalog.rows(select(vocabularies).order_by(vocabularies.c.rank, vocabularies.c.key))
    listed = []
    for row in rows:
        options, (names, left_out) = json.loads(row.options), name_counts.get(row.key, (0, 0))
        taken: dict[str, Any] = {name: tuple(options.get(name, ())) for name in ("subtree", "languages", "missing")}
        sizes = (concept_counts.get(row.key, 0), names, left_out)
        listed.append(Vocabulary(row.name, row.rank, row.source, row.version, row.made, *sizes, **taken))
    return tuple(listed)


def count_vocabularies(catalog: CatalogReader) -> dict[str, int]:
    """How many `vocabularies` and `concepts` there are."""
    tables = {"vocabularies": vocabularies, "concepts": concepts}
    return {name: int(catalog.scalar(select(func.count()).select_from(table))) for name, table in tables.items()}


def concepts_with_id(catalog: CatalogReader, name: str) -> tuple[KeptConcept, ...]:
    """The concepts that have an id, of all vocabularies, in the order of their ranks."""
    query = select(concepts, vocabularies.c.name.label("vocabulary")).join(vocabularies)
    rows = catalog.rows(query.where(concepts.c.id == name).order_by(vocabularies.c.rank, concepts.c.key))
    return tuple(_read_concept(catalog, row) for row in rows)


def _read_concept(catalog: CatalogReader, row: Row[Any]) -> KeptConcept:
    query = select(concept_names).where(concept_names.c.concept_key == row.key).order_by(concept_names.c.ordinal)
    names = tuple(KeptName(name.text, NameKind(name.kind), name.left_out) for name in catalog.rows(query))
    links = catalog.rows(
        select(concept_links.c.kind, concept_links.c.target.label("id")).where(concept_links.c.concept_key == row.key)
    )
    labels = labels_of(catalog, [link.id for link in links])
    linked_concepts = tuple(LinkedConcept(LinkKind(link.kind), link.id, labels.get(link.id, "")) for link in links)
    below = select(concept_links.c.kind, concepts.c.id, concepts.c.label).join(concepts)
    below = below.where(concept_links.c.target == row.id, concept_links.c.kind.in_(_BELOW)).distinct()
    rows = catalog.rows(below.order_by(concepts.c.label, concepts.c.id).limit(MOST_NARROWER))
    narrower = tuple(LinkedConcept(LinkKind(link.kind), link.id, link.label) for link in rows)
    known = {
        name: getattr(row, name) for name in ("id", "label", "vocabulary", "definition", "iri", "deprecated", "state")
    }
    return KeptConcept(**known, names=names, links=linked_concepts, narrower=narrower)


def labels_of(catalog: CatalogReader, ids: Iterable[str]) -> dict[str, str]:
    """Id -> label, of those that a vocabulary has."""
    query = select(concepts.c.id, concepts.c.label)
    return {row.id: row.label for row in catalog.rows_where(query, concepts.c.id, sorted(set(ids)))}


def search_concepts(
    catalog: CatalogReader,
    words: str,
    vocabulary: int | None,
    limit: int,
    after: tuple[str, int],
    left_out: LeftOutToo | None = None,
) -> list[tuple[int, str, ConceptHit]]:
    """(key, term, concept) of those with a name that begins with `words`, by names, behind `after` (term, key).

    Each concept is there once, by the first of such names.

    Args:
        left_out: only by names that texts are not searched for, as their rows say, or as is said here.
    """
    term, key = normal_name(words), concept_names.c.concept_key
    query = select(key.label("key"), func.min(concept_names.c.term).label("term"))
    query = query.where(concept_names.c.term >= term, concept_names.c.term < term + _LAST)
    if vocabulary is not None:
        query = query.join(concepts, concepts.c.key == key).where(concepts.c.vocabulary_key == vocabulary)
    if left_out is not None:
        is_dropped = tuple_(key, concept_names.c.text).in_(list(left_out)[:MOST_LEFT_OUT])
        query = query.where(
            or_(concept_names.c.left_out != "", is_dropped) if left_out else concept_names.c.left_out != ""
        )
    first = query.group_by(key).subquery()
    page = select(first).where(tuple_(first.c.term, first.c.key) > tuple_(*after)).order_by(first.c.term, first.c.key)
    terms = {row.key: row.term for row in catalog.rows(page.limit(limit))}
    hits = dict(_concept_hits(catalog, terms, left_out))
    return [(key, term, hits[key]) for key, term in terms.items() if key in hits]


def _concept_hits(
    catalog: CatalogReader, terms: Mapping[int, str], left_out: LeftOutToo | None
) -> Iterator[tuple[int, ConceptHit]]:
    query = select(concepts.c.key, concepts.c.id, concepts.c.label, concepts.c.deprecated, concept_names)
    query = query.add_columns(vocabularies.c.name.label("vocabulary")).select_from(
        concepts.join(vocabularies).join(concept_names, concept_names.c.concept_key == concepts.c.key)
    )
    for row in reversed(list(catalog.rows_where(query.order_by(concept_names.c.ordinal), concepts.c.key, terms))):
        why = row.left_out or (left_out or {}).get((row.key, row.text), "")
        if row.term == terms[row.key] and (why or left_out is None):
            kind = NameKind(row.kind)
            yield row.key, ConceptHit(row.id, row.label, row.vocabulary, row.text, kind, why, row.deprecated)


def put_vocabulary(connection: Connection, source: VocabularySource) -> int:
    """The key of a vocabulary, which is made where there is none of this name, behind the others in rank."""
    term = normal_name(source.name)
    values = {"source": source.source, "sha256": source.sha256, "version": source.version, "made": utc_now()}
    values["options"] = json.dumps(dict(source.options), sort_keys=True)
    if not connection.execute(update(vocabularies).where(vocabularies.c.term == term).values(**values)).rowcount:
        others = select(func.max(vocabularies.c.rank)).where(vocabularies.c.term != LOCAL)
        rank = (connection.scalar(others) or 0) + 1
        connection.execute(insert(vocabularies).values(name=source.name, term=term, rank=rank, **values))
    return int(connection.scalar(select(vocabularies.c.key).where(vocabularies.c.term == term)) or 0)


def put_concepts(connection: Connection, vocabulary: int, new: Sequence[Concept], left_out: LeftOut) -> Counter[str]:
    """Store concepts of a vocabulary, of which those that are there keep their keys; how many were `added`, `changed`.

    The counts of `names`, and of those `left_out`, are among what is returned.
    """
    counts: Counter[str] = Counter()
    for chunk in split_chunks(list({concept.id: concept for concept in new}.values())):
        stored_rows = _stored_concepts(connection, vocabulary, [concept.id for concept in chunk])
        rows = {concept.id: _concept_rows(concept, left_out) for concept in chunk}
        changed = {id: row for id, row in rows.items() if id in stored_rows and stored_rows[id][1:] != row}
        fresh = {id: row for id, row in rows.items() if id not in stored_rows}
        _write_concepts(connection, vocabulary, changed, {id: stored_rows[id][0] for id in changed}, fresh)
        counts.update(added=len(fresh), changed=len(changed), concepts=len(rows))
        name_rows = [name for _, names, _ in rows.values() for name in names]
        counts.update(names=len(name_rows), left_out=sum(bool(name[-1]) for name in name_rows))
    return counts


_ConceptRows = tuple[tuple[Any, ...], list[tuple[Any, ...]], list[tuple[Any, ...]]]
_CONCEPT_COLUMNS = ("iri", "label", "definition", "deprecated", "state")
_NAME_COLUMNS = ("ordinal", "text", "term", "kind", "left_out")


def _concept_rows(concept: Concept, left_out: LeftOut) -> _ConceptRows:
    """A concept, its names and its links, as rows have them."""
    names = [
        (at, name.text, normal_name(name.text), str(name.kind), left_out(name.text))
        for at, name in enumerate(concept.names)
    ]
    links: list[tuple[Any, ...]] = sorted({(str(kind), target) for kind, target in concept.links})
    return (concept.iri, concept.label, concept.definition, concept.deprecated, ""), names, links


def _stored_concepts(
    connection: Connection, vocabulary: int, ids: Sequence[str]
) -> dict[str, tuple[int, *_ConceptRows]]:
    """Id -> (key, what `_concept_rows` gives) of the concepts that are there."""
    query = select(concepts).where(concepts.c.vocabulary_key == vocabulary, concepts.c.id.in_(ids))
    rows = connection.execute(query).all()
    if not rows:
        return {}
    keys = [row.key for row in rows]
    names, links = (
        grouped(
            (row.concept_key, tuple(getattr(row, name) for name in columns))
            for row in connection.execute(select(table).where(table.c.concept_key.in_(keys)).order_by(*order))
        )
        for table, columns, order in (
            (concept_names, _NAME_COLUMNS, [concept_names.c.ordinal]),
            (concept_links, ("kind", "target"), [concept_links.c.kind, concept_links.c.target]),
        )
    )
    return {
        row.id: (
            row.key,
            tuple(getattr(row, name) for name in _CONCEPT_COLUMNS),
            names.get(row.key, []),
            links.get(row.key, []),
        )
        for row in rows
    }


def _write_concepts(
    connection: Connection,
    vocabulary: int,
    changed: Mapping[str, _ConceptRows],
    keys: Mapping[str, int],
    fresh: Mapping[str, _ConceptRows],
) -> None:
    for id, (fields, _, _) in changed.items():
        connection.execute(
            update(concepts).where(concepts.c.key == keys[id]).values(dict(zip(_CONCEPT_COLUMNS, fields, strict=True)))
        )
    for table in (concept_names, concept_links) if changed else ():
        delete_where(connection, table.c.concept_key, keys.values())
    if fresh:
        concept_rows = [
            {"vocabulary_key": vocabulary, "id": id, **dict(zip(_CONCEPT_COLUMNS, row[0], strict=True))}
            for id, row in fresh.items()
        ]
        connection.execute(insert(concepts), concept_rows)
        query = select(concepts.c.id, concepts.c.key).where(concepts.c.vocabulary_key == vocabulary)
        rows = connection.execute(query.where(concepts.c.id.in_(list(fresh))))
        keys = {**keys, **{row.id: row.key for row in rows}}
    every = {**changed, **fresh}
    names = [
        {"concept_key": keys[id], **dict(zip(_NAME_COLUMNS, name, strict=True))}
        for id in every
        for name in every[id][1]
    ]
    links = [{"concept_key": keys[id], "kind": kind, "target": to} for id in every for kind, to in every[id][2]]
    insert_rows(connection, concept_names, names)
    insert_rows(connection, concept_links, links)


def keep_only(connection: Connection, vocabulary: int, ids: set[str]) -> int:
    """Delete the concepts of a vocabulary that are not among these, with all that is theirs; how many these were."""
    query = select(concepts.c.id, concepts.c.key).where(concepts.c.vocabulary_key == vocabulary)
    gone = [row.key for row in connection.execute(query) if row.id not in ids]
    bypass_merges(connection, gone)
    delete_where(connection, concepts.c.key, gone)
    return len(gone)


def remove_vocabulary(connection: Connection, vocabulary: int) -> None:
    """Delete a vocabulary with all that is its."""
    query = select(concepts.c.key).where(concepts.c.vocabulary_key == vocabulary)
    bypass_merges(connection, [row.key for row in connection.execute(query)])
    connection.execute(delete(vocabularies).where(vocabularies.c.key == vocabulary))
    note_graph_change(connection)


def list_rules(catalog: CatalogReader) -> tuple[NameRule, ...]:
    """What is said of names, by name."""
    rows = catalog.rows(select(name_rules).order_by(name_rules.c.term, name_rules.c.concept))
    return tuple(NameRule(row.term, row.concept, row.verdict, row.source, row.made) for row in rows)


def names_by_rule(catalog: CatalogReader, *, learnt: bool = True) -> tuple[list[Surface], list[Surface]]:
    """What texts are searched for, and what not, by the rules: (name, key of a concept; 0: whichever) pairs.

    A rule for a concept goes before one for whichever has the name. `learnt`: also by what was learnt.
    """
    rules_by_name = grouped((rule.name, rule) for rule in list_rules(catalog) if learnt or rule.source != LEARNT)
    query = select(concept_names.c.term, concept_names.c.text, concepts.c.key, concepts.c.id).join(concepts)
    rows_by_term = grouped((row.term, row) for row in catalog.rows_where(query, concept_names.c.term, rules_by_name))
    concept_ids = {rule.concept for each in rules_by_name.values() for rule in each if rule.concept}
    others = select(concepts.c.id, concepts.c.key)
    keys = grouped((row.id, row.key) for row in catalog.rows_where(others, concepts.c.id, sorted(concept_ids)))
    surfaces: dict[str, list[Surface]] = {"use": [], "leave": []}
    for name, each in rules_by_name.items():
        verdict_by_concept = {rule.concept: rule.verdict for rule in each}
        rows = rows_by_term.get(name, [])
        for row in rows:
            if verdict := verdict_by_concept.get(row.id) or verdict_by_concept.get(""):
                surfaces[verdict].append((row.text, row.key))
        known = {row.id for row in rows}
        for concept, verdict in verdict_by_concept.items():
            surfaces[verdict] += [(name, key) for key in keys.get(concept, ()) if concept not in known]
        if set(verdict_by_concept.values()) == {"leave"} and "" in verdict_by_concept:
            surfaces["leave"].append((name, 0))
    return surfaces["use"], surfaces["leave"]


def put_new_rule(connection: Connection, name: str, concept: str, verdict: Verdict, source: str) -> bool:
    """The same of a name of which nothing is said yet; whether it was said now."""
    term = normal_name(name)
    mine = name_rules.c.term == term, name_rules.c.concept == concept
    if not term or connection.scalar(select(name_rules.c.term).where(*mine)) is not None:
        return False
    return put_rule(connection, name, concept, verdict, source)


def put_rule(connection: Connection, name: str, concept: str, verdict: Verdict | None, source: str = "user") -> bool:
    """Say of a name that it means a concept ("": whichever), or not; None: nothing more. Whether anything changed."""
    term = normal_name(name)
    mine = name_rules.c.term == term, name_rules.c.concept == concept
    before = connection.scalar(select(name_rules.c.verdict).where(*mine))
    if before == verdict:
        return False
    connection.execute(delete(name_rules).where(*mine))
    if verdict:
        row = {"term": term, "concept": concept, "verdict": verdict, "source": source, "made": utc_now()}
        connection.execute(insert(name_rules).values(row))
    note_graph_change(connection)
    return True


def forget_learnt(connection: Connection) -> int:
    """Take back what was learnt of names; how many rules that were."""
    gone = connection.execute(delete(name_rules).where(name_rules.c.source == LEARNT)).rowcount
    if gone:
        note_graph_change(connection)
    return gone


ExportFields = Mapping[str, Any]


def every_name(catalog: CatalogReader) -> list[tuple[int, str]]:
    """The names of all vocabularies' concepts: (concept, name)."""
    query = select(concept_names.c.concept_key, concept_names.c.text)
    return [(row.concept_key, row.text) for row in catalog.rows(query)]


def concept_iris(catalog: CatalogReader, vocabulary: int) -> dict[str, str]:
    """The IRIs of a vocabulary's concepts that have one, by their ids."""
    query = select(concepts.c.id, concepts.c.iri).where(concepts.c.vocabulary_key == vocabulary, concepts.c.iri != "")
    return {row.id: row.iri for row in catalog.rows(query)}


def every_vocabulary(catalog: CatalogReader) -> Iterator[ExportFields]:
    """Each vocabulary, in the order of their ranks."""
    for vocabulary in list_vocabularies(catalog):
        yield pick_fields(vocabulary, "name", "rank", "source", "version", "made", "subtree", "languages", "missing")


def every_concept(catalog: CatalogReader, vocabulary: str) -> Iterator[ExportFields]:
    """Each concept of a vocabulary, with its names and links; some are in memory at a time."""
    query = select(concepts).where(concepts.c.vocabulary_key == vocabulary_key(catalog, vocabulary))
    for rows in catalog.pages(query, concepts.c.key, 0):
        keys = [row.key for row in rows]
        names, links = (
            grouped((row.concept_key, row) for row in catalog.rows(select(table).where(table.c.concept_key.in_(keys))))
            for table in (concept_names, concept_links)
        )
        for row in rows:
            name_fields = [pick_fields(name, "text", "kind", "left_out") for name in names.get(row.key, ())]
            to = [{"kind": link.kind, "id": link.target} for link in links.get(row.key, ())]
            own_fields = pick_fields(row, "id", "label", "iri", "definition", "deprecated", "state")
            yield {"vocabulary": vocabulary, **own_fields, "names": name_fields, "links": to}


def every_merge(catalog: CatalogReader) -> Iterator[ExportFields]:
    """What users take for one, entities as `VOCABULARY/ID`, as it was said."""
    ours, other, mine, theirs = concepts.alias(), concepts.alias(), vocabularies.alias(), vocabularies.alias()
    columns: list[Any] = [mine.c.name.label("near"), ours.c.id, theirs.c.name.label("far"), other.c.id.label("into")]
    query = select(*columns, merges.c.made).join_from(merges, ours, ours.c.key == merges.c.concept_key)
    query = query.join(other, other.c.key == merges.c.said_key).join(mine, mine.c.key == ours.c.vocabulary_key)
    query = (
        query.join(theirs, theirs.c.key == other.c.vocabulary_key)
        .where(merges.c.made != AUTOMATIC)
        .order_by(merges.c.made, merges.c.concept_key)
    )
    for row in catalog.rows(query):
        yield {"entity": f"{row.near}/{row.id}", "into": f"{row.far}/{row.into}", "made": row.made}
