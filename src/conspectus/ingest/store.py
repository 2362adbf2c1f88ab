"""Drafts to the catalog, with all that is made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from sqlalchemy import Connection

from conspectus.catalog import passage_rows, writer
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.engine import transact
from conspectus.catalog.rows import Document, Draft
from conspectus.ingest.derivations.registry import derivations
from conspectus.ingest.merge import merge, paper_id
from conspectus.ingest.plan import Cut
from conspectus.models.protocol import Embedder, Embedding
from conspectus.parse.passages import passages
from conspectus.records import ParsedPaper, Passage
from conspectus.records.embedded import embedding_text, text_digest
from conspectus.settings import PassageSettings

Cuts = dict[str, tuple[ParsedPaper, tuple[Passage, ...]]]
"""Paper id -> the paper, and the passages that it is cut into."""


def cutter(settings: PassageSettings) -> Cut:
    """How papers are cut into passages."""
    return partial(passages, chars=settings.chars, overlap=settings.overlap)


def write(
    catalog: Catalog,
    embedder: Embedder,
    drafts: Sequence[Draft],
    made: Mapping[bytes, Embedding] | None = None,
    also: Callable[[Connection], object] = lambda _: None,
) -> None:
    """Make the drafts true with all that is derived of them, in one transaction with what `also` writes.

    `made` are embeddings that are there already, by digests of texts.
    """
    kinds = derivations(embedder, made)
    for one in kinds:
        drafts = one.carried(catalog, drafts)
    held = passage_rows.standing(catalog, drafts)
    prepared = [one.prepared(catalog, drafts, held) for one in kinds]

    def put(connection: Connection) -> None:
        also(connection)
        writer.put_papers(connection, drafts, prepared, held)

    transact(catalog.engine, put)


def cut_ahead(catalog: Catalog, documents: Sequence[Document], cut: Cut) -> Cuts:
    """The papers of documents that are new to the catalog, as they will be if no other document is of theirs."""
    known = catalog.papers_known_as(name for document in documents for name in document.identities)
    found: Cuts = {}
    for document in documents:
        if known.keys().isdisjoint(document.identities):
            paper, name = merge([document]), paper_id(document.identities[0])
            found[name] = paper, cut(name, paper)
    return found


def texts_of(cuts: Cuts) -> dict[bytes, str]:
    """What will be embedded of papers: digest -> text."""
    texts = (embedding_text(paper.metadata, passage)[0] for paper, found in cuts.values() for passage in found)
    return {text_digest(text): text for text in texts}


def remembering(cuts: Cuts, cut: Cut) -> Cut:
    """`cut`, but of papers that are cut already."""

    def once(name: str, paper: ParsedPaper) -> tuple[Passage, ...]:
        known, found = cuts.get(name, (None, ()))
        return found if known == paper else cut(name, paper)

    return once
