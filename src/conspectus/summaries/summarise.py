"""Summaries (S3): stretches of papers condensed by a language model, sentence by sentence bound to the paper's own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated

import msgspec

from conspectus.core.errors import BudgetError, ConspectusError, ModelAnswerError, ServiceError
from conspectus.ingest.derivations.summaries import Condensed, SummaryOrigin, SummarySentenceRow
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec, SpanNumbers
from conspectus.llm.prompts import fenced
from conspectus.records import Paper
from conspectus.summaries.stretches import Stretch
from conspectus.verify.mechanical import hints

PROMPT = "summarise"
WINDOW = 8
"""Papers in hand at the same time; how many calls there are at once is the models' own limit."""
SHORTER = 9
"""A summary has about one word for so many of its stretch."""
LEAST_WORDS = 40
_NUMBERS = re.compile(r"(?<!\s)\s*+\[\d++(?:[\s,;–-]++\d++)*+\]")
_UNFIT = re.compile("[\\0\\ud800-\\udfff]")


class SummarySentence(msgspec.Struct):
    """One sentence as a model wrote it, with the numbers of those that carry it."""

    text: str
    spans: Annotated[SpanNumbers, msgspec.Meta(extra_json_schema={"minItems": 1})]


class Short(msgspec.Struct):
    """What the prompt `summarise` gives."""

    sentences: Annotated[list[SummarySentence], msgspec.Meta(extra_json_schema={"minItems": 1})]


@dataclass(frozen=True, slots=True)
class Work:
    """A paper to be summarised; `digest` is of its sentences."""

    paper: Paper
    digest: bytes
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True)
class SummaryOutcome:
    """What came of a paper: a summary of each stretch, or why not.

    `left_out` counts sentences with numbers, identifiers or quotations that are not those of the paper.
    """

    work: Work
    condensed: tuple[Condensed, ...] = ()
    left_out: int = 0
    by: SummaryOrigin = field(default_factory=lambda: SummaryOrigin("", "", "", b""))
    error: ConspectusError | None = None


Tell = Callable[[SummaryOutcome], None]


@dataclass(slots=True)
class Summariser:
    """Has a model condense papers, several at a time.

    Attributes:
        calls: how many may be under way: so many can go over a budget.
        stopped: why no further paper is begun: the budget, or a service that has gone away.
    """

    client: LlmClient
    calls: int
    stopped: ConspectusError | None = None

    async def run(self, works: Iterable[Work], tell: Tell) -> None:
        """Tell the outcome of each paper as it comes.

        Raises:
            ServiceError: the model cannot be asked, and has not answered before.
        """
        turns = asyncio.Semaphore(self.calls)
        running: set[asyncio.Task[None]] = set()
        try:
            for work in works:
                running.add(asyncio.create_task(self._paper(work, tell, turns)))
                while running and len(running) >= WINDOW:
                    running = await _wait_for_first(running)
                if self.stopped:
                    break
            while running:
                running = await _wait_for_first(running)
        finally:
            for task in running:
                task.cancel()

    async def _paper(self, work: Work, tell: Tell, turns: asyncio.Semaphore) -> None:
        """One paper. All stretches are asked for, also if one fails: the others are known when it is tried again."""

        async def one(stretch: Stretch) -> tuple[Condensed, int]:
            async with turns:
                return await self._stretch(work, stretch)

        results = await asyncio.gather(*map(one, work.stretches), return_exceptions=True)
        errors = [result for result in results if isinstance(result, BaseException)]
        if errors:
            tell(SummaryOutcome(work, error=self._met(errors)))
            return
        found = [result for result in results if isinstance(result, tuple)]
        condensed = tuple(short for short, _ in found if short.sentences)
        tell(SummaryOutcome(work, condensed, sum(out for _, out in found), self._by(work)))

    def _met(self, errors: Sequence[BaseException]) -> ConspectusError:
        """The error to tell of a paper; what keeps the others from being read, too, ends the run."""
        foreign = [error for error in errors if not isinstance(error, ConspectusError)]
        if foreign:
            raise foreign[0]
        known = [error for error in errors if isinstance(error, ConspectusError)]
        for error in known:
            if isinstance(error, BudgetError):
                self.stopped = error
                return error
            if isinstance(error, ServiceError) and not isinstance(error, ModelAnswerError):
                if not self.client.meter.answered:
                    raise error
                self.stopped = error if error.retry else self.stopped
                return error
            if not isinstance(error, ServiceError):
                raise error
        return known[0]

    def _by(self, work: Work) -> SummaryOrigin:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        model = self.client.models.of("summarise").id
        return SummaryOrigin(model, self.client.prompts.get(PROMPT).id, now, work.digest)

    async def _stretch(self, work: Work, stretch: Stretch) -> tuple[Condensed, int]:
        """A stretch condensed, and how many sentences were left out as not those of the paper."""
        spans = stretch.spans
        values = {"passage": format_stretch(work.paper, stretch), "words": str(words_for(stretch))}
        wanted = OutputSpec(Short, lambda said: trouble(said, stretch))
        said = await self.client.ask("summarise", PROMPT, values, wanted, papers=[work.paper.id])
        contexts = ["\n".join(span.text for span in spans), work.paper.title, stretch.section]
        kept = []
        for one in said.sentences:
            carried = [spans[number - 1] for number in sorted(set(one.spans))]
            text = plain(one.text)
            if not any(hint.certain for hint in hints(text, [span.text for span in carried], contexts)):
                kept.append(SummarySentenceRow(text, tuple(span.id for span in carried)))
        return Condensed(stretch.section, tuple(kept)), len(said.sentences) - len(kept)


async def _wait_for_first(running: set[asyncio.Task[None]]) -> set[asyncio.Task[None]]:
    """Wait until some are done; raises what they raised."""
    done, left = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()
    return left


def words_for(stretch: Stretch) -> int:
    """How many words a summary of a stretch may have."""
    return max(LEAST_WORDS, round(stretch.length / 6 / SHORTER))


def format_stretch(paper: Paper, stretch: Stretch) -> str:
    """A stretch as the prompt shows it: its sentences numbered through, and a line where another section begins."""
    lines: list[str] = []
    number = 0
    for part in stretch.parts:
        if len(stretch.parts) > 1 and part.section:
            lines.append(f"({' '.join(part.section.split())})")
        for span in part.spans:
            number += 1
            lines.append(f"[{number}] {' '.join(span.text.split())}")
    return fenced("passage", "\n".join(lines), paper=paper.label, title=paper.title, section=stretch.section)


def plain(text: str) -> str:
    """A model's sentence on one line, without numbers of sentences in brackets and what no file can hold."""
    return " ".join(_UNFIT.sub("\ufffd", _NUMBERS.sub("", text)).split())


def trouble(said: Short, stretch: Stretch) -> str:
    """What is wrong with a summary: numbers that are not there, nothing said, or more than the stretch itself."""
    count = len(stretch.spans)
    for one in said.sentences:
        wrong = [number for number in one.spans if not 1 <= number <= count]
        if wrong:
            return f"there is no sentence {wrong[0]}; the stretch has the sentences 1 to {count}"
        if not plain(one.text):
            return "one of its sentences is empty"
        if not one.spans:
            return f"the sentence '{one.text[:80]}' names no sentence that carries it"
    if not said.sentences:
        return "it has no sentences"
    if sum(len(plain(one.text)) for one in said.sentences) > stretch.length:
        return "it is longer than the stretch that it is to condense"
    return ""
