"""PubMed XML: `PubmedArticleSet`, as E-utilities and the yearly baseline give it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from conspectus.parse.bibliography.europepmc import notices_of, reference_date, versions_of
from conspectus.parse.bibliography.fields import Description, kind_of, plain_files
from conspectus.parse.bibliography.records import read_elements, text_of, texts_of, with_extra
from conspectus.parse.people.authors import comma_names, organisation, person
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.text.dates import iso_date, read_date
from conspectus.parse.text.identifiers import find_arxiv_id, find_doi, normal_arxiv_id, normal_doi, normal_pmid

_WITHDRAWN = re.compile(
    r"(?:arXiv admin note:\s+)?(?:this\s+)?"
    r"(?:(?:paper|article|manuscript|submission|work|preprint|note|letter|version)\s+)?"
    r"(?:(?:has\s+been|is|was|is\s+being)\s+)?(?:temporarily\s+)?withdrawn\b"
    r"(?!\s+from\s+(?:submission|publication|consideration))",
    re.I,
)
"""How comments and abstracts of withdrawn papers begin."""


def read_pubmed(path: Path) -> Iterator[Item]:
    """The articles as papers, and those that cannot be read; as `protocol.Reader.read`."""
    return read_elements(path, {"PubmedArticle", "PubmedBookArticle", "MedlineCitation", "BookDocument"}, _pubmed_paper)


def _pubmed_paper(element: Element, where: str) -> Item:
    return with_extra(*describe_pubmed(element), where)


def describe_pubmed(element: Element) -> Description:
    """Describe an article or a book of PubMed."""
    book = element if element.tag == "BookDocument" else element.find("BookDocument")
    citation = element.find("MedlineCitation")
    if book is not None:
        return _book(book)
    return _article(element if citation is None else citation, _part(element, "PubmedData"))


def _article(citation: Element, data: Element) -> Description:
    article = _part(citation, "Article")
    journal = _part(article, "Journal")
    issue = _part(journal, "JournalIssue")
    mesh = texts_of(citation, "MeshHeadingList/MeshHeading/DescriptorName")
    types = texts_of(article, "PublicationTypeList/PublicationType")
    relations = [
        (relation.get("RefType", ""), text_of(relation, "RefSource"))
        for relation in citation.findall("CommentsCorrectionsList/CommentsCorrections")
    ]
    record: dict[str, Any] = {
        "id": text_of(citation, "PMID"),
        "pmid": text_of(citation, "PMID"),
        "title": _title(article, "ArticleTitle"),
        "authors": _authors(article),
        "abstract": _abstract(article),
        "venue": text_of(journal, "Title") or text_of(citation, "MedlineJournalInfo/MedlineTA"),
        "date": _pubmed_date(_part(issue, "PubDate")) or _pubmed_date(_part(article, "ArticleDate")),
        "doi": _doi(article, data),
        "keywords": texts_of(citation, "KeywordList/Keyword") or mesh,
        "references": _references(citation, data),
    }
    extra = {
        "type": "preprint" if "Preprint" in types else "article-journal",
        "volume": text_of(issue, "Volume"),
        "number": text_of(issue, "Issue"),
        "pages": text_of(article, "Pagination/MedlinePgn") or text_of(article, "Pagination/StartPage"),
        "issn": text_of(journal, "ISSN"),
        "language": text_of(article, "Language"),
        "journal_abbreviation": text_of(journal, "ISOAbbreviation"),
        "mesh": mesh,
        "publication_types": types,
        "pmcid": _article_id(data, "pmc"),
        "notices": notices_of(
            ((name, find_doi(source), reference_date(source)) for name, source in relations), types, "pubmed"
        ),
        "versions": versions_of(relations, is_preprint="Preprint" in types),
    }
    return record, extra


def _book(book: Element) -> Description:
    inner = _part(book, "Book")
    title = _title(book, "ArticleTitle")
    record: dict[str, Any] = {
        "id": text_of(book, "PMID"),
        "pmid": text_of(book, "PMID"),
        "title": title or _title(inner, "BookTitle"),
        "authors": _authors(book) or _authors(inner),
        "abstract": _abstract(book),
        "venue": text_of(inner, "BookTitle") if title else "",
        "date": _pubmed_date(_part(inner, "PubDate")),
        "keywords": texts_of(book, "KeywordList/Keyword"),
        "doi": _article_id(book, "doi"),
    }
    extra = {
        "type": "chapter" if title else "book",
        "publisher": text_of(inner, "Publisher/PublisherName"),
        "address": text_of(inner, "Publisher/PublisherLocation"),
        "isbn": text_of(inner, "Isbn"),
        "language": text_of(book, "Language"),
        "editor": [person["literal"] for person in _authors(inner, editors=True)],
    }
    return record, extra


def _part(element: Element, name: str) -> Element:
    """What it has of that name; an empty element where it has none."""
    child = element.find(name)
    return Element(name) if child is None else child


def _title(element: Element, path: str) -> str:
    return (text_of(element, path) or text_of(element, "VernacularTitle")).removesuffix(".")


def _abstract(element: Element) -> str:
    parts = []
    for part in element.findall("Abstract/AbstractText"):
        label = part.get("Label", "")
        if text := text_of(part):
            parts.append(f"{label}: {text}" if label and label != "UNLABELLED" else text)
    return "\n\n".join(parts)


def _authors(element: Element, *, editors: bool = False) -> list[dict[str, Any]]:
    authors: list[dict[str, Any]] = []
    for people in element.findall("AuthorList"):
        for author in people.findall("Author") if editors == (people.get("Type") == "editors") else ():
            if group := text_of(author, "CollectiveName"):
                authors.append(organisation(group))
            elif family := text_of(author, "LastName"):
                given_name = text_of(author, "ForeName") or text_of(author, "Initials")
                known = person(given_name, family, text_of(author, "Suffix"))
                orcids = (text_of(name) for name in author.findall("Identifier") if name.get("Source") == "ORCID")
                places = texts_of(author, "AffiliationInfo/Affiliation")
                authors.append({**known, "orcid": next(orcids, ""), "affiliations": places})
    return authors


def _pubmed_date(element: Element) -> str:
    date = iso_date(text_of(element, "Year"), text_of(element, "Month"), text_of(element, "Day"))
    return date or read_date(text_of(element, "MedlineDate"))


def _doi(article: Element, data: Element) -> str:
    for location in article.findall("ELocationID"):
        if location.get("EIdType") == "doi" and location.get("ValidYN", "Y") == "Y":
            return text_of(location)
    return _article_id(data, "doi")


def _article_id(element: Element, kind: str) -> str:
    """An identifier of the article itself, not one of its references'."""
    for article_id in element.findall("ArticleIdList/ArticleId"):
        if article_id.get("IdType") == kind:
            return text_of(article_id)
    return ""


