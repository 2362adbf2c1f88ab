"""What a batch of parsed papers changes in the catalog: new papers, better known ones, and two that are one."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import PurePath

from conspectus.ingest.paper_groups import (
    MOST,
    NO_CHANGE,
    Change,
    Grouping,
    Sides,
    are_parted,
    group,
    matching_names,
    new_names,
    sides_of_documents,
    stored_names,
)
from conspectus.ingest.paper_merge import merge, paper_id
from conspectus.ingest.work_identity import has_distinct_title
from conspectus.records import ParsedPaper, Passage, normal_name
from conspectus.store.catalog import Catalog
from conspectus.store.rows import SCHEMES, Name, PaperDraft, StoredDocument, path_name

Cut = Callable[[str, ParsedPaper], tuple[Passage, ...]]
LABELS = {
    **{"doi": "DOI", "arxiv_id": "arXiv id", "pmid": "PMID", "bibcode": "bibcode"},
    **{"pmcid": "PMCID", "openalex": "OpenAlex id", "s2": "Semantic Scholar id"},
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What the catalog is to be: drafts, the keys of papers that no document is left of, what users are told, and
    (split, side, name) of documents that were split off and are called otherwise now."""

    drafts: list[PaperDraft]
    empty: list[int]
    notes: tuple[str, ...] = ()
    names: tuple[tuple[int, int, Name], ...] = ()


def plan(catalog: Catalog, new: Sequence[StoredDocument], cut: Cut) -> Plan:
    """What all papers that the `new` documents speak of become, and what they do not agree about."""
    names = [matching_names(document) for document in new]
    known = _known_files(catalog, new) | catalog.papers_known_as([name for each in names for name in each])
    titled = [normal_name(document.parsed.metadata.title) for document in new]
    telling = {title for title, each in zip(titled, names, strict=True) if any(kind == "title" for kind, _ in each)}
    return _make_plan(catalog, _around(catalog, known | _known_titles(catalog, telling), set(titled)), new, cut)


def replan(catalog: Catalog, paper_keys: Iterable[int], change: Change, cut: Cut) -> Plan:
    """What papers, and others that share an identifier or title with them, become by a change; which are empty then."""
    keys = set(paper_keys)
    claimed = [name for names in catalog.identities(sorted(keys)).values() for name in names]
    claimed += [
        (scheme, edits[scheme].lower()) for edits in change.edits.values() for scheme in SCHEMES if edits.get(scheme)
    ]
    titles = {
        normal_name(paper.title) for paper in catalog.papers_by_key(sorted(keys)).values() if has_distinct_title(paper)
    }
    around = keys | _around(catalog, catalog.papers_known_as(claimed) | _known_titles(catalog, titles), set())
    return _make_plan(catalog, around, (), cut, change, keys)


def _make_plan(
    catalog: Catalog,
    keys: Iterable[int],
    new: Sequence[StoredDocument],
    cut: Cut,
    change: Change = NO_CHANGE,
    forced_keys: Container[int] = (),
) -> Plan:
    """The papers `keys`, with `new` documents and after a change, grouped anew; those with `forced_keys` always."""
    stored = catalog.documents_of(sorted(keys))
    for key, edits in change.edits.items():
        stored[key] = [replace(document, edits=edits) for document in stored.get(key, ())]
    owner = {document.key: key for key, paper_documents in stored.items() for document in paper_documents}
    before = {key: {document.key for document in paper_documents} for key, paper_documents in stored.items()}
    stay = (
        document
        for paper_documents in stored.values()
        for document in paper_documents
        if document.key not in change.removed_keys
    )
    left = [replace(document, ordinal=change.moved.get(document.key, document.ordinal)) for document in stay]
    documents = [*sorted(left, key=lambda document: (owner[document.key], document.key)), *new]
    parted = sides_of_documents(catalog, documents, change)
    grouping = group(documents, parted)
    members = [[documents[number] for number in numbers] for numbers in grouping.groups]
    first = {number: max(parted[number].values(), default=0) for number in range(len(documents))}
    ranks = [max(first[number] for number in numbers) for numbers in grouping.groups]
    former_keys = [{owner[document.key] for document in group_documents if document.key} for group_documents in members]
    for key, paper_documents in stored.items():
        if (
            all(document.key in change.removed_keys for document in paper_documents)
            and (heir := _heir(paper_documents, members)) is not None
        ):
            former_keys[heir].add(key)
    owners = _owners(former_keys, ranks)
    ids = {key: paper.id for key, paper in catalog.papers_by_key(list(stored)).items()}
    taken = catalog.known_ids([paper_id(group_documents[0].identities[0]) for group_documents in members])
    drafts = [
        _draft(
            catalog, [_drop_foreign_edits(document, owner, mine) for document in group_documents], mine, ids, cut, taken
        )
        for group_documents, mine in zip(members, owners, strict=True)
        if not (
            len(mine) == 1
            and mine[0] not in forced_keys
            and before[mine[0]] == {document.key for document in group_documents}
        )
    ]
    empty = [key for key in stored if not any(key in mine for mine in owners)]
    names = new_names(catalog, new, parted[len(left) :])
    return Plan(drafts, empty, tuple(_describe_conflicts(documents, grouping, parted, len(left))), names)


