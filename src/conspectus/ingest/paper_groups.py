"""Which documents are one paper. It depends on the documents and on splits, not on the order in which they came."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any, Literal

from conspectus.core.groups import grouped
from conspectus.ingest.paper_merge import agree
from conspectus.ingest.work_identity import (
    identifiers_differ,
    notice_word,
    own_version_names,
    read_versions,
    same_by_title,
    same_people,
    service_of,
    title_is_shared,
    title_name,
    version_names,
)
from conspectus.parse.text.titles import title_words
from conspectus.store.catalog import Catalog
from conspectus.store.rows import SCHEMES, Name, StoredDocument, known_identifier, path_name
from conspectus.store.user_data import split_sides

Why = Literal["bytes", "link", "content", "identifier", "version", "title"]
Sides = Mapping[int, int]
"""Split -> the side of it on which a document is."""
MOST = 50
"""Documents or papers with one identifier that are compared each with each."""


@dataclass(frozen=True, slots=True)
class Bond:
    """Why two documents, by their numbers, are one; `sure` is False where they say too little to compare."""

    first: int
    second: int
    why: Why
    name: Name
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Contest:
    """Two documents, by their numbers, that share an identifier and are not one: they differ, or nobody can say."""

    first: int
    second: int
    name: Name


@dataclass(frozen=True, slots=True)
class Grouping:
    """Documents put together: numbers of those of each paper, why, and which only claim to be of one."""

    groups: tuple[tuple[int, ...], ...]
    bonds: tuple[Bond, ...]
    contests: tuple[Contest, ...]


def matching_names(document: StoredDocument) -> tuple[Name, ...]:
    """By what a document finds the others of its paper: what it is known by, and the place that a record may name."""
    place = () if document.ordinal else (path_name(document.path),)
    title = title_name(document)
    versions = (*read_versions(document), *own_version_names(document))
    return (*document.identities, *place, *versions, *((title,) if title else ()))


def stored_names(document: StoredDocument) -> tuple[Name, ...]:
    """What a document's paper is known by. Only records of services are found by title, or by versions they name."""
    title = title_name(document) if service_of(document) else None
    return (*document.identities, *version_names(document), *((title,) if title else ()))


def group(documents: Sequence[StoredDocument], sides: Sequence[Sides] = ()) -> Grouping:
    """The papers that documents make.

    What has the same bytes or content, or names the other's file, is one, and what shares an identifier and agrees;
    but never two sides of one split. Who says too little to be compared joins those with its identifier if they are
    all one, and else stays by itself: nobody could say whose it is. So do records of services that only a title joins.
    """
    bonds, contests = _compared(documents, split=any(sides))
    clusters = _Clusters(len(documents), sides or [{}] * len(documents))
    keys = [(document.path, document.ordinal, document.digest) for document in documents]
    sure = [bond for bond in bonds if bond.sure]
    for bond in sorted(sure, key=lambda bond: (_RANK[bond.why], *sorted((keys[bond.first], keys[bond.second])))):
        clusters.join(bond.first, bond.second)
    unsure = [bond for bond in bonds if not bond.sure]
    _join_unsure(documents, clusters, unsure)
    bonds += _join_titled(documents, clusters)
    contests += [Contest(bond.first, bond.second, bond.name) for bond in unsure]
    apart = tuple(contest for contest in contests if clusters.root(contest.first) != clusters.root(contest.second))
    return Grouping(clusters.groups(), tuple(bonds), apart)


_RANK: Mapping[Why, int] = {"bytes": 0, "link": 1, "content": 2, "identifier": 3, "version": 4}
_WHY: Mapping[str, Why] = {"file": "bytes", "link": "link", "content": "content"}


