"""Entities by name: find and describe them, review those that models found, merge them, leave out everyday words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from math import exp, inf, log2
from typing import TYPE_CHECKING

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.graph import candidate_rows, sql
from conspectus.graph.linking.plausibility import ConceptKind, PlausibilityModel, label_words, read_weights, shared_rank
from conspectus.graph.linking.words import fold
from conspectus.graph.mention_finder import NO_ENTITY, concepts_in
from conspectus.graph.name_table_cache import load_name_table
from conspectus.graph.sql import MentionCounts
from conspectus.graph.vocabularies import concept_merges
from conspectus.graph.vocabularies import sql as vocabulary_sql
from conspectus.records import Filters, normal_name
from conspectus.records.graph import REVIEWED, EntityCard, EntityMerge, EntityState, NewEntities, NewEntity, Subgraph
from conspectus.records.vocabularies import LinkKind
from conspectus.store import entities
from conspectus.store.connection import CatalogReader, transact
from conspectus.store.facets import count_papers

if TYPE_CHECKING:
    from conspectus.graph.explorer import Explorer
    from conspectus.session.session import Session

_UNREVIEWED = "`graph review` lists the entities that language models found; `graph link` with a model finds them."
FEWEST = 100
"""Papers below which nothing can be said of how an entity is spread over them."""
METHOD, SUGGESTED = -0.5, -1.0
"""The log odds of a method, and of what is general, above which a concept is no suggestion."""
DOUBTFUL = -2.0
"""The log odds of what is general at which a concept is listed as if half of its sentences mentioned it."""
IN_METHODS, MENTIONED = 0.5, 5
"""Share of a concept's mentions in sections on methods from which it is one, and mentions from which that counts."""
_AT_ONCE = 200


def check_linked(session: Session) -> None:
    """Raise `UsageError` if no paper mentions an entity."""
    if not sql.mention_size(session.catalog)[0]:
        raise UsageError("No paper mentions an entity yet.", NO_ENTITY)


def leave_out_general(
    session: Session, order: Sequence[int], counts: Mapping[int, MentionCounts], filters: Filters, top: int
) -> list[int]:
    """The first `top` concepts of an order by sentences that are not everyday words; doubtful ones go lower."""
    if count_papers(session.catalog, filters) < FEWEST:
        return list(order[:top])
    weights: dict[int, float] = {}
    for start in range(0, len(order), _AT_ONCE):
        chunk = order[start : start + _AT_ONCE]
        odds = rate_generality(session, {key: counts[key] for key in chunk}, filters)
        for key in chunk:
            if (general := odds.get(key, -inf)) <= 0:
                weights[key] = counts[key].sentences / (1 + exp(general - DOUBTFUL))
        if sum(weight >= counts[chunk[-1]].sentences for weight in weights.values()) >= top:
            break
    return sorted(weights, key=lambda key: -weights[key])[:top]


def find_unspecific(session: Session, counts: Mapping[int, MentionCounts], filters: Filters) -> set[int]:
    """Those among some concepts that suggest nothing: general ones, also by a lower limit, methods and materials.

    Methods and materials are so by their kind, or because papers mostly mention them in sections on methods.
    """
    standings = load_name_table(session).standings(counts)
    general = {key for key, odds in rate_generality(session, counts, filters).items() if odds > SUGGESTED}
    used = sql.method_shares(session.catalog, MENTIONED)
    by_kind = {key for key, standing in standings.items() if standing.method > METHOD}
    return general | by_kind | {key for key, share in used.items() if key in counts and share >= IN_METHODS}


def rate_generality(session: Session, counts: Mapping[int, MentionCounts], filters: Filters) -> dict[int, float]:
    """The log odds that each of some concepts is too general to be an entity of a field."""
    papers = count_papers(session.catalog, filters)
    standings, labels = load_name_table(session).standings(counts), entities.concept_labels(session.catalog, counts)
    model = PlausibilityModel(read_weights())
    return {
        key: standing.general + rate_use(model, labels[key], counts[key], papers)
        if any(map(str.isalpha, labels[key]))
        else inf  # a path in an atlas that names nothing
        for key, standing in standings.items()
    }


