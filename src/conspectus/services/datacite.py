"""DataCite (https://api.datacite.org), where preprints of arXiv, data sets and software have their DOIs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from conspectus.parse.bibliography.services import describe_datacite
from conspectus.parse.people.authors import orcid_in
from conspectus.services.answers import WorkReader, check_complete, make_refusal, page_of, read_part, read_place
from conspectus.services.protocol import Identifier, RateLimit, Service, WorkPage, WorkQuery
from conspectus.services.query_words import comma_name, lucene_words, lucene_years, quote_phrase

if TYPE_CHECKING:
    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient

_READER = WorkReader(describe_datacite)
_RANKED = 10_000
"""Works that pages by number reach. Its cursor goes on behind them, but sorts by date of creation, not by relevance."""


class DataCite(Service):
    """DataCite's DOIs. `find` brings 10,000 of them at most."""

    name = "datacite"
    title = "DataCite"
    schemes = frozenset({"doi", "arxiv_id"})
    queries = frozenset({"words", "first_year", "last_year", "since", "author", "venue"})
    batch = 50
    page = 100
    limits = RateLimit(requests=500, seconds=300.0, at_once=2)

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:
        """As `Service.find`. `venue` is the name of a journal or of a repository."""
        before, cursor = read_place(client, at)
        number, _, old_size = cursor.partition("x")
        size = int(old_size) if old_size.isdigit() else min(size, self.page)
        parts = [lucene_words(query.words)]
        if query.first_year or query.last_year:
            parts.append(f"publicationYear:{lucene_years(query.first_year, query.last_year)}")
        if query.since:
            parts.append(f"created:[{query.since} TO *]")
        if orcid := orcid_in(query.author):
            names = f'"{orcid}" OR "https://orcid.org/{orcid}"'
            parts.append(f"creators.nameIdentifiers.nameIdentifier:({names})")
        elif query.author:
            parts.append(f"creators.name:({quote_phrase(comma_name(query.author))} OR {quote_phrase(query.author)})")
        if query.venue:
            parts.append(f"(container.title:{quote_phrase(query.venue)} OR publisher.name:{quote_phrase(query.venue)})")
        page = int(number) if number.isdigit() else 1
        works, total = _ask(client, " AND ".join(filter(None, parts)), size, page)
        more = (page + 1) * size <= _RANKED
        return page_of(client, works, size, total, before, f"{page + 1}x{size}" if more else "")

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `Service.look_up`."""
        dois = {identifier: _doi(identifier) for identifier in identifiers}
        names = " OR ".join(quote_phrase(doi) for doi in dict.fromkeys(dois.values()))
        works, total = _ask(client, f"doi:({names})", len(dois), 1)
        check_complete(client, works, total, len(dois))
        by_doi = {work.doi: work for work in works}
        return {identifier: by_doi[doi] for identifier, doi in dois.items() if doi in by_doi}


def _ask(client: ServiceClient, query: str, size: int, number: int) -> tuple[tuple[Metadata, ...], int]:
    """The works of a page, and how many there are in all.

    Raises:
        ServiceError: as `get_json`, or the answer is an error or no answer to this.
    """
    place = {"page[size]": str(size), "page[number]": str(number)}
    params = {"query": query, "sort": "relevance", "affiliation": "true", "publisher": "true", "mailto": client.mailto}
    answer = client.get_json("/dois", params | place)
    if isinstance(answer, Mapping) and answer.get("errors"):
        raise make_refusal(client, answer["errors"])
    works = _READER.works(client, read_part(client, answer, "data", list))
    return works, read_part(client, answer, "meta.total", int)


def _doi(identifier: Identifier) -> str:
    return f"10.48550/arxiv.{identifier.value}" if identifier.scheme == "arxiv_id" else identifier.value
