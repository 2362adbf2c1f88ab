"""A model of entailment as judge: a statement is supported where each of its sentences follows from those it cites."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from conspectus.answer.citation_context import find_context
from conspectus.answer.statement_checks import CITES_NOTHING, Case
from conspectus.models.pairs import Entailed
from conspectus.parse.text.sentences import split_sentences
from conspectus.records import Citation, Passage, Verdict

ENOUGH = 0.5
"""The probability from which a statement counts as supported, or as contradicted: as these models are trained."""


class Entailment(Protocol):
    """See `models.entailment.OnnxEntailment`."""

    @property
    def id(self) -> str:
        """The model's name; changes whenever what it says would."""

    def of(self, text: str, statement: str) -> Entailed:
        """Whether `text` supports `statement`."""


@dataclass(frozen=True, slots=True)
class EntailmentJudge:
    """Asks the model of each statement: with the cited sentences alone, then with title, heading and neighbours too."""

    model: Entailment

    async def verdicts(self, cases: Sequence[Case], passages: Mapping[str, Passage]) -> list[Verdict]:
        """See `checking.Judge`; hints are not shown to it, and it has the last word all the same."""
        return await asyncio.to_thread(lambda: [self._verdict(case, passages) for case in cases])

    def _verdict(self, case: Case, passages: Mapping[str, Passage]) -> Verdict:
        if not case.statement.citations:
            return CITES_NOTHING
        text = " ".join(case.statement.text.split())
        parts = [text[start:end] for start, end in split_sentences(text)] or [text]
        weakest = min((self._of(part, case, passages) for part in parts), key=lambda judgement: judgement.support)
        if weakest.support >= ENOUGH:
            return Verdict("supported", support=weakest.support)
        if weakest.contradiction >= ENOUGH:
            why = f"The sentences contradict it (probability {weakest.contradiction:.2f}, {self.model.id})."
        else:
            why = f"It does not follow from the sentences (probability {weakest.support:.2f}, {self.model.id})."
        return Verdict("unsupported", why, support=weakest.support)

    def _of(self, part: str, case: Case, passages: Mapping[str, Passage]) -> Entailed:
        cited = case.statement.citations
        alone = self.model.of(" ".join(span.text for citation in cited for span in citation.spans), part)
        if alone.support >= ENOUGH:
            return alone
        around = self.model.of(" ".join(_around(citation, passages) for citation in cited), part)
        return around if around.support > alone.support else alone


def _around(citation: Citation, passages: Mapping[str, Passage]) -> str:
    """The cited sentences of a passage with their context, under title and heading."""
    passage = passages.get(citation.passage_id)
    cited = {span.id for span in citation.spans}
    span_ids = cited | {span.id for span in find_context(passage, cited)} if passage else cited
    near = [span.text for span in (passage.spans if passage else citation.spans) if span.id in span_ids]
    head = [citation.paper.title, passage.section if passage else ""]
    return " ".join([*(f"{text.rstrip('.')}." for text in head if text), *near])
