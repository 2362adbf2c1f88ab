"""The citation graph around seed papers: what they cite, what cites them, and what is near by citations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import msgspec
from sqlalchemy import select

from conspectus.core.errors import UsageError
from conspectus.core.output import csv_line, writing_to
from conspectus.core.text import json_text, line
from conspectus.ingest.derivations.facts import name_of_text, number_of, own_names, reference_name
from conspectus.ingest.linked_files import cited_works
from conspectus.ingest.paper_merge import merge
from conspectus.parse.text.identifiers import identify
from conspectus.records import Metadata, Paper, Reference
from conspectus.records.sources import CitationEdge, CitationGraph, CitationNode, CitationRelation, ServiceReport
from conspectus.search.citation_links import parts_by_citations, total_scores
from conspectus.services.identifiers import identifiers_of, read_identifier
from conspectus.services.pool import ServicePool
from conspectus.services.protocol import WorkQuery
from conspectus.session.session import Session
from conspectus.sources.online_works import combine, papers_of, same_works
from conspectus.store.catalog import Catalog
from conspectus.store.schema import citations

_CITATION_SERVICES = ("europepmc", "semanticscholar", "openalex", "ads")
"""Who is asked for references and citing works: the next where one knows none."""
_ONLINE_WORKS = 100
"""References, or citing works, of a seed that services are asked for, at most."""
_LIBRARY_SHARE = 2 / 3
"""Of the works shown besides the seeds: those of the library, where there are enough others."""
_LONGEST_TEXT = 300
_SEED_WEIGHT = 2
"""What a citation from or of a seed counts; one from another paper counts 1."""


@dataclass(slots=True, eq=False)
class _Work:
    """A work that may be shown: `names` and `cites` are numbers of works, as the catalog's table of citations has."""

    record: Metadata
    paper_id: str = ""
    names: set[int] = field(default_factory=set)
    cites: set[int] = field(default_factory=set)

    @property
    def id(self) -> str:
        """Of the paper; else its surest identifier, or a number."""
        known = identifiers_of(self.record)
        return self.paper_id or (str(known[0]) if known else f"work:{min(self.names, default=0):x}")


def build_graph(session: Session, papers: Sequence[Paper], k: int, pool: ServicePool | None) -> CitationGraph:
    """At most `k` works around papers, the most connected; more only if there are more seeds.

    Args:
        session: the open library.
        papers: the seeds.
        k: how many works, seeds included.
        pool: services to ask for references and citing works; None: nobody is asked.
    """
    with session.catalog.snapshot() as catalog:
        keys = [catalog.paper_key(paper.id) for paper in papers]
        scores = total_scores(parts_by_citations(catalog, keys), keys)
        seeds = _members(catalog, keys)
        room = max(k - len(seeds), 0)
        near = _members(catalog, list(scores)[:room])
        first = near[: round(room * _LIBRARY_SHARE)]
        connected = [*_references(session, catalog, [*seeds, *first])]
        if pool:
            connected += _ask_services(pool, seeds)
        members = {work.paper_id: work for work in (*seeds, *near)}
        others = _take_known(session, catalog, _group(connected), members)
    cited_online = [work for work in members.values() if work not in seeds and work not in near]
    outside = _rank(others, seeds, first)
    near = [*first, *cited_online, *near[len(first) :]]
    outer = outside[: room - min(len(first) + len(cited_online), round(room * _LIBRARY_SHARE), room)]
    members_shown = [*seeds, *near[: room - len(outer)], *outer]
    left_out = len(seeds) + len(scores) + len(cited_online) + len(outside) - len(members_shown)
    return _graph(members_shown, {work.paper_id for work in seeds}, left_out, pool.reports() if pool else ())


def _members(catalog: Catalog, keys: Sequence[int]) -> list[_Work]:
    """Papers of the library with what the catalog knows of their citations."""
    papers = catalog.papers_by_key(keys)
    works = {key: _Work(papers[key], papers[key].id) for key in keys if key in papers}
    for row in catalog.rows_where(select(citations), citations.c.paper_key, sorted(works)):
        (works[row.paper_key].names if row.own else works[row.paper_key].cites).add(row.work)
    return [*works.values()]