def rate_phrases(phrases: Mapping[str, int], papers: int) -> dict[str, float]:
    """The log odds that each phrase is too general to name a subject, by how many of the papers have it."""
    model = PlausibilityModel(read_weights())
    return {
        phrase: model.standing(ConceptKind(phrase)).general
        + rate_use(model, phrase, MentionCounts(count, count), papers)
        for phrase, count in phrases.items()
    }


def rate_use(model: PlausibilityModel, label: str, counts: MentionCounts, papers: int) -> float:
    """What its use in a library adds to the log odds that a concept is too general."""
    by_chance = papers * (1 - exp(-counts.sentences / papers))
    rank = max(map(shared_rank, map(fold, label_words(label))), default=1)
    return model.general_in(counts.papers / papers, log2(by_chance / counts.papers), rank)


def find_entities(session: Session, explorer: Explorer, names: Sequence[str]) -> list[int]:
    """The keys of the entities of these names, each once; as `find_entity`.

    Raises:
        UsageError: there is no name.
    """
    if isinstance(names, str) or not names:
        raise UsageError("No entity is named.", 'Names are a list: `["hippocampus"]`.')
    return list(dict.fromkeys(find_entity(session, explorer, name) for name in names))


def find_entity(session: Session, explorer: Explorer, name: str) -> int:
    """The key of the concept of this name that most sentences mention."""
    keys = entities.find_concepts(session.catalog, name) or concepts_in(session, name, whole_text=True)
    keys = keys or concepts_in(session, name, whole_text=True, mentioned=False)
    if not keys and not sql.vocabulary_names(session.catalog):
        raise NotFoundError(f"The library has no vocabulary, and so no entity '{name}'.", NO_ENTITY)
    if not keys:
        raise NotFoundError(f"No vocabulary of the library has an entity '{name}'.", NO_ENTITY)
    counts = explorer.counts(keys)
    best = max(keys, key=lambda key: counts[key].sentences)
    if not counts[best].sentences:
        is_id = ":" in name  # by which nobody knows it
        label = entities.concept_labels(session.catalog, [best]).get(best, name) if is_id else name
        raise NotFoundError(f"No paper that counts here speaks of '{label}'.", f"Fewer filters may help. {NO_ENTITY}")
    return best


def set_review_state(session: Session, names: Sequence[str], state: EntityState) -> tuple[NewEntity, ...]:
    """Give entities that models found a state, all or none of them; returns them as they are now."""
    names = [names] if isinstance(names, str) else names
    if not names:
        raise UsageError("No entity is named.", _UNREVIEWED)
    catalog = session.catalog
    with session.writing():
        keys = list(dict.fromkeys(_find_new_entity(session, name) for name in names))
        for key in keys:
            transact(catalog.engine, partial(candidate_rows.set_entity_state, key=key, state=state))
    described = candidate_rows.describe_new_entities(catalog, candidate_rows.count_candidates(catalog, keys))
    return tuple(described[key] for key in keys)


def _find_new_entity(session: Session, name: str) -> int:
    keys = candidate_rows.find_new_entities(session.catalog, name, normal_name(name))
    if not keys:
        raise NotFoundError(f"No language model found an entity '{name}'.", _UNREVIEWED)
    if len(keys) > 1:
        known = candidate_rows.describe_new_entities(
            session.catalog, candidate_rows.count_candidates(session.catalog, keys)
        )
        ids = ", ".join(entity.id for entity in known.values())
        raise UsageError(f"Several entities are called '{name}'.", f"Name one: {ids}")
    return keys[0]


def _find_only_entity(session: Session, name: str) -> int:
    keys = entities.find_concepts(session.catalog, name, resolved=False)
    if not keys:
        raise NotFoundError(f"No vocabulary of the library has an entity '{name}'.", NO_ENTITY)
    if len(keys) > 1:
        keys = list(dict.fromkeys(concept_merges.automatic_merges(session.catalog).get(key, key) for key in keys))
    if len(keys) > 1:
        raise _ambiguous(session, name, keys)
    return keys[0]


