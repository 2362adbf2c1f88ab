"""Bringing the search index up to the catalog: add what is missing, remove what is extra."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from conspectus.core.errors import BusyError, LibraryDamagedError, LibraryError
from conspectus.core.job_context import emit
from conspectus.index import protocol
from conspectus.index.protocol import IndexRow, IndexStats, SearchIndex
from conspectus.ingest.derivations.protocol import Derivation
from conspectus.ingest.derivations.registry import DERIVATIONS, derive_missing
from conspectus.ingest.derivations.registry import facets as derived_facets
from conspectus.ingest.error_attribution import run_one_by_one
from conspectus.records import Metadata, Passage, facet_terms
from conspectus.records.events import Progress
from conspectus.store import writer
from conspectus.store.catalog import Catalog
from conspectus.store.connection import writing
from conspectus.store.late_indexes import complete_indexes
from conspectus.store.lock import folder_lock, is_adding, writer_lock
from conspectus.store.vectors import dimensions, keys_with, vectors_of

BATCH = 500
CATCH_UP_SECONDS = 60
FIRST_SECONDS = 60
"""How long a search waits for another process that makes the first index."""
SMALL = 5000
"""An index of so many passages is built in two seconds; then nothing of what was taken out is left in it."""
FOREIGN = "The index was written by another user or on another computer"
MOST_DEAD = 0.05
"""In a larger one so many, of all, may still count where words are weighed by their rarity."""


def is_synced(catalog: Catalog, index: SearchIndex, model: str) -> bool:
    """Whether the index, and those beside it, are of `model` and up to the catalog's last change."""
    return not _behind(catalog, index, model)


def _behind(catalog: Catalog, index: SearchIndex, model: str) -> list[SearchIndex]:
    """Those of the indexes that are not. Where nothing was ever made for one, it is not made."""
    change = catalog.change()

    def well(stats: IndexStats) -> bool:
        return stats.change == change and (stats.model == model or stats.rows == 0)

    stale_indexes = [] if well(index.stats()) else [index]
    for derivation in side_derivations():
        side_index = index.beside(derivation.index_name)
        if not well(stats := side_index.stats()) and (stats.rows or len(derivation.passages(catalog))):
            stale_indexes.append(side_index)
    return stale_indexes


def side_derivations() -> Iterator[Derivation]:
    """The derivations whose passages are searched in an index beside that of the papers' own."""
    return (derivation for derivation in DERIVATIONS if derivation.index_name)


def sync(catalog: Catalog, index: SearchIndex, model: str, *, fresh: bool = False) -> None:
    """Bring the index, and those beside it, up to the catalog; `fresh` builds them anew.

    One in the catalog's own database is up to it already (`index_follower`), unless it was made by nobody yet.
    Passages without a vector of `model` are not indexed: make these first (`derive_missing`).
    """
    if fresh or not is_synced(catalog, index, model):
        derive_missing(catalog, [derivation for derivation in DERIVATIONS if derivation.awaited])
        with catalog.snapshot() as now:  # on a server others may be writing
            own_keys = embedded = keys_with(now, model)
            behind = [index] if fresh else _behind(now, index, model)
            for derivation in side_derivations():
                derived_keys, side_index = derivation.passages(now), index.beside(derivation.index_name)
                own_keys = np.setdiff1d(own_keys, derived_keys, assume_unique=True)
                if (fresh or side_index in behind) and (len(derived_keys) or not _is_empty(side_index)):
                    _sync(now, side_index, np.intersect1d(embedded, derived_keys, assume_unique=True), model, fresh)
            if index in behind:
                _sync(now, index, own_keys, model, fresh)
    elif protocol.is_shared(index):
        protocol.settle(index)


def _is_empty(index: SearchIndex) -> bool:
    try:
        return not index.stats().rows
    except LibraryDamagedError:
        return False


def _sync(
    catalog: Catalog,
    index: SearchIndex,
    target_keys: npt.NDArray[np.int64],
    model: str,
    fresh: bool,
) -> None:
    """Bring one index up to the catalog, so that it holds the passages with the keys `target_keys`."""
    change = catalog.change()
    fresh = fresh or index.stats().model != model
    stay = (
        target_keys
        if fresh
        else np.setdiff1d(target_keys, catalog.keys_changed_since(index.stats().change), assume_unique=True)
    )
    fresh = fresh or _is_worn(index, stay, len(target_keys))
    with index.writing(model, dimensions(catalog, model), fresh=fresh) as change_of_index:
        present = np.empty(0, np.int64) if fresh else index.keys()
        change_of_index.delete(np.setdiff1d(present, stay, assume_unique=True))
        missing = np.setdiff1d(
            target_keys, np.intersect1d(present, stay, assume_unique=True), assume_unique=True
        ).tolist()
        for start in range(0, len(missing), BATCH):
            change_of_index.add(gather_rows(catalog, model, missing[start : start + BATCH]))
            emit(Progress("indexing", min(start + BATCH, len(missing)), len(missing), "passages"))
        change_of_index.commit(change)


