"""EndNote's XML export."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from conspectus.parse.bibliography.kinds import kind_of
from conspectus.parse.bibliography.links import plain_files
from conspectus.parse.bibliography.names import comma_names
from conspectus.parse.bibliography.streams import read_elements, text_of, texts_of, with_extra
from conspectus.parse.dates import read_date
from conspectus.parse.identifiers import normal_pmid
from conspectus.parse.protocol import Item

_KINDS = {
    "Journal Article": "JOUR",
    "Conference Paper": "CPAPER",
    "Conference Proceedings": "CONF",
    "Book": "BOOK",
    "Book Section": "CHAP",
    "Thesis": "THES",
    "Report": "RPRT",
    "Web Page": "ELEC",
    "Dataset": "DATA",
    "Computer Program": "COMP",
    "Patent": "PAT",
    "Unpublished Work": "UNPB",
    "Generic": "GEN",
}
_EXTRA = {
    "volume": "volume",
    "number": "number",
    "publisher": "publisher",
    "pub-location": "address",
    "edition": "edition",
    "isbn": "isbn",
    "language": "language",
    "notes": "note",
    "research-notes": "research_notes",
    "label": "label",
    "titles/tertiary-title": "series",
    "alt-periodical/abbr-1": "journal_abbreviation",
}


def read(path: Path) -> Iterator[Item]:
    """The records as papers, and those that cannot be read; as `protocol.Reader.read`."""
    return read_elements(path, {"record"}, _paper)


def _paper(element: Element, where: str) -> Item:
    kind = element.find("ref-type")
    name = kind.get("name", "") if kind is not None else ""
    pdfs = [*texts_of(element, "urls/pdf-urls/url"), *texts_of(element, "urls/related-urls/url")]
    links = [text_of(found) for found in element.findall("urls//url")]
    record: dict[str, Any] = {
        "id": text_of(element, "rec-number"),
        "title": text_of(element, "titles/title"),
        "authors": comma_names(texts_of(element, "contributors/authors/author")),
        "abstract": "\n\n".join(line for line in _lines(element.find("abstract"))),
        "venue": text_of(element, "periodical/full-title") or text_of(element, "titles/secondary-title"),
        "year": re.sub(r"\D", "", text_of(element, "dates/year"))[:4],
        "date": _date(element),
        "doi": text_of(element, "electronic-resource-num"),
        "pmid": normal_pmid(text_of(element, "accession-num")),
        "keywords": texts_of(element, "keywords/keyword"),
        "url": next((link for link in links if link.startswith(("http://", "https://"))), ""),
        "files": plain_files(
            pdf for pdf in pdfs if pdf.lower().startswith(("internal-pdf:", "file:")) or "://" not in pdf
        ),
    }
    extra: dict[str, Any] = {ours: text_of(element, path) for path, ours in _EXTRA.items()}
    extra |= {"type": kind_of(_KINDS[name], "ris") if name in _KINDS else name.lower(), "pages": _pages(element)}
    extra["editor"] = [
        person["literal"] for person in comma_names(texts_of(element, "contributors/secondary-authors/author"))
    ]
    if re.fullmatch(r"\d{4}-?\d{3}[\dXx]", extra["isbn"].split(" ")[0]):
        extra["issn"] = extra.pop("isbn")
    return with_extra(record, extra, where)


def _lines(element: Element | None) -> Iterator[str]:
    for part in re.split(r"[\r\n]{2,}", "".join(element.itertext()) if element is not None else ""):
        if line := " ".join(part.split()):
            yield line


def _pages(element: Element) -> str:
    return re.sub(r"(?<!\s)\s*+[–—]\s*+", "-", text_of(element, "pages"))


def _date(element: Element) -> str:
    words = text_of(element, "dates/pub-dates/date")
    return (read_date(words) or read_date(words, text_of(element, "dates/year"))) if words else ""
