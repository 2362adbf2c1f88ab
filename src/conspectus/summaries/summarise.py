"""Summaries (S3): stretches of papers condensed by a language model, sentence by sentence bound to the paper's own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from math import ceil
from typing import Annotated

import msgspec

from conspectus.core.errors import BudgetError, ConspectusError, ModelAnswerError, ServiceError
from conspectus.core.groups import split_runs
from conspectus.ingest.derivations.summaries import Condensed, SummaryOrigin, SummarySentenceRow
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec, SpanNumbers
from conspectus.llm.prompts import MOST_CHARS, fenced
from conspectus.records import Paper, Passage, Span
from conspectus.verify.mechanical import hints

LEAST = 400
"""A stretch of fewer characters says hardly more than a summary of it would."""
_FOOTNOTES = "Footnotes"


@dataclass(frozen=True, slots=True)
class SectionPart:
    """Sentences of one section, each once."""

    section: str
    spans: tuple[Span, ...]

    @property
    def length(self) -> int:
        """Characters of all sentences."""
        return sum(len(span.text) for span in self.spans)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring parts of a paper; more than one only where they belong to one of its sections."""

    parts: tuple[SectionPart, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """All sentences."""
        return tuple(span for part in self.parts for span in part.spans)

    @property
    def section(self) -> str:
        """The path of headings that all of it stands under."""
        return " > ".join(_common(self.parts))

    @property
    def length(self) -> int:
        """Characters of all sentences."""
        return sum(part.length for part in self.parts)


def stretches(passages: Sequence[Passage], most: int = MOST_CHARS, *, abstracts: bool = False) -> list[Stretch]:
    """The text of a paper, without abstract, captions and footnotes, in stretches of about `most` characters.

    Where there is no such text, with `abstracts` the abstract. What is too short to be condensed is left out.

    Args:
        passages: the paper's own passages in reading order.
        most: characters; a single sentence may have more.
        abstracts: whether an abstract is better than nothing.
    """
    parts = _parts([passage for passage in passages if passage.kind == "body" and passage.section != _FOOTNOTES])
    if not parts and abstracts:
        parts = _parts([passage for passage in passages if passage.kind == "abstract"])
    packed_stretches: list[Stretch] = []
    depth = len(_common(parts)) + 1  # where all stands under one heading, such as the title, the next level counts
    for _, chapter in groupby(parts, key=lambda part: part.section.split(" > ")[:depth]):
        packed_stretches += _packed([piece for part in chapter for piece in _pieces(part, most)], most)
    return [stretch for stretch in packed_stretches if stretch.length >= LEAST]


def _common(parts: Sequence[SectionPart]) -> list[str]:
    """The headings that all parts stand under."""
    headings: list[str] = []
    for names in zip(*(part.section.split(" > ") for part in parts), strict=False):
        if len(set(names)) > 1:
            break
        headings.append(names[0])
    return headings


def _parts(passages: Sequence[Passage]) -> list[SectionPart]:
    """The sentences by section; those that overlapping passages share once."""
    seen: set[str] = set()
    parts = []
    for section, group in groupby(passages, key=lambda passage: passage.section):
        spans = {span.id: span for passage in group for span in passage.spans if span.id not in seen}
        seen |= spans.keys()
        if spans:
            parts.append(SectionPart(section, tuple(spans.values())))
    return parts


def _pieces(part: SectionPart, most: int) -> Iterator[SectionPart]:
    """A part cut at sentence ends into pieces of about the same length."""
    target = part.length / ceil(part.length / most) if part.length > most else most
    current: list[Span] = []
    length = 0
    for span in part.spans:
        if current and length + len(span.text) / 2 > target:
            yield SectionPart(part.section, tuple(current))
            current, length = [], 0
        current.append(span)
        length += len(span.text)
    yield SectionPart(part.section, tuple(current))


def _packed(pieces: Sequence[SectionPart], most: int) -> list[Stretch]:
    """Neighbouring pieces put together as long as they fit."""
    groups = split_runs(pieces, lambda group, piece: sum(part.length for part in group) + piece.length <= most)
    return [Stretch(tuple(group)) for group in groups]


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

        async def condense(stretch: Stretch) -> tuple[Condensed, int]:
            async with turns:
                return await self._stretch(work, stretch)

        results = await asyncio.gather(*map(condense, work.stretches), return_exceptions=True)
        errors = [result for result in results if isinstance(result, BaseException)]
        if errors:
            tell(SummaryOutcome(work, error=self._pick_error(errors)))
            return
        answered = [result for result in results if isinstance(result, tuple)]
        condensed = tuple(short for short, _ in answered if short.sentences)
        tell(SummaryOutcome(work, condensed, sum(out for _, out in answered), self._by(work)))

    def _pick_error(self, errors: Sequence[BaseException]) -> ConspectusError:
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
        output = OutputSpec(Short, lambda short: trouble(short, stretch))
        short = await self.client.ask("summarise", PROMPT, values, output, papers=[work.paper.id])
        contexts = ["\n".join(span.text for span in spans), work.paper.title, stretch.section]
        sentences = []
        for sentence in short.sentences:
            carried = [spans[number - 1] for number in sorted(set(sentence.spans))]
            text = plain(sentence.text)
            if not any(hint.certain for hint in hints(text, [span.text for span in carried], contexts)):
                sentences.append(SummarySentenceRow(text, tuple(span.id for span in carried)))
        return Condensed(stretch.section, tuple(sentences)), len(short.sentences) - len(sentences)


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


def trouble(summary: Short, stretch: Stretch) -> str:
    """What is wrong with a summary: numbers that are not there, nothing said, or more than the stretch itself."""
    count = len(stretch.spans)
    for sentence in summary.sentences:
        wrong = [number for number in sentence.spans if not 1 <= number <= count]
        if wrong:
            return f"there is no sentence {wrong[0]}; the stretch has the sentences 1 to {count}"
        if not plain(sentence.text):
            return "one of its sentences is empty"
        if not sentence.spans:
            return f"the sentence '{sentence.text[:80]}' names no sentence that carries it"
    if not summary.sentences:
        return "it has no sentences"
    if sum(len(plain(sentence.text)) for sentence in summary.sentences) > stretch.length:
        return "it is longer than the stretch that it is to condense"
    return ""
