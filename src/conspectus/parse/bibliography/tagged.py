"""Tagged text of EndNote (Refer), Web of Science, RefWorks, Ovid and Cochrane, known by its lines under any name.

A record begins with the tag that opens records, or behind a line that parts them. A line without a tag goes on the
value before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from conspectus.core.errors import InputError
from conspectus.parse.bibliography.dialect import Dialect, column_key
from conspectus.parse.bibliography.dialects import COCHRANE, OVID, REFER, REFWORKS, WEB_OF_SCIENCE
from conspectus.parse.bibliography.mapping import paper_of_values
from conspectus.parse.bibliography.streams import read_lines
from conspectus.parse.protocol import BadRecord, Item

_MAX_RECORD = 2**22
_HEAD_LINES = 60

Tags = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Grammar:
    """How a kind of tagged text is written.

    Attributes:
        begin: what the first lines that are not empty match, from their beginning.
        tag: a line with a tag; its groups are `tag` and `value`.
        opening: tags with which a record begins. One that has none of them ends with an empty line.
        parting: a line that parts records, or is none of them.
        loose: whether values go on in lines that are not indented, so that only tags of the dialect are tags.
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
        return match if match and (not self.loose or column_key(match["tag"]) in self.dialect.known) else None

    def begins_record(self, tag: str, values: Tags, *, behind_gap: bool) -> bool:
        """Whether a tag behind these values is that of another record. `behind_gap`: an empty line stands before it."""
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
        re.compile(r"<(?:Start|End)\b.*>\s*$|ER\s*$"),
        loose=True,
    ),
    Grammar(
        OVID,
        re.compile(r"(?:[^\n]*\n){0,3}?<\s*1\s*\.?\s*>\n(?:[A-Z][\w /&()-]*\n[ \t]+\S|[A-Z][A-Z0-9]{1,3} *- )"),
        re.compile(r"(?P<tag>[A-Z][\w /&()-]*?)(?: *- +(?P<value>.*)|\s*$)"),
        parting=re.compile(r"<\s*\d+\s*\.?\s*>\s*$"),
    ),
    Grammar(
        COCHRANE,
        re.compile(r"(?:[^\n]*\n){0,3}?Record #\d+ of \d+\n[A-Z]{2,3}: "),
        re.compile(r"(?P<tag>[A-Z]{2,3}): ?(?P<value>.*)"),
        parting=re.compile(r"Record #\d+ of \d+\s*$"),
        loose=True,
    ),
)


def grammar_of(text: str) -> Grammar | None:
    """The grammar of a text that begins so, or None."""
    lines = (line.rstrip() for line in text.lstrip("\ufeff").split("\n", _HEAD_LINES)[:_HEAD_LINES])
    head = "".join(f"{line}\n" for line in lines if line)
    return next((grammar for grammar in GRAMMARS if grammar.begin.match(head)), None)


def is_tagged(text: str) -> bool:
    """Whether a text begins as a file of these kinds does."""
    return grammar_of(text) is not None


def read(path: Path) -> Iterator[Item]:
    """The records as papers, and those that cannot be read; as `protocol.Reader.read`."""
    return read_lines(path, lambda lines: _items(lines, path.name))


def _items(lines: Iterator[str], name: str) -> Iterator[Item]:
    head = list(islice(lines, _HEAD_LINES))
    grammar = grammar_of("".join(head))
    if grammar is None:
        kinds = ", ".join(grammar.dialect.name for grammar in GRAMMARS)
        raise InputError(f"'{name}' has no records with tags that are known.", f"These can be read: {kinds}.")
    for number, values in _records(chain(head, lines), grammar):
        if values is None:
            yield BadRecord(f"line {number}", f"The record is longer than {_MAX_RECORD:,} characters.")
        else:
            yield paper_of_values(grammar.dialect, values, f"line {number}")


def _records(lines: Iterable[str], grammar: Grammar) -> Iterator[tuple[int, Tags | None]]:
    """(line, values by tag) of each record; None for one that is too long."""
    values: Tags = {}
    last, begun, size, gap = "", 0, 0, False
    for number, line in enumerate(lines, 1):
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
