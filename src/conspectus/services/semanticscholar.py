"""Semantic Scholar's Academic Graph (https://api.semanticscholar.org/graph/v1), with citations and references."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from conspectus.core.errors import ServiceError
from conspectus.parse.bibliography.services import describe_semantic_scholar
from conspectus.services.answers import WorkReader, make_refusal, page_of, read_part, read_place
from conspectus.services.protocol import Identifier, RateLimit, Scheme, Service, WorkPage, WorkQuery
from conspectus.services.query_words import plain_words

if TYPE_CHECKING:
    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient

_FIELDS = (
    "paperId,externalIds,url,title,abstract,venue,year,citationCount,openAccessPdf,fieldsOfStudy,publicationTypes,"
    "publicationDate,journal,authors"
)
_MOST_RANKED = 100
"""Works that a search by relevance brings at once; of a larger page all that fit come, the most cited first."""
_RANKED = 1000
"""Works that a search by relevance brings in all."""
_PREFIXES: dict[Scheme, str] = {"doi": "DOI:", "arxiv_id": "ARXIV:", "pmid": "PMID:", "pmcid": "PMCID:", "s2": ""}
_SIGNS = "+|-*()~^,:"
_NONE = "No valid paper ids given"
_TOO_LARGE = re.compile(r"maximum (?:response )?size|too large", re.I)
_READER = WorkReader(describe_semantic_scholar)


class SemanticScholar(Service):
    """Semantic Scholar's papers.

    `find` brings up to 100 works by relevance, and larger pages by citations. What cites a work, or is cited by one,
    can be narrowed by years only, and only the former.
    """

    name = "semanticscholar"
    title = "Semantic Scholar"
    schemes = frozenset(_PREFIXES)
    queries = frozenset({"words", "first_year", "last_year", "venue", "citing", "cited_by"})
    batch = 500
    page = 1000
    limits = RateLimit(requests=1, seconds=1.0, at_once=1)

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:
        """As `Service.find`; by citations a page may have more works than were asked for."""
        before, cursor = read_place(client, at)
        if query.citing or query.cited_by:
            return _find_linked(client, query, size, before)
        words, venue = " ".join(plain_words(query.words, _SIGNS)), query.venue.replace(",", " ").strip()
        params = {"query": words, "publicationDateOrYear": _years(query), "venue": venue}
        if query.words and (cursor == "ranked" or (not at and size <= _MOST_RANKED)):
            return _find_ranked(client, params, min(size, _MOST_RANKED, _RANKED - before), before)
        params |= {"sort": "citationCount:desc", "token": cursor}
        answer = _ask(client, "/paper/search/bulk", params)
        works = _READER.works(client, read_part(client, answer, "data", list))
        token, total = answer.get("token"), read_part(client, answer, "total", int)
        page_of(client, works, 1, total, before, "")
        return WorkPage(works, total, f"{before + len(works)} {token}" if token and isinstance(token, str) else "")

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `Service.look_up`, with references."""
        try:
            return _look_up(client, identifiers)
        except ServiceError as error:
            if _TOO_LARGE.search(error.message) is None or len(identifiers) < 2:
                raise
            half = len(identifiers) // 2
            return {**self.look_up(client, identifiers[:half]), **self.look_up(client, identifiers[half:])}


def _look_up(client: ServiceClient, identifiers: Sequence[Identifier]) -> dict[Identifier, Metadata]:
    """One request. A paper may be known by another DOI than the one that was asked for."""
    fields = f"{_FIELDS}.name,authors.externalIds,authors.affiliations,references.externalIds,references.title"
    body = {"ids": [paper_id(identifier) for identifier in identifiers]}
    try:
        answer = _ask(client, "/paper/batch", {}, fields=fields, body=body)
    except ServiceError as error:
        if _NONE in error.message:
            return {}
        raise
    if not isinstance(answer, list) or len(answer) != len(identifiers):
        description = f"{len(answer)} papers" if isinstance(answer, list) else "no list of papers"
        raise client.away(f"answered with {description} where {len(identifiers)} were asked for")
    pairs = zip(identifiers, answer, strict=True)
    return {identifier: _READER.work(client, paper) for identifier, paper in pairs if paper is not None}


def _find_ranked(client: ServiceClient, params: Mapping[str, str], size: int, before: int) -> WorkPage:
    """A page by relevance."""
    answer = _ask(client, "/paper/search", {**params, "offset": str(before), "limit": str(size)})
    total = read_part(client, answer, "total", int)
    if total == before == 0:
        return WorkPage((), 0)
    works = _READER.works(client, read_part(client, answer, "data", list))
    more = "next" in answer and before + len(works) < _RANKED
    return page_of(client, works, size if "next" in answer else 0, total, before, "ranked" if more else "")


def _find_linked(client: ServiceClient, query: WorkQuery, size: int, before: int) -> WorkPage:
    """A page of the works that cite one, or of those that it cites."""
    if query.words or query.venue or (query.citing and query.cited_by):
        raise client.failure("cannot search among citations of a work; leave out the words, the venue or one of both")
    if query.cited_by and (query.first_year or query.last_year):
        raise client.failure("cannot choose among the references of a work by year; leave out the years")
    other = query.citing or query.cited_by
    assert other
    kind, field = ("citations", "citingPaper") if query.citing else ("references", "citedPaper")
    params = {"offset": str(before), "limit": str(size), "publicationDateOrYear": _years(query)}
    answer = _ask(client, f"/paper/{quote(paper_id(other), safe=':')}/{kind}", params)
    if answer is None:
        return WorkPage((), 0)
    links = read_part(client, answer, "data", list)
    papers = [read_part(client, link, field, dict) for link in links]
    works = _READER.works(client, [paper for paper in papers if paper.get("title") or paper.get("paperId")])
    following = answer.get("next")
    if following is not None and (following != before + len(links) or len(links) < size):
        raise client.away(f"answered with {len(links)} works where {size} were expected")
    return WorkPage(works, None, f"{following} linked" if following is not None else "")


def _years(query: WorkQuery) -> str:
    """A range of years, both included: `2005:`."""
    return f"{query.first_year or ''}:{query.last_year or ''}" if query.first_year or query.last_year else ""


def paper_id(identifier: Identifier) -> str:
    """An identifier as Semantic Scholar takes it: `DOI:10.1000/x`."""
    return _PREFIXES[identifier.scheme] + identifier.value.removeprefix("PMC" if identifier.scheme == "pmcid" else "")


def _ask(
    client: ServiceClient, path: str, params: Mapping[str, str], *, fields: str = _FIELDS, body: Any = None
) -> Any:
    """The answer; None where there is no such paper.

    Raises:
        ServiceError: as `get_json`; an answer that says why there is none is one too.
    """
    headers = {"x-api-key": client.key.reveal()}
    answer = client.get_json(path, {**params, "fields": fields}, headers=headers, body=body)
    if isinstance(answer, Mapping) and ("error" in answer or "message" in answer):
        raise make_refusal(client, answer.get("error"), answer.get("message"))
    return answer
