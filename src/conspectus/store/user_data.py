"""What users keep about papers and papers show: tags, collections, edited fields, splits; and reviews, as exported."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_type_hints

import msgspec
from sqlalchemy import Connection, delete, func, insert, or_, select

from conspectus.core.errors import NotFoundError
from conspectus.core.text import line
from conspectus.records import Filters, Metadata
from conspectus.records.curation import PaperSet, SetKind, checked_name
from conspectus.records.filters import set_term
from conspectus.store.codec import unpack_json
from conspectus.store.connection import CatalogReader, delete_where, insert_rows
from conspectus.store.review_tables import review_entries, review_papers, reviews
from conspectus.store.rows import SCHEMES, Name
from conspectus.store.schema import documents, edits, files, identifiers, papers, passages, set_papers, sets, splits


def set_condition(kind: str, terms: Sequence[str]) -> Any:
    """The condition on `sets` that it is of a kind, and has one of the names, or one of them as its id."""
    return (sets.c.kind == kind) & or_(sets.c.term.in_(terms), sets.c.id.in_(terms))


_PREFIXES = ("https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "doi:", "arxiv:", "pmid:")


def _identifier(name: str) -> str:
    """A name as identifiers are kept: in small letters, without what says of which kind it is."""
    plain = name.strip().lower()
    for prefix in _PREFIXES:
        plain = plain.removeprefix(prefix)
    return plain.strip()


def among_condition(names: Sequence[str]) -> Any:
    """The condition on `papers` that one of the names is an id, an external id, an identifier, or a file of theirs."""
    paths = [*names, *map(os.path.abspath, names)]
    is_named = identifiers.c.scheme.in_(SCHEMES), identifiers.c.value.in_(list(map(_identifier, names)))
    by_identifier = select(identifiers.c.paper_key).where(*is_named)
    by_file = (
        select(documents.c.paper_key).join(files, files.c.key == documents.c.file_key).where(files.c.path.in_(paths))
    )
    by_name = papers.c.id.in_(names), papers.c.external_id.in_(names)
    return or_(*by_name, papers.c.key.in_(by_identifier), papers.c.key.in_(by_file))


def check_sets(catalog: CatalogReader, filters: Filters) -> None:
    """See that the collections and papers that are asked for exist: one that does not is a mistake, not an empty one.

    Raises:
        NotFoundError: one of them does not.
    """
    for name in filters.collection:
        find_set(catalog, "collection", name)
    for name in _unknown(catalog, filters.among):
        raise NotFoundError(f"There is no paper '{line(name)}'.", "Give ids as `list` shows them, DOIs or files.")


def _unknown(catalog: CatalogReader, names: Sequence[str]) -> Iterator[str]:
    """Those of the names that `among_condition` finds nothing by."""
    has_scheme = identifiers.c.scheme.in_(SCHEMES)
    for column, query, written in (
        (papers.c.id, select(papers.c.id), str),
        (papers.c.external_id, select(papers.c.external_id), str),
        (identifiers.c.value, select(identifiers.c.value).where(has_scheme), _identifier),
        (files.c.path, select(files.c.path), os.path.abspath),
    ):
        if names:
            known_values = {row[0] for row in catalog.rows_where(query, column, sorted(set(map(written, names))))}
            names = [name for name in names if written(name) not in known_values and name not in known_values]
    yield from names


def set_terms(catalog: CatalogReader, kind: str) -> list[str]:
    """The names of all tags or collections, for comparing, in order."""
    return [row.term for row in catalog.rows(select(sets.c.term).where(sets.c.kind == kind).order_by(sets.c.term))]


def sets_of_papers(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, dict[str, tuple[str, ...]]]:
    """Paper key -> kind -> the names of its tags or collections, in order."""
    query = select(set_papers.c.paper_key, sets.c.kind, sets.c.name).join(sets, sets.c.key == set_papers.c.set_key)
    sets_by_paper: dict[int, dict[str, tuple[str, ...]]] = {}
    for row in catalog.rows_where(query.order_by(sets.c.term), set_papers.c.paper_key, paper_keys):
        names_by_kind = sets_by_paper.setdefault(row.paper_key, {})
        names_by_kind[row.kind] = (*names_by_kind.get(row.kind, ()), row.name)
    return sets_by_paper


def passages_among(catalog: CatalogReader, names: Sequence[str]) -> tuple[int, ...]:
    """The keys of the passages of the papers that are named, ascending."""
    chosen = select(papers.c.key).where(among_condition(names))
    return tuple(sorted(catalog.numbers(select(passages.c.key).where(passages.c.paper_key.in_(chosen))).tolist()))


def passages_in_sets(catalog: CatalogReader, kind: str, names: Sequence[str]) -> tuple[int, ...]:
    """The keys of the passages of all papers in one of the tags or collections, ascending."""
    chosen = select(sets.c.key).where(set_condition(kind, names))
    members = select(set_papers.c.paper_key).where(set_papers.c.set_key.in_(chosen))
    return tuple(sorted(catalog.numbers(select(passages.c.key).where(passages.c.paper_key.in_(members))).tolist()))


EDITABLE: Mapping[str, Any] = {
    name: kind for name, kind in get_type_hints(Metadata).items() if name not in ("references", "external_id", "extra")
}
"""The fields that can be written by hand -> their types."""
Edits = Mapping[str, Any]
"""Field of the metadata -> its value."""


def edits_of_papers(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Paper key -> what was written by hand of it; papers without are left out."""
    edits_by_paper: dict[int, dict[str, Any]] = {}
    query = select(edits).order_by(edits.c.paper_key, edits.c.field)
    for row in catalog.rows_where(query, edits.c.paper_key, paper_keys):
        if row.field in EDITABLE:
            value = unpack_json(row.value, EDITABLE[row.field], "what was written of a paper by hand")
            edits_by_paper.setdefault(row.paper_key, {})[row.field] = value
    return edits_by_paper


