"""RIS files, as Zotero, EndNote, Mendeley, Web of Science, Scopus and publishers write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from conspectus.parse.bibliography.fields import kind_of, plain_files
from conspectus.parse.bibliography.records import first_of, read_lines, with_extra
from conspectus.parse.people.authors import comma_names
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.text.blocks import clean_line
from conspectus.parse.text.dates import read_date
from conspectus.parse.text.identifiers import find_arxiv_id, normal_doi

_TAG = re.compile(r"([A-Z][A-Z0-9])(?:  ?- ?| {2,3}-$)")
_FRAME = re.compile(r"TY {1,2}- *[A-Z][A-Z0-9]{2,7}|ER {1,2}-")
_IN_JOURNALS = frozenset({"JOUR", "EJOUR", "MGZN", "NEWS", "JFULL", "ABST"})
_VENUES = ("T2", "JF", "JO", "JA", "BT", "J1", "J2")
_AUTHORS = ("AU", "A1")
_EDITORS = ("ED", "A2")
_EXTRA = {
    "VL": "volume",
    "PB": "publisher",
    "CY": "address",
    "ET": "edition",
    "T3": "series",
    "LA": "language",
    "N1": "note",
    "C2": "pmcid",
    "SE": "section",
    "M3": "medium",
}
_MAX_RECORD = 2**22

Tags = dict[str, list[str]]


def is_ris(text: str) -> bool:
    """Whether a text begins as such a file does: a line with `TY` and a kind, or with ER, with other tags beside it."""
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    at = next((number for number, line in enumerate(lines) if _FRAME.fullmatch(line)), None)
    return at is not None and any(map(_TAG.match, (*lines[max(at - 1, 0) : at], *lines[at + 1 : at + 2])))


def read(path: Path) -> Iterator[Item]:
    """The records as papers, and those that cannot be read; as `protocol.Reader.read`."""
    return read_lines(path, _items)


def _items(lines: Iterable[str]) -> Iterator[Item]:
    for number, tags in _records(lines):
        where = f"line {number}"
        if tags is None:
            yield BadRecord(where, f"The record is longer than {_MAX_RECORD:,} characters.")
        elif "TY" not in tags and not tags.keys() & {"TI", "T1"}:
            yield BadRecord(where, "The record has neither TY nor a title.")
        else:
            yield _paper(tags, where)


def _records(lines: Iterable[str]) -> Iterator[tuple[int, Tags | None]]:
    """(line, values by tag) of each record: to its ER, or to the next TY where its own has come.

    A line without a tag goes on the value before.
    """
    tags: Tags = {}
    last, begun, size = "", 0, 0
    for number, line in enumerate(lines, 1):
        match = _TAG.match(line)
        ends = match and (match[1] == "ER" or (match[1] == "TY" and "TY" in tags))
        if ends:
            if tags or size > _MAX_RECORD:
                yield begun, tags if size <= _MAX_RECORD else None
            tags, last, size = {}, "", 0
        if (match and match[1] == "ER") or (not tags and not match):
            continue  # the end of a record, and what stands between two
        begun = begun if tags else number
        size += len(line)
        if size > _MAX_RECORD:
            tags = tags and {"TY": tags.get("TY", [])}
        elif match:
            last = match[1]
            tags.setdefault(last, []).append(line[match.end() :].strip())
        elif last:
            tags[last][-1] += "\n" + line.strip()
    if tags:
        yield begun, tags if size <= _MAX_RECORD else None


def _paper(tags: Tags, where: str) -> Item:
    tags = {
        tag: filled_values
        for tag, values in tags.items()
        if (filled_values := [value for value in values if value.strip()])
    }
    venue = _venue(tags)
    record: dict[str, Any] = {
        "id": first_of(tags, "ID"),
        "title": first_of(tags, "TI", "T1", "CT") or (first_of(tags, "BT") if venue != "BT" else ""),
        "authors": comma_names(name for tag in _AUTHORS for name in tags.get(tag, ())),
        "abstract": "\n\n".join(tags.get("AB") or tags.get("N2") or ()),
        "venue": first_of(tags, venue),
        "keywords": [word for value in tags.get("KW", ()) for word in value.split("\n")],
        "doi": next((doi for value in tags.get("DO", ()) if (doi := normal_doi(value))), ""),
        "url": next((url for url in tags.get("UR", ()) if url and not url.startswith("file:")), ""),
        "files": plain_files([*tags.get("L1", ()), *tags.get("L2", ())]),
    }
    if not record["title"] and venue in ("BT", "T2"):
        record["title"], record["venue"] = record["venue"], ""
    record |= _dates(tags) | _numbers(tags, record)
    extra: dict[str, Any] = {"type": kind_of(first_of(tags, "TY").split()[0] if first_of(tags, "TY") else "GEN", "ris")}
    extra |= {name: "\n\n".join(tags[tag]) for tag, name in _EXTRA.items() if tags.get(tag)}
    start, end = first_of(tags, "SP"), first_of(tags, "EP")
    pages = f"{start}-{end}" if start and end and end != start and "-" not in start else start or end
    extra |= {"number": first_of(tags, "IS", "M1"), "pages": pages}
    extra["second_title"] = first_of(tags, "T2") if venue in ("JF", "JO") and tags.get("T2") != tags[venue] else ""
    extra["editor"] = [
        person["literal"] for person in comma_names(name for tag in _EDITORS for name in tags.get(tag, ()))
    ]
    for number in tags.get("SN", ()):
        extra.setdefault("isbn" if len(re.findall(r"[\dXx]", number)) > 8 else "issn", clean_line(number))
    return with_extra(record, extra, where)


def _venue(tags: Tags) -> str:
    """The tag that has the name of the journal, the proceedings or the book; "" where none has.

    Of an article whose journal is in JF or JO, T2 is its second title (EBSCO), unless the other is short for it.
    """
    if first_of(tags, "TY").split(" ")[0] in _IN_JOURNALS:
        journal = next((tag for tag in ("JF", "JO") if tag in tags), "")
        if journal and not ("T2" in tags and _is_short_for(first_of(tags, journal), first_of(tags, "T2"))):
            return journal
    return next((tag for tag in _VENUES if tag in tags), "")


def _is_short_for(short: str, name: str) -> bool:
    """Whether each word of a title begins one of the other, in order (`J. Sea Res.`), or is its initials."""
    words = iter(re.findall(r"\w+", name.casefold()))
    parts = re.findall(r"\w+", short.casefold())
    initials = iter(re.findall(r"\b\w", name.casefold()))
    is_acronym = len(parts) == 1 and all(sign in initials for sign in parts[0])
    return is_acronym or all(any(word.startswith(part) for word in words) for part in parts)


def _dates(tags: Tags) -> dict[str, str]:
    """The year and the most exact date that agrees with it: PY counts before Y1, and both before DA."""
    year = next((date[:4] for tag in ("PY", "Y1", "DA") if (date := read_date(first_of(tags, tag)))), "")
    dates = [read_date(first_of(tags, tag)) or read_date(first_of(tags, tag), year) for tag in ("PY", "Y1", "DA")]
    date = max((date for date in dates if date[:4] == year), key=len, default="")
    return {"year": year or first_of(tags, "PY", "Y1", "DA"), "date": date if len(date) > 4 else ""}


def _numbers(tags: Tags, record: dict[str, Any]) -> dict[str, str]:
    """Identifiers that RIS has no tag of its own for."""
    identifiers: dict[str, str] = {}
    words = [*tags.get("UR", ()), *tags.get("AN", ()), *tags.get("N1", ()), *tags.get("M1", ()), record["venue"]]
    if arxiv := next((arxiv for word in words if (arxiv := find_arxiv_id(word))), ""):
        identifiers["arxiv_id"] = arxiv
    for word in [*tags.get("AN", ()), *tags.get("C7", ()), *tags.get("N1", ())]:
        if match := re.match(r"(?:pmid\s*+(?::\s*+)?|MEDLINE:)(\d{1,9})\b", word, re.I):
            identifiers.setdefault("pmid", match[1])
    return identifiers
