"""JATS for the simulator: made of a record and its text, and the record at the front of an article."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lxml import etree


def element(name: str, *content: etree._Element | str | int | None, **attributes: str) -> etree._Element:
    """An element with texts and children in this order; None is left out. `_` in an attribute's name is `-`."""
    made = etree.Element(name, {key.replace("_", "-"): value for key, value in attributes.items()})
    for part in content:
        if isinstance(part, etree._Element):
            made.append(part)
        elif part is not None:
            text = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", " ", str(part))
            if len(made):
                made[-1].tail = (made[-1].tail or "") + text
            else:
                made.text = (made.text or "") + text
    return made


def write_xml(root: etree._Element) -> bytes:
    """A document."""
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def write_jats(record: Mapping[str, Any], text: str) -> bytes:
    """An article of a record and a text whose headings are Markdown's."""
    pmcid = str(record.get("pmcid") or "").removeprefix("PMC")
    ids = (("pmid", record.get("pmid")), ("pmc", pmcid), ("doi", record.get("doi")))
    names = (str(name).partition(",")[::2] for name in record.get("authors") or ())
    people = (
        element("contrib", element("name", element("surname", family), element("given-names", given.strip())))
        for family, given in names
    )
    for_each = list(people)
    for person in for_each:
        person.set("contrib-type", "author")
    date = element("pub-date", element("year", str(record["year"]))) if record.get("year") else None
    licence = element("license", element("license-p", "Creative Commons Attribution (CC BY) licence."))
    licence.set("license-type", "open-access")
    meta = element(
        "article-meta",
        *(element("article-id", str(value), pub_id_type=kind) for kind, value in ids if value),
        element("title-group", element("article-title", record.get("title") or "")),
        element("contrib-group", *for_each),
        date,
        element("permissions", licence),
        element("abstract", element("p", record.get("abstract") or "")),
        element("kwd-group", *(element("kwd", word) for word in record.get("keywords") or ())),
    )
    journal = element("journal-meta", element("journal-title-group", element("journal-title", record.get("journal"))))
    return write_xml(element("article", element("front", journal, meta), _body(text), article_type="research-article"))


def _body(text: str) -> etree._Element:
    """Paragraphs in sections by the level of their headings."""
    body = element("body")
    path = [body]
    for block in re.split(r"\n\s*\n|\n(?=#)|(?<=#)\n", text):
        lines = block.strip().split("\n", 1)
        if heading := re.match(r"(#{1,6})\s+(.*)", lines[0]):
            level = len(heading[1])
            del path[min(level, len(path)) :]
            path.append(etree.SubElement(path[-1], "sec"))
            path[-1].append(element("title", heading[2]))
            lines = lines[1:]
        if words := " ".join(lines).strip():
            path[-1].append(element("p", words))
    return body


def read_front(jats: bytes) -> dict[str, Any]:
    """The record at the front of an article: identifiers, title, authors, journal, year and abstract."""
    root = etree.fromstring(jats, etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True))
    front = root.find(".//article-meta")
    assert front is not None
    ids = {one.get("pub-id-type", ""): (one.text or "").strip() for one in front.findall("article-id")}
    years = [int(one.text or 0) for one in front.findall("pub-date/year")]
    names = [
        f"{one.findtext('surname') or ''}, {one.findtext('given-names') or ''}".strip(", ")
        for one in front.findall("contrib-group/contrib[@contrib-type='author']/name")
    ]
    return {
        "title": _words(front.find("title-group/article-title")),
        "abstract": _words(front.find("abstract")),
        "authors": names,
        "journal": _words(root.find(".//journal-title")),
        "year": min(years, default=None),
        "doi": ids.get("doi", ""),
        "pmid": ids.get("pmid", ""),
        "pmcid": ids.get("pmc", "") or ids.get("pmcid", ""),
    }


def _words(part: etree._Element | None) -> str:
    return "" if part is None else " ".join("".join(map(str, part.itertext())).split())
