"""Verification: each statement held against the sentences it cites, mechanically and by a judge.

What the mechanical check finds are hints (`verify`). A judge sees them and settles them; what it says stands.
Without one they strike a statement out only where they are certain, and everything else is unchecked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec

from conspectus.answer.citation_context import find_context, locate_uncited_numbers
from conspectus.evidence.model_text import cleaned
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import fenced
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
        certain_hints = [hint for hint in self.hints if hint.certain]
        why = " ".join(hint.why for hint in certain_hints or self.hints)
        return Verdict("unsupported" if certain_hints else "unchecked", why)


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
    """The judge's decision on one hint: whether it shows that the statement is wrong."""

    hint: int
    wrong: bool


class JudgedStatement(msgspec.Struct):
    """The judge's verdict on one statement."""

    number: int
    status: Support
    why: str


class Judgement(msgspec.Struct, kw_only=True):
    """The reply to the prompt `judge`. Hints are settled first, before the verdicts are thought of."""

    hints: list[Settled] = []
    verdicts: list[JudgedStatement]


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """A language model that is asked once about all statements of an answer to a question."""

    client: LlmClient
    question: str = ""

    async def verdicts(self, cases: Sequence[Case], passages: Mapping[str, Passage]) -> list[Verdict]:
        """See `Judge`. A statement without a verdict, or with one that a hint contradicts, is not asked about again."""
        cited = [citation for case in cases for citation in case.statement.citations]
        spec = OutputSpec(Judgement, lambda reply: _describe_trouble(reply, len(cases)))
        question = fenced("question", self.question) if self.question else ""
        values = {"question": question, "statements": show_cases(cases, passages)}
        papers = sorted({citation.paper.id for citation in cited})
        reply = await self.client.ask("judge", "judge", values, spec, papers=papers)
        return _read_verdicts(reply, cases, [citation.quote for citation in cited])


def show_cases(cases: Sequence[Case], passages: Mapping[str, Passage]) -> str:
    """Format statements for the judge: their sentences, each once and with its context, then the statements."""
    sheet = _Sheet(passages)
    for case in cases:
        for citation in case.statement.citations:
            sheet.cite(citation)
    located = [list(locate_uncited_numbers(case.statement, passages)) for case in cases]
    for number in (number for numbers in located for number in numbers):
        sheet.add_context(number.span)
    sources = sheet.sources()
    hinted = _enumerate_hints(cases)
    lines = []
    for place, (case, numbers) in enumerate(zip(cases, located, strict=True), 1):
        names = (sheet.names[span.id] for citation in case.statement.citations for span in citation.spans)
        lines.append(f"{place}. statement: {case.statement.text}")
        lines.append(f"   cites: {', '.join(dict.fromkeys(names)) or 'nothing'}")
        lines += [f"   '{number.words}' stands in {sheet.names[number.span.id]}, not cited" for number in numbers]
        lines += [f"   hint {number}: {hint.why}" for number, statement, hint in hinted if statement == place]
    return "\n\n".join([*sources, fenced("statements", "\n".join(lines))])


