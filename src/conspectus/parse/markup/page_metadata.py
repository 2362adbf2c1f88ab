"""What a page says of itself: `citation_*`, Dublin Core, OpenGraph and JSON-LD."""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from conspectus.parse.bibliography.fields import FieldError, metadata_of
from conspectus.parse.markup.page_tree import Element, elements, plain_text
from conspectus.parse.people.authors import author_of_name, orcid_in
from conspectus.parse.text.blocks import clean_abstract, clean_line
from conspectus.parse.text.dates import date_in
from conspectus.parse.text.identifiers import find_arxiv_id, find_doi, normal_arxiv_id, normal_doi, normal_pmid
from conspectus.records import Author, Metadata

_TAG = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_SITE = re.compile(r"(?<!\s)\s++(?:[|–—·•]|-|::)\s++[^|–—·•]{1,60}$")
_ARTICLE_TYPES = re.compile(r"Article|Report|Posting|CreativeWork|Chapter|Thesis|Book|WebPage|Dataset", re.I)
_MAX_JSON = 2 * 2**20
_DATES = ("citation_publication_date", "citation_date", "citation_online_date", "dc.date.issued", "dc.date")
_MORE_DATES = ("dcterms.issued", "prism.publicationdate", "article:published_time", "citation_year")
_TITLES = ("citation_title", "dc.title", "dcterms.title", "og:title", "twitter:title")
_ABSTRACTS = ("citation_abstract", "dcterms.abstract", "dc.abstract", "dc.description", "dcterms.description")

MetaValues = dict[str, list[str]]


def read_meta_values(root: Element) -> MetaValues:
    """The page's `meta` values by lower-case name, in order."""
    values: MetaValues = defaultdict(list)
    for meta in elements(root, "meta"):
        name = (meta.get("name") or meta.get("property") or meta.get("itemprop") or "").strip().lower()
        content = clean_line(meta.get("content") or "")
        if name and content:
            values[name].append(content)
    return values


def page_metadata(root: Element, meta_values: MetaValues) -> tuple[Metadata, list[str]]:
    """The metadata that the page's head gives, and warnings; the text of the page may know better."""
    linked = linked_data(root)
    record: dict[str, Any] = {
        "title": _title(root, meta_values, linked),
        "abstract": clean_abstract(_plain(_first(meta_values, *_ABSTRACTS))),
        "authors": [],
        "date": _date(meta_values, linked),
        "venue": _venue(meta_values, linked),
        "doi": _doi(meta_values, linked),
        "arxiv_id": normal_arxiv_id(_first(meta_values, "citation_arxiv_id")) or "",
        "pmid": normal_pmid(_first(meta_values, "citation_pmid")) or "",
        "url": _url(root, meta_values),
        "keywords": _keywords(meta_values),
    }
    if not record["arxiv_id"]:
        record["arxiv_id"] = find_arxiv_id(record["url"])
    try:
        metadata, _, warnings = metadata_of(record)
    except FieldError as error:  # cannot be: all values are text
        return Metadata(), [f"The page's metadata could not be read: {error}."]
    fields = {**metadata.__dict__, "authors": _authors(root, meta_values, linked)}
    return Metadata(**fields), warnings


def _first(meta_values: MetaValues, *names: str) -> str:
    return next((value for name in names for value in meta_values.get(name, ()) if value), "")


def _plain(text: str) -> str:
    """Without the tags that some publishers write into metadata, escaped once more."""
    return clean_line(_TAG.sub("", html.unescape(text))) if "<" in text or "&" in text else text


def _title(root: Element, meta_values: MetaValues, linked: Mapping[str, Any]) -> str:
    title = _plain(_first(meta_values, "citation_title")) or _plain(_text(linked.get("headline") or linked.get("name")))
    title = title or _plain(_first(meta_values, *_TITLES))
    if not title:
        title = next((plain_text(element) for element in elements(root, "title")), "")
        return _SITE.sub("", title) or title
    site = _first(meta_values, "og:site_name")
    return title.removesuffix(site).rstrip(" |–—-·") if site and title != site else title


def _date(meta_values: MetaValues, linked: Mapping[str, Any]) -> str:
    date = _first(meta_values, *_DATES, *_MORE_DATES) or _text(linked.get("datePublished"))
    match = re.match(r"\d{4}(?:[-/]\d{1,2}(?:[-/]\d{1,2})?)?", date)
    if match:
        return match[0]
    year = re.search(r"\b(?:1[6-9]|20)\d\d\b", date)
    return date_in(date) or (year[0] if year else "")


def _venue(meta_values: MetaValues, linked: Mapping[str, Any]) -> str:
    names = ("citation_journal_title", "citation_conference_title", "citation_inbook_title", "prism.publicationname")
    venue = _plain(_first(meta_values, *names, "dc.source", "citation_technical_report_institution"))
    part = linked.get("isPartOf")
    for _ in range(4):  # an article is part of an issue of a volume of a journal
        if venue or not isinstance(part, Mapping):
            break
        venue = _text(part.get("name"))
        part = part.get("isPartOf")
    return venue or _first(meta_values, "og:site_name")


