"""RIS files, as Zotero, EndNote, Mendeley, Web of Science, Scopus and publishers write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from conspectus.parse.bibliography.kinds import kind_of
from conspectus.parse.bibliography.links import plain_files
from conspectus.parse.bibliography.streams import first_of, read_lines, slashed_date, with_extra
from conspectus.parse.blocks import clean_line
from conspectus.parse.identifiers import find_arxiv_id, normal_doi
from conspectus.parse.people import SUFFIX
from conspectus.parse.protocol import BadRecord, Item

_TAG = re.compile(r"([A-Z][A-Z0-9])(?:  ?- ?| {2,3}-$)")
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


def read(path: Path) -> Iterator[Item]:
    """The records as papers, and those that cannot be read; as `protocol.Reader.read`."""
    return read_lines(path, _items)


def _items(lines: Iterable[str]) -> Iterator[Item]:
    for number, tags in _records(lines):
        where = f"line {number}"
        if tags is None:
            yield BadRecord(where, f"The record is longer than {_MAX_RECORD:,} characters.")
        elif "TY" not in tags:
            yield BadRecord(where, "The record does not begin with TY.")
        else:
            yield _paper(tags, where)


def _records(lines: Iterable[str]) -> Iterator[tuple[int, Tags | None]]:
    """(line, values by tag) of each record; a line without a tag goes on the value before."""
    tags: Tags = {}
    last, begun, size = "", 0, 0
    for number, line in enumerate(lines, 1):
        match = _TAG.match(line)
        if match and match[1] in ("TY", "ER"):
            if tags or size > _MAX_RECORD:
                yield begun, tags if size <= _MAX_RECORD else None
            tags, last, size, begun = {}, "", 0, number
            if match[1] == "ER":
                continue
        if not tags and not match:
            continue  # what stands between two records
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
    venue = next((name for name in _VENUES if tags.get(name)), "")
    record: dict[str, Any] = {
        "id": first_of(tags, "ID"),
        "title": first_of(tags, "TI", "T1", "CT") or (first_of(tags, "BT") if venue != "BT" else ""),
        "authors": [ris_name(name) for tag in _AUTHORS for name in tags.get(tag, ())],
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
    extra |= {"number": first_of(tags, "IS", "M1"), "pages": _pages(tags)}
    extra["editor"] = [ris_name(name)["literal"] for tag in _EDITORS for name in tags.get(tag, ())]
    for number in tags.get("SN", ()):
        extra.setdefault("isbn" if len(re.findall(r"[\dXx]", number)) > 8 else "issn", clean_line(number))
    return with_extra(record, extra, where)


def ris_name(text: str) -> dict[str, Any]:
    """`Family, Given, Suffix`; a name without a comma is literal."""
    parts = [part for part in (clean_line(part) for part in text.split(",")) if part]
    if len(parts) < 2 or (len(parts) == 2 and SUFFIX.fullmatch(parts[1])):
        return {"literal": " ".join(parts)}
    return {"literal": " ".join([parts[1], parts[0], *parts[2:]]), "family": parts[0], "given": parts[1]}


def _dates(tags: Tags) -> dict[str, str]:
    date = slashed_date(first_of(tags, "DA"))
    year = slashed_date(first_of(tags, "PY", "Y1"))
    if len(year) > 4 and len(year) > len(date):
        date = year
    return {"year": year[:4], "date": date if date[:4].isdigit() else ""}


def _numbers(tags: Tags, record: dict[str, Any]) -> dict[str, str]:
    """Identifiers that RIS has no tag of its own for."""
    found: dict[str, str] = {}
    words = [*tags.get("UR", ()), *tags.get("AN", ()), *tags.get("N1", ()), *tags.get("M1", ()), record["venue"]]
    if arxiv := next((arxiv for word in words if (arxiv := find_arxiv_id(word))), ""):
        found["arxiv_id"] = arxiv
    for word in [*tags.get("AN", ()), *tags.get("C7", ()), *tags.get("N1", ())]:
        if match := re.match(r"(?:pmid\s*+(?::\s*+)?|MEDLINE:)(\d{1,9})\b", word, re.I):
            found.setdefault("pmid", match[1])
    return found


def _pages(tags: Tags) -> str:
    start, end = first_of(tags, "SP"), first_of(tags, "EP")
    return f"{start}-{end}" if start and end and end != start and "-" not in start else start or end
