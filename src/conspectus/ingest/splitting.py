"""Papers taken apart again, and put together as if that had never been; what holds a paper's documents together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import PurePath

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.grouped import grouped
from conspectus.ingest.grouping import Bond, group
from conspectus.ingest.parting import Change, names_of
from conspectus.ingest.plan import LABELS
from conspectus.ingest.store import PaperStore
from conspectus.records import PaperDocument
from conspectus.store import user_data
from conspectus.store.catalog import Catalog
from conspectus.store.rows import Document

_NEW = 0
"""The number of a split that has none yet."""


def split(store: PaperStore, key: int, chosen: Sequence[str]) -> list[int]:
    """Take the documents `chosen` (none: each) out of a paper; the keys of the papers that it is then, itself first."""
    documents = in_order(store.catalog.documents_of_one(key))
    if len(documents) == 1:
        raise UsageError("The paper is made of one document only.", "`show PAPER` lists what it is made of.")
    away = {number for name in chosen for number in _meant(documents, name)}
    if len(away) == len(documents):
        raise UsageError("That is all that the paper is made of.", "Leave out those that stay, or name none for each.")
    side = {one.key: int(number in away) if away else number for number, one in enumerate(documents)}
    sides = [[one for one in documents if side[one.key] == number] for number in range(max(side.values()) + 1)]
    change = Change(more={key: {_NEW: number} for key, number in side.items()})
    store.remake([key], change, partial(user_data.put_split, sides=_names(sides)))
    return _papers_of(store.catalog, documents, key)


def unite(store: PaperStore, key: int) -> list[int]:
    """Forget the splits that the paper's documents take part in; the keys of the papers of all that took part."""
    documents = store.catalog.documents_of_one(key)
    known = user_data.split_sides(store.catalog, (name for one in documents for name in names_of(one)))
    numbers = sorted({number for sides in known.values() for number in sides})
    if not numbers:
        raise UsageError("The paper was never split.", "`show PAPER` lists what it is made of.")
    drop = partial(user_data.drop_splits, numbers=numbers)
    drafts = store.remake([key], Change(without=numbers), drop)
    return _papers_of(store.catalog, [one for draft in drafts for one in draft.documents], key)


def described(documents: Iterable[Document]) -> tuple[PaperDocument, ...]:
    """What a paper is made of, and what holds each with the others."""
    ordered = in_order(documents)
    bonds = group(ordered).bonds
    return tuple(
        PaperDocument(
            number + 1,
            one.path,
            one.ordinal,
            one.parsed.metadata.title,
            one.parsed.has_full_text,
            tuple(_why(bonds, number)),
        )
        for number, one in enumerate(ordered)
    )


def in_order(documents: Iterable[Document]) -> list[Document]:
    """Documents in the order in which they are numbered for users."""
    return sorted(documents, key=lambda one: (one.path, one.ordinal, one.key))


def _why(bonds: Sequence[Bond], number: int) -> Iterable[str]:
    mine = (bond for bond in bonds if number in (bond.one, bond.other))
    said = grouped((_reason(bond), bond.one + bond.other - number + 1) for bond in mine)
    return (f"{reason}, with {', '.join(map(str, sorted(others)))}" for reason, others in said.items())


def _reason(bond: Bond) -> str:
    reasons = {"bytes": "the same bytes", "link": "one names the other's file", "content": "says the same"}
    return reasons.get(bond.why) or f"{LABELS[bond.name[0]]} {bond.name[1]}"


def _meant(documents: Sequence[Document], name: str) -> list[int]:
    """The documents, from 0, that a number, a path or a file's name means."""
    if name.isdigit() and 1 <= int(name) <= len(documents):
        return [int(name) - 1]
    path = os.path.abspath(name)  # noqa: PTH100 - links stay links
    found = [number for number, one in enumerate(documents) if one.path in (name, path)]
    found = found or [number for number, one in enumerate(documents) if PurePath(one.path).name == name]
    if not found:
        raise NotFoundError(f"The paper has no document '{name}'.", "`show PAPER` numbers them.")
    return found


def _names(sides: Sequence[Sequence[Document]]) -> list[list[tuple[str, str]]]:
    """The names of what is on each side; those that would be on two, such as copies of one file have, are left out."""
    named = [list(dict.fromkeys(name for one in side for name in names_of(one))) for side in sides]
    every = [name for names in named for name in names]
    return [[name for name in names if every.count(name) == 1] for names in named]


def _papers_of(catalog: Catalog, documents: Iterable[Document], first: int) -> list[int]:
    return sorted(catalog.papers_of([one.key for one in documents]), key=lambda key: (key != first, key))
