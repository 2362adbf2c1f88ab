"""How far the papers found agree on a claim (F10): restate, search, ask each paper alone, and follow the rule.

pathfinder (Iyer et al. 2024, section 3.2.6) has one model look at all abstracts at once and name a level. Here each
paper is judged alone, with the sentences that show its stance, and the level follows from the stances in code.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal, get_args

from conspectus.consensus import rule, stances
from conspectus.consensus.stances import CLAIM_ROLE, STANCE_ROLE, Judgeable
from conspectus.core.errors import BudgetError, ServiceError, UnavailableError, UsageError
from conspectus.core.groups import grouped
from conspectus.core.job_context import Notice, listen
from conspectus.evidence.candidates import Tell, candidates, search
from conspectus.evidence.reader import deduplicate_sentences
from conspectus.llm.client import LlmClient
from conspectus.records import Consensus, Filters, Stance, Unjudged, Use
from conspectus.records.events import Claimed, Concluded, Event, Reading, StanceJudged
from conspectus.records.paper import label_papers
from conspectus.search.outliers import find_outliers
from conspectus.search.retriever import Retriever
from conspectus.search.search import explain_nothing
from conspectus.session.session import Session
from conspectus.settings import NO_MODEL, Settings

MOST_READ_OF_ONE = 3
"""Passages of one paper that are read for its stance, at most."""


def require_models(settings: Settings, model: str) -> None:
    """See that there are language models for what is asked of them.

    Raises:
        UnavailableError: there are none. Nothing is guessed without.
    """
    for role in (CLAIM_ROLE, STANCE_ROLE):
        name = model or settings.language.of(role)
        if not name or name == NO_MODEL:
            raise UnavailableError(
                f"Whether papers agree is judged by a language model, and {settings.language.none_for(role, model)}.",
                "Connect one (`models connect`), or name one with `model=NAME`.",
            )


def survey_papers(  # noqa: PLR0913 - what is asked for, as the verb has it
    session: Session,
    question: str,
    k: int | None,
    filters: Filters,
    *,
    claim: str,
    model: str,
    use: Use | Literal[""],
    cache: bool,
    tell: Callable[[Event], None] | None,
) -> Consensus:
    """Have a model judge papers of an open library; see `ConsensusVerbs.consensus`."""
    settings = session.settings
    require_models(settings, model)
    count = settings.consensus.papers if k is None else k

    async def job(put: Callable[[Event], None]) -> None:
        with listen(put, Notice, alone=True):
            retriever = await asyncio.to_thread(session.retriever, use)  # it may bring the index up to date
            async with session.client(model, fresh=not cache) as client:
                await Survey(retriever, client, question, count, filters, settings, put, claim).run()

    concluded: Consensus | None = None
    with listen(tell, *get_args(Event)):
        for event in session.loop.events(job):
            if isinstance(event, Concluded):
                concluded = event.consensus
    assert concluded
    return concluded


@dataclass(slots=True)
class Survey:
    """One question on its way to a consensus.

    Attributes:
        k: how many papers are judged, at most.
        claim: as it was given; "": a model restates the question.
        notes: what the user should know of how it came about.
    """

    retriever: Retriever
    client: LlmClient
    question: str
    k: int
    filters: Filters
    settings: Settings
    tell: Tell
    claim: str = ""
    notes: list[str] = field(default_factory=list)

    async def run(self) -> Consensus:
        """The consensus, or why there is none; told last as `Concluded`.

        Raises:
            UsageError: an empty question, or k below 1.
            ServiceError: a model cannot be asked, or gives nothing that can be used for any paper.
        """
        if not (self.question.strip() or self.claim.strip()):
            raise UsageError("The question is empty.", "Ask something in words.")
        if self.k < 1:
            raise UsageError(f"k must be at least 1, not {self.k}.")
        made = await self._made()
        self.tell(Concluded(made))
        return made

    async def _made(self) -> Consensus:
        roles = (STANCE_ROLE,) if self.claim.strip() else (CLAIM_ROLE, STANCE_ROLE)
        try:
            await self.client.prepare(roles, ["stance"] if self.claim.strip() else ["claim", "stance"])
            self.claim = " ".join(self.claim.split()) or await stances.restated(self.client, self.question)
        except BudgetError as error:
            return self._concluded([], [], f"{error.message} No paper was judged. {error.hint}")
        self.tell(Claimed(self.claim))
        found = await asyncio.to_thread(self._found)
        if not found:
            return self._concluded([], [], explain_nothing(self.retriever, self.filters))
        judged, unjudged = await self._judged(found)
        return self._concluded(judged, unjudged)

    def _found(self) -> list[Judgeable]:
        """The k best papers for the question and for the claim, each with its best passages."""
        reading = replace(self.settings.evidence, read=self.k * MOST_READ_OF_ONE)
        phrasings = dict.fromkeys(" ".join(text.split()) for text in (self.question, self.claim) if text.strip())
        with self.retriever.at_one_moment() as now:
            scores = [search(now, text, self.filters, reading, self.tell) for text in phrasings]
            read = candidates(now, scores, reading, self.tell, MOST_READ_OF_ONE)
            groups = grouped((item.paper.id, item) for item in read)  # best first
            chosen = list(groups.items())[: self.k]
            keys = [now.catalog.paper_key(name) for name, _ in chosen]
            far = find_outliers(now.catalog, now.index, now.embedder.id, keys, now.settings)
        named = label_papers(group[0].paper for _, group in chosen)
        made = []
        for rank, ((name, group), outlying) in enumerate(zip(chosen, far, strict=True), 1):
            parts = deduplicate_sentences([part for item in group[:MOST_READ_OF_ONE] for part in item.own])
            made.append(Judgeable(rank, group[0].paper, parts, named[name], group[0].score, outlying))
        return made

    async def _judged(self, found: Sequence[Judgeable]) -> tuple[list[Stance], list[Unjudged]]:
        """The stance of each paper, asked for at the same time; and those that could not be had.

        Raises:
            ServiceError: none could be had.
        """
        done = 0

        async def one(item: Judgeable) -> Stance:
            nonlocal done
            made = await stances.stance(self.client, self.claim, item)
            done += 1
            self.tell(Reading(done, len(found), self.client.usage))
            self.tell(StanceJudged(made))
            return made

        results = await asyncio.gather(*map(one, found), return_exceptions=True)
        judged, unjudged = [], []
        for item, result in zip(found, results, strict=True):
            if isinstance(result, Stance):
                judged.append(result)
            elif isinstance(result, ServiceError | BudgetError):
                unjudged.append(Unjudged(item.rank, item.paper, result.message, item.label))
            else:
                raise result
        failed = [error for error in results if isinstance(error, ServiceError)]
        if failed and not judged:
            raise failed[0]
        if unjudged:
            self.notes.append(
                f"{len(unjudged)} of {len(found)} papers could not be judged and do not count: {unjudged[0].reason}"
            )
        return judged, unjudged

    def _concluded(self, judged: Sequence[Stance], unjudged: Sequence[Unjudged], reason: str = "") -> Consensus:
        made = Consensus(self.question, self.claim, None, reason, None, rule.relevance(judged), tuple(judged))
        follows = rule.outcome(made.counts, len(judged) + len(unjudged))
        sentences = sum(len(citation.spans) for item in judged for citation in item.citations)
        passages = sum(len(item.citations) for item in judged)
        return replace(
            made,
            level=follows.level,
            reason=reason or follows.reason,
            balance=follows.balance,
            unjudged=tuple(unjudged),
            explanation=rule.explanation(judged, follows),
            models=(*self.client.names(), self.retriever.embedder.id),
            usage=replace(self.client.usage, passages=passages, sentences=sentences),
            note=" ".join(part for part in (self.retriever.note, *self.notes) if part),
            made=datetime.now(UTC).isoformat(timespec="seconds"),
        )
