"""What a derivation is: something that is made of a paper, kept in rows of its own, and made anew when it is stale."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from conspectus.catalog.connected import Connected
from conspectus.catalog.derivations import Part, Row
from conspectus.records import Metadata, ParsedPaper, Passage

Made = Sequence[Sequence[Row]]
"""The rows of each of a derivation's parts, for one paper."""
Facets = Mapping[int, Sequence[tuple[str, str]]]
"""Paper key -> (facet, term) pairs by which its passages are filtered; papers without are left out."""


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


class Derivation(Protocol):
    """Something that is made of papers.

    Attributes:
        name: what users are told it is; its rows are noted under it.
        version: raised whenever the same paper may come to have other rows: all papers' are then made anew.
        parts: the rows that are its own: a paper's go with the paper.
        with_paper: whether it is made in the transaction that stores a paper; else at the end of an `add`.
        told: whether the index is told of it (`facets`).
        awaited: whether the next index has to wait for it, of papers that an earlier version has stored; else the next
            `add` makes it.
    """

    name: str
    version: str
    parts: tuple[Part, ...]
    with_paper: bool
    told: bool
    awaited: bool

    def digest(self, paper: Subject) -> bytes:
        """What stands for all that of which it is made; while it is the same nothing is made anew."""
        ...

    def make(self, batch: Sequence[Subject]) -> Sequence[Made]:
        """The rows of each paper of a batch, which has at most a few hundred; all that it takes goes with the batch."""
        ...

    def facets(self, catalog: Connected, paper_keys: Sequence[int]) -> Facets:
        """By what the passages of papers are filtered."""
        ...

    def exported(self, catalog: Connected, paper_keys: Sequence[int]) -> Mapping[int, Any]:
        """Paper key -> what stands in an export under the derivation's name; papers without are left out."""
        ...


class OfPaper:
    """What most derivations are: made with the paper, and not told to the index."""

    name: str
    version: str
    parts: tuple[Part, ...]
    with_paper: bool = True
    told: bool = False
    awaited: bool = False

    def facets(self, catalog: Connected, paper_keys: Sequence[int]) -> Facets:  # noqa: ARG002
        """See `Derivation.facets`."""
        return {}

    def exported(self, catalog: Connected, paper_keys: Sequence[int]) -> Mapping[int, Any]:  # noqa: ARG002
        """See `Derivation.exported`."""
        return {}


def digest_of(*said: object) -> bytes:
    """8 bytes that stand for what is said."""
    return hashlib.blake2b("\0".join(map(str, said)).encode(errors="replace"), digest_size=8).digest()
