"""Having a language model read papers batch by batch: nobody waits for it to write to the library."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from conspectus.core.job_context import emit
from conspectus.records.jobs import Progress
from conspectus.store import derivations

if TYPE_CHECKING:
    from conspectus.graph.reading import Reader
    from conspectus.ingest.derivations.protocol import WhenAsked
    from conspectus.llm.call_cache import LibraryCallCache
    from conspectus.session.session import Session

W = TypeVar("W")
O = TypeVar("O", bound="Outcome")  # noqa: E741 - what comes of a paper
Works = tuple[dict[str, W], dict[str, list[str]]]
"""Paper id -> what is to be read of it, and -> the ids of all its passages."""


class Outcome(Protocol):
    """What came of a paper."""

    @property
    def paper(self) -> str:
        """Its id."""


@dataclass(frozen=True, slots=True)
class Batch(Generic[O]):
    """What came of the papers of some keys, and the ids of their passages as they were read."""

    keys: Sequence[int]
    found: Mapping[str, O]
    held: Mapping[str, Sequence[str]]


def batches(
    session: Session,
    mine: WhenAsked,
    works: Callable[[Sequence[int]], Works[W]],
    reader: Reader,
    read: Callable[[Mapping[str, W], Callable[[O], None]], Any],
    cache: LibraryCallCache,
) -> Iterator[Batch[O]]:
    """What comes of the papers that lack a derivation, some at a time, until nothing further is asked."""
    catalog = session.catalog
    total, last, done = mine.count_lacking(catalog, derivations.noted(catalog)), 0, 0
    while (keys := mine.lacking(catalog, last, mine.batch)) and not reader.stopped:
        wanted, held = works(keys)
        found: dict[str, O] = {}

        async def job(put: Callable[[O], None], wanted: Mapping[str, W] = wanted) -> None:
            try:
                await read(wanted, put)
            finally:
                await cache.finish()

        for outcome in session.loop.events(job):
            found[outcome.paper] = outcome
            emit(Progress(mine.doing, done + len(found), total, "papers"))
        yield Batch(keys, found, held)
        last, done = keys[-1], done + len(found)
