"""Services that need no network, put in place of the real ones where this folder is on PYTHONPATH."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from conspectus.core.errors import ServiceAwayError
from conspectus.records import Author, Metadata
from conspectus.services import protocol
from conspectus.services.client import ServiceClient
from conspectus.services.identifiers import identifiers_of
from conspectus.services.protocol import Identifier, RateLimit, Scheme, Service, WorkPage, WorkQuery

_MOSER, _HAFTING = Author("May-Britt Moser", "Moser", "May-Britt"), Author("Torkel Hafting", "Hafting", "Torkel")
_NOTICE = {"kind": "retraction", "service": "crossref", "doi": "10.1000/notice", "date": "2020-01-01"}
_COPY = {"url": "https://example.org/open.pdf", "format": "pdf"}
SHELF = (
    Metadata(
        title="Microstructure of a spatial map in the entorhinal cortex",
        authors=(_HAFTING, _MOSER),
        abstract="Grid cells fire at the corners of triangles.",
        year=2005,
        doi="10.1038/nature03721",
        venue="Nature",
        citation_count=3210,
    ),
    Metadata(
        title="Grid cells and the metric of space",
        authors=(_MOSER,),
        year=2012,
        doi="10.1000/open",
        venue="Journal of Maps",
        extra={"full_text": [_COPY]},
    ),
    Metadata(
        title="Grid cells that were never there",
        authors=(_MOSER,),
        year=2015,
        doi="10.1000/retracted",
        venue="Journal of Maps",
        extra={"notices": [_NOTICE]},
    ),
    Metadata(
        title="A talk on grid cells, their spacing and orientation, and what the entorhinal cortex does with them",
        authors=(_HAFTING,),
        year=2011,
    ),
)


class ShelfService(Service):
    """A service that knows the works of the shelf; arXiv does not answer, ADS has no key."""

    schemes: frozenset[Scheme] = frozenset({"doi", "arxiv_id", "pmid", "pmcid", "bibcode", "openalex", "s2"})
    batch, page = 50, 50
    limits = RateLimit()

    def __init__(self, name: str) -> None:
        self.name = name
        self.title = {"crossref": "Crossref", "europepmc": "Europe PMC", "arxiv": "arXiv"}.get(name, name)
        self.needs_key = name == "ads"
        self.queries = frozenset({"words", "first_year", "last_year", "author", "venue"})

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:
        if self.name == "arxiv":
            raise ServiceAwayError("arXiv (https://export.arxiv.org) did not answer.", "Try again later.")
        words = query.words.casefold().split()
        found = [one for one in SHELF if all(word in f"{one.title} {one.abstract}".casefold() for word in words)]
        return WorkPage(tuple(found[:size]), len(found))

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        known = {identifier: one for one in SHELF for identifier in identifiers_of(one)}
        return {one: known[one] for one in identifiers if one in known}


@cache
def service(name: str) -> Service:
    """The shelf, as the service of this name."""
    return ShelfService(name)


protocol.service = service
protocol.service_names = lambda: tuple(protocol.BUILT_IN)
