"""What a search index is. `conspectus.testing.index` has the tests that every engine passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from conspectus.core.arrays import FloatArray
from conspectus.records import Filters, PassageKind
from conspectus.records.filters import Condition

SUMMARIES = "summaries"
"""The index, beside that of the papers' own passages, of those that language models wrote."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A passage as the index knows it.

    Attributes:
        paper: a key.
        facets: (facet, normalised term) pairs of the paper, and (`HAS`, what it has).
        text: the words by which it is found, without those of `title`.
        title: its paper's, by which it is found too.
        lead: its paper's first author's surname.
        names: what else its paper is called by: all authors, the year, identifiers.
    """

    key: int
    paper: int
    kind: PassageKind
    full_text: bool
    year: int | None
    facets: tuple[tuple[str, str], ...]
    text: str
    vector: FloatArray
    title: str = ""
    lead: str = ""
    names: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage found: its key and the engine's score (BM25, or the cosine)."""

    key: int
    score: float


@dataclass(frozen=True, slots=True)
class IndexStats:
    """What the index holds: passages, of which embedder, as of which `change` of the catalog."""

    rows: int
    model: str
    change: int
    generation: int
    megabytes: float


@dataclass(frozen=True, slots=True)
class WordHits:
    """How often words stand in the index.

    Attributes:
        words: each word that can be looked for -> how many papers have a passage with it.
        papers: how many have a passage with all of them.
        passages: how many have all of them.
    """

    words: Mapping[str, int]
    papers: int
    passages: int


class IndexWriter(Protocol):
    """Collects one change of the index. Nothing of it is seen before `commit`, and all of it after."""

    def delete(self, keys: npt.NDArray[np.int64]) -> None:
        """Take passages out; before anything is added."""

    def add(self, rows: Sequence[IndexRow]) -> None:
        """Put passages in; their keys were never in before, or are among those just taken out."""

    def commit(self, change: int) -> None:
        """Make it the index, as of `change` of the catalog."""


class SearchIndex(Protocol):
    """Finds passages by words and by vectors."""

    def beside(self, owner: str) -> SearchIndex:
        """The index, beside this one, of what `owner` names, as `SUMMARIES`; also the name of its folder.

        Apart, because a word is weighed by how many passages have it and how long they are: nothing that models write
        may change how the papers' own words are found. Its keys and vectors have nothing to do with those of this one.
        """
        ...

    def writing(self, model: str, dimensions: int, *, fresh: bool = False) -> AbstractContextManager[IndexWriter]:
        """A change to the index; `fresh` begins with an empty one.

        Raises:
            BusyError: another process, or job of this one, is changing it.
        """

    def search_text(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        """The k best by BM25 over any of the query's words, among all that pass `filters` and `where`; ties by key."""

    def search_vector(
        self, vector: FloatArray, k: int, filters: Filters, where: Condition | None = None
    ) -> list[Candidate]:
        """The k nearest by cosine among all that pass `filters` and `where`; ties by key.

        Scores may be approximate; what passes is not.
        """

    def search_exact(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        """The k that hold most of the query's words, in any order, among all that pass; the score is which part, 0..1.

        A word counts as much as it is rare, and a little more in the title, or as the first author's surname, than as
        another name of the paper (authors, year, identifiers) or in the text. Words that nothing has do not count.
        """
        ...

    def exactness(self, query: str, keys: Sequence[int]) -> dict[int, float]:
        """Which part of the query's words passages hold, by key (`search_exact`); those that hold none are left out."""
        ...

    def newest(self, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        """Of each paper the first passage that passes `filters` and `where`: of the k newest, by year, then by key.

        The score is the year; those of papers without one come last.
        """

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many passages have it (in any of the forms that the engine takes for the same)."""

    def has(self, word: str) -> bool:
        """Whether a word stands anywhere, in a text or a name, in any of its forms; function words always do."""
        ...

    def near(self, word: str, edits: int, k: int) -> list[int]:
        """Keys of k passages with a word, in text or names, that is at most so many letters (1 or 2) away from `word`.

        Two neighbouring letters exchanged are one; case and accents do not count.
        """
        ...

    def count(self, words: str, filters: Filters, where: Condition | None = None) -> WordHits:
        """How many papers and passages have all of the words, among those that pass `filters` and `where`; exact.

        Without words: how many pass `where`, and none where nothing is asked.
        """
        ...

    def keys(self) -> npt.NDArray[np.int64]:
        """The keys of all passages in the index, ascending."""

    def stats(self) -> IndexStats:
        """What the index holds."""

    def close(self) -> None:
        """Let go of files."""


@runtime_checkable
class Upkeep(Protocol):
    """What an engine may have beside `SearchIndex`: all of it, or none."""

    def dead(self) -> int:
        """Passages that were taken out, but still count where words are weighed by their rarity."""
        ...

    def damage(self) -> list[str]:
        """The files that no longer have the bytes that were written, by their checksums; all of them are read.

        Raises:
            LibraryDamagedError: it cannot be opened at all.
        """
        ...

    def leftovers(self) -> list[Path]:
        """Folders that writers which were killed have left.

        Raises:
            BusyError: somebody is writing, so that nobody can say.
            LibraryError: it can only be read; or it is damaged.
        """
        ...

    def is_foreign(self) -> bool:
        """Whether there is an index that is not opened, because another user or another computer wrote it."""
        ...

    def age(self) -> float:
        """Seconds since it was last changed; without end where there is none."""
        ...


class FollowingWriter(IndexWriter, Protocol):
    """An `IndexWriter` in a transaction of the catalog, whose commit is the caller's."""

    def keys_of(self, papers: Sequence[int]) -> npt.NDArray[np.int64]:
        """The keys of the passages of papers that are in the index, int64, ascending."""
        ...


@runtime_checkable
class InCatalog(Protocol):
    """What an engine in the catalog's own database has beside `SearchIndex`."""

    def within(self, connection: Connection) -> IndexStats:
        """What the index holds, as a transaction sees it that alone changes it until it ends."""
        ...

    def following(
        self, connection: Connection, model: str, dimensions: int, *, fresh: bool = False
    ) -> AbstractContextManager[FollowingWriter]:
        """A change to the index within a transaction."""
        ...

    def settle(self) -> None:
        """Make what speeds searches up and takes too long for each commit; soon done where little has changed."""
        ...


def settle(index: SearchIndex) -> None:
    """As `InCatalog.settle`; nothing."""
    if isinstance(index, InCatalog):
        index.settle()


def is_shared(index: SearchIndex) -> bool:
    """Whether all machines that have the catalog have this same index: one of them at a time may change it."""
    return bool(getattr(index, "is_shared", False))


def dead(index: SearchIndex) -> int:
    """As `Upkeep.dead`; 0."""
    return index.dead() if isinstance(index, Upkeep) else 0


def damage(index: SearchIndex) -> list[str]:
    """As `Upkeep.damage`; none."""
    return index.damage() if isinstance(index, Upkeep) else []


def leftovers(index: SearchIndex) -> list[Path]:
    """As `Upkeep.leftovers`; none."""
    return index.leftovers() if isinstance(index, Upkeep) else []


def is_foreign(index: SearchIndex) -> bool:
    """As `Upkeep.is_foreign`; False."""
    return isinstance(index, Upkeep) and index.is_foreign()


def age(index: SearchIndex) -> float:
    """As `Upkeep.age`; without end."""
    return index.age() if isinstance(index, Upkeep) else float("inf")
