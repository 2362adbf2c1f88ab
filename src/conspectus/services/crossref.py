"""Crossref (https://api.crossref.org), where most publishers register their works, with notices of Retraction Watch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from conspectus.parse.bibliography.services import crossref
from conspectus.parse.people.authors import orcid_in
from conspectus.services.answers import WorkReader, check_complete, page_of, read_part, read_place
from conspectus.services.protocol import FoundPage, Identifier, RateLimit, Scheme, WorkQuery

if TYPE_CHECKING:
    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient

_LONGEST_QUERY = 1000
_READER = WorkReader("crossref", crossref, notices=True)


class Crossref:
    """Crossref's works."""

    name = "crossref"
    title = "Crossref"
    schemes: frozenset[Scheme] = frozenset({"doi"})
    queries = frozenset({"words", "first_year", "last_year", "author", "venue"})
    batch = 50
    page = 1000
    limits = RateLimit(requests=1, seconds=1.0, at_once=1)
    keyed_limits = limits
    needs_key = False

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> FoundPage:
        """As `protocol.Service`. `venue` is the whole name of a journal, or its ISSN."""
        before, cursor = read_place(client, at)
        filters = {
            "from-pub-date": str(query.first_year or ""),
            "until-pub-date": str(query.last_year or ""),
            "orcid": orcid_in(query.author),
            "issn" if is_issn(query.venue) else "container-title": query.venue.replace(",", " ").strip(),
        }
        params = {
            "query.bibliographic": query.words[:_LONGEST_QUERY],
            "query.author": "" if orcid_in(query.author) else query.author,
            "filter": ",".join(f"{name}:{value}" for name, value in filters.items() if value),
            "rows": str(size),
            "cursor": cursor or "*",
        }
        answer = client.get_json("/works", add_mail(client, params))
        works = _READER.works(client, read_part(client, answer, "message.items", list))
        total = read_part(client, answer, "message.total-results", int)
        following = read_part(client, answer, "message.next-cursor", str) if before + len(works) < total else ""
        return page_of(client, works, size, total, before, following)

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `protocol.Service`. A single DOI may be another one of the work that is found."""
        listed = [identifier for identifier in identifiers if "," not in identifier.value]
        listed = listed if len(listed) > 1 else []
        found = self._look_up_list(client, listed) if listed else {}
        for identifier in identifiers:
            if identifier not in listed and (work := look_up_work(client, identifier.value)):
                found[identifier] = work
        return found

    def price(self, query: WorkQuery | None) -> float:  # noqa: ARG002 - it costs nothing
        """Nothing."""
        return 0.0

    def _look_up_list(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> dict[Identifier, Metadata]:
        filters = ",".join(f"doi:{identifier.value}" for identifier in identifiers)
        params = {"filter": filters, "rows": str(len(identifiers))}
        answer = client.get_json("/works", add_mail(client, params))
        works = _READER.works(client, read_part(client, answer, "message.items", list))
        check_complete(client, works, read_part(client, answer, "message.total-results", int), len(identifiers))
        by_doi = {work.doi: work for work in works}
        return {identifier: by_doi[identifier.value] for identifier in identifiers if identifier.value in by_doi}


def look_up_work(client: ServiceClient, doi: str) -> Metadata | None:
    """The work under a DOI, or the one that it was merged with; None where there is none. Errors as `find`."""
    answer = client.get_json(f"/works/{quote(doi, safe='')}", add_mail(client, {}))
    return None if answer is None else _READER.work(client, read_part(client, answer, "message", dict))


def search_works(client: ServiceClient, words: str, rows: int) -> tuple[Metadata, ...]:
    """The works that fit a title, or a whole reference, best. Errors as `find`."""
    params = {"query.bibliographic": words[:_LONGEST_QUERY], "rows": str(rows)}
    answer = client.get_json("/works", add_mail(client, params))
    return () if answer is None else _READER.works(client, read_part(client, answer, "message.items", list)[:rows])


def look_up_agency(client: ServiceClient, doi: str) -> str:
    """Who registered a DOI (`Crossref`, `DataCite`); "" where nobody did. Errors as `find`."""
    answer = client.get_json(f"/works/{quote(doi, safe='')}/agency", add_mail(client, {}))
    if answer is None:
        return ""
    agency = read_part(client, answer, "message.agency", dict)
    name = agency.get("label") or agency.get("id")
    return " ".join(name.split())[:60] if isinstance(name, str) else ""


def add_mail(client: ServiceClient, params: Mapping[str, str]) -> dict[str, str]:
    """What is asked, without what is empty, and with the user's e-mail address if it is known."""
    return {name: value for name, value in (*params.items(), ("mailto", client.mailto)) if value}


def is_issn(text: str) -> bool:
    """Whether a text is an ISSN: `0028-0836`."""
    head, dash, tail = text.strip().partition("-")
    return (
        dash == "-"
        and len(head) == len(tail) == 4
        and head.isdigit()
        and tail[:3].isdigit()
        and tail[3] in "0123456789Xx"
    )
