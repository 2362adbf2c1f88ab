"""Entities as a language model finds them (K3), next to those that names find, and which of both it accepts (K4).

Its answers are names, which code finds in the passage, and numbers of a list: none of its own words is kept.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated

import msgspec

from conspectus.core.errors import ConspectusError, ModelAnswerError
from conspectus.core.groups import grouped
from conspectus.core.text import pluralize
from conspectus.graph import candidate_rows
from conspectus.graph.candidate_rows import MentionCandidate, longest_candidates
from conspectus.graph.linking.words import is_acronym, reason_left_out
from conspectus.graph.mention_finder import find_names
from conspectus.graph.passage_reader import ROLE, PassageReader, ReadBatch, Works, format_spans, read_batches
from conspectus.graph.resolver import MODEL, Resolve, Resolver, choose_sense, make_rows
from conspectus.ingest.derivations.facts import ExtractionRows
from conspectus.ingest.derivations.protocol import Made, Subject
from conspectus.llm.call_cache import LibraryCallCache
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec, SpanNumbers
from conspectus.llm.prompts import fenced
from conspectus.models.minilm import plain_ranks
from conspectus.models.store import ModelStore
from conspectus.records import Paper, Passage, Span
from conspectus.records.graph import LOCAL, ExtractReport
from conspectus.session.session import Session
from conspectus.store import derivations
from conspectus.store.connection import transact
from conspectus.store.rows import local_name

EXTRACT, FILTER = "extract", "filter"
MOST = 200
"""Names in one answer, and lines of one list; what is behind these in the list is taken as names found it."""
LONGEST = 200
"""Characters of a name."""
EVERYDAY = 500
"""One of the so many most frequent words of everyday texts is no entity by itself that no vocabulary has."""
_NEW = f"{LOCAL}:"
_BETWEEN = re.compile(r"[\s‐-―-]++")


class ExtractReply(msgspec.Struct):
    """What the prompt `extract` gives: names as they are in the passage."""

    entities: Annotated[list[str], msgspec.Meta(extra_json_schema={"maxItems": MOST})]


class FilterReply(msgspec.Struct):
    """What the prompt `filter` gives: the numbers of lines of its list."""

    right: SpanNumbers


@dataclass(frozen=True, slots=True)
class NewSpans:
    """A passage, and those of its sentences that are in none before."""

    passage: Passage
    spans: Sequence[Span]


@dataclass(frozen=True, slots=True)
class ExtractionWork:
    """A paper to be read.

    Attributes:
        candidates_by_span: where names stand, by the sentences' own names.
        resolve: what words mean that the model names.
    """

    paper: Paper
    stretches: Sequence[NewSpans]
    candidates_by_span: Mapping[str, Sequence[MentionCandidate]]
    resolve: Resolve


@dataclass(slots=True)
class ExtractionOutcome:
    """The outcome of a paper; `error`: why it could not be read.

    Attributes:
        candidates: its words that names or the model found, and whether they count.
        failed: passage -> why what the model said of it cannot be used; the names there count alone.
        new_places: places where the model found an entity and no name was.
        absent: names that the model gave and that are nowhere in their passage.
        general: those that name nothing: numbers, single letters, everyday words.
    """

    paper: str
    candidates: list[MentionCandidate] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    new_places: int = 0
    absent: int = 0
    general: int = 0
    error: ConspectusError | None = None

    @property
    def refused(self) -> int:
        """Places where a name was found and the model read none of the entities that have it."""
        return sum(not candidate.kept for candidate in self.candidates)


@dataclass(slots=True)
class Extractor(PassageReader):
    """Reads what passages mention.

    Args:
        labels: of entities, by their ids.
        everyday: words by their ranks in everyday texts, 1 for the most frequent.
    """

    labels: Callable[[Collection[str]], Mapping[str, str]] = field(kw_only=True)
    everyday: Mapping[str, int] = field(kw_only=True)

    async def read(self, works: Mapping[str, ExtractionWork], put: Callable[[ExtractionOutcome], None]) -> None:
        """Report the outcome of each paper, by its id."""
        await asyncio.gather(*(self._paper(name, work, put) for name, work in works.items()))

    async def _paper(self, name: str, work: ExtractionWork, put: Callable[[ExtractionOutcome], None]) -> None:
        outcome = ExtractionOutcome(name)
        tasks = (self._stretch(work, stretch, outcome) for stretch in work.stretches)
        results = await asyncio.gather(*tasks, return_exceptions=True)
        errors = [result for result in results if isinstance(result, BaseException)]
        put(ExtractionOutcome(name, error=self.record_errors(errors)) if errors else outcome)

    async def _stretch(self, work: ExtractionWork, stretch: NewSpans, outcome: ExtractionOutcome) -> None:
        """Put to an outcome what a passage mentions."""
        candidates = [
            candidate for span in stretch.spans for candidate in work.candidates_by_span.get(local_name(span.id), ())
        ]
        try:
            outcome.candidates += await self._ask_model(work, stretch, candidates, outcome)
        except ModelAnswerError as error:
            outcome.failed[stretch.passage.id] = error.message
            outcome.candidates += candidates

    async def _ask_model(
        self,
        work: ExtractionWork,
        stretch: NewSpans,
        candidates: Sequence[MentionCandidate],
        outcome: ExtractionOutcome,
    ) -> list[MentionCandidate]:
        if self.stopped:
            raise self.stopped
        papers = [work.paper.id]
        values = {"passage": format_spans(stretch.spans, work.paper, stretch.passage.section)}
        extract_spec = OutputSpec(ExtractReply, lambda reply: _too_many(reply.entities))
        reply = await self.client.ask(ROLE, EXTRACT, values, extract_spec, papers=papers)
        known, model_candidates = united(candidates, self._locate_entities(reply, stretch, outcome), work.resolve)
        model_candidates = [candidate for candidate in model_candidates if not self._is_everyday(candidate, outcome)]
        if not (lines := list(_lines([*known, *model_candidates]))[:MOST]):
            return []
        values["entities"] = fenced("entities", self._entity_list(lines))
        right = OutputSpec(FilterReply, lambda reply: _wrong(reply.right, len(lines)))
        judged = await self.client.ask(ROLE, FILTER, values, right, papers=papers)
        known, model_candidates = filtered(known, model_candidates, lines, judged.right)
        outcome.new_places += len(model_candidates)
        return [*known, *model_candidates]

    def _locate_entities(
        self, reply: ExtractReply, stretch: NewSpans, outcome: ExtractionOutcome
    ) -> Iterator[MentionCandidate]:
        """Where the names stand; those that are nowhere, and those that name nothing, are counted."""
        for name in dict.fromkeys(" ".join(entity.split()) for entity in reply.entities):
            if reason_left_out(name):
                outcome.general += 1
            elif places := list(located(name, stretch)):
                yield from places
            else:
                outcome.absent += 1

    def _is_everyday(self, candidate: MentionCandidate, outcome: ExtractionOutcome) -> bool:
        is_new = candidate.entity.startswith(_NEW)
        common = is_new and candidate.text.islower() and self.everyday.get(candidate.text, EVERYDAY + 1) <= EVERYDAY
        outcome.general += common
        return common

    def _entity_list(self, lines: Sequence[tuple[str, str]]) -> str:
        labels = self.labels({entity for _, entity in lines if not entity.startswith(_NEW)})
        listing = (
            f'{number}. "{text}"' + (f": {' '.join(labels[entity].split())}" if entity in labels else "")
            for number, (text, entity) in enumerate(lines, 1)
        )
        return "\n".join(listing)


def located(name: str, stretch: NewSpans) -> Iterator[MentionCandidate]:
    """Where a name is in sentences: whole words; case counts in acronyms, spaces and hyphens are one."""
    parts = [re.escape(part) for part in _BETWEEN.split(name) if part]
    if not parts or len(name) > LONGEST:
        return
    case, words = "" if is_acronym(name) else "(?i)", _BETWEEN.pattern.join(parts)
    pattern = re.compile(rf"{case}(?<!\w){words}(?!\w)")
    for span in stretch.spans:
        for match in pattern.finditer(span.text):
            start, stop = match.span()
            place = local_name(stretch.passage.id), local_name(span.id), start, stop
            yield MentionCandidate(*place, match[0], "", 0.0, MODEL)


def united(
    name_candidates: Iterable[MentionCandidate], model_candidates: Iterable[MentionCandidate], resolve: Resolve
) -> tuple[list[MentionCandidate], list[MentionCandidate]]:
    """What names found, by `MODEL` where the model found it too, and the longest of what only the model found."""
    by_place = {candidate.place: candidate for candidate in longest_candidates(model_candidates)}
    known = {
        candidate.place: replace(candidate, method=MODEL) if candidate.place in by_place else candidate
        for candidate in name_candidates
    }
    return list(known.values()), [resolve(candidate) for place, candidate in by_place.items() if place not in known]


def filtered(
    known: Iterable[MentionCandidate],
    model_candidates: Iterable[MentionCandidate],
    lines: Iterable[tuple[str, str]],
    right: Iterable[int],
) -> tuple[list[MentionCandidate], list[MentionCandidate]]:
    """The same by what is right of the lines: refused names as such, of the model's own what counts (eq. 1)."""
    choices = list(lines)
    taken = {choices[number - 1] for number in right}

    def judge(candidate: MentionCandidate) -> MentionCandidate:
        senses = [(candidate.text, sense) for sense in _senses(candidate)]
        if not any(sense in choices for sense in senses):
            return candidate
        right_entity = next((entity for text, entity in senses if (text, entity) in taken), "")
        return choose_sense(candidate, right_entity) if right_entity else replace(candidate, kept=False)

    known, model_candidates = list(map(judge, known)), list(map(judge, model_candidates))
    counting = set(longest_candidates(candidate for candidate in (*known, *model_candidates) if candidate.kept))
    return known, [candidate for candidate in model_candidates if candidate in counting]