def edit_times(catalog: CatalogReader, paper_key: int) -> dict[str, str]:
    """Field -> when it was written (ISO 8601, UTC)."""
    return {row.field: row.made for row in catalog.rows(select(edits).where(edits.c.paper_key == paper_key))}


def put_edits(connection: Connection, paper_key: int, values: Edits, reverted: Sequence[str], moment: str) -> None:
    """Keep what was written of a paper, and forget what was written of the fields `reverted`."""
    gone = [*values, *reverted]
    connection.execute(delete(edits).where(edits.c.paper_key == paper_key, edits.c.field.in_(gone)))
    rows = [
        {"paper_key": paper_key, "field": name, "value": msgspec.json.encode(value).decode(), "made": moment}
        for name, value in values.items()
    ]
    insert_rows(connection, edits, rows)


def split_sides(catalog: CatalogReader, names: Iterable[Name]) -> dict[Name, dict[int, int]]:
    """Name -> split -> the side of it on which what is called so is; without those that were never split."""
    sides_by_name: dict[Name, dict[int, int]] = {}
    for row in catalog.rows_where(select(splits), splits.c.value, sorted({value for _, value in names})):
        sides_by_name.setdefault((row.scheme, row.value), {})[row.split] = row.side
    return sides_by_name


def list_splits(catalog: CatalogReader) -> list[tuple[int, int, Name]]:
    """(split, side, name) of all that was split, in order."""
    rows = catalog.rows(select(splits).order_by(splits.c.split, splits.c.side, splits.c.scheme, splits.c.value))
    return [(row.split, row.side, (row.scheme, row.value)) for row in rows]


def put_split(connection: Connection, sides: Sequence[Iterable[Name]]) -> None:
    """Keep a split: the names of what is on each side of it."""
    number = int(connection.scalar(select(func.max(splits.c.split))) or 0) + 1
    rows = [
        {"split": number, "side": side, "scheme": scheme, "value": value}
        for side, names in enumerate(sides)
        for scheme, value in dict.fromkeys(names)
    ]
    connection.execute(insert(splits), rows)


def learn_names(connection: Connection, names: Iterable[tuple[int, int, Name]]) -> None:
    """Keep more names, (split, side, name), of what is on the side of a split: its file was moved or changed."""
    rows = [{"split": split, "side": side, "scheme": name[0], "value": name[1]} for split, side, name in names]
    insert_rows(connection, splits, rows)


def drop_splits(connection: Connection, numbers: Sequence[int]) -> None:
    """Forget splits."""
    delete_where(connection, splits.c.split, numbers)


def list_sets(catalog: CatalogReader, kind: SetKind) -> tuple[PaperSet, ...]:
    """All tags, or all collections, by name."""
    number = select(func.count()).where(set_papers.c.set_key == sets.c.key).scalar_subquery()
    rows = catalog.rows(select(sets, number.label("papers")).where(sets.c.kind == kind).order_by(sets.c.term))
    return tuple(PaperSet(row.id, kind, row.name, row.papers, row.made) for row in rows)


def find_set(catalog: CatalogReader, kind: SetKind, name: str) -> PaperSet:
    """The tag or the collection of a name, in any case, or of an id.

    Raises:
        NotFoundError: there is none.
    """
    term = set_term(name)
    matches = [paper_set for paper_set in list_sets(catalog, kind) if term in (paper_set.id, set_term(paper_set.name))]
    if not matches:
        raise missing_set(kind, name)
    return next((paper_set for paper_set in matches if paper_set.id == term), matches[0])


def missing_set(kind: SetKind, name: str) -> NotFoundError:
    """The error for a tag or a collection that does not exist."""
    listing = "tags" if kind == "tag" else "list"
    return NotFoundError(f"There is no {kind} '{checked_name(name, kind)}'.", f"`collections {listing}` lists them.")


def every_review(catalog: CatalogReader) -> Iterator[Mapping[str, Any]]:
    """Each review, the oldest first, with the ids of its papers and all that it says of them."""
    other = papers.alias("other")
    entries = select(review_entries, papers.c.id.label("paper"), other.c.id.label("other"))
    entries = entries.join(papers, papers.c.key == review_entries.c.paper_key)
    entries = entries.outerjoin(other, other.c.key == review_entries.c.other_key).order_by(review_entries.c.key)
    members = select(papers.c.id).join(review_papers, review_papers.c.paper_key == papers.c.key)
    for row in catalog.rows(select(reviews).order_by(reviews.c.key)):
        member_query = members.where(review_papers.c.review_key == row.key).order_by(review_papers.c.ordinal)
        yield {
            **{"review": row.id, "kind": row.kind, "name": row.name, "made": row.made, "updated": row.updated},
            "spec": unpack_json(row.spec, dict[str, Any], "what a review asks"),
            "papers": [member.id for member in catalog.rows(member_query)],
            "entries": [
                {
                    **{"paper": entry.paper, "other": entry.other or "", "field": entry.field, "by": entry.by},
                    **{"value": unpack_json(entry.value, dict[str, Any], "what a review says"), "made": entry.made},
                }
                for entry in catalog.rows(entries.where(review_entries.c.review_key == row.key))
            ],
        }
