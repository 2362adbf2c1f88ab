"""Reference lists of a page: entries with their ids, labels and links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from conspectus.parse.blocks import clean_line, numbered_entry
from conspectus.parse.identifiers import find_arxiv_id, find_doi, normal_pmid
from conspectus.parse.inline import Inline
from conspectus.parse.people import author_named
from conspectus.parse.web.tree import Element, elements, folded, is_element, names_of, plain_text
from conspectus.parse.web.words import Words
from conspectus.records import Reference

_LIST = re.compile(
    r"(?:^|[\s_-])(?:ref-?list|references?|bibliography|ltx_biblist|ltx_bibliography|biblist|citation-?list|reflist"
    r"|literature-?cited|doc-bibliography|works-?cited)(?:$|[\s_-])"
)
_ENTRY = re.compile(r"(?:^|[\s_-])(?:ref|reference|citation|cite|bibitem|bib|csl-entry|doc-biblioentry)")
_LABEL = re.compile(r"(?:^|[\s_-])(?:label|ltx_tag|order|ref-number|number|counter|csl-left-margin)(?:$|[\s_-])")
_BUTTON = re.compile(
    r"(?:google scholar|doi|cross-?ref|pub ?med(?:/ncbi)?(?: central)?|pmc(?: free article)?"
    r"|view (?:article|in article)"
    r"|full text|free full text|article|cas|isi|isi web of science|web of science|scopus|ads|mathscinet|zbmath|medline"
    r"|search google scholar|open in new tab|download(?: pdf)?|pdf|link|go to .{0,40}"
    r"|external link.{0,40}|open url.{0,20}|\^|[a-z]|[↑↩])",
    re.I,
)
_EMPTY_BRACKETS = re.compile(r"(?<!\s)\s*+[\[(]\s*+(?:[,;|·•]\s*+)*+[\])]")
_TAIL = re.compile(r"(?<![\s•·|])\s*+[•·|][\s•·|]*+$")


Entry = tuple[Reference, Element]
"""One entry of a list, and the element it stands in."""


def is_reference_list(element: Element) -> bool:
    """Whether the page's maker calls the element a list of references."""
    if element.tag not in ("ol", "ul", "div", "section", "dl", "aside") or not _LIST.search(names_of(element)):
        return False
    return bool(_entries(element))


def read_references(element: Element, words: Words, first: int) -> Iterator[Entry]:
    """The entries of a list; the keys count on from `first`."""
    for item in _entries(element):
        entry = read_reference(item, words, first)
        if entry is not None:
            first += 1
            yield entry


def read_reference(item: Element, words: Words, number: int) -> Entry | None:
    """One entry, or None where there are no words in it."""
    label_element = next((e for e in item.iterdescendants() if is_element(e) and _is_label(e, item)), None)
    label = clean_line(plain_text(label_element)) if label_element is not None else ""
    keep = words.drop
    words.drop = lambda e: e is label_element or _is_button(e)
    line = Inline()
    words.fill(line, item)
    words.drop = keep
    text = _TAIL.sub("", _EMPTY_BRACKETS.sub("", line.text)).strip(" ^|·•")
    if not label:
        label, text = numbered_entry(text)
    if not label and item.tag == "li" and item.getparent() is not None and item.getparent().tag == "ol":
        label = str(number)
    if not re.search(r"\w", text):
        return None
    return _identified(Reference(f"b{number}", text, label.rstrip(".")), item), item


def _entries(element: Element) -> list[Element]:
    items = [
        li for li in elements(element, "li") if not any(e is not element and e.tag == "li" for e in li.iterancestors())
    ]
    if items:
        return [li for li in items if plain_text(li)]
    parts = [e for e in element.iterdescendants() if is_element(e) and e.tag in ("div", "p", "dd", "tr")]
    named = [e for e in parts if _ENTRY.search(names_of(e)) and not _LIST.search(names_of(e))]
    chosen = named or [e for e in parts if e.tag in ("p", "dd")]
    known = frozenset(chosen)
    return [e for e in chosen if not any(other in known for other in e.iterancestors())]


def _is_label(element: Element, item: Element) -> bool:
    if element.tag not in ("span", "div", "b", "strong", "sup", "dt") or not _LABEL.search(names_of(element)):
        return False
    before = "".join(item.itertext()).strip()
    label = plain_text(element)
    return 0 < len(label) <= 80 and " ".join(before.split()).startswith(label)


def _is_button(element: Element) -> bool:
    if element.tag in ("a", "span", "sup") and len(element) < 3:
        words = plain_text(element).strip("[]() ")
        linked = element.tag == "a" or next(elements(element, "a"), None) is not None
        return bool(linked and _BUTTON.fullmatch(words))
    return bool(element.tag == "ul")


def _identified(reference: Reference, item: Element) -> Reference:
    """The reference with what its links and its text say it is."""
    doi = arxiv_id = pmid = url = ""
    for link in elements(item, "a"):
        href = (link.get("href") or "").strip()
        if not href.startswith("http"):
            continue
        doi = doi or (find_doi(href) if "doi.org/" in href else "")
        arxiv_id = arxiv_id or find_arxiv_id(href)
        pmid = pmid or (normal_pmid(href) if "ncbi.nlm.nih.gov" in href else "")
        shown = plain_text(link).startswith(("http", "www."))
        if not url and shown and "doi.org/" not in href:
            url = clean_line(href)[:2000]
    text = reference.text
    return replace(reference, doi=doi or find_doi(text), arxiv_id=arxiv_id or find_arxiv_id(text), pmid=pmid, url=url)


def enriched(references: list[Reference], given: list[str]) -> list[Reference]:
    """References with what the page's `citation_reference` values say, where these are as many and fit."""
    if len(given) != len(references):
        return references
    return [_enriched(reference, value) for reference, value in zip(references, given, strict=True)]


def _enriched(reference: Reference, value: str) -> Reference:
    fields: dict[str, list[str]] = {}
    for part in re.split(r";\s*(?=citation_)", value):
        name, _, content = part.partition("=")
        if content.strip(" ;"):
            fields.setdefault(name.strip().removeprefix("citation_"), []).append(clean_line(content.strip(" ;")))
    title = fields.get("title", [""])[0]
    if not title or folded(title)[:60] not in folded(reference.text):
        return reference
    year = re.match(r"(?:1[5-9]|20)\d\d", next(iter(fields.get("publication_date") or fields.get("year") or [""])))
    names = [
        name
        for value in fields.get("author", [])
        for name in re.split(r"(?<!\s)\s*+;\s*+|,\s+(?=\S+ \S)", value)
        if name
    ]
    first, last = fields.get("firstpage", [""])[0], fields.get("lastpage", [""])[0]
    return replace(
        reference,
        title=title,
        authors=tuple(author_named(name) for name in names),
        year=int(year[0]) if year else None,
        venue=fields.get("journal_title", [""])[0],
        volume=fields.get("volume", [""])[0],
        pages=f"{first}–{last}" if first and last else first or fields.get("pages", [""])[0],
        doi=reference.doi or find_doi(fields.get("doi", [""])[0]),
    )
