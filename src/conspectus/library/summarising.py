"""The verb of `Library` that has papers summarised by a language model (S3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conspectus.catalog import summaries
from conspectus.errors import ConspectusError
from conspectus.ingest.progress import Progress, ProgressCallback, silent
from conspectus.library.asking import Asking
from conspectus.records import Filters, Paper, SummariseReport, Summary

if TYPE_CHECKING:
    from conspectus.llm.call_cache import LibraryCallCache
    from conspectus.llm.client import LlmClient
    from conspectus.summaries.summarise import Outcome, Work


@dataclass(slots=True)
class _Run:
    """One run of `summarise`: what is to be done (`todo`: ids of papers), and what came of it."""

    todo: list[str]
    abstracts: bool
    already: int = 0
    short: int = 0
    most: int = 0
    passed: int = 0
    left_out: int = 0
    done: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class Summarising(Asking):
    """The part of `Library` that has papers summarised."""

    def summarise(
        self,
        names: Sequence[str] | str = (),
        filters: Filters | None = None,
        progress: ProgressCallback | None = None,
        *,
        model: str = "",
        again: bool = False,
        abstracts: bool = False,
    ) -> SummariseReport:
        """Have a language model write summary passages of papers, to be searched with `use`.

        Each sentence of a summary leads to the paper's own sentences that carry it, and those are what is cited. A
        paper is written in one transaction when all of it is done; a run that ends before goes on where it was. The
        settings `budget.*` hold for the whole run.

        Args:
            names: the papers, by any names; none: all that pass `filters`.
            filters: which papers.
            progress: told how far it is.
            model: instead of the one for the role `summarise`.
            again: also papers that have summaries, and without what the library knows of earlier calls.
            abstracts: also papers of which there is only an abstract.

        Raises:
            NotFoundError: a name that no paper has.
            UnavailableError: no language model is set.
            ServiceError: the model cannot be asked at all.
        """
        from conspectus.answer.asking import Chosen
        from conspectus.llm.call_cache import LibraryCallCache
        from conspectus.llm.client import LlmClient

        self._check_model()
        models = Chosen(self._language_models, model)
        run = self._planned([names] if isinstance(names, str) else names, filters, again, abstracts)
        call_cache = LibraryCallCache(self._catalog, "")
        client = LlmClient(models, self._prompts, call_cache, self.settings.language, self.settings.budget, fresh=again)
        if not run.todo:
            models.of("summarise")  # a setting that is wrong is told also where there is nothing to do
            return self._report(run, client, None)
        try:
            stopped = self._summarise(run, client, call_cache, progress or silent)
        finally:
            if run.done:
                with suppress(ConspectusError):  # the next search does it
                    self._follow_now(progress or silent)
        run.notes += [call_cache.trouble] if call_cache.trouble else []
        return self._report(run, client, stopped)

    def summaries(self, name: str) -> list[Summary]:
        """What a language model wrote of a paper, in the order of the paper; the paper by any of its names."""
        key = self._catalog.paper_key(self.paper(name).id)
        return [one.summary for one in summaries.of_papers(self._catalog, [key]).get(key, [])]

    def _planned(self, names: Sequence[str], filters: Filters | None, again: bool, abstracts: bool) -> _Run:
        named = {paper.id: paper for paper in map(self.paper, names)}
        known = set() if again else summaries.summarised(self._catalog)
        run = _Run([], abstracts)
        for paper in named.values() if names else self._catalog.papers(filters):
            if paper.id in known:
                run.already += 1
            elif paper.has_full_text or abstracts:
                run.todo.append(paper.id)
            else:
                run.short += 1
        return run

    def _summarise(
        self, run: _Run, client: LlmClient, call_cache: LibraryCallCache, tell: ProgressCallback
    ) -> ConspectusError | None:
        """Read and write paper by paper; returns why it ended before all were done."""
        from conspectus.evidence.room import room
        from conspectus.summaries.summarise import Summariser

        chosen = client.models.of("summarise")
        run.most = room(self.settings.language.context or chosen.context, self.settings.language.max_tokens)
        summariser = Summariser(client, self.settings.language.concurrency)

        async def job(put: Callable[[Outcome], None]) -> None:
            try:
                await summariser.run(self._works(run), put)
            finally:
                await call_cache.finish()

        for outcome in self._engine.events(job):
            self._take(run, outcome, tell)
            tell(_news(run, client, outcome.work.paper))
        return summariser.stopped

    def _works(self, run: _Run) -> Iterator[Work]:
        """The papers with their stretches; those with too little text are passed over."""
        from conspectus.summaries.stretches import stretches
        from conspectus.summaries.summarise import Work

        for name in run.todo:
            papers, own = self._catalog.find_papers(name), list(self._catalog.passages(name))
            found = stretches(own, run.most, abstracts=run.abstracts)
            if papers and found:
                yield Work(papers[0], summaries.digest_of(own), tuple(found))
            else:
                run.passed += 1

    def _take(self, run: _Run, outcome: Outcome, tell: ProgressCallback) -> None:
        """Write what came of a paper."""
        from conspectus.errors import BudgetError

        paper = outcome.work.paper
        run.left_out += outcome.left_out
        if outcome.error is not None:
            if not isinstance(outcome.error, BudgetError):
                run.failed[paper.id] = outcome.error.message
        elif not outcome.condensed:
            run.failed[paper.id] = "No sentence of its summary agreed with the paper's own in numbers and denials."
        elif number := self._write(outcome, tell):
            run.done[paper.id] = number
        else:
            run.failed[paper.id] = "It was changed or removed while it was being summarised."

    def _write(self, outcome: Outcome, tell: ProgressCallback) -> int:
        """Store the summaries of a paper, as it is known now; how many, 0 where the paper has changed since."""
        from conspectus.ingest.summaries import as_summaries, store

        paper, chars = outcome.work.paper, self.settings.passages.chars
        with self._writing(tell):
            now = self._catalog.find_papers(paper.id)
            own = sum(1 for _ in self._catalog.passages(paper.id))
            made = as_summaries(paper.id, outcome.condensed, outcome.by, chars, own)
            return len(made) if now and store(self._catalog, self._embedder, now[0], made) else 0

    def _follow_now(self, tell: ProgressCallback) -> None:
        from conspectus.ingest.sync import sync

        with self._writing(tell):
            sync(self._catalog, self._index, self._embedder.id, tell)

    def _report(self, run: _Run, client: LlmClient, stopped: ConspectusError | None) -> SummariseReport:
        notes = list(run.notes)
        if run.left_out:
            notes.append(
                f"{run.left_out} sentences were left out: their numbers or denials are not those of the paper."
            )
        return SummariseReport(
            summarised=run.done,
            failed=run.failed,
            already=run.already,
            short=run.short + run.passed,
            left=len(run.todo) - len(run.done) - len(run.failed) - run.passed if stopped else 0,
            stopped=str(stopped) if stopped else "",
            model=", ".join(client.names()),
            usage=client.usage,
            notes=tuple(notes),
        )


def _news(run: _Run, client: LlmClient, paper: Paper) -> Progress:
    done = len(run.done) + len(run.failed) + run.passed
    cost = client.usage.cost
    spent = f", ${cost:.2f}" if cost else ""
    return Progress("summarising", done, len(run.todo), "papers", f"{paper.title or paper.id}{spent}")
