"""Papers as the interfaces of Crossref, OpenAlex, Semantic Scholar, ADS, DataCite and Unpaywall describe them.

Each is read as the fields of a record (see `fields`) and its `extra` (see `services.protocol`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from conspectus.parse.bibliography.csl import describe_csl
from conspectus.parse.bibliography.fields import Description, kind_of, list_at, objects_at, objects_in, text, text_at
from conspectus.parse.bibliography.open_copies import (
    copies_of,
    crossref_terms,
    datacite_versions,
    licence_id,
    preprint_of,
    published_licence,
)
from conspectus.parse.people.authors import comma_names, organisation, person
from conspectus.parse.text.dates import iso_text
from conspectus.parse.text.identifiers import find_arxiv_id, normal_arxiv_id, normal_doi, normal_pmcid
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


def is_datacite(value: Mapping[str, Any]) -> bool:
    """Whether an object is a DOI of DataCite."""
    attributes = value.get("attributes")
    return isinstance(attributes, Mapping) and "titles" in attributes


def is_unpaywall(value: Mapping[str, Any]) -> bool:
    """Whether an object is a DOI of Unpaywall."""
    return "doi_url" in value and "oa_locations" in value


def is_crossref(value: Mapping[str, Any]) -> bool:
    """Whether an object is a work of Crossref, rather than another CSL item."""
    return "DOI" in value and ("is-referenced-by-count" in value or "content-domain" in value)


def describe_crossref(work: Mapping[str, Any]) -> Description:
    """Describe a work of Crossref, with its licence, its notices and its other versions."""
    record, extra = describe_csl(work)
    return record, extra | crossref_terms(work)


def describe_openalex(work: Mapping[str, Any]) -> Description:
    """Describe a work of OpenAlex."""
    places = objects_at(work, "locations") or objects_in([work.get("primary_location")])
    addresses = [text_at(work, "primary_location.landing_page_url"), text(work.get("doi"))]
    addresses += [text_at(place, "landing_page_url") for place in list_at(work, "locations")]
    record: dict[str, Any] = {
        "id": text(work.get("id")).rpartition("/")[2],
        "title": plain_html(text(work.get("title")) or text(work.get("display_name"))),
        "authors": [_openalex_author(entry) for entry in objects_at(work, "authorships")],
        "abstract": plain_html(abstract_of(work.get("abstract_inverted_index"))),
        "year": work.get("publication_year"),
        "date": text(work.get("publication_date")),
        "doi": text(work.get("doi")) or text_at(work, "ids.doi"),
        "pmid": text_at(work, "ids.pmid"),
        "arxiv_id": next((arxiv_id for address in addresses if (arxiv_id := find_arxiv_id(address))), ""),
        "venue": text_at(work, "primary_location.source.display_name"),
        "keywords": [text_at(entry, "display_name") for entry in list_at(work, "keywords")],
        "citation_count": work.get("cited_by_count"),
        "references": [
            entry.rpartition("/")[2] for entry in list_at(work, "referenced_works") if isinstance(entry, str)
        ],
        "url": addresses[0] or text(work.get("id")),
    }
    kind = text(work.get("type"))
    pages = [text_at(place, "landing_page_url") for place in places]
    pmc = next((page for page in (text_at(work, "ids.pmcid"), *pages) if "/pmc/articles/" in page), "")
    extra = {
        "pmcid": normal_pmcid(pmc.rstrip("/").rpartition("/")[2]),
        "openalex": record["id"],
        "licence": published_licence(places),
        "full_text": copies_of(_open(work.get("best_oa_location"), *places), "pdf_url", "landing_page_url"),
        "notices": [{"kind": "retraction", "service": "openalex"}] if work.get("is_retracted") is True else [],
        "versions": {"preprint": other} if (other := preprint_of(places, record["doi"])) else {},
        "type": kind_of(text(work.get("type_crossref")) or ("article-journal" if kind == "article" else kind), "csl"),
        "volume": text_at(work, "biblio.volume"),
        "number": text_at(work, "biblio.issue"),
        "pages": _page_range(text_at(work, "biblio.first_page"), text_at(work, "biblio.last_page")),
        "publisher": text_at(work, "primary_location.source.host_organization_name"),
        "language": text(work.get("language")),
        "retracted": work.get("is_retracted") or None,
        "open_access_url": text_at(work, "open_access.oa_url"),
        "topic": text_at(work, "primary_topic.display_name"),
    }
    return record, extra


def _open(*places: Any) -> list[Mapping[str, Any]]:
    return [place for place in objects_in(places) if place.get("is_oa") is True]


def abstract_of(index: Any) -> str:
    """The text of OpenAlex's inverted index: word -> the places it stands at."""
    if not isinstance(index, Mapping):
        return ""
    placed = [
        (place, word)
        for word, places in index.items()
        for place in (places if isinstance(places, list) else ())
        if isinstance(place, int) and isinstance(word, str)
    ]
    return " ".join(word for _, word in sorted(placed)[:_MOST_WORDS])


