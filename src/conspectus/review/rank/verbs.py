"""Rank papers by any criterion, by comparing them in pairs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from conspectus.core.errors import UsageError
from conspectus.core.job_context import listen
from conspectus.faces.declare import Option, VerbGroup, run_code, verb
from conspectus.faces.filters import Budget, ModelName, PaperFilters, PaperName, Progressing, UseCache
from conspectus.records import Filters
from conspectus.records.events import Progress
from conspectus.records.ranks import PairVerdict, PaperRanking, Preference, RankMethod, RankPair

if TYPE_CHECKING:
    from conspectus.review.rank.state import RankState

RankingName = Annotated[str, Option("Name or id of the ranking.", metavar="NAME", example="Predicted impact")]
NewestName = Annotated[str, Option("Name or id of the ranking (default: the newest).", metavar="NAME")]
AskMe = Annotated[bool, Option("Judge the pairs yourself, in the terminal.", faces=("cli",))]
Comparisons = Annotated[
    int | None, Option("Comparisons in all (default: five for each paper).", ge=1, le=100_000, metavar="N")
]
Numbers = Annotated[
    Path | None,
    Option(
        "CSV file to compare with: a paper and a number in each row, after a row with their names.",
        metavar="FILE",
        faces=("cli",),
    ),
]
Rows = Annotated[int, Option("Maximum number of papers in the result.", ge=0, le=2000, short="n", metavar="N")]
ROWS = 100
_LONGEST_CRITERION = 2000
_BETTER = "What the better paper has more of."
Criterion = Annotated[
    str, Option(_BETTER, metavar="CRITERION", max_length=_LONGEST_CRITERION, example="predicted impact")
]


class RankVerbs(VerbGroup, name="review"):
    """Rank papers by any criterion."""

    @verb("review rank", http="POST /reviews/rankings", job=True, writes=True, exit_code=run_code)
    def rank(
        self,
        *,
        by: Criterion,
        name: Annotated[str, Option("Name to keep it by (default: the criterion).", metavar="NAME")] = "",
        filters: PaperFilters = None,
        budget: Comparisons = None,
        ask_me: AskMe = False,
        begin: Annotated[bool, Option("Only begin the ranking: a person judges its pairs, one at a time.")] = False,
        method: Annotated[
            RankMethod,
            Option("Pairs chosen for what they tell, or at random and ordered by swaps, as SciBot published it."),
        ] = "active",
        model: ModelName = "",
        cache: UseCache = True,
        limits: Budget = None,
        limit: Rows = ROWS,
        progress: Progressing = None,
    ) -> PaperRanking:
        """Rank papers by comparing them in pairs, each pair once, by a language model or by you.

        The judge sees title, abstract and the first part of the text, but no names, venues or institutions. Ranks come
        with 95 % intervals, corrected for a preference for the paper that is shown first. The ranking is kept. The
        same call goes on where it ended, and compares papers that have been added since; a larger budget makes the
        intervals narrower.

        Shell:
            The exit code is 1 if pairs could not be judged or the run ended early, 3 without a model.

        Raises:
            UnavailableError: no language model is set.
            UsageError: the criterion is empty, more than 2,000 papers pass the filters, or another ranking has the
                name.
            ServiceError: the model cannot be asked.
        """
        from conspectus.review.rank import run, terminal
        from conspectus.review.rank.state import find_ranking, keep_ranking, make_ranking_result

        criterion = " ".join(by.split())
        if not criterion:
            raise UsageError("The criterion is empty.", "Say what the better paper has more of: predicted impact.")
        session = self.session.with_settings(limits or {})
        if not (ask_me or begin):
            run.require_model(session, model)
        with listen(progress, Progress):
            spec = {"criterion": criterion, "method": method, "judge": "user" if ask_me or begin else "model"}
            review, count = keep_ranking(session, name or criterion, spec, filters or Filters(), budget)
            if review is None:
                return _empty_ranking(criterion, method, count)
            state = find_ranking(session, review.id)
            if begin:
                return _cut(make_ranking_result(state), limit)
            if ask_me:
                return _cut(run.ask_person(state, terminal.ask_in_terminal, state.budget, state.next_pairs), limit)
            return _cut(run.ModelRun(state, state.budget, state.next_pairs).work(model, fresh=not cache), limit)

    @verb("review rank add", http="POST /reviews/rankings/{name}/papers", job=True, writes=True, exit_code=run_code)
    def rank_add(
        self,
        paper: PaperName,
        name: NewestName = "",
        *,
        budget: Annotated[
            int | None, Option("Comparisons of the paper (default: log₂ of their number).", ge=1, metavar="N")
        ] = None,
        ask_me: AskMe = False,
        model: ModelName = "",
        cache: UseCache = True,
        limits: Budget = None,
        limit: Rows = ROWS,
        progress: Progressing = None,
    ) -> PaperRanking:
        """Put a paper into a ranking by comparing it with a few others.

        About log₂ n comparisons find its place among n papers. Into a ranking that a person judges, or without a
        model, the paper is put without comparing it: `review rank next` gives its pairs.

        Shell:
            The exit code is 1 if pairs could not be judged or the run ended early.

        Raises:
            NotFoundError: there is no such paper or ranking.
            ServiceError: the model cannot be asked.
        """
        from conspectus.review.rank import insertion

        session = self.session.with_settings(limits or {})
        with listen(progress, Progress):
            ranking = insertion.add_paper(session, name, paper, budget, ask_me=ask_me, model=model, fresh=not cache)
        return _cut(ranking, limit)

    @verb("review rank show", http="GET /reviews/rankings/{name}", tool="ranking")
    def rank_show(
        self,
        name: NewestName = "",
        *,
        limit: Rows = ROWS,
        offset: Annotated[int, Option("Papers to skip.", ge=0, metavar="N")] = 0,
        numbers: Numbers = None,
        plot: Annotated[
            Path | None,
            Option("Draw ranks with their intervals: .svg, .png or .pdf.", metavar="FILE", faces=("cli",)),
        ] = None,
    ) -> PaperRanking:
        """Show a ranking, its cycles, and how far it agrees with citations, years, venues and institutions.

        Venues and institutions are hidden from the judge: if ranks follow them more than chance allows, it recognised
        the papers, or they really differ.

        Raises:
            NotFoundError: there is no such ranking.
            UsageError: the file of numbers cannot be read, or names papers that are not in the ranking.
            UnavailableError: matplotlib, which draws, is not installed.
        """
        from conspectus.review.rank.numbers import read_numbers
        from conspectus.review.rank.plot import draw_ranking
        from conspectus.review.rank.state import make_ranking_result

        state = self._ranking_state(name)
        paper_numbers = read_numbers(self.session, numbers, state.papers) if numbers else {}
        ranking = make_ranking_result(state, paper_numbers)
        if plot:
            draw_ranking(ranking, plot)
        return _cut(ranking, limit, offset)

    @verb("review rank next", http="GET /reviews/rankings/{name}/next")
    def rank_next(self, name: NewestName = "") -> RankPair:
        """Show the next pair of a ranking to be judged by a person. It stays the same until it is answered.

        Raises:
            NotFoundError: there is no such ranking.
        """
        return self._ranking_state(name).pair()

    @verb("review rank answer", http="POST /reviews/rankings/{name}/verdicts", writes=True)
    def rank_answer(
        self,
        first: Annotated[str, Option("Id of the paper shown first.", metavar="FIRST", example="fnjrd5x6up")],
        second: Annotated[str, Option("Id of the other paper.", metavar="SECOND", example="ju5m662qao")],
        preferred: Annotated[Preference, Option("Which one has more of what the criterion asks for.")],
        name: NewestName = "",
        *,
        reason: Annotated[str, Option("Why.", max_length=1000)] = "",
    ) -> RankPair:
        """Say which paper of a pair you prefer. Returns the next pair.

        Raises:
            NotFoundError: there is no such ranking, or the papers are not in it.
            UsageError: both are the same paper.
        """
        from conspectus.review.rank.run import keep_answer

        state = self._ranking_state(name)
        ours, other = (state.paper_id(paper) for paper in (first, second))
        if ours == other:
            raise UsageError("Both papers of the pair are the same.", "Name two papers.")
        keep_answer(state, ours, other, preferred, " ".join(reason.split()))
        return state.pair()

    @verb("review rank verdicts", http="GET /reviews/rankings/{name}/papers/{paper}/verdicts", key="verdicts")
    def rank_verdicts(self, paper: PaperName, name: NewestName = "") -> tuple[PairVerdict, ...]:
        """Show what was said of a paper in each comparison, with reasons and the sentences that decided.

        Raises:
            NotFoundError: there is no such ranking, or the paper is not in it.
        """
        from conspectus.review.rank.pair_judge import read_verdicts

        state = self._ranking_state(name)
        return tuple(read_verdicts(self.session, state.entries, state.paper_id(paper)))

    def _ranking_state(self, name: str) -> RankState:
        from conspectus.review.rank.state import find_ranking

        return find_ranking(self.session, name)


def _cut(ranking: PaperRanking, limit: int, offset: int = 0) -> PaperRanking:
    """A ranking with a part of its papers."""
    return replace(ranking, ranking=ranking.ranking[offset : offset + limit], offset=offset)


def _empty_ranking(criterion: str, method: Literal["active", "swaps"], papers: int) -> PaperRanking:
    note = "No paper passes the filters." if not papers else "Only one paper passes the filters."
    nothing: dict[str, Any] = {"ranking": (), "cycles": (), "agreement": (), "bias": (), "judges": {}}
    return PaperRanking("", "", criterion, method, comparisons=0, budget=0, position_bias=None, note=note, **nothing)
