"""How far the papers found agree on a claim (F10): restate, search, ask each paper alone, and follow the rule.

pathfinder (Iyer et al. 2024, section 3.2.6) has one model look at all abstracts at once and name a level. Here each
paper is judged alone, with the sentences that show its stance, and the level follows from the stances in code.

Those that are about the claim count: S support it, O oppose it, M say both. The balance is `(S - O) / (S + O + M)`.

| balance | level |
| --- | --- |
| from 3/4 | Strong Agreement |
| from 1/2 | Moderate Agreement |
| from 1/4 | Weak Agreement |
| between | No Clear Consensus |
| to -1/4, -1/2, -3/4 | Weak, Moderate, Strong Disagreement |

Of fewer than `FEWEST` papers there is no level, of fewer than `FEWEST_FOR_STRONG` none that is strong, and none where
fewer than half of the papers found could be judged.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import log2
from typing import Literal, get_args

import msgspec

from conspectus.core.errors import BudgetError, ServiceError, UnavailableError, UsageError
from conspectus.core.groups import grouped
from conspectus.core.job_context import Notice, listen
from conspectus.evidence.candidates import Tell, candidates, search
from conspectus.evidence.model_text import cleaned
from conspectus.evidence.reader import deduplicate_sentences
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec, SpanNumbers
from conspectus.llm.prompts import fenced
from conspectus.records import (
    CONSENSUS_LEVELS,
    Citation,
    Consensus,
    ConsensusLevel,
    Filters,
    Outlying,
    Paper,
    Passage,
    Span,
    Stance,
    StanceKind,
    Unjudged,
    Use,
)
from conspectus.records.events import Claimed, Concluded, Event, Reading, StanceJudged
from conspectus.records.models import Role
from conspectus.records.paper import label_papers
from conspectus.search.outliers import find_outliers
from conspectus.search.retriever import Retriever
from conspectus.search.search import explain_nothing
from conspectus.session.session import Session
from conspectus.settings import NO_MODEL, Settings

FEWEST = 3
FEWEST_FOR_STRONG = 5
_MIDDLE = CONSENSUS_LEVELS.index("No Clear Consensus")
_VERBS: dict[StanceKind, tuple[str, str]] = {
    "supports": ("supports it", "support it"),
    "opposes": ("opposes it", "oppose it"),
    "mixed": ("says both", "say both"),
}


@dataclass(frozen=True, slots=True)
class ConsensusOutcome:
    """What follows from stances: the level, or the reason why there is none; the balance; whether it was held down."""

    level: ConsensusLevel | None
    reason: str
    balance: float | None
    is_held: bool = False


def decide_outcome(counts: Mapping[StanceKind, int], paper_count: int) -> ConsensusOutcome:
    """What follows from the stances of those that could be judged of `paper_count` papers.

    Reckoned in whole numbers, so that a balance on a border is on it.
    """
    about = sum(counts[stance] for stance in _VERBS)
    judged = about + counts["not about it"]
    net = counts["supports"] - counts["opposes"]
    balance = net / about if about else None
    if not paper_count:
        return ConsensusOutcome(None, "No paper was found.", balance)
    if 2 * judged < paper_count:
        few = f"Only {judged}" if judged else "None"
        return ConsensusOutcome(
            None, f"{few} of the {paper_count} papers found could be judged: too few to say.", balance
        )
    if about < FEWEST:
        few = "None" if not about else f"Only {about}"
        of = f"{few} of the {judged} papers judged {'are' if about > 1 else 'is'} about it"
        return ConsensusOutcome(None, f"{of}; a consensus needs {FEWEST} at least.", balance)
    step = min(4 * abs(net) // about, 3)  # quarters of the balance: 0 is none, 3 is strong
    is_held = step == 3 and about < FEWEST_FOR_STRONG
    step -= is_held
    return ConsensusOutcome(CONSENSUS_LEVELS[_MIDDLE - step if net > 0 else _MIDDLE + step], "", balance, is_held)


def weigh_relevance(stances: Sequence[Stance]) -> float:
    """How much of what was judged is about the claim, 0 to 1; a paper of rank r counts 1 / log2(r + 1), as in nDCG."""
    weights = {item.rank: 1 / log2(item.rank + 1) for item in stances}
    about = sum(weights[item.rank] for item in stances if item.stance != "not about it")
    return about / sum(weights.values()) if weights else 0.0


def explain_outcome(stances: Sequence[Stance], outcome: ConsensusOutcome) -> str:
    """Which papers say what, with their markers, and how the level follows; "" where none is about the claim."""
    groups = {stance: [item for item in stances if item.stance == stance] for stance in _VERBS}
    about = sum(map(len, groups.values()))
    if not about:
        return ""
    parts = [
        f"{len(group)} {_VERBS[stance][len(group) > 1]} {_markers(group)}" for stance, group in groups.items() if group
    ]
    explanation = f"{about} of {len(stances)} papers are about it: {'; '.join(parts)}."
    if outcome.level:
        sums = f"({len(groups['supports'])} - {len(groups['opposes'])}) / {about} = {outcome.balance:+.2f}"
        explanation += f" The balance is {sums}: {outcome.level}."
    if outcome.is_held:
        explanation += f" From {FEWEST_FOR_STRONG} papers on it would be strong."
    if far := [item for group in groups.values() for item in group if item.outlying.outlier]:
        explanation += f" Far from the others found: {_markers(far)}."
    return explanation


def _markers(stances: Sequence[Stance]) -> str:
    return " ".join(item.citations[0].marker if item.citations else f"[{item.label}]" for item in stances)


CLAIM_ROLE: Role = "ask"
STANCE_ROLE: Role = "judge"
LONGEST_CLAIM = 400
"""Characters, beyond those of the question, that a claim may have."""
WHY_CHARS = 400
_UNFIT = re.compile("[\\0-\\x1f\\x7f\\ud800-\\udfff]+")


class Restated(msgspec.Struct):
    """What the prompt `claim` gives."""

    claim: str


class StanceReply(msgspec.Struct):
    """What the prompt `stance` gives."""

    stance: StanceKind
    spans: SpanNumbers
    why: str


@dataclass(frozen=True, slots=True)
class Judgeable:
    """A paper found, and what of it is read: passages in their order, each with its sentences that can be chosen.

    A sentence that two passages share stands with the first.
    """

    rank: int
    paper: Paper
    parts: tuple[tuple[Passage, tuple[Span, ...]], ...]
    label: str
    score: float = 0.0
    outlying: Outlying = Outlying(None, None, False)

    @property
    def spans(self) -> tuple[Span, ...]:
        """All sentences, as they are numbered."""
        return tuple(span for _, spans in self.parts for span in spans)


async def restate_question(client: LlmClient, question: str) -> str:
    """A question as a claim that papers can support or oppose.

    Raises:
        ModelAnswerError: the model makes none of it.
        ServiceError: it cannot be asked.
        BudgetError: the budget is used up.
    """
    most = len(question) + LONGEST_CLAIM
    output = OutputSpec(Restated, lambda restated: _trouble_of_claim(restated.claim, most))
    restated = await client.ask(CLAIM_ROLE, "claim", {"question": fenced("question", question)}, output)
    return _line(restated.claim)


def _trouble_of_claim(claim: str, most: int) -> str:
    text = _line(claim)
    if not text:
        return "the claim is empty"
    if text.endswith(("?", "？", "؟")):
        return "it is a question still, and not a claim"
    return f"the claim is longer than {most} characters" if len(text) > most else ""


async def judge_stance(client: LlmClient, claim: str, item: Judgeable) -> Stance:
    """What a paper says to a claim; the sentences that the model named are copied by code.

    Raises:
        ModelAnswerError: the model gives no stance, or none with sentences that there are.
        ServiceError: it cannot be asked.
        BudgetError: the budget is used up.
    """
    spans = item.spans
    values = {"claim": fenced("claim", claim), "paper": _format_paper(item)}
    output = OutputSpec(StanceReply, lambda reply: _trouble(reply, len(spans)))
    reply = await client.ask(STANCE_ROLE, "stance", values, output, papers=[item.paper.id])
    about = reply.stance != "not about it"
    chosen = {spans[number - 1].id for number in reply.spans} if about else set()
    why = _line(cleaned(_line(reply.why), [span.text for span in spans if span.id in chosen])[0]) if about else ""
    return Stance(
        item.rank,
        item.paper,
        reply.stance,
        tuple(_citations(item, chosen)),
        why if len(why) <= WHY_CHARS else why[: WHY_CHARS - 1].rstrip() + "…",
        item.score,
        item.outlying,
        item.label,
    )


def _citations(item: Judgeable, chosen: set[str]) -> list[Citation]:
    citations = []
    for passage, spans in item.parts:
        if carrying := tuple(span for span in spans if span.id in chosen):
            quote = " … ".join(span.text for span in carrying)
            citations.append(Citation(item.paper, passage.id, carrying, quote, item.label))
    return citations


def _format_paper(item: Judgeable) -> str:
    """A paper as the prompt shows it: its sentences numbered through, and a line where another section begins."""
    lines: list[str] = []
    number = 0
    for passage, spans in item.parts:
        if len(item.parts) > 1 and passage.section:
            lines.append(f"({' '.join(passage.section.split())})")
        for span in spans:
            number += 1
            lines.append(f"[{number}] {' '.join(span.text.split())}")
    return fenced("paper", "\n".join(lines), paper=item.label, title=item.paper.title)


def _trouble(reply: StanceReply, count: int) -> str:
    """What is wrong with a stance."""
    if reply.stance == "not about it":
        return ""
    if wrong := [number for number in reply.spans if not 1 <= number <= count]:
        return f"there is no sentence {wrong[0]}; the paper has the sentences 1 to {count}"
    return "" if reply.spans else f"the stance '{reply.stance}' needs the numbers of the sentences that show it"


def _line(text: str) -> str:
    return " ".join(_UNFIT.sub(" ", text).split())


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
        consensus = await self._judge_papers()
        self.tell(Concluded(consensus))
        return consensus

    async def _judge_papers(self) -> Consensus:
        roles = (STANCE_ROLE,) if self.claim.strip() else (CLAIM_ROLE, STANCE_ROLE)
        try:
            await self.client.prepare(roles, ["stance"] if self.claim.strip() else ["claim", "stance"])
            self.claim = " ".join(self.claim.split()) or await restate_question(self.client, self.question)
        except BudgetError as error:
            return self._conclude([], [], f"{error.message} No paper was judged. {error.hint}")
        self.tell(Claimed(self.claim))
        papers = await asyncio.to_thread(self._find_papers)
        if not papers:
            return self._conclude([], [], explain_nothing(self.retriever, self.filters))
        judged, unjudged = await self._collect_stances(papers)
        return self._conclude(judged, unjudged)

    def _find_papers(self) -> list[Judgeable]:
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
        labels = label_papers(group[0].paper for _, group in chosen)
        judgeable = []
        for rank, ((name, group), outlying) in enumerate(zip(chosen, far, strict=True), 1):
            parts = deduplicate_sentences([part for item in group[:MOST_READ_OF_ONE] for part in item.own_passages])
            judgeable.append(Judgeable(rank, group[0].paper, parts, labels[name], group[0].score, outlying))
        return judgeable

    async def _collect_stances(self, papers: Sequence[Judgeable]) -> tuple[list[Stance], list[Unjudged]]:
        """The stance of each paper, asked for at the same time; and those that could not be had.

        Raises:
            ServiceError: none could be had.
        """
        done = 0

        async def judge(item: Judgeable) -> Stance:
            nonlocal done
            stance = await judge_stance(self.client, self.claim, item)
            done += 1
            self.tell(Reading(done, len(papers), self.client.usage))
            self.tell(StanceJudged(stance))
            return stance

        results = await asyncio.gather(*map(judge, papers), return_exceptions=True)
        judged, unjudged = [], []
        for item, result in zip(papers, results, strict=True):
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
                f"{len(unjudged)} of {len(papers)} papers could not be judged and do not count: {unjudged[0].reason}"
            )
        return judged, unjudged

    def _conclude(self, judged: Sequence[Stance], unjudged: Sequence[Unjudged], reason: str = "") -> Consensus:
        consensus = Consensus(self.question, self.claim, None, reason, None, weigh_relevance(judged), tuple(judged))
        follows = decide_outcome(consensus.counts, len(judged) + len(unjudged))
        sentences = sum(len(citation.spans) for item in judged for citation in item.citations)
        passages = sum(len(item.citations) for item in judged)
        return replace(
            consensus,
            level=follows.level,
            reason=reason or follows.reason,
            balance=follows.balance,
            unjudged=tuple(unjudged),
            explanation=explain_outcome(judged, follows),
            models=(*self.client.names(), self.retriever.embedder.id),
            usage=replace(self.client.usage, passages=passages, sentences=sentences),
            note=" ".join(part for part in (self.retriever.note, *self.notes) if part),
            made=datetime.now(UTC).isoformat(timespec="seconds"),
        )