class _Sheet:
    """The sentences that a judge is shown: the cited ones and their context, under their passages.

    Attributes:
        names: what each sentence is called, by its id: `1.2`. Overlapping passages share sentences.
    """

    def __init__(self, passages: Mapping[str, Passage]) -> None:
        self.names: dict[str, str] = {}
        self._passages = passages
        self._citations: dict[str, Citation] = {}
        self._spans: dict[str, dict[str, Span]] = {}
        self._cited: set[str] = set()

    def cite(self, citation: Citation) -> None:
        """Add the sentences of a citation."""
        new = {span.id: span for span in citation.spans if span.id not in self._cited}
        if new:
            self._citations.setdefault(citation.passage_id, citation)
            self._spans.setdefault(citation.passage_id, {}).update(new)
            self._cited.update(new)

    def add_context(self, span: Span) -> None:
        """Add an uncited sentence, below the first passage shown that has it."""
        for passage_id, spans in self._spans.items():
            passage = self._passages.get(passage_id)
            if span.id not in self._cited and passage and any(other.id == span.id for other in passage.spans):
                spans.setdefault(span.id, span)
                return

    def sources(self) -> list[str]:
        """Format the passages, and name their sentences."""
        seen: set[str] = set()
        sources = []
        for number, (passage_id, spans) in enumerate(self._spans.items(), 1):
            passage = self._passages.get(passage_id)
            context = find_context(passage, spans.keys() & self._cited) if passage else []
            span_by_id = {span.id: span for span in (*spans.values(), *context)}
            order = [span for span in passage.spans if span.id in span_by_id] if passage else list(span_by_id.values())
            shown_spans = [span for span in order if span.id in spans or span.id not in seen | self._cited]
            self.names |= {
                span.id: f"[{number}.{place}]" if span.id in self._cited else f"({number}.{place})"
                for place, span in enumerate(shown_spans, 1)
            }
            seen.update(span.id for span in shown_spans)
            text = "\n".join(f"{self.names[span.id]} {' '.join(span.text.split())}" for span in shown_spans)
            sources.append(_format_source(self._citations[passage_id], passage, text))
        return sources


def _format_source(citation: Citation, passage: Passage | None, text: str) -> str:
    paper = citation.paper
    year = str(paper.year) if paper.year else ""
    section = passage.section if passage else ""
    return fenced("passage", text, paper=citation.label or paper.label, year=year, title=paper.title, section=section)


def _describe_trouble(reply: Judgement, statements: int) -> str:
    """Why a reply is of no use: it has a verdict on no statement."""
    if any(1 <= verdict.number <= statements for verdict in reply.verdicts):
        return ""
    return "it judges none of the statements that it was asked about"


def _read_verdicts(reply: Judgement, cases: Sequence[Case], quotes: Sequence[str]) -> list[Verdict]:
    """The verdict on each statement; what the reply leaves open or contradicts is unsettled."""
    verdicts = {verdict.number: verdict for verdict in reversed(reply.verdicts)}
    hints = {settled.hint: settled.wrong for settled in reply.hints}
    final_verdicts = []
    for number, case in enumerate(cases, 1):
        verdict = verdicts.get(number)
        case_hints = [(place, hint) for place, statement, hint in _enumerate_hints(cases) if statement == number]
        if verdict is None:
            final_verdicts.append(
                _unsettled(case.hints, "The model that checks statements gave no verdict on this one.")
            )
        elif verdict.status == "supported" and (wrong := [hint for place, hint in case_hints if hints.get(place)]):
            final_verdicts.append(
                _unsettled(wrong, "The model that checks statements calls it supported, but also wrong:")
            )
        elif verdict.status == "supported" and (missed := [hint for place, hint in case_hints if place not in hints]):
            final_verdicts.append(
                _unsettled(missed, "The model that checks statements calls it supported, but left this open:")
            )
        else:
            final_verdicts.append(Verdict(verdict.status, cleaned(verdict.why, quotes)[0]))
    return final_verdicts


def _enumerate_hints(cases: Sequence[Case]) -> list[tuple[int, int, Hint]]:
    """Each hint with its number, and the number of its statement: hints are counted through all statements."""
    pairs = ((statement, hint) for statement, case in enumerate(cases, 1) for hint in case.hints)
    return [(number, statement, hint) for number, (statement, hint) in enumerate(pairs, 1)]


def _unsettled(hints: Sequence[Hint], why: str) -> Verdict:
    """The verdict where the judge settles nothing: as without a judge, and the reader learns why."""
    status: Literal["unsupported", "unchecked"] = "unsupported" if any(hint.certain for hint in hints) else "unchecked"
    return Verdict(status, " ".join([why, *(hint.why for hint in hints)]))
