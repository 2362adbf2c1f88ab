"""Convert records of any dialect, given as texts by column or tag, to papers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from conspectus.parse.bibliography.dialects import Dialect, column_key
from conspectus.parse.bibliography.fields import kind_of_words, plain_files
from conspectus.parse.bibliography.records import with_extra
from conspectus.parse.people.authors import NameOrder, organisation, read_names
from conspectus.parse.protocol import Item
from conspectus.parse.text.blocks import clean_line
from conspectus.parse.text.dates import iso_date, read_date
from conspectus.parse.text.identifiers import normal_doi, normal_pmid

People = list[dict[str, Any]]
Values = Mapping[str, Sequence[str]]
"""The texts of a record by column or tag, under the names that its source uses."""

_IN_OTHER_FIELDS = frozenset({"authors", "title", "year", "date", "month", "day", "first_page", "last_page"})
"""Fields whose further columns only repeat the first one."""
_PLAIN = ("title", "abstract", "venue", "url", "id")
_NOT_EXTRA = frozenset(
    [*_PLAIN, *_IN_OTHER_FIELDS, "doi", "pmid", "keywords", "references", "citation_count", "groups", "kind", "links"]
).union(["editor", "translator", "pages", "publication_types"])
_CITED = (
    # Sea Letters (2014) 5:2 (11-19)
    r"\((?P<year>\d{4})\) (?P<volume>\w++)(?::(?P<number>[\w-]++))? \((?P<pages>[\w-]++)\)",
    # Sea Lett. 2014 Mar;5(2):11-9
    r"(?P<year>\d{4})[^;:]*+; ?(?P<volume>\w++)? ?(?:\((?P<number>[^()]*+)\))?(?::(?P<pages>[\w-]++))?",
    # Sea Letters. 5(2):11-9, 2014 Mar
    r"(?P<volume>\w++) ?(?:\((?P<number>[^()]*+)\))? ?: ?(?P<pages>[\w-]++)(?:[^;]*?[,;] ?(?P<year>\d{4})\b)?",
)
_CITATIONS = tuple(re.compile(rf"\A(?P<venue>[^\d;]{{1,300}}?)[.,;]? {rest}") for rest in _CITED)
"""Journals with volumes and pages, as Embase, PubMed and Ovid write them, in texts with single spaces."""
_NO_ABSTRACT = re.compile(r"\[[^\[\]]{1,80}\]")
"""'[No abstract available]'."""
_NOTE_DATA = re.compile(r"^(PMID|PMCID|arXiv|DOI|Citation Key)\s*:\s*(\S+)", re.M | re.I)


def paper_of_values(dialect: Dialect, values: Values, where: str, people: Mapping[str, People] | None = None) -> Item:
    """Convert a record to a paper, or return the reason why it is none. Unknown columns are kept.

    `people`: the authors, editors and translators, if the source gives the parts of their names.
    """
    by_key: dict[str, list[str]] = {}
    for name, texts in values.items():
        by_key.setdefault(column_key(name), []).extend(text for text in texts if text.strip())
    fields = {
        ours: next((texts for key in keys if (texts := by_key.get(key, []))), [])
        for ours, keys in dialect.fields.items()
    }
    for name, part in _cited(_joined(fields.get("citation", ()))).items():
        if part and not fields.get(name) and not (name == "pages" and fields.get("first_page")):
            fields[name] = [part]
    record: dict[str, Any] = {ours: _joined(fields.get(ours, ())) for ours in _PLAIN}
    record["title"] = _title(record["title"])
    record["abstract"] = "" if _NO_ABSTRACT.fullmatch(record["abstract"]) else record["abstract"]
    record["authors"] = (
        people["authors"]
        if people
        else [
            *read_names((text.removesuffix(dialect.list_end) for text in fields.get("authors", ())), dialect.order),
            *(
                organisation(name)
                for text in fields.get("groups", ())
                for name in re.split(r"[;\n]", text)
                if name.strip()
            ),
        ]
    )
    record["keywords"] = [word for text in fields.get("keywords", ()) for word in _words(text, dialect.keywords)]
    record["references"] = [
        line for text in fields.get("references", ()) for part in re.split(r"[;\n]", text) if (line := clean_line(part))
    ]
    record["citation_count"] = re.sub(r"(?<=\d),(?=\d{3})", "", _joined(fields.get("citation_count", ())))
    record["files"] = plain_files(fields.get("links", ()))
    record |= _identifiers(fields) | _dates(fields)
    extra = _extra(dialect, fields, values)
    for name in ("editor", "translator"):
        persons = people[name] if people else read_names(fields.get(name, ()), dialect.order)
        extra[name] = [person["literal"] for person in persons]
    return with_extra(record, extra, where)


def _cited(text: str) -> dict[str, str]:
    """Journal, volume, issue and pages of a citation in one text; empty if it has an unknown form."""
    text = clean_line(text)
    match = next((match for pattern in _CITATIONS if (match := pattern.match(text))), None)
    return {name: (part or "").strip() for name, part in match.groupdict().items()} if match else {}


def _joined(texts: Sequence[str]) -> str:
    return "\n\n".join(texts).strip()


def _title(text: str) -> str:
    """A title without the full stop that databases append."""
    line = clean_line(text)
    return line[:-1] if line.endswith(".") and not line.endswith("..") else line


def _words(text: str, signs: str) -> list[str]:
    """Split keywords at the first of the separators that the text contains."""
    text = text.strip() if "\n" in signs else clean_line(text)
    parts = text.split(next((sign for sign in signs if sign in text), signs[0]))
    return [line for part in parts if (line := clean_line(part))]


def identifiers_in_note(note: str) -> dict[str, str]:
    """Identifiers that Zotero and others write into a note, by their names in small letters (`PMID: 123`)."""
    return {name.lower(): word for name, word in _NOTE_DATA.findall(note)}


def _identifiers(fields: Mapping[str, Sequence[str]]) -> dict[str, str]:
    doi, pmid, note = (_joined(fields.get(name, ())) for name in ("doi", "pmid", "note"))
    accession = _joined(fields.get("accession_number", ()))
    noted = identifiers_in_note(note)
    number = re.search(r"\b\d{1,9}$", pmid)
    return {
        "doi": normal_doi(doi) or doi or noted.get("doi", ""),
        "pmid": number[0] if number else pmid or noted.get("pmid", "") or normal_pmid(accession),
        "arxiv_id": noted.get("arxiv", ""),
    }


def _dates(fields: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The year and the date. If they disagree, the year wins."""
    written, date, month, day = (_joined(fields.get(name, ())) for name in ("year", "date", "month", "day"))
    year = read_date(written)[:4]
    if not date and month:
        date = iso_date(year, month, day)
    date = (read_date(date) or read_date(date, year)) if date else read_date(written)
    if year and date[:4] != year:
        date = read_date(written)
    return {"year": year or date[:4] or written, "date": date if len(date) > 4 else ""}