def _references(session: Session, catalog: Catalog, members: Sequence[_Work]) -> Iterator[_Work]:
    """The works that members cite and the library does not have, as their lists of references describe them."""
    cited = {number for member in members for number in member.cites}
    query = select(citations.c.work).where(citations.c.own)
    known = {row.work for row in catalog.rows_where(query, citations.c.work, sorted(cited))}
    listed: dict[int, Reference] = {}
    for member in members:
        assert isinstance(member.record, Paper)
        parsed = merge(session.documents(member.record)).references
        for reference in parsed or [Reference("", text) for text in member.record.references]:
            number = number_of(reference_name(reference))
            if number in cited - known and len(reference.title) >= len(getattr(listed.get(number), "title", "")):
                listed[number] = reference
    for work, (number, reference) in zip(cited_works(catalog, [*listed.values()]), listed.items(), strict=True):
        yield _Work(_record(reference), work.paper_id, {number})


def _record(reference: Reference) -> Metadata:
    """What an entry of a list of references says; the entry as it is printed, where it tells neither title nor name."""
    identifiers = {scheme: value for scheme in ("doi", "arxiv_id", "pmid") if (value := getattr(reference, scheme))}
    extra: dict[str, str] = {}
    if not identifiers and not reference.title:
        identifier = read_identifier(reference.text)
        scheme, value = (identifier.scheme, identifier.value) if identifier else identify(reference.text)
        if value:
            (identifiers if scheme in ("doi", "arxiv_id", "pmid", "bibcode") else extra)[scheme] = value
    title = reference.title or ("" if identifiers or extra else reference.text[:_LONGEST_TEXT])
    return Metadata(title=title, authors=reference.authors, year=reference.year, venue=reference.venue,
                    extra=extra, **identifiers)  # fmt: skip


def _ask_services(pool: ServicePool, seeds: Sequence[_Work]) -> Iterator[_Work]:
    """The references of seeds, which these then cite, and the works that cite them."""
    for seed in seeds:
        identifier = next(iter(identifiers_of(seed.record)), None)
        if identifier is None:
            continue
        for record in _first_answer(pool, WorkQuery(cited_by=identifier)):
            work = _of_service(record)
            seed.cites |= work.names
            yield work
        for record in _first_answer(pool, WorkQuery(citing=identifier)):
            work = _of_service(record)
            work.cites |= seed.names
            yield work


def _first_answer(pool: ServicePool, query: WorkQuery) -> list[Metadata]:
    for name in _CITATION_SERVICES:
        if not pool.cannot(name, query) and (works := pool.find([name], query, _ONLINE_WORKS)[name]):
            return works
    return []


def _of_service(record: Metadata) -> _Work:
    names = {number_of(name) for name in own_names(record)} or {number_of(str(next(iter(identifiers_of(record)), "")))}
    cites = {number_of(name) for text in record.references if (name := name_of_text(text))}
    return _Work(record, "", names, cites - names)


def _group(works: Sequence[_Work]) -> list[_Work]:
    """Each work once, by its names, its identifiers, or title, author and year."""
    by_name: dict[int, list[_Work]] = {}
    for work in works:
        group = next((by_name[name] for name in work.names if name in by_name), [])
        group.append(work)
        by_name |= dict.fromkeys(work.names, group)
    once = [_join(group) for group in {id(group): group for group in by_name.values()}.values()]
    return [_join([once[number] for number in numbers]) for numbers in same_works([work.record for work in once])]


def _join(works: Sequence[_Work]) -> _Work:
    best = sorted(works, key=lambda work: "service" not in work.record.extra)
    names, cites = ({number for work in works for number in getattr(work, name)} for name in ("names", "cites"))
    paper_id = next((work.paper_id for work in works if work.paper_id), "")
    return _Work(combine([work.record for work in best]), paper_id, names, cites - names)


def _take_known(session: Session, catalog: Catalog, works: Sequence[_Work], members: dict[str, _Work]) -> list[_Work]:
    """Add those that are papers of the library to the members, with what is said of their citations; the others."""
    others = []
    known = papers_of(session, [[work.record] for work in works])
    for work, library_id in zip(works, known, strict=True):
        paper_id = work.paper_id or library_id
        if not paper_id:
            others.append(work)
            continue
        if paper_id not in members:
            members[paper_id] = _members(catalog, [catalog.paper_key(paper_id)])[0]
        members[paper_id].names |= work.names
        members[paper_id].cites |= work.cites
    return others


def _rank(works: Sequence[_Work], seeds: Sequence[_Work], near: Sequence[_Work]) -> list[_Work]:
    """The works that a seed cites, that cite one, or that several papers cite; the most connected first."""
    of_seeds = {number for seed in seeds for number in seed.names}
    ranked: list[tuple[tuple[float, bool, int], int]] = []
    for place, work in enumerate(works):
        by_seeds = sum(bool(seed.cites & work.names) for seed in seeds) + len(work.cites & of_seeds)
        by_others = sum(bool(other.cites & work.names) for other in near)
        if by_seeds or by_others > 1:
            score = _SEED_WEIGHT * by_seeds + by_others
            ranked.append(((-score, not work.record.title, -(work.record.citation_count or 0)), place))
    return [works[place] for _, place in sorted(ranked)]


