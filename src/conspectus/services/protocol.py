"""What a service is: a module with a class that has these members, and a line in `registry` (or an entry point)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from conspectus.records import Metadata

if TYPE_CHECKING:
    from conspectus.services.client import ServiceClient

Scheme = Literal["doi", "arxiv_id", "pmid", "pmcid", "bibcode", "openalex", "s2", "orcid"]
"""What an identifier is of. A field of `Metadata` has this name, or a key of its `extra`."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """An identifier in its normal form: `Identifier("doi", "10.1000/xyz")`."""

    scheme: Scheme
    value: str

    def __str__(self) -> str:
        return f"{self.scheme.removesuffix('_id')}:{self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkQuery:
    """What is looked for; what is empty does not matter.

    Attributes:
        words: anywhere in title, abstract or text, as the service searches them.
        first_year, last_year: of publication, both included.
        author: a name, or an ORCID.
        venue: a journal or a conference.
        mesh: a descriptor of MeSH, its narrower ones included.
        citing: works that cite this one.
        cited_by: works that this one cites.
    """

    words: str = ""
    first_year: int | None = None
    last_year: int | None = None
    author: str = ""
    venue: str = ""
    mesh: str = ""
    citing: Identifier | None = None
    cited_by: Identifier | None = None


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page of what a service found.

    Attributes:
        works: in the service's order, best first.
        total: how many works there are in all, as the service says; None where it does not.
        next: what `find` is given for the next page; "" after the last.
    """

    works: tuple[Metadata, ...]
    total: int | None = None
    next: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """What a service permits to one machine: so many requests in so many seconds, so many at once.

    `free_dollars` is what requests may cost a day before it wants money (US dollars); 0 where it has no prices.
    """

    requests: int = 1
    seconds: float = 1.0
    at_once: int = 1
    free_dollars: float = 0.0


@dataclass(frozen=True, slots=True)
class FullTextLink:
    """Where a copy of a paper's text is.

    Attributes:
        url: as a service gives it.
        format: `jats`, `tei`, `latex`, `pdf` or `html`.
        licence: as an SPDX id or as the service says (`cc-by`); "" where it says nothing.
        version: `published`, `accepted`, `submitted`; "" where it says nothing.
    """

    url: str
    format: str
    licence: str = ""
    version: str = ""


class Service(Protocol):
    """A service that knows publications.

    Attributes:
        name: as in the settings: `europepmc`.
        title: as people write it: `Europe PMC`.
        schemes: of identifiers that `look_up` takes.
        queries: fields of `WorkQuery` that `find` understands; one that has others is not sent to this service.
        batch: identifiers that one request of `look_up` may have.
        page: works that one request of `find` may bring.
        limits: what it permits without a key.
        keyed_limits: what it permits with one.
        needs_key: whether it answers nobody without a key.
    """

    name: str
    title: str
    schemes: frozenset[Scheme]
    queries: frozenset[str]
    batch: int
    page: int
    limits: RateLimit
    keyed_limits: RateLimit
    needs_key: bool

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> FoundPage:
        """A page of works.

        Args:
            client: asks this service.
            query: what is looked for.
            size: works wanted, at most `page`.
            at: `FoundPage.next` of the page before; "" for the first.

        Raises:
            ServiceAwayError: it does not answer now, or its limit or budget is reached.
            ServiceError: it refused, or its answer cannot be read or is not whole.
        """
        ...

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """What it knows of works, by the identifiers that were asked for; those that it does not know are left out.

        Args:
            client: asks this service.
            identifiers: at most `batch`, of its `schemes`.

        Raises:
            ServiceAwayError, ServiceError: as `find`. Less than the whole answer is an error, never fewer works.
        """
        ...

    def price(self, query: WorkQuery | None) -> float:
        """US dollars for one request of `find`, or (None) of `look_up`; 0 where it costs nothing."""
        ...


@dataclass(frozen=True, slots=True)
class PublicationNotice:
    """That a work was retracted, corrected or doubted, or reinstated, as a service says it.

    Attributes:
        kind: what happened to it.
        service: name of the service that says so.
        doi: of the notice; "" where it is not known.
        date: ISO 8601; "" where it is not known.
    """

    kind: Literal["retraction", "concern", "correction", "reinstatement"]
    service: str
    doi: str = ""
    date: str = ""


EXTRA = ("pmcid", "openalex", "s2", "licence", "full_text", "notices", "checked", "versions", "counted", "service")
"""Keys of `Metadata.extra` that services fill, besides those that readers of bibliographies fill (`volume`, `type` …).

`pmcid`, `openalex`, `s2`: identifiers; `licence`: of the published version; `full_text`: a list of `FullTextLink`s as
objects; `notices`: a list of `PublicationNotice`s as objects; `checked`: the date on which a service that knows notices
was asked; `versions`: DOIs or arXiv ids of the same work elsewhere (`{"preprint": "10.1101/…"}`, `{"published":
"10.1038/…"}`); `counted`: the date of `citation_count`; `service`: the name of the service that said all this.
"""
