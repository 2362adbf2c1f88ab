"""NASA's Astrophysics Data System (https://api.adsabs.harvard.edu/v1), or SciX, which answers in the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from conspectus.core.errors import ServiceError
from conspectus.parse.bibliography.fields import list_at
from conspectus.parse.bibliography.services import describe_ads
from conspectus.parse.people.authors import orcid_in
from conspectus.parse.text.identifiers import normal_arxiv_id, normal_doi
from conspectus.services.answers import WorkReader, check_complete, make_refusal, page_of, read_part, read_place
from conspectus.services.protocol import Identifier, RateLimit, Service, WorkPage, WorkQuery
from conspectus.services.query_words import comma_name, lucene_words, lucene_years, quote_phrase

if TYPE_CHECKING:
    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient

_FIELDS = (
    "bibcode,title,author,aff,orcid_pub,abstract,year,pubdate,pub,doi,identifier,keyword,citation_count,reference,"
    "doctype,volume,issue,page,page_range,publisher,issn,isbn,arxiv_class,editor"
)
_NAMED = 50
"""Identifiers in one query."""
_LISTS = RateLimit(requests=100, seconds=86_400.0, at_once=1)
"""What ADS permits for lists of bibcodes, besides."""
_SPARE = 4
"""Documents that one identifier may bring: a preprint and an article are two where ADS has not yet merged them."""
_READER = WorkReader(describe_ads)


class Ads(Service):
    """ADS's documents."""

    name = "ads"
    title = "NASA ADS"
    schemes = frozenset({"bibcode", "doi", "arxiv_id"})
    queries = frozenset({"words", "first_year", "last_year", "since", "author", "venue", "citing", "cited_by"})
    batch = 500
    page = 200
    limits = RateLimit(requests=5, seconds=1.0, at_once=2)
    needs_key = True

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:
        """As `Service.find`. Words are searched in title, abstract and text; `venue` may be a bibstem (`ApJ`)."""
        before, _ = read_place(client, at)
        parts = [f"full:({lucene_words(query.words)})" if query.words else ""]
        if query.first_year or query.last_year:
            parts.append(f"year:{lucene_years(query.first_year, query.last_year)}")
        if query.since:
            days = (datetime.now(UTC).date() - date.fromisoformat(query.since)).days + 1
            parts.append(f"entdate:[NOW-{days}DAYS TO *]")
        if orcid := orcid_in(query.author):
            parts.append(f"orcid:{orcid}")
        elif query.author:
            parts.append(f"author:{quote_phrase(comma_name(query.author))}")
        if query.venue:
            parts.append(f"(pub:{quote_phrase(query.venue)} OR bibstem:{quote_phrase(query.venue)})")
        if query.citing:
            parts.append(f"citations(identifier:{quote_phrase(query.citing.value)})")
        if query.cited_by:
            parts.append(f"references(identifier:{quote_phrase(query.cited_by.value)})")
        documents, total = _documents(client, " AND ".join(filter(None, parts)), size, before)
        return page_of(client, _READER.works(client, documents), size, total, before, "start")

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `Service.look_up`. Many bibcodes take one request; what that does not know is asked by any identifier."""
        works: dict[Identifier, Metadata] = {}
        bibcodes = [identifier for identifier in identifiers if identifier.scheme == "bibcode"]
        if len(bibcodes) > _NAMED:
            with suppress(ServiceError):  # as after a hundred lists a day
                works = _match_works(client, bibcodes, _listed(client, bibcodes))
        rest = [identifier for identifier in identifiers if identifier not in works]
        for batch in (rest[start : start + _NAMED] for start in range(0, len(rest), _NAMED)):
            names = " OR ".join(quote_phrase(identifier.value) for identifier in batch)
            documents, total = _documents(client, f"identifier:({names})", _SPARE * len(batch), 0)
            check_complete(client, documents, total, _SPARE * len(batch))
            works |= _match_works(client, batch, documents)
        return works


def _listed(client: ServiceClient, bibcodes: Sequence[Identifier]) -> list[Mapping[str, Any]]:
    """The documents of a list of bibcodes (`bigquery`), which is a body of its own type with a line for each."""
    body = "\n".join(["bibcode", *("".join(identifier.value.split()) for identifier in bibcodes)])
    documents, total = _documents(client, "*:*", len(bibcodes), 0, body)
    check_complete(client, documents, total, len(bibcodes))
    return documents


def _match_works(
    client: ServiceClient, identifiers: Sequence[Identifier], documents: Sequence[Mapping[str, Any]]
) -> dict[Identifier, Metadata]:
    """The works of identifiers, among documents."""
    known: dict[tuple[str, str], Metadata] = {}
    for document in documents:
        work = _READER.work(client, document)
        listed = [document.get("bibcode"), *list_at(document, "identifier"), *list_at(document, "doi")]
        for name in [name for name in listed if isinstance(name, str)]:
            known.setdefault(("bibcode", name), work)
            known.setdefault(("doi", normal_doi(name)), work)
            known.setdefault(("arxiv_id", normal_arxiv_id(name)), work)
    matched = {each: known.get((each.scheme, each.value)) for each in identifiers}
    return {identifier: work for identifier, work in matched.items() if work}


def _documents(
    client: ServiceClient, query: str, rows: int, start: int, body: str | None = None
) -> tuple[list[Mapping[str, Any]], int]:
    """Documents, and how many there are in all; `body`: of those in a list.

    Raises:
        ServiceError: as `get_json`, or the answer is an error or no answer to this.
    """
    params = {"q": query, "fl": _FIELDS, "rows": str(rows), "start": str(start), "sort": "score desc"}
    headers = {"Authorization": f"Bearer {client.key.reveal()}"}
    if body is None:
        answer = client.get_json("/search/query", params, headers=headers)
    else:
        headers["Content-Type"] = "big-query/csv"
        answer = client.get_json("/search/bigquery", params, headers=headers, body=body, limits=_LISTS)
    if isinstance(answer, Mapping) and (error := answer.get("error")):
        raise make_refusal(client, error.get("msg") if isinstance(error, Mapping) else error)
    if read_part(client, answer, "responseHeader.status", int) != 0:
        raise client.failure("reported that the search failed")
    if read_part(client, answer, "response.start", int) != start:
        raise client.away("answered with another page than the one that was asked for")
    documents = read_part(client, answer, "response.docs", list)
    if not all(isinstance(document, Mapping) for document in documents):
        raise client.failure("answered with something that is not a record of a work")
    return documents, read_part(client, answer, "response.numFound", int)
