"""Vectors of passages and of their words, and of papers by their first passages: read and written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Select, and_, delete, exists, func, insert, select

from conspectus.core.arrays import FloatArray
from conspectus.core.groups import grouped
from conspectus.models.protocol import Embedding, TokenVectors
from conspectus.store.codec import half, pack_starts, unpack_tokens, unpack_vector, unpack_vectors
from conspectus.store.connection import CatalogReader, delete_where, insert_rows
from conspectus.store.schema import SUMMARY, models, papers, passages, token_vectors, vectors


def dimensions(catalog: CatalogReader, model: str) -> int:
    """The length of an embedder's vectors; 1 where none was ever stored."""
    return int(catalog.scalar(select(models.c.dimensions).where(models.c.id == model)) or 1)


def vectors_of(catalog: CatalogReader, keys: Sequence[int], model: str) -> dict[int, FloatArray]:
    """Vectors of passages by key, float32 [dimensions]; those without are left out."""
    row_keys, matrix = matrix_of(catalog, keys, model)
    return dict(zip(row_keys, matrix, strict=True))


def matrix_of(catalog: CatalogReader, keys: Sequence[int], model: str) -> tuple[list[int], FloatArray]:
    """The keys of those of the passages that have a vector, and the vectors, float32 [keys, dimensions]."""
    query = select(vectors.c.passage_key, vectors.c.vector, models.c.dimensions).join(models)
    rows = list(catalog.rows_where(query.where(models.c.id == model), vectors.c.passage_key, keys))
    length = rows[0].dimensions if rows else 1
    return [row.passage_key for row in rows], unpack_vectors([row.vector for row in rows], length)


def tokens_of(catalog: CatalogReader, keys: Sequence[int], model: str) -> dict[int, TokenVectors]:
    """Word vectors of passages by key; those without are left out."""
    query = select(token_vectors).join(models)
    rows = catalog.rows_where(query.where(models.c.id == model), token_vectors.c.passage_key, keys)
    return {row.passage_key: unpack_tokens(row.starts, row.vectors) for row in rows}


def digests(catalog: CatalogReader, keys: Sequence[int], model: str) -> dict[int, bytes]:
    """Passage key -> digest of the text that was embedded; those without a vector of `model` are left out."""
    query = select(vectors.c.passage_key, vectors.c.digest).join(models)
    rows = catalog.rows_where(query.where(models.c.id == model), vectors.c.passage_key, keys)
    return {row.passage_key: row.digest for row in rows}


def embeddings_of(catalog: CatalogReader, paper_keys: Sequence[int], model: str) -> dict[bytes, Embedding]:
    """Digest of the embedded text -> embedding, of all passages of papers."""
    same = and_(token_vectors.c.passage_key == vectors.c.passage_key, token_vectors.c.model_key == vectors.c.model_key)
    query = (
        select(vectors.c.digest, vectors.c.vector, token_vectors.c.starts, token_vectors.c.vectors.label("words"))
        .join(passages, passages.c.key == vectors.c.passage_key)
        .outerjoin(token_vectors, same)
        .where(vectors.c.model_key == key_of(model))
    )
    embedding_by_digest, length = {}, dimensions(catalog, model) if paper_keys else 0
    for row in catalog.rows_where(query, passages.c.paper_key, paper_keys):
        tokens = None if row.starts is None else unpack_tokens(row.starts, row.words)
        embedding_by_digest[row.digest] = Embedding(unpack_vector(row.vector, length), tokens)
    return embedding_by_digest


def keys_with(catalog: CatalogReader, model: str, paper_keys: Sequence[int] | None = None) -> npt.NDArray[np.int64]:
    """The keys of the passages that have vectors of `model`, of some papers or of all, int64, ascending."""
    mine = select(vectors.c.passage_key).where(vectors.c.model_key == key_of(model))
    if paper_keys is None:
        return catalog.numbers(mine.order_by(vectors.c.passage_key))
    mine = mine.join(passages, passages.c.key == vectors.c.passage_key)
    rows = catalog.rows_where(mine, passages.c.paper_key, paper_keys)
    return np.array(sorted(row.passage_key for row in rows), np.int64)


def keys_without(catalog: CatalogReader, model: str, after: int, limit: int) -> list[int]:
    """The keys of the first passages after a key that have no vector of `model`, ascending."""
    has = exists().where(and_(vectors.c.passage_key == passages.c.key, vectors.c.model_key == key_of(model)))
    query = select(passages.c.key).where(passages.c.key > after, ~has).order_by(passages.c.key).limit(limit)
    return [row.key for row in catalog.rows(query)]


