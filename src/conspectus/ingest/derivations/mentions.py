"""Where papers speak of the concepts of vocabularies, and what a model reads that they state of two of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from conspectus.ingest.derivations.of_paper import Subject, WhenAsked
from conspectus.records.passage import digest_of
from conspectus.store import entities, schema
from conspectus.store.connection import CatalogReader
from conspectus.store.derivations import Part


class Mentions(WhenAsked):
    """See `Derivation`; its version is that of who links, and of the vocabularies by which.

    Its second part is what a language model said of the paper's words; of papers that none has read it is empty.
    """

    name = "mentions"
    doing = "linking entities"
    parts: tuple[Part, ...] = (Part(schema.mentions), Part(schema.candidates))

    def digest(self, paper: Subject) -> bytes:
        """See `OfPaper.digest`: the passages' names are made of their words."""
        return digest_of(*(passage.id.partition(".")[2] for passage in paper.passages))

    def note(self, connection: Connection) -> None:
        """See `OfPaper.note`."""
        entities.note_graph_change(connection)

    def exported(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        """See `Derivation.exported`."""
        return entities.export_mentions(catalog, paper_keys)


class Extractions(Mentions):
    """See `Derivation`; its version is that of the model and its prompts.

    Its rows are those of `Mentions`, which it makes anew with what a model says of a paper's words; who links again
    keeps that.
    """

    name = "extractions"
    doing = "reading entities"

    def exported(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Mapping[int, Sequence[Mapping[str, Any]]]:  # noqa: ARG002
        """See `Derivation.exported`: `Mentions` tells it."""
        return {}


class Relations(Mentions):
    """See `Derivation`; its version is that of the model, its prompt, and of the mentions."""

    name = "relations"
    doing = "relating entities"
    parts: tuple[Part, ...] = (Part(schema.relations),)

    def exported(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        """See `Derivation.exported`."""
        return entities.export_relations(catalog, paper_keys)
