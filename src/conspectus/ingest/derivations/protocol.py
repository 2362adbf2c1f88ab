"""What a derivation is: something that is made of papers, kept in rows of its own, and made anew when it is stale."""

# ruff: noqa: ARG002 - what needs nothing is given it all the same

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from conspectus.records import Passage
from conspectus.records.views import pick_fields
from conspectus.store.catalog import Catalog
from conspectus.store.connection import CatalogReader
from conspectus.store.derivations import Part, Prepared
from conspectus.store.rows import Draft, StoredPassages

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
        beside: the index, beside that of the papers' own passages, of passages that it made; "": it makes none.
        schema: that of its lines in an export; "": it has none.
        asked: whether an export has them only where they are asked for.
    """

    name: str
    version = "1"
    unit = "papers"
    batch = 64
    parts: tuple[Part, ...] = ()
    with_paper = True
    awaited = False
    beside = ""
    schema = ""
    asked = False

    @property
    def doing(self) -> str:
        """What users are told while it is made."""
        return f"finding {self.name}"

    def carried(self, catalog: Catalog, drafts: Sequence[Draft]) -> Sequence[Draft]:
        """The drafts, with passages that it made of them before and that still hold."""
        return drafts

    @abstractmethod
    def prepared(self, catalog: Catalog, drafts: Sequence[Draft], held: StoredPassages) -> Prepared:
        """What is to be written with drafts; all that costs is done here. `held` are rows that their passages have."""

    def count_lacking(self, catalog: Catalog, noted: Mapping[tuple[str, str], int]) -> int:
        """Of how many it is yet to be made; `noted`, of how many papers each name and version is."""
        return 0

    def lacking(self, catalog: Catalog, after: int, limit: int) -> list[int]:
        """The first keys after one of what it is yet to be made of, ascending."""
        return []

    def make_missing(self, catalog: Catalog, keys: Sequence[int]) -> None:  # noqa: B027 - of most none lacks it
        """Make it of these, and keep it."""

    def finish(self, catalog: Catalog) -> None:  # noqa: B027 - most keep no others
        """All that lacked it was gone through: let go of what other versions have made."""

    def passages(self, catalog: Catalog) -> npt.NDArray[np.int64]:
        """The keys of passages that it made, int64, ascending."""
        return np.empty(0, np.int64)

    def facets(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Facets:
        """By what the passages of papers are filtered."""
        return {}

    def exported(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Mapping[int, Any]:
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
