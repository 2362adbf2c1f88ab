"""Reference lists in JATS."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from conspectus.parse.blocks import clean_line
from conspectus.parse.identifiers import find_arxiv_id, find_doi, normal_arxiv_id, normal_doi, normal_pmid
from conspectus.parse.people import author_named
from conspectus.parse.xml.build import page_span, with_text
from conspectus.parse.xml.jats_text import JatsText
from conspectus.parse.xml.load import Element, href_of, plain_text
from conspectus.records import Author, Reference

_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation")
_TITLES = ("article-title", "chapter-title", "data-title", "part-title", "trans-title")
_EDITORS = frozenset({"editor", "translator", "guest-editor", "assignee", "sponsor", "compiler", "director"})
_SPACE_BEFORE = re.compile(r"(?<!\s)\s++([.,;:)])")
_DOUBLE_STOP = re.compile(r"(?<!\.)\.\.$")
_UNPRINTED = frozenset({"object-id", "pub-id", "label", "person-group-type"})


def citations_of(ref: Element) -> list[Element]:
    """The citations of a `ref`: of alternatives the structured one."""
    found = list(ref.iter(*_CITATIONS))
    alternatives = next(ref.iter("citation-alternatives"), None)
    return found if alternatives is None else found[:1]


def reference_of(ref: Element, key: str, text: JatsText) -> Reference:
    """The entry. Where it is not printed as a whole, `text` is put together from its parts."""
    citations = citations_of(ref)
    label = _line(ref, "label")
    whole = " ".join(filter(None, (_printed_text(citation, text) for citation in citations)))
    if not citations:
        note = text.words(*[child for child in ref if child.tag not in ("label",)])
        return Reference(key, clean_line(note.text), label, doi=find_doi(note.text))
    return _parsed(citations[0], key, label, whole, text)


def _parsed(citation: Element, key: str, label: str, whole: str, text: JatsText) -> Reference:
    title = next((found for name in _TITLES if (found := text.title(_first(citation, name)))), "")
    source = text.title(_first(citation, "source"))
    named = title or source
    publisher = _line(citation, "publisher-name")
    doi, arxiv, pmid, url = _identifiers(citation, whole)
    known = Reference(
        key,
        whole,
        label,
        named if named.endswith("..") else named.removesuffix("."),
        tuple(_authors(citation, text)),
        venue=source if title else publisher,
        volume=_line(citation, "volume"),
        pages=_pages(citation),
        doi=doi,
        arxiv_id=arxiv,
        pmid=pmid,
        url=url,
    )
    return with_text(
        known,
        year=_line(citation, "year"),
        issue=_line(citation, "issue"),
        publisher=publisher if title else "",
        otherwise=clean_line(" ".join(filter(None, map(plain_text, citation)))),
    )


def _printed_text(citation: Element, text: JatsText) -> str:
    """The citation as it stands, if it has the punctuation of a printed one; else ""."""
    loose = (citation.text or "") + "".join(child.tail or "" for child in citation)
    if not loose.strip():
        return ""
    found = text.words(citation, interrupt=lambda child: child.tag in _UNPRINTED).text
    return clean_line(_DOUBLE_STOP.sub(".", _SPACE_BEFORE.sub(r"\1", found)))


def _authors(citation: Element, text: JatsText) -> Iterator[Author]:
    groups = [group for group in citation.iter("person-group") if group.get("person-group-type") not in _EDITORS]
    everyone = groups or [citation]
    if not groups and next(citation.iter("person-group"), None) is not None:
        loose = [child for child in citation if child.tag in ("name", "string-name", "collab")]
        everyone = list(citation.iter("person-group"))[:1] if not loose else []
        yield from people_of(loose, text)
    for group in everyone:
        yield from people_of(group, text)


def people_of(elements: Iterable[Element], text: JatsText) -> Iterator[Author]:
    """The people and groups among the elements."""
    for element in elements:
        if element.tag == "name-alternatives" and len(element):
            element = element[0]  # noqa: PLW2901 - the first form is the one of the article's language
        if element.tag in ("name", "string-name"):
            author = person(element, text)
        elif element.tag in ("collab", "institution"):
            author = Author(text.title(element))
        else:
            continue
        if author.name:
            yield author


def person(element: Element, text: JatsText) -> Author:
    """The author of a `name` or `string-name`."""
    family, given, suffix = (text.title(_first(element, tag)) for tag in ("surname", "given-names", "suffix"))
    if not family:
        return author_named(text.title(element)) if element.tag == "string-name" else Author(given)
    eastern = element.get("name-style") == "eastern"
    name = f"{family} {given}" if eastern else f"{given} {family}"
    return Author(" ".join(filter(None, (name.strip(), suffix))), family, given)


def _pages(citation: Element) -> str:
    first, last, place, span = (_line(citation, tag) for tag in ("fpage", "lpage", "elocation-id", "page-range"))
    return page_span(first, last) or span or place


def _identifiers(citation: Element, whole: str) -> tuple[str, str, str, str]:
    """DOI, arXiv id, PMID and address."""
    doi = arxiv = pmid = url = ""
    for element in citation.iter("pub-id", "object-id", "article-id", "ext-link", "uri", "self-uri"):
        kind = element.get("pub-id-type") or element.get("ext-link-type") or ""
        said, href = clean_line(plain_text(element)), href_of(element)
        doi = doi or (normal_doi(said) if kind == "doi" else "") or normal_doi(href) or find_doi(href)
        arxiv = arxiv or (normal_arxiv_id(said) if kind == "arxiv" else "") or find_arxiv_id(href)
        linked = normal_pmid(href) if "ncbi.nlm.nih.gov" in href else ""
        pmid = pmid or (normal_pmid(said) if kind == "pmid" else "") or linked
        if element.tag in ("ext-link", "uri", "self-uri") and not url:
            address = href or said
            url = address if address.startswith(("http://", "https://", "ftp://")) and not find_doi(address) else ""
    everything = whole or " ".join(map(plain_text, citation.iter("comment")))
    return doi or find_doi(everything), arxiv or find_arxiv_id(everything), pmid, url


def _first(element: Element, tag: str) -> Element | None:
    return next(element.iter(tag), None)


def _line(element: Element, tag: str) -> str:
    """The text of the first such element, on one line."""
    found = _first(element, tag)
    return "" if found is None else clean_line(plain_text(found))
