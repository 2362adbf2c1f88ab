"""A vector for each passage, and vectors of its words, by the embedder that the library has."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from conspectus.core.job_context import Notice, emit
from conspectus.ingest.derivations.protocol import Derivation, Lines
from conspectus.ingest.error_attribution import run_one_by_one
from conspectus.models.protocol import Embedder, Embedding, TokenVectors
from conspectus.records.events import Progress
from conspectus.records.passage import embedding_text, text_digest
from conspectus.store import vectors
from conspectus.store.catalog import Catalog
from conspectus.store.connection import bump, transact
from conspectus.store.derivations import Noted, Prepared, Stored
from conspectus.store.rows import PaperDraft, StoredPassages

Rows = Sequence[tuple[int, bytes, Embedding]]
"""Passage key, digest of the text that was embedded, and its embedding."""
Embedded = Mapping[str, tuple[bytes, Embedding]]
"""Passage id -> digest of the text that is embedded, and its embedding."""


class Vectors(Derivation):
    """See `Derivation`; its version is the embedder's id, and it is noted beside each vector of what it was made.

    Args:
        embedder: None where it is not at hand: then what there is can be looked at.
        made: embeddings that are there already, by digests of texts.
    """

    name = "vectors"
    doing = "embedding"
    unit = "passages"
    batch = 256
    schema = "conspectus.vector/1"
    on_request = True

    def __init__(self, embedder: Embedder | None = None, embeddings: Mapping[bytes, Embedding] | None = None) -> None:
        self._embedder = embedder
        self._embeddings = embeddings or {}
        self.version = embedder.id if embedder else ""

    def prepare(self, catalog: Catalog, drafts: Sequence[PaperDraft], stored_passages: StoredPassages) -> Prepared:
        """See `Derivation.prepare`: for each passage that has no vector of its text as it is embedded now."""
        texts = {
            passage.id: embedding_text(draft.metadata, passage)[0] for draft in drafts for passage in draft.all_passages
        }
        keys = {name: row["key"] for name, row in stored_passages.row_by_id.items()}
        digest_by_key = vectors.digests(catalog, list(keys.values()), self.version)
        known = {name: digest_by_key[key] for name, key in keys.items() if key in digest_by_key}
        papers = [key for draft in drafts for key in draft.keys]
        return self.of_texts(catalog, texts, known, papers)

    def of_texts(
        self, catalog: Catalog, texts: Mapping[str, str], known: Mapping[str, bytes], papers: Sequence[int]
    ) -> Prepared:
        """Vectors of passages by ids and texts, but for those whose text is `known`; what `papers` had is not made."""
        digests = {name: text_digest(text) for name, text in texts.items()}
        new = {name: digest for name, digest in digests.items() if known.get(name) != digest}
        have = vectors.embeddings_of(catalog, papers if new else [], self.version) | dict(self._embeddings)
        new_texts = {digest: texts[name] for name, digest in new.items() if digest not in have}
        have |= zip(new_texts, self._embed(list(new_texts.values())), strict=True)
        return _Fresh(self.version, {name: (digest, have[digest]) for name, digest in new.items()})

    def count_lacking(self, catalog: Catalog, noted: Noted) -> int:  # noqa: ARG002
        """See `Derivation.count_lacking`."""
        return vectors.count_without(catalog, self.version)

    def lacking(self, catalog: Catalog, after: int, limit: int) -> list[int]:
        """See `Derivation.lacking`."""
        return vectors.keys_without(catalog, self.version, after, limit)

    def make_missing(self, catalog: Catalog, keys: Sequence[int]) -> None:
        """See `Derivation.make_missing`."""
        self.save(catalog, self.embed_stored(catalog, keys))

    def embed_stored(self, catalog: Catalog, keys: Sequence[int]) -> Rows:
        """Embed passages of the catalog as they are now; nothing is written."""
        texts = _texts(catalog, keys)
        digests = map(text_digest, texts.values())
        return list(zip(texts, digests, self._embed(list(texts.values())), strict=True))

    def save(self, catalog: Catalog, rows: Rows, *, is_searched: bool = True) -> None:
        """Write embeddings of passages that still have these texts. The caller holds the writer lock.

        Args:
            is_searched: whether the library is searched by this model: then the index has to follow.
        """
        passages = catalog.passages_by_key([key for key, *_ in rows])
        digests = {key: text_digest(text) for key, text in _texts(catalog, list(passages)).items()}
        current_rows = [row for row in rows if digests.get(row[0]) == row[1]]

        def put(connection: Connection) -> None:
            keys = [key for key, *_ in current_rows]  # a damaged catalog has words without their vector
            vectors.drop(connection, keys, self.version)
            vectors.save_vectors(connection, self.version, current_rows)
            if is_searched and keys:
                bump(connection, {passages[key].paper_key for key in keys})

        transact(catalog.engine, put)

    def lines(self, catalog: Catalog, paper_keys: Sequence[int]) -> Lines:
        """See `Derivation.lines`: of all models that there are vectors of."""
        models, lines_by_paper = catalog.model_ids(), {}
        for paper, passages in catalog.passage_names(paper_keys).items():
            dense = {model: vectors.vectors_of(catalog, list(passages), model) for model in models}
            words = {model: vectors.tokens_of(catalog, list(passages), model) for model in models}
            lines_by_paper[paper] = [
                {
                    "passage": name,
                    "model": model,
                    "vector": _coded(dense_vectors[key]),
                    "words": _words(words[model].get(key)),
                }
                for key, name in passages.items()
                for model, dense_vectors in dense.items()
                if key in dense_vectors
            ]
        return lines_by_paper

    def _embed(self, texts: Sequence[str]) -> list[Embedding]:
        assert self._embedder is not None, "who has something made brings the embedder"
        return list(self._embedder.embed(texts))


@dataclass(frozen=True, slots=True)
class _Fresh:
    """See `Prepared`: vectors of passages that have none, or one of another text."""

    model: str
    embedded: Embedded

    def put(self, connection: Connection, stored: Stored) -> set[int]:
        changed_names = [name for name in self.embedded if name in stored.stood]
        vectors.drop(connection, [stored.passages[name] for name in changed_names])
        vectors.save_vectors(
            connection, self.model, ((stored.passages[name], *pair) for name, pair in self.embedded.items())
        )
        return {stored.stood[name] for name in changed_names}


def _texts(catalog: Catalog, keys: Sequence[int]) -> dict[int, str]:
    """What is embedded of passages, by their keys."""
    passages = catalog.passages_by_key(keys)
    papers = catalog.papers_by_key(sorted({stored.paper_key for stored in passages.values()}))
    return {key: embedding_text(papers[stored.paper_key], stored.passage)[0] for key, stored in passages.items()}


def compute_missing(
    catalog: Catalog,
    embedder: Embedder,
    lock: Callable[[], AbstractContextManager[None]],
    is_searched: Callable[[], bool],
) -> tuple[int, int]:
    """Compute the vectors that passages lack, batch by batch; returns how many were computed, and how many failed.

    Texts are embedded without the lock, so others can add papers meanwhile; theirs are computed too, where they come
    before the end. Each batch is kept at once.

    Args:
        lock: holds the library's writer lock for one batch.
        is_searched: see `Vectors.save`; asked for each batch, since another process may go over to this model.
    """
    derivation = Vectors(embedder)
    total, last, done, failed = vectors.count_without(catalog, embedder.id), 0, 0, 0

    def compute(keys: Sequence[int]) -> None:
        rows = derivation.embed_stored(catalog, keys)
        with lock():
            derivation.save(catalog, rows, is_searched=is_searched())

    while total and (keys := vectors.keys_without(catalog, embedder.id, last, derivation.batch)):
        bad = list(run_one_by_one(compute, keys).values())
        if bad and not failed:
            emit(Notice(f"{derivation.doing} failed: {bad[0]} {bad[0].hint}"))
        last, done, failed = keys[-1], done + len(keys), failed + len(bad)
        emit(Progress(derivation.doing, done, max(total, done), derivation.unit))
    return done - failed, failed


def _words(tokens: TokenVectors | None) -> dict[str, Any] | None:
    return None if tokens is None else {"starts": _coded(tokens.starts), "vectors": _coded(tokens.vectors)}


def _coded(numbers: Any) -> str:
    return base64.b64encode(numbers.tobytes()).decode()
