"""What is derived of papers: what lacks it, and what all that there is says of papers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from conspectus.core.job_context import Notice, emit
from conspectus.ingest.blame import sparing
from conspectus.ingest.derivations.protocol import Derivation
from conspectus.ingest.derivations.registry import DERIVATIONS
from conspectus.records.jobs import Progress
from conspectus.store import derivations
from conspectus.store.catalog import Catalog


def lacking(catalog: Catalog, kinds: Sequence[Derivation] | None = None) -> dict[str, int]:
    """Of how many papers or passages each derivation is yet to be made, by its name; without those of no version."""
    noted = derivations.noted(catalog)
    wanted = DERIVATIONS if kinds is None else kinds
    return {one.name: one.count_lacking(catalog, noted) for one in wanted if one.version}


def without(catalog: Catalog, facet: str) -> int:
    """How many papers lack what is made for a facet, because an earlier version has stored them, or it failed."""
    kinds = [one for one in DERIVATIONS if any(facet in part.values for part in one.parts)]
    return max(lacking(catalog, kinds).values(), default=0)


def derive_missing(catalog: Catalog, kinds: Sequence[Derivation]) -> dict[str, int]:
    """Make what is lacking, batch by batch, each kept at once; returns of how many, by the derivations' names.

    The caller holds the library's writer lock, and has the index follow. What fails goes on lacking it, which `doctor`
    tells; why the first did is told.
    """
    counts, made = lacking(catalog, kinds) if kinds else {}, {}
    for one in (one for one in kinds if one.version):
        total, done, last, failed = counts[one.name], 0, 0, 0
        while done < total and (keys := one.lacking(catalog, last, one.batch)):
            last = keys[-1]
            bad = list(sparing(partial(one.make_missing, catalog), keys).values())
            if bad and not failed:
                emit(Notice(f"{one.doing} failed: {bad[0]} {bad[0].hint}"))
            failed += len(bad)
            done += len(keys)
            emit(Progress(one.doing, done, total, one.unit))
        one.finish(catalog)
        made[one.name] = done - failed
    return made


def facets(catalog: Catalog, paper_keys: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
    """Paper key -> (facet, term) pairs that were derived of it."""
    found: dict[int, list[tuple[str, str]]] = {}
    for one in DERIVATIONS:
        for key, pairs in one.facets(catalog, paper_keys).items():
            found.setdefault(key, []).extend(pairs)
    return found


def exported(catalog: Catalog, paper_keys: Sequence[int]) -> dict[int, dict[str, object]]:
    """Paper key -> what an export says of all that was derived of it, by names."""
    found: dict[int, dict[str, object]] = {key: {} for key in paper_keys}
    for one in DERIVATIONS:
        for key, said in one.exported(catalog, paper_keys).items():
            found[key][one.name.replace(" ", "_")] = said
    return found


def lines(catalog: Catalog, paper_keys: Sequence[int], *, asked: bool) -> Iterator[tuple[str, Mapping[int, Any]]]:
    """(schema, paper key -> lines of it in an export) of each derivation; `asked`: of those too that are asked for."""
    for one in DERIVATIONS:
        if one.schema and (asked or not one.asked):
            yield one.schema, one.lines(catalog, paper_keys)
