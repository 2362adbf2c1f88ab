"""Passages read by a model for a question: how much each bears on it, and which of its sentences carry that (P3).

As many passages go into one call as there is room for, those of one paper beside each other, and no sentence is sent
twice. Each reading is kept by itself, as if its passage had been read alone, so that it is found again in whatever
company the passage comes the next time.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import msgspec

from conspectus.core.errors import ConspectusError, ModelRefusalError
from conspectus.core.groups import grouped
from conspectus.evidence.model_text import cleaned
from conspectus.lexicon import STOP_WORDS
from conspectus.llm.client import LlmClient, ReplyShare
from conspectus.llm.output_spec import OutputSpec, SpanNumbers, schema_of
from conspectus.llm.prompts import fenced
from conspectus.records import Evidence, Paper, Passage, Span
from conspectus.records.models import Role
from conspectus.verify.mechanical import hints

ROLE: Role = "summarise"
PROMPT = "gather"
SHARE = 0.8
"""Of the budget that reading may use up; the rest is for writing."""
SUMMARY_WORDS = 80
MOST_TOGETHER = 10
"""Passages in one call."""
LEAST_WORDS = 6
"""A summary of so many words that say something is held against the passage's words, too."""


class ModelReading(msgspec.Struct):
    """What a model says of one passage; `passage` is its number in the call, from 1."""

    passage: Annotated[int, msgspec.Meta(extra_json_schema={"minimum": 1, "maximum": MOST_TOGETHER})]
    relevant: bool
    score: Annotated[int, msgspec.Meta(ge=0, le=10)]
    spans: SpanNumbers
    summary: str


class Readings(msgspec.Struct):
    """What the prompt `gather` gives."""

    readings: Annotated[list[ModelReading], msgspec.Meta(extra_json_schema={"minItems": 1, "maxItems": MOST_TOGETHER})]


class _RawReadings(msgspec.Struct):
    """The same, each reading not yet looked at: one that cannot be used does not cost the others."""

    readings: list[Any]


@dataclass(frozen=True, slots=True)
class PassageToRead:
    """A passage to be read, with its paper and the score of the search.

    Attributes:
        parts: the paper's own passages with those of their sentences that can be chosen and cited, where these are not
            all sentences of the passage: what a summary rests on, all of an abstract, what was not sent before.
        context: shown beside the sentences, such as the caption of a table that was sent before.
    """

    passage: Passage
    paper: Paper
    score: float
    parts: tuple[tuple[Passage, tuple[Span, ...]], ...] = ()
    context: str = ""

    @property
    def own_passages(self) -> tuple[tuple[Passage, tuple[Span, ...]], ...]:
        """The paper's own passages with those of their sentences that can be chosen and cited."""
        return self.parts or ((self.passage, self.passage.spans),)

    @property
    def spans(self) -> tuple[Span, ...]:
        """All sentences that can be chosen."""
        return tuple(span for _, spans in self.own_passages for span in spans)

    @property
    def length(self) -> int:
        """Characters that a call shows of it, about."""
        return sum(len(span.text) + 6 for span in self.spans)

    def without(self, sent: Collection[str]) -> PassageToRead | None:
        """What is left without the sentences of these ids; None: nothing. A table's rows keep its caption in sight."""
        left = tuple(
            (passage, tuple(span for span in spans if span.id not in sent)) for passage, spans in self.own_passages
        )
        left = tuple((passage, spans) for passage, spans in left if spans)
        if left == self.own_passages:
            return self
        first = self.spans[0]
        is_caption = self.passage.kind == "table" and first.id in sent
        return replace(self, parts=left, context=first.text if is_caption else "") if left else None


Put = Callable[[int, ModelReading | ConspectusError], None]
"""Takes what came of the passage at a place."""


