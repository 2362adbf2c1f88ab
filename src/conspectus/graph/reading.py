"""Having a language model read passages, those of several papers at once: what ends a run, and what costs a part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conspectus.core.errors import BudgetError, ConspectusError, ModelAnswerError, ServiceError
from conspectus.core.roles import Role
from conspectus.llm.client import LlmClient
from conspectus.llm.prompting import fenced
from conspectus.records import Paper, Span

ROLE: Role = "summarise"


@dataclass(slots=True)
class Reader:
    """Asks a model about passages.

    Attributes:
        stopped: why nothing further is asked: the budget, or a service that is away.
    """

    client: LlmClient
    stopped: ConspectusError | None = None

    def met(self, errors: Iterable[BaseException]) -> ConspectusError:
        """The error to tell of a paper; what keeps the others from being read, too, ends the run.

        Raises:
            ServiceError: the model cannot be asked, and has not answered before.
        """
        known: list[ConspectusError] = []
        for error in errors:
            if not isinstance(error, ServiceError | BudgetError):
                raise error
            if not isinstance(error, ModelAnswerError):
                self.stopped = error
                if isinstance(error, ServiceError) and not self.client.meter.answered:
                    raise error
            known.append(error)
        return self.stopped or known[0]


def numbered(spans: Sequence[Span], paper: Paper, section: str) -> str:
    """Sentences of a passage as a prompt shows them, each with its number."""
    sentences = "\n".join(f"[{n}] {' '.join(span.text.split())}" for n, span in enumerate(spans, 1))
    return fenced("passage", sentences, paper=paper.label, title=paper.title, section=section)
