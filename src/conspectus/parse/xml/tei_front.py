"""The metadata of a TEI document, and what its bibliographic entries say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from conspectus.parse.blocks import clean_line
from conspectus.parse.dates import iso_text
from conspectus.parse.identifiers import named_identifiers
from conspectus.parse.inline import Words
from conspectus.parse.people import author_named, orcid_in
from conspectus.parse.xml.build import page_span, with_text, year_in
from conspectus.parse.xml.load import Element, plain_text
from conspectus.parse.xml.tei_text import TeiText, places_of
from conspectus.records import Author, Metadata, Place, Reference

Paragraph = tuple[Words, tuple[Place, ...]]


def metadata_of(root: Element, text: TeiText) -> tuple[Metadata, list[Paragraph]]:
    """What the header says, and the paragraphs of the abstract with their places."""
    header = root.find("teiHeader")
    if header is None:
        return Metadata(), []
    source = header.find("fileDesc/sourceDesc/biblStruct")
    title = text.line(header.find("fileDesc/titleStmt/title")) or _title(source, text)
    abstract = _abstract(root, text)
    date = _date(header, source)
    ids = _identifiers(source if source is not None else header)
    pmcid = ids.pop("pmcid")
    metadata = Metadata(
        title=title,
        authors=tuple(_authors(header, source, text)),
        abstract="\n\n".join(words.text for words, _ in abstract),
        date=date,
        year=int(date[:4]) if date else None,
        venue=_venue(source, text),
        keywords=tuple(_keywords(header, text)),
        extra={"pmcid": pmcid} if pmcid else {},
        **ids,
    )
    return metadata, abstract


def reference_of(entry: Element, key: str, text: TeiText) -> Reference:
    """An entry of the reference list; where it is not given as printed, `text` is put together from its parts."""
    raw = next((note for note in entry.iter("note") if note.get("type") == "raw_reference"), None)
    if entry.tag == "bibl" and raw is None:
        raw = entry
    title = _title(entry, text)
    venue = _venue(entry, text)
    ids = _identifiers(entry)
    date = next(entry.iter("date"), None)
    known = Reference(
        key,
        text.line(raw),
        clean_line(entry.get("n") or text.line(entry.find("label"))),
        title or venue,
        tuple(_people(entry, text)),
        venue=venue if title else "",
        volume=_scope(entry, "volume"),
        pages=_scope(entry, "page") or _scope(entry, "pp"),
        doi=ids["doi"],
        arxiv_id=ids["arxiv_id"],
        pmid=ids["pmid"],
        url=next((to for ptr in entry.iter("ptr", "ref") if (to := ptr.get("target", "")).startswith("http")), ""),
    )
    return with_text(
        known,
        year=year_in(" ".join(filter(None, (date.get("when"), plain_text(date))))) if date is not None else "",
        issue=_scope(entry, "issue"),
        publisher=text.line(next(entry.iter("publisher"), None)),
    )


def _title(source: Element | None, text: TeiText) -> str:
    """The title of the article; of a book, which has none, that of the book."""
    if source is None:
        return ""
    titles = list(source.iter("title"))
    for level in ("a", "m"):
        found = next((title for title in titles if title.get("level") == level and (title.text or len(title))), None)
        if found is not None and (level == "a" or not _has_article(titles)):
            return text.line(found).removesuffix(".")
    return text.line(titles[0]).removesuffix(".") if len(titles) == 1 and titles[0].get("level") is None else ""


def _has_article(titles: list[Element]) -> bool:
    return any(title.get("level") == "a" for title in titles)


def _venue(source: Element | None, text: TeiText) -> str:
    titles = list(source.iter("title")) if source is not None else []
    wanted = ("j", "m", "s") if _has_article(titles) else ("j", "s")
    for level in wanted:
        for title in titles:
            if title.get("level") == level and (name := text.line(title)):
                return name
    return ""


def _scope(entry: Element, unit: str) -> str:
    scope = next(
        (found for found in entry.iter("biblScope") if found.get("unit") == unit or found.get("type") == unit), None
    )
    if scope is None:
        return ""
    return page_span(scope.get("from", ""), scope.get("to", "")) or clean_line(plain_text(scope))


def _identifiers(source: Element) -> dict[str, Any]:
    return named_identifiers(
        ((idno.get("type") or "").lower(), clean_line(plain_text(idno))) for idno in source.iter("idno")
    )


def _date(header: Element, source: Element | None) -> str:
    """The date of publication, the most exact that is given."""
    found = []
    places = [source] if source is not None else []
    places += header.iterfind("fileDesc/publicationStmt")
    for number, place in enumerate(places):
        for date in place.iter("date"):
            written = iso_text(date.get("when") or clean_line(plain_text(date)))
            if written and date.get("type", "published") == "published":
                found.append((-len(written), number, written))
    return min(found)[-1] if found else ""


def _authors(header: Element, source: Element | None, text: TeiText) -> Iterator[Author]:
    analytic = source.find("analytic") if source is not None else None
    for place in (analytic, source, header.find("fileDesc/titleStmt")):
        people = list(_people(place, text)) if place is not None else []
        if people:
            yield from people
            return


def _people(place: Element, text: TeiText) -> Iterator[Author]:
    for element in place.iter("author"):
        if next(element.iterancestors("note"), None) is not None:
            continue
        author = _author(element, text)
        if author.name:
            yield author


def _author(element: Element, text: TeiText) -> Author:
    person = element.find("persName")
    if person is None:
        group = element.find("orgName")
        name = text.line(group) if group is not None else _loose(element)
        return Author(name) if group is not None else author_named(name)
    family = " ".join(text.line(part) for part in person.iterchildren("nameLink", "surname"))
    given = " ".join(text.line(part) for part in person.iterchildren("forename"))
    suffix = text.line(person.find("genName"))
    orcid = next((found for idno in element.iter("idno") if (found := orcid_in(plain_text(idno)))), "")
    name = " ".join(filter(None, (given, family, suffix))) or clean_line(plain_text(person))
    places = (_affiliation(part, text) for part in element.iterchildren("affiliation"))
    return Author(name, family, given, orcid, tuple(dict.fromkeys(filter(None, places))))


def _loose(element: Element) -> str:
    return clean_line((element.text or "") + "".join(child.tail or "" for child in element) or plain_text(element))


def _affiliation(element: Element, text: TeiText) -> str:
    """The affiliation as printed where that is given, else its parts."""
    raw = next((note for note in element.iter("note") if note.get("type") == "raw_affiliation"), None)
    if raw is not None:
        without_label = [part for part in raw if part.tag != "label"]
        return clean_line(
            (raw.text or "")
            + "".join(plain_text(part) + (part.tail or "") for part in without_label)
            + "".join(part.tail or "" for part in raw if part.tag == "label")
        ).strip(" ,;")
    parts = [text.line(part) for part in element.iter("orgName", "addrLine", "settlement", "region", "country")]
    return ", ".join(filter(None, parts)) or text.line(element)


def _keywords(header: Element, text: TeiText) -> Iterator[str]:
    for group in header.iterfind("profileDesc/textClass/keywords"):
        terms = [text.line(term) for term in group.iter("term", "item")] or re.split(r"[;\n]", plain_text(group))
        yield from dict.fromkeys(line for term in terms if (line := clean_line(term)))


def _abstract(root: Element, text: TeiText) -> list[Paragraph]:
    places = [*root.iterfind("teiHeader/profileDesc/abstract"), *root.iterfind("text/front/div[@type='abstract']")]
    for place in places:
        paragraphs = list(place.iter("p", "ab")) or [place]
        found = [(text.words(paragraph), places_of(paragraph)) for paragraph in paragraphs]
        if any(words.text for words, _ in found):
            return [(words, where) for words, where in found if words.text]
    return []
