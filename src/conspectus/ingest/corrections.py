"""What users correct of papers: metadata written by hand, and papers that were merged wrongly taken apart."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import Any

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.groups import grouped
from conspectus.core.text import line
from conspectus.ingest.paper_groups import Bond, Change, group, names_of
from conspectus.ingest.paper_merge import merge, origins
from conspectus.ingest.paper_plan import LABELS
from conspectus.ingest.paper_store import PaperStore
from conspectus.ingest.work_identity import are_versions, service_of
from conspectus.parse.bibliography.fields import FieldError, metadata_of
from conspectus.parse.process.sanitizer import sanitize
from conspectus.records import Author, Metadata, Paper, PaperDocument, ParsedPaper
from conspectus.records.curation import Edit
from conspectus.store import user_data
from conspectus.store.catalog import Catalog
from conspectus.store.connection import utc_now
from conspectus.store.rows import StoredDocument
from conspectus.store.user_data import EDITABLE

_WHEN = ("year", "date")
_NOTHING: dict[str, Any] = {name: getattr(Metadata(), name) for name in EDITABLE}


def edit(store: PaperStore, key: int, changes: Mapping[str, Any], reverted: Sequence[str]) -> int:
    """Write fields of a paper by hand, and let others be as its files say again; the key of what it is then.

    Raises:
        UsageError: a field cannot be written, or cannot have this value; nothing was done.
    """
    for name in (*changes, *reverted):
        if name not in EDITABLE:
            raise UsageError(f"'{line(name)[:40]}' cannot be edited.", f"These can: {', '.join(EDITABLE)}.")
    values = {name: _checked(name, value) for name, value in changes.items()}
    catalog = store.catalog
    documents = catalog.documents_of_one(key)
    gone = set(reverted)
    if (values.keys() | gone) & set(_WHEN):
        gone |= set(_WHEN)
        values |= _check_dates(values, _merged_metadata(documents)) if values.keys() & set(_WHEN) else {}
    before = user_data.edits_of_papers(catalog, [key]).get(key, {})
    after = {name: value for name, value in before.items() if name not in gone} | values
    keep = partial(user_data.put_edits, paper_key=key, values=values, reverted=sorted(gone), moment=utc_now())
    store.remake([key], Change(edits={key: after}), keep)
    owners = catalog.papers_of([document.key for document in documents])
    return key if key in owners else owners[0]


def edits_of(catalog: Catalog, key: int) -> tuple[Edit, ...]:
    """What was written of a paper by hand, and what its files say there."""
    times, metadata = user_data.edit_times(catalog, key), _merged_metadata(catalog.documents_of_one(key))
    edits = user_data.edits_of_papers(catalog, [key]).get(key, {})
    return tuple(
        Edit(name, _as_text(value), _as_text(getattr(metadata, name)), times[name]) for name, value in edits.items()
    )


def _merged_metadata(documents: Iterable[StoredDocument]) -> Metadata:
    """What files say of a paper."""
    return merge([replace(document, edits={}) for document in documents]).metadata


def _checked(name: str, value: Any) -> Any:
    """The value as a record would have it, where all of it can be taken; nothing empties the field."""
    if value is None or value in ("", [], ()):
        return _NOTHING[name]
    if isinstance(value, str) and name == "authors":
        value = [part for part in value.split(";") if part.strip()]
    if name == "url" and not str(value).lower().startswith(("http://", "https://")):
        raise UsageError("That cannot be a paper's url.", "It begins with http:// or https://; nothing empties it.")
    try:
        metadata, _, warnings = metadata_of({name: value})
    except FieldError as error:
        raise UsageError(f"That cannot be a paper's {name}: {error}.", "Nothing empties the field.") from error
    paper = sanitize(ParsedPaper(metadata))
    clean_value, complaints = getattr(paper.metadata, name), [*warnings, *paper.warnings]
    if complaints or clean_value == _NOTHING[name]:
        raise UsageError(
            f"That cannot be a paper's {name}. {' '.join(complaints)}".strip(), "Nothing empties the field."
        )
    return clean_value


def _check_dates(values: Mapping[str, Any], metadata: Metadata) -> dict[str, Any]:
    """The year and the date as written, and the other where what the files say of it spoke against that."""
    if "date" not in values:
        year = values["year"]
        agrees = not metadata.date or (year is not None and metadata.date.startswith(str(year)))
        return {"year": year} if agrees else {"year": year, "date": ""}
    date = values["date"]
    year = values.get("year", int(date[:4]) if date else metadata.year)
    if date and year != int(date[:4]):
        raise UsageError(f"The date {date} is not in the year {year}.", "Give one of them, or two that agree.")
    return {"date": date} if "year" not in values and year == metadata.year else {"year": year, "date": date}


def _as_text(value: Any) -> str | int | None:
    """A value as it can be written: names apart by `;`."""
    if not isinstance(value, tuple):
        return value  # type: ignore[no-any-return]
    return "; ".join(map(_name, value))


def _name(author: str | Author) -> str:
    if isinstance(author, str):
        return author
    return f"{author.family}, {author.given}" if author.family and author.given else author.name


_NEW = 0
"""The number of a split that has none yet."""


def split(store: PaperStore, key: int, chosen: Sequence[str]) -> list[int]:
    """Take the documents `chosen` (none: each) out of a paper; the keys of the papers that it is then, itself first."""
    documents = in_order(store.catalog.documents_of_one(key))
    if len(documents) == 1:
        raise UsageError("The paper is made of one document only.", "`show PAPER` lists what it is made of.")
    away = {number for name in chosen for number in _find_documents(documents, name)}
    if len(away) == len(documents):
        raise UsageError("That is all that the paper is made of.", "Leave out those that stay, or name none for each.")
    side = {document.key: int(number in away) if away else number for number, document in enumerate(documents)}
    sides = [
        [document for document in documents if side[document.key] == number] for number in range(max(side.values()) + 1)
    ]
    change = Change(more={key: {_NEW: number} for key, number in side.items()})
    store.remake([key], change, partial(user_data.put_split, sides=_names(sides)))
    return _papers_of(store.catalog, documents, key)


def unite(store: PaperStore, key: int) -> list[int]:
    """Forget the splits that the paper's documents take part in; the keys of the papers of all that took part."""
    documents = store.catalog.documents_of_one(key)
    known = user_data.split_sides(store.catalog, (name for document in documents for name in names_of(document)))
    numbers = sorted({number for sides in known.values() for number in sides})
    if not numbers:
        raise UsageError("The paper was never split.", "`show PAPER` lists what it is made of.")
    drop = partial(user_data.drop_splits, numbers=numbers)
    drafts = store.remake([key], Change(without=numbers), drop)
    return _papers_of(store.catalog, [document for draft in drafts for document in draft.documents], key)