def _graph(
    works: Sequence[_Work], seeds: Collection[str], left_out: int, services: tuple[ServiceReport, ...]
) -> CitationGraph:
    place_of = {name: place for place, work in enumerate(works) for name in work.names}
    pairs = {(place, place_of[name]) for place, work in enumerate(works) for name in work.cites & place_of.keys()}
    pairs = {(source, target) for source, target in pairs if source != target}
    ids = [work.id for work in works]
    links = Counter(place for pair in pairs for place in pair)
    of_seeds = {place for place, work in enumerate(works) if work.paper_id in seeds}
    cited = {target for source, target in pairs if source in of_seeds}
    citing = {source for source, target in pairs if target in of_seeds}
    nodes = []
    for place, work in enumerate(works):
        relation: CitationRelation = "near" if work.paper_id else "earlier"
        if place in of_seeds:
            relation = "seed"
        elif place in cited:
            relation = "earlier"
        elif place in citing:
            relation = "later"
        nodes.append(_node(work, relation, links[place]))
    edges = tuple(CitationEdge(ids[source], ids[target]) for source, target in sorted(pairs))
    return CitationGraph(tuple(nodes), edges, left_out, services)


def _node(work: _Work, relation: CitationRelation, links: int) -> CitationNode:
    record = work.record
    values = [record.extra.get(name) for name in ("counted", "counted_by", "service")]
    date, counted_by, service = (value if isinstance(value, str) else "" for value in values)
    return CitationNode(
        id=work.id,
        relation=relation,
        in_library=bool(work.paper_id),
        title=record.heading,
        byline=record.byline,
        year=record.year,
        link=record.link,
        links=links,
        citation_count=record.citation_count,
        counted=date if record.citation_count is not None else "",
        counted_by=(counted_by or service) if date and record.citation_count is not None else "",
    )


_FIELDS = tuple(field.name for field in fields(CitationNode) if field.name != "id")
_TYPES = {"in_library": "boolean", "year": "int", "links": "int", "citation_count": "int"}


def check_format(path: str) -> None:
    """See that a graph can be written to a file of this name.

    Raises:
        UsageError: its ending names no format.
    """
    if Path(path).suffix.lower() not in _FORMATS:
        raise UsageError(
            f"'{path}' does not say in which format the graph is to be written.",
            f"End the file's name in one of {', '.join(_FORMATS)}.",
        )


def write_graph(graph: CitationGraph, path: str) -> None:
    """Write a graph in the format that the file's ending names.

    Raises:
        UsageError: the file cannot be written, or as `check_format`.
    """
    check_format(path)
    with writing_to(path) as stream:
        for piece in _FORMATS[Path(path).suffix.lower()](graph):
            stream.write(piece)


def _json(graph: CitationGraph) -> Iterator[str]:
    yield json_text({"schema": "conspectus.sources.graph/1", **msgspec.to_builtins(graph)}, 1) + "\n"


def _graphml(graph: CitationGraph) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for name in _FIELDS:
        yield f'<key id="{name}" for="node" attr.name="{name}" attr.type="{_TYPES.get(name, "string")}"/>\n'
    yield '<graph edgedefault="directed">\n'
    for node in graph.nodes:
        values = ((name, getattr(node, name)) for name in _FIELDS)
        data = "".join(f'<data key="{name}">{_xml(value)}</data>' for name, value in values if value not in (None, ""))
        yield f"<node id={quoteattr(line(node.id))}>{data}</node>\n"
    for edge in graph.edges:
        yield f"<edge source={quoteattr(line(edge.source))} target={quoteattr(line(edge.target))}/>\n"
    yield "</graph>\n</graphml>\n"


def _xml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else escape(line(str(value)))


def _csv(graph: CitationGraph) -> Iterator[str]:
    """A row for each work, with the ids of the works that it cites."""
    cites: dict[str, list[str]] = {}
    for edge in graph.edges:
        cites.setdefault(edge.source, []).append(edge.target)
    yield csv_line(["id", *_FIELDS, "cites"])
    for node in graph.nodes:
        values = (getattr(node, name) for name in ("id", *_FIELDS))
        cells = [line(value) if isinstance(value, str) else value for value in values]
        yield csv_line([*cells, cites.get(node.id, [])])


_FORMATS: Mapping[str, Callable[[CitationGraph], Iterator[str]]] = {".json": _json, ".graphml": _graphml, ".csv": _csv}
