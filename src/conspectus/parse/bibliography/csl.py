"""CSL-JSON, as Zotero and others export it, and Crossref's works, which are nearly the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conspectus.parse.bibliography.field_map import identifiers_in_note
from conspectus.parse.bibliography.fields import Description, kind_of, text
from conspectus.parse.people.authors import organisation, person
from conspectus.parse.text.blocks import clean_line
from conspectus.parse.text.dates import iso_date, read_date
from conspectus.parse.text.identifiers import find_arxiv_id, normal_doi
from conspectus.parse.text.plain_text import plain_html

_TELLING = frozenset(
    {"container-title", "issued", "DOI", "citation-key", "date-parts", "URL", "is-referenced-by-count"}
)
EXTRA = {
    "volume": "volume",
    "page": "pages",
    "publisher": "publisher",
    "publisher-place": "address",
    "edition": "edition",
    "collection-title": "series",
    "language": "language",
    "note": "note",
    "PMCID": "pmcid",
    "container-title-short": "journal_abbreviation",
    "article-number": "article_number",
    "genre": "genre",
    "event-title": "event",
    "license": "license",
}
_SAME = ("ISBN", "ISSN")
_NAMES = ("editor", "translator", "collection-editor", "container-author")


def is_csl(value: Mapping[str, Any]) -> bool:
    """Whether an object is a CSL item rather than a record with our own names."""
    custom = value.get("custom")
    if _TELLING & value.keys() or (isinstance(custom, Mapping) and "conspectus" in custom):
        return True
    author = value.get("author")
    return isinstance(author, list) and any(isinstance(person, Mapping) for person in author)


def describe_csl(value: Mapping[str, Any]) -> Description:
    """Describe a CSL item, or a work of Crossref."""
    custom = value.get("custom")
    own_fields = custom.get("conspectus", {}) if isinstance(custom, Mapping) else {}
    own_fields = own_fields if isinstance(own_fields, Mapping) else {}
    note = identifiers_in_note(text(value.get("note")))
    record: dict[str, Any] = {
        "id": text(value.get("citation-key")) or text(value.get("id")) or note.get("citation key", ""),
        "title": plain_html(text(value.get("title"))),
        "authors": _names(value.get("author")),
        "abstract": plain_html(text(value.get("abstract"))),
        "venue": plain_html(text(value.get("container-title"))),
        "doi": text(value.get("DOI")) or note.get("doi", ""),
        "pmid": text(value.get("PMID")) or note.get("pmid", ""),
        "arxiv_id": text(own_fields.get("arxiv_id")) or _arxiv(value, note),
        "url": text(value.get("URL")),
        "keywords": _keywords(value),
        "citation_count": value.get("is-referenced-by-count"),
        "references": _references(value.get("reference")),
    }
    subtitle = plain_html(text(value.get("subtitle")))
    if subtitle.casefold() not in record["title"].casefold():  # Crossref has some in the title already
        record["title"] = f"{record['title']}: {subtitle}" if record["title"] else subtitle
    record |= _date(value)
    for name in ("year", "date", "bibcode", "keywords", "citation_count", "references"):
        record[name] = own_fields.get(name, record.get(name))
    extra: dict[str, Any] = {"type": kind_of(text(value.get("type")), "csl")}
    extra |= {ours: text(value.get(name)) for name, ours in EXTRA.items()}
    extra |= {name.lower(): text(value.get(name)) for name in _SAME}
    extra["number"] = text(value.get("issue")) or text(value.get("number"))
    for name in _NAMES:
        extra[name] = [person["literal"] for person in _names(value.get(name))]
    own_extra = own_fields.get("extra")
    return record, extra | (dict(own_extra) if isinstance(own_extra, Mapping) else {})


def _names(value: Any) -> list[dict[str, Any]]:
    return [person for name in value if (person := csl_name(name))] if isinstance(value, list) else []


def csl_name(name: Any) -> dict[str, Any]:
    """A name as fields of an author; empty where there is none."""
    if isinstance(name, str):
        return {"literal": clean_line(name)} if name.strip() else {}
    if not isinstance(name, Mapping):
        return {}
    particles = [text(name.get("dropping-particle")), text(name.get("non-dropping-particle"))]
    family = " ".join(part for part in (*particles, text(name.get("family"))) if part)
    given_name, suffix = text(name.get("given")), text(name.get("suffix"))
    literal = text(name.get("literal")) or text(name.get("name"))
    known = organisation(literal) if literal and not family else person(given_name, family, suffix)
    if not known["literal"].strip():
        return {}
    known["literal"] = literal or known["literal"]
    return known | {"orcid": text(name.get("ORCID")), "affiliations": name.get("affiliation")}


def _date(value: Mapping[str, Any]) -> dict[str, Any]:
    for name in ("issued", "published-print", "published-online", "published"):
        issued = value.get(name)
        if isinstance(issued, str):
            return {"date": read_date(issued) or issued[:10]}
        if not isinstance(issued, Mapping):
            continue
        parts = issued.get("date-parts")
        first = parts[0] if isinstance(parts, list) and parts else None
        words = [str(part) for part in first if part is not None] if isinstance(first, list) else []
        if words and (date := iso_date(*words[:3])):
            return {"date": date} if len(date) > 4 else {"year": date}
        raw = text(issued.get("raw")) or text(issued.get("literal"))
        if date := read_date(raw):
            return {"date": date}
    return {}


def _keywords(value: Mapping[str, Any]) -> list[str]:
    keyword = value.get("keyword")
    if isinstance(keyword, str):
        return [word for part in keyword.split(";" if ";" in keyword else ",") if (word := part.strip())]
    words = keyword or value.get("subject") or value.get("categories") or ()
    return [word for word in words if isinstance(word, str)] if isinstance(words, list) else []


def _arxiv(value: Mapping[str, Any], note: Mapping[str, str]) -> str:
    words = [note.get("arxiv", ""), *(text(value.get(name)) for name in ("number", "archive_location", "URL", "DOI"))]
    words[0] = f"arXiv:{words[0]}" if words[0] and ":" not in words[0] else words[0]
    return next((arxiv_id for word in words if (arxiv_id := find_arxiv_id(word))), "")


def _references(value: Any) -> list[str]:
    """What is cited: a DOI, else the reference as written, else its title."""
    references = []
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, Mapping):
            names = ("unstructured", "article-title", "volume-title", "journal-title")
            references.append(
                normal_doi(text(entry.get("DOI"))) or next((w for n in names if (w := text(entry.get(n)))), "")
            )
        elif isinstance(entry, str):
            references.append(entry)
    return [entry for entry in dict.fromkeys(references) if entry]
