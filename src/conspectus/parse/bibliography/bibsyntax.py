"""The syntax of BibTeX files, read entry by entry: what is broken costs its entry, not the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from conspectus.lexicon.calendar import MONTHS
from conspectus.parse.protocol import BadRecord

MAX_ENTRY = 4 * 2**20
MAX_MACRO = 2**17
"""Characters of a macro (`@string`) with those it is made of written out."""

MAX_MACROS = 2**24
"""Characters of all macros of a file, written out."""

_BEGIN = re.compile(r"@\s*([A-Za-z][\w-]*)\s*([{(])")
_FRESH = re.compile(r"\s{0,3}@\s*[A-Za-z]+\s*[{(]\s*[^\s{}(),=\"#%]+\s*,\s*(?:$|[\w-]+\s*=)")
_SIGN = re.compile(r"[{})]")
_BRACE = re.compile(r"[{}]")
_BRACE_OR_QUOTE = re.compile(r'[{}"]')
_KEY = re.compile(r"\s*+([^\s,{}=]*+(?:[ \t]++[^\s,{}=]++)*+)\s*+(?:,|$)")
_NAME = re.compile(r"[\s,]*+([^\s,={}\"#]++)\s*+=\s*+")
_ATOM = re.compile(r"[^\s,#{}\"]+")
_JOIN = re.compile(r"\s*#\s*")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as written: its type in lower case, its key, and its fields by lower-case name, delimiters gone."""

    kind: str
    key: str
    line: int
    fields: Mapping[str, str] = field(default_factory=dict)


class _TooLongError(Exception):
    """With its macros written out the text is longer than may be; `args` has the name of the field."""


def entries(lines: Iterable[str]) -> Iterator[Entry | BadRecord]:
    """The entries of a file in order, macros (`@string`) replaced; comments and preambles are passed over."""
    macros: dict[str, str | None] = {name[:3].lower(): name[:3] for name in MONTHS}
    held = 0
    for number, text, whole in _raw(lines):
        match = _BEGIN.match(text)
        assert match is not None
        kind = match[1].lower()
        if kind in ("comment", "preamble"):
            continue
        if not whole:
            why = "has no end" if len(text) < MAX_ENTRY else f"is longer than {MAX_ENTRY:,} characters"
            yield BadRecord(f"line {number}", f"The entry @{match[1]} {why}.")
            continue
        body = text[match.end() : -1]
        if kind == "string":
            try:
                for name, value, _ in _fields(body, 0, macros, min(MAX_MACRO, MAX_MACROS - held)):
                    macros[name] = value
                    held += len(value)
            except _TooLongError as error:  # told with each entry that uses it
                macros[error.args[0]] = None
            continue
        yield _entry(kind, body, number, macros)


def _entry(kind: str, body: str, number: int, macros: Mapping[str, str | None]) -> Entry | BadRecord:
    head = _KEY.match(body)
    if not body.strip() or (head is None and _NAME.match(body) is None):
        return BadRecord(f"line {number}", f"The entry @{kind} has neither a key nor fields.")
    key, end = (head[1], head.end()) if head else ("", 0)
    found: dict[str, str] = {}
    try:
        for name, value, after in _fields(body, end, macros, MAX_ENTRY):
            end = after
            if value.strip():
                found.setdefault(name, value)
    except _TooLongError as error:
        why = f"is too long with each @string written out, in '{error.args[0][:40]}'"
        return BadRecord(f"line {number}", f"{_called(kind, key)} {why}.")
    if body[end:].strip(" \t\r\n,"):
        near = " ".join(body[end:].split()).lstrip(", ")[:40]
        return BadRecord(f"line {number}", f"{_called(kind, key)} is not well formed near '{near}'.")
    return Entry(kind, key, number, found)


def _called(kind: str, key: str) -> str:
    return f"The entry '{key}'" if key else f"The entry @{kind} without a key"


def _raw(lines: Iterable[str]) -> Iterator[tuple[int, str, bool]]:
    """(line, text from its `@` to its last bracket, whether that is there) of each entry."""
    parts: list[str] = []
    depth, size, begun, close = 0, 0, 0, "}"
    for number, line in enumerate(lines, 1):
        rest = line
        if parts and _FRESH.match(line):
            yield begun, "".join(parts), False
            parts.clear()
        while rest:
            if not parts:
                start = _BEGIN.search(rest)
                if start is None:
                    break
                rest = rest[start.start() :]
                close, depth, size, begun = "}" if start[2] == "{" else ")", 0, 0, number
            end, depth = _end(rest, depth, close, fresh=not parts)
            part = rest if end < 0 else rest[:end]
            parts.append(part[: max(MAX_ENTRY - size, 0)])
            size += len(part)
            if end < 0:
                break
            yield begun, "".join(parts), size < MAX_ENTRY
            parts.clear()
            rest = rest[end:]
    if parts:
        yield begun, "".join(parts), False


def _end(text: str, depth: int, close: str, *, fresh: bool) -> tuple[int, int]:
    """Where in `text` the entry ends, or -1, and how deep in braces it is there."""
    start = text.index("(") + 1 if fresh and close == ")" else 0
    for match in _SIGN.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if match[0] == close and depth <= 0:
            return match.end(), 0
    return -1, depth


def _fields(body: str, at: int, macros: Mapping[str, str | None], most: int) -> Iterator[tuple[str, str, int]]:
    """(name, value, where it ends), as far as the body is well formed; an error behind `most` characters."""
    size = 0
    while match := _NAME.match(body, at):
        parts: list[str] = []
        at = match.end()
        while True:
            value, end = _value(body, at, macros)
            if end < 0:
                return
            size += 0 if value is None else len(value)
            if value is None or size > most:  # macros of macros of macros
                raise _TooLongError(match[1].lower())
            parts.append(value)
            at = end
            join = _JOIN.match(body, at)
            if join is None:
                break
            at = join.end()
        yield match[1].lower(), "".join(parts), at


def _value(body: str, at: int, macros: Mapping[str, str | None]) -> tuple[str | None, int]:
    """The value at a place, None if it is too long, and where it ends, -1 if there is none."""
    sign = body[at : at + 1]
    if sign == "{":
        end = _closing(body, at)
        return body[at + 1 : end - 1], end
    if sign == '"':
        depth = 0
        for match in _BRACE_OR_QUOTE.finditer(body, at + 1):
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if match[0] == '"' and depth <= 0:
                return body[at + 1 : match.start()], match.end()
        return "", -1
    word = _ATOM.match(body, at)
    if word is None:
        return "", at if sign in (",", "") else -1
    return macros.get(word[0].lower(), word[0]), word.end()


def _closing(body: str, at: int) -> int:
    """Behind the brace that closes the one at `at`; the body's end where none does."""
    depth = 0
    for match in _BRACE.finditer(body, at):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    return len(body) + 1