def _drop_foreign_edits(document: StoredDocument, owner: Mapping[int, int], mine: Sequence[int]) -> StoredDocument:
    """A document without what was written of another paper, from which it goes away."""
    return document if not document.edits or owner[document.key] in mine else replace(document, edits={})


def _heir(gone: Sequence[StoredDocument], members: Sequence[Sequence[StoredDocument]]) -> int | None:
    """The group that goes on as a paper that is gone: where its file now says otherwise what the identifier names."""
    names = {(document.file_key, name) for document in gone for name in document.identities if name[0] in SCHEMES}
    for number, documents in enumerate(members):
        if any((document.file_key, name) in names for document in documents for name in document.identities):
            return number
    return None


def _owners(former_keys: Sequence[set[int]], ranks: Sequence[int]) -> list[tuple[int, ...]]:
    """For each group of documents the keys of the papers that it goes on as and takes up, the oldest first.

    A paper that falls into several goes on as the first of them that does not go on as an older one.
    """
    mine: list[tuple[int, ...]] = [() for _ in former_keys]
    for key in sorted(set().union(*former_keys)):
        claims = sorted(
            (number for number, keys in enumerate(former_keys) if key in keys), key=lambda number: ranks[number]
        )
        chosen = next((number for number in claims if not mine[number]), claims[0])
        mine[chosen] = (*mine[chosen], key)
    return mine


def _around(catalog: Catalog, known: Mapping[Name, Sequence[int]], titles: set[str]) -> set[int]:
    """The papers known by some names, and all that share an identifier with them, directly or through others.

    Of an identifier that very many claim, which can only be wrong, those of one of the `titles`.
    """
    keys: set[int] = set()
    while new := _limit_claims(catalog, known, titles) - keys:
        keys |= new
        claimed = [name for names in catalog.identities(sorted(new)).values() for name in names]
        known = catalog.papers_known_as(claimed)
    return keys


def _limit_claims(catalog: Catalog, known: Mapping[Name, Sequence[int]], titles: set[str]) -> set[int]:
    many = {key for keys in known.values() if len(keys) > MOST for key in keys}
    titled = {key for keys in catalog.papers_titled(titles).values() for key in keys} if many else set()
    few = {key for keys in known.values() if len(keys) <= MOST for key in keys}
    return few | (many & titled)


def _known_titles(catalog: Catalog, titles: Iterable[str]) -> dict[Name, tuple[int, ...]]:
    """The papers of some titles, as `normal_name` has them."""
    return {("title", title): tuple(keys) for title, keys in catalog.papers_titled(titles).items()}


def _known_files(catalog: Catalog, new: Sequence[StoredDocument]) -> dict[Name, tuple[int, ...]]:
    """The papers of the files that new records name."""
    paths = {path for document in new for path in document.linked}
    return {path_name(path): (key,) for path, key in catalog.papers_at(sorted(paths)).items()}


def _describe_conflicts(
    documents: Sequence[StoredDocument], grouping: Grouping, parted: Sequence[Sides], old: int
) -> Iterator[str]:
    """What is said of new documents that share an identifier with others and are no paper with them."""
    paper_of = {member: number for number, members in enumerate(grouping.groups) for member in members}
    seen: set[tuple[int, int, Name]] = set()
    for contest in grouping.contests:
        first, last = sorted((contest.first, contest.second))
        key = paper_of[first], last, contest.name
        if last >= old and key not in seen and not are_parted(parted[first], parted[last]):
            seen.add(key)
            both = f"{describe_document(documents[last])} and {describe_document(documents[first])}"
            yield (
                f"{both} both name the {LABELS[contest.name[0]]} {contest.name[1]}, but do not agree in title and "
                "author or year, so they remain two papers."
            )


def describe_document(document: StoredDocument) -> str:
    """A document as messages name it: its title and where it stands."""
    title = document.parsed.metadata.title
    record = f", record {document.ordinal}" if document.ordinal else ""
    return f"'{title}' ({PurePath(document.path).name}{record})"


def _draft(
    catalog: Catalog,
    documents: list[StoredDocument],
    keys: Sequence[int],
    ids: Mapping[int, str],
    cut: Cut,
    taken: set[str],
) -> PaperDraft:
    merged = merge(documents)
    names = tuple(dict.fromkeys(name for document in documents for name in stored_names(document)))
    chosen = ids[keys[0]] if keys else _new_id(catalog, names, taken)
    taken.add(chosen)
    return PaperDraft(
        key=keys[0] if keys else 0,
        absorbs=tuple(keys[1:]),
        id=chosen,
        parsed=merged,
        identities=names,
        documents=tuple(documents),
        passages=cut(chosen, merged),
    )


def _new_id(catalog: Catalog, names: Sequence[Name], taken: set[str]) -> str:
    """The id that the first of the names gives that no other paper has an id of."""
    ids = (paper_id(name, salt) for salt in count() for name in names)
    first = next(ids)
    if first not in taken:
        return first
    return next(candidate for candidate in ids if candidate not in taken and not catalog.has_paper(candidate))
