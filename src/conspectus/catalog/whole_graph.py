"""The graph of a catalog, read piece by piece: sentences paper by paper, and what joins entities, entity by entity."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Select, and_, func, select

from conspectus.catalog import mentions as kept
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.codec import unpack
from conspectus.catalog.connection import CatalogReader
from conspectus.catalog.derivations import Row
from conspectus.catalog.mentions import Place
from conspectus.catalog.schema import mentions, merges, passages, relations
from conspectus.core.grouped import grouped
from conspectus.records import Filters

_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Joined:
    """The sentences that join two entities, by their keys."""

    first: int
    second: int
    kind: str
    places: tuple[Place, ...]


def mentioned(catalog: Catalog, paper: int) -> list[Any]:
    """(sentence, start, stop, score, method, entity's key) of a paper's mentions."""
    own = func.coalesce(merges.c.into_key, mentions.c.concept_key).label("concept")
    names = (mentions.c.span, mentions.c.start, mentions.c.stop, mentions.c.score, mentions.c.method, own)
    query = select(*names).outerjoin(merges, merges.c.concept_key == mentions.c.concept_key)
    found = query.where(mentions.c.paper_key == paper).order_by(mentions.c.span, mentions.c.start)
    return list(catalog.rows(found))


def read(catalog: Catalog, paper: int) -> Iterator[tuple[list[str], int, int | None, str]]:
    """(sentences, entity's key, the other's or None where they describe it, model) of what a model read in a paper."""
    near, far = merges.alias(), merges.alias()
    one = func.coalesce(near.c.into_key, relations.c.concept_key).label("first")
    two = func.coalesce(far.c.into_key, relations.c.other_key).label("second")
    query = select(relations.c.spans, one, two, relations.c.model).select_from(relations)
    query = query.outerjoin(near, near.c.concept_key == relations.c.concept_key)
    query = query.outerjoin(far, far.c.concept_key == relations.c.other_key)
    for row in catalog.rows(query.where(relations.c.paper_key == paper).order_by(relations.c.key)):
        yield unpack(row.spans, list[str], "the sentences of a relation"), row.first, row.second, row.model


def joined(catalog: Catalog, keys: Collection[int], filters: Filters | None = None) -> Iterator[Joined]:
    """What joins each two entities, of some that are named by their keys; each pair once."""
    for key in sorted(keys):
        group = kept.members(catalog, [key])[key]
        for other, places in sorted(kept.stated(catalog, group, filters).items()):
            if other > key:
                yield Joined(key, other, "stated", tuple(dict.fromkeys(places)))
        with _streamed(catalog, _together(key, group, filters)) as rows:
            for other, found in groupby(rows, lambda row: int(row.concept)):
                yield Joined(key, other, "co-mention", tuple(Place(one.paper_key, one.span, "") for one in found))


def _together(key: int, group: Sequence[int], filters: Filters | None) -> Select[Any]:
    """(concept, paper's key, sentence) of the concepts of a higher key that stand in one sentence with one."""
    other = mentions.alias()
    same = and_(other.c.paper_key == mentions.c.paper_key, other.c.span == mentions.c.span)
    own = func.coalesce(merges.c.into_key, other.c.concept_key).label("concept")
    query = select(own, mentions.c.paper_key, mentions.c.span).select_from(mentions).join(other, same)
    query = query.outerjoin(merges, merges.c.concept_key == other.c.concept_key)
    query = query.where(mentions.c.concept_key.in_(group), own > key, *kept.passing(filters)).distinct()
    return query.order_by(own, mentions.c.paper_key, mentions.c.span)


@contextmanager
def _streamed(catalog: Catalog, query: Select[Any]) -> Iterator[Iterator[Any]]:
    options = {"yield_per": _AT_ONCE, "binary": True}
    with catalog.engine.connect() as connection, connection.execute(query, execution_options=options) as found:
        yield iter(found)


def exported(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, list[Row]]:
    """Paper key -> its mentions as an export has them."""
    found = kept.of_papers(catalog, paper_keys).items()
    return {
        key: [{"span": one.span_id, "start": one.start, "stop": one.stop, "entity": one.entity} for one in group]
        for key, group in found
    }


def exported_relations(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, list[Row]]:
    """Paper key -> what a model read that it states, as an export has it."""
    rows = list(catalog.rows_where(select(relations).order_by(relations.c.key), relations.c.paper_key, paper_keys))
    names = kept.ids(catalog, {key for row in rows for key in (row.concept_key, row.other_key) if key})
    return grouped((row.paper_key, _relation(row, names)) for row in rows)


def _relation(row: Any, names: Mapping[int, str]) -> Row:
    spans = unpack(row.spans, list[str], "the sentences of a relation")
    entities = [names[key] for key in (row.concept_key, row.other_key) if key]
    return {"entities": entities, "passage": row.passage, "spans": spans, "model": row.model}


def passage_keys(
    catalog: Catalog, names: Sequence[tuple[int, str]], filters: Filters | None = None
) -> dict[tuple[int, str], int]:
    """(paper's key, passage's own name) -> its key; those that are gone, or not of the filters' kinds, are left out."""
    ids = catalog.ids_of({paper for paper, _ in names})
    wanted = {f"{ids[paper]}.{own}": (paper, own) for paper, own in names if paper in ids}
    kinds = [passages.c.kind.in_(filters.kind)] if filters and filters.kind else []
    query = select(passages.c.id, passages.c.key).where(*kinds)
    return {wanted[row.id]: row.key for row in catalog.rows_where(query, passages.c.id, wanted)}
