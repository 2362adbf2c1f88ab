"""What a batch of parsed papers changes in the catalog: new papers, better known ones, and two that are one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from conspectus.catalog.catalog import Catalog
from conspectus.catalog.rows import Document, Draft
from conspectus.ingest.derive import phrases_of
from conspectus.ingest.merge import identities, linked_paths, merge, paper_id, place
from conspectus.records import ParsedPaper, Passage
from conspectus.records.conditions import things

Cut = Callable[[str, ParsedPaper], tuple[Passage, ...]]
NOT_MOVED: Mapping[int, int] = MappingProxyType({})


def plan(catalog: Catalog, new: Sequence[Document], cut: Cut) -> list[Draft]:
    """The drafts of all papers that the `new` documents speak of."""
    names = [identities(document) for document in new]
    wanted = [_wanted(document) for document in new]
    known = _known_files(catalog, new) | catalog.papers_known_as(name for group in wanted for name in group)
    found = groups(wanted, known)
    stored = catalog.documents_of(sorted({key for _, keys in found for key in keys}))
    ids = {key: paper.id for key, paper in catalog.papers_by_key(list(stored)).items()}
    fresh = [paper_id(names[members[0]][0]) for members, keys in found if not keys]
    taken = catalog.known_ids(fresh)
    drafts = []
    for members, keys in found:
        documents = [document for key in keys for document in stored[key]] + [new[member] for member in members]
        drafts.append(_draft(catalog, documents, keys, ids, cut, taken))
    return drafts


def replan(
    catalog: Catalog, paper_keys: Iterable[int], gone: set[int], cut: Cut, moved: Mapping[int, int] = NOT_MOVED
) -> tuple[list[Draft], list[int]]:
    """The drafts of papers that lose the documents `gone`, and the keys of those that have none left.

    `moved` are new numbers of documents in their files.
    """
    stored = catalog.documents_of(list(paper_keys))
    ids = {key: paper.id for key, paper in catalog.papers_by_key(list(stored)).items()}
    drafts: list[Draft] = []
    empty: list[int] = []
    taken = catalog.known_ids([paper_id(identities(found)[0]) for group in stored.values() for found in group])
    for key, documents in stored.items():
        left = [replace(one, ordinal=moved.get(one.key, one.ordinal)) for one in documents if one.key not in gone]
        # What is left may fall into several papers, if what goes was the link between them.
        for number, (members, _) in enumerate(groups([_wanted(document) for document in left], {})):
            part = [left[member] for member in members]
            drafts.append(_draft(catalog, part, () if number else (key,), ids, cut, taken))
        if not left:
            empty.append(key)
    return drafts, empty


def _wanted(document: Document) -> tuple[tuple[str, str], ...]:
    """By what a document finds the others of its paper: what it is known by, and the place that a record may name."""
    return identities(document) if document.ordinal else (*identities(document), place(document.path))


def _known_files(catalog: Catalog, new: Sequence[Document]) -> dict[tuple[str, str], int]:
    """The papers of the files that new records name."""
    paths = {path for document in new for path in linked_paths(document)}
    return {place(path): key for path, key in catalog.papers_at(sorted(paths)).items()}


def _draft(
    catalog: Catalog, documents: list[Document], keys: Sequence[int], ids: dict[int, str], cut: Cut, taken: set[str]
) -> Draft:
    merged = merge(documents)
    names = tuple(dict.fromkeys(name for document in documents for name in identities(document)))
    chosen = ids[keys[0]] if keys else _new_id(catalog, names[0], taken)
    taken.add(chosen)
    own = cut(chosen, merged)
    return Draft(
        key=keys[0] if keys else 0,
        absorbs=tuple(keys[1:]),
        id=chosen,
        metadata=merged.metadata,
        has_full_text=merged.has_full_text,
        identities=names,
        documents=tuple(documents),
        passages=own,
        key_phrases=phrases_of(merged.metadata, own),
        has=things(merged),
    )


def _new_id(catalog: Catalog, identity: tuple[str, str], taken: set[str]) -> str:
    salt = 0
    while (found := paper_id(identity, salt)) in taken or (salt and catalog.has_paper(found)):
        salt += 1
    return found


def groups(
    names: Sequence[Sequence[tuple[str, str]]], known: dict[tuple[str, str], int]
) -> list[tuple[list[int], tuple[int, ...]]]:
    """Documents that share an identity, directly or through others: (their numbers, known paper keys, oldest first)."""
    parent = list(range(len(names)))

    def root(member: int) -> int:
        while parent[member] != member:
            parent[member] = member = parent[parent[member]]
        return member

    owner: dict[object, int] = {}
    for member, group in enumerate(names):
        for name in group:
            for thing in (name, known.get(name)):
                if thing is not None:
                    parent[root(member)] = root(owner.setdefault(thing, member))
    found: dict[int, list[int]] = {}
    for member in range(len(names)):
        found.setdefault(root(member), []).append(member)
    return [
        (members, tuple(sorted({known[name] for member in members for name in names[member] if name in known})))
        for members in found.values()
    ]
