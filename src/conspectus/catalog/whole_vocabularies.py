"""Vocabularies with all that they say, piece by piece, and what users say of names and entities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import select

from conspectus.catalog import vocabularies as kept
from conspectus.catalog.connection import CatalogReader
from conspectus.catalog.schema import concept_links, concept_names, concepts, merges, vocabularies
from conspectus.core.grouped import grouped
from conspectus.records.views import picked

Said = Mapping[str, Any]


def every_vocabulary(catalog: CatalogReader) -> Iterator[Said]:
    """Each vocabulary, in the order of their ranks."""
    for one in kept.listed(catalog):
        yield picked(one, "name", "rank", "source", "version", "made", "subtree", "languages", "missing")


def every_concept(catalog: CatalogReader, vocabulary: str) -> Iterator[Said]:
    """Each concept of a vocabulary, with its names and links; some are in memory at a time."""
    query = select(concepts).where(concepts.c.vocabulary_key == kept.key_of(catalog, vocabulary))
    for rows in catalog.pages(query, concepts.c.key, 0):
        keys = [row.key for row in rows]
        names, links = (
            grouped((row.concept_key, row) for row in catalog.rows(select(table).where(table.c.concept_key.in_(keys))))
            for table in (concept_names, concept_links)
        )
        for row in rows:
            said = [picked(one, "text", "kind", "left_out") for one in names.get(row.key, ())]
            to = [{"kind": one.kind, "id": one.target} for one in links.get(row.key, ())]
            own_fields = picked(row, "id", "label", "iri", "definition", "deprecated", "state")
            yield {"vocabulary": vocabulary, **own_fields, "names": said, "links": to}


def every_merge(catalog: CatalogReader) -> Iterator[Said]:
    """What users take for one, entities as `VOCABULARY/ID`, as it was said."""
    one, other, mine, theirs = concepts.alias(), concepts.alias(), vocabularies.alias(), vocabularies.alias()
    columns: list[Any] = [mine.c.name.label("near"), one.c.id, theirs.c.name.label("far"), other.c.id.label("into")]
    query = select(*columns, merges.c.made).join_from(merges, one, one.c.key == merges.c.concept_key)
    query = query.join(other, other.c.key == merges.c.said_key).join(mine, mine.c.key == one.c.vocabulary_key)
    query = query.join(theirs, theirs.c.key == other.c.vocabulary_key).order_by(merges.c.made, merges.c.concept_key)
    for row in catalog.rows(query):
        yield {"entity": f"{row.near}/{row.id}", "into": f"{row.far}/{row.into}", "made": row.made}
