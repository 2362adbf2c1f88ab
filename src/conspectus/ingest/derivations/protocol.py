"""What a derivation is: data made from papers, kept in its own rows, and made again when it is outdated."""

# ruff: noqa: ARG002 - what needs nothing is given it all the same

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from conspectus.ingest.paper_merge import merge
from conspectus.records import Metadata, Paper, ParsedPaper, Passage
from conspectus.records.passage import digest_of
from conspectus.records.views import pick_fields
from conspectus.store import derivations, schema, writer
from conspectus.store.catalog import Catalog
from conspectus.store.connection import CatalogReader, transact
from conspectus.store.derivations import Derived, DerivedRows, Noted, Prepared, Row
from conspectus.store.facets import facet_terms
from conspectus.store.rows import PaperDraft, StoredPassages

Facets = Mapping[int, Sequence[tuple[str, str]]]
"""Paper key -> (facet, term) pairs by which its passages are filtered; papers without are left out."""
Lines = Mapping[int, Sequence[Mapping[str, Any]]]
"""Paper key -> lines of an export; papers without are left out."""


class Derivation(ABC):
    """Something that is made of papers.

    What is here is what most are: made with the paper, searched by nobody, without lines of their own.

    Attributes:
        name: what users are told it is; its rows are noted under it.
        version: another one makes other rows: all that is there is then made anew. "": nobody can say which it is
            to be, for it is made when somebody asks, or by a model that is not at hand.
        unit: of what it is made, one by one: `papers`, or `passages`.
        batch: so many are made at a time.
        parts: the rows that are its own: a paper's go with the paper.
        with_paper: whether it is made with the paper; else at the end of an `add`.
        awaited: whether the next index has to wait for it, of papers that an earlier version has stored; else the next
            `add` makes it.
        index_name: of the index of the passages that it made, beside that of papers' own ones; "": it makes none.
        schema: that of its lines in an export; "": it has none.
        on_request: whether an export has them only where they are asked for.
    """

    name: str
    version = "1"
    unit = "papers"
    batch = 64
    parts: tuple[DerivedRows, ...] = ()
    with_paper = True
    awaited = False
    index_name = ""
    schema = ""
    on_request = False

    @property
    def doing(self) -> str:
        """What users are told while it is made."""
        return f"finding {self.name}"

    def carry_passages(self, catalog: Catalog, drafts: Sequence[PaperDraft]) -> Sequence[PaperDraft]:
        """The drafts, with passages that it made of them before and that still hold."""
        return drafts

    @abstractmethod
    def prepare(self, catalog: Catalog, drafts: Sequence[PaperDraft], stored_passages: StoredPassages) -> Prepared:
        """What is to be written with drafts; all that costs is done here. `stored_passages`: the rows they have."""

    def count_lacking(self, catalog: Catalog, noted: Noted) -> int:
        """Of how many it is yet to be made."""
        return 0

    def lacking(self, catalog: Catalog, after: int, limit: int) -> list[int]:
        """The first keys after one of what it is yet to be made of, ascending."""
        return []

    def make_missing(self, catalog: Catalog, keys: Sequence[int]) -> None:  # noqa: B027 - of most none lacks it
        """Make it of these, and keep it."""

    def passages(self, catalog: Catalog, paper_keys: Sequence[int] | None = None) -> npt.NDArray[np.int64]:
        """The keys of passages that it made, of some papers or of all, int64, ascending."""
        return np.empty(0, np.int64)

    def facets(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Facets:
        """By what the passages of papers are filtered."""
        return {}

    def export_values(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Mapping[int, Any]:
        """Paper key -> what stands in an export under the derivation's name; papers without are left out."""
        return {}

    def lines(self, catalog: Catalog, paper_keys: Sequence[int]) -> Lines:
        """What stands in an export in lines of its own."""
        return {}


def passage_fields(passage: Passage) -> dict[str, Any]:
    """A passage as a line of an export has it."""
    names = {"passage": passage.id, "paper": passage.paper_id, "number": passage.ordinal}
    spans = [pick_fields(span, "id", "start", "end", "places", "recognised", "cells") for span in passage.spans]
    return {**names, **pick_fields(passage, "kind", "section", "text"), "spans": spans}


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
    """See `Derivation`; `tells_index`: whether the index follows it (`facets`).

    Whose rows are not made with the paper loses them with it, where it was made of something else.
    """

    tells_index = False

    @abstractmethod
    def digest(self, paper: Subject) -> bytes:
        """What stands for all that of which it is made; while it is the same nothing is made anew."""

    @abstractmethod
    def make(self, batch: Sequence[Subject]) -> Sequence[Made]:
        """The rows of each paper of a batch; all that it takes goes with the batch."""

    def prepare(self, catalog: Catalog, drafts: Sequence[PaperDraft], stored_passages: StoredPassages) -> Prepared:
        """See `Derivation.prepare`."""
        known = derivations.digests(catalog, [key for draft in drafts if (key := draft.key)], self.name, self.version)
        digests = {number: self.digest(draft) for number, draft in enumerate(drafts)}
        stale = {
            number: drafts[number] for number, digest in digests.items() if known.get(drafts[number].key) != digest
        }
        return self._derive(stale, digests, nothing=not self.with_paper)

    def count_lacking(self, catalog: Catalog, noted: Noted) -> int:
        """See `Derivation.count_lacking`."""
        return noted.papers - noted.made.get((self.name, self.version), 0)

    def lacking(self, catalog: Catalog, after: int, limit: int) -> list[int]:
        """See `Derivation.lacking`."""
        return derivations.lacking(catalog, self.name, self.version, after, limit)

    def make_missing(self, catalog: Catalog, keys: Sequence[int]) -> None:
        """See `Derivation.make_missing`; nothing is read or embedded again."""
        lot = _Lot(catalog, keys)
        papers: dict[int, Subject] = {key: _StoredSubject(lot, key) for key in lot.papers}
        derived_rows = self._derive(papers, {key: self.digest(paper) for key, paper in papers.items()})

        def put(connection: Connection) -> None:
            writer.note_changed(connection, derivations.save_derivation(connection, derived_rows))
            self.note(connection)

        transact(catalog.engine, put)

    def note(self, connection: Connection) -> None:
        """Note that there is more of it now, for whoever holds what follows from all of it."""

    def _derive(self, papers: Mapping[int, Subject], digests: Mapping[int, bytes], *, nothing: bool = False) -> Derived:
        paper_rows = [()] * len(papers) if nothing else self.make(list(papers.values()))
        rows = dict(zip(papers, paper_rows, strict=True))
        return Derived(self.name, self.version, self.parts, rows, digests, self.tells_index)


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

    def prepare(self, catalog: Catalog, drafts: Sequence[PaperDraft], stored_passages: StoredPassages) -> Prepared:
        """See `Derivation.prepare`: what was made of something else goes, whoever made it."""
        known = derivations.digests(catalog, [key for draft in drafts if (key := draft.key)], self.name)
        digests = {number: self.digest(draft) for number, draft in enumerate(drafts) if draft.key in known}
        stale = {
            number: drafts[number] for number, digest in digests.items() if known[drafts[number].key or 0] != digest
        }
        return self._derive(stale, digests, nothing=True)


class OfFacet(OfPaper):
    """Terms of a paper among its facets, by which it is filtered; `facet` is their name there."""

    facet: str
    tells_index = True

    @property
    def parts(self) -> tuple[DerivedRows, ...]:  # type: ignore[override]
        """See `Derivation`."""
        return (DerivedRows(schema.facets, "facet", (self.facet,)),)

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
        terms_of_papers = facet_terms(catalog, self.facet, paper_keys).items()
        return {key: [(self.facet, term) for term in terms] for key, terms in terms_of_papers}


class _Lot:
    """Papers of the catalog, by their keys: what is asked for of one is read of all."""

    def __init__(self, catalog: Catalog, keys: Sequence[int]) -> None:
        self.catalog = catalog
        self.papers: Mapping[int, Paper] = catalog.papers_by_key(keys)

    @cached_property
    def parsed(self) -> Mapping[int, ParsedPaper]:
        return {key: merge(documents) for key, documents in self.catalog.documents_of(list(self.papers)).items()}


class _StoredSubject:
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
