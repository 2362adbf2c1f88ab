"""What is derived of papers: when they are stored, and later of those that lack it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial

from sqlalchemy import Connection

from conspectus.catalog import derivations, writer
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.derivations import Derived
from conspectus.catalog.engine import transact
from conspectus.catalog.rows import Draft
from conspectus.ingest.blame import sparing
from conspectus.ingest.derivations.protocol import Derivation, Subject
from conspectus.ingest.derivations.registry import DERIVATIONS
from conspectus.ingest.merge import merge
from conspectus.ingest.progress import ProgressCallback, silent
from conspectus.records import Paper, ParsedPaper, Passage
from conspectus.records.jobs import Progress

BATCH = 64

Chosen = Callable[[Derivation], bool]


class _Lot:
    """Papers of the catalog, by their keys: what is asked for of one is read of all."""

    def __init__(self, catalog: Catalog, keys: Sequence[int]) -> None:
        self.catalog = catalog
        self.papers: Mapping[int, Paper] = catalog.papers_by_key(keys)

    @cached_property
    def parsed(self) -> Mapping[int, ParsedPaper]:
        return {key: merge(documents) for key, documents in self.catalog.documents_of(list(self.papers)).items()}


class _Stored:
    """A paper of a lot; see `Subject`. Of its own it reads its passages, for which few are asked."""

    def __init__(self, lot: _Lot, key: int) -> None:
        self._lot, self._key = lot, key

    @property
    def id(self) -> str:
        return self._lot.papers[self._key].id

    @property
    def metadata(self) -> Paper:
        return self._lot.papers[self._key]

    @cached_property
    def passages(self) -> Sequence[Passage]:
        return tuple(self._lot.catalog.passages(self.id))

    @property
    def parsed(self) -> ParsedPaper:
        return self._lot.parsed[self._key]


def derive(catalog: Catalog, drafts: Sequence[Draft]) -> list[Derived]:
    """What is to be written with drafts, which are called by their numbers: all that is made of what is others now.

    What is made later is taken away where it was made of something else.
    """
    known = derivations.digests(catalog, [draft.key for draft in drafts if draft.key])
    found = []
    for one in DERIVATIONS:
        digests = {number: one.digest(draft) for number, draft in enumerate(drafts)}
        stale = [n for n, digest in digests.items() if known.get((drafts[n].key, one.name, one.version)) != digest]
        found.append(_derived(one, {n: drafts[n] for n in stale}, digests, nothing=not one.with_paper))
    return found


def _derived(
    one: Derivation, papers: Mapping[int, Subject], digests: Mapping[int, bytes], *, nothing: bool = False
) -> Derived:
    made = [()] * len(papers) if nothing else one.make(list(papers.values()))
    return Derived(one.name, one.version, one.parts, dict(zip(papers, made, strict=True)), digests, one.told)


def lacking(catalog: Catalog) -> dict[str, int]:
    """How many papers lack what each derivation makes of them, by its name."""
    numbers = derivations.count_lacking(catalog, [(one.name, one.version) for one in DERIVATIONS])
    return {one.name: number for one, number in zip(DERIVATIONS, numbers, strict=True)}


def without(catalog: Catalog, facet: str) -> int:
    """How many papers lack what is made for a facet, because an earlier version has stored them, or it failed."""
    kinds = [one for one in DERIVATIONS if any(facet in part.values for part in one.parts)]
    return max(derivations.count_lacking(catalog, [(one.name, one.version) for one in kinds]), default=0)


def derive_missing(catalog: Catalog, progress: ProgressCallback = silent, chosen: Chosen = lambda _: True) -> None:
    """Derive what papers lack, batch by batch, each kept at once; of the `chosen` derivations.

    The caller holds the library's writer lock, and has the index follow. Nothing is read or embedded again.
    """
    wanted = [one for one in DERIVATIONS if chosen(one)]
    counts = lacking(catalog) if wanted else {}
    for one in wanted:
        total, done, last = counts[one.name], 0, 0
        while done < total and (keys := derivations.lacking(catalog, one.name, one.version, last, BATCH)):
            last = keys[-1]
            sparing(partial(_make, catalog, one), keys)  # a paper that fails goes on lacking it, which `doctor` tells
            done += len(keys)
            progress(Progress(f"finding {one.name}", done, total, "papers"))


def _make(catalog: Catalog, one: Derivation, keys: Sequence[int]) -> None:
    lot = _Lot(catalog, keys)
    papers: dict[int, Subject] = {key: _Stored(lot, key) for key in lot.papers}
    made = _derived(one, papers, {key: one.digest(paper) for key, paper in papers.items()})

    def put(connection: Connection) -> None:
        changed = derivations.put(connection, made)
        writer.note_changed(connection, changed if one.told else ())

    transact(catalog.engine, put)


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
