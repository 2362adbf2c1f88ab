"""Papers as the interfaces of OpenAlex, Semantic Scholar and ADS describe them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from conspectus.parse.bibliography.csl import text
from conspectus.parse.bibliography.kinds import kind_of
from conspectus.parse.bibliography.records import with_extra
from conspectus.parse.people.authors import comma_names
from conspectus.parse.protocol import Item
from conspectus.parse.text.identifiers import find_arxiv_id, normal_arxiv_id, normal_doi
from conspectus.parse.text.plain_text import plain_html

_MOST_WORDS = 100_000
_ADS_KINDS = {
    "article": "article-journal",
    "inproceedings": "paper-conference",
    "eprint": "preprint",
    "phdthesis": "thesis",
}


def is_openalex(value: Mapping[str, Any]) -> bool:
    """Whether an object is a work of OpenAlex."""
    return "authorships" in value or "abstract_inverted_index" in value or "openalex.org/W" in text(value.get("id"))


def is_semantic_scholar(value: Mapping[str, Any]) -> bool:
    """Whether an object is a paper of Semantic Scholar."""
    return "paperId" in value or "externalIds" in value


def is_ads(value: Mapping[str, Any]) -> bool:
    """Whether an object is a document of ADS."""
    lists = isinstance(value.get("title"), list) or isinstance(value.get("doi"), list)
    return "DOI" not in value and ("bibstem" in value or "pubdate" in value or lists)


def openalex(work: Mapping[str, Any], where: str) -> Item:
    """The paper of a work of OpenAlex; or why it is none."""
    addresses = [text_at(work, "primary_location.landing_page_url"), text(work.get("doi"))]
    addresses += [text_at(found, "landing_page_url") for found in list_of(work.get("locations"))]
    record: dict[str, Any] = {
        "id": text(work.get("id")).rpartition("/")[2],
        "title": plain_html(text(work.get("title")) or text(work.get("display_name"))),
        "authors": [
            _openalex_author(entry) for entry in list_of(work.get("authorships")) if isinstance(entry, Mapping)
        ],
        "abstract": plain_html(abstract_of(work.get("abstract_inverted_index"))),
        "year": work.get("publication_year"),
        "date": text(work.get("publication_date")),
        "doi": text(work.get("doi")) or text_at(work, "ids.doi"),
        "pmid": text_at(work, "ids.pmid"),
        "arxiv_id": next((found for address in addresses if (found := find_arxiv_id(address))), ""),
        "venue": text_at(work, "primary_location.source.display_name"),
        "keywords": [text_at(entry, "display_name") for entry in list_of(work.get("keywords"))],
        "citation_count": work.get("cited_by_count"),
        "references": [
            entry.rpartition("/")[2] for entry in list_of(work.get("referenced_works")) if isinstance(entry, str)
        ],
        "url": addresses[0] or text(work.get("id")),
    }
    first, last = text_at(work, "biblio.first_page"), text_at(work, "biblio.last_page")
    kind = text(work.get("type"))
    extra = {
        "type": kind_of(text(work.get("type_crossref")) or ("article-journal" if kind == "article" else kind), "csl"),
        "volume": text_at(work, "biblio.volume"),
        "number": text_at(work, "biblio.issue"),
        "pages": f"{first}-{last}" if first and last and first != last else first,
        "publisher": text_at(work, "primary_location.source.host_organization_name"),
        "language": text(work.get("language")),
        "retracted": work.get("is_retracted") or None,
        "open_access_url": text_at(work, "open_access.oa_url"),
        "topic": text_at(work, "primary_topic.display_name"),
    }
    return with_extra(record, extra, where)


def abstract_of(index: Any) -> str:
    """The text of OpenAlex's inverted index: word -> the places it stands at."""
    if not isinstance(index, Mapping):
        return ""
    placed = [
        (place, word)
        for word, places in index.items()
        for place in list_of(places)
        if isinstance(place, int) and isinstance(word, str)
    ]
    return " ".join(word for _, word in sorted(placed)[:_MOST_WORDS])


