"""Find out how far the papers of a library agree on a claim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, get_args

from conspectus.core.job_context import Notice, listen
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import Budget, ModelName, QuestionFilters, UseCache, UsedText
from conspectus.records import Consensus, Filters
from conspectus.records.events import Concluded, Event


def _exit_code(found: Consensus) -> int:
    return int(bool(found.unjudged))


class ConsensusVerbs(VerbGroup):
    """How far papers agree on a claim."""

    @verb(http="POST /consensus", tool="consensus", job=True, live=True, exit_code=_exit_code)
    def consensus(
        self,
        question: Annotated[
            str,
            Option("A question, or a claim.", metavar="QUESTION…", words=True, example="Does sleep improve memory?"),
        ],
        *,
        k: Annotated[
            int | None,
            Option(
                "Number of papers to judge (default: the setting consensus.papers).",
                ge=1,
                le=200,
                short="k",
                metavar="N",
            ),
        ] = None,
        filters: QuestionFilters = None,
        claim: Annotated[
            str, Option("The claim itself, so that no model restates the question.", faces=("http", "mcp"))
        ] = "",
        is_claim: Annotated[
            bool, Option("Take QUESTION as the claim, without restating it.", flag="claim", faces=("cli",))
        ] = False,
        model: ModelName = "",
        use: UsedText = "",
        cache: UseCache = True,
        budget: Budget = None,
        tell: Annotated[Callable[[Event], None] | None, Option("Called with each event.", faces=())] = None,
    ) -> Consensus:
        """Show how far papers agree on a claim, with the sentences that show each paper's stance.

        A language model restates the question as a claim. Then it reads each paper found, on its own, and decides by
        the paper's sentences whether it supports or opposes the claim. A rule derives one of seven levels from these
        stances, from Strong Agreement to Strong Disagreement, or none if too few papers are about the claim. The models
        are those of the settings language.ask and language.judge.

        The exit code is 1 if some papers could not be judged, 3 without a model.

        Raises:
            UnavailableError: no language model is set.
            UsageError: an empty question, or k below 1.
            ServiceError: the model cannot be asked, or could judge no paper.
        """
        import asyncio

        from conspectus.consensus.survey import Survey, require_models
        from conspectus.search.query_syntax import check_query

        session = self.session.changed(budget or {})
        settings = session.settings
        question = check_query(question)
        claim = question if is_claim else check_query(claim)
        require_models(settings, model)
        count = settings.consensus.papers if k is None else k

        async def job(put: Callable[[Event], None]) -> None:
            with listen(put, Notice, alone=True):
                found = await asyncio.to_thread(session.retriever, use)  # it may bring the index up to date
                async with session.client(model, fresh=not cache) as client:
                    await Survey(found, client, question, count, filters or Filters(), settings, put, claim).run()

        concluded: Consensus | None = None
        with listen(tell, *get_args(Event)):
            for event in session.loop.events(job):
                if isinstance(event, Concluded):
                    concluded = event.consensus
        assert concluded
        return concluded
