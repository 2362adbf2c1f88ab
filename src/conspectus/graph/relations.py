"""What sentences state about two entities, as a language model reads it (K7): it chooses numbers, code copies words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

import msgspec

from conspectus.core.errors import ConspectusError
from conspectus.core.groups import grouped
from conspectus.core.text import pluralize
from conspectus.graph import sql
from conspectus.graph.mention_finder import linking_version
from conspectus.graph.passage_reader import ROLE, PassageReader, Works, format_spans, read_batches
from conspectus.ingest.derivations.facts import RelationRows
from conspectus.ingest.derivations.protocol import Made, Subject
from conspectus.llm.call_cache import LibraryCallCache
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec, SpanNumbers
from conspectus.llm.prompts import fenced
from conspectus.records import Paper, Passage
from conspectus.records.graph import RelateReport
from conspectus.session.session import Session
from conspectus.store import derivations, entities
from conspectus.store.codec import pack
from conspectus.store.derivations import Row
from conspectus.store.rows import local_name

PROMPT = "relate"
MOST = 40
"""Entities of a passage that are asked about: those that most of its sentences mention."""


class StatedRelation(msgspec.Struct):
    """Two entities by their numbers, `second` 0: one alone; and the sentences."""

    first: Annotated[int, msgspec.Meta(ge=1, le=MOST)]
    second: Annotated[int, msgspec.Meta(ge=0, le=MOST)]
    spans: Annotated[SpanNumbers, msgspec.Meta(extra_json_schema={"minItems": 1})]


class RelationReply(msgspec.Struct):
    """What the prompt `relate` gives."""

    relations: list[StatedRelation]


@dataclass(frozen=True, slots=True)
class Spoken:
    """A passage and what it mentions: concept -> its label, and the ids of the sentences that do."""

    paper: Paper
    passage: Passage
    entities: Mapping[int, tuple[str, frozenset[str]]]


@dataclass(frozen=True, slots=True)
class Relation:
    """Two concepts, or one (`other` None), and the ids of the sentences that say something of them."""

    passage: str
    concept: int
    other: int | None
    spans: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RelationOutcome:
    """The outcome of a paper: its relations, and how many were left out; or why there are none."""

    paper: str
    relations: tuple[Relation, ...] = ()
    left_out: int = 0
    error: ConspectusError | None = None


class Relater(PassageReader):
    """Reads what passages state."""

    async def read(self, works: Mapping[str, Sequence[Spoken]], put: Callable[[RelationOutcome], None]) -> None:
        """Report the outcome of each paper, by its id."""
        await asyncio.gather(*(self._paper(name, spoken, put) for name, spoken in works.items()))

    async def _paper(self, name: str, spoken: Sequence[Spoken], put: Callable[[RelationOutcome], None]) -> None:
        results = await asyncio.gather(*map(self._passage, spoken), return_exceptions=True)
        errors = [result for result in results if isinstance(result, BaseException)]
        if errors:
            put(RelationOutcome(name, error=self.record_errors(errors)))
            return
        passage_results = [result for result in results if isinstance(result, tuple)]
        relations = dict.fromkeys(relation for group, _ in passage_results for relation in group)
        put(RelationOutcome(name, tuple(relations), sum(left_out for _, left_out in passage_results)))

    async def _passage(self, spoken: Spoken) -> tuple[list[Relation], int]:
        """What a passage states, and how much was left out as of sentences that mention neither."""
        if self.stopped:
            raise self.stopped
        order = sorted(spoken.entities, key=lambda key: -len(spoken.entities[key][1]))[:MOST]
        spans = spoken.passage.spans
        spec = OutputSpec(RelationReply, lambda reply: _find_fault(reply, len(order), len(spans)))
        reply = await self.client.ask(ROLE, PROMPT, _values(spoken, order), spec, papers=[spoken.paper.id])
        relations = []
        for relation in reply.relations:
            first, second = order[relation.first - 1], order[relation.second - 1] if relation.second else None
            names = tuple(spans[number - 1].id for number in sorted(set(relation.spans)))
            speak = spoken.entities[first][1] | (spoken.entities[second][1] if second else frozenset())
            if speak.intersection(names):
                relations.append(Relation(spoken.passage.id, first, second, names))
        return relations, len(reply.relations) - len(relations)


def _values(spoken: Spoken, order: Sequence[int]) -> dict[str, str]:
    entities = "\n".join(f"{n}. {' '.join(spoken.entities[key][0].split())}" for n, key in enumerate(order, 1))
    paper, passage = spoken.paper, spoken.passage
    return {
        "passage": format_spans(passage.spans, paper, passage.section),
        "entities": fenced("entities", entities),
    }


def _find_fault(reply: RelationReply, entities: int, spans: int) -> str:
    """What is wrong: numbers that are not there, or an entity with itself."""
    for relation in reply.relations:
        if not (relation.first <= entities and relation.second <= entities):
            return f"There are {entities} entities, and no number {max(relation.first, relation.second)}."
        if relation.first == relation.second:
            return f"Entity {relation.first} stands with itself."
        wrong = [number for number in relation.spans if not 1 <= number <= spans]
        if wrong or not relation.spans:
            return f"There are {spans} sentences, and no number {wrong[0]}." if wrong else "A relation has no sentence."
    return ""


READ = 1
"""Goes up when papers are to be read again, whatever the model."""


@dataclass(slots=True)
class RelationRun:
    """A run of reading relations: the results of papers, by their ids."""

    session: Session
    client: LlmClient
    read: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    left_out: int = 0
    changed: int = 0
    left: int = 0
    stopped: ConspectusError | None = None

    def work(self, cache: LibraryCallCache) -> None:
        """Read batch by batch, each kept at once; nobody waits for the model to write to the library."""
        from conspectus.graph.passage_reader import ROLE

        model, prompt = self.client.models.of(ROLE).id, self.client.prompts.get(PROMPT).id
        relater, catalog = Relater(self.client), self.session.catalog
        mine = RelationRows(None, f"{READ}/{model}/{prompt}/{linking_version(self.session)}")
        total = mine.count_lacking(catalog, derivations.noted(catalog))
        for batch in read_batches(self.session, mine, partial(_spoken, self.session), relater, relater.read, cache):
            rows = _Rows(batch.outcomes, model, batch.passage_ids)
            self._keep(rows, mine.version, batch.keys, relater.stopped)
        self.stopped = relater.stopped
        self.left = total - len(self.read) - len(self.failed)

    def _keep(self, rows: _Rows, version: str, keys: Sequence[int], stopped: object) -> None:
        catalog = self.session.catalog
        with self.session.writing():
            rows.known |= entities.concept_ids(catalog, rows.concepts).keys()
            RelationRows(rows, version).make_missing(catalog, keys)
        for name, outcome in rows.outcomes.items():
            self.left_out += outcome.left_out
            if name in rows.kept_papers:
                self.read[name] = len(outcome.relations)
            elif outcome.error is None:
                self.changed += 1
            elif outcome.error is not stopped:
                self.failed[name] = outcome.error.message

    def report(self, trouble: str) -> RelateReport:
        """The report of the run."""
        note = f"{self.left_out} were left out because their sentences mention neither entity." if self.left_out else ""
        changed = f"{pluralize(self.changed, 'paper')}, or entities in them, changed meanwhile"
        others = f"{changed}: `graph relate` reads them again."
        return RelateReport(
            self.read,
            self.failed,
            sum(self.read.values()),
            self.left,
            str(self.stopped or ""),
            ", ".join(self.client.names()),
            self.client.usage,
            tuple(filter(None, (note, others if self.changed else "", trouble))),
        )


@dataclass(slots=True)
class _Rows:
    """What is kept of the outcome of papers; of those that have changed since, nothing.

    Attributes:
        passage_ids: paper id -> the ids of its passages as they were read.
        known: the keys of concepts that there still are.
        kept_papers: the papers of which it was kept.
    """

    outcomes: Mapping[str, RelationOutcome]
    model: str
    passage_ids: Mapping[str, Sequence[str]]
    known: set[int] = field(default_factory=set)
    kept_papers: set[str] = field(default_factory=set)

    @property
    def concepts(self) -> set[int]:
        """The keys of all that were related."""
        return {key for outcome in self.outcomes.values() for key in _concepts(outcome)}

    def __call__(self, paper: Subject) -> Made | tuple[()]:
        outcome = self.outcomes.get(paper.id)
        is_other = self.passage_ids.get(paper.id) != [passage.id for passage in paper.passages]
        if outcome is None or outcome.error or is_other or not _concepts(outcome) <= self.known:
            return ()
        self.kept_papers.add(paper.id)
        return ([self._row(relation) for relation in outcome.relations],)

    def _row(self, relation: Relation) -> Row:
        fields = {"passage": local_name(relation.passage), "concept_key": relation.concept, "other_key": relation.other}
        return {**fields, "spans": pack([local_name(span) for span in relation.spans]), "model": self.model}


def _concepts(outcome: RelationOutcome) -> set[int]:
    return {key for relation in outcome.relations for key in (relation.concept, relation.other) if key}


def _spoken(session: Session, keys: Sequence[int]) -> Works[list[Spoken]]:
    """Paper id -> its passages that mention anything, and -> the ids of all its passages."""
    catalog = session.catalog
    concepts_by_paper = sql.concepts_of_passages(catalog, keys)
    works: dict[str, list[Spoken]] = {}
    passage_ids: dict[str, list[str]] = {}
    for key, paper in catalog.papers_by_key(keys).items():
        passages = list(catalog.passages(paper.id))
        works[paper.id], passage_ids[paper.id] = [], [passage.id for passage in passages]
        for passage in passages:
            spans_by_concept = grouped(concepts_by_paper.get(key, {}).get(local_name(passage.id), ()))
            entities = {concept: (label, frozenset(spans)) for (concept, label), spans in spans_by_concept.items()}
            works[paper.id] += [Spoken(paper, passage, entities)] if entities else []
    return works, passage_ids
