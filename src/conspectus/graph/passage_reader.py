"""Having a language model read passages, batch by batch: nobody waits for it to write to the library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from conspectus.core.errors import BudgetError, ConspectusError, ModelAnswerError, ServiceError
from conspectus.core.job_context import emit
from conspectus.llm.client import LlmClient
from conspectus.llm.prompts import fenced
from conspectus.records import Paper, Span
from conspectus.records.events import Progress
from conspectus.records.models import Role
from conspectus.store import derivations

if TYPE_CHECKING:
    from conspectus.ingest.derivations.protocol import WhenAsked
    from conspectus.llm.call_cache import LibraryCallCache
    from conspectus.session.session import Session

ROLE: Role = "summarise"


@dataclass(slots=True)
class PassageReader:
    """Asks a model about passages.

    Attributes:
        stopped: why nothing further is asked: the budget, or a service that is away.
    """

    client: LlmClient
    stopped: ConspectusError | None = None

    def record_errors(self, errors: Iterable[BaseException]) -> ConspectusError:
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


def format_spans(spans: Sequence[Span], paper: Paper, section: str) -> str:
    """Sentences of a passage as a prompt shows them, each with its number."""
    sentences = "\n".join(f"[{n}] {' '.join(span.text.split())}" for n, span in enumerate(spans, 1))
    return fenced("passage", sentences, paper=paper.label, title=paper.title, section=section)


W = TypeVar("W")
O = TypeVar("O", bound="PaperOutcome")  # noqa: E741 - what comes of a paper
Works = tuple[dict[str, W], dict[str, list[str]]]
"""Paper id -> what is to be read of it, and -> the ids of all its passages."""


class PaperOutcome(Protocol):
    """The outcome of a paper."""

    @property
    def paper(self) -> str:
        """Its id."""


@dataclass(frozen=True, slots=True)
class ReadBatch(Generic[O]):
    """What came of the papers of some keys, and the ids of their passages as they were read."""

    keys: Sequence[int]
    outcomes: Mapping[str, O]
    passage_ids: Mapping[str, Sequence[str]]


def read_batches(
    session: Session,
    mine: WhenAsked,
    works: Callable[[Sequence[int]], Works[W]],
    reader: PassageReader,
    read: Callable[[Mapping[str, W], Callable[[O], None]], Any],
    cache: LibraryCallCache,
) -> Iterator[ReadBatch[O]]:
    """What comes of the papers that lack a derivation, some at a time, until nothing further is asked."""
    catalog = session.catalog
    total, last, done = mine.count_lacking(catalog, derivations.noted(catalog)), 0, 0
    while (keys := mine.lacking(catalog, last, mine.batch)) and not reader.stopped:
        work_by_paper, passage_ids = works(keys)
        outcomes: dict[str, O] = {}

        async def job(put: Callable[[O], None], work_by_paper: Mapping[str, W] = work_by_paper) -> None:
            try:
                await read(work_by_paper, put)
            finally:
                await cache.finish()

        for outcome in session.loop.events(job):
            outcomes[outcome.paper] = outcome
            emit(Progress(mine.doing, done + len(outcomes), total, "papers"))
        yield ReadBatch(keys, outcomes, passage_ids)
        last, done = keys[-1], done + len(outcomes)
