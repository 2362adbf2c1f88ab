"""Europe PMC (https://europepmc.org/RestfulWebService): abstracts, full texts, citations and notices of biomedicine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conspectus.parse.bibliography.europepmc import (
    RecordName,
    copy_version,
    describe_europepmc,
    notice_kind,
    relations_of,
    version_side,
)
from conspectus.parse.bibliography.fields import text, text_at
from conspectus.parse.people.authors import orcid_in
from conspectus.parse.text.identifiers import normal_doi
from conspectus.services.answers import (
    WorkReader,
    check_total,
    make_refusal,
    page_of,
    read_part,
    read_place,
    require_works,
)
from conspectus.services.protocol import Identifier, RateLimit, Service, WorkPage, WorkQuery
from conspectus.services.query_words import chunks, join_words, plain_phrase, require_terms, search_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient

_MOST = 1000
"""Results that one answer may have."""
_LONGEST = 3000
"""Characters of a query that are sent at once."""


class EuropePMC(Service):
    """Europe PMC."""

    name = "europepmc"
    title = "Europe PMC"
    schemes = frozenset({"doi", "pmid", "pmcid"})
    queries = frozenset(
        {"words", "any_word", "first_year", "last_year", "since", "author", "venue", "mesh", "citing", "cited_by"}
    )
    batch = 100
    page = 200
    limits = RateLimit(requests=2, seconds=1.0, at_once=2)

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:
        """As `Service.find`; a page with notices or preprints takes a second request, for their DOIs."""
        before, cursor = read_place(client, at)
        search = _search(client, query)
        if not search:
            return WorkPage((), 0)
        size = min(size, self.page)
        total, results, cursor = _results(client, search, size, cursor or "*")
        return page_of(client, _works(client, results), size, total, before, cursor)

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `Service.look_up`; a long list takes several requests."""
        works: dict[Identifier, Metadata] = {}
        for search in chunks(map(_identified, identifiers), _LONGEST):
            total, results, _ = _results(client, search, _MOST)
            _check_list(client, results, total)
            results.sort(key=lambda result: text(result.get("source")) != "MED")
            for work in _works(client, results):
                known = {"doi": work.doi, "pmid": work.pmid, "pmcid": work.extra.get("pmcid", "")}
                for scheme, value in known.items():
                    works.setdefault(Identifier(scheme, value), work)  # type: ignore[arg-type]
        return {identifier: works[identifier] for identifier in identifiers if identifier in works}


def _results(
    client: ServiceClient, search: str, size: int, cursor: str = "*", kind: str = "core"
) -> tuple[int, list[Mapping[str, Any]], str]:
    """How many results there are in all, those of a page, and where the next page begins.

    Raises:
        ServiceError: the answer is an error, or not of this form.
    """
    params = {"query": search, "resultType": kind, "format": "json", "pageSize": str(size), "cursorMark": cursor}
    answer = client.get_json("/search", params | {"email": client.mailto})
    if fault := text_at(answer, "errMsg") or text_at(answer, "error"):
        raise make_refusal(client, fault)
    total, results = read_part(client, answer, "hitCount", int), read_part(client, answer, "resultList.result", list)
    if not all(isinstance(result, dict) for result in results):
        raise client.failure("answered with something that is not a record of a work")
    return total, results, text_at(answer, "nextCursorMark")


def _check_list(client: ServiceClient, results: Sequence[object], total: int) -> None:
    """Raise a ServiceError where a list that one answer should have goes on behind it."""
    check_total(client, total)
    require_works(client, len(results), total)
    if len(results) >= _MOST:
        raise client.away(f"answered with {len(results)} works, and there may be more")


def _works(client: ServiceClient, results: Sequence[Mapping[str, Any]]) -> tuple[Metadata, ...]:
    """The records of results, with DOIs and dates of the notices about them and of their other versions."""
    others = _related(client, (other for result in results for other in _related_names(result)))
    return tuple(_work(client, result, others) for result in results)