def _lines(union: Iterable[MentionCandidate]) -> Iterator[tuple[str, str]]:
    """(words, what they may stand for), each once, in the order of the passage's words."""
    senses = grouped((candidate.text, sense) for candidate in union for sense in _senses(candidate))
    return ((text, sense) for text, entities in senses.items() for sense in dict.fromkeys(entities))


def _senses(candidate: MentionCandidate) -> list[str]:
    return [candidate.entity, *(entity for entity, _ in candidate.others)]


def _too_many(names: Sequence[str]) -> str:
    return f"{len(names)} names are too many; give {MOST} at most." if len(names) > MOST else ""


def _wrong(numbers: Sequence[int], lines: int) -> str:
    wrong = [number for number in numbers if not 1 <= number <= lines]
    return f"The list has {lines} lines, and no number {wrong[0]}." if wrong else ""


READ = 1
"""Goes up when papers are to be read again, whatever the model."""
_IN_PART = "/in part"
"""Behind the version of papers of which a passage could not be read: they are read again."""


def extract_entities(session: Session, model: str = "") -> ExtractReport:
    """Let a language model read the entities of all papers that it has not read.

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
    """One run: the outcome of it."""

    session: Session
    client: LlmClient
    sums: Counter[str] = field(default_factory=Counter)
    failed: dict[str, str] = field(default_factory=dict)
    stopped: str = ""
    left: int = 0

    def work(self, cache: LibraryCallCache) -> None:
        """Read batch by batch, each kept at once."""
        from conspectus.graph.passage_reader import ROLE

        session, prompts = self.session, self.client.prompts
        prompt_ids = "/".join(prompts.get(name).id for name in (EXTRACT, FILTER))
        mine = ExtractionRows(None, f"{READ}/{self.client.models.of(ROLE).id}/{prompt_ids}")
        everyday = plain_ranks(ModelStore(session.settings.models.store or None)) or {}
        labels = partial(candidate_rows.labels_by_id, session.catalog)
        extractor = Extractor(self.client, labels=labels, everyday=everyday)
        for batch in read_batches(session, mine, self._works, extractor, extractor.read, cache):
            self._keep(batch, mine.version)
        self.stopped = str(extractor.stopped or "")
        self.left = mine.count_lacking(session.catalog, derivations.noted(session.catalog)) - self.sums["in part"]

    def _works(self, keys: Sequence[int]) -> Works[ExtractionWork]:
        works, passage_ids = dict[str, ExtractionWork](), dict[str, list[str]]()
        for paper in self.session.catalog.papers_by_key(keys).values():
            passages = list(self.session.catalog.passages(paper.id))
            works[paper.id], passage_ids[paper.id] = self._work(paper, passages), [passage.id for passage in passages]
        return works, passage_ids

    def _work(self, paper: Paper, passages: Sequence[Passage]) -> ExtractionWork:
        stretches = _stretches(passages)
        texts = [span.text for stretch in stretches for span in stretch.spans]
        known = grouped((candidate.span, candidate) for _, candidate in find_names(self.session, passages))
        return ExtractionWork(paper, stretches, known, Resolver(self.session).of(texts))

    def _keep(self, batch: ReadBatch[ExtractionOutcome], version: str) -> None:
        """Write the outcome of papers; of those that have changed since, nothing."""
        catalog, done = self.session.catalog, dict[int, ExtractionOutcome]()
        with self.session.writing():
            for key, paper in catalog.papers_by_key(batch.keys).items():
                outcome = batch.outcomes.get(paper.id)
                if outcome is None or outcome.error:
                    continue
                if batch.passage_ids[paper.id] == [passage.id for passage in catalog.passages(paper.id)]:
                    done[key] = outcome
                else:
                    self.sums["changed"] += 1
            for in_part, keys in grouped((bool(outcome.failed), key) for key, outcome in done.items()).items():
                rows = ExtractionRows(partial(self._rows, batch), version + _IN_PART * in_part)
                rows.make_missing(catalog, keys)
        for stored_outcome in done.values():
            self._count(stored_outcome)

    def _rows(self, batch: ReadBatch[ExtractionOutcome], paper: Subject) -> Made:
        return make_rows(self.session, batch.outcomes[paper.id].candidates)

    def _count(self, outcome: ExtractionOutcome) -> None:
        self.failed |= outcome.failed
        self.sums += Counter({
            "read": 1, "in part": bool(outcome.failed), "found": outcome.new_places, "refused": outcome.refused,
            "absent": outcome.absent, "general": outcome.general,
        })  # fmt: skip

    def report(self, trouble: str) -> ExtractReport:
        """The report of the run."""
        sums = self.sums
        changed = f"{pluralize(sums['changed'], 'paper')} changed meanwhile: `graph link` with a model reads again."
        absent = f"{pluralize(sums['absent'], 'name')} from the model did not occur in their passage."
        general = f"{pluralize(sums['general'], 'name')} left out as too general (numbers, letters, everyday words)."
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


def _stretches(passages: Sequence[Passage]) -> list[NewSpans]:
    """Passages with the sentences that are in none before: of what two share the model is asked once."""
    seen, stretches = set[str](), list[NewSpans]()
    for passage in passages:
        spans = [span for span in passage.spans if span.id not in seen]
        seen |= {span.id for span in spans}
        stretches += [NewSpans(passage, spans)] if spans else []
    return stretches