def _references(citation: Element, data: Element) -> list[str]:
    """What is cited: a DOI, else a PMID, else the reference as written."""
    references = []
    for reference in data.iter("Reference"):
        doi, pmid = (_article_id(reference, kind) for kind in ("doi", "pubmed"))
        references.append(doi or (f"PMID:{pmid}" if pmid else "") or text_of(reference, "Citation"))
    if not references:
        for cited in citation.findall("CommentsCorrectionsList/CommentsCorrections"):
            if cited.get("RefType") == "Cites":
                pmid = text_of(cited, "PMID")
                references.append(f"PMID:{pmid}" if pmid else text_of(cited, "RefSource"))
    return [reference for reference in dict.fromkeys(references) if reference]


def read_atom(path: Path) -> Iterator[Item]:
    """The entries as papers, and those that cannot be read; as `protocol.Reader.read`."""
    return read_elements(path, {"entry"}, _atom_paper)


def _atom_paper(entry: Element, where: str) -> Item:
    address = text_of(entry, "id")
    if "/api/errors" in address:
        return BadRecord(where, f"The service reported an error: {text_of(entry, 'summary')}.")
    return with_extra(*describe_atom(entry), where)


def describe_atom(entry: Element) -> Description:
    """Describe an entry of an Atom feed."""
    address = text_of(entry, "id")
    arxiv = normal_arxiv_id(address)
    terms = list(dict.fromkeys(category.get("term", "") for category in entry.findall("category")))
    record: dict[str, Any] = {
        "id": arxiv or address,
        "title": text_of(entry, "title"),
        "authors": [
            {"name": name, "affiliations": [text_of(affiliation) for affiliation in person.findall("affiliation")]}
            for person in entry.findall("author")
            if (name := text_of(person, "name"))
        ],
        "abstract": text_of(entry, "summary") or text_of(entry, "content"),
        "date": (text_of(entry, "published") or text_of(entry, "updated"))[:10],
        "arxiv_id": arxiv,
        "doi": text_of(entry, "doi"),
        "venue": text_of(entry, "journal_ref"),
        "keywords": terms,
        "url": next(
            (link.get("href", "") for link in entry.findall("link") if link.get("rel") == "alternate"), address
        ),
    }
    primary = entry.find("primary_category")
    extra = {
        "type": "preprint" if arxiv else "",
        "primary_category": primary.get("term", "") if primary is not None else "",
        "comment": text_of(entry, "comment"),
        "updated": text_of(entry, "updated")[:10],
    }
    return record, extra | (_arxiv_terms(entry, address) if arxiv else {})


