"""BibTeX and BibLaTeX: the entries of a file as papers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conspectus.parse.bibliography.bibsyntax import Entry, entries
from conspectus.parse.bibliography.kinds import kind_of
from conspectus.parse.bibliography.latex import plain_text, verbatim
from conspectus.parse.bibliography.links import bibtex_files
from conspectus.parse.bibliography.markup import without_markup
from conspectus.parse.bibliography.names import organisation, person
from conspectus.parse.bibliography.streams import has_word, lines_of, with_extra
from conspectus.parse.blocks import clean_line
from conspectus.parse.dates import iso_date, read_date
from conspectus.parse.identifiers import find_arxiv_id, normal_arxiv_id, normal_bibcode
from conspectus.parse.organisations import is_organisation
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.recordfile import RecordItems
from conspectus.parse.streams import Source, encoding_of

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
    if not (has_word(path, b"crossref") or has_word(path, b"xdata")):
        return {}
    wanted: set[str] = set()
    found: dict[str, Mapping[str, str]] = {}
    for turn in range(2):
        with Source(path) as source:
            for entry in entries(lines_of(source, encoding, path.name)):
                if isinstance(entry, BadRecord):
                    continue
                if turn == 0:
                    wanted.update(_named_parents(entry.fields))
                elif entry.key.lower() in wanted:
                    found.setdefault(entry.key.lower(), entry.fields)
    return found


def _named_parents(fields: Mapping[str, str]) -> list[str]:
    names = ",".join(fields.get(name, "") for name in ("crossref", "xdata"))
    return [name for part in names.split(",") if (name := part.strip().lower())]


def paper_of_entry(entry: Entry, parents: Mapping[str, Mapping[str, str]] | None = None) -> Item:
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
            extra[name] = _pages(value) if name == "pages" else _value(name, value)
    return with_extra(record, extra, f"line {entry.line}", latex=False)  # all of it was read as LaTeX


def _kind(kind: str, record: Mapping[str, Any]) -> str:
    if kind == "misc" and record.get("arxiv_id"):
        return "preprint"
    return kind_of(kind, "bibtex")


def _inherited(fields: Mapping[str, str], parents: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    own = dict(fields)
    for name in _named_parents(fields):
        for key, value in parents.get(name, {}).items():
            if key == "title" and "crossref" in fields:
                own.setdefault("booktitle", value)
            elif key not in _NOT_INHERITED:
                own.setdefault(key, value)
    return own


def _value(name: str, text: str) -> str:
    if name in _ADDRESSES:
        return verbatim(text)
    plain = without_markup(plain_text(text))
    return plain if name == "abstract" else clean_line(plain)


def _pages(text: str) -> str:
    return re.sub(r"(?<!\s)\s*+(?:-{2,3}|[–—])\s*+", "-", clean_line(plain_text(text)))


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
    found: dict[str, str] = {}
    if eprint and kind == "pubmed":
        found["pmid"] = eprint
    elif eprint and (kind == "arxiv" or not kind) and normal_arxiv_id(eprint):
        found["arxiv_id"] = eprint
    elif arxiv := find_arxiv_id(" ".join(fields.get(name, "") for name in ("journal", "url", "note", "howpublished"))):
        found["arxiv_id"] = arxiv
    bibcode = verbatim(fields.get("bibcode", "") or fields.get("adsurl", "").rstrip("/").split("/")[-1])
    if normal_bibcode(bibcode.replace("%26", "&")):
        found["bibcode"] = bibcode.replace("%26", "&")
    return found


def bibtex_names(text: str) -> list[dict[str, Any]]:
    """Names apart by `and`, as fields of authors; a name in braces is an organisation's. "others" are left out."""
    found = []
    for name in split_names(text):
        if name.lower() not in ("others", "et al.", "et al"):
            person = bibtex_name(name)
            if person["literal"]:
                found.append(person)
    return found


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
        named = {match[1].lower(): _clean(match[2]) for part in parts if (match := _NAMED_PART.fullmatch(part))}
        family = " ".join(filter(None, (named.get("prefix"), named.get("family"))))
        given = named.get("given", "")
        return person(given, family, named.get("suffix", "")) if given else organisation(family)
    if len(parts) == 1:
        return _in_reading_order(text)
    family, given, suffix = parts[0], parts[-1], " ".join(parts[1:-1])
    return person(_clean(given), _clean(family), _clean(suffix))


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
