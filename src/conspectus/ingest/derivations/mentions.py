"""Rows of mentions of concepts, of relations that a model read, of places on the map, and of directions.

They are made when asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from conspectus.ingest.derivations.protocol import Subject, WhenAsked
from conspectus.records.atlas import Mapped
from conspectus.records.passage import digest_of, digest_of_texts, embedding_text, text_digest
from conspectus.store import direction_tables, entities, graph_tables, schema
from conspectus.store.connection import CatalogReader
from conspectus.store.derivations import DerivedRows


class MentionRows(WhenAsked):
    """See `Derivation`; its version is that of who links, and of the vocabularies by which.

    Its second part is what a language model said of the paper's words; of papers that none has read it is empty.
    """

    name = "mentions"
    doing = "linking entities"
    parts: tuple[DerivedRows, ...] = (DerivedRows(graph_tables.mentions), DerivedRows(graph_tables.candidates))

    def digest(self, paper: Subject) -> bytes:
        """See `OfPaper.digest`: the passages' names are made of their words."""
        return digest_of(*(passage.id.partition(".")[2] for passage in paper.passages))

    def note(self, connection: Connection) -> None:
        """See `OfPaper.note`."""
        entities.note_graph_change(connection)

    def exported(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        """See `Derivation.exported`."""
        return entities.export_mentions(catalog, paper_keys)


class ExtractionRows(MentionRows):
    """See `Derivation`; its version is that of the model and its prompts.

    Its rows are those of `MentionRows`, which it makes anew with what a model says of a paper's words; who links again
    keeps that.
    """

    name = "extractions"
    doing = "reading entities"

    def exported(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Mapping[int, Sequence[Mapping[str, Any]]]:  # noqa: ARG002
        """See `Derivation.exported`: `MentionRows` tells it."""
        return {}


class RelationRows(MentionRows):
    """See `Derivation`; its version is that of the model, its prompt, and of the mentions."""

    name = "relations"
    doing = "relating entities"
    parts: tuple[DerivedRows, ...] = (DerivedRows(graph_tables.relations),)

    def exported(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        """See `Derivation.exported`."""
        return entities.export_relations(catalog, paper_keys)


class PositionRows(WhenAsked):
    """See `Derivation`; its version is that of the map, of papers or of passages."""

    doing = "mapping"

    def __init__(self, of: Mapped = "papers", version: str = "") -> None:
        super().__init__(None, version)
        self.name = "map" if of == "papers" else "map of passages"
        self.parts = (DerivedRows(schema.positions, "of", (of,)),)

    def digest(self, paper: Subject) -> bytes:
        """See `OfPaper.digest`: of what was embedded."""
        return digest_of_texts([text_digest(embedding_text(paper.metadata, one)[0]) for one in paper.passages])


class ActivationRows(PositionRows):
    """See `Derivation`; its version is that of the directions, of papers or of passages.

    The words of labels are not among its rows: they go with a paper that is removed, not with one that is edited.
    """

    doing = "finding active directions"

    def __init__(self, of: Mapped = "papers", version: str = "") -> None:
        super().__init__(of, version)
        self.name = "directions" if of == "papers" else "directions of passages"
        self.parts = (DerivedRows(direction_tables.activations, "of", (of,)),)
