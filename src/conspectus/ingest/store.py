"""Drafts to the catalog, with all that is made of them, and an embedding for each passage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from sqlalchemy import Connection

from conspectus.catalog import passage_rows, writer
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.engine import transact
from conspectus.catalog.passage_rows import Standing
from conspectus.catalog.rows import Document, Draft, Embedded
from conspectus.ingest.derive import derive
from conspectus.ingest.merge import embedding_text, merge, paper_id, text_digest
from conspectus.ingest.plan import Cut
from conspectus.ingest.summaries import keep_summaries
from conspectus.models.protocol import Embedder, Embedding
from conspectus.parse.passages import passages
from conspectus.records import ParsedPaper, Passage
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
    made: dict[bytes, Embedding] | None = None,
    also: Callable[[Connection], object] = lambda _: None,
) -> None:
    """Make the drafts true, in one transaction with what `also` writes.

    `made` are embeddings that are there already, by digests of texts. Summaries stay with a paper whose sentences are
    what they were.
    """
    drafts = keep_summaries(catalog, drafts)
    derived = derive(catalog, drafts)
    held = passage_rows.standing(catalog, drafts, embedder.id)
    embedded = _embed(catalog, embedder, drafts, held, made or {})

    def put(connection: Connection) -> None:
        also(connection)
        writer.put_papers(connection, drafts, derived, held, embedded, embedder.id)

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


def _embed(
    catalog: Catalog, embedder: Embedder, drafts: Sequence[Draft], held: Standing, made: dict[bytes, Embedding]
) -> Embedded:
    """An embedding for each passage that has none of its text as it is embedded now."""
    texts = {
        passage.id: embedding_text(draft.metadata, passage)[0] for draft in drafts for passage in draft.all_passages
    }
    digests = {name: text_digest(text) for name, text in texts.items()}
    new = {name: digest for name, digest in digests.items() if held.digests.get(name) != digest}
    keys = [key for draft in drafts for key in (draft.key, *draft.absorbs) if key] if new else []
    have = catalog.embeddings_of(keys, embedder.id) | made
    wanted = {digest: texts[name] for name, digest in new.items() if digest not in have}
    have |= zip(wanted, embedder.embed(list(wanted.values())), strict=True)
    return {name: (digest, have[digest]) for name, digest in new.items()}
