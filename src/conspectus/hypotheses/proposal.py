"""Have a language model put hypotheses into words: its premises are bound to sentences, the rest is marked as new."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from conspectus.core.errors import BudgetError, ServiceError
from conspectus.core.job_context import emit
from conspectus.core.text import pluralize
from conspectus.evidence.model_text import cleaned
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec, SpanNumbers
from conspectus.llm.prompts import fenced
from conspectus.records import Citation, Usage
from conspectus.records.events import Progress
from conspectus.records.hypotheses import HypothesisProposal, HypothesisReport, Premise, TestableHypothesis
from conspectus.records.models import Role
from conspectus.session.session import Session
from conspectus.verify.mechanical import hints

ROLE: Role = "write"
PROMPT = "hypothesis"
LETTERS = 500


class PremiseReply(msgspec.Struct):
    """A statement, and the numbers of its sentences."""

    text: str
    spans: SpanNumbers


class HypothesisReply(msgspec.Struct):
    """What the prompt `hypothesis` gives."""

    premises: list[PremiseReply]
    novel: str
    test: str


def propose(session: Session, report: HypothesisReport, model: str, *, cache: bool) -> HypothesisReport:
    """A report with each hypothesis in words.

    Raises:
        UnavailableError: no language model is set.
        ServiceError: the model gave none.
    """
    run = _ProposalRun(report)

    async def job(put: Callable[[Progress], None]) -> None:
        async with session.client(model, fresh=not cache) as client:
            await client.prepare((ROLE,), [PROMPT])
            await asyncio.gather(*(run.propose(client, hypothesis, put) for hypothesis in report.hypotheses))
            run.models, run.usage = client.names(), client.usage

    for event in session.loop.events(job):
        emit(event)
    return run.report()


@dataclass(slots=True)
class _ProposalRun:
    base_report: HypothesisReport
    done: dict[int, HypothesisProposal] = field(default_factory=dict)
    failed: list[ServiceError | BudgetError] = field(default_factory=list)
    models: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)

    async def propose(self, client: LlmClient, hypothesis: TestableHypothesis, put: Callable[[Progress], None]) -> None:
        """Ask about a hypothesis."""
        citations = _citations(hypothesis)
        names = {node.id: node.name for node in self.base_report.nodes}
        values = {
            "one": names[hypothesis.source],
            "two": names[hypothesis.target],
            "sentences": "\n".join(_format(number, each) for number, each in enumerate(citations, 1)),
        }
        spec = OutputSpec(HypothesisReply, lambda reply: _find_fault(reply, len(citations)))
        papers = list(dict.fromkeys(each.paper.id for each in citations))
        try:
            reply = await client.ask(ROLE, PROMPT, values, spec, papers=papers)
        except (ServiceError, BudgetError) as error:
            self.failed.append(error)
            return
        self.done[hypothesis.rank] = check_proposal(reply, citations, client.models.of(ROLE).id)
        put(Progress("writing", len(self.done), len(self.base_report.hypotheses), "hypotheses"))

    def report(self) -> HypothesisReport:
        """The report with what was proposed."""
        failed = [error for error in self.failed if isinstance(error, ServiceError)]
        if failed and not self.done:
            raise failed[0]
        hypotheses = tuple(
            replace(hypothesis, proposal=self.done.get(hypothesis.rank)) for hypothesis in self.base_report.hypotheses
        )
        note = self.base_report.note
        if self.failed:
            many = pluralize(len(self.failed), "hypothesis", "hypotheses")
            note += f" {many} could not be put into words: {self.failed[0].message}"
        return replace(self.base_report, hypotheses=hypotheses, note=note, models=self.models, usage=self.usage)


def check_proposal(reply: HypothesisReply, citations: Sequence[Citation], model: str) -> HypothesisProposal:
    """A proposal whose premises have no number or name that their sentences lack; others are refused."""
    premises = []
    for premise in reply.premises:
        sources = tuple(citations[number - 1] for number in sorted(set(premise.spans)))
        text = _plain(premise.text, sources)
        if sources and text and not any(hint.certain for hint in hints(text, [source.quote for source in sources])):
            premises.append(Premise(text, sources))
    novel, test = (_plain(text, citations) for text in (reply.novel, reply.test))
    return HypothesisProposal(tuple(premises), novel, test, len(reply.premises) - len(premises), model)


def _citations(hypothesis: TestableHypothesis) -> list[Citation]:
    every = (assumption.citation for assumption in hypothesis.ledger)
    return list({each.spans[0].id: each for each in every if each}.values())


def _format(number: int, citation: Citation) -> str:
    sentence = f"[{number}] {' '.join(citation.quote.split())}"
    return fenced("paper", sentence, title=citation.paper.title, year=str(citation.paper.year or ""))


def _plain(text: str, citations: Sequence[Citation]) -> str:
    return cleaned(" ".join(text.split())[:LETTERS], [citation.quote for citation in citations])[0]


def _find_fault(reply: HypothesisReply, sentences: int) -> str:
    """What is wrong: nothing proposed, or numbers that are not there."""
    if not reply.novel.strip():
        return "Nothing is proposed."
    wrong = [number for premise in reply.premises for number in premise.spans if not 1 <= number <= sentences]
    return f"There are {sentences} sentences, and no number {wrong[0]}." if wrong else ""
