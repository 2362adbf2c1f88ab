"""Having a language model read what sentences state of the entities that they speak of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from conspectus.core.errors import ConspectusError
from conspectus.core.grouped import grouped
from conspectus.core.plural import pluralize
from conspectus.graph import sql as kept
from conspectus.graph.mention_finder import linking_version
from conspectus.graph.reading_batches import Works, batches
from conspectus.ingest.derivations.mentions import RelationRows
from conspectus.ingest.derivations.protocol import Made, Subject
from conspectus.llm.call_cache import LibraryCallCache
from conspectus.llm.client import LlmClient
from conspectus.records.graph import RelateReport
from conspectus.session.session import Session
from conspectus.store import derivations, entities
from conspectus.store.codec import pack
from conspectus.store.derivations import Row
from conspectus.store.rows import local_name

if TYPE_CHECKING:
    from conspectus.graph.relating import Outcome, Relation, Spoken

READ = 1
"""Goes up when papers are to be read anew, whatever the model."""


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
        from conspectus.graph.reading import ROLE
        from conspectus.graph.relating import PROMPT, Relater

        model, prompt = self.client.models.of(ROLE).id, self.client.prompts.get(PROMPT).id
        relater, catalog = Relater(self.client), self.session.catalog
        mine = RelationRows(None, f"{READ}/{model}/{prompt}/{linking_version(self.session)}")
        total = mine.count_lacking(catalog, derivations.noted(catalog))
        for batch in batches(self.session, mine, partial(_spoken, self.session), relater, relater.read, cache):
            rows = _Rows(batch.found, model, batch.held)
            self._keep(rows, mine.version, batch.keys, relater.stopped)
        self.stopped = relater.stopped
        self.left = total - len(self.read) - len(self.failed)

    def _keep(self, rows: _Rows, version: str, keys: Sequence[int], stopped: object) -> None:
        catalog = self.session.catalog
        with self.session.writing():
            rows.known |= entities.concept_ids(catalog, rows.concepts).keys()
            RelationRows(rows, version).make_missing(catalog, keys)
        for name, outcome in rows.found.items():
            self.left_out += outcome.left_out
            if name in rows.kept:
                self.read[name] = len(outcome.relations)
            elif outcome.error is None:
                self.changed += 1
            elif outcome.error is not stopped:
                self.failed[name] = outcome.error.message

    def report(self, trouble: str) -> RelateReport:
        """What came of it."""
        said = f"{self.left_out} were left out: their sentences speak of neither entity." if self.left_out else ""
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
            tuple(filter(None, (said, others if self.changed else "", trouble))),
        )


@dataclass(slots=True)
class _Rows:
    """What is kept of what came of papers; of those that have changed since, nothing.

    Attributes:
        held: paper id -> the ids of its passages as they were read.
        known: the keys of concepts that there still are.
        kept: the papers of which it was kept.
    """

    found: Mapping[str, Outcome]
    model: str
    held: Mapping[str, Sequence[str]]
    known: set[int] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)

    @property
    def concepts(self) -> set[int]:
        """The keys of all that were related."""
        return {key for outcome in self.found.values() for key in _concepts(outcome)}

    def __call__(self, paper: Subject) -> Made | tuple[()]:
        outcome = self.found.get(paper.id)
        is_other = self.held.get(paper.id) != [passage.id for passage in paper.passages]
        if outcome is None or outcome.error or is_other or not _concepts(outcome) <= self.known:
            return ()
        self.kept.add(paper.id)
        return ([self._row(one) for one in outcome.relations],)

    def _row(self, one: Relation) -> Row:
        said = {"passage": local_name(one.passage), "concept_key": one.concept, "other_key": one.other}
        return {**said, "spans": pack([local_name(span) for span in one.spans]), "model": self.model}


def _concepts(outcome: Outcome) -> set[int]:
    return {key for one in outcome.relations for key in (one.concept, one.other) if key}


def _spoken(session: Session, keys: Sequence[int]) -> Works[list[Spoken]]:
    """Paper id -> its passages that speak of anything, and -> the ids of all its passages."""
    from conspectus.graph.relating import Spoken

    catalog = session.catalog
    said = kept.concepts_of_passages(catalog, keys)
    works: dict[str, list[Spoken]] = {}
    held: dict[str, list[str]] = {}
    for key, paper in catalog.papers_by_key(keys).items():
        passages = list(catalog.passages(paper.id))
        works[paper.id], held[paper.id] = [], [one.id for one in passages]
        for passage in passages:
            told = grouped(said.get(key, {}).get(local_name(passage.id), ()))
            entities = {concept: (label, frozenset(spans)) for (concept, label), spans in told.items()}
            works[paper.id] += [Spoken(paper, passage, entities)] if entities else []
    return works, held