def describe_semantic_scholar(paper: Mapping[str, Any]) -> Description:
    """Describe a paper of Semantic Scholar."""
    kinds = [text(kind) for kind in list_at(paper, "publicationTypes")]
    record: dict[str, Any] = {
        "id": text(paper.get("paperId")),
        "title": text(paper.get("title")),
        "authors": [
            {
                "name": text_at(person, "name"),
                "orcid": text_at(person, "externalIds.ORCID"),
                "affiliations": person.get("affiliations"),
            }
            for person in objects_at(paper, "authors")
        ],
        "abstract": text(paper.get("abstract")),
        "year": paper.get("year"),
        "date": text(paper.get("publicationDate")),
        "doi": text_at(paper, "externalIds.DOI"),
        "arxiv_id": text_at(paper, "externalIds.ArXiv"),
        "pmid": text_at(paper, "externalIds.PubMed"),
        "venue": text_at(paper, "journal.name") or text(paper.get("venue")),
        "keywords": [text(field) for field in list_at(paper, "fieldsOfStudy")],
        "citation_count": paper.get("citationCount"),
        "references": [
            normal_doi(text_at(entry, "externalIds.DOI")) or text_at(entry, "title")
            for entry in list_at(paper, "references")
        ],
        "url": text(paper.get("url")),
    }
    copy = paper.get("openAccessPdf")
    extra = {
        "pmcid": normal_pmcid(text_at(paper, "externalIds.PubMedCentral")),
        "s2": record["id"],
        "full_text": _semantic_scholar_copy(copy) if isinstance(copy, Mapping) else [],
        "type": kind_of(kinds[0], "csl") if kinds else "",
        "volume": text_at(paper, "journal.volume").strip(),
        "pages": re.sub(r"\s+", "", text_at(paper, "journal.pages")),
        "publication_types": kinds,
        "tldr": text_at(paper, "tldr.text"),
        "open_access_url": text_at(paper, "openAccessPdf.url"),
    }
    return record, extra


def _semantic_scholar_copy(copy: Mapping[str, Any]) -> list[dict[str, str]]:
    """The open copy, if there is one. An address at doi.org leads to the journal's page."""
    url = text(copy.get("url"))
    where = "landing_page" if re.match(r"https?://(?:dx\.)?doi\.org/", url) else "pdf"
    return copies_of([{where: url, "license": copy.get("license")}], "pdf", "landing_page")


def describe_ads(document: Mapping[str, Any]) -> Description:
    """Describe a document of ADS."""
    names = [text(word) for word in list_at(document, "identifier")]
    classes = [text(word) for word in list_at(document, "arxiv_class")]
    year, month, day = (*text(document.get("pubdate")).split("-"), "", "", "")[:3]
    date = "-".join(part for part in (year, month, day) if part.strip("0"))
    affiliations = [text(words) for words in list_at(document, "aff")]
    orcids = list_at(document, "orcid_pub")
    abstract = plain_html(text(document.get("abstract")))
    authors = []
    people = comma_names(text(name).replace(";", ",") for name in list_at(document, "author"))
    for number, name in enumerate(people):
        where_from = affiliations[number] if number < len(affiliations) else ""
        name["affiliations"] = [part.strip() for part in where_from.split(";") if part.strip(" -")]
        name["orcid"] = text(orcids[number]) if number < len(orcids) else ""
        authors.append(name)
    record: dict[str, Any] = {
        "id": text(document.get("bibcode")),
        "bibcode": text(document.get("bibcode")),
        "title": plain_html(text(document.get("title"))),
        "authors": authors,
        "abstract": "" if abstract.startswith("Not Available") else abstract,
        "year": text(document.get("year")),
        "date": date,
        "doi": next((doi for word in list_at(document, "doi") if (doi := normal_doi(text(word)))), ""),
        "arxiv_id": next(
            (arxiv_id for word in names if word[:6].lower() == "arxiv:" and (arxiv_id := normal_arxiv_id(word))), ""
        ),
        "venue": text(document.get("pub")),
        "keywords": [text(word) for word in list_at(document, "keyword")],
        "citation_count": document.get("citation_count", document.get("num_citations")),
        "references": [text(word) for word in list_at(document, "reference")],
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
        "editor": [name["literal"] for name in comma_names(map(text, list_at(document, "editor")))],
    }
    return record, extra


