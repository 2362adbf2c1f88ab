"""BibTeX and BibLaTeX: the entries of a file as papers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conspectus.lexicon.word_lists import MONTHS
from conspectus.parse.bibliography.fields import bibtex_files, kind_of
from conspectus.parse.bibliography.records import RecordItems, has_word, lines_of, with_extra
from conspectus.parse.files.streams import Source, encoding_of
from conspectus.parse.people.authors import organisation, person
from conspectus.parse.people.names import is_organisation
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.text.blocks import clean_line
from conspectus.parse.text.dates import iso_date, read_date
from conspectus.parse.text.identifiers import find_arxiv_id, normal_arxiv_id, normal_bibcode
from conspectus.parse.text.plain_text import plain_text, verbatim, without_markup

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
class BibtexEntry:
    """An entry as written: its type in lower case, its key, and its fields by lower-case name, delimiters gone."""

    kind: str
    key: str
    line: int
    fields: Mapping[str, str] = field(default_factory=dict)


class _TooLongError(Exception):
    """With its macros written out the text is longer than may be; `args` has the name of the field."""


def entries(lines: Iterable[str]) -> Iterator[BibtexEntry | BadRecord]:
    """The entries of a file in order, macros (`@string`) replaced; comments and preambles are passed over."""
    macros: dict[str, str | None] = {name[:3].lower(): name[:3] for name in MONTHS}
    macro_length = 0
    for number, text, complete in _raw(lines):
        match = _BEGIN.match(text)
        assert match is not None
        kind = match[1].lower()
        if kind in ("comment", "preamble"):
            continue
        if not complete:
            why = "has no end" if len(text) < MAX_ENTRY else f"is longer than {MAX_ENTRY:,} characters"
            yield BadRecord(f"line {number}", f"The entry @{match[1]} {why}.")
            continue
        body = text[match.end() : -1]
        if kind == "string":
            try:
                for name, value, _ in _fields(body, 0, macros, min(MAX_MACRO, MAX_MACROS - macro_length)):
                    macros[name] = value
                    macro_length += len(value)
            except _TooLongError as error:  # told with each entry that uses it
                macros[error.args[0]] = None
            continue
        yield _entry(kind, body, number, macros)


def _entry(kind: str, body: str, number: int, macros: Mapping[str, str | None]) -> BibtexEntry | BadRecord:
    head = _KEY.match(body)
    if not body.strip() or (head is None and _NAME.match(body) is None):
        return BadRecord(f"line {number}", f"The entry @{kind} has neither a key nor fields.")
    key, end = (head[1], head.end()) if head else ("", 0)
    fields: dict[str, str] = {}
    try:
        for name, value, after in _fields(body, end, macros, MAX_ENTRY):
            end = after
            if value.strip():
                fields.setdefault(name, value)
    except _TooLongError as error:
        why = f"is too long with each @string written out, in '{error.args[0][:40]}'"
        return BadRecord(f"line {number}", f"{_entry_name(kind, key)} {why}.")
    if body[end:].strip(" \t\r\n,"):
        near = " ".join(body[end:].split()).lstrip(", ")[:40]
        return BadRecord(f"line {number}", f"{_entry_name(kind, key)} is not well formed near '{near}'.")
    return BibtexEntry(kind, key, number, fields)


def _entry_name(kind: str, key: str) -> str:
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
            value, end = _raw_value(body, at, macros)
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


def _raw_value(body: str, at: int, macros: Mapping[str, str | None]) -> tuple[str | None, int]:
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


_VENUES = ("journal", "journaltitle", "booktitle")
_OWN = {
    "title": "title",
    "abstract": "abstract",
    "doi": "doi",
    "pmid": "pmid",
    "citation_count": "citation_count",
}
_ADDRESSES = frozenset({"url", "doi", "eprint", "pmid", "adsurl", "bibcode", "howpublished"})
_USED = frozenset(
    [
        *("title", "subtitle", "abstract", "author", "year", "month", "day", "date", "doi", "pmid", "bibcode", "url"),
        *("keywords", "citation_count", "eprint", "archiveprefix", "eprinttype", "crossref", "xdata", "file", "pdf"),
        *("citationcount", "local-url", "owner", "timestamp", "groups", "adsurl", "__markedentry"),
    ]
)
_SEVERAL = frozenset({"editor", "translator"})
_WORD = re.compile(r"(?<!\s)\s*+[;,]\s*+")
_NOT_INHERITED = frozenset({"crossref", "xdata", "file", "doi", "url", "abstract", "keywords", "eprint"})
_ENTRY = re.compile(r"^\s{0,3}@[A-Za-z]+\s*\{\s*[^\s{}(),=\"#%]+\s*,\s*[A-Za-z][\w-]*\s*=\s*[{\"\w]", re.M)
_PAGE_DASH = re.compile(r"(?<!\s)\s*+(?:-{2,3}|[–—])\s*+")
_PIECE = re.compile(r"[{}]|\s+and(?=\s)|[,;]|\s+|(?:\\.|&#?\w{1,8};|[^{},;\s])+", re.I | re.S)
_NAMED_PART = re.compile(r'"?\s*(family|given|prefix|suffix|[a-z]+-i|use[a-z]+)\s*=\s*(.*?)"?', re.I | re.S)


def is_bibtex(text: str) -> bool:
    """Whether a text begins as such a file does: somewhere an entry with a key and a field begins a line."""
    return _ENTRY.search(text) is not None


def read(path: Path) -> Iterator[Item]:
    """The entries as papers, and those that cannot be read; as `protocol.Reader.read`."""
    encoding = encoding_of(path)
    parents = _parents(path, encoding)
    source = Source(path)
    return RecordItems(_items(lines_of(source, encoding, path.name), parents), source, path.name)


def _items(lines: Iterator[str], parents: Mapping[str, Mapping[str, str]]) -> Iterator[Item]:
    for entry in entries(lines):
        if isinstance(entry, BadRecord):
            yield entry
        elif entry.kind not in ("xdata", "set", "control"):
            yield paper_of_entry(entry, parents)


def _parents(path: Path, encoding: str) -> dict[str, Mapping[str, str]]:
    """The fields of all entries that others of the file inherit from, by key; those stand behind them as a rule."""
    if not any(has_word(path, word, encoding) for word in ("crossref", "xdata")):
        return {}
    parent_keys: set[str] = set()
    parents: dict[str, Mapping[str, str]] = {}
    for turn in range(2):
        with Source(path) as source:
            for entry in entries(lines_of(source, encoding, path.name)):
                if isinstance(entry, BadRecord):
                    continue
                if turn == 0:
                    parent_keys.update(_parent_keys(entry.fields))
                elif entry.key.lower() in parent_keys:
                    parents.setdefault(entry.key.lower(), entry.fields)
    return parents


def _parent_keys(fields: Mapping[str, str]) -> list[str]:
    names = ",".join(fields.get(name, "") for name in ("crossref", "xdata"))
    return [name for part in names.split(",") if (name := part.strip().lower())]


def paper_of_entry(entry: BibtexEntry, parents: Mapping[str, Mapping[str, str]] | None = None) -> Item:
    """The paper of an entry, or why it is none."""
    fields = _inherited(entry.fields, parents or {})
    record: dict[str, Any] = {"id": entry.key, "authors": bibtex_names(fields.get("author", ""))}
    record |= {ours: _value(name, fields[name]) for name, ours in _OWN.items() if name in fields}
    if subtitle := _value("subtitle", fields.get("subtitle", "")):
        record["title"] = f"{record.get('title', '')}: {subtitle}".lstrip(": ")
    venue = next((name for name in _VENUES if name in fields), "")
    record["venue"] = _value(venue, fields[venue]) if venue else ""
    record["keywords"] = _keywords(fields.get("keywords", ""))
    record["files"] = bibtex_files(fields.get("file", "") or fields.get("pdf", "") or fields.get("local-url", ""))
    addresses = (_address(fields.get(name, ""), sure=name == "url") for name in ("url", "howpublished", "adsurl"))
    record["url"] = next(filter(None, addresses), "")
    record |= _dates(fields) | _eprint(fields)
    extra: dict[str, Any] = {"type": _kind(entry.kind, record)}
    for name, value in fields.items():
        if name in _SEVERAL:
            extra[name] = [person["literal"] for person in bibtex_names(value)]
        elif name not in _USED and name != venue:
            extra[name] = _value(name, value)
            if name == "pages":
                extra[name] = _PAGE_DASH.sub("-", clean_line(plain_text(value)))
    return with_extra(record, extra, f"line {entry.line}", latex=False)  # all of it was read as LaTeX


def _kind(kind: str, record: Mapping[str, Any]) -> str:
    if kind == "misc" and record.get("arxiv_id"):
        return "preprint"
    return kind_of(kind, "bibtex")


def _inherited(fields: Mapping[str, str], parents: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    all_fields = dict(fields)
    for name in _parent_keys(fields):
        for key, value in parents.get(name, {}).items():
            if key == "title" and "crossref" in fields:
                all_fields.setdefault("booktitle", value)
            elif key not in _NOT_INHERITED:
                all_fields.setdefault(key, value)
    return all_fields


def _value(name: str, text: str) -> str:
    if name in _ADDRESSES:
        return verbatim(text)
    plain = without_markup(plain_text(text))
    return plain if name == "abstract" else clean_line(plain)


def _keywords(text: str) -> list[str]:
    plain = without_markup(plain_text(text))
    words = re.split(r"(?<!\s)\s*+;\s*+", plain) if ";" in plain else _WORD.split(plain)
    return [line for word in words if (line := clean_line(word))]


def _address(text: str, *, sure: bool = True) -> str:
    text = verbatim(text.replace("\\url", "")).strip("{} ")
    return text if sure or re.match(r"[a-z][a-z0-9+.-]*:", text, re.I) else ""


def _dates(fields: Mapping[str, str]) -> dict[str, str]:
    """The year, and the date where more than that is known: from `date`, else from `month` and `day`."""
    written, month = plain_text(fields.get("year", "")), plain_text(fields.get("month", ""))
    year = read_date(written)[:4]
    date = fields.get("date", "").strip()
    date = (read_date(date.split("/")[0]) or date) if date else ""
    if not date and year and month:
        day = plain_text(fields.get("day", ""))
        date = iso_date(year, month, day) if day else read_date(month, year)
    date = date or read_date(written)
    return {"year": year or written, "date": date if date != year else ""}


def _eprint(fields: Mapping[str, str]) -> dict[str, str]:
    """What the archive fields, and the address that ADS gives, say of identifiers."""
    kind = (fields.get("archiveprefix") or fields.get("eprinttype") or "").strip().lower()
    eprint = verbatim(fields.get("eprint", ""))
    identifiers: dict[str, str] = {}
    if eprint and kind == "pubmed":
        identifiers["pmid"] = eprint
    elif eprint and (kind == "arxiv" or not kind) and normal_arxiv_id(eprint):
        identifiers["arxiv_id"] = eprint
    elif arxiv := find_arxiv_id(" ".join(fields.get(name, "") for name in ("journal", "url", "note", "howpublished"))):
        identifiers["arxiv_id"] = arxiv
    bibcode = verbatim(fields.get("bibcode", "") or fields.get("adsurl", "").rstrip("/").split("/")[-1])
    if normal_bibcode(bibcode.replace("%26", "&")):
        identifiers["bibcode"] = bibcode.replace("%26", "&")
    return identifiers


def bibtex_names(text: str) -> list[dict[str, Any]]:
    """Names apart by `and`, as fields of authors; a name in braces is an organisation's. "others" are left out."""
    people = []
    for name in split_names(text):
        if name.lower() not in ("others", "et al.", "et al"):
            person = bibtex_name(name)
            if person["literal"]:
                people.append(person)
    return people


