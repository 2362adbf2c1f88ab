"""What one paper says to a claim, by a model that reads it alone and names sentences by their numbers (F10)."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from conspectus.evidence.model_text import cleaned
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec, SpanNumbers
from conspectus.llm.prompts import fenced
from conspectus.records import Citation, Outlying, Paper, Passage, Span, Stance, StanceKind
from conspectus.records.models import Role

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


async def restated(client: LlmClient, question: str) -> str:
    """A question as a claim that papers can support or oppose.

    Raises:
        ModelAnswerError: the model makes none of it.
        ServiceError: it cannot be asked.
        BudgetError: the budget is used up.
    """
    most = len(question) + LONGEST_CLAIM
    wanted = OutputSpec(Restated, lambda said: _trouble_of_claim(said.claim, most))
    said = await client.ask(CLAIM_ROLE, "claim", {"question": fenced("question", question)}, wanted)
    return _line(said.claim)


def _trouble_of_claim(claim: str, most: int) -> str:
    text = _line(claim)
    if not text:
        return "the claim is empty"
    if text.endswith(("?", "？", "؟")):
        return "it is a question still, and not a claim"
    return f"the claim is longer than {most} characters" if len(text) > most else ""


async def stance(client: LlmClient, claim: str, item: Judgeable) -> Stance:
    """What a paper says to a claim; the sentences that the model named are copied by code.

    Raises:
        ModelAnswerError: the model gives no stance, or none with sentences that there are.
        ServiceError: it cannot be asked.
        BudgetError: the budget is used up.
    """
    spans = item.spans
    values = {"claim": fenced("claim", claim), "paper": _format_paper(item)}
    wanted = OutputSpec(StanceReply, lambda said: _trouble(said, len(spans)))
    said = await client.ask(STANCE_ROLE, "stance", values, wanted, papers=[item.paper.id])
    about = said.stance != "not about it"
    chosen = {spans[number - 1].id for number in said.spans} if about else set()
    why = _line(cleaned(_line(said.why), [span.text for span in spans if span.id in chosen])[0]) if about else ""
    return Stance(
        item.rank,
        item.paper,
        said.stance,
        tuple(_citations(item, chosen)),
        why if len(why) <= WHY_CHARS else why[: WHY_CHARS - 1].rstrip() + "…",
        item.score,
        item.outlying,
        item.label,
    )


def _citations(item: Judgeable, chosen: set[str]) -> list[Citation]:
    found = []
    for passage, spans in item.parts:
        if carrying := tuple(span for span in spans if span.id in chosen):
            quote = " … ".join(span.text for span in carrying)
            found.append(Citation(item.paper, passage.id, carrying, quote, item.label))
    return found


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


def _trouble(said: StanceReply, count: int) -> str:
    """What is wrong with a stance."""
    if said.stance == "not about it":
        return ""
    if wrong := [number for number in said.spans if not 1 <= number <= count]:
        return f"there is no sentence {wrong[0]}; the paper has the sentences 1 to {count}"
    return "" if said.spans else f"the stance '{said.stance}' needs the numbers of the sentences that show it"


def _line(text: str) -> str:
    return " ".join(_UNFIT.sub(" ", text).split())
