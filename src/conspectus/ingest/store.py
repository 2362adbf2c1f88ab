"""Drafts to the catalog, with an embedding for each passage; and all papers cut anew where the settings say so."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from sqlalchemy import Connection

from conspectus.catalog import writer
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.codec import unpack_json
from conspectus.catalog.engine import transact, writing
from conspectus.catalog.rows import Document, Draft, Embedded
from conspectus.errors import InputError
from conspectus.ingest.blame import sparing
from conspectus.ingest.merge import embedding_text, identities, merge, text_digest
from conspectus.ingest.plan import Cut, replan
from conspectus.ingest.progress import Progress, ProgressCallback
from conspectus.ingest.summaries import keep_summaries
from conspectus.models.protocol import Embedder, Embedding
from conspectus.parse.passages import PASSAGES_VERSION, passages
from conspectus.settings import PassageSettings

_BATCH = 64
KEPT = "kept as cut before"


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
    embedded = _embed(catalog, embedder, drafts, made or {})

    def put(connection: Connection) -> None:
        also(connection)
        writer.put_papers(connection, drafts, embedded, embedder.id)

    transact(catalog.engine, put)


def texts_of(catalog: Catalog, documents: Sequence[Document], cut: Cut) -> dict[bytes, str]:
    """What will be embedded of documents whose papers are new to the catalog: digest -> text."""
    names = [identities(document) for document in documents]
    known = catalog.papers_known_as(name for group in names for name in group)
    texts: dict[bytes, str] = {}
    for document, group in zip(documents, names, strict=True):
        if known.keys().isdisjoint(group):
            found = merge([document])
            cuts = (embedding_text(found.metadata, passage)[0] for passage in cut("", found))
            texts |= {text_digest(text): text for text in cuts}
    return texts


def _embed(catalog: Catalog, embedder: Embedder, drafts: Sequence[Draft], made: dict[bytes, Embedding]) -> Embedded:
    """An embedding for each passage: the one it has, where the embedded text is the same."""
    texts = {
        passage.id: embedding_text(draft.metadata, passage)[0] for draft in drafts for passage in draft.all_passages
    }
    digests = {name: text_digest(text) for name, text in texts.items()}
    keys = [key for draft in drafts for key in (draft.key, *draft.absorbs) if key]
    have = catalog.embeddings_of(keys, embedder.id) | made
    wanted = {digests[name]: text for name, text in texts.items() if digests[name] not in have}
    have |= zip(wanted, embedder.embed(list(wanted.values())), strict=True)
    return {name: (digest, have[digest]) for name, digest in digests.items()}


def recut(catalog: Catalog, embedder: Embedder, settings: PassageSettings, progress: ProgressCallback) -> None:
    """Cut all papers anew, from what was read of them, where settings or an older version cut otherwise.

    One that fails stays as it was, is told by `doctor`, and is tried again the next time.

    Only passages whose text is new are embedded. Interrupted, it begins anew and finds the embeddings made so far.
    """
    wanted = f"{settings.chars}/{settings.overlap}/{PASSAGES_VERSION}"
    known, spared = catalog.meta("cut"), kept_keys(catalog)
    if known == wanted and not spared:
        return

    def again(keys: list[int]) -> None:
        write(catalog, embedder, replan(catalog, keys, set(), cutter(settings))[0])

    kept: dict[int, InputError] = {}
    if known:
        batches = [spared] if known == wanted else _paper_keys(catalog)
        total, done = len(spared) if known == wanted else catalog.counts()["papers"], 0
        for keys in batches:
            kept |= sparing(again, keys)
            done += len(keys)
            progress(Progress("cutting", done, total, "papers"))
    with writing(catalog.engine) as connection:
        writer.put_meta(connection, "cut", wanted)
        writer.put_meta(connection, KEPT, json.dumps({str(key): str(error) for key, error in kept.items()}))


def kept(catalog: Catalog) -> dict[str, str]:
    """Papers, by id, that could not be cut anew and are as they were, and why."""
    said = _kept(catalog)
    papers = catalog.papers_by_key(list(said))
    return {papers[key].id: reason for key, reason in said.items() if key in papers}


def kept_keys(catalog: Catalog) -> list[int]:
    """The keys of these papers: they are tried again."""
    return sorted(catalog.papers_by_key(list(_kept(catalog))))


def _kept(catalog: Catalog) -> dict[int, str]:
    return unpack_json(catalog.meta(KEPT) or "{}", dict[int, str], "which papers could not be cut anew")


def _paper_keys(catalog: Catalog) -> Iterator[list[int]]:
    last = 0
    while keys := catalog.paper_keys_after(last, _BATCH):
        yield keys
        last = keys[-1]