def described(documents: Iterable[StoredDocument]) -> tuple[PaperDocument, ...]:
    """What a paper is made of, what holds each with the others, and which fields it gives."""
    ordered = in_order(documents)
    fields = grouped((id(document), name) for name, document in origins(ordered).items())
    bonds = group(ordered).bonds
    return tuple(
        PaperDocument(
            number + 1,
            document.path,
            document.ordinal,
            document.parsed.metadata.title,
            document.parsed.has_full_text,
            tuple(_describe_bonds(bonds, number)),
            service_of(document),
            tuple(sorted(fields.get(id(document), ()))),
        )
        for number, document in enumerate(ordered)
    )


def find_versions(catalog: Catalog, paper: Paper) -> tuple[Paper, ...]:
    """Other papers of one title, author and time whose identifiers are their own: versions of one work."""
    key = catalog.paper_key(paper.id)
    titles = [name for name in catalog.identities([key]).get(key, ()) if name[0] == "title"]
    others = {other for keys in catalog.papers_known_as(titles).values() for other in keys} - {key}
    papers = catalog.papers_by_key(sorted(others)).values()
    return tuple(other for other in papers if are_versions(paper, other))


def in_order(documents: Iterable[StoredDocument]) -> list[StoredDocument]:
    """Documents in the order in which they are numbered for users."""
    return sorted(documents, key=lambda document: (document.path, document.ordinal, document.key))


def _describe_bonds(bonds: Sequence[Bond], number: int) -> Iterable[str]:
    mine = (bond for bond in bonds if number in (bond.first, bond.second))
    others_by_reason = grouped((_reason(bond), bond.first + bond.second - number + 1) for bond in mine)
    return (f"{reason}, with {', '.join(map(str, sorted(others)))}" for reason, others in others_by_reason.items())


def _reason(bond: Bond) -> str:
    reasons = {
        "bytes": "the same bytes",
        "link": "one names the other's file",
        "content": "says the same",
        "version": "one names the other as a version",
        "title": "the same title and authors",
    }
    return reasons.get(bond.why) or f"{LABELS[bond.name[0]]} {bond.name[1]}"


def _find_documents(documents: Sequence[StoredDocument], name: str) -> list[int]:
    """The documents, from 0, that a number, a path or a file's name means."""
    if name.isdigit() and 1 <= int(name) <= len(documents):
        return [int(name) - 1]
    path = os.path.abspath(name)  # noqa: PTH100 - links stay links
    numbers = [number for number, document in enumerate(documents) if document.path in (name, path)]
    numbers = numbers or [number for number, document in enumerate(documents) if PurePath(document.path).name == name]
    if not numbers:
        raise NotFoundError(f"The paper has no document '{name}'.", "`show PAPER` numbers them.")
    return numbers


def _names(sides: Sequence[Sequence[StoredDocument]]) -> list[list[tuple[str, str]]]:
    """The names of what is on each side; those that would be on two, such as copies of one file have, are left out."""
    side_names = [list(dict.fromkeys(name for document in side for name in names_of(document))) for side in sides]
    every = [name for names in side_names for name in names]
    return [[name for name in names if every.count(name) == 1] for names in side_names]


def _papers_of(catalog: Catalog, documents: Iterable[StoredDocument], first: int) -> list[int]:
    return sorted(catalog.papers_of([document.key for document in documents]), key=lambda key: (key != first, key))
