"""What the tools of the graph return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from conspectus.mcp.results import PaperCard, Quote, quote, quoted, result_of
from conspectus.records.graph import Discovery, Edge, Entity, Hypothesis, Later, Subgraph
from conspectus.records.views import pick_fields
from conspectus.records.vocabularies import KeptConcept, LinkKind


class EntityNamed(BaseModel):
    """What a vocabulary has a name for, and how many papers and sentences speak of it."""

    id: str
    name: str
    papers: int
    sentences: int


class EdgeCard(BaseModel):
    """That papers speak of two entities together, with some of the sentences."""

    source: str = Field(description="an entity's id")
    target: str
    kind: str = Field(
        description="co-mention: a sentence speaks of both, and claims no more; stated: of their relation"
    )
    papers: int
    sentences: int
    quotes: list[Quote]


class GraphCard(BaseModel):
    """Entities around or between those asked for, what joins them, and the ways from one to another, shortest first."""

    asked: list[str]
    nodes: list[EntityNamed]
    edges: list[EdgeCard]
    paths: list[list[str]]
    note: str


class EntityCard(EntityNamed):
    """An entity as its vocabulary knows it, and what stands with it most, more often than by chance first."""

    vocabulary: str
    definition: str
    names: list[str]
    broader: list[str] = Field(description="names of what it is a kind or a part of")
    edges: list[EdgeCard]


class BridgeCard(BaseModel):
    """An entity that sentences mention with each of the two."""

    via: str = Field(description="its id")
    quotes: list[Quote] = Field(description="it with the source, and it with the target")


class LaterCard(BaseModel):
    """That papers after `until` do speak of both in one sentence."""

    year: int
    papers: int
    sentences: int
    first: Quote | None


class HypothesisCard(BaseModel):
    """Two entities that no sentence joins: where to look, not what is so."""

    rank: int
    source: str = Field(description="the id of the entity asked for")
    target: str
    score: float
    shared: int = Field(description="entities that sentences mention with each of the two")
    papers: int = Field(description="that mention both, though in no sentence")
    paths: list[BridgeCard] = Field(description="the best of what they share")
    later: LaterCard | None


class DiscoveryCard(BaseModel):
    """Suggestions where to look, never findings: no paper of the library says what they may suggest."""

    entity: EntityNamed
    until: int | None
    nodes: list[EntityNamed] = Field(description="all entities that are named here")
    pairs: list[HypothesisCard]
    more: int = Field(description="that are not listed")
    note: str = Field(description="how they are to be taken: tell this with them")


def graph(found: Subgraph) -> CallToolResult:
    """What stands around entities, or between them."""
    edges, named = [_edge(one) for one in found.edges], {one.id: _entity(one) for one in found.nodes}
    body = GraphCard(
        asked=list(found.asked),
        nodes=list(named.values()),
        edges=edges,
        paths=[list(one) for one in found.paths],
        note=found.note,
    )
    lines = [" — ".join(named[name].name for name in path) for path in found.paths]
    return result_of(body, [*lines, *_edge_lines(edges, named), found.note], _papers(edges))


def entity(found: Subgraph, known: Sequence[KeptConcept]) -> CallToolResult:
    """An entity, of which `found` has the neighbours, as one or several vocabularies know it."""
    named = {one.id: _entity(one) for one in found.nodes}
    own = next(one for one in found.nodes if one.id == found.asked[0])
    said = next((one for one in known if one.vocabulary == own.vocabulary), known[0])
    edges = [_edge(one) for one in found.edges]
    body = EntityCard(
        **named[own.id].model_dump(),
        vocabulary=own.vocabulary,
        definition=said.definition,
        names=list(dict.fromkeys(one.text for one in said.names)),
        broader=[one.label or one.id for one in said.links if one.kind in (LinkKind.BROADER, LinkKind.PART_OF)],
        edges=edges,
    )
    heading = f"{own.name} [{own.id}]: sentences: {own.sentences}, papers: {own.papers}. {said.definition}"
    names = f"Names: {', '.join(body.names)}. Broader: {', '.join(body.broader) or 'none'}."
    return result_of(body, [heading, names, *_edge_lines(edges, named)], _papers(edges))


def discovery(found: Discovery) -> CallToolResult:
    """Where it may be worth looking, in words that claim no more."""
    cards = [_hypothesis(one) for one in found.pairs]
    names = {one.id: one.name for one in found.nodes}
    body = DiscoveryCard(
        entity=_entity(found.entity),
        until=found.until,
        nodes=[_entity(one) for one in found.nodes],
        pairs=cards,
        more=found.candidates - len(cards),
        note=found.note,
    )
    papers = [said.paper for card in cards for path in card.paths for said in path.quotes]
    lines = (line for card in cards for line in _hypothesis_lines(card, names, found.until))
    return result_of(body, [found.note, *lines], papers)


def _hypothesis(found: Hypothesis) -> HypothesisCard:
    paths = [
        BridgeCard(via=path.via, quotes=[quote(said) for hop in path.hops for said in hop.examples])
        for path in found.paths
    ]
    return HypothesisCard(
        score=round(found.score, 3),
        paths=paths,
        later=_later(found.later) if found.later else None,
        **pick_fields(found, "rank", "source", "target", "shared", "papers"),
    )


def _later(found: Later) -> LaterCard:
    first = quote(found.first) if found.first else None
    return LaterCard(first=first, **pick_fields(found, "year", "papers", "sentences"))


def _hypothesis_lines(one: HypothesisCard, names: Mapping[str, str], until: int | None) -> Iterator[str]:
    yield f"{one.rank}. May be worth looking into: {names[one.source]} and {names[one.target]} [{one.target}]"
    for path in one.paths:
        yield f"   both are mentioned with {names[path.via]} [{path.via}]:"
        yield from map(quoted, path.quotes)
    if until is not None and one.later is None:
        yield f"   No sentence after {until} mentions both."
    if one.later:
        yield f"   After {until} both are mentioned together, first in {one.later.year}:"
        yield quoted(one.later.first) if one.later.first else ""


def _entity(found: Entity) -> EntityNamed:
    return EntityNamed(**pick_fields(found, "id", "name", "papers", "sentences"))


def _papers(edges: Sequence[EdgeCard]) -> list[PaperCard]:
    return [said.paper for one in edges for said in one.quotes]


def _edge_lines(edges: Sequence[EdgeCard], named: Mapping[str, EntityNamed]) -> Iterator[str]:
    for one in edges:
        ends = f"{named[one.source].name} [{one.source}] — {named[one.target].name} [{one.target}]"
        yield f"{ends}: {one.kind}, sentences: {one.sentences}, papers: {one.papers}"
        yield from map(quoted, one.quotes)


def _edge(found: Edge) -> EdgeCard:
    said = pick_fields(found, "source", "target", "kind", "papers", "sentences")
    return EdgeCard(quotes=[quote(one) for one in found.examples], **said)