def _doi(meta_values: MetaValues, linked: Mapping[str, Any]) -> str:
    names = (
        "citation_doi",
        "dc.identifier",
        "dcterms.identifier",
        "prism.doi",
        "dc.identifier.doi",
        "bepress_citation_doi",
    )
    for name in names:
        for value in meta_values.get(name, ()):
            if doi := normal_doi(value):
                return doi
    for known in (linked.get("@id"), linked.get("sameAs"), linked.get("identifier")):
        if doi := find_doi(json.dumps(known, ensure_ascii=False)[:2000]):
            return doi
    return ""


def _url(root: Element, meta_values: MetaValues) -> str:
    for link in elements(root, "link"):
        if (link.get("rel") or "").lower() == "canonical" and str(link.get("href")).startswith("http"):
            return clean_line(str(link.get("href")))
    url = _first(
        meta_values, "citation_fulltext_html_url", "citation_public_url", "og:url", "citation_abstract_html_url"
    )
    return url if url.startswith("http") else ""


def _keywords(meta_values: MetaValues) -> list[str]:
    values = meta_values.get("citation_keywords") or meta_values.get("dc.subject") or meta_values.get("keywords") or []
    parts = (part for value in values for part in re.split(r"[;,]", value))
    return list(dict.fromkeys(word for part in parts if (word := clean_line(_plain(part)))))


def _authors(root: Element, meta_values: MetaValues, linked: Mapping[str, Any]) -> tuple[Author, ...]:
    """In order of the page; affiliations and ORCID stand behind the author they belong to."""
    entries: list[tuple[str, list[str], str]] = []
    for meta in elements(root, "meta"):
        name, content = (meta.get("name") or "").lower(), clean_line(meta.get("content") or "")
        if name == "citation_author" and content:
            entries.append((content, [], ""))
        elif name in ("citation_author_institution", "citation_author_affiliation") and content and entries:
            entries[-1][1].append(_plain(content))
        elif name == "citation_author_orcid" and entries and (orcid := orcid_in(content)):
            entries[-1] = (entries[-1][0], entries[-1][1], orcid)
    if entries:
        return tuple(_author(name, tuple(places), orcid) for name, places, orcid in entries)
    linked_authors = _list(linked.get("author") or linked.get("creator"))
    authors = tuple(author for part in linked_authors if (author := _linked_author(part)).name)
    if authors:
        return authors
    for key in ("citation_authors", "dc.creator", "dcterms.creator", "dc.contributor", "author", "article:author"):
        names = [name for value in meta_values.get(key, ()) for name in map(str.strip, value.split(";"))]
        names = [name for name in names if name and not name.startswith("http")]
        if names:
            return tuple(author for name in names if (author := _author(name)).name)
    return ()


def _author(name: str, affiliations: tuple[str, ...] = (), orcid: str = "") -> Author:
    author = author_of_name(_plain(name))
    return Author(author.name, author.family, author.given, orcid, affiliations)


def _linked_author(part: Any) -> Author:
    if not isinstance(part, Mapping):
        return author_of_name(_text(part))
    given_name, family = _text(part.get("givenName")), _text(part.get("familyName"))
    places = tuple(
        name
        for place in _list(part.get("affiliation"))
        if (name := _text(place.get("name") if isinstance(place, Mapping) else place))
    )
    ids = " ".join(_text(value) for key in ("@id", "sameAs", "identifier") for value in _list(part.get(key)))
    orcid = re.search(r"orcid\.org/(\d{4}-\d{4}-\d{4}-\d{3}[\dXx])", ids)
    known = author_of_name(_text(part.get("name")) or f"{given_name} {family}".strip())
    return Author(
        known.name, family or known.family, given_name or known.given, orcid[1].upper() if orcid else "", places
    )


def linked_data(root: Element) -> Mapping[str, Any]:
    """The JSON-LD object that describes the article, or an empty one."""
    best: Mapping[str, Any] = {}
    for script in elements(root, "script"):
        text = script.text or ""
        if (script.get("type") or "").lower() != "application/ld+json" or len(text) > _MAX_JSON:
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        for item in _objects(value):
            kind = " ".join(_text(part) for part in _list(item.get("@type")))
            if _ARTICLE_TYPES.search(kind) and (not best or "Article" in kind):
                best = item
    return best


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    for item in _list(value)[:100]:
        if isinstance(item, Mapping):
            yield item
            for inner in (*_list(item.get("@graph")), *_list(item.get("mainEntity"))):
                if isinstance(inner, Mapping):
                    yield inner


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _text(value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else ""
    return clean_line(value) if isinstance(value, str) else ""