def _work(client: ServiceClient, result: Mapping[str, Any], others: Mapping[RecordName, tuple[str, str]]) -> Metadata:
    record, extra = describe_europepmc(result, others)
    pmcid = extra["pmcid"]
    if pmcid and text(result.get("isOpenAccess")) == "Y" and text(result.get("inEPMC")) == "Y":
        url = f"{client.address}/{pmcid}/fullTextXML"
        jats = {"url": url, "format": "jats", "licence": extra["licence"], "version": copy_version(result)}
        extra["full_text"] = [jats, *extra["full_text"]]
    return WorkReader(lambda _: (record, extra), notices=True).work(client, result)


def _related_names(result: Mapping[str, Any]) -> list[RecordName]:
    """The records of notices about a result, and of its other versions."""
    return [
        other
        for relation, _, other in relations_of(result)
        if all(other) and (notice_kind(relation) or version_side(relation))
    ]


def _related(client: ServiceClient, records: Iterable[RecordName]) -> dict[RecordName, tuple[str, str]]:
    """DOI and date of first publication of records; those that it does not know are left out."""
    related: dict[RecordName, tuple[str, str]] = {}
    for search in chunks((_record_query(record) for record in dict.fromkeys(records)), _LONGEST):
        total, results, _ = _results(client, search, _MOST, kind="lite")
        _check_list(client, results, total)
        for result in results:
            record = (text(result.get("source")), text(result.get("id")))
            related[record] = (normal_doi(text(result.get("doi"))), text(result.get("firstPublicationDate")))
    return related


def _record_query(record: RecordName) -> str:
    source, number = (plain_phrase(part) for part in record)
    return f"(EXT_ID:{number} AND SRC:{source})"


def _identified(identifier: Identifier) -> str:
    value = plain_phrase(identifier.value)
    if identifier.scheme == "pmid":
        return f"(EXT_ID:{value} AND SRC:MED)"
    return f"{'PMCID' if identifier.scheme == 'pmcid' else 'DOI'}:{value}"


def _search(client: ServiceClient, query: WorkQuery) -> str:
    """The query as Europe PMC writes it; "" where it is of a paper that it does not know."""
    words = [term if term.isalnum() else plain_phrase(term) for term in search_terms(query.words)]
    parts = join_words(words, any_word=query.any_word)
    if query.author:
        orcid = orcid_in(query.author)
        parts.append(f'AUTHORID:"{orcid}"' if orcid else f"AUTH:{plain_phrase(query.author)}")
    if query.venue:
        parts.append(f"JOURNAL:{plain_phrase(query.venue)}")
    if query.mesh:
        parts.append(f"MESH:{plain_phrase(query.mesh)}")
    if query.first_year is not None or query.last_year is not None:
        parts.append(f"PUB_YEAR:[{query.first_year or 1000} TO {query.last_year or 3000}]")
    if query.since:
        parts.append(f"CREATION_DATE:[{query.since} TO 3000-12-31]")
    for field, paper in (("CITES", query.citing), ("REFFED_BY", query.cited_by)):
        if paper is not None:
            record = _record_of(client, paper)
            if record is None:
                return ""
            parts.append(f"{field}:{record[1]}_{record[0]}")
    return require_terms(client, " AND ".join(parts))


def _record_of(client: ServiceClient, paper: Identifier) -> RecordName | None:
    """How Europe PMC names a paper; None where it does not know it."""
    if paper.scheme == "pmid" and paper.value.isdigit():
        return "MED", paper.value
    if paper.scheme not in EuropePMC.schemes:
        return None
    _, results, _ = _results(client, _identified(paper), _MOST, kind="lite")
    records = [(text(result.get("source")), text(result.get("id"))) for result in results]
    records = [record for record in records if all(part.isalnum() for part in record)]
    return next((record for record in records if record[0] == "MED"), records[0] if records else None)
