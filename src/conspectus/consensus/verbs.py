"""Find out how far the papers of a library agree on a claim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import Budget, ModelName, QuestionFilters, UseCache, UsedText
from conspectus.records import Consensus, Filters
from conspectus.records.events import Event


def _exit_code(consensus: Consensus) -> int:
    return int(bool(consensus.unjudged))


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

        Shell:
            The exit code is 1 if some papers could not be judged, 3 without a model.

        Raises:
            UnavailableError: no language model is set.
            UsageError: an empty question, or k below 1.
            ServiceError: the model cannot be asked, or could judge no paper.
        """
        from conspectus.consensus.survey import survey_papers
        from conspectus.search.query_syntax import check_query

        question = check_query(question)
        return survey_papers(
            self.session.with_settings(budget or {}),
            question,
            k,
            filters or Filters(),
            claim=question if is_claim else check_query(claim),
            model=model,
            use=use,
            cache=cache,
            tell=tell,
        )