@dataclass(frozen=True, slots=True)
class EvidenceReader:
    """Reads passages for one question.

    Attributes:
        labels: what papers are called, by id.
        room: characters of passages that a call has room for.
        tell: what a passage says, or why it could not be read, as it comes.
        sent: ids of the sentences that a model was shown.
    """

    client: LlmClient
    question: str
    labels: Mapping[str, str]
    room: int
    tell: Callable[[list[Evidence] | ConspectusError], object]
    sent: set[str] = field(default_factory=set)

    async def read(self, items: Sequence[PassageToRead]) -> list[list[Evidence] | ConspectusError]:
        """What each passage says on the question: nothing, or of a summary one piece for each that it rests on.

        A passage whose sentences were all sent before says nothing more. In the place of those that could not be read
        stands why.
        """
        results: dict[int, list[Evidence] | ConspectusError] = {}
        fresh = dict(self._unsent(items))

        def put(place: int, reading: ModelReading | ConspectusError) -> None:
            results[place] = self._evidence(fresh[place], reading)
            self.tell(results[place])

        left = []
        for place, item in fresh.items():
            if cached_reply := await self.client.find_cached(
                ROLE, PROMPT, self.prompt_values([item]), _alone(item), SHARE
            ):
                put(place, cached_reply.readings[0])
            else:
                left.append(place)
        for place in range(len(items)):
            if place not in fresh:
                results[place] = []
                self.tell([])
        calls = [self._read_group(fresh, group, put) for group in group_into_calls(fresh, left, self.room)]
        for failed in await asyncio.gather(*calls, return_exceptions=True):
            if failed:
                raise failed
        return [results[place] for place in range(len(items))]

    def _unsent(self, items: Sequence[PassageToRead]) -> Iterator[tuple[int, PassageToRead]]:
        """The passages by their places, each with the sentences that no call has shown yet."""
        for place, item in enumerate(items):
            if fresh := item.without(self.sent):
                self.sent.update(span.id for span in fresh.spans)
                yield place, fresh

    async def _read_group(self, items: Mapping[int, PassageToRead], places: Sequence[int], put: Put) -> None:
        """Passages in one call, and what it left out in one more; each alone where the model refused them together."""
        left = list(places)
        for _ in range(2):
            if len(left) < 2:
                break
            try:
                read = await self._read_together([items[place] for place in left])
            except ModelRefusalError:
                break
            except ConspectusError as error:
                for place in left:
                    put(place, error)
                return
            for number, model_reading in read.items():
                put(left[number], model_reading)
            left = [place for number, place in enumerate(left) if number not in read]
        alone = await asyncio.gather(*(self._read_alone(items[place]) for place in left))
        for place, reading in zip(left, alone, strict=True):
            put(place, reading)

    async def _read_together(self, items: Sequence[PassageToRead]) -> dict[int, ModelReading]:
        def split_readings(raw: _RawReadings) -> list[ReplyShare]:
            return [
                ReplyShare(self.prompt_values([items[place]]), _encode_reading(read), (items[place].paper.id,))
                for place, read in usable(raw.readings, items).items()
            ]

        output = OutputSpec(_RawReadings, lambda raw: _why_useless(raw.readings, items), schema_of(Readings))
        reply = await self.client.ask_about_several(
            ROLE, PROMPT, self.prompt_values(items), output, split_readings, SHARE
        )
        return usable(reply.readings, items)

    async def _read_alone(self, item: PassageToRead) -> ModelReading | ConspectusError:
        try:
            reply = await self.client.ask(
                ROLE, PROMPT, self.prompt_values([item]), _alone(item), papers=[item.paper.id], share=SHARE
            )
        except ConspectusError as error:
            return error
        return reply.readings[0]

    def prompt_values(self, items: Sequence[PassageToRead]) -> dict[str, str]:
        """The values of the prompt for these passages."""
        passages = []
        paper = ""
        for number, item in enumerate(items, 1):
            title = item.paper.title if item.paper.id != paper else ""
            paper = item.paper.id
            passages.append(format_passage(item, number, self.labels[paper], title))
        return {
            "question": fenced("question", self.question),
            "passages": "\n\n".join(passages),
            "words": str(SUMMARY_WORDS),
        }

    def _evidence(
        self, item: PassageToRead, reading: ModelReading | ConspectusError
    ) -> list[Evidence] | ConspectusError:
        if isinstance(reading, ConspectusError):
            return reading
        if not reading.relevant or not reading.score:
            return []
        spans = item.spans
        chosen = {spans[number - 1].id for number in reading.spans}
        quotes = [span.text for span in spans if span.id in chosen]
        summary = _borne_out(cleaned(reading.summary, quotes)[0], quotes, item)
        carried = [
            (passage, tuple(span for span in there if span.id in chosen)) for passage, there in item.own_passages
        ]
        label = self.labels[item.paper.id]
        return [
            Evidence("", item.paper, passage.id, there, summary, reading.score, item.score, label)
            for passage, there in carried
            if there
        ]


def deduplicate_sentences(
    parts: Sequence[tuple[Passage, Sequence[Span]]],
) -> tuple[tuple[Passage, tuple[Span, ...]], ...]:
    """Passages in the order of the paper, each sentence only where it stands first."""
    seen: set[str] = set()
    parts_left = []
    for passage, spans in sorted(parts, key=lambda part: part[0].ordinal):
        new = tuple({span.id: span for span in spans if span.id not in seen}.values())
        seen.update(span.id for span in new)
        if new:
            parts_left.append((passage, new))
    return tuple(parts_left)