def semantic_scholar(paper: Mapping[str, Any], where: str) -> Item:
    """The paper of an object of Semantic Scholar; or why it is none."""
    kinds = [text(kind) for kind in list_of(paper.get("publicationTypes"))]
    record: dict[str, Any] = {
        "id": text(paper.get("paperId")),
        "title": text(paper.get("title")),
        "authors": [
            {
                "name": text_at(person, "name"),
                "orcid": text_at(person, "externalIds.ORCID"),
                "affiliations": person.get("affiliations"),
            }
            for person in list_of(paper.get("authors"))
            if isinstance(person, Mapping)
        ],
        "abstract": text(paper.get("abstract")),
        "year": paper.get("year"),
        "date": text(paper.get("publicationDate")),
        "doi": text_at(paper, "externalIds.DOI"),
        "arxiv_id": text_at(paper, "externalIds.ArXiv"),
        "pmid": text_at(paper, "externalIds.PubMed"),
        "venue": text_at(paper, "journal.name") or text(paper.get("venue")),
        "keywords": [text(field) for field in list_of(paper.get("fieldsOfStudy"))],
        "citation_count": paper.get("citationCount"),
        "references": [
            normal_doi(text_at(entry, "externalIds.DOI")) or text_at(entry, "title")
            for entry in list_of(paper.get("references"))
        ],
        "url": text(paper.get("url")),
    }
    extra = {
        "type": kind_of(kinds[0], "csl") if kinds else "",
        "volume": text_at(paper, "journal.volume").strip(),
        "pages": re.sub(r"\s+", "", text_at(paper, "journal.pages")),
        "publication_types": kinds,
        "tldr": text_at(paper, "tldr.text"),
        "open_access_url": text_at(paper, "openAccessPdf.url"),
    }
    return with_extra(record, extra, where)


def ads(document: Mapping[str, Any], where: str) -> Item:
    """The paper of a document of ADS; or why it is none."""
    names = [text(word) for word in list_of(document.get("identifier"))]
    classes = [text(word) for word in list_of(document.get("arxiv_class"))]
    year, month, day = (*text(document.get("pubdate")).split("-"), "", "", "")[:3]
    date = "-".join(part for part in (year, month, day) if part.strip("0"))
    affiliations = [text(words) for words in list_of(document.get("aff"))]
    orcids = list_of(document.get("orcid_pub"))
    abstract = plain_html(text(document.get("abstract")))
    authors = []
    people = comma_names(text(name).replace(";", ",") for name in list_of(document.get("author")))
    for number, person in enumerate(people):
        where_from = affiliations[number] if number < len(affiliations) else ""
        person["affiliations"] = [part.strip() for part in where_from.split(";") if part.strip(" -")]
        person["orcid"] = text(orcids[number]) if number < len(orcids) else ""
        authors.append(person)
    record: dict[str, Any] = {
        "id": text(document.get("bibcode")),
        "bibcode": text(document.get("bibcode")),
        "title": plain_html(text(document.get("title"))),
        "authors": authors,
        "abstract": "" if abstract.startswith("Not Available") else abstract,
        "year": text(document.get("year")),
        "date": date,
        "doi": next((doi for word in list_of(document.get("doi")) if (doi := normal_doi(text(word)))), ""),
        "arxiv_id": next(
            (found for word in names if word[:6].lower() == "arxiv:" and (found := normal_arxiv_id(word))), ""
        ),
        "venue": text(document.get("pub")),
        "keywords": [text(word) for word in list_of(document.get("keyword"))],
        "citation_count": document.get("citation_count", document.get("num_citations")),
        "references": [text(word) for word in list_of(document.get("reference"))],
    }
    kind = text(document.get("doctype"))
    extra = {
        "type": _ADS_KINDS.get(kind, kind),
        "volume": text(document.get("volume")),
        "number": text(document.get("issue")),
        "pages": text(document.get("page_range")) or text(document.get("page")),
        "publisher": text(document.get("publisher")),
        "issn": text(document.get("issn")),
        "isbn": text(document.get("isbn")),
        "arxiv_class": classes,
        "editor": [person["literal"] for person in comma_names(map(text, list_of(document.get("editor"))))],
    }
    return with_extra(record, extra, where)


def _openalex_author(entry: Mapping[str, Any]) -> dict[str, Any]:
    places = entry.get("raw_affiliation_strings") or [
        text_at(place, "display_name") for place in list_of(entry.get("institutions"))
    ]
    name = text_at(entry, "raw_author_name") or text_at(entry, "author.display_name")
    return {"name": name, "orcid": text_at(entry, "author.orcid"), "affiliations": places}


def text_at(value: Any, path: str) -> str:
    """The text that stands at `path` (`journal.name`) within objects, as `csl.text`."""
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return text(value)


def list_of(value: Any) -> list[Any]:
    """A list as it is; an empty one for anything else."""
    return value if isinstance(value, list) else []
