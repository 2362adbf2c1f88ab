"""OpenAlex, Crossref and Semantic Scholar, in the shapes of their answers."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from conspectus.records import Author
from conspectus_evaluations.simulator.collection import (
    NOT_FOUND,
    SimulatedAnswer,
    SimulatedRequest,
    WorkCollection,
    json_answer,
)
from conspectus_evaluations.simulator.queries import QueryError, QueryLanguage
from conspectus_evaluations.simulator.search import Match, intersect, split_words, unite
from conspectus_evaluations.simulator.works import SimulatedWork

WORDS = QueryLanguage({})
"""Words, phrases and AND, OR, NOT; no fields."""


def answer_openalex(works: WorkCollection, asked: SimulatedRequest, language: QueryLanguage) -> SimulatedAnswer:
    """`/works` with `filter`, `search`, `sort`, `cursor` and `page`, `/works/ID`, and `/sources` with `search`."""
    parts = unquote(asked.path).strip("/").split("/", 1)
    if parts == ["sources"]:
        wanted = set(split_words(asked.params.get("search", "")))
        venues = [venue for venue in works.venues if wanted <= set(split_words(venue))]
        rows = [_openalex_source(works, venue) for venue in asked.page(venues, 0, 25)]
        return json_answer({"meta": {"count": asked.total(len(venues)), "page": 1, "per_page": 25}, "results": rows})
    if parts[0] != "works":
        return NOT_FOUND
    if parts[1:]:
        work = works.find(_openalex_name(parts[1]))
        return json_answer(_openalex_work(work, works, asked.url)) if work else NOT_FOUND
    try:
        return _list_openalex(works, asked, language)
    except QueryError as error:
        return json_answer({"error": "Invalid query parameters error.", "message": str(error)}, 403)


def _list_openalex(works: WorkCollection, asked: SimulatedRequest, language: QueryLanguage) -> SimulatedAnswer:
    conditions = [
        _openalex_condition(works, language, *part.partition(":")[::2])
        for part in re.split(r",(?=[a-z_.-]+:)", asked.params.get("filter", ""))
        if part
    ]
    search = asked.params.get("search", "")
    searched = [match for match in conditions if match.scores.any()]
    sort = asked.params.get("sort", "")
    names = {"publication_date": "date", "cited_by_count": "cited", "publication_year": "date"}
    order = names.get(sort.partition(":")[0], "relevance")
    if order == "date" and not sort.endswith(":desc"):
        order = "-date"
    if searched and not search and order == "relevance":
        match = intersect(conditions)
        rows = sorted((row for row in range(len(match.mask)) if match.mask[row]), key=lambda row: -match.scores[row])
        found = [works.works[row] for row in rows]
    else:
        found = works.search(language, search, sort=order, also=conditions)
    size, page = asked.number("per-page", asked.number("per_page", 25, 200), 200), asked.number("page", 1, 10**6)
    mark = asked.params.get("cursor", "")
    if not mark and page * size > 10_000:
        raise QueryError("Maximum results size of 10,000 records is exceeded. Cursor pagination is required.")
    start = int(base64.b64decode(mark)) if mark and mark != "*" else 0 if mark else (page - 1) * size
    listed = found[start : start + size]
    following = base64.b64encode(str(start + len(listed)).encode()).decode() if mark and listed else None
    meta: dict[str, Any] = {"count": asked.total(len(found)), "db_response_time_ms": 1, "page": None if mark else page}
    meta |= {"per_page": size, "next_cursor": following} if mark else {"per_page": size}
    rows_out = [_selected(_openalex_work(work, works, asked.url), asked) for work in asked.page(found, start, size)]
    return json_answer({"meta": meta, "results": rows_out, "group_by": []})


def _selected(row: dict[str, Any], asked: SimulatedRequest) -> dict[str, Any]:
    names = [name for name in asked.params.get("select", "").split(",") if name]
    if unknown := [name for name in names if name not in row]:
        raise QueryError(f"{unknown[0]} is not a valid select field.")
    return {name: row[name] for name in names} if names else row


def _openalex_name(text: str) -> str:
    """An id in the form of `SimulatedWork.names`."""
    text = re.sub(r"^https?://(?:(?:dx\.)?doi\.org|openalex\.org|pubmed\.ncbi\.nlm\.nih\.gov)/(?:works/)?", "", text)
    text = re.sub(r"^(?:doi|openalex|pmcid):", "", text.strip("/"), flags=re.I)
    if text.lower().startswith("10.48550/arxiv."):
        return "arxiv:" + text[15:]
    return text if not text.isdigit() else f"pmid:{text}"


def _openalex_condition(works: WorkCollection, language: QueryLanguage, name: str, value: str) -> Match:
    if value.startswith("!"):
        match = _openalex_condition(works, language, name, value[1:])
        return Match(~match.mask, match.scores * 0)
    if name.endswith(".search") and name in _OPENALEX_SEARCHES:
        return _OPENALEX_SEARCHES[name](works, language, value)
    if name not in _OPENALEX_FILTERS:
        raise QueryError(f"{name} is not a valid field. Valid fields are underscore or hyphenated versions of: doi, …")
    return unite([_OPENALEX_FILTERS[name](works, part) for part in value.split("|")])


def _by_ids(works: WorkCollection, value: str) -> Match:
    work = works.find(_openalex_name(value))
    return works.index.where(lambda other: other is work)


def _by_source(works: WorkCollection, value: str) -> Match:
    number, venues = value.rpartition("/")[2].upper().removeprefix("S"), works.venues
    return works.index.where(lambda work: number == str(venues.get(work.data.venue)))


def _years(works: WorkCollection, value: str) -> Match:
    if match := re.fullmatch(r"([<>])(\d{4})", value):
        year = int(match[2])
        return works.index.dated("", str(year - 1)) if match[1] == "<" else works.index.dated(str(year + 1), "")
    low, dash, high = value.partition("-")
    return works.index.dated(low, high if dash else low)


def _citing(works: WorkCollection, value: str) -> Match:
    cited = works.find(_openalex_name(value))
    return works.index.where(lambda work: cited is not None and cited.number in work.cites)


def _cited_by(works: WorkCollection, value: str) -> Match:
    citing = works.find(_openalex_name(value))
    return works.index.where(lambda work: citing is not None and work.number in citing.cites)


def _truth(test: Callable[[SimulatedWork], bool]) -> Callable[[WorkCollection, str], Match]:
    return lambda works, value: works.index.where(lambda work: test(work) == (value == "true"))


_OPENALEX_FILTERS: dict[str, Callable[[WorkCollection, str], Match]] = {
    **dict.fromkeys(
        ("doi", "openalex", "openalex_id", "ids.openalex", "pmid", "ids.pmid", "pmcid", "ids.pmcid"), _by_ids
    ),
    **dict.fromkeys(("publication_year",), _years),
    "from_publication_date": lambda works, value: works.index.dated(value, ""),
    "to_publication_date": lambda works, value: works.index.dated("", value),
    **dict.fromkeys(("author.orcid", "authorships.author.orcid"), lambda works, value: works.index.orcid(value)),
    "cites": _citing,
    "cited_by": _cited_by,
    **dict.fromkeys(("is_oa", "open_access.is_oa", "has_fulltext"), _truth(lambda work: work.is_open)),
    "primary_location.source.id": _by_source,
    "is_retracted": _truth(lambda work: work.retracted),
    "has_abstract": _truth(lambda work: bool(work.data.abstract)),
    "has_doi": _truth(lambda work: bool(work.data.doi)),
}
_OPENALEX_SEARCHES: dict[str, Callable[[WorkCollection, QueryLanguage, str], Match]] = {
    "default.search": lambda works, language, value: language.search(works.index, value),
    "title_and_abstract.search": lambda works, language, value: language.search(works.index, value),
    "abstract.search": lambda works, language, value: works.index.part(value, "abstract", language.every),
    **dict.fromkeys(
        ("title.search", "display_name.search"),
        lambda works, language, value: works.index.part(value, "title", language.every),
    ),
    "raw_author_name.search": lambda works, _, value: works.index.author(value),
    **dict.fromkeys(
        ("primary_location.source.display_name.search", "locations.source.display_name.search"),
        lambda works, _, value: works.index.venue(value),
    ),
}


def _openalex_work(work: SimulatedWork, works: WorkCollection, url: str) -> dict[str, Any]:
    data, doi = work.data, _doi(work)
    link = f"https://doi.org/{doi}" if doi else None
    ids = {"openalex": f"https://openalex.org/{work.openalex}", "doi": link}
    ids |= {"pmid": f"https://pubmed.ncbi.nlm.nih.gov/{data.pmid}" if data.pmid else None}
    ids |= {"pmcid": f"https://www.ncbi.nlm.nih.gov/pmc/articles/{work.pmcid[3:]}" if work.pmcid else None}
    source = _openalex_source(works, data.venue) if data.venue else None
    place = {
        "is_oa": work.is_open,
        "landing_page_url": link,
        "pdf_url": f"{url}/files/{work.number}.pdf" if work.pdf else None,
        "source": source,
        "license": work.licence if work.is_open else None,
        "version": "publishedVersion" if work.is_open else None,
    }
    status = {"is_oa": work.is_open, "oa_status": "gold" if work.is_open else "closed", "oa_url": place["pdf_url"]}
    volume = {name: data.extra.get(name) for name in ("volume", "issue", "first_page", "last_page")}
    return {
        "id": ids["openalex"],
        "doi": link,
        "title": data.title or None,
        "display_name": data.title or None,
        "publication_year": data.year,
        "publication_date": work.date if data.year else None,
        "ids": {name: value for name, value in ids.items() if value},
        "language": "en",
        "primary_location": place,
        "type": "article",
        "open_access": {**status, "any_repository_has_fulltext": work.is_open},
        "authorships": [_authorship(author, number, len(data.authors)) for number, author in enumerate(data.authors)],
        "cited_by_count": works.times_cited(work),
        "biblio": volume,
        "is_retracted": work.retracted,
        "keywords": [{"id": "", "display_name": word, "score": 0.5} for word in data.keywords],
        "mesh": [{"descriptor_ui": "D0", "descriptor_name": term, "is_major_topic": False} for term in work.mesh],
        "locations_count": 1,
        "locations": [place],
        "best_oa_location": place if work.is_open else None,
        "referenced_works_count": len(work.cites),
        "referenced_works": [f"https://openalex.org/{other.openalex}" for other in works.cited_by(work)],
        "abstract_inverted_index": _inverted(data.abstract),
        "updated_date": f"{work.date}T00:00:00",
        "created_date": work.date,
    }


def _authorship(author: Author, number: int, count: int) -> dict[str, Any]:
    position = "first" if number == 0 else "last" if number == count - 1 else "middle"
    orcid = f"https://orcid.org/{author.orcid}" if author.orcid else None
    return {
        "author_position": position,
        "author": {"id": "https://openalex.org/A1", "display_name": author.name, "orcid": orcid},
        "institutions": [{"display_name": name} for name in author.affiliations],
        "raw_author_name": author.name,
        "raw_affiliation_strings": list(author.affiliations),
    }


def _openalex_source(works: WorkCollection, venue: str) -> dict[str, Any]:
    number = works.venues[venue]
    return {"id": f"https://openalex.org/S{number}", "display_name": venue, "issn": None, "type": "journal"}


def _inverted(text: str) -> dict[str, list[int]] | None:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(text.split()):
        places.setdefault(word, []).append(place)
    return places or None


def _doi(work: SimulatedWork) -> str:
    """Its DOI, or the one that DataCite has of its arXiv id."""
    arxiv_id = work.data.arxiv_id
    return work.data.doi or (f"10.48550/arxiv.{arxiv_id}" if arxiv_id else "")


def answer_crossref(works: WorkCollection, asked: SimulatedRequest, language: QueryLanguage) -> SimulatedAnswer:
    """`/works/DOI`, and `/works` with `query…` and `filter`. Works without a DOI are not there."""
    parts = unquote(asked.path).strip("/").split("/", 1)
    if parts[0] != "works":
        return NOT_FOUND
    if parts[1:]:
        is_agency, name = parts[1].endswith("/agency"), parts[1].removesuffix("/agency")
        work = works.find(f"doi:{name}")
        if work is None:
            return NOT_FOUND
        label = {"DOI": name, "agency": {"id": "crossref", "label": "Crossref"}}
        return _crossref("work-agency", label) if is_agency else _crossref("work", _crossref_work(work, works))
    return _list_crossref(works, asked, language)


def _list_crossref(works: WorkCollection, asked: SimulatedRequest, language: QueryLanguage) -> SimulatedAnswer:
    filters = [part.partition(":")[::2] for part in asked.params.get("filter", "").split(",") if part]
    conditions = []
    if dois := [value.lower() for name, value in filters if name == "doi"]:
        conditions.append(works.index.where(lambda work: work.data.doi.lower() in dois))
    for name, value in filters:
        if name in ("from-pub-date", "until-pub-date"):
            conditions.append(works.index.dated(*((value, "") if name.startswith("from") else ("", value))))
        elif name == "from-created-date":
            conditions.append(works.index.created(value, ""))
        elif name == "container-title":
            conditions.append(_in_venue(works, value))
        elif name == "orcid":
            conditions.append(works.index.orcid(value))
        elif name not in ("doi", "type", "has-abstract"):
            return json_answer({"status": "failed", "message-type": "validation-failure", "message": [name]}, 400)
    names = ("query", "query.bibliographic", "query.title", "query.container-title")
    query = " ".join(asked.params[name] for name in names if name in asked.params)
    if author := asked.params.get("query.author"):
        conditions.append(works.index.author(author))
    found = [work for work in works.search(language, query, also=conditions) if work.data.doi]
    size, mark = asked.number("rows", 20, 1000), asked.params.get("cursor", "")
    start = int(base64.b64decode(mark)) if mark and mark != "*" else 0 if mark else asked.number("offset", 0, 10_000)
    items = [_crossref_work(work, works) for work in asked.page(found, start, size)]
    message: dict[str, Any] = {"facets": {}, "total-results": asked.total(len(found)), "items": items}
    if mark:
        message["next-cursor"] = base64.b64encode(str(start + size).encode()).decode()
    message |= {"items-per-page": size, "query": {"start-index": start, "search-terms": query or None}}
    return _crossref("work-list", message)


def _in_venue(works: WorkCollection, name: str) -> Match:
    return works.index.where(lambda work: work.data.venue.lower() == name.lower())


def _crossref(kind: str, message: Any) -> SimulatedAnswer:
    return json_answer({"status": "ok", "message-type": kind, "message-version": "1.0.0", "message": message})


_CROSSREF_NOTICES = {"correction": "correction", "concern": "expression_of_concern", "reinstatement": "reinstatement"}


def _crossref_work(work: SimulatedWork, works: WorkCollection) -> dict[str, Any]:
    data = work.data
    parts = [int(part) for part in (data.date or str(data.year or "")).split("-") if part]
    kinds = [*(["retraction"] if work.retracted else []), *(_CROSSREF_NOTICES[kind] for kind in work.notices)]
    answer: dict[str, Any] = {
        "DOI": data.doi,
        "type": "journal-article",
        "title": [data.title] if data.title else [],
        "author": [_crossref_author(author) for author in data.authors],
        "container-title": [data.venue] if data.venue else [],
        "issued": {"date-parts": [parts or [None]]},
        "is-referenced-by-count": works.times_cited(work),
        "reference": [{"key": str(n), "DOI": other.data.doi} for n, other in enumerate(works.cited_by(work), 1)],
        "references-count": len(data.references),
        "URL": f"https://doi.org/{data.doi}",
        "source": "Crossref",
        "relation": {},
    }
    if data.abstract:
        answer["abstract"] = f"<jats:p>{data.abstract.replace('&', '&amp;').replace('<', '&lt;')}</jats:p>"
    if kinds:
        updated = {"date-parts": [[2024, 1, 1]], "date-time": "2024-01-01T00:00:00Z"}
        answer["updated-by"] = [
            {"DOI": f"{data.doi}.notice{number}", "type": kind, "label": kind.capitalize(), "updated": updated}
            for number, kind in enumerate(kinds, 1)
        ]
    return answer


def _crossref_author(author: Author) -> dict[str, Any]:
    known = {"given": author.given, "family": author.family or author.surname}
    if author.orcid:
        known["ORCID"] = f"https://orcid.org/{author.orcid}"
    places = [{"name": name} for name in author.affiliations]
    return {**{name: value for name, value in known.items() if value}, "sequence": "additional", "affiliation": places}


def answer_semanticscholar(works: WorkCollection, asked: SimulatedRequest, language: QueryLanguage) -> SimulatedAnswer:
    """`/paper/batch`, `/paper/search`, `/paper/search/bulk`, `/paper/ID` with `/references` and `/citations`."""
    parts = unquote(asked.path).strip("/").split("/")
    if parts[:2] == ["paper", "batch"]:
        return _s2_batch(works, asked)
    if parts[:2] == ["paper", "search"]:
        return _search_s2(works, asked, language, is_bulk=parts[2:] == ["bulk"])
    links = {"references": ("citedPaper", works.cited_by), "citations": ("citingPaper", works.citing)}
    name, linked = links.get(parts[-1], ("", None))
    work = works.find(_s2_name("/".join(parts[1 : -1 if linked else None]))) if parts[0] == "paper" else None
    if work is None:
        return json_answer({"error": "Paper not found"}, 404)
    if linked is None:
        return json_answer(_s2_paper(work, works, asked))
    start, size = asked.number("offset", 0, 10_000), asked.number("limit", 100, 1000)
    others = linked(work)
    if dates := asked.params.get("publicationDateOrYear"):
        mask = _s2_dates(works, dates).mask
        others = [other for other in others if mask[other.number - 1]]
    rows = [{name: _s2_paper(other, works, asked)} for other in asked.page(others, start, size)]
    following = {"next": start + size} if start + size < len(others) else {}
    return json_answer({"offset": start, **following, "data": rows})


def _s2_batch(works: WorkCollection, asked: SimulatedRequest) -> SimulatedAnswer:
    try:
        ids = [str(one) for one in json.loads(asked.body)["ids"]]
    except (ValueError, KeyError, TypeError):
        return json_answer({"error": "Bad request: ids are missing"}, 400)
    if not 0 < len(ids) <= 500:
        return json_answer({"error": "Bad request: 1 to 500 ids"}, 400)
    found = [works.find(_s2_name(one)) for one in ids]
    if not any(found):
        return json_answer({"error": "No valid paper ids given"}, 400)
    rows = [work and _s2_paper(work, works, asked) for work in found]
    return json_answer(rows[: len(rows) // 2] if asked.half else rows)


def _search_s2(
    works: WorkCollection, asked: SimulatedRequest, language: QueryLanguage, is_bulk: bool
) -> SimulatedAnswer:
    years = asked.params.get("year", "")
    conditions = [_years(works, years)] if years else []
    if dates := asked.params.get("publicationDateOrYear"):
        conditions.append(_s2_dates(works, dates))
    if venue := asked.params.get("venue"):
        conditions.append(unite([works.index.venue(name) for name in venue.split(",")]))
    sort = "cited" if is_bulk and asked.params.get("sort", "").startswith("citationCount") else "relevance"
    found = works.search(language, asked.params.get("query", ""), sort=sort, also=conditions)
    size = 1000 if is_bulk else asked.number("limit", 100, 100)
    start = int(asked.params.get("token") or 0) if is_bulk else asked.number("offset", 0, 10_000)
    if not is_bulk and start + size > 1000:
        return json_answer({"error": "Requested data for this limit and/or offset is not available"}, 400)
    more = start + size < len(found)
    following: dict[str, Any] = {"token": str(start + size) if more else None} if is_bulk else {"offset": start}
    following |= {"next": start + size} if more and not is_bulk else {}
    rows = [_s2_paper(work, works, asked) for work in asked.page(found, start, size)]
    return json_answer({"total": asked.total(len(found)), **following, "data": rows})


def _s2_dates(works: WorkCollection, dates: str) -> Match:
    """`2005:2010`, `2005-03:` or a year."""
    low, colon, high = dates.partition(":")
    return works.index.dated(low, high if colon else low)


def _s2_name(text: str) -> str:
    scheme, colon, value = text.partition(":")
    if not colon or scheme.lower() == "url":
        return text
    names = {"doi": "doi:", "arxiv": "arxiv:", "pmid": "pmid:", "pmcid": "PMC", "corpusid": "W"}
    start = names.get(scheme.lower())
    if start == "W":
        return f"W{4_000_000_000 + int(value)}" if value.isdigit() else text
    return text if start is None else start + (value.upper().removeprefix("PMC") if start == "PMC" else value)


def _s2_paper(work: SimulatedWork, works: WorkCollection, asked: SimulatedRequest) -> dict[str, Any]:
    """The fields that were asked for, and always `paperId`."""
    data = work.data
    url = f"{asked.url}/files/{work.number}.pdf" if work.pdf else ""
    open_pdf = {"url": url, "status": "GOLD" if work.pdf else "CLOSED", "license": "CCBY" if work.pdf else None}
    row: dict[str, Any] = {
        "paperId": work.s2,
        "corpusId": work.number,
        "externalIds": _s2_ids(work),
        "url": f"https://www.semanticscholar.org/paper/{work.s2}",
        "title": data.title,
        "abstract": data.abstract or None,
        "year": data.year,
        "publicationDate": work.date if data.date else None,
        "venue": data.venue,
        "journal": {"name": data.venue} if data.venue else None,
        "authors": [_s2_author(author) for author in data.authors],
        "citationCount": works.times_cited(work),
        "referenceCount": len(work.cites),
        "isOpenAccess": work.is_open,
        "openAccessPdf": open_pdf,
        "publicationTypes": ["JournalArticle"],
        "references": [
            {"paperId": other.s2, "externalIds": _s2_ids(other), "title": other.data.title}
            for other in works.cited_by(work)
        ],
    }
    names = {name.partition(".")[0] for name in asked.params.get("fields", "title").split(",")}
    return {name: value for name, value in row.items() if name in names or name == "paperId"}


def _s2_ids(work: SimulatedWork) -> dict[str, Any]:
    data = work.data
    ids = {"DOI": _doi(work), "ArXiv": data.arxiv_id, "PubMed": data.pmid, "PubMedCentral": work.pmcid[3:]}
    return {**{name: value for name, value in ids.items() if value}, "CorpusId": work.number}


def _s2_author(author: Author) -> dict[str, Any]:
    ids = {"ORCID": author.orcid} if author.orcid else None
    return {"authorId": None, "name": author.name, "externalIds": ids, "affiliations": list(author.affiliations)}


def answer_datacite(_works: WorkCollection, asked: SimulatedRequest, _: QueryLanguage) -> SimulatedAnswer:
    """DataCite, which knows none of the works."""
    return json_answer({"data": [], "meta": {"total": 0, "totalPages": 0}}) if asked.path == "/dois" else NOT_FOUND