def _compared(documents: Sequence[StoredDocument], split: bool) -> tuple[list[Bond], list[Contest]]:
    """All that holds documents together, or ought to and does not; `split`: each with each, for some may part."""
    members = grouped((name, number) for number, document in enumerate(documents) for name in _own_names(document))
    bonds, contests = _version_bonds(documents, members), []
    for name, numbers in members.items():
        if name[0] not in SCHEMES:
            pairs = combinations(numbers, 2) if split else pairwise(numbers)
            bonds += [Bond(first, other, _WHY[name[0]], name) for first, other in pairs]
            continue
        for first, other in _pairs(documents, numbers):
            same = _agree(documents[first], documents[other])
            if same is False:
                contests.append(Contest(first, other, name))
            else:
                bonds.append(Bond(first, other, "identifier", name, sure=bool(same)))
    return bonds, contests


def _own_names(document: StoredDocument) -> tuple[Name, ...]:
    return document.identities if document.ordinal else (*document.identities, path_name(document.path))


def _version_bonds(documents: Sequence[StoredDocument], members: Mapping[Name, Sequence[int]]) -> list[Bond]:
    """Records that name another's identifier as that of a version of their work, and agree with it in title."""
    return [
        Bond(number, other, "version", name)
        for number, document in enumerate(documents)
        for name in read_versions(document)
        for other in members.get(name, ())[:MOST]
        if other != number and _is_version(document, documents[other])
    ]


def _is_version(document: StoredDocument, other: StoredDocument) -> bool:
    """Whether two documents of which one names the other as a version agree: in title, and in authors if both say."""
    ours, theirs = document.parsed.metadata, other.parsed.metadata
    if notice_word(ours.title) or notice_word(theirs.title):
        return False
    people = not ours.authors or not theirs.authors or same_people(ours.authors, theirs.authors)
    return people and agree(document, other) is True


def _join_titled(documents: Sequence[StoredDocument], clusters: _Clusters) -> list[Bond]:
    """Join what only a title, an author and a year hold together, where all that have them are one; why they are."""
    titled = ((name, number) for number, document in enumerate(documents) if (name := title_name(document)))
    bonds = []
    for name, numbers in grouped(titled).items():
        is_shared = title_is_shared([documents[number].parsed.metadata for number in numbers])
        for first, other in _pairs(documents, numbers):
            pair = documents[first], documents[other]
            if clusters.root(first) != clusters.root(other) and same_by_title(*pair, is_shared=is_shared):
                bonds.append(Bond(first, other, "title", name))
    trial = clusters.copy()
    for bond in bonds:
        trial.join(bond.first, bond.second)
    for members in grouped(
        (trial.root(number), number) for bond in bonds for number in (bond.first, bond.second)
    ).values():
        parts = {clusters.root(number): clusters.members(number) for number in members}
        part_documents = [[documents[number] for number in part] for part in parts.values()]
        if not any(identifiers_differ(*pair) or not _any_same(*pair) for pair in combinations(part_documents, 2)):
            for first, other in pairwise(parts):
                clusters.join(first, other)
    return [bond for bond in bonds if clusters.root(bond.first) == clusters.root(bond.second)]


def _any_same(documents: Sequence[StoredDocument], others: Sequence[StoredDocument]) -> bool:
    return any(same_by_title(document, other) for document in documents for other in others)


def _agree(document: StoredDocument, other: StoredDocument) -> bool | None:
    """Whether they agree, by what they say themselves or with what was written by hand of their papers."""
    same = agree(document, other)
    return same if same or not (document.edits or other.edits) else agree(document.edited, other.edited) or same


