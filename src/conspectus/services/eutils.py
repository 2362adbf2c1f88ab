"""NCBI's E-utilities (https://www.ncbi.nlm.nih.gov/books/NBK25501), by which PubMed and PMC are searched and read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conspectus.parse.bibliography.records import text_of, texts_of
from conspectus.parse.people.authors import orcid_in
from conspectus.services.answers import elements_of, read_total, require_works
from conspectus.services.protocol import RateLimit
from conspectus.services.query_words import join_words, plain_phrase, require_terms, search_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conspectus.services.client import ServiceClient
    from conspectus.services.protocol import WorkQuery

LIMITS = RateLimit(requests=3, seconds=1.0, at_once=3)
KEYED_LIMITS = RateLimit(requests=10, seconds=1.0, at_once=3)
LONGEST = 1500
"""Characters of a query that are sent at once."""
_FAULT = re.compile(rb'<(?:ERROR|Error)>([^<]{0,400})|^\s*\{.{0,200}?"(?:error|ERROR)"\s*:\s*"([^"]{0,400})', re.S)
_PASSING = re.compile(r"backend|rate limit|time.?out|temporar|unavailable|try again|unable to obtain|busy", re.I)
_SYNTAX = "[]*#"
_SYNTAX_OF_NAMES = re.compile(r"[^\w.'’-]+")


def esearch(
    client: ServiceClient, db: str, term: str, start: int, size: int, options: Mapping[str, str] | None = None
) -> tuple[int, list[str], bool]:
    """(works in all, the ids of a page, of which some may be missing, whether all parts of the query are known).

    Raises:
        ServiceAwayError: the search failed.
        ServiceError: the query was refused.
    """
    params = {"db": db, "term": term, "retstart": str(start), "retmax": str(size), **(options or {})}
    names = {"Count", "IdList", "PhraseNotFound", "FieldNotFound", "TranslationStack"}
    found = elements_of(client, request(client, "esearch", params), names)
    counts = [text_of(element) for element in found if element.tag == "Count"]
    total = read_total(client, counts[0] if counts else "")
    ids = [number for element in found if element.tag == "IdList" for number in texts_of(element, "Id")]
    if any(not number.isdigit() for number in ids):
        raise client.failed("answered with something that is no list of ids")
    return total, ids[:size], not any(element.tag.endswith("NotFound") for element in found)


def find_ids(client: ServiceClient, db: str, term: str) -> list[str]:
    """The ids of all works that a search of single works, with ` OR ` between them, finds. Errors as `esearch`."""
    wanted = term.count(" OR ") + 1
    total, ids, _ = esearch(client, db, term, 0, 10 * wanted)
    if max(total, len(ids)) >= 10 * wanted:
        raise client.failed(f"finds {max(total, len(ids)):,} works where {wanted} were looked for")
    require_works(client, len(ids), total)
    return ids


def efetch(client: ServiceClient, db: str, ids: Iterable[str]) -> bytes:
    """The records with these ids, in XML. Errors as `esearch`."""
    return request(client, "efetch", {"db": db, "id": ",".join(ids)})


def request(client: ServiceClient, tool: str, params: Mapping[str, str]) -> bytes:
    """What a tool answers in XML; the errors that it hides in answers of the status 200 are raised."""
    usual = {"retmode": "xml", "tool": "conspectus", "email": client.mailto, "api_key": client.key.reveal()}
    answer = client.get(f"/{tool}.fcgi", {**params, **usual})
    if answer is None:
        raise client.failed("has nothing at its address")
    if fault := _FAULT.search(answer[:4096]):
        words = " ".join((fault[1] or fault[2] or b"").decode(errors="replace").split())
        raise (client.away if _PASSING.search(words) else client.failed)(f"refused: {words[:200]!r}")
    return answer


def search_term(client: ServiceClient, query: WorkQuery, date_field: str) -> str:
    """The query as E-utilities write it; `date_field` has the day on which a work was added.

    A ServiceError where there is nothing in it.
    """
    words = [plain_phrase(term) if " " in term else term for term in search_terms(query.words)]
    parts = join_words(words, any_word=True) if query.any_word else [f"({' '.join(words)})"] if words else []
    if orcid := orcid_in(query.author):
        parts.append(f"orcid {orcid}[auid]")
    elif query.author:
        parts.append(f"{_SYNTAX_OF_NAMES.sub(' ', query.author).strip()}[Author]")
    if query.venue:
        parts.append(f"{plain_phrase(query.venue, _SYNTAX)}[Journal]")
    if query.mesh:
        parts.append(f"{plain_phrase(query.mesh, _SYNTAX)}[MeSH Terms]")
    if query.first_year is not None or query.last_year is not None:
        parts.append(f"{query.first_year or 1000}:{query.last_year or 3000}[pdat]")
    if query.since:
        parts.append(f"{query.since.replace('-', '/')}:3000[{date_field}]")
    return require_terms(client, " AND ".join(parts))