def _arxiv_terms(entry: Element, address: str) -> dict[str, Any]:
    """What arXiv says of versions and copies of a paper, and whether it was withdrawn."""
    version = re.search(r"v(\d{1,3})$", address)
    doi = normal_doi(text_of(entry, "doi"))
    pdf = next((link.get("href", "") for link in entry.findall("link") if link.get("title") == "pdf"), "")
    withdrawn = any(_WITHDRAWN.match(text_of(entry, name)) for name in ("comment", "summary"))
    notice = {"kind": "retraction", "service": "arxiv", "doi": "", "date": text_of(entry, "updated")[:10]}
    links = [] if withdrawn else [(pdf.replace("/pdf/", "/e-print/", 1), "latex"), (pdf, "pdf")]
    return {
        "version": int(version[1]) if version else None,
        "versions": {"published": doi} if doi and not find_arxiv_id(doi) else {},
        "notices": [notice] if withdrawn else [],
        "full_text": [
            {"url": url, "format": form, "licence": "", "version": "submitted"} for url, form in links if "/pdf/" in pdf
        ],
    }


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


def read_endnote(path: Path) -> Iterator[Item]:
    """The records as papers, and those that cannot be read; as `protocol.Reader.read`."""
    return read_elements(path, {"record"}, _endnote_paper)


def _endnote_paper(element: Element, where: str) -> Item:
    kind = element.find("ref-type")
    name = kind.get("name", "") if kind is not None else ""
    pdfs = [*texts_of(element, "urls/pdf-urls/url"), *texts_of(element, "urls/related-urls/url")]
    links = [text_of(link) for link in element.findall("urls//url")]
    record: dict[str, Any] = {
        "id": text_of(element, "rec-number"),
        "title": text_of(element, "titles/title"),
        "authors": comma_names(texts_of(element, "contributors/authors/author")),
        "abstract": "\n\n".join(line for line in _lines(element.find("abstract"))),
        "venue": text_of(element, "periodical/full-title") or text_of(element, "titles/secondary-title"),
        "year": re.sub(r"\D", "", text_of(element, "dates/year"))[:4],
        "date": _endnote_date(element),
        "doi": text_of(element, "electronic-resource-num"),
        "pmid": normal_pmid(text_of(element, "accession-num")),
        "keywords": texts_of(element, "keywords/keyword"),
        "url": next((link for link in links if link.startswith(("http://", "https://"))), ""),
        "files": plain_files(
            pdf for pdf in pdfs if pdf.lower().startswith(("internal-pdf:", "file:")) or "://" not in pdf
        ),
    }
    extra: dict[str, Any] = {ours: text_of(element, path) for path, ours in _EXTRA.items()}
    extra["type"] = kind_of(_KINDS[name], "ris") if name in _KINDS else name.lower()
    extra["pages"] = re.sub(r"(?<!\s)\s*+[–—]\s*+", "-", text_of(element, "pages"))
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


def _endnote_date(element: Element) -> str:
    words = text_of(element, "dates/pub-dates/date")
    return (read_date(words) or read_date(words, text_of(element, "dates/year"))) if words else ""
