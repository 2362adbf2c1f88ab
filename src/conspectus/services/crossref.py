"""Crossref (https://api.crossref.org), where most publishers register their works, with notices of Retraction Watch."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from conspectus.parse.bibliography.fields import text_at
from conspectus.parse.bibliography.services import describe_crossref
from conspectus.parse.people.authors import orcid_in
from conspectus.services.answers import WorkReader, check_complete, page_of, read_part, read_place
from conspectus.services.protocol import Identifier, RateLimit, Service, WorkPage, WorkQuery

if TYPE_CHECKING:
    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient

_LONGEST_QUERY = 1000
_READER = WorkReader(describe_crossref, notices=True)


class Crossref(Service):
    """Crossref's works."""

    name = "crossref"
    title = "Crossref"
    schemes = frozenset({"doi"})
    queries = frozenset({"words", "first_year", "last_year", "since", "author", "venue"})
    batch = 50
    page = 1000
    limits = RateLimit(requests=1, seconds=1.0, at_once=1)

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:
        """As `Service.find`. `venue` is the whole name of a journal, or its ISSN."""
        before, cursor = read_place(client, at)
        filters = {
            "from-pub-date": str(query.first_year or ""),
            "until-pub-date": str(query.last_year or ""),
            "from-created-date": query.since,
            "orcid": orcid_in(query.author),
            "issn" if is_issn(query.venue) else "container-title": query.venue.replace(",", " ").strip(),
        }
        params = {
            "query.bibliographic": query.words[:_LONGEST_QUERY],
            "query.author": "" if orcid_in(query.author) else query.author,
            "filter": ",".join(f"{name}:{value}" for name, value in filters.items() if value),
            "rows": str(size),
            "cursor": cursor or "*",
            "mailto": client.mailto,
        }
        answer = client.get_json("/works", params, place=at)
        works = _READER.works(client, read_part(client, answer, "message.items", list))
        total = read_part(client, answer, "message.total-results", int)
        following = text_at(answer, "message.next-cursor")
        if not following and before + len(works) < total:
            raise client.failure("answered without 'message.next-cursor'")
        return page_of(client, works, size, total, before, following)

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `Service.look_up`. A single DOI may be another one of the work that is found."""
        listed = [identifier for identifier in identifiers if "," not in identifier.value]
        listed = listed if len(listed) > 1 else []
        works = self._look_up_list(client, listed) if listed else {}
        for identifier in identifiers:
            if identifier not in listed and (work := look_up_work(client, identifier.value)):
                works[identifier] = work
        return works

    def _look_up_list(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> dict[Identifier, Metadata]:
        filters = ",".join(f"doi:{identifier.value}" for identifier in identifiers)
        params = {"filter": filters, "rows": str(len(identifiers)), "mailto": client.mailto}
        answer = client.get_json("/works", params)
        works = _READER.works(client, read_part(client, answer, "message.items", list))
        check_complete(client, works, read_part(client, answer, "message.total-results", int), len(identifiers))
        by_doi = {work.doi: work for work in works}
        return {identifier: by_doi[identifier.value] for identifier in identifiers if identifier.value in by_doi}


def look_up_work(client: ServiceClient, doi: str) -> Metadata | None:
    """The work under a DOI, or the one that it was merged with; None where there is none. Errors as `find`."""
    answer = client.get_json(f"/works/{quote(doi, safe='')}", {"mailto": client.mailto})
    return None if answer is None else _READER.work(client, read_part(client, answer, "message", dict))


def search_works(client: ServiceClient, words: str, rows: int) -> tuple[Metadata, ...]:
    """The works that fit a title, or a whole reference, best. Errors as `find`."""
    params = {"query.bibliographic": words[:_LONGEST_QUERY], "rows": str(rows), "mailto": client.mailto}
    answer = client.get_json("/works", params)
    return _READER.works(client, read_part(client, answer, "message.items", list)[:rows])


def look_up_agency(client: ServiceClient, doi: str) -> str:
    """Who registered a DOI (`Crossref`, `DataCite`); "" where nobody did. Errors as `find`."""
    answer = client.get_json(f"/works/{quote(doi, safe='')}/agency", {"mailto": client.mailto})
    if answer is None:
        return ""
    agency = read_part(client, answer, "message.agency", dict)
    name = agency.get("label") or agency.get("id")
    return " ".join(name.split())[:60] if isinstance(name, str) else ""


def is_issn(text: str) -> bool:
    """Whether a text is an ISSN: `0028-0836`."""
    return re.fullmatch(r"[0-9]{4}-[0-9]{3}[0-9Xx]", text.strip()) is not None
