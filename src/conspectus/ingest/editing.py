"""Metadata of papers written by hand: checked as what files say is, merged before all that they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from conspectus.core.characters import line
from conspectus.core.errors import UsageError
from conspectus.ingest.merge import merge
from conspectus.ingest.parting import Change
from conspectus.ingest.store import PaperStore
from conspectus.parse.bibliography.fields import FieldError, metadata_of
from conspectus.parse.sanitizer import sanitize
from conspectus.records import Author, Metadata, ParsedPaper
from conspectus.records.curation import Edit
from conspectus.store import user_data
from conspectus.store.catalog import Catalog
from conspectus.store.connection import utc_now
from conspectus.store.rows import Document
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
        values |= _when(values, _said(documents)) if values.keys() & set(_WHEN) else {}
    before = user_data.edits_of_papers(catalog, [key]).get(key, {})
    after = {name: value for name, value in before.items() if name not in gone} | values
    keep = partial(user_data.put_edits, paper_key=key, values=values, reverted=sorted(gone), moment=utc_now())
    store.remake([key], Change(edits={key: after}), keep)
    owners = catalog.papers_of([one.key for one in documents])
    return key if key in owners else owners[0]


def edits_of(catalog: Catalog, key: int) -> tuple[Edit, ...]:
    """What was written of a paper by hand, and what its files say there."""
    made, said = user_data.edit_times(catalog, key), _said(catalog.documents_of_one(key))
    kept = user_data.edits_of_papers(catalog, [key]).get(key, {})
    return tuple(Edit(name, _told(value), _told(getattr(said, name)), made[name]) for name, value in kept.items())


def _said(documents: Iterable[Document]) -> Metadata:
    """What files say of a paper."""
    return merge([replace(one, edits={}) for one in documents]).metadata


def _checked(name: str, value: Any) -> Any:
    """The value as a record would have it, where all of it can be taken; nothing empties the field."""
    if value is None or value in ("", [], ()):
        return _NOTHING[name]
    if isinstance(value, str) and name == "authors":
        value = [part for part in value.split(";") if part.strip()]
    if name == "url" and not str(value).lower().startswith(("http://", "https://")):
        raise UsageError("That cannot be a paper's url.", "It begins with http:// or https://; nothing empties it.")
    try:
        said, _, warnings = metadata_of({name: value})
    except FieldError as error:
        raise UsageError(f"That cannot be a paper's {name}: {error}.", "Nothing empties the field.") from error
    paper = sanitize(ParsedPaper(said))
    found, told = getattr(paper.metadata, name), [*warnings, *paper.warnings]
    if told or found == _NOTHING[name]:
        raise UsageError(f"That cannot be a paper's {name}. {' '.join(told)}".strip(), "Nothing empties the field.")
    return found


def _when(values: Mapping[str, Any], said: Metadata) -> dict[str, Any]:
    """The year and the date as written, and the other where what the files say of it spoke against that."""
    if "date" not in values:
        year = values["year"]
        agrees = not said.date or (year is not None and said.date.startswith(str(year)))
        return {"year": year} if agrees else {"year": year, "date": ""}
    date = values["date"]
    year = values.get("year", int(date[:4]) if date else said.year)
    if date and year != int(date[:4]):
        raise UsageError(f"The date {date} is not in the year {year}.", "Give one of them, or two that agree.")
    return {"date": date} if "year" not in values and year == said.year else {"year": year, "date": date}


def _told(value: Any) -> str | int | None:
    """A value as it can be written: names apart by `;`."""
    if not isinstance(value, tuple):
        return value  # type: ignore[no-any-return]
    return "; ".join(map(_name, value))


def _name(one: str | Author) -> str:
    if isinstance(one, str):
        return one
    return f"{one.family}, {one.given}" if one.family and one.given else one.name
