"""arXiv (https://info.arxiv.org/help/api), which answers with Atom feeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conspectus.core.errors import ServiceError
from conspectus.parse.bibliography.records import text_of
from conspectus.parse.bibliography.xml_lists import describe_atom
from conspectus.parse.people.authors import orcid_in
from conspectus.parse.text.identifiers import normal_arxiv_id
from conspectus.services.answers import WorkReader, elements_of, page_of, read_place, read_total, require_works
from conspectus.services.protocol import Identifier, RateLimit, Service, WorkPage, WorkQuery
from conspectus.services.query_words import join_words, plain_phrase, require_terms, search_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from xml.etree.ElementTree import Element

    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient

_READER = WorkReader(describe_atom, notices=True)
_DEEPEST = 30_000
"""Works of one query that arXiv gives."""


class Arxiv(Service):
    """arXiv. It asks for one request in three seconds, one at a time."""

    name = "arxiv"
    title = "arXiv"
    schemes = frozenset({"arxiv_id"})
    queries = frozenset({"words", "any_word", "first_year", "last_year", "since", "author", "venue"})
    batch = 100
    page = 200
    limits = RateLimit(requests=1, seconds=3.0, at_once=1)

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:
        """As `Service.find`; ServiceError too for an ORCID, and beyond 30,000 works."""
        start, _ = read_place(client, at)
        if start >= _DEEPEST:
            raise ServiceError(
                f"{client.label} gives no more than {_DEEPEST:,} works of one query.", "Ask for fewer years at a time."
            )
        size = min(size, self.page, _DEEPEST - start)
        params = {"search_query": _search_query(client, query), "start": str(start), "max_results": str(size)}
        total, entries = _feed(client, params | {"sortBy": "relevance", "sortOrder": "descending"})
        works = tuple(_READER.work(client, entry) for entry in entries if text_of(entry, "title"))
        return page_of(client, works, size, total, start, "start", left_out=len(entries) - len(works))

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `Service.look_up`."""
        by_id = {
            identifier.value: identifier
            for identifier in identifiers
            if normal_arxiv_id(identifier.value) == identifier.value
        }
        if not by_id:
            return {}
        params = {"id_list": ",".join(by_id), "start": "0", "max_results": str(len(by_id))}
        total, entries = _feed(client, params)
        require_works(client, len(entries), total)
        works = (_READER.work(client, entry) for entry in entries if text_of(entry, "title"))
        return {by_id[work.arxiv_id]: work for work in works if work.arxiv_id in by_id}


def _feed(client: ServiceClient, params: Mapping[str, str]) -> tuple[int, list[Element]]:
    """How many works there are in all, and the entries of the feed.

    Raises:
        ServiceError: it reports an error, which it does as an entry; or it is no feed.
    """
    elements = elements_of(client, client.get("/api/query", params), {"entry", "totalResults"})
    entries = [element for element in elements if element.tag == "entry"]
    for entry in entries:
        if "/api/errors" in text_of(entry, "id"):
            raise client.failure(f"refused: {text_of(entry, 'summary')[:200]!r}")
    totals = [text_of(element) for element in elements if element.tag == "totalResults"]
    return read_total(client, totals[0] if totals else ""), entries


def _search_query(client: ServiceClient, query: WorkQuery) -> str:
    words = [f"all:{_arxiv_term(term)}" for term in search_terms(query.words)]
    parts = join_words(words, any_word=query.any_word)
    if orcid_in(query.author):
        raise ServiceError(f"{client.label} cannot be searched by ORCID.", "Give the author's name.")
    if query.author:
        parts.append(f"au:{_arxiv_term(query.author)}")
    if query.venue:
        parts.append(f"jr:{_arxiv_term(query.venue)}")
    if query.first_year is not None or query.last_year is not None:
        first, last = query.first_year or 1000, query.last_year or 3000
        parts.append(f"submittedDate:[{first:04}01010000 TO {last:04}12312359]")
    if query.since:
        parts.append(f"submittedDate:[{query.since.replace('-', '')}0000 TO 300012312359]")
    return require_terms(client, " AND ".join(parts))


def _arxiv_term(text: str) -> str:
    """A word as it is, anything else as a phrase; arXiv does not find words with a hyphen unless it is a space."""
    return text if text.isalnum() else plain_phrase(text, "-‐‑()[]:")
