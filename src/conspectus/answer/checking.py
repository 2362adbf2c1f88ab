"""Verification: each statement held against the sentences it cites, mechanically and by a judge.

What the mechanical check finds are hints (`verify`). A judge sees them and settles them; what it says stands.
Without one they strike a statement out only where they are certain, and everything else is unchecked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec

from conspectus.evidence.cleaning import cleaned
from conspectus.llm.client import LlmClient
from conspectus.llm.prompting import fenced
from conspectus.llm.wanted import Wanted
from conspectus.records import Citation, Passage, Span, Statement, Verdict
from conspectus.verify.mechanical import Hint, hints

Support = Literal["supported", "partly", "unsupported"]
CITES_NOTHING = Verdict("unsupported", "It cites nothing.")


@dataclass(frozen=True, slots=True)
class Case:
    """A statement to be judged, with what the mechanical check found in it."""

    statement: Statement
    hints: tuple[Hint, ...] = ()

    @property
    def mechanical(self) -> Verdict:
        """What can be said without a judge: nothing but what is certainly wrong."""
        if not self.statement.citations:
            return CITES_NOTHING
        found = [hint for hint in self.hints if hint.certain]
        why = " ".join(hint.why for hint in found or self.hints)
        return Verdict("unsupported" if found else "unchecked", why)


class Judge(Protocol):
    """Says whether cited sentences support statements."""

    async def verdicts(self, cases: Sequence[Case], passages: Mapping[str, Passage]) -> list[Verdict]:
        """One for each case, in order; `passages` are those that the sentences stand in, by id.

        Raises:
            ServiceError, BudgetError: it cannot be asked, or gives nothing that can be used.
        """


def case_of(statement: Statement, passages: Mapping[str, Passage]) -> Case:
    """A statement with its hints; where it cites nothing there are none."""
    sentences = [span.text for citation in statement.citations for span in citation.spans]
    around = [text for citation in statement.citations for text in _around(citation, passages)]
    return Case(statement, hints(statement.text, sentences, around))


def _around(citation: Citation, passages: Mapping[str, Passage]) -> tuple[str, ...]:
    passage = passages.get(citation.passage_id)
    return (citation.paper.title, citation.paper.label, *((passage.text, passage.section) if passage else ()))


# A language model as judge


class Settled(msgspec.Struct):
    """What the judge says of one hint: whether it shows that the statement is wrong."""

    hint: int
    wrong: bool


class Judged(msgspec.Struct):
    """What the prompt `judge` says of one statement."""

    number: int
    status: Support
    why: str


class Judgement(msgspec.Struct, kw_only=True):
    """What the prompt `judge` gives. Hints are settled first, before the verdicts are thought of."""

    hints: list[Settled] = []
    verdicts: list[Judged]


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """A language model that is asked about all statements in one call."""

    client: LlmClient

    async def verdicts(self, cases: Sequence[Case], passages: Mapping[str, Passage]) -> list[Verdict]:
        """See `Judge`."""
        cited = [citation for case in cases for citation in case.statement.citations]
        count = sum(len(case.hints) for case in cases)
        wanted = Wanted(
            Judgement, lambda said: _trouble(said, len(cases), count), doubt=lambda said: _doubt(said, cases)
        )
        values = {"statements": shown(cases, passages)}
        papers = sorted({citation.paper.id for citation in cited})
        said = await self.client.ask("judge", "judge", values, wanted, papers=papers)
        quotes = [citation.quote for citation in cited]
        found = {one.number: Verdict(one.status, cleaned(one.why, quotes)[0]) for one in said.verdicts}
        found |= {number: _undecided(hint) for _, number, hint in _contradictions(said, cases)}
        return [found[number] for number in range(1, len(cases) + 1)]


def shown(cases: Sequence[Case], passages: Mapping[str, Passage]) -> str:
    """What the judge sees: each cited sentence once, in its paper and between its neighbours; then the statements."""
    cited: dict[str, dict[str, Span]] = {}
    of: dict[str, Citation] = {}
    names: dict[str, str] = {}
    for case in cases:
        for citation in case.statement.citations:
            for span in citation.spans:
                if span.id not in names:  # overlapping passages share sentences
                    of.setdefault(citation.passage_id, citation)
                    there = cited.setdefault(citation.passage_id, {})
                    there[span.id] = span
                    names[span.id] = f"{list(cited).index(citation.passage_id) + 1}.{len(there)}"
    sources = [_source(of[name], spans, passages.get(name), names) for name, spans in cited.items()]
    hinted = _hinted(cases)
    lines = []
    for place, case in enumerate(cases, 1):
        spans = (span.id for citation in case.statement.citations for span in citation.spans)
        lines.append(f"{place}. statement: {case.statement.text}")
        lines.append(f"   cites: {', '.join(dict.fromkeys(names[name] for name in spans)) or 'nothing'}")
        lines += [f"   hint {number}: {hint.why}" for number, statement, hint in hinted if statement == place]
    return "\n\n".join([*sources, fenced("statements", "\n".join(lines))])


def _source(citation: Citation, spans: Mapping[str, Span], passage: Passage | None, names: Mapping[str, str]) -> str:
    """The cited sentences of one passage, each with its neighbours, which have no number."""
    paper = citation.paper
    around = list(passage.spans) if passage else list(spans.values())
    near = {
        place
        for place, span in enumerate(around)
        if any(other.id in spans for other in around[max(place - 1, 0) : place + 2])
    }
    lines, last = [], -1
    for place in sorted(near):
        span = around[place]
        gap = ["…"] if last >= 0 and place > last + 1 else []
        mark = f"[{names[span.id]}]" if span.id in spans else "(beside)"
        lines += [*gap, f"{mark} {' '.join(span.text.split())}"]
        last = place
    year = str(paper.year) if paper.year else ""
    section = passage.section if passage else ""
    text = "\n".join(lines)
    return fenced("passage", text, paper=citation.label or paper.label, year=year, title=paper.title, section=section)


def _trouble(said: Judgement, statements: int, count: int) -> str:
    numbers = sorted(verdict.number for verdict in said.verdicts)
    if numbers != list(range(1, statements + 1)):
        return f"it has verdicts on the statements {numbers}, and needs one on each of 1 to {statements}"
    settled = {one.hint for one in said.hints}
    if missing := [number for number in range(1, count + 1) if number not in settled]:
        return f"it does not settle hint {missing[0]}; each of 1 to {count} has to be settled"
    return ""


def _hinted(cases: Sequence[Case]) -> list[tuple[int, int, Hint]]:
    """Each hint with its number, and the number of its statement: hints are counted through all statements."""
    found = ((statement, hint) for statement, case in enumerate(cases, 1) for hint in case.hints)
    return [(number, statement, hint) for number, (statement, hint) in enumerate(found, 1)]


def _contradictions(said: Judgement, cases: Sequence[Case]) -> list[tuple[int, int, Hint]]:
    """The hints that are said to show that a statement is wrong, of statements that are said to be supported."""
    wrong = {one.hint for one in said.hints if one.wrong}
    supported = {one.number for one in said.verdicts if one.status == "supported"}
    return [one for one in _hinted(cases) if one[0] in wrong and one[1] in supported]


def _doubt(said: Judgement, cases: Sequence[Case]) -> str:
    for number, statement, _ in _contradictions(said, cases):
        return f"it says that hint {number} shows that statement {statement} is wrong, and calls it supported"
    return ""


def _undecided(hint: Hint) -> Verdict:
    """What stands where a judge contradicts itself: as without one, but told."""
    status: Literal["unsupported", "unchecked"] = "unsupported" if hint.certain else "unchecked"
    return Verdict(status, f"The judge calls it supported, and wrong all the same: {hint.why}")