def gather_rows(catalog: Catalog, model: str, keys: Sequence[int]) -> list[IndexRow]:
    """What the index is told of passages; one that fails is left out, and `doctor` reports that it is missing."""
    rows: list[IndexRow] = []

    def gather(chunk: Sequence[int]) -> None:
        rows.extend(index_rows(catalog, chunk, model))

    run_one_by_one(gather, keys)
    return rows


def _is_worn(index: SearchIndex, stay: npt.NDArray[np.int64], target_count: int) -> bool:
    """Whether so many passages were taken out, or are to be, that it is better built anew for `target_count`."""
    dead = protocol.dead(index) + len(np.setdiff1d(index.keys(), stay, assume_unique=True))
    if not isinstance(index, protocol.Upkeep):  # nothing is left of what it takes out
        return dead > target_count / 2
    return dead > (0 if target_count <= SMALL else MOST_DEAD * target_count)


def catch_up(catalog: Catalog, index: SearchIndex, model: str, folder: Path) -> str:
    """Bring the index up to what a killed run or another machine wrote; returns what the user is to know.

    While another machine adds, that happens at most once in `CATCH_UP_SECONDS`: else each search would make an index.
    """
    note = "The index is being updated; the newest papers are not searched yet."
    foreign, empty = protocol.is_foreign(index), not index.stats().rows
    is_added = is_adding(folder)
    if not (foreign or empty) and (is_added or (protocol.age(index) < CATCH_UP_SECONDS and catalog.is_being_written())):
        return note
    try:
        # Where there is nothing to search yet it is better to wait for who makes it than to find nothing.
        wait = FIRST_SECONDS if foreign or empty else 0
        with writer_lock(catalog, folder, wait) if protocol.is_shared(index) else folder_lock(folder, wait):
            if not is_added:
                complete_indexes(catalog)
            sync(catalog, index, model)
    except BusyError:
        if foreign:  # nothing could be found
            raise
        return note
    except LibraryError as error:  # what is there can be searched, if it is well and of this model
        stats = index.stats()
        if foreign:
            raise type(error)(
                f"{FOREIGN}, and it cannot be rebuilt. {error.message}",
                f"{error.hint} To search it as it is, set index.foreign to 'open' in your configuration.",
            ) from error
        if not stats.rows or stats.model != model:
            raise type(error)(f"There is no index yet, and it cannot be built. {error.message}", error.hint) from error
        return f"The index cannot be updated, so the newest papers are not searched. {error}"
    return f"{FOREIGN}, so it was rebuilt from the catalog." if foreign else ""


def mark_indexed(catalog: Catalog) -> None:
    """Enter in the ledger that what is stored is indexed; the index has to be up to the catalog."""
    with writing(catalog.engine) as connection:
        writer.mark_indexed(connection)


def index_rows(catalog: Catalog, keys: Sequence[int], model: str) -> Iterator[IndexRow]:
    """What the index is told of passages."""
    passages = catalog.passages_by_key(keys)
    papers = catalog.indexed_by_key(sorted({stored.paper_key for stored in passages.values()}))
    vectors = vectors_of(catalog, keys, model)
    derived_terms = derived_facets(catalog, list(papers))
    facets = {key: _facets(paper, derived_terms.get(key, ())) for key, (paper, _) in papers.items()}
    for key, stored in sorted(passages.items()):
        paper, has_full_text = papers[stored.paper_key]
        yield IndexRow(
            key=key,
            paper=stored.paper_key,
            kind=stored.passage.kind,
            full_text=has_full_text,
            year=paper.year,
            facets=facets[stored.paper_key],
            text=indexed_text(paper, stored.passage),
            vector=vectors[key],
            title=paper.title,
            lead=paper.authors[0].surname if paper.authors else "",
            names=_names(paper),
        )


def _facets(paper: Metadata, derived_terms: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """What a paper's passages are filtered by: what its record says, and what was derived of it."""
    own_terms = [(facet, term) for facet, terms in facet_terms(paper).items() for term in terms]
    return tuple(dict.fromkeys([*own_terms, *derived_terms]))


def _names(paper: Metadata) -> str:
    """What a paper is called by beside its title: authors, year, identifiers."""
    authors = (author.name for author in paper.authors)
    arxiv = f"arXiv {paper.arxiv_id}" if paper.arxiv_id else ""
    ids = (paper.doi, arxiv, f"PMID {paper.pmid}" if paper.pmid else "", paper.bibcode, paper.external_id)
    return "\n".join(name for name in (*authors, str(paper.year or ""), *ids) if name)


def indexed_text(paper: Metadata, passage: Passage) -> str:
    """The words by which a passage is found, beside the title: its section's and its own."""
    if passage.text == paper.title:
        return ""
    return "\n".join(part for part in (passage.section, passage.text) if part)