def _ambiguous(session: Session, name: str, keys: Sequence[int]) -> UsageError:
    known = sql.read_entities(session.catalog, dict.fromkeys(keys, MentionCounts(0, 0))).values()
    names = ", ".join(f"{entity.vocabulary}/{entity.id}" for entity in known)
    return UsageError(f"Several entities are called '{name}'.", f"Name one by its id: {names}")


def list_reviewed(session: Session, state: EntityState, limit: int, offset: int, examples: int) -> NewEntities:
    """A page of the entities that models found, of one state, each with sentences."""
    if state not in REVIEWED.values():
        raise UsageError(f"No entity is '{state}'.", f"They are: {', '.join(REVIEWED.values())}.")
    catalog = session.catalog
    new_entities = candidate_rows.list_new_entities(catalog, state, limit, offset).values()
    places = candidate_rows.new_entity_places(catalog, [entity.id for entity in new_entities], examples)
    with_examples = (
        replace(entity, examples=tuple(sql.read_citations(catalog, places.get(entity.id, ()))))
        for entity in new_entities
    )
    return NewEntities(tuple(with_examples), candidate_rows.count_new_entities(catalog, state))


def describe_entity(catalog: CatalogReader, around: Subgraph) -> EntityCard:
    """An entity as its vocabulary has it, with its neighbours; `around`: what was found around it alone."""
    centre = next(node for node in around.nodes if node.id == around.asked[0])
    known = vocabulary_sql.concepts_with_id(catalog, centre.id)
    concept = next((candidate for candidate in known if candidate.vocabulary == centre.vocabulary), known[0])
    return EntityCard(
        centre,
        concept.definition,
        tuple(dict.fromkeys(name.text for name in concept.names)),
        tuple(link.label or link.id for link in concept.links if link.kind in (LinkKind.BROADER, LinkKind.PART_OF)),
        around.nodes,
        around.edges,
    )


def list_merged(session: Session, entity: str = "", *, automatic: bool = False) -> tuple[EntityMerge, ...]:
    """What was merged, also what vocabularies say is the same (`automatic`), or all that is one with an entity."""
    catalog = session.catalog
    merges = concept_merges.list_merges(catalog, automatic=automatic or bool(entity))
    if entity:
        keys = entities.find_concepts(catalog, entity)
        if not keys:
            raise NotFoundError(f"No vocabulary of the library has an entity '{entity}'.", NO_ENTITY)
        group_keys = {key for group in entities.merge_groups(catalog, keys).values() for key in group}
        merges = [entry for entry in merges if entry[0] in group_keys]
    return tuple(merge for _, merge in merges)


def merge_entities(session: Session, entity: str, into: str) -> EntityMerge:
    """Merge an entity into another one, both by name or id."""
    now, catalog = datetime.now(UTC).isoformat(timespec="seconds"), session.catalog
    with session.writing():
        entity_key, other = (_find_only_entity(session, name) for name in (entity, into))
        if before := dict(concept_merges.list_merges(catalog)).get(entity_key):
            raise UsageError(f"'{entity}' was already merged into '{before.into_name}'.", "`graph unmerge` undoes it.")
        merge = partial(concept_merges.merge_concepts, key=entity_key, other=other, made=now)
        if entity_key == other or not transact(catalog.engine, merge):
            raise UsageError(
                f"'{entity}' and '{into}' are already one entity.", "`graph merges` lists what was merged."
            )
    return dict(concept_merges.list_merges(catalog))[entity_key]


def unmerge_entity(session: Session, entity: str) -> EntityMerge:
    """Undo the merge of an entity, and return it as it was."""
    catalog = session.catalog
    with session.writing():
        merged = dict(concept_merges.list_merges(catalog, automatic=True))
        keys = [key for key in entities.find_concepts(catalog, entity, resolved=False) if key in merged]
        if not keys:
            raise NotFoundError(f"'{entity}' was not merged into another entity.", "`graph merges` lists merges.")
        if len(keys) > 1:
            raise _ambiguous(session, entity, keys)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        transact(catalog.engine, partial(concept_merges.unmerge_concept, key=keys[0], now=now))
    return merged[keys[0]]
