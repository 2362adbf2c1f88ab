"""What a service is: a class that derives from `Service`, and a line in `registry` (or an entry point).

Keys of `Metadata.extra` that services fill, besides those of all bibliographies (`volume`, `type` …):

* `pmcid`, `openalex`, `s2`: identifiers.
* `licence`: of the published version.
* `full_text`: a list of `FullTextLink`s as objects.
* `notices`: a list of objects: `kind` (`retraction`, `concern`, `correction`, `reinstatement`), `service` that reports
  it, `doi` and `date` (ISO 8601) of the notice, "" if unknown.
* `checked`: the date on which a service that knows notices was asked.
* `versions`: DOIs or arXiv ids of the same work elsewhere (`{"preprint": "10.1101/…", "published": "10.1038/…"}`).
* `counted`: the date of `citation_count`.

`ServicePool` adds `service`, the name of the service that all this is from.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from conspectus.core import packages
from conspectus.core.errors import ServiceAwayError, UsageError
from conspectus.records import Metadata

if TYPE_CHECKING:
    from conspectus.services.client import ServiceClient


Scheme = Literal["doi", "arxiv_id", "pmid", "pmcid", "bibcode", "openalex", "s2"]
"""A kind of identifier. A field of `Metadata` has this name, or a key of its `extra`."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """An identifier in its normal form: `Identifier("doi", "10.1000/xyz")`."""

    scheme: Scheme
    value: str

    def __str__(self) -> str:
        return f"{self.scheme.removesuffix('_id')}:{self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkQuery:
    """A search for works. Empty fields do not restrict it.

    Attributes:
        words: in title, abstract or text, wherever the service searches.
        any_word: whether works with only some of the words match, best first. Services that rank anyway may ignore it.
        first_year, last_year: of publication, both included.
        author: a name, or an ORCID.
        venue: a journal or a conference.
        mesh: a descriptor of MeSH, its narrower ones included.
        citing: works that cite this one.
        cited_by: works that this one cites.
        since: works that the service added on this day or later, whenever they were published (`2026-11-28`).
    """

    words: str = ""
    first_year: int | None = None
    last_year: int | None = None
    author: str = ""
    venue: str = ""
    mesh: str = ""
    citing: Identifier | None = None
    cited_by: Identifier | None = None
    any_word: bool = False
    since: str = ""


@dataclass(frozen=True, slots=True)
class WorkPage:
    """A page of search results.

    Attributes:
        works: in the service's order, best first.
        total: number of works in all, as the service reports it; None if it does not.
        next: `at` for the next page; "" after the last.
    """

    works: tuple[Metadata, ...]
    total: int | None = None
    next: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """Limits of a service for one machine: `requests` per `seconds`, and how many at once.

    `free_dollars`: US dollars a day that it gives for free; 0 if it has no prices.
    """

    requests: int = 1
    seconds: float = 1.0
    at_once: int = 1
    free_dollars: float = 0.0


@dataclass(frozen=True, slots=True)
class FullTextLink:
    """A link to a copy of a paper's text.

    Attributes:
        url: as a service gives it.
        format: `jats`, `tei`, `latex`, `pdf` or `html`.
        licence: as an SPDX id or as the service writes it (`cc-by`); "" if unknown.
        version: `published`, `accepted`, `submitted`; "" if unknown.
    """

    url: str
    format: str
    licence: str = ""
    version: str = ""


class ShortPageError(ServiceAwayError):
    """Fewer works came than the service says there are. `works` are those that did."""

    def __init__(self, message: str, hint: str, works: tuple[Metadata, ...]) -> None:
        super().__init__(message, hint)
        self.works = works


class Service(ABC):
    """A service that knows publications.

    Attributes:
        name: as in the settings: `europepmc`.
        title: as people write it: `Europe PMC`.
        schemes: of identifiers that `look_up` takes.
        limits: what it permits without a key.
        keyed_limits: what it permits with one; None: the same.
        queries: fields of `WorkQuery` that `find` understands; a query with others is not sent to this service.
        batch: identifiers that one request of `look_up` may have.
        page: works that one request of `find` may bring.
        url: its address, of a service for which there is no setting.
        needs_key, needs_mailto: whether it requires a key, or the user's e-mail address.
    """

    name: str
    title: str
    schemes: frozenset[Scheme]
    limits: RateLimit
    keyed_limits: RateLimit | None = None
    queries: frozenset[str] = frozenset()
    batch: int
    page: int = 0
    url: str = ""
    needs_key: bool = False
    needs_mailto: bool = False

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:  # noqa: ARG002
        """Find works. Returns one page; a service without `queries` fails.

        Args:
            client: asks this service.
            query: only fields in `queries`.
            size: number of works, at most `page`.
            at: `WorkPage.next` of the page before; "" for the first.

        Raises:
            ShortPageError: fewer works came than there are.
            ServiceAwayError: it does not answer now, or its limit or budget is reached.
            ServiceError: it refused, or its answer cannot be read.
        """
        raise client.failure("cannot be searched")

    def plan(self, query: WorkQuery, works: int) -> tuple[int, float]:  # noqa: ARG002
        """(requests, US dollars) that finding so many works takes."""
        return -(-works // self.page), 0.0

    def plan_look_up(self, identifiers: Sequence[Identifier]) -> tuple[int, float]:
        """(requests, US dollars) that looking up one batch takes."""
        return 1 if identifiers else 0, 0.0

    @abstractmethod
    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """Look up works by identifier. Unknown ones are left out.

        Args:
            client: asks this service.
            identifiers: at most `batch`, of its `schemes`.

        Raises:
            ServiceAwayError, ServiceError: as `find`. Less than the whole answer is an error, never fewer works.
        """


GROUP = "services"
BUILT_IN = {
    "europepmc": "conspectus.services.europepmc:EuropePMC",
    "arxiv": "conspectus.services.arxiv:Arxiv",
    "pubmed": "conspectus.services.pubmed:PubMed",
    "pmc": "conspectus.services.pubmed:PMC",
    "crossref": "conspectus.services.crossref:Crossref",
    "openalex": "conspectus.services.openalex:OpenAlex",
    "semanticscholar": "conspectus.services.semanticscholar:SemanticScholar",
    "ads": "conspectus.services.ads:Ads",
    "datacite": "conspectus.services.datacite:DataCite",
    "unpaywall": "conspectus.services.openalex:Unpaywall",
}


def service_names() -> tuple[str, ...]:
    """All of them."""
    return tuple(packages.offered(GROUP, BUILT_IN))


@cache
def service(name: str) -> Service:
    """The service of this name.

    Raises:
        UsageError: there is none.
        UnavailableError: its package cannot be imported.
    """
    offered = packages.offered(GROUP, BUILT_IN)
    if name not in offered:
        raise UsageError(f"There is no service '{name}'.", f"There are: {', '.join(offered)}.")
    chosen: Service = packages.make(offered[name])
    return chosen
