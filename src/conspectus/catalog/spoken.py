"""What texts of a map speak of: how often each concept of a vocabulary, and what that concept lies below."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from sqlalchemy import func, select

from conspectus.catalog.connection import CatalogReader, split_chunks
from conspectus.catalog.schema import concept_links, concepts, mentions
from conspectus.records.concepts import LinkKind

Text = tuple[int, str]
"""A paper's key, and a passage's own name; "" of a paper."""


def counts(catalog: CatalogReader, keys: Collection[int], *, passages: bool) -> Iterator[tuple[Text, int, int]]:
    """(text, concept, how often it speaks of that) of papers, or of passages, for some concepts."""
    own = [mentions.c.paper_key, *([mentions.c.passage] if passages else [])]
    for some in split_chunks(list(keys)):
        query = select(mentions.c.concept_key, func.count().label("times"), *own)
        query = query.where(mentions.c.concept_key.in_(some)).group_by(mentions.c.concept_key, *own)
        for row in catalog.rows(query):
            yield (row.paper_key, row.passage if passages else ""), row.concept_key, row.times


def parents_of(catalog: CatalogReader, vocabulary: int) -> dict[int, list[int]]:
    """Each concept of a vocabulary -> those of it that are broader."""
    query = select(concepts.c.key, concepts.c.id).where(concepts.c.vocabulary_key == vocabulary)
    keys = {row.id: row.key for row in catalog.rows(query)}
    links = select(concept_links.c.concept_key, concept_links.c.target).join(concepts)
    links = links.where(concepts.c.vocabulary_key == vocabulary, concept_links.c.kind == str(LinkKind.BROADER))
    found: dict[int, list[int]] = {key: [] for key in keys.values()}
    for row in catalog.rows(links):
        if row.target in keys and keys[row.target] != row.concept_key:
            found[row.concept_key].append(keys[row.target])
    return found


def tops_of(parents: Mapping[int, Sequence[int]], roots: Collection[int]) -> dict[int, set[int]]:
    """Each concept -> those of `roots` that it is, or lies below, on any way."""
    below: dict[int, list[int]] = defaultdict(list)
    for key, above in parents.items():
        for one in above:
            below[one].append(key)
    found: dict[int, set[int]] = defaultdict(set)
    for root in roots:
        waiting = [root]
        while waiting:
            key = waiting.pop()
            if root not in found[key]:
                found[key].add(root)
                waiting += below[key]
    return found


def labels(catalog: CatalogReader, keys: Collection[int]) -> dict[int, str]:
    """The labels of concepts."""
    query = select(concepts.c.key, concepts.c.label)
    return {row.key: row.label for row in catalog.rows_where(query, concepts.c.key, keys)}
