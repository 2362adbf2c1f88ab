"""PubMed XML: `PubmedArticleSet`, as E-utilities and the yearly baseline give it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from conspectus.parse.bibliography.names import organisation, person
from conspectus.parse.bibliography.streams import read_elements, text_of, texts_of, with_extra
from conspectus.parse.dates import iso_date, read_date
from conspectus.parse.protocol import Item


def read(path: Path) -> Iterator[Item]:
    """The articles as papers, and those that cannot be read; as `protocol.Reader.read`."""
    return read_elements(path, {"PubmedArticle", "PubmedBookArticle", "MedlineCitation", "BookDocument"}, _paper)


def _paper(element: Element, where: str) -> Item:
    book = element if element.tag == "BookDocument" else element.find("BookDocument")
    citation = element.find("MedlineCitation")
    if book is not None:
        return _book(book, where)
    return _article(element if citation is None else citation, _part(element, "PubmedData"), where)


def _article(citation: Element, data: Element, where: str) -> Item:
    article = _part(citation, "Article")
    journal = _part(article, "Journal")
    issue = _part(journal, "JournalIssue")
    mesh = texts_of(citation, "MeshHeadingList/MeshHeading/DescriptorName")
    record: dict[str, Any] = {
        "id": text_of(citation, "PMID"),
        "pmid": text_of(citation, "PMID"),
        "title": _title(article, "ArticleTitle"),
        "authors": _authors(article),
        "abstract": _abstract(article),
        "venue": text_of(journal, "Title") or text_of(citation, "MedlineJournalInfo/MedlineTA"),
        "date": _date(_part(issue, "PubDate")) or _date(_part(article, "ArticleDate")),
        "doi": _doi(article, data),
        "keywords": texts_of(citation, "KeywordList/Keyword") or mesh,
        "references": _references(citation, data),
    }
    extra = {
        "type": "article-journal",
        "volume": text_of(issue, "Volume"),
        "number": text_of(issue, "Issue"),
        "pages": text_of(article, "Pagination/MedlinePgn") or text_of(article, "Pagination/StartPage"),
        "issn": text_of(journal, "ISSN"),
        "language": text_of(article, "Language"),
        "journal_abbreviation": text_of(journal, "ISOAbbreviation"),
        "mesh": mesh,
        "publication_types": texts_of(article, "PublicationTypeList/PublicationType"),
        "pmcid": _article_id(data, "pmc"),
    }
    return with_extra(record, extra, where)


def _book(book: Element, where: str) -> Item:
    inner = _part(book, "Book")
    title = _title(book, "ArticleTitle")
    record: dict[str, Any] = {
        "id": text_of(book, "PMID"),
        "pmid": text_of(book, "PMID"),
        "title": title or _title(inner, "BookTitle"),
        "authors": _authors(book) or _authors(inner),
        "abstract": _abstract(book),
        "venue": text_of(inner, "BookTitle") if title else "",
        "date": _date(_part(inner, "PubDate")),
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
    return with_extra(record, extra, where)


def _part(element: Element, name: str) -> Element:
    """What it has of that name; an empty element where it has none."""
    found = element.find(name)
    return Element(name) if found is None else found


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
        for found in people.findall("Author") if editors == (people.get("Type") == "editors") else ():
            if group := text_of(found, "CollectiveName"):
                authors.append(organisation(group))
            elif family := text_of(found, "LastName"):
                given = text_of(found, "ForeName") or text_of(found, "Initials")
                known = person(given, family, text_of(found, "Suffix"))
                orcids = (text_of(name) for name in found.findall("Identifier") if name.get("Source") == "ORCID")
                places = texts_of(found, "AffiliationInfo/Affiliation")
                authors.append({**known, "orcid": next(orcids, ""), "affiliations": places})
    return authors


def _date(element: Element) -> str:
    date = iso_date(text_of(element, "Year"), text_of(element, "Month"), text_of(element, "Day"))
    return date or read_date(text_of(element, "MedlineDate"))


def _doi(article: Element, data: Element) -> str:
    for found in article.findall("ELocationID"):
        if found.get("EIdType") == "doi" and found.get("ValidYN", "Y") == "Y":
            return text_of(found)
    return _article_id(data, "doi")


def _article_id(element: Element, kind: str) -> str:
    """An identifier of the article itself, not one of its references'."""
    for found in element.findall("ArticleIdList/ArticleId"):
        if found.get("IdType") == kind:
            return text_of(found)
    return ""


def _references(citation: Element, data: Element) -> list[str]:
    """What is cited: a DOI, else a PMID, else the reference as written."""
    found = []
    for reference in data.iter("Reference"):
        doi, pmid = (_article_id(reference, kind) for kind in ("doi", "pubmed"))
        found.append(doi or (f"PMID:{pmid}" if pmid else "") or text_of(reference, "Citation"))
    if not found:
        for cited in citation.findall("CommentsCorrectionsList/CommentsCorrections"):
            if cited.get("RefType") == "Cites":
                pmid = text_of(cited, "PMID")
                found.append(f"PMID:{pmid}" if pmid else text_of(cited, "RefSource"))
    return [reference for reference in dict.fromkeys(found) if reference]