def _extra(dialect: Dialect, fields: Mapping[str, Sequence[str]], values: Values) -> dict[str, Any]:
    extra: dict[str, Any] = {}
    kinds = [kind for text in fields.get("kind", ()) for kind in re.split(r"[;\n]", text) if kind.strip()]
    manager = dialect.order is NameOrder.COMMA
    extra["type"] = next(
        filter(None, map(kind_of_words, kinds)), clean_line(" ".join(kinds)).lower() if manager else ""
    )
    types = fields.get("publication_types") or [name for name in kinds if not manager and len(name.strip()) > 1]
    extra["publication_types"] = [clean_line(name) for text in types for name in text.split(";")]
    first, last = (_joined(fields.get(name, ())) for name in ("first_page", "last_page"))
    pages = _joined(fields.get("pages", ())) or (f"{first}-{last}" if first and last and first != last else first)
    extra["pages"] = re.sub(r" ?[-–—]++ ?", "-", clean_line(pages))
    for name, texts in fields.items():
        if name not in _NOT_EXTRA:
            extra[name] = clean_line(_joined(texts))
    used = {key for ours in fields for key in _used(dialect, ours, values)}
    unknown = {name: _joined(texts) for name, texts in values.items() if column_key(name) not in used}
    return extra | {name: text for name, text in unknown.items() if text and name not in extra}


def _used(dialect: Dialect, ours: str, values: Values) -> Sequence[str]:
    """The keys of the columns whose text is stored in one of our fields, or only repeats it."""
    keys = dialect.fields[ours]
    if ours in _IN_OTHER_FIELDS:
        return keys
    there = {column_key(name) for name, texts in values.items() if any(text.strip() for text in texts)}
    return [key for key in keys if key in there][:1]
