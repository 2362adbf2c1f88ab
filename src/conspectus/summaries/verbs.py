"""Have papers summarised, and read their summaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from conspectus.core.job_context import listen
from conspectus.faces.declare import Option, VerbGroup, run_code, verb
from conspectus.faces.filters import Budget, PaperFilters, Progressing
from conspectus.records import Paper, SummariseReport, Summary
from conspectus.records.events import Progress


class SummaryVerbs(VerbGroup):
    """Summaries of papers."""

    @verb(http="POST /summaries", schema="papers.summarise", job=True, writes=True, exit_code=run_code)
    def summarise(
        self,
        papers: Annotated[
            str | Sequence[str],
            Option("Papers, by any names; none: all.", metavar="PAPER…", example=["10.1038/nature03721"]),
        ] = (),
        filters: PaperFilters = None,
        progress: Progressing = None,
        *,
        model: Annotated[
            str, Option("The language model (default: the setting language.summarise).", metavar="NAME")
        ] = "",
        again: Annotated[bool, Option("Also redo existing summaries, without reusing earlier replies.")] = False,
        abstracts: Annotated[bool, Option("Also papers with only an abstract.")] = False,
        budget: Budget = None,
    ) -> SummariseReport:
        """Have a language model summarise papers, so that search can use the summaries.

        Summarises the named papers, those that pass the filters, or all with full text; skips papers that already have
        summaries. Each sentence of a summary leads to the sentences of the paper that support it, and these are what
        answers cite. Search with --use summary or --use both. Run the same command again to continue after an
        interruption.

        Raises:
            NotFoundError: a name that no paper has.
            UnavailableError: no language model is set.
            ServiceError: the model cannot be asked at all.
        """
        from conspectus.summaries.summary_run import summarise_papers

        names = (papers,) if isinstance(papers, str) else papers
        with listen(progress, Progress):
            return summarise_papers(
                self.session.with_settings(budget or {}),
                names,
                filters,
                model=model,
                rewrite=again,
                abstracts=abstracts,
            )

    def summaries(self, name: str) -> list[Summary]:
        """What a language model wrote of a paper, in the order of the paper; the paper by any of its names."""
        from conspectus.summaries.summary_run import summaries_of

        return summaries_of(self.session, name)

    def summarised(self, *, after: str = "") -> Iterator[Paper]:
        """The papers that have summaries, in the order they were added; behind the one named `after`."""
        from conspectus.store.summaries import summarised_papers

        catalog = self.session.catalog
        return summarised_papers(catalog, catalog.paper_key(self.session.paper(after).id) if after else 0)
