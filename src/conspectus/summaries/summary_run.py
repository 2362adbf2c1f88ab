"""Having papers summarised by a language model (S3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conspectus.core.errors import BudgetError, ConspectusError, NotFoundError
from conspectus.core.job_context import emit
from conspectus.llm.call_cache import LibraryCallCache
from conspectus.llm.client import LlmClient
from conspectus.llm.prompts import passage_room
from conspectus.records import Filters, Paper, SummariseReport, Summary
from conspectus.records.events import Progress
from conspectus.session.session import Session
from conspectus.store import summaries as summary_rows

if TYPE_CHECKING:
    from conspectus.summaries.summarise import SummaryOutcome, Work


def summarise_papers(
    session: Session, names: Sequence[str], filters: Filters | None, *, model: str, rewrite: bool, abstracts: bool
) -> SummariseReport:
    """Write the summary passages of papers; see `SummaryVerbs.summarise`."""
    session.check_model()
    client, call_cache = session.caller(model, fresh=rewrite)
    run = _Run(session, client, abstracts)
    run.plan(names, filters, rewrite)
    if not run.todo:
        client.models.of("summarise")  # a setting that is wrong is told also where there is nothing to do
        return run.report(None)
    try:
        stopped = run.work(call_cache)
    finally:
        if run.done:
            with suppress(ConspectusError):  # the next search does it
                follow_now(session)
    run.notes += [call_cache.trouble] if call_cache.trouble else []
    return run.report(stopped)


def summaries_of(session: Session, name: str) -> list[Summary]:
    """What a language model wrote of a paper, in the order of the paper; the paper by any of its names."""
    key = session.catalog.paper_key(session.paper(name).id)
    return [stored.summary for stored in summary_rows.of_papers(session.catalog, [key]).get(key, ())]


def follow_now(session: Session) -> None:
    """Bring the index up to the summaries that were written."""
    from conspectus.ingest.index_sync import sync

    with session.writing():
        sync(session.catalog, session.index, session.embedder.id)


@dataclass(slots=True)
class _Run:
    """One run of `summarise`: what is to be done (`todo`: ids of papers), and what came of it."""

    session: Session
    client: LlmClient
    abstracts: bool
    todo: list[str] = field(default_factory=list)
    already: int = 0
    short: int = 0
    most: int = 0
    passed: int = 0
    left_out: int = 0
    done: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def plan(self, names: Sequence[str], filters: Filters | None, rewrite: bool) -> None:
        """Which papers are to be read."""
        catalog = self.session.catalog
        papers = {paper.id: paper for paper in map(self.session.paper, names)}
        known = set() if rewrite else summary_rows.summarised(catalog)
        for paper in papers.values() if names else catalog.papers(filters):
            if paper.id in known:
                self.already += 1
            elif paper.has_full_text or self.abstracts:
                self.todo.append(paper.id)
            else:
                self.short += 1

    def work(self, call_cache: LibraryCallCache) -> ConspectusError | None:
        """Read and write paper by paper; returns why it ended before all were done."""
        from conspectus.summaries.summarise import Summariser

        chosen, language = self.client.models.of("summarise"), self.session.settings.language
        self.most = passage_room(language.context or chosen.context, language.max_tokens)
        summariser = Summariser(self.client, language.concurrency)

        async def job(put: Callable[[SummaryOutcome], None]) -> None:
            try:
                await summariser.run(self._works(), put)
            finally:
                await call_cache.finish()

        for outcome in self.session.loop.events(job):
            self._take(outcome)
            emit(self._news(outcome.work.paper))
        return summariser.stopped

    def _works(self) -> Iterator[Work]:
        """The papers with their stretches; those with too little text are passed over."""
        from conspectus.summaries.summarise import Work, stretches

        catalog = self.session.catalog
        for name in self.todo:
            papers, passages = catalog.find_papers(name), list(catalog.passages(name))
            found_stretches = stretches(passages, self.most, abstracts=self.abstracts)
            if papers and found_stretches:
                yield Work(papers[0], summary_rows.digest_of(passages), tuple(found_stretches))
            else:
                self.passed += 1

    def _take(self, outcome: SummaryOutcome) -> None:
        """Write what came of a paper."""
        paper = outcome.work.paper
        self.left_out += outcome.left_out
        if outcome.error is not None:
            if not isinstance(outcome.error, BudgetError):
                self.failed[paper.id] = outcome.error.message
        elif not outcome.condensed:
            self.failed[paper.id] = "No sentence of its summary agreed with the paper's own in numbers and denials."
        elif number := self._write(outcome):
            self.done[paper.id] = number
        else:
            self.failed[paper.id] = "It was changed or removed while it was being summarised."

    def _write(self, outcome: SummaryOutcome) -> int:
        """Store the summaries of a paper, as it is known now; how many, 0 where the paper has changed since."""
        from conspectus.ingest.derivations.summaries import as_summaries, store

        session, name = self.session, outcome.work.paper.id
        with session.writing():
            now = session.catalog.find_papers(name)
            passage_count = sum(1 for _ in session.catalog.passages(name))
            summaries = as_summaries(
                name, outcome.condensed, outcome.by, session.settings.passages.chars, passage_count
            )
            return len(summaries) if now and store(session.catalog, session.embedder, now[0], summaries) else 0

    def _news(self, paper: Paper) -> Progress:
        done = len(self.done) + len(self.failed) + self.passed
        cost = self.client.usage.cost
        spent = f", ${cost:.2f}" if cost else ""
        return Progress("summarising", done, len(self.todo), "papers", f"{paper.title or paper.id}{spent}")

    def report(self, stopped: ConspectusError | None) -> SummariseReport:
        """What came of it."""
        notes = list(self.notes)
        if self.left_out:
            notes.append(
                f"{self.left_out} sentences were left out: their numbers or denials are not those of the paper."
            )
        summaries: dict[str, list[Summary]] = {}
        titles: dict[str, str] = {}
        for name in (*self.failed, *self.done):
            with suppress(NotFoundError):  # it was removed meanwhile
                titles[name] = self.session.paper(name).heading
                summaries |= {name: summaries_of(self.session, name)} if name in self.done else {}
        return SummariseReport(
            summarised=self.done,
            summaries=summaries,
            titles=titles,
            failed=self.failed,
            already=self.already,
            short=self.short + self.passed,
            left=len(self.todo) - len(self.done) - len(self.failed) - self.passed if stopped else 0,
            stopped=str(stopped) if stopped else "",
            model=", ".join(self.client.names()),
            usage=self.client.usage,
            notes=tuple(notes),
        )