def count_without(catalog: CatalogReader, model: str) -> int:
    """How many passages have no vector of `model`."""
    has = select(func.count()).select_from(vectors).where(vectors.c.model_key == key_of(model))
    return int(catalog.scalar(select(func.count()).select_from(passages))) - int(catalog.scalar(has))


def key_of(model: str) -> Any:
    """The key of an embedder's id, within a question."""
    return select(models.c.key).where(models.c.id == model).scalar_subquery()


def save_vectors(connection: Connection, model: str, new_embeddings: Iterable[tuple[int, bytes, Embedding]]) -> None:
    """Let passages have these vectors of a model: (key, digest of the text that was embedded, embedding)."""
    rows = list(new_embeddings)
    if not rows:
        return
    key = _put_model(connection, model, len(rows[0][2].vector))
    dense, words = [], []
    for passage_key, digest, embedding in rows:
        name = {"passage_key": passage_key, "model_key": key}
        dense.append(name | {"digest": digest, "vector": half(embedding.vector).tobytes()})
        if (tokens := embedding.tokens) is not None:
            words.append(name | {"starts": pack_starts(tokens.starts), "vectors": tokens.vectors.tobytes()})
    insert_rows(connection, vectors, dense)
    insert_rows(connection, token_vectors, words)


def _put_model(connection: Connection, model: str, length: int) -> int:
    """The key of an embedder's id, made where it is new."""
    query: Select[Any] = select(models.c.key).where(models.c.id == model)
    key = connection.scalar(query)
    if key is None:
        connection.execute(insert(models).values(id=model, dimensions=length))
        key = connection.scalar(query)
    assert key is not None
    return int(key)


def drop(connection: Connection, keys: Sequence[int], model: str = "") -> None:
    """Delete the vectors that passages have, of a model; "": of all."""
    for table in (vectors, token_vectors):
        mine = [table.c.model_key == key_of(model)] if model else []
        delete_where(connection, table.c.passage_key, keys, *mine)


def drop_others(connection: Connection, model: str) -> None:
    """Delete all vectors that are not of `model`."""
    connection.execute(delete(models).where(models.c.id != model))


@dataclass(frozen=True, slots=True)
class Extent:
    """Which passages a catalog has: how many, and the greatest key. Keys are never used again."""

    passages: int
    last: int


def read_extent(catalog: CatalogReader) -> Extent:
    """Which passages there are now."""
    number = catalog.scalar(select(func.count()).select_from(passages))
    return Extent(int(number), int(catalog.scalar(select(func.max(passages.c.key))) or 0))


def changed_share(catalog: CatalogReader, before: Extent) -> float:
    """How many passages have come or gone since `before`, as a share of those that there were; from 0 to beyond 1."""
    now = read_extent(catalog)
    new = int(catalog.scalar(select(func.count()).where(passages.c.key > before.last)) or 0)
    gone = before.passages - (now.passages - new)
    return (new + gone) / max(before.passages, 1)


def all_paper_keys(catalog: CatalogReader) -> npt.NDArray[np.int64]:
    """The keys of all papers, int64, ascending."""
    return catalog.numbers(select(papers.c.key).order_by(papers.c.key))


def first_passages(catalog: CatalogReader, keys: Sequence[int]) -> dict[int, int]:
    """Paper key -> the key of its first passage; papers without a passage are left out."""
    query = select(passages.c.paper_key, passages.c.key).where(passages.c.ordinal == 0)
    return {row.paper_key: row.key for row in catalog.rows_where(query, passages.c.paper_key, keys)}


def own_passages(catalog: CatalogReader, keys: Sequence[int]) -> dict[int, list[int]]:
    """Paper key -> the keys of its own passages, without summaries, in reading order; papers without are left out."""
    query = select(passages.c.paper_key, passages.c.key).where(passages.c.kind != SUMMARY).order_by(passages.c.ordinal)
    return grouped((row.paper_key, row.key) for row in catalog.rows_where(query, passages.c.paper_key, keys))


def first_vectors(catalog: CatalogReader, keys: Sequence[int], model: str) -> dict[int, FloatArray]:
    """Paper key -> the vector of its first passage, float32 [dimensions]; papers without are left out."""
    first = first_passages(catalog, keys)
    vectors = vectors_of(catalog, list(first.values()), model)
    return {paper: vectors[key] for paper, key in first.items() if key in vectors}