def group_into_calls(items: Mapping[int, PassageToRead], places: Iterable[int], room: int) -> list[list[int]]:
    """The places of passages for each call: as many as there is room for, those of one paper in its own order.

    Args:
        items: the passages by their places.
        places: of those to be read, the most promising first.
        room: characters of passages that a call has room for.
    """
    by_paper = grouped((items[place].paper.id, place) for place in places)
    groups: list[list[int]] = []
    left = 0
    for of_paper in by_paper.values():
        for place in sorted(of_paper, key=lambda place: items[place].passage.ordinal):
            length = items[place].length
            if not groups or len(groups[-1]) == MOST_TOGETHER or length > left:
                groups.append([])
                left = room
            groups[-1].append(place)
            left -= length
    return groups


def usable(raw_readings: Iterable[Any], items: Sequence[PassageToRead]) -> dict[int, ModelReading]:
    """The readings that can be used, by the place of their passage; of several of one passage the first."""
    readings: dict[int, ModelReading] = {}
    for raw in raw_readings:
        read = _usable_reading(raw, items)
        if isinstance(read, ModelReading):
            readings.setdefault(read.passage - 1, read)
    return readings


def _why_useless(raw_readings: Sequence[Any], items: Sequence[PassageToRead]) -> str:
    """What is wrong with readings of which none can be used; "" where one can."""
    if usable(raw_readings, items):
        return ""
    return next((str(_usable_reading(raw, items)) for raw in raw_readings), "there are no readings")


def _usable_reading(raw: Any, items: Sequence[PassageToRead]) -> ModelReading | str:
    """A reading, or what is wrong with it."""
    try:
        read = msgspec.convert(raw, ModelReading, strict=False)
    except msgspec.ValidationError as error:
        return str(error)
    if not 1 <= read.passage <= len(items):
        return f"there is no passage {read.passage}; there are 1 to {len(items)}"
    return _trouble(read, len(items[read.passage - 1].spans)) or read


def _alone(item: PassageToRead) -> OutputSpec[Readings]:
    """What a call for one passage has to give."""
    count = len(item.spans)

    def check(reply: Readings) -> str:
        if [read.passage for read in reply.readings] != [1]:
            return "there is one passage, with the number 1, and it needs one reading"
        return _trouble(reply.readings[0], count)

    return OutputSpec(Readings, check)


def _encode_reading(read: ModelReading) -> str:
    """A reading as a call for its passage alone would have given it."""
    return msgspec.json.encode(Readings([msgspec.structs.replace(read, passage=1)])).decode()


def format_passage(item: PassageToRead, number: int, label: str, title: str) -> str:
    """A passage as the prompt shows it, its sentences numbered; of a summary those that it rests on."""
    lines = "\n".join(f"[{place}] {' '.join(span.text.split())}" for place, span in enumerate(item.spans, 1))
    if item.passage.kind == "summary":
        lines = f"(A summary by a model, to be read along: {' '.join(item.passage.text.split())})\n{lines}"
    context = " ".join(item.context.split())
    return fenced(
        "passage", lines, number=str(number), paper=label, title=title, section=item.passage.section, table=context
    )


def _trouble(reading: ModelReading, count: int) -> str:
    """What is wrong with the numbers of sentences."""
    wrong = [number for number in reading.spans if not 1 <= number <= count]
    if wrong:
        return f"there is no sentence {wrong[0]}; the passage has the sentences 1 to {count}"
    if reading.relevant and reading.score and not reading.spans:
        return "a relevant passage needs the numbers of the sentences that carry it"
    return ""


def _borne_out(summary: str, quotes: Sequence[str], item: PassageToRead) -> str:
    """A summary as the writer may see it: "" where it says what the passage does not, as a fooled reader's would.

    Nothing is lost then: the sentences speak for themselves.
    """
    around = [item.paper.title, item.passage.section, *(passage.text for passage, _ in item.own_passages)]
    if hints(summary, quotes, around):
        return ""
    known = {stem for text in (*quotes, *around) for stem in _stems(text)}
    stems = _stems(summary)
    return summary if len(stems) < LEAST_WORDS or 2 * len(stems & known) >= len(stems) else ""


def _stems(text: str) -> set[str]:
    """The beginnings of the words of a text that say something."""
    return {word[:5] for word in re.findall(r"[^\W\d_]{4,}", text.lower()) if word not in STOP_WORDS}
