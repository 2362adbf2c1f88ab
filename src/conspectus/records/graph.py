"""What papers say of concepts, and of two of them together; entities that no vocabulary has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from conspectus.records.answer import Citation, Usage
from conspectus.records.paper import Paper
from conspectus.records.passage import PassageKind, Span

LOCAL = "local"
"""The vocabulary of entities that models found, and the prefix of their ids."""
EntityState = Literal["new", "accepted", "rejected"]
"""`new`: it waits for somebody to say which of the others it is."""
REVIEWED: Mapping[str, EntityState] = {"accept": "accepted", "reject": "rejected", "undo": "new"}
"""What is said of an entity, and what it then is."""


@dataclass(frozen=True, slots=True)
class NewEntity:
    """An entity that a language model found, and no vocabulary has.

    Attributes:
        id: `local:` and digits that stand for its name.
        name: the one that papers use most.
        names: as they stand in papers.
        state: what was said of it.
        papers, sentences: how many have such a name in which the model read the entity.
        examples: some of the sentences.
    """

    id: str
    name: str
    names: tuple[str, ...]
    state: EntityState
    papers: int = 0
    sentences: int = 0
    examples: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class NewEntities:
    """Some of these, those first that most sentences have; `total`: how many there are in all."""

    entities: tuple[NewEntity, ...]
    total: int


@dataclass(frozen=True, slots=True)
class ExtractReport:
    """What a language model brought to linking.

    Attributes:
        read: papers that it read now.
        found: places where it found an entity and no name was.
        refused: places where a name was found and it read none of the entities that have it.
        new: entities that wait for review, of all papers.
        failed: passage -> why what it said of that cannot be used; there the names count alone.
        left: papers that were not come to.
        stopped: why the run ended before all were read; "" where it did not.
        model: that was asked; "" where none had to be.
        usage: what that took.
        notes: what the user should know.
    """

    read: int = 0
    found: int = 0
    refused: int = 0
    new: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)
    left: int = 0
    stopped: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()


EdgeKind = Literal["co-mention", "stated"]
"""`co-mention`: one sentence speaks of both, and no more is claimed; `stated`: a model read that it relates them."""

LinkMethod = Literal["exact", "fuzzy", "semantic", "both"]
"""How mentions are found: by names and their forms; by words nearly theirs, too; by vectors, too; by all."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A concept that papers of the library speak of.

    Attributes:
        id: a CURIE.
        name: the name that its vocabulary prefers.
        vocabulary: the name of its vocabulary.
        papers, sentences: how many speak of it.
    """

    id: str
    name: str
    vocabulary: str
    papers: int = 0
    sentences: int = 0


@dataclass(frozen=True, slots=True)
class Mention:
    """Where a sentence mentions an entity: `text == passage.text[start:end]`.

    Attributes:
        entity: its id, and its `name`.
        text: the words of the paper.
        passage_id: of the passage, in whose text `start` and `end` are offsets.
        span_id: of the sentence.
        score: 0..1, how certain it is that the words mean the entity.
        method: how it was found (`exact`, `form`, `learnt`, `fuzzy`, `semantic`, `model` …).
        others: other entities that the words could mean: (id, score) pairs.
        vocabulary: the name of the entity's vocabulary.
    """

    entity: str
    name: str
    text: str
    passage_id: str
    span_id: str
    start: int
    end: int
    score: float
    method: str
    others: tuple[tuple[str, float], ...] = ()
    vocabulary: str = ""


@dataclass(frozen=True, slots=True)
class EntityList:
    """Entities of the library or of one paper, and of one paper its mentions in reading order; `note`: their order."""

    entities: tuple[Entity, ...]
    mentions: tuple[Mention, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class SentenceMentions:
    """What sentences mention, in their order; `linked`: whether any sentence of the library mentions an entity."""

    linked: bool
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """That papers speak of two entities together.

    Attributes:
        source, target: their ids.
        kind: what is claimed.
        papers, sentences: how many do.
        examples: some of the sentences.
    """

    source: str
    target: str
    kind: EdgeKind
    papers: int
    sentences: int
    examples: tuple[Citation, ...] = ()

    @property
    def spans(self) -> tuple[Span, ...]:
        """The sentences of the examples."""
        return tuple(span for example in self.examples for span in example.spans)


@dataclass(frozen=True, slots=True)
class Subgraph:
    """What a library says around some entities.

    Attributes:
        asked: the ids of the entities that were asked for.
        nodes: these, and those around or between them.
        edges: the strongest first.
        paths: ids of entities, from one that was asked for to another one, the shortest and strongest first.
        note: what is to be told.
    """

    asked: tuple[str, ...]
    nodes: tuple[Entity, ...]
    edges: tuple[Edge, ...]
    paths: tuple[tuple[str, ...], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class EntityParagraph:
    """A paragraph that mentions entities, with the sentences that do.

    Attributes:
        id, kind, section, text: see `PaperParagraph`.
        citations: the sentences, each with its places.
    """

    paper: Paper
    id: str
    kind: PassageKind
    section: str
    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class EntityParagraphs:
    """Paragraphs that mention all of some entities, those with the most such sentences first.

    Attributes:
        entities: that were asked for.
        papers: how many papers mention them all.
    """

    entities: tuple[Entity, ...]
    paragraphs: tuple[EntityParagraph, ...]
    papers: int


@dataclass(frozen=True, slots=True)
class EntityCard:
    """An entity as its vocabulary describes it, with its neighbours.

    Attributes:
        names: all its names.
        broader: names of what it is a kind or a part of.
        nodes: the entity and its neighbours.
        edges: the strongest first, each with sentences.
    """

    entity: Entity
    definition: str
    names: tuple[str, ...]
    broader: tuple[str, ...]
    nodes: tuple[Entity, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class GraphVerdict:
    """What finding passages by the graph, too, was measured to gain on questions of a library's own.

    Attributes:
        method: `subgraph` or `pagerank`.
        metric: of which the others are: `gain`, the mean difference to a search without it, and its 95 % interval.
        questions: how many were asked.
        made: when, ISO 8601, UTC.
        change: the catalog's counter of changes then; `papers`, `mentions`: how many there were.
        basis: what vocabularies, embedder and weight it holds for.
        asked: `any`: questions that know nothing of the graph; `apart`: of entities that no sentence joins.
    """

    method: Literal["subgraph", "pagerank"]
    metric: str
    gain: float
    low: float
    high: float
    questions: int
    made: str
    change: int
    papers: int
    mentions: int
    basis: str
    asked: Literal["any", "apart"] = "any"

    @property
    def gains(self) -> bool:
        """Whether all of the interval is above 0."""
        return self.low > 0

    def __str__(self) -> str:
        gain = f"{self.metric} {self.gain:+.3f} [{self.low:+.3f}, {self.high:+.3f}] on {self.questions} questions"
        of = " of entities that no sentence joins" if self.asked == "apart" else ""
        return f"{self.method} {gain}{of}, {self.made[:10]}"


@dataclass(frozen=True, slots=True)
class LinkReport:
    """What linking came to.

    Attributes:
        linked: papers that were gone through now; `papers`: that are in the library.
        mentions: of how many `entities` in all the library's papers.
        failed: papers that could not be gone through.
        vocabularies: by which.
        extracted: what a language model brought to it; None where none was asked for.
    """

    linked: int
    papers: int
    mentions: int
    entities: int
    failed: int
    vocabularies: tuple[str, ...]
    extracted: ExtractReport | None = None

    @property
    def stopped(self) -> str:
        """Why the language model has not read all papers; "" if it has, or none was asked."""
        read = self.extracted
        return "" if read is None else read.stopped or next(iter(read.failed.values()), "")


@dataclass(frozen=True, slots=True)
class RelateReport:
    """What `graph relate` did.

    Attributes:
        read: id -> number of relations, of the papers that were read.
        failed: id -> why a paper could not be.
        relations: of all that were read.
        left: how many papers were not come to.
        stopped: why the run ended before all were done; "" where it did not.
        model: that was asked; "" where none had to be.
        usage: what that took.
        notes: what the user should know.
    """

    read: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    relations: int = 0
    left: int = 0
    stopped: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntityMerge:
    """That an entity, of this id and name, was merged into another one.

    Attributes:
        made: when a user did (ISO 8601); "": vocabularies say so.
        why: what these say: it is replaced, the same, cross-referenced with a name in common, or has the name of what
            was merged; "": a user says so.
    """

    entity: str
    name: str
    into: str
    into_name: str
    made: str
    why: Literal["", "replaced", "same", "cross-reference", "name"] = ""


@dataclass(frozen=True, slots=True)
class GraphExport:
    """How many entities, papers and sentences were written, and `related`: of what joins two entities.

    Attributes:
        paragraphs: how many paragraphs have these sentences.
        pruned: how many nodes and edges of earlier loads were removed from a database.
        path: of the file or folder; "" if it went elsewhere.
        to: the format, or the address of the database.
    """

    entities: int
    papers: int
    sentences: int
    related: int
    pruned: int = 0
    path: str = ""
    to: str = ""
    paragraphs: int = 0


@dataclass(frozen=True, slots=True)
class Bridge:
    """A path of two edges between two entities, by a third one that sentences mention with each of them.

    Attributes:
        via: the id of the third entity.
        worth: what it adds to `Hypothesis.worth`.
        hops: from the source to it, and from it to the target, each with sentences.
    """

    via: str
    worth: float
    hops: tuple[Edge, Edge]


@dataclass(frozen=True, slots=True)
class Later:
    """That later papers do speak of two entities in one sentence.

    Attributes:
        year: of the first of them.
        papers, sentences: how many do.
        first: the first sentence.
    """

    year: int
    papers: int
    sentences: int
    first: Citation | None


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Two entities that no sentence joins, though they share entities that are joined to both. No finding.

    Attributes:
        rank: from 1.
        source: the id of the entity asked for; `target`: of the other one.
        score: by which hypotheses are ranked: the log odds, but for a constant, that a sentence soon joins them
            (measures by their weights in `Discovery.ranking`, of which the next four are shown), less what is lost
            because an entity is general or doubtful, or anybody knows of both.
        worth: the sum, over all that they share, of 1 / ln(entities that it is joined to) (Adamic and Adar 2003).
        spoken: ln(1 + sentences) of the one and of the other, added up; newer sentences count more.
        product: the same, one by the other.
        beside: ln(1 + papers that speak of both), newer papers counting more.
        shared: how many entities are joined to both.
        papers: that speak of both, though in no sentence.
        paths: the best of what they share.
        later: what papers after `Discovery.until` say; None: nothing, or no year was given.
    """

    rank: int
    source: str
    target: str
    score: float
    worth: float
    spoken: float
    product: float
    beside: float
    shared: int
    papers: int
    paths: tuple[Bridge, ...]
    later: Later | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """What each measure of a hypothesis counts.

    Attributes:
        worth, spoken, product, beside: their weights.
        others: the weights of measures that no hypothesis shows; see `graph.link_prediction`.
        learnt: of how many pairs that sentences of the library's last years were the first to join; 0: of none, for
            there are too few.
    """

    worth: float
    spoken: float
    product: float
    beside: float
    learnt: int
    others: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Discovery:
    """Where it may be worth looking, by Swanson's A–B–C (1986): hypotheses, and the sentences that suggest them.

    Attributes:
        entity: that was asked for.
        until: the last year that counts; None: all.
        candidates: how many entities share something with it and are joined to it by no sentence.
        ranking: by which they are ranked.
        nodes: all entities that the pairs and their paths name.
        pairs: the entity with the best of the candidates.
        note: how they are to be taken.
    """

    entity: Entity
    until: int | None
    candidates: int
    ranking: Ranking
    nodes: tuple[Entity, ...]
    pairs: tuple[Hypothesis, ...]
    note: str
