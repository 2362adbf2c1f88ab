"""Tagged text of EndNote (Refer), Web of Science, RefWorks, Ovid and Cochrane, recognised by its content.

A record begins with an opening tag, or after a separator line. A line without a tag continues the previous value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from conspectus.core.errors import InputError
from conspectus.core.groups import grouped
from conspectus.parse.bibliography.dialects import COCHRANE, OVID, REFER, REFWORKS, WEB_OF_SCIENCE, Dialect, column_key
from conspectus.parse.bibliography.field_map import paper_of_values
from conspectus.parse.bibliography.records import first_of, read_lines, with_extra
from conspectus.parse.people.authors import comma_name, initials_name, organisation
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.text.dates import read_date

_MAX_RECORD = 2**22
_HEAD_LINES = 60
_LINES_IN_FRONT = 3
"""The most lines about the export in front of its records."""

Tags = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Grammar:
    """How a kind of tagged text is written.

    Attributes:
        begin: matches the first lines of the records, empty lines left out.
        tag: matches a line with a tag; its groups are `tag` and `value`.
        opening: tags that begin a record. A record without any of them ends with an empty line.
        parting: a line that separates records, or belongs to none.
        loose: whether values continue in lines that are not indented, so only tags of the dialect count as tags.
    """

    dialect: Dialect
    begin: re.Pattern[str]
    tag: re.Pattern[str]
    opening: frozenset[str] = frozenset()
    parting: re.Pattern[str] = re.compile(r"(?!)")
    loose: bool = False

    def tag_of(self, line: str) -> re.Match[str] | None:
        """The tag of a line and its value, if it has one."""
        match = self.tag.match(line)
        return match if match and (not self.loose or column_key(match["tag"]) in self.dialect.column_keys) else None

    def begins_record(self, tag: str, values: Tags, *, behind_gap: bool) -> bool:
        """Whether a tag after these values begins another record. `behind_gap`: an empty line precedes it."""
        if not values or tag in self.opening:
            return bool(values)
        return behind_gap and bool(self.opening) and self.opening.isdisjoint(values)


_LETTERS = r"(?P<tag>[A-Z][A-Z0-9])"
GRAMMARS = (
    Grammar(
        REFER,
        re.compile(r"%[0A-Z] +\S[^\n]*\n(?:%[\w@!+~#$&*()<>?\[\]^|=>] |[^%\n]+\n%[0A-Z] )"),
        re.compile(r"%(?P<tag>[0-9A-Z@!+~#$&*()<>?\[\]^|=])(?:[ \t]+(?P<value>.*)|$)"),
        frozenset("0"),
    ),
    Grammar(
        WEB_OF_SCIENCE,
        re.compile(r"(?:FN [^\n]*\n(?:VR [^\n]*\n)?)?PT [A-Z]\n[A-Z][A-Z0-9] "),
        re.compile(rf"{_LETTERS}(?: (?P<value>.*)|\s*$)"),
        frozenset(["PT"]),
        re.compile(r"(?:ER|EF)\s*$|(?:FN|VR) "),
    ),
    Grammar(
        REFWORKS,
        re.compile(r"(?:<Start[^\n]*>\n)?RT [A-Z][^\n]*\n[A-Z][A-Z0-9] "),
        re.compile(rf"{_LETTERS} (?P<value>.*)"),
        frozenset(["RT"]),
        re.compile(r"<(?:Start|End)\b[^<]*>\s*$|ER\s*$"),
        loose=True,
    ),
    Grammar(
        OVID,
        re.compile(r"<\s*+1\s*+\.?\s*+>\n(?:[A-Z][\w /&()-]*\n[ \t]+\S|[A-Z][A-Z0-9]{1,3} *- )"),
        re.compile(r"(?P<tag>[A-Z](?:[\w /&()-]{0,60}?[\w/&()-])??)(?: *+- +(?P<value>.*)|\s*+$)"),
        parting=re.compile(r"<\s*+\d++\s*+\.?\s*+>\s*+$"),
    ),
    Grammar(
        OVID,
        re.compile(
            r"\A(?!(?:[A-Z][^\n]*+\n){1,3}<\s*+1\s*+\.?\s*+>\n)"
            r"(?:[A-Z][A-Z0-9]{1,3} *+- [^\n]*+\n(?:[ \t][^\n]*+\n)*+){0,40}?(?:VN|YR) *+- "
        ),
        re.compile(r"(?P<tag>[A-Z][A-Z0-9]{1,3}) *- ?(?P<value>.*)"),
        frozenset(["VN"]),
        re.compile(r"<\s*+\d++\s*+\.?\s*+>\s*+$"),
    ),
    Grammar(
        COCHRANE,
        re.compile(r"Record #\d+ of \d+\n[A-Z]{2,3}: "),
        re.compile(r"(?P<tag>[A-Z]{2,3}): ?(?P<value>.*)"),
        parting=re.compile(r"Record #\d+ of \d+\s*$"),
        loose=True,
    ),
)


def find_records(lines: Sequence[str]) -> tuple[Grammar, int] | None:
    """The grammar of a text with these first lines, and the line with which its records begin; None for other text."""
    written = [(number, stripped) for number, line in enumerate(lines) if (stripped := line.strip("\ufeff").rstrip())]
    for start, (number, _) in enumerate(written[: _LINES_IN_FRONT + 1]):
        head = "".join(f"{line}\n" for _, line in written[start:])
        if grammar := next((grammar for grammar in GRAMMARS if grammar.begin.match(head)), None):
            return grammar, number
    return None


def is_tagged(text: str) -> bool:
    """Whether a text begins with records of one of these kinds."""
    return find_records(text.split("\n", _HEAD_LINES)[:_HEAD_LINES]) is not None


def read(path: Path) -> Iterator[Item]:
    """The records as papers, and those that cannot be read; as `protocol.Reader.read`."""
    return read_lines(path, lambda lines: _items(lines, path.name))


def _items(lines: Iterator[str], name: str) -> Iterator[Item]:
    head = list(islice(lines, _HEAD_LINES))
    records = find_records(head)
    if records is None:
        kinds = ", ".join(dict.fromkeys(grammar.dialect.name for grammar in GRAMMARS))
        raise InputError(f"'{name}' has no records with known tags.", f"Conspectus reads tagged files of {kinds}.")
    grammar, start = records
    for number, values in _records(enumerate(chain(head[start:], lines), start + 1), grammar):
        if values is None:
            yield BadRecord(f"line {number}", f"The record is longer than {_MAX_RECORD:,} characters.")
        else:
            yield paper_of_values(grammar.dialect, values, f"line {number}")


def _records(lines: Iterable[tuple[int, str]], grammar: Grammar) -> Iterator[tuple[int, Tags | None]]:
    """(line, values by tag) of each record; None for one that is too long."""
    values: Tags = {}
    last, begun, size, gap = "", 0, 0, False
    for number, line in lines:
        parts = grammar.parting.match(line)
        match = None if parts else grammar.tag_of(line)
        if parts or (match and grammar.begins_record(match["tag"], values, behind_gap=gap)):
            if values:
                yield begun, values if size <= _MAX_RECORD else None
            values, last, size = {}, "", 0
        size += len(line)
        if match:
            begun = begun if values else number
            last = match["tag"]
            if size <= _MAX_RECORD:
                values.setdefault(last, []).append((match["value"] or "").strip())
        elif last and size <= _MAX_RECORD:
            values[last][-1] += f"\n{line.strip()}"
        gap = not line.strip()
    if values:
        yield begun, values if size <= _MAX_RECORD else None


_MEDLINE_TAG = re.compile(r"([A-Z][A-Z0-9]{1,3}) *- ?")
_DOI = re.compile(r"(?<!\S)(\S++) \[doi\]")
_LABEL = re.compile(r"(?:^|(?<=[.?!] ))(?=[A-Z][A-Z ,/&()-]{3,60}: )")
_MEDLINE_EXTRA = {"VI": "volume", "IP": "number", "PG": "pages", "LA": "language", "PB": "publisher", "PMC": "pmcid"}

_TITLES = frozenset({"PMID", "TI", "BTI"})

Lines = list[tuple[str, str]]


def is_medline(text: str) -> bool:
    """Whether a text begins as such a file does: nothing but lines with tags, one of them a title or a PMID."""
    lines = [line for line in text.split("\n", 60)[:60] if line.strip()]
    tags = [match[1] for line in lines if (match := _MEDLINE_TAG.match(line))]
    others = [line for line in lines if not line[0].isspace() and not _MEDLINE_TAG.match(line)]
    is_first = bool(lines and _MEDLINE_TAG.match(lines[0]))
    is_other = not {"TY", "ER", "PY", "VN", "YR"}.isdisjoint(tags)  # RIS, or Ovid
    return is_first and len(tags) > 1 and not others and not is_other and not _TITLES.isdisjoint(tags)


def read_medline(path: Path) -> Iterator[Item]:
    """The records as papers, and those that cannot be read; as `protocol.Reader.read`."""
    return read_lines(path, _medline_items)


def _medline_items(lines: Iterable[str]) -> Iterator[Item]:
    for number, tagged_lines in _medline_records(lines):
        if sum(len(value) for _, value in tagged_lines) > _MAX_RECORD:
            yield BadRecord(f"line {number}", f"The record is longer than {_MAX_RECORD:,} characters.")
        else:
            yield _medline_paper(tagged_lines, f"line {number}")


def _medline_records(lines: Iterable[str]) -> Iterator[tuple[int, Lines]]:
    """(line, values with their tags) of each record. One with a PMID ends with the next; others, as ERIC writes them,
    with an empty line."""
    tagged_lines: Lines = []
    begun = size = 0
    gap = False
    for number, line in enumerate(lines, 1):
        match = _MEDLINE_TAG.match(line)
        has_pmid = any(tag == "PMID" for tag, _ in tagged_lines)
        if match and tagged_lines and (match[1] == "PMID" if has_pmid else gap):
            yield begun, tagged_lines
            tagged_lines = []
        gap = not line.strip()
        if match:
            if not tagged_lines:
                begun, size = number, 0
            tagged_lines.append((match[1], line[match.end() :].strip()))
        elif tagged_lines and line[:1].isspace() and line.strip() and size <= _MAX_RECORD:
            tagged_lines[-1] = (tagged_lines[-1][0], f"{tagged_lines[-1][1]} {line.strip()}")
            size += len(line)
    if tagged_lines:
        yield begun, tagged_lines


def _medline_paper(tagged_lines: Lines, where: str) -> Item:
    tags = grouped((tag, value) for tag, value in tagged_lines if value)
    words = tags.get("OT", [])
    mesh = list(dict.fromkeys(word.replace("*", "").split("/")[0] for word in tags.get("MH", ())))
    identifiers = " ".join(f"{value} ;" for tag in ("AID", "LID") for value in tags.get(tag, ()))
    doi = _DOI.search(identifiers)
    record: dict[str, Any] = {
        "id": first_of(tags, "PMID"),
        "pmid": first_of(tags, "PMID"),
        "title": (first_of(tags, "TI") or first_of(tags, "BTI")).removesuffix("."),
        "authors": _authors(tagged_lines),
        "abstract": _LABEL.sub("\n\n", first_of(tags, "AB")).strip(),
        "venue": first_of(tags, "JT") or first_of(tags, "TA"),
        "date": read_date(first_of(tags, "DP")),
        "doi": doi[1] if doi else "",
        "keywords": [word.replace("*", "") for word in words] or mesh,
    }
    extra: dict[str, Any] = {name: first_of(tags, tag) for tag, name in _MEDLINE_EXTRA.items()}
    extra |= {"type": "book" if "BTI" in tags and "TI" not in tags else "article-journal", "mesh": mesh}
    extra |= {"publication_types": tags.get("PT", []), "issn": first_of(tags, "IS").split(" ")[0]}
    extra["journal_abbreviation"] = first_of(tags, "TA") if "JT" in tags else ""
    return with_extra(record, extra, where)


def _authors(tagged_lines: Lines) -> list[dict[str, Any]]:
    """The authors in order, each with what stands below the name."""
    full = any(tag == "FAU" for tag, _ in tagged_lines)
    authors: list[dict[str, Any]] = []
    for tag, value in tagged_lines:
        if tag == ("FAU" if full else "AU"):
            authors.append(comma_name(value) if "," in value else initials_name(value))
        elif tag == "CN":
            authors.append(organisation(value))
        elif authors and tag == "AUID" and "orcid" in value.lower():
            authors[-1]["orcid"] = value
        elif authors and tag == "AD":
            authors[-1].setdefault("affiliations", []).append(value)
    return authors
