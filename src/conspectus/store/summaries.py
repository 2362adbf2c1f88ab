"""What language models wrote of papers (S3): passages of the kind `summary`, and the papers' sentences they rest on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from sqlalchemy import Column, Connection, delete, select

from conspectus.core.groups import grouped
from conspectus.records import Paper, Passage, Summary
from conspectus.records.views import pick_fields
from conspectus.store.catalog import Catalog
from conspectus.store.codec import pack
from conspectus.store.connection import delete_where, insert_rows
from conspectus.store.rows import StoredSummary
from conspectus.store.schema import SUMMARY, papers, passages, summaries


class _Links(msgspec.Struct, frozen=True, array_like=True):
    """What the column `links` holds."""

    digest: bytes
    links: tuple[tuple[str, ...], ...]


_links = msgspec.msgpack.Decoder(_Links)


def digest_of(paper_passages: Iterable[Passage]) -> bytes:
    """16 bytes that stand for a paper's sentences in their order, however it is cut into passages."""
    ids = dict.fromkeys(span.id for passage in paper_passages for span in passage.spans)
    return hashlib.blake2b("\0".join(ids).encode(), digest_size=16).digest()


def keys(catalog: Catalog, paper_keys: Sequence[int] | None = None) -> npt.NDArray[np.int64]:
    """The keys of the summary passages of some papers, or of all, int64, ascending."""
    query = select(summaries.c.passage_key)
    if paper_keys is None:
        return catalog.numbers(query.order_by(summaries.c.passage_key))
    query = query.join(passages, passages.c.key == summaries.c.passage_key)
    rows = catalog.rows_where(query, passages.c.paper_key, paper_keys)
    return np.array(sorted(row.passage_key for row in rows), np.int64)


def of_papers(catalog: Catalog, paper_keys: Sequence[int]) -> dict[int, list[StoredSummary]]:
    """Paper key -> its summaries in their order; papers without are left out."""
    summaries_by_paper = grouped(
        (summary.paper_key, summary) for summary in _stored(catalog, passages.c.paper_key, paper_keys)
    )
    return {
        key: sorted(group, key=lambda summary: summary.summary.passage.ordinal)
        for key, group in summaries_by_paper.items()
    }


def by_key(catalog: Catalog, passage_keys: Sequence[int]) -> dict[int, StoredSummary]:
    """Summaries by the keys of their passages; keys of other passages are left out."""
    return {summary.key: summary for summary in _stored(catalog, summaries.c.passage_key, passage_keys)}


def _stored(catalog: Catalog, column: Column[Any], values: Sequence[int]) -> list[StoredSummary]:
    query = select(summaries).join(passages, passages.c.key == summaries.c.passage_key)
    rows = list(catalog.rows_where(query, column, values))
    stored = catalog.passages_by_key([row.passage_key for row in rows])
    stored_summaries = []
    for row in rows:
        if stored_passage := stored.get(row.passage_key):
            source_links = _links.decode(row.links)
            summary = Summary(
                stored_passage.passage, source_links.links, row.model, row.prompt, row.made, source_links.digest
            )
            stored_summaries.append(StoredSummary(stored_passage.key, stored_passage.paper_key, summary))
    return stored_summaries


def summarised(catalog: Catalog) -> set[str]:
    """The ids of the papers that have summaries."""
    of = select(papers.c.id).join(passages, passages.c.paper_key == papers.c.key)
    query = of.join(summaries, summaries.c.passage_key == passages.c.key).distinct()
    return {row.id for row in catalog.rows(query)}


def summarised_papers(catalog: Catalog, after: int = 0) -> Iterator[Paper]:
    """The papers that have summaries, in the order they were added, behind the one with the key `after`."""
    of = select(passages.c.paper_key).join(summaries, summaries.c.passage_key == passages.c.key).distinct()
    for rows in catalog.pages(of, passages.c.paper_key, after):
        paper_by_key = catalog.papers_by_key([row.paper_key for row in rows])
        yield from (paper_by_key[key] for key in sorted(paper_by_key))


def drop(connection: Connection, paper_key: int) -> None:
    """Delete the summaries of a paper."""
    connection.execute(delete(passages).where(passages.c.paper_key == paper_key, passages.c.kind == SUMMARY))


def save_summaries(connection: Connection, keyed_summaries: Sequence[tuple[int, Summary]]) -> None:
    """Let this be known of summaries whose passages are stored: (key of the passage, summary)."""
    delete_where(connection, summaries.c.passage_key, [key for key, _ in keyed_summaries])
    rows = [
        {
            "passage_key": key,
            "links": pack(_Links(summary.digest, summary.links)),
            **pick_fields(summary, "model", "prompt", "made"),
        }
        for key, summary in keyed_summaries
    ]
    insert_rows(connection, summaries, rows)
