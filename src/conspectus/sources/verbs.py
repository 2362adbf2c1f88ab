"""Find papers online, add them, complete what is known of papers, and follow what is new.

Nothing is asked unless `sources.online` is true, or a call allows it. Modules that need SQLAlchemy are imported by the
verbs, so that help is fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from conspectus.core.job_context import Notice, emit, listen
from conspectus.core.text import pluralize
from conspectus.faces.declare import Option, VerbGroup, failures_code, verb
from conspectus.faces.filters import PaperNames, Progressing
from conspectus.records import AddReport
from conspectus.records.events import Progress
from conspectus.records.filters import YearRange
from conspectus.records.sources import AddedWorks, CitationGraph, EnrichReport, KeptSearch, OnlineResults, ServiceState

if TYPE_CHECKING:
    from conspectus.services.protocol import WorkQuery

_TEXT: dict[str, Any] = {"max_length": 2000}
_FROM: dict[str, Any] = {
    **{"flag": "from", "query": "from", "metavar": "SERVICES"},
    **{"max_items": 20, "example": ["europepmc"]},
}
FromServices = Annotated[
    tuple[str, ...],
    Option(
        "Service to ask, or several with commas: europepmc, arxiv, pubmed, pmc, crossref, openalex, semanticscholar, "
        "ads, datacite (default: those of europepmc, arxiv and crossref that can be asked this).",
        **_FROM,
    ),
]
CompleteFrom = Annotated[
    tuple[str, ...],
    Option(
        "Service to ask, or several with commas; also unpaywall (default: all but openalex, which may cost money, and "
        "those that lack a key).",
        **_FROM,
    ),
]
Words = Annotated[
    str, Option("Words in title, abstract or text.", metavar="WORDS…", words=True, example="grid cells", **_TEXT)
]
Author = Annotated[str, Option("Name or ORCID of an author.", metavar="NAME", **_TEXT)]
Venue = Annotated[str, Option("Journal or conference.", metavar="NAME", **_TEXT)]
Mesh = Annotated[str, Option("MeSH heading, with those below it.", metavar="HEADING", **_TEXT)]
Citing = Annotated[
    str, Option("Only works that cite this paper: an identifier, or a paper of the library.", metavar="PAPER", **_TEXT)
]
CitedBy = Annotated[
    str, Option("Only works that this paper cites: an identifier, or a paper of the library.", metavar="PAPER", **_TEXT)
]
Most = Annotated[int, Option("Maximum number of results.", ge=1, le=10_000, short="k", metavar="N", served_le=1000)]
Online = Annotated[bool | None, Option("Ask services in this call (default: sources.online).", faces=("cli",))]
FullTexts = Annotated[bool, Option("Also fetch and read full texts that are open.")]
SearchName = Annotated[str, Option("Name of a saved search.", max_length=200, metavar="NAME")]


class SourceVerbs(VerbGroup, name="sources"):
    """Find, add and follow papers online, and complete their metadata."""

    @verb(
        http="POST /sources/find", tool="find_online", job=True, creates=True, online=True, exit_code=failures_code
    )  # fmt: skip
    def find(
        self,
        words: Words = "",
        *,
        from_services: FromServices = (),
        year: YearRange = None,
        author: Author = "",
        venue: Venue = "",
        mesh: Mesh = "",
        citing: Citing = "",
        cited_by: CitedBy = "",
        k: Most = 25,
        add: Annotated[bool, Option("Add them to the library.", faces=("cli",), absent=False)] = False,
        full_text: Annotated[
            bool, Option("Also fetch and read open full texts of what is added.", faces=("cli",), absent=False)
        ] = False,
        online: Online = None,
        progress: Progressing = None,
    ) -> OnlineResults:
        """Find papers by asking services online, best first; each paper once, however many services have it.

        If a service does not answer, you are told, and only its results are missing. Requests stay within each
        service's published limits; answers are kept for sources.max_age days.

        Raises:
            UsageError: there is nothing to search for, no service can search for it, or asking online is not allowed.
        """
        from conspectus.sources import online_works, queries

        options = {"words": words, "author": author, "venue": venue, "mesh": mesh, "citing": citing}
        query = queries.make_query(self.session, {**options, "cited_by": cited_by}, year)
        with listen(progress, Progress):
            pool, services = self._pool(online, from_services, query)
            results, works = online_works.find_works(self.session, pool, services, query, k)
            if not ((add or full_text) and works):
                return results
            report = self._add_works(works, results.query, full_text, pool)
            return replace(results, added=report.added, unread=report.unread, services=pool.reports())

    @verb(http="POST /sources/papers", job=True, writes=True, creates=True, command=False, exit_code=failures_code)
    def add(
        self,
        papers: Annotated[
            tuple[str, ...],
            Option("DOIs, arXiv ids, PMIDs, PMCIDs, bibcodes, links.", max_items=1000, example=["10.1038/nature03721"]),
        ],
        *,
        full_text: FullTexts = False,
        found_for: Annotated[str, Option("The question or search that brought them.", **_TEXT)] = "",
        online: Online = None,
        progress: Progressing = None,
    ) -> AddedWorks:
        """Add papers by identifiers or links; on the command line `add` does it.

        Raises:
            UsageError: asking services online is not allowed.
        """
        from conspectus.services.pool import check_online
        from conspectus.sources.online_works import fetch_names

        check_online(self.session.settings.sources, online)
        with listen(progress, Progress):
            fetched = fetch_names(self.session, papers, found_for, full_text, True)  # never a file of this machine
            report = self.owner.add([*fetched.paths]) if fetched.paths else AddReport()
        return AddedWorks(report.new_papers, (*report.failed, *fetched.failed), fetched.unread)

    def _pool(
        self, online: bool | None, names: tuple[str, ...], query: WorkQuery | None = None, *, fresh: bool = False
    ) -> tuple[Any, tuple[str, ...]]:
        """The services that may be asked, and the names of those that are wanted; `fresh`: kept answers will not do.

        Where none is named, those that cannot be asked a query are left out.
        """
        from conspectus.services.pool import ServicePool, check_online, chosen_services

        settings = self.session.settings.sources
        check_online(settings, online)
        names_given = [name.strip() for listed in names for name in listed.split(",") if name.strip()]
        pool = ServicePool(replace(settings, max_age=0.0) if fresh else settings)
        chosen = chosen_services(names_given)
        able = tuple(name for name in chosen if not pool.cannot(name, query))
        return pool, able if able and not names_given else chosen

    def _add_works(self, works: Any, found_for: str, full_text: bool, pool: Any) -> AddedWorks:
        from conspectus.sources import online_works

        fetched = online_works.FullTexts()
        if full_text:
            fetched = online_works.fetch_full_texts(self.session, pool, works)
        paths = online_works.keep_records(self.session, works, found_for, fetched.files)
        report = self.owner.add(paths) if paths else AddReport()
        return AddedWorks(report.new_papers, report.failed, tuple(fetched.unread))

    @verb(http="POST /sources/enrich", job=True, writes=True, exit_code=failures_code)
    def enrich(
        self,
        papers: PaperNames = (),
        *,
        from_services: CompleteFrom = (),
        full_text: FullTexts = False,
        online: Online = None,
        progress: Progressing = None,
    ) -> EnrichReport:
        """Complete the metadata of papers: identifiers, abstracts, counts, references, retractions.

        Dates, licences, open copies and corrections, too. What your own files say stays; services fill what they lack.

        Raises:
            NotFoundError: there is no such paper.
            UsageError: asking services online is not allowed.
        """
        from conspectus.sources.enrichment import enrich_papers

        with listen(progress, Progress):
            pool, services = self._pool(online, from_services)
            chosen = sorted(self.session.paper_ids(papers)) if papers else None
            return enrich_papers(
                self.session, pool, services if from_services else None, chosen, self._add_works, full_text
            )

    @verb(http="POST /sources/searches", job=True, writes=True, creates=True, key="search")
    def follow(
        self,
        words: Words = "",
        *,
        name: Annotated[str, Option("What to call it (default: the query).", max_length=200, metavar="NAME")] = "",
        from_services: FromServices = (),
        year: YearRange = None,
        author: Author = "",
        venue: Venue = "",
        mesh: Mesh = "",
        citing: Citing = "",
        cited_by: CitedBy = "",
        online: Online = None,
        progress: Progressing = None,
    ) -> KeptSearch:
        """Keep a search: `sources news` asks it again, and shows what is new. Nothing runs by itself.

        Raises:
            UsageError: as for `find`, or another saved search has the name.
        """
        from conspectus.sources import kept_searches, queries
        from conspectus.sources.kept_searches import known_works
        from conspectus.store.connection import aside, transact

        options = {"words": words, "author": author, "venue": venue, "mesh": mesh, "citing": citing}
        query = queries.make_query(self.session, {**options, "cited_by": cited_by}, year)
        title = " ".join(name.split()) or queries.describe_query(query)
        kept_searches.check_free(self.session.catalog, title)
        with listen(progress, Progress):
            pool, services = self._pool(online, from_services, query)
            finds = known_works(self.session, pool, services, query)
        values = queries.fields_of_query(query)
        transact(
            self.session.catalog.engine,
            lambda connection: kept_searches.add_search(connection, title, values, services, finds),
            aside,
        )
        return next(search for search in self.followed() if search.name == title)

    @verb(http="GET /sources/searches", key="searches")
    def followed(self) -> tuple[KeptSearch, ...]:
        """List the saved searches."""
        from conspectus.sources.kept_searches import list_searches

        return list_searches(self.session.catalog)

    @verb(http="DELETE /sources/searches/{name}", key="search", writes=True)
    def unfollow(self, name: SearchName) -> KeptSearch:
        """Forget a saved search. Papers that were added stay.

        Raises:
            NotFoundError: there is no such search.
        """
        from conspectus.sources import kept_searches
        from conspectus.store.connection import aside, transact

        key, _, _ = kept_searches.query_of(self.session.catalog, name)
        search = next(
            candidate for candidate in self.followed() if candidate.name.casefold().split() == name.casefold().split()
        )
        transact(self.session.catalog.engine, lambda connection: kept_searches.drop_search(connection, key), aside)
        return search

    @verb(http="POST /sources/news", job=True, writes=True, exit_code=failures_code)
    def news(
        self,
        name: Annotated[str, Option("Only this saved search.", max_length=200, metavar="NAME")] = "",
        *,
        add: Annotated[bool, Option("Add them to the library.")] = False,
        full_text: Annotated[bool, Option("Also fetch and read open full texts of what is added.")] = False,
        online: Online = None,
        progress: Progressing = None,
    ) -> OnlineResults:
        """Run the saved searches again and show what is new since the last time.

        If a service does not answer, its news is shown next time.

        Raises:
            NotFoundError: there is no such search.
            UsageError: no search is saved, or asking services online is not allowed.
        """
        from conspectus.sources.kept_searches import find_news

        with listen(progress, Progress):
            pool, _ = self._pool(online, (), fresh=True)
            return find_news(self.session, pool, name, self._add_works if add else None, full_text)

    @verb(http="GET /sources/graph", exit_code=failures_code)
    def graph(
        self,
        papers: Annotated[
            str | Sequence[str],
            Option(
                "Seeds: papers of the library, by any of their names.", metavar="PAPER…", max_items=20, query="paper"
            ),
        ],
        *,
        k: Annotated[int, Option("Works at most, seeds included.", ge=1, le=200, short="k", metavar="N")] = 40,
        output: Annotated[
            str, Option("Also write it to a file: .json, .graphml or .csv.", metavar="FILE", faces=("cli",))
        ] = "",
        online: Online = None,
        offline: Annotated[bool, Option("Ask no service, whatever sources.online says.", faces=("http",))] = False,
        progress: Progressing = None,
    ) -> CitationGraph:
        """Show the works around papers by citations: earlier ones, later ones, and those that are near.

        Works that the library does not have are known from lists of references, and from services where these may be
        asked; none is added. Of services the first that knows a paper's references, or the works that cite it, is
        asked: europepmc, semanticscholar, openalex, ads.

        Raises:
            NotFoundError: there is no such paper.
            UsageError: the file's ending names no format, or it cannot be written.
        """
        from conspectus.services.pool import ServicePool
        from conspectus.sources.citation_graph import build_graph, check_format, write_graph

        if output:
            check_format(output)
        settings = self.session.settings.sources
        may_ask = (settings.online if online is None else online) and not offline
        names = dict.fromkeys([papers] if isinstance(papers, str) else papers)
        seeds = {paper.id: paper for paper in map(self.session.paper, names)}
        with listen(progress, Progress):
            graph = build_graph(self.session, [*seeds.values()], k, ServicePool(settings) if may_ask else None)
        if output:
            write_graph(graph, output)
            emit(Notice(f"Wrote {pluralize(len(graph.nodes), 'work')} to '{output}'."))
        return graph

    @verb(http="GET /sources", key="services", optional=True)
    def list(self) -> tuple[ServiceState, ...]:
        """List the services: address, key (never shown), limits, today's remaining budget, and the last reply."""
        from conspectus.sources.service_states import list_services

        return list_services(self.session.settings.sources)