def _pairs(documents: Sequence[StoredDocument], numbers: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Each with each; of very many, which only a wrong identifier has, those next to each other by title."""
    if len(numbers) <= MOST:
        return combinations(numbers, 2)
    return pairwise(sorted(numbers, key=lambda number: title_words(documents[number].parsed.metadata.title)))


class _Clusters:
    """Numbers joined step by step, never two sides of one split."""

    def __init__(self, count: int, sides: Sequence[Sides]) -> None:
        self._parent = list(range(count))
        self._sides = [dict(each) for each in sides]

    def copy(self) -> _Clusters:
        clone = _Clusters(len(self._parent), self._sides)
        clone._parent = list(self._parent)
        return clone

    def root(self, member: int) -> int:
        while self._parent[member] != member:
            self._parent[member] = member = self._parent[self._parent[member]]
        return member

    def join(self, number: int, other: int) -> None:
        first, second = sorted((self.root(number), self.root(other)))
        ours, theirs = self._sides[first], self._sides[second]
        if first != second and all(theirs.get(split, side) == side for split, side in ours.items()):
            self._parent[second] = first
            ours.update(theirs)

    def members(self, number: int) -> tuple[int, ...]:
        return tuple(other for other in range(len(self._parent)) if self.root(other) == self.root(number))

    def groups(self) -> tuple[tuple[int, ...], ...]:
        return tuple(map(tuple, grouped((self.root(member), member) for member in range(len(self._parent))).values()))


def _join_unsure(documents: Sequence[StoredDocument], clusters: _Clusters, bonds: Sequence[Bond]) -> None:
    """Join what is held by bonds that are not sure, unless that made one of what does not agree."""
    trial = _Clusters(len(documents), [{}] * len(documents))
    for number in range(len(documents)):
        trial.join(number, clusters.root(number))
    for bond in bonds:
        trial.join(bond.first, bond.second)
    for members in {trial.members(bond.first) for bond in bonds}:
        others = [pair for pair in combinations(members, 2) if clusters.root(pair[0]) != clusters.root(pair[1])]
        if all(agree(documents[first], documents[other]) is not False for first, other in others):
            for first, other in others:
                clusters.join(first, other)


@dataclass(frozen=True, slots=True)
class Change:
    """What is not kept yet.

    Attributes:
        removed_keys: the keys of documents that go.
        moved: new numbers of documents in their files, by their keys.
        more: the sides of splits that documents are on, by their keys.
        without: splits that do not hold any more.
        edits: all that was written by hand of papers, by their keys, instead of what is kept.
    """

    removed_keys: Container[int] = ()
    moved: Mapping[int, int] = field(default_factory=dict)
    more: Mapping[int, Sides] = field(default_factory=dict)
    without: Container[int] = ()
    edits: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)


NO_CHANGE = Change()


def names_of(document: StoredDocument) -> tuple[Name, ...]:
    """What a document is called for good: where it stands, so that its file may change, and what it says, so that it
    may be moved."""
    metadata = document.parsed.metadata
    if not document.ordinal:
        return path_name(document.path), ("file", document.sha256)
    own_name = metadata.external_id or next(
        filter(None, (known_identifier(metadata, scheme) for scheme in SCHEMES)), metadata.title
    )
    folder = f"{path_name(document.path)[1]}\0{own_name.lower()}"
    return ("record", hashlib.blake2b(folder.encode(errors="replace"), digest_size=16).hexdigest()), (
        "content",
        document.content,
    )


def new_names(
    catalog: Catalog, documents: Sequence[StoredDocument], sides: Sequence[Sides]
) -> tuple[tuple[int, int, Name], ...]:
    """(split, side, name) of documents that are on a side by one of their names, for those that are not kept yet."""
    sided = [(document, mine) for document, mine in zip(documents, sides, strict=True) if mine]
    known = split_sides(catalog, (name for document, _ in sided for name in names_of(document))) if sided else {}
    missing_names = {
        (split, name): (split, side, name)
        for document, mine in sided
        for name in names_of(document)
        for split, side in mine.items()
        if split not in known.get(name, {})
    }
    return tuple(missing_names.values())


def sides_of_documents(
    catalog: Catalog, documents: Sequence[StoredDocument], change: Change = NO_CHANGE
) -> list[dict[int, int]]:
    """The side of each split on which each document is."""
    names = [names_of(document) for document in documents]
    known = split_sides(catalog, (name for group in names for name in group))
    all_sides = []
    for document, group in zip(documents, names, strict=True):
        sides: dict[int, int] = {}
        for name in reversed(group):  # where it stands goes before what it says
            sides |= known.get(name, {})
        remaining = {split: side for split, side in sides.items() if split not in change.without}
        all_sides.append(remaining | dict(change.more.get(document.key, {})))
    return all_sides


def are_parted(ours: Sides, other: Sides) -> bool:
    """Whether two documents are on different sides of a split."""
    return any(other.get(split, side) != side for split, side in ours.items())
