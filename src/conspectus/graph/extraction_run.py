"""Having a language model read which entities papers speak of, beside what names find (K3, K4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from conspectus.core.grouped import grouped
from conspectus.core.plural import pluralize
from conspectus.graph import candidate_rows
from conspectus.graph.mention_finder import find_names
from conspectus.graph.reading_batches import Batch, Works, batches
from conspectus.graph.resolver import Resolver, rows_of
from conspectus.ingest.derivations.mentions import ExtractionRows
from conspectus.ingest.derivations.protocol import Made, Subject
from conspectus.llm.call_cache import LibraryCallCache
from conspectus.llm.client import LlmClient
from conspectus.models.store import ModelStore
from conspectus.models.vocabulary import plain_ranks
from conspectus.records import Paper, Passage
from conspectus.records.graph import ExtractReport
from conspectus.session.session import Session
from conspectus.store import derivations
from conspectus.store.connection import transact

if TYPE_CHECKING:
    from conspectus.graph.extracting import Outcome, Stretch, Work

READ = 1
"""Goes up when papers are to be read anew, whatever the model."""
_IN_PART = "/in part"
"""Behind the version of papers of which a passage could not be read: they are read again."""


def extract_entities(session: Session, model: str = "") -> ExtractReport:
    """Have a language model read the entities of all papers that it has not read.

    Raises:
        UnavailableError: no language model is set.
        ServiceError: the model cannot be asked.
    """
    client, cache = session.caller(model)
    run = _ExtractionRun(session, client)
    try:
        run.work(cache)
    finally:
        with session.writing():
            transact(session.catalog.engine, candidate_rows.tidy_entities)
    return run.report(cache.trouble)


@dataclass(slots=True)
class _ExtractionRun:
    """One run: what came of it."""

    session: Session
    client: LlmClient
    sums: Counter[str] = field(default_factory=Counter)
    failed: dict[str, str] = field(default_factory=dict)
    stopped: str = ""
    left: int = 0

    def work(self, cache: LibraryCallCache) -> None:
        """Read batch by batch, each kept at once."""
        from conspectus.graph.extracting import EXTRACT, FILTER, Extractor
        from conspectus.graph.reading import ROLE

        session, prompts = self.session, self.client.prompts
        asked = "/".join(prompts.get(name).id for name in (EXTRACT, FILTER))
        mine = ExtractionRows(None, f"{READ}/{self.client.models.of(ROLE).id}/{asked}")
        everyday = plain_ranks(ModelStore(session.settings.models.store or None)) or {}
        labels = partial(candidate_rows.labels_by_id, session.catalog)
        extractor = Extractor(self.client, labels=labels, everyday=everyday)
        for batch in batches(session, mine, self._works, extractor, extractor.read, cache):
            self._keep(batch, mine.version)
        self.stopped = str(extractor.stopped or "")
        self.left = mine.count_lacking(session.catalog, derivations.noted(session.catalog)) - self.sums["in part"]

    def _works(self, keys: Sequence[int]) -> Works[Work]:
        works, held = dict[str, "Work"](), dict[str, list[str]]()
        for paper in self.session.catalog.papers_by_key(keys).values():
            passages = list(self.session.catalog.passages(paper.id))
            works[paper.id], held[paper.id] = self._work(paper, passages), [one.id for one in passages]
        return works, held

    def _work(self, paper: Paper, passages: Sequence[Passage]) -> Work:
        from conspectus.graph.extracting import Work

        stretches = _stretches(passages)
        texts = [span.text for stretch in stretches for span in stretch.spans]
        known = grouped((one.span, one) for _, one in find_names(self.session, passages))
        return Work(paper, stretches, known, Resolver(self.session).of(texts))

    def _keep(self, batch: Batch[Outcome], version: str) -> None:
        """Write what came of papers; of those that have changed since, nothing."""
        catalog, done = self.session.catalog, dict[int, "Outcome"]()
        with self.session.writing():
            for key, paper in catalog.papers_by_key(batch.keys).items():
                outcome = batch.found.get(paper.id)
                if outcome is None or outcome.error:
                    continue
                if batch.held[paper.id] == [one.id for one in catalog.passages(paper.id)]:
                    done[key] = outcome
                else:
                    self.sums["changed"] += 1
            for in_part, own in grouped((bool(one.failed), key) for key, one in done.items()).items():
                made = ExtractionRows(partial(self._rows, batch), version + _IN_PART * in_part)
                made.make_missing(catalog, own)
        for one in done.values():
            self._count(one)

    def _rows(self, batch: Batch[Outcome], paper: Subject) -> Made:
        return rows_of(self.session, batch.found[paper.id].candidates)

    def _count(self, one: Outcome) -> None:
        self.failed |= one.failed
        self.sums += Counter({"read": 1, "in part": bool(one.failed), "found": one.found, "refused": one.refused,
                              "absent": one.absent, "general": one.general})  # fmt: skip

    def report(self, trouble: str) -> ExtractReport:
        """What came of it."""
        sums = self.sums
        changed = f"{pluralize(sums['changed'], 'paper')} changed meanwhile: `graph link` with a model reads again."
        absent = f"{pluralize(sums['absent'], 'name')} that the model gave stood nowhere in their passage."
        general = f"{pluralize(sums['general'], 'name')} that it gave said nothing: numbers, letters, everyday words."
        notes = {changed: sums["changed"], absent: sums["absent"], general: sums["general"], trouble: bool(trouble)}
        return ExtractReport(
            sums["read"],
            sums["found"],
            sums["refused"],
            candidate_rows.count_new_entities(self.session.catalog),
            self.failed,
            self.left,
            self.stopped,
            ", ".join(self.client.names()),
            self.client.usage,
            tuple(note for note, is_so in notes.items() if is_so),
        )


def _stretches(passages: Sequence[Passage]) -> list[Stretch]:
    """Passages with the sentences that stand in none before: of what two share the model is asked once."""
    from conspectus.graph.extracting import Stretch

    seen, found = set[str](), list[Stretch]()
    for passage in passages:
        spans = [span for span in passage.spans if span.id not in seen]
        seen |= {span.id for span in spans}
        found += [Stretch(passage, spans)] if spans else []
    return found