def split_names(text: str) -> list[str]:
    """The names between the word `and`, or `;`, outside braces."""
    names: list[list[str]] = [[]]
    depth = 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        depth += {"{": 1, "}": -1}.get(piece, 0)
        if depth <= 0 and (piece == ";" or (piece[0].isspace() and piece.strip().lower() == "and")):
            names.append([])
        else:
            names[-1].append(piece)
    return [name for parts in names if (name := "".join(parts).strip(" \t\r\n,;"))]


def bibtex_name(text: str) -> dict[str, Any]:
    """One name: `First von Last`, `von Last, First` or `von Last, Jr, First`; `{Some Organisation}` is literal.

    So are the parts that biblatex names: `family=Vries, given=Jan, prefix=de`.
    """
    parts = [part.strip() for part in _split(text, ",")]
    if _NAMED_PART.match(text):
        name_parts = {match[1].lower(): _clean(match[2]) for part in parts if (match := _NAMED_PART.fullmatch(part))}
        family = " ".join(filter(None, (name_parts.get("prefix"), name_parts.get("family"))))
        given_name = name_parts.get("given", "")
        return person(given_name, family, name_parts.get("suffix", "")) if given_name else organisation(family)
    if len(parts) == 1:
        return _in_reading_order(text)
    family, given_name, suffix = parts[0], parts[-1], " ".join(parts[1:-1])
    return person(_clean(given_name), _clean(family), _clean(suffix))


def _in_reading_order(text: str) -> dict[str, Any]:
    words = [word for word in _split(text, " ") if word]
    if len(words) < 2 or ("{" not in text and is_organisation(_clean(text))):
        return organisation(_clean(text))
    first = next((n for n, word in enumerate(words[:-1]) if n and word[0].islower() and word[0].isalpha()), 0)
    at = first or len(words) - 1
    return person(_clean(" ".join(words[:at])), _clean(" ".join(words[at:])))


def _split(text: str, sign: str) -> Iterator[str]:
    """The parts of `text` between `sign` (a comma, or white space) outside braces."""
    depth, parts = 0, list[str]()
    for match in _PIECE.finditer(text):
        piece = match[0]
        depth += {"{": 1, "}": -1}.get(piece, 0)
        if depth <= 0 and (piece == sign or (sign == " " and piece.isspace())):
            yield "".join(parts)
            parts = []
        else:
            parts.append(piece)
    yield "".join(parts)


def _clean(text: str) -> str:
    return clean_line(without_markup(plain_text(text)).replace("\u00a0", " "))
