"""Judge pairs of a ranking: by a language model, several at a time, or by a person, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from conspectus.core.errors import BudgetError, ModelAnswerError, ServiceError, UnavailableError
from conspectus.core.job_context import Notice, emit, listen
from conspectus.core.text import pluralize
from conspectus.llm.client import LlmClient
from conspectus.llm.prompts import passage_room
from conspectus.records import Usage
from conspectus.records.events import Progress
from conspectus.records.ranks import PaperRanking, Preference, RankPair
from conspectus.records.review import ReviewEntry
from conspectus.review import sql
from conspectus.review.rank.bradley_terry import Pair
from conspectus.review.rank.pair_judge import FIELD, MOST_TEXT, PAIR_ROLE, PROMPT, BlindPaper, judge_pair
from conspectus.review.rank.state import RankState, find_ranking, make_ranking_result
from conspectus.session.session import Session
from conspectus.settings import NO_MODEL

AskPerson = Callable[[RankPair], Preference | None]
"""Shows a pair to a person; what is preferred, or None to end."""
NextPairs = Callable[[int], Sequence[Pair]]
"""The pairs to be judged next, at most so many; none: there is no other."""
_ROUND = 7
"""Of so many papers, one pair is judged before the next pairs are chosen: measured with 24 pairs for 176 papers."""


_MOST_FAILED = 20
"""Replies in a row from the beginning that cannot be used, until the model is asked no more."""


@dataclass(frozen=True, slots=True)
class JudgedRound:
    """Verdicts that came at the same time."""

    entries: tuple[ReviewEntry, ...]


def has_model(session: Session, model: str) -> bool:
    """Whether a language model can judge."""
    name = model or session.settings.language.of(PAIR_ROLE)
    return bool(name) and name != NO_MODEL


def require_model(session: Session, model: str) -> None:
    """See that a language model can judge.

    Raises:
        UnavailableError: none is set. Nothing is guessed without.
    """
    if not has_model(session, model):
        missing = session.settings.language.none_for(PAIR_ROLE, model)
        raise UnavailableError(
            f"Pairs of papers are compared by a language model, and {missing}.",
            "Connect one (`models connect`), name one with `model=NAME`, or judge yourself: `ask_me=True`.",
        )


@dataclass
class ModelRun:
    """A run of a model through the pairs of a ranking.

    Attributes:
        state: the ranking.
        goal: verdicts of the ranking when it is done.
        next_pairs: the pairs to be judged next, at most so many; none ends the run.
        stopped: why it ended before; "" if it did not.
    """

    state: RankState
    goal: int
    next_pairs: NextPairs
    failed: int = 0
    stopped: str = ""
    usage: Usage = field(default_factory=Usage)
    _texts: dict[int, BlindPaper] = field(default_factory=dict)

    def work(self, model: str, *, fresh: bool = False) -> PaperRanking:
        """Judge and keep verdicts, round by round; a run that was killed goes on where it was.

        Raises:
            ServiceError: the model cannot be asked at all.
        """
        session, began = self.state.session, len(self.state.verdicts)

        async def job(put: Callable[[JudgedRound], None]) -> None:
            with listen(put, Notice, alone=True):
                async with session.client(model, fresh=fresh) as client:
                    await self._judge(client, put)

        for judged in session.loop.events(job):
            if isinstance(judged, JudgedRound):
                sql.keep_entries(session, self.state.review, judged.entries)
                done = len(self.state.verdicts)
                emit(Progress("comparing", done - began, self.goal - began, "pairs", self.usage.spent))
        ranking = make_ranking_result(find_ranking(session, self.state.review.id))
        return replace(ranking, failed=self.failed, stopped=self.stopped, usage=self.usage, note=self._note())

    def _note(self) -> str:
        return f"{pluralize(self.failed, 'pair')} could not be judged by the model." if self.failed else ""

    async def _judge(self, client: LlmClient, put: Callable[[JudgedRound], None]) -> None:
        settings = self.state.session.settings.language
        try:
            await client.prepare((PAIR_ROLE,), [PROMPT])
            by = f"model:{await client.name_of(PAIR_ROLE)}"
            room = passage_room(await client.context(PAIR_ROLE), settings.max_tokens) // 2
        except BudgetError as error:
            self.stopped = str(error)
            return
        size = max(2 * settings.concurrency, len(self.state.papers) // _ROUND)
        while not self.stopped:
            count = min(size, self.goal - len(self.state.verdicts) - self.failed)
            pairs = await asyncio.to_thread(self.next_pairs, count) if count > 0 else ()
            if not pairs:
                return
            await asyncio.to_thread(self._read, {place for pair in pairs for place in pair}, min(room, MOST_TEXT))
            pairs = [(first, second) for first, second in pairs if first in self._texts and second in self._texts]
            texts = [(self._texts[first], self._texts[second]) for first, second in pairs]
            calls = (judge_pair(client, self.state.criterion, first, second, by) for first, second in texts)
            results = await asyncio.gather(*calls, return_exceptions=True)
            entries = [result for result in results if isinstance(result, ReviewEntry)]
            self._take_errors(client, pairs, results)
            if self.failed >= _MOST_FAILED and not (entries or self.state.verdicts):
                self.stopped = f"None of the first {self.failed} replies of the model could be used."
            self.state.entries += entries
            self.usage = client.usage
            put(JudgedRound(tuple(entries)))

    def _read(self, places: set[int], most: int) -> None:
        """Read papers that were not read; those that were removed meanwhile stay out."""
        for place in places - self._texts.keys():
            if read := self.state.read_paper(place, most):
                self._texts[place] = read

    def _take_errors(self, client: LlmClient, pairs: Sequence[Pair], results: Sequence[object]) -> None:
        """Count what failed; what keeps the other pairs from being judged, too, ends the run."""
        for pair, result in zip(pairs, results, strict=True):
            if isinstance(result, ModelAnswerError):
                self.failed += 1
                self.state.unusable.append(pair)
            elif isinstance(result, BudgetError) or (isinstance(result, ServiceError) and client.meter.answered):
                self.stopped = self.stopped or str(result)
            elif isinstance(result, BaseException):
                raise result


def ask_person(state: RankState, ask: AskPerson, goal: int, next_pairs: NextPairs) -> PaperRanking:
    """Have a person judge pair after pair until the goal, or until they end; each verdict is kept at once."""
    ended = False
    while len(state.verdicts) < goal and not ended:
        pair = state.pair(next_pairs(1))
        preferred = ask(pair) if pair.first else None
        if preferred is None or pair.first is None or pair.second is None:
            ended = True
        else:
            keep_answer(state, pair.first.paper, pair.second.paper, preferred)
    return make_ranking_result(find_ranking(state.session, state.review.id))


def keep_answer(state: RankState, first: str, second: str, preferred: Preference, reason: str = "") -> None:
    """Keep what a person prefers; a second answer about the same two takes the place of the first."""
    entry = ReviewEntry(first, FIELD, "user", {"preferred": preferred, "reason": reason, "spans": []}, other=second)
    new_entries = sql.keep_entries(state.session, state.review, [entry], instead=True)
    known = [
        earlier for earlier in state.entries if (earlier.paper, earlier.other, earlier.by) != (first, second, "user")
    ]
    state.entries = [*known, *new_entries]
