"""MEDLINE text, which PubMed gives as `.nbib` or "PubMed format"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from conspectus.core.grouped import grouped
from conspectus.parse.bibliography.names import comma_name, initials_name, organisation
from conspectus.parse.bibliography.streams import first_of, read_lines, with_extra
from conspectus.parse.dates import read_date
from conspectus.parse.protocol import BadRecord, Item

_TAG = re.compile(r"([A-Z][A-Z0-9]{1,3}) *- ?")
_MAX_RECORD = 2**22
_DOI = re.compile(r"(?<!\S)(\S++) \[doi\]")
_LABEL = re.compile(r"(?:^|(?<=[.?!] ))(?=[A-Z][A-Z ,/&()-]{3,60}: )")
_EXTRA = {"VI": "volume", "IP": "number", "PG": "pages", "LA": "language", "PB": "publisher", "PMC": "pmcid"}

_TITLES = frozenset({"PMID", "TI", "BTI"})

Lines = list[tuple[str, str]]


def is_medline(text: str) -> bool:
    """Whether a text begins as such a file does: nothing but lines with tags, one of them a title or a PMID."""
    lines = [line for line in text.split("\n", 60)[:60] if line.strip()]
    tags = [match[1] for line in lines if (match := _TAG.match(line))]
    others = [line for line in lines if not line[0].isspace() and not _TAG.match(line)]
    is_first = bool(lines and _TAG.match(lines[0]))
    is_ris = not {"TY", "ER", "PY"}.isdisjoint(tags)
    return is_first and len(tags) > 1 and not others and not is_ris and not _TITLES.isdisjoint(tags)


def read(path: Path) -> Iterator[Item]:
    """The records as papers, and those that cannot be read; as `protocol.Reader.read`."""
    return read_lines(path, _items)


def _items(lines: Iterable[str]) -> Iterator[Item]:
    for number, found in _records(lines):
        if sum(len(value) for _, value in found) > _MAX_RECORD:
            yield BadRecord(f"line {number}", f"The record is longer than {_MAX_RECORD:,} characters.")
        else:
            yield _paper(found, f"line {number}")


def _records(lines: Iterable[str]) -> Iterator[tuple[int, Lines]]:
    """(line, values with their tags) of each record. One with a PMID ends with the next; others, as ERIC writes them,
    with an empty line."""
    found: Lines = []
    begun = size = 0
    gap = False
    for number, line in enumerate(lines, 1):
        match = _TAG.match(line)
        has_pmid = any(tag == "PMID" for tag, _ in found)
        if match and found and (match[1] == "PMID" if has_pmid else gap):
            yield begun, found
            found = []
        gap = not line.strip()
        if match:
            if not found:
                begun, size = number, 0
            found.append((match[1], line[match.end() :].strip()))
        elif found and line[:1].isspace() and line.strip() and size <= _MAX_RECORD:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
            size += len(line)
    if found:
        yield begun, found


def _paper(found: Lines, where: str) -> Item:
    tags = grouped((tag, value) for tag, value in found if value)
    words = tags.get("OT", [])
    mesh = list(dict.fromkeys(word.replace("*", "").split("/")[0] for word in tags.get("MH", ())))
    identifiers = " ".join(f"{value} ;" for tag in ("AID", "LID") for value in tags.get(tag, ()))
    doi = _DOI.search(identifiers)
    record: dict[str, Any] = {
        "id": first_of(tags, "PMID"),
        "pmid": first_of(tags, "PMID"),
        "title": (first_of(tags, "TI") or first_of(tags, "BTI")).removesuffix("."),
        "authors": _authors(found),
        "abstract": _LABEL.sub("\n\n", first_of(tags, "AB")).strip(),
        "venue": first_of(tags, "JT") or first_of(tags, "TA"),
        "date": read_date(first_of(tags, "DP")),
        "doi": doi[1] if doi else "",
        "keywords": [word.replace("*", "") for word in words] or mesh,
    }
    extra: dict[str, Any] = {name: first_of(tags, tag) for tag, name in _EXTRA.items()}
    extra |= {"type": "book" if "BTI" in tags and "TI" not in tags else "article-journal", "mesh": mesh}
    extra |= {"publication_types": tags.get("PT", []), "issn": first_of(tags, "IS").split(" ")[0]}
    extra["journal_abbreviation"] = first_of(tags, "TA") if "JT" in tags else ""
    return with_extra(record, extra, where)


def _authors(found: Lines) -> list[dict[str, Any]]:
    """The authors in order, each with what stands below the name."""
    full = any(tag == "FAU" for tag, _ in found)
    authors: list[dict[str, Any]] = []
    for tag, value in found:
        if tag == ("FAU" if full else "AU"):
            authors.append(comma_name(value) if "," in value else initials_name(value))
        elif tag == "CN":
            authors.append(organisation(value))
        elif authors and tag == "AUID" and "orcid" in value.lower():
            authors[-1]["orcid"] = value
        elif authors and tag == "AD":
            authors[-1].setdefault("affiliations", []).append(value)
    return authors
