"""All derivations in the order in which they are made, what lacks them, and what exports say of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

from conspectus.core.job_context import Notice, emit
from conspectus.ingest.derivations.facts import (
    ActivationRows,
    CitationRows,
    ContentFlags,
    ExtractionRows,
    FigureRows,
    KeyPhrases,
    Language,
    MentionRows,
    PictureRows,
    PositionRows,
    RelationRows,
)
from conspectus.ingest.derivations.protocol import Derivation
from conspectus.ingest.derivations.summaries import Summaries
from conspectus.ingest.derivations.vectors import Vectors
from conspectus.ingest.error_attribution import run_one_by_one
from conspectus.models.protocol import Embedder, Embedding
from conspectus.records.events import Progress
from conspectus.store import derivations as notes
from conspectus.store.catalog import Catalog

DERIVATIONS: tuple[Derivation, ...] = (
    *(ContentFlags(), KeyPhrases(), Language(), FigureRows(), PictureRows(), MentionRows(), ExtractionRows()),
    *(RelationRows(), Summaries(), CitationRows()),
    *(PositionRows(), PositionRows("passages"), ActivationRows(), ActivationRows("passages")),
    Vectors(),
)
"""As they are where no model is at hand."""


def list_derivations(embedder: Embedder, embeddings: Mapping[bytes, Embedding] | None = None) -> tuple[Derivation, ...]:
    """All of them, with the model by which vectors are made; `embeddings` are some, by digests of texts."""
    return (*DERIVATIONS[:-1], Vectors(embedder, embeddings))


def lacking(catalog: Catalog, kinds: Sequence[Derivation] | None = None) -> dict[str, int]:
    """Of how many papers or passages each derivation is yet to be made, by its name; without those of no version."""
    noted = notes.noted(catalog)
    derivations = DERIVATIONS if kinds is None else kinds
    return {
        derivation.name: derivation.count_lacking(catalog, noted) for derivation in derivations if derivation.version
    }


def without(catalog: Catalog, facet: str) -> int:
    """How many papers lack what is made for a facet, because an earlier version has stored them, or it failed."""
    kinds = [derivation for derivation in DERIVATIONS if any(facet in part.values for part in derivation.parts)]
    return max(lacking(catalog, kinds).values(), default=0)


def derive_missing(
    catalog: Catalog, kinds: Sequence[Derivation], lock: Callable[[], AbstractContextManager[None]] = nullcontext
) -> dict[str, int]:
    """Make what is lacking, batch by batch, each kept at once; returns of how many, by the derivations' names.

    The caller has the index follow. What fails goes on lacking it, which `doctor` tells; why the first did is told.

    Args:
        lock: holds the library's writer lock for one batch; the default is for callers that hold it.
    """
    counts, made_counts = lacking(catalog, kinds) if kinds else {}, {}
    for derivation in (derivation for derivation in kinds if derivation.version):
        total, done, last, failed = counts[derivation.name], 0, 0, 0
        while done < total:
            with lock():
                if not (keys := derivation.lacking(catalog, last, derivation.batch)):
                    break
                bad = list(run_one_by_one(partial(derivation.make_missing, catalog), keys).values())
            last = keys[-1]
            if bad and not failed:
                emit(Notice(f"{derivation.doing} failed: {bad[0]} {bad[0].hint}"))
            failed += len(bad)
            done += len(keys)
            emit(Progress(derivation.doing, done, total, derivation.unit))
        made_counts[derivation.name] = done - failed
    return made_counts


def facets(catalog: Catalog, paper_keys: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
    """Paper key -> (facet, term) pairs that were derived of it."""
    facets_by_paper: dict[int, list[tuple[str, str]]] = {}
    for derivation in DERIVATIONS:
        for key, pairs in derivation.facets(catalog, paper_keys).items():
            facets_by_paper.setdefault(key, []).extend(pairs)
    return facets_by_paper


def exported(catalog: Catalog, paper_keys: Sequence[int]) -> dict[int, dict[str, object]]:
    """Paper key -> what an export says of all that was derived of it, by names."""
    export_by_paper: dict[int, dict[str, object]] = {key: {} for key in paper_keys}
    for derivation in DERIVATIONS:
        for key, entry in derivation.export_values(catalog, paper_keys).items():
            export_by_paper[key][derivation.name.replace(" ", "_")] = entry
    return export_by_paper


def lines(catalog: Catalog, paper_keys: Sequence[int], *, on_request: bool) -> Iterator[tuple[str, Mapping[int, Any]]]:
    """(schema, paper key -> lines of it in an export) of each derivation; `on_request`: also of those asked for."""
    for derivation in DERIVATIONS:
        if derivation.schema and (on_request or not derivation.on_request):
            yield derivation.schema, derivation.lines(catalog, paper_keys)
