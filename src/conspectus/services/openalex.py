"""OpenAlex (https://api.openalex.org), works of all fields, which is metered; and Unpaywall, which knows copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from conspectus.parse.bibliography.fields import list_at
from conspectus.parse.bibliography.services import describe_openalex, describe_unpaywall
from conspectus.parse.people.authors import orcid_in
from conspectus.services.answers import WorkReader, check_complete, make_refusal, page_of, read_part, read_place
from conspectus.services.crossref import is_issn
from conspectus.services.protocol import Identifier, RateLimit, Scheme, Service, WorkPage, WorkQuery
from conspectus.services.query_words import plain_words

if TYPE_CHECKING:
    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient


LIST_PRICE = 0.0001
SEARCH_PRICE = 0.001
"""US dollars for one request that lists works by filters, and for one that searches words."""
_MOST = 100
_SINGLY = 10
"""Identifiers that are asked for one by one: that takes about three seconds, and costs nothing."""
_SIGNS = ",|!:;()[]{}*?~^+\\/&"
"""What means something in a filter or in a search."""
_PATHS: dict[Scheme, str] = {
    "doi": "doi:{}",
    "openalex": "{}",
    "pmid": "pmid:{}",
    "pmcid": "pmcid:{}",
    "arxiv_id": "doi:10.48550/arxiv.{}",
}
_FILTERS: dict[Scheme, str] = {
    "doi": "doi",
    "openalex": "ids.openalex",
    "pmid": "ids.pmid",
    "pmcid": "ids.pmcid",
    "arxiv_id": "doi",
}
_READER = WorkReader(describe_openalex, notices=True)


class OpenAlex(Service):
    """OpenAlex's works."""

    name = "openalex"
    title = "OpenAlex"
    schemes = frozenset(_PATHS)
    queries = frozenset({"words", "first_year", "last_year", "author", "venue", "citing", "cited_by"})
    batch = 50
    page = _MOST
    limits = RateLimit(requests=10, seconds=1.0, at_once=4, free_dollars=0.10)
    keyed_limits = RateLimit(requests=10, seconds=1.0, at_once=4, free_dollars=1.0)

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:
        """As `Service.find`. `venue` is the name of a journal, or its ISSN."""
        before, cursor = read_place(client, at)
        filters = self._filters(client, query)
        if filters is None:
            return WorkPage((), 0)
        params = {
            "search": " ".join(plain_words(query.words, _SIGNS)),
            "filter": ",".join(f"{name}:{value}" for name, value in filters.items() if value),
            "per_page": str(size),
            "cursor": cursor or "*",
        }
        answer = _ask(client, "/works", params, _price(query))
        works = _READER.works(client, read_part(client, answer, "results", list))
        total = read_part(client, answer, "meta.count", int)
        following = answer["meta"].get("next_cursor")
        return page_of(client, works, size, total, before, following if isinstance(following, str) else "")

    def plan(self, query: WorkQuery, works: int) -> tuple[int, float]:
        """As `Service.plan`; works that a query names are looked up for nothing, the name of a journal is searched."""
        requests, journals = -(-works // self.page), int(bool(query.venue) and not is_issn(query.venue))
        linked_works = sum(bool(work and work.scheme != "openalex") for work in (query.citing, query.cited_by))
        return requests + journals + linked_works, requests * _price(query) + journals * SEARCH_PRICE

    def plan_look_up(self, identifiers: Sequence[Identifier]) -> tuple[int, float]:
        """As `Service.plan_look_up`."""
        singles, lists = _split_batch(identifiers)
        return len(singles) + len(lists), len(lists) * LIST_PRICE

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `Service.look_up`.

        Up to ten identifiers of a scheme, and all where the budget has no room for a list, are asked for one by one,
        which costs nothing; more are a list, which costs little and saves requests.
        """
        left = client.budget_left()
        is_affordable = left is None or left >= LIST_PRICE
        singles, lists = _split_batch(identifiers) if is_affordable else (list(identifiers), {})
        works: dict[Identifier, Metadata] = {}
        for name, group in lists.items():
            works |= _look_up_list(client, name, group)
        for identifier in singles:
            if (work := _look_up_work(client, identifier)) is not None:
                works[identifier] = work
        return works

    def _filters(self, client: ServiceClient, query: WorkQuery) -> dict[str, str] | None:
        """The filters of a query; None where a work or a journal that it names is not known, so that nothing fits."""
        orcid = orcid_in(query.author)
        name = " ".join(plain_words(query.author, _SIGNS))
        filters = {
            "from_publication_date": f"{query.first_year}-01-01" if query.first_year else "",
            "to_publication_date": f"{query.last_year}-12-31" if query.last_year else "",
            "authorships.author.orcid": orcid,
            "raw_author_name.search": "" if orcid else name,
        }
        if is_issn(query.venue):
            filters["primary_location.source.issn"] = query.venue.strip()
        elif query.venue:
            filters["primary_location.source.id"] = _look_up_journals(client, query.venue)
            if not filters["primary_location.source.id"]:
                return None
        for filter_name, other in (("cites", query.citing), ("cited_by", query.cited_by)):
            if other:
                work = other.value if other.scheme == "openalex" else ""
                if not work and (known := _look_up_work(client, other)):
                    work = known.external_id
                if not work:
                    return None
                filters[filter_name] = work
        return filters


def _price(query: WorkQuery) -> float:
    """US dollars for one page; a search for words costs more than a list."""
    return SEARCH_PRICE if query.words or (query.author and not orcid_in(query.author)) else LIST_PRICE


def _split_batch(identifiers: Sequence[Identifier]) -> tuple[list[Identifier], dict[str, list[Identifier]]]:
    """Identifiers that are asked for one by one, and those that are lists, by the filter."""
    singles = [each for each in identifiers if "," in each.value or "|" in each.value]
    lists: dict[str, list[Identifier]] = {}
    for identifier in identifiers:
        if identifier not in singles:
            lists.setdefault(_FILTERS[identifier.scheme], []).append(identifier)
    singles += [each for group in lists.values() if len(group) <= _SINGLY for each in group]
    return singles, {name: group for name, group in lists.items() if len(group) > _SINGLY}


def _look_up_work(client: ServiceClient, identifier: Identifier) -> Metadata | None:
    if identifier.scheme not in _PATHS:
        raise client.failure(f"knows no works by '{identifier}'")
    path = quote(_PATHS[identifier.scheme].format(identifier.value), safe=":")
    answer = _ask(client, f"/works/{path}", {}, 0.0)
    return None if answer is None else _READER.work(client, answer)


def _look_up_list(client: ServiceClient, name: str, group: Sequence[Identifier]) -> dict[Identifier, Metadata]:
    """The works of several identifiers of one filter."""
    values = [f"10.48550/arxiv.{each.value}" if each.scheme == "arxiv_id" else each.value for each in group]
    params = {"filter": f"{name}:{'|'.join(values)}", "per_page": str(_MOST)}
    answer = _ask(client, "/works", params, LIST_PRICE)
    works = _READER.works(client, read_part(client, answer, "results", list))
    check_complete(client, works, read_part(client, answer, "meta.count", int), _MOST)
    known: dict[tuple[str, str], Metadata] = {}
    for work in works:
        names = {"doi": work.doi, "ids.openalex": work.external_id, "ids.pmid": work.pmid}
        names["ids.pmcid"] = str(work.extra.get("pmcid", ""))
        for filter_name, value in names.items():
            known.setdefault((filter_name, value), work)
    pairs = zip(group, values, strict=True)
    return {each: known[name, value] for each, value in pairs if (name, value) in known}


def _look_up_journals(client: ServiceClient, name: str) -> str:
    """The ids of the journals of this name, joined by `|`; of all that have its words where none has it exactly."""
    words = " ".join(plain_words(name, _SIGNS))
    answer = _ask(client, "/sources", {"search": words, "per_page": "25"}, SEARCH_PRICE)
    sources = [entry for entry in read_part(client, answer, "results", list) if isinstance(entry, Mapping)]
    exact = [entry for entry in sources if _is_named(entry, name)]
    ids = [str(entry.get("id")).rpartition("/")[2] for entry in exact or sources]
    return "|".join(known for known in ids if known.startswith("S") and known[1:].isdigit())


def _is_named(source: Mapping[str, Any], name: str) -> bool:
    names = (source.get("display_name"), source.get("abbreviated_title"), *list_at(source, "alternate_titles"))
    return any(isinstance(each, str) and each.casefold() == name.strip().casefold() for each in names)


def _ask(client: ServiceClient, path: str, params: Mapping[str, str], price: float) -> Any:
    """The answer; None where there is no such work.

    Raises:
        ServiceError: as `get_json`; an answer that says why there is none is one too.
    """
    user = {"mailto": client.mailto, "api_key": client.key.reveal()}
    answer = client.get_json(path, {**params, **user}, price=price)
    if isinstance(answer, Mapping) and isinstance(answer.get("error"), str):
        raise make_refusal(client, answer["error"], answer.get("message"))
    return answer


_COPY_READER = WorkReader(describe_unpaywall)


class Unpaywall(Service):
    """Unpaywall's open copies. It cannot be searched, and requires an e-mail address."""

    name = "unpaywall"
    title = "Unpaywall"
    schemes = frozenset({"doi"})
    batch = 1
    limits = RateLimit(requests=10, seconds=1.0, at_once=2)
    needs_mailto = True

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `Service.look_up`."""
        copies = {}
        for identifier in identifiers:
            answer = client.get_json(f"/{quote(identifier.value, safe='/')}", {"email": client.mailto})
            if answer is None:
                continue
            if isinstance(answer, Mapping) and answer.get("error"):
                raise make_refusal(client, answer.get("message"))
            copies[identifier] = _COPY_READER.work(client, answer)
        return copies
