"""Derivations whose rows are a paper's: noted with a digest of what they were made of."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from sqlalchemy import Connection

from conspectus.ingest.derivations.protocol import Derivation, Facets
from conspectus.ingest.merge import merge
from conspectus.records import Filters, Metadata, Paper, ParsedPaper, Passage
from conspectus.records.passage import digest_of
from conspectus.store import derivations, schema, writer
from conspectus.store.catalog import Catalog
from conspectus.store.connection import CatalogReader, transact
from conspectus.store.derivations import Derived, Part, Prepared, Row
from conspectus.store.facets import count_papers, facet_terms
from conspectus.store.rows import Draft, StoredPassages

Made = Sequence[Sequence[Row]]
"""The rows of each of a derivation's parts, for one paper."""


class Subject(Protocol):
    """A paper of which something is made. What is not at hand is read when it is asked for."""

    @property
    def id(self) -> str:
        """The paper's id, with which the ids of its passages and spans begin."""

    @property
    def metadata(self) -> Metadata:
        """What its sources say of it together."""

    @property
    def passages(self) -> Sequence[Passage]:
        """Its own passages, in reading order."""

    @property
    def parsed(self) -> ParsedPaper:
        """Its structure."""


class OfPaper(Derivation):
    """See `Derivation`; `told`: whether the index is told of it (`facets`).

    Whose rows are not made with the paper loses them with it, where it was made of something else.
    """

    told = False

    @abstractmethod
    def digest(self, paper: Subject) -> bytes:
        """What stands for all that of which it is made; while it is the same nothing is made anew."""

    @abstractmethod
    def make(self, batch: Sequence[Subject]) -> Sequence[Made]:
        """The rows of each paper of a batch; all that it takes goes with the batch."""

    def prepared(self, catalog: Catalog, drafts: Sequence[Draft], held: StoredPassages) -> Prepared:  # noqa: ARG002
        """See `Derivation.prepared`."""
        known = derivations.digests(catalog, [key for draft in drafts if (key := draft.key)], self.name, self.version)
        digests = {number: self.digest(draft) for number, draft in enumerate(drafts)}
        stale = {number: drafts[number] for number, one in digests.items() if known.get(drafts[number].key) != one}
        return self._derived(stale, digests, nothing=not self.with_paper)

    def count_lacking(self, catalog: Catalog, noted: Mapping[tuple[str, str], int]) -> int:
        """See `Derivation.count_lacking`."""
        return count_papers(catalog, Filters()) - noted.get((self.name, self.version), 0)

    def lacking(self, catalog: Catalog, after: int, limit: int) -> list[int]:
        """See `Derivation.lacking`."""
        return derivations.lacking(catalog, self.name, self.version, after, limit)

    def make_missing(self, catalog: Catalog, keys: Sequence[int]) -> None:
        """See `Derivation.make_missing`; nothing is read or embedded again."""
        lot = _Lot(catalog, keys)
        papers: dict[int, Subject] = {key: _Kept(lot, key) for key in lot.papers}
        made = self._derived(papers, {key: self.digest(paper) for key, paper in papers.items()})

        def put(connection: Connection) -> None:
            writer.note_changed(connection, derivations.put(connection, made))
            self.note(connection)

        transact(catalog.engine, put)

    def note(self, connection: Connection) -> None:
        """Note that there is more of it now, for whoever holds what follows from all of it."""

    def _derived(
        self, papers: Mapping[int, Subject], digests: Mapping[int, bytes], *, nothing: bool = False
    ) -> Derived:
        made = [()] * len(papers) if nothing else self.make(list(papers.values()))
        rows = dict(zip(papers, made, strict=True))
        return Derived(self.name, self.version, self.parts, rows, digests, self.told)


class WhenAsked(OfPaper):
    """See `Derivation`; made when somebody asks, by what is at hand then; its version is that of who makes it.

    Args:
        rows: makes those of a paper's parts; none at all: they cannot be had, and are still lacking. None: what was
            made can be read, and goes with its paper.
        version: of `rows`.
    """

    batch = 16
    with_paper = False

    def __init__(self, rows: Callable[[Subject], Made | tuple[()]] | None = None, version: str = "") -> None:
        self._rows, self.version = rows, version

    def make(self, batch: Sequence[Subject]) -> Sequence[Any]:
        """See `OfPaper.make`."""
        assert self._rows is not None, "who has something made says how"
        return [self._rows(paper) for paper in batch]

    def prepared(self, catalog: Catalog, drafts: Sequence[Draft], held: StoredPassages) -> Prepared:  # noqa: ARG002
        """See `Derivation.prepared`: what was made of something else goes, whoever made it."""
        known = derivations.digests(catalog, [key for draft in drafts if (key := draft.key)], self.name)
        digests = {number: self.digest(draft) for number, draft in enumerate(drafts) if draft.key in known}
        stale = {number: drafts[number] for number, one in digests.items() if known[drafts[number].key or 0] != one}
        return self._derived(stale, digests, nothing=True)


class OfFacet(OfPaper):
    """Terms of a paper among its facets, by which it is filtered; `facet` is their name there."""

    facet: str
    told = True

    @property
    def parts(self) -> tuple[Part, ...]:  # type: ignore[override]
        """See `Derivation`."""
        return (Part(schema.facets, "facet", (self.facet,)),)

    @abstractmethod
    def terms(self, paper: Subject) -> Sequence[str]:
        """The terms of a paper."""

    def digest(self, paper: Subject) -> bytes:
        """See `OfPaper.digest`; where terms take long to find, of what they are found by instead of them."""
        return digest_of(*self.terms(paper))

    def make(self, batch: Sequence[Subject]) -> Sequence[Made]:
        """See `OfPaper.make`."""
        return [([{"facet": self.facet, "term": term} for term in self.terms(paper)],) for paper in batch]

    def facets(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Facets:
        """See `Derivation.facets`."""
        found = facet_terms(catalog, self.facet, paper_keys).items()
        return {key: [(self.facet, term) for term in terms] for key, terms in found}


class _Lot:
    """Papers of the catalog, by their keys: what is asked for of one is read of all."""

    def __init__(self, catalog: Catalog, keys: Sequence[int]) -> None:
        self.catalog = catalog
        self.papers: Mapping[int, Paper] = catalog.papers_by_key(keys)

    @cached_property
    def parsed(self) -> Mapping[int, ParsedPaper]:
        return {key: merge(documents) for key, documents in self.catalog.documents_of(list(self.papers)).items()}


class _Kept:
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
