"""What an agent has so far: the papers it was shown, the evidence, the answer it may still reject."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from conspectus.answer.pipeline import QuestionRun
from conspectus.core.errors import UsageError
from conspectus.core.text import pluralize
from conspectus.evidence.gather import Gathering
from conspectus.llm.prompts import CHARS_PER_TOKEN
from conspectus.records import Answer, Draft, Evidence, Filters, Paper
from conspectus.records.events import Cited, Event, StatementChecked

SHOWN = 6000
"""Characters of papers that one call of a tool shows, at most."""
CALLS_IN_SIGHT = 6
"""Of a small context, what one call of a tool shows takes at most one part in so many."""


@dataclass(slots=True)
class Attempt:
    """An answer that was written, and can still be rejected.

    Attributes:
        pieces: how many pieces of evidence there were.
        events: what was not told yet: who listens hears of an answer when it stands.
        notes: what belongs to this answer, and goes with it.
        rejected: why the agent does not take it; "": it does.
    """

    answer: Answer
    pieces: int
    events: tuple[Event, ...]
    notes: tuple[str, ...]
    rejected: str = ""


@dataclass(slots=True)
class AgentState:
    """What the tools of one agent work on.

    Attributes:
        shown_papers: the papers whose words the agent has seen, by id. It can ask for no others.
        there: how many papers can be found at all, as far as that matters.
        seen: ids of the sentences of evidence that the agent was shown.
        gathering: all evidence; None: nothing was read yet.
        attempt: the last answer written.
        drafts: answers that were rejected.
    """

    run: QuestionRun
    shown_papers: dict[str, Paper] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    there: int = 0
    gathering: Gathering | None = None
    attempt: Attempt | None = None
    drafts: tuple[Draft, ...] = ()

    def show(self, papers: Iterable[Paper]) -> None:
        """Note which papers the agent sees."""
        self.shown_papers |= {paper.id: paper for paper in papers}

    def paper(self, name: str) -> Paper:
        """A paper that was shown, by its id.

        Raises:
            UsageError: none was shown that is called so.
        """
        if name not in self.shown_papers:
            known = ", ".join(list(self.shown_papers)[-20:]) or "none"
            raise UsageError(f"No paper with the id '{name[:100]}' was found.", f"Found were: {known}.")
        return self.shown_papers[name]

    def narrow_filters(self, first: int | None, last: int | None) -> Filters:
        """The user's filters, with years that can only make them narrower.

        Raises:
            UsageError: no year is left.
        """
        user_years = self.run.filters.year or (None, None)
        first = max((year for year in (first, user_years[0]) if year is not None), default=None)
        last = min((year for year in (last, user_years[1]) if year is not None), default=None)
        if first is not None and last is not None and first > last:
            allowed = f" The user asks only for papers {years(*user_years)}." if any(user_years) else ""
            raise UsageError(f"No year is left: {first} is after {last}.{allowed}")
        return replace(self.run.filters, year=None if first is last is None else (first, last))

    @property
    def room(self) -> int:
        """Characters that one call of a tool may show: a part of the model's context, so that several calls fit."""
        run = self.run
        context = run.settings.language.context or run.client.models.of("agent").context
        return min(SHOWN, context * CHARS_PER_TOKEN // CALLS_IN_SIGHT) if context else SHOWN

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """All that was found, the most relevant first."""
        return self.gathering.evidence if self.gathering else ()

    def add(self, gathering: Gathering) -> tuple[Evidence, ...]:
        """Take evidence in; returns what is new of it."""
        before = self.gathering or Gathering()
        new = before.new_in(gathering)
        self.gathering = before + gathering
        self.show(item.paper for item in gathering.evidence)
        return new

    @property
    def sufficient_counts(self) -> tuple[int, int]:
        """Pieces of evidence, and papers they come from, that are enough."""
        settings = self.run.settings.agent
        return min(settings.pieces, self.run.reading.keep), max(min(settings.papers, self.there), 1)

    @property
    def enough(self) -> bool:
        """Whether that is reached, and an answer was not written from just this."""
        pieces, papers = self.sufficient_counts
        return len(self.evidence) >= pieces and len(_papers(self.evidence)) >= papers and self.fresh

    @property
    def fresh(self) -> bool:
        """Whether there is evidence that the last answer was not written from."""
        return self.attempt is None or len(self.evidence) > self.attempt.pieces

    @property
    def accepted(self) -> bool:
        """Whether there is an answer, and nothing said against it."""
        return self.attempt is not None and self.attempt.answer.answered and not self.attempt.rejected

    @property
    def reached(self) -> tuple[int, int, str]:
        """Changes with whatever brings the work on."""
        attempt = self.attempt
        return len(self.evidence), attempt.pieces if attempt else -1, attempt.rejected if attempt else ""

    def status(self) -> str:
        """How much evidence there is, for the agent."""
        pieces, papers = len(self.evidence), len(_papers(self.evidence))
        sentence = f"So far: {pluralize(pieces, 'piece')} of evidence from {pluralize(papers, 'paper')}."
        if not self.enough:
            return sentence
        return f"{sentence} That is enough: call `answer` now, unless a part of the question is still without evidence."

    def reject(self, reason: str) -> None:
        """Put the answer that was written aside."""
        assert self.attempt
        self.attempt.rejected = reason

    async def write(self) -> Attempt:
        """Have an answer written from the evidence; what was written before is kept as a draft.

        Where the evidence is said not to suffice any more, an answer that was written before stands.

        Raises:
            UsageError: there is no evidence.
            BudgetError: the budget does not reach for it. What was written before stays.
            ServiceError: a model gives nothing that can be used.
        """
        gathering = self.gathering or Gathering()
        events: list[Event] = []

        def hold(event: Event) -> None:
            if isinstance(event, Cited | StatementChecked):
                events.append(event)
            else:
                self.run.tell(event)

        run = replace(self.run, tell=hold, notes=[], removed_references=[])
        evidence = run.chosen(gathering)
        if not evidence:
            raise UsageError("There is no evidence to answer from yet.", "Call `gather_evidence` first.")
        answer = await run.answer(gathering, evidence)
        new = Attempt(answer, len(gathering.evidence), tuple(events), tuple(run.notes))
        if (before := self.attempt) and before.answer.answered:
            if not answer.answered:  # what was written before still stands
                before.pieces = new.pieces
                return new
            old = before.answer
            self.drafts += (*old.drafts, Draft("rejected answer", old.text, old.statements))
        self.attempt = new
        return new


def years(first: int | None, last: int | None) -> str:
    """A range of years in words."""
    if first == last:
        return f"of {first}"
    parts = (f"from {first}" if first is not None else "", f"to {last}" if last is not None else "")
    return " ".join(part for part in parts if part)


def _papers(evidence: Iterable[Evidence]) -> set[str]:
    return {item.paper.id for item in evidence}
