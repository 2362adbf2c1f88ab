"""What services on the internet know of papers: finds, what became of records, kept searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conspectus.records.paper import Metadata
from conspectus.records.reports import LedgerRow

INTERNAL = frozenset(
    ("service", "record", "found_for", "counted", "counted_by", "checked", "years", "full_text", "notices", "versions")
) | {"s2", "openalex"}
"""Keys of a paper's `extra` that are about records of services, and no part of a bibliography."""


@dataclass(frozen=True, slots=True)
class ServiceReport:
    """What one service did in a run.

    Attributes:
        name: of the service.
        requests: how many it was sent; answers that were kept from before need none.
        cost: US dollars.
        found: how many works it gave.
        total: how many it says there are in all; None where it does not say.
        note: what went wrong, or was left out; "" where nothing did.
        some_words: whether it has no work with all words of the query, and these have some of them.
    """

    name: str
    requests: int = 0
    cost: float = 0.0
    found: int = 0
    total: int | None = None
    note: str = ""
    some_words: bool = False


@dataclass(frozen=True, slots=True)
class FoundWork:
    """A work that services found.

    Attributes:
        rank: from 1.
        service: that which had it first.
        services: all that had it.
        paper: what they say of it, field by field from the first that says it.
        in_library: id of the paper of the library that it is; "" where it is none.
        open_access: whether a copy of the text is free to read, as a service says.
        retracted: whether a service says that it was retracted.
    """

    rank: int
    service: str
    services: tuple[str, ...]
    paper: Metadata
    in_library: str = ""
    open_access: bool = False
    retracted: bool = False


@dataclass(frozen=True, slots=True)
class OnlineResults:
    """What was found online for a query.

    Attributes:
        query: as it was asked, in words.
        results: best first.
        services: what each did.
        added: how many papers of them are new to the library; None where they were not added.
        unread: works that were to be read as full text and could not be, each with the reason.
    """

    query: str
    results: tuple[FoundWork, ...]
    services: tuple[ServiceReport, ...]
    added: int | None = None
    unread: tuple[str, ...] = ()

    @property
    def failed(self) -> tuple[str, ...]:
        """The services that did not do all that they were asked."""
        return tuple(service.name for service in self.services if service.note)


@dataclass(frozen=True, slots=True)
class AddedWorks:
    """What became of identifiers that were added.

    Attributes:
        added: how many papers are new to the library.
        failed: identifiers that could not be looked up, and files that could not be read.
        unread: as of `OnlineResults`.
    """

    added: int
    failed: tuple[LedgerRow, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EnrichReport:
    """What services added to papers.

    Attributes:
        papers: how many were looked up.
        known: how many of them a service knew.
        fields: field -> for how many papers it is new or changed.
        unknown: ids of papers that no service knew, or that have no identifier.
        services: what each did.
        unread: as of `OnlineResults`.
    """

    papers: int
    known: int
    fields: dict[str, int]
    unknown: tuple[str, ...]
    services: tuple[ServiceReport, ...]
    unread: tuple[str, ...] = ()

    @property
    def failed(self) -> tuple[str, ...]:
        """As of `OnlineResults`."""
        return tuple(service.name for service in self.services if service.note)


@dataclass(frozen=True, slots=True)
class KeptSearch:
    """A search that is kept, to be asked again.

    Attributes:
        name: by which it is called.
        query: in words.
        services: names of those that are asked.
        made, asked: when it was kept, and asked last; ISO 8601, UTC.
        known: how many works it has found so far.
    """

    name: str
    query: str
    services: tuple[str, ...]
    made: str
    asked: str = ""
    known: int = 0


@dataclass(frozen=True, slots=True)
class ServiceState:
    """A service as it is set up.

    Attributes:
        name, title: as settings and people call it.
        address: without a password.
        has_key: whether a key is set, in the settings, the environment or the keyring.
        needs_key: whether it answers nobody without one.
        missing: the setting without which it cannot be asked, such as `sources.mailto`; "": it can be.
        finds: what can be looked for there: fields of a search.
        limit: what it permits, in words.
        budget_left: US dollars that it may cost today; None where it costs nothing.
        requests_today: how many this user has sent.
        last: when it last answered, and how; "" where it never did.
    """

    name: str
    title: str
    address: str
    has_key: bool
    needs_key: bool
    finds: tuple[str, ...]
    limit: str
    missing: str = ""
    budget_left: float | None = None
    requests_today: int = 0
    last: str = ""


CitationRelation = Literal["seed", "earlier", "later", "near"]
"""What a work is to the seeds: earlier ones are cited, by a seed or by several papers shown; later ones cite a seed."""


@dataclass(frozen=True, slots=True)
class CitationNode:
    """A work of a citation graph.

    Attributes:
        id: of the paper; of a work that the library does not have an identifier (`doi:10.1000/x`), or `work:` and a
            number where it has none.
        relation: to the seeds.
        in_library: whether the library has it.
        title: or the entry of a list of references as it is printed, where that tells no title; "" if not known.
        byline: its authors, in short.
        year: of publication.
        link: where it is on the web; "" if not known.
        links: how many edges of the graph it has.
        citation_count: how often it was cited, as a source says.
        counted: the day of that count, ISO 8601; "" if not known.
        counted_by: the service that says it; "" for a file of the user's own.
    """

    id: str
    relation: CitationRelation
    in_library: bool
    title: str = ""
    byline: str = ""
    year: int | None = None
    link: str = ""
    links: int = 0
    citation_count: int | None = None
    counted: str = ""
    counted_by: str = ""


@dataclass(frozen=True, slots=True)
class CitationEdge:
    """That one work of a citation graph cites another; both are ids of nodes."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class CitationGraph:
    """Works around seed papers, and which of them cite which.

    Attributes:
        nodes: the seeds, then papers of the library, then other works; of both the most connected first.
        edges: between them.
        left_out: how many further works are connected with those shown.
        services: what each did that was asked.
    """

    nodes: tuple[CitationNode, ...]
    edges: tuple[CitationEdge, ...]
    left_out: int = 0
    services: tuple[ServiceReport, ...] = ()

    @property
    def failed(self) -> tuple[str, ...]:
        """As of `OnlineResults`."""
        return tuple(service.name for service in self.services if service.note)