def describe_unpaywall(work: Mapping[str, Any]) -> Description:
    """Describe a DOI of Unpaywall, with all open copies, the best one first."""
    places = objects_at(work, "oa_locations")
    best = objects_in([work.get("best_oa_location")])
    record: dict[str, Any] = {
        "title": plain_html(text(work.get("title"))),
        "authors": [
            _openalex_author(entry)
            if "raw_author_name" in entry
            else person(text(entry.get("given")), text(entry.get("family"))) | {"orcid": text(entry.get("ORCID"))}
            for entry in objects_at(work, "z_authors")
        ],
        "year": work.get("year"),
        "date": text(work.get("published_date")),
        "doi": text(work.get("doi")),
        "venue": text(work.get("journal_name")),
    }
    extra = {
        "type": kind_of(text(work.get("genre")), "csl"),
        "publisher": text(work.get("publisher")),
        "issn": text(work.get("journal_issn_l")),
        "licence": published_licence(places),
        "full_text": copies_of([*best, *places], "url_for_pdf", "url_for_landing_page"),
    }
    return record, extra


def describe_datacite(work: Mapping[str, Any]) -> Description:
    """Describe a DOI of DataCite."""
    attributes = work.get("attributes")
    attributes = attributes if isinstance(attributes, Mapping) else {}
    titles = objects_at(attributes, "titles")
    title = next((text(entry.get("title")) for entry in titles if not entry.get("titleType")), "")
    subtitle = next((text(entry.get("title")) for entry in titles if entry.get("titleType") == "Subtitle"), "")
    year = text(attributes.get("publicationYear"))
    issued = _typed(attributes, "dates", "dateType", "Issued", "date")
    date = iso_text(issued) if issued[:4] == year else ""
    doi = text(attributes.get("doi")) or text(work.get("id"))
    kind = text_at(attributes, "types.resourceTypeGeneral")
    is_preprint = kind == "Preprint" or normal_doi(doi).startswith("10.48550/arxiv.")
    related = objects_at(attributes, "relatedIdentifiers")
    record: dict[str, Any] = {
        "title": plain_html(f"{title}: {subtitle}" if title and subtitle else title or subtitle),
        "authors": [_datacite_author(entry) for entry in objects_at(attributes, "creators")],
        "abstract": plain_html(_typed(attributes, "descriptions", "descriptionType", "Abstract", "description")),
        "year": year,
        "date": date,
        "doi": doi,
        "arxiv_id": find_arxiv_id(f"doi:{doi}"),
        "venue": text_at(attributes, "container.title"),
        "keywords": [text_at(entry, "subject") for entry in list_at(attributes, "subjects")],
        "citation_count": attributes.get("citationCount"),
        "references": [
            known
            for entry in related
            if text_at(entry, "relationType") in ("References", "Cites")
            and (known := normal_doi(text_at(entry, "relatedIdentifier")))
        ],
        "url": text(attributes.get("url")),
    }
    rights = objects_at(attributes, "rightsList")
    licences = [licence_id(text(entry.get("rightsUri")) or text(entry.get("rightsIdentifier"))) for entry in rights]
    extra = {
        "type": "preprint" if is_preprint else kind_of(text_at(attributes, "types.citeproc") or kind.lower(), "csl"),
        "volume": text_at(attributes, "container.volume"),
        "number": text_at(attributes, "container.issue"),
        "pages": _page_range(text_at(attributes, "container.firstPage"), text_at(attributes, "container.lastPage")),
        "publisher": text_at(attributes, "publisher.name") or text(attributes.get("publisher")),
        "language": text(attributes.get("language")),
        "licence": next((name for name in licences if name.startswith("cc")), licences[0] if licences else ""),
        "versions": datacite_versions(related, is_preprint),
    }
    return record, extra


def _datacite_author(entry: Mapping[str, Any]) -> dict[str, Any]:
    given_name, family = text(entry.get("givenName")), text(entry.get("familyName"))
    name = text(entry.get("name"))
    if given_name and family:
        author = person(given_name, family)
    else:
        author = (
            organisation(name) if entry.get("nameType") == "Organizational" else comma_names([name])[0] if name else {}
        )
    places = [text(place) or text_at(place, "name") for place in list_at(entry, "affiliation")]
    return author | {
        "orcid": _typed(entry, "nameIdentifiers", "nameIdentifierScheme", "ORCID", "nameIdentifier"),
        "affiliations": [place for place in places if place],
    }


def _page_range(first: str, last: str) -> str:
    return f"{first}-{last}" if first and last and first != last else first


def _typed(value: Mapping[str, Any], name: str, by: str, kind: str, field: str) -> str:
    """`field` of the first object of this kind in a list."""
    return next((text_at(entry, field) for entry in list_at(value, name) if text_at(entry, by) == kind), "")


def _openalex_author(entry: Mapping[str, Any]) -> dict[str, Any]:
    places = entry.get("raw_affiliation_strings") or [
        text_at(place, "display_name") for place in list_at(entry, "institutions")
    ]
    name = text_at(entry, "raw_author_name") or text_at(entry, "author.display_name")
    return {"name": name, "orcid": text_at(entry, "author.orcid"), "affiliations": places}
