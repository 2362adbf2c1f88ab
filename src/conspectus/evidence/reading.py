"""Passages read by a model for a question: how much each bears on it, and which of its sentences carry that (P3).

Passages of one paper that are read at the same time go into one call. Each reading is kept by itself, as if its passage
had been read alone, so that it is found again in whatever company the passage comes the next time.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from conspectus.core.errors import ConspectusError, ModelAnswerError
from conspectus.core.roles import Role
from conspectus.evidence.cleaning import cleaned
from conspectus.lexicon import STOP_WORDS
from conspectus.llm.client import Apart, LlmClient
from conspectus.llm.prompting import fenced
from conspectus.llm.wanted import SpanNumbers, Wanted, schema_of
from conspectus.records import Evidence, Paper, Passage, Span
from conspectus.search.sources import Source
from conspectus.verify.mechanical import hints

ROLE: Role = "summarise"
PROMPT = "gather"
SHARE = 0.8
"""Of the budget that reading may use up; the rest is for writing."""
SUMMARY_WORDS = 80
MOST_TOGETHER = 6
"""Passages in one call."""
LEAST_WORDS = 6
"""A summary of so many words that say something is held against the passage's words, too."""


class Read(msgspec.Struct):
    """What a model says of one passage; `passage` is its number in the call, from 1."""

    passage: Annotated[int, msgspec.Meta(extra_json_schema={"minimum": 1, "maximum": MOST_TOGETHER})]
    relevant: bool
    score: Annotated[int, msgspec.Meta(ge=0, le=10)]
    spans: SpanNumbers
    summary: str


class Readings(msgspec.Struct):
    """What the prompt `gather` gives."""

    readings: Annotated[list[Read], msgspec.Meta(extra_json_schema={"minItems": 1, "maxItems": MOST_TOGETHER})]


class _Said(msgspec.Struct):
    """The same, each reading not yet looked at: one that cannot be used does not cost the others."""

    readings: list[Any]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage to be read, with its paper and the score of the search.

    Attributes:
        sources: where the passage is a summary, the paper's own that it rests on, with the sentences that carry it.
        abstract: where it is a part of an abstract, all of that, each sentence once.
    """

    passage: Passage
    paper: Paper
    score: float
    sources: tuple[Source, ...] = ()
    abstract: tuple[tuple[Passage, tuple[Span, ...]], ...] = ()

    @property
    def own(self) -> tuple[tuple[Passage, tuple[Span, ...]], ...]:
        """The paper's own passages with those of their sentences that can be chosen and cited."""
        found = tuple((source.passage, source.spans) for source in self.sources)
        return found or self.abstract or ((self.passage, self.passage.spans),)

    @property
    def spans(self) -> tuple[Span, ...]:
        """All sentences that can be chosen."""
        return tuple(span for _, spans in self.own for span in spans)

    @property
    def length(self) -> int:
        """Characters that a call shows of it, about."""
        return sum(len(span.text) + 6 for span in self.spans)


Put = Callable[[int, Read | ConspectusError], None]
"""Takes what came of the passage at a place."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads passages for one question.

    Attributes:
        labels: what papers are called, by id.
        room: characters of passages that a call has room for.
        told: what a passage says, or why it could not be read, as it comes.
    """

    client: LlmClient
    question: str
    labels: Mapping[str, str]
    room: int
    told: Callable[[list[Evidence] | ConspectusError], object]

    async def read(self, items: Sequence[Candidate]) -> list[list[Evidence] | ConspectusError]:
        """What each passage says on the question: nothing, or of a summary one piece for each that it rests on.

        In the place of those that could not be read stands why.
        """
        found: dict[int, list[Evidence] | ConspectusError] = {}

        def put(place: int, said: Read | ConspectusError) -> None:
            found[place] = self._evidence(items[place], said)
            self.told(found[place])

        left = []
        for place, item in enumerate(items):
            if said := await self.client.known(ROLE, PROMPT, self._values([item]), _alone(item), SHARE):
                put(place, said.readings[0])
            else:
                left.append(place)
        reading = [self._group(items, group, put) for group in together(items, left, self.room)]
        for failed in await asyncio.gather(*reading, return_exceptions=True):
            if failed:
                raise failed
        return [found[place] for place in range(len(items))]

    async def _group(self, items: Sequence[Candidate], places: Sequence[int], put: Put) -> None:
        """Passages in one call; those of which that brought nothing that can be used are read alone."""
        found: dict[int, Read] = {}
        if len(places) > 1:
            try:
                found = await self._together([items[place] for place in places])
            except ModelAnswerError:
                pass  # each is read alone, which tells what is wrong
            except ConspectusError as error:
                for place in places:
                    put(place, error)
                return
        for number, read in found.items():
            put(places[number], read)
        left = [place for number, place in enumerate(places) if number not in found]
        for place, said in zip(left, await asyncio.gather(*(self._alone(items[place]) for place in left)), strict=True):
            put(place, said)

    async def _together(self, items: Sequence[Candidate]) -> dict[int, Read]:
        wanted = Wanted(_Said, schema=schema_of(Readings))

        def apart(said: _Said) -> list[Apart]:
            return [
                Apart(self._values([items[place]]), _kept(read), (items[place].paper.id,))
                for place, read in usable(said.readings, items).items()
            ]

        said = await self.client.ask_at_once(ROLE, PROMPT, self._values(items), wanted, apart, SHARE)
        return usable(said.readings, items)

    async def _alone(self, item: Candidate) -> Read | ConspectusError:
        try:
            said = await self.client.ask(
                ROLE, PROMPT, self._values([item]), _alone(item), papers=[item.paper.id], share=SHARE
            )
        except ConspectusError as error:
            return error
        return said.readings[0]

    def _values(self, items: Sequence[Candidate]) -> dict[str, str]:
        shown = [_shown(item, number, self.labels[item.paper.id]) for number, item in enumerate(items, 1)]
        return {
            "question": fenced("question", self.question),
            "passages": "\n\n".join(shown),
            "words": str(SUMMARY_WORDS),
        }

    def _evidence(self, item: Candidate, said: Read | ConspectusError) -> list[Evidence] | ConspectusError:
        if isinstance(said, ConspectusError):
            return said
        if not said.relevant or not said.score:
            return []
        spans = item.spans
        chosen = {spans[number - 1].id for number in said.spans}
        quotes = [span.text for span in spans if span.id in chosen]
        summary = _borne_out(cleaned(said.summary, quotes)[0], quotes, item)
        carried = [(passage, tuple(span for span in there if span.id in chosen)) for passage, there in item.own]
        label = self.labels[item.paper.id]
        return [
            Evidence("", item.paper, passage.id, there, summary, said.score, item.score, label)
            for passage, there in carried
            if there
        ]


def once(parts: Sequence[tuple[Passage, Sequence[Span]]]) -> tuple[tuple[Passage, tuple[Span, ...]], ...]:
    """Passages in the order of the paper, each sentence only where it stands first."""
    seen: set[str] = set()
    found = []
    for passage, spans in sorted(parts, key=lambda part: part[0].ordinal):
        new = tuple({span.id: span for span in spans if span.id not in seen}.values())
        seen.update(span.id for span in new)
        if new:
            found.append((passage, new))
    return tuple(found)


def together(items: Sequence[Candidate], places: Iterable[int], room: int) -> list[list[int]]:
    """The places of passages that are read in one call: those of one paper, in their order, as far as there is room."""
    groups: list[list[int]] = []
    last: dict[str, list[int]] = {}
    for place in places:
        paper = items[place].paper.id
        group = last.get(paper, [])
        length = sum(items[other].length for other in group) + items[place].length
        if not group or len(group) == MOST_TOGETHER or length > room:
            group = last[paper] = []
            groups.append(group)
        group.append(place)
    return groups


def usable(said: Iterable[Any], items: Sequence[Candidate]) -> dict[int, Read]:
    """The readings that can be used, by the place of their passage; of several of one passage the first."""
    found: dict[int, Read] = {}
    for one in said:
        try:
            read = msgspec.convert(one, Read, strict=False)
        except msgspec.ValidationError:
            continue
        place = read.passage - 1
        if 0 <= place < len(items) and place not in found and not _trouble(read, len(items[place].spans)):
            found[place] = read
    return found


def _alone(item: Candidate) -> Wanted[Readings]:
    """What a call for one passage has to give."""
    count = len(item.spans)

    def check(said: Readings) -> str:
        if [read.passage for read in said.readings] != [1]:
            return "there is one passage, with the number 1, and it needs one reading"
        return _trouble(said.readings[0], count)

    return Wanted(Readings, check)


def _kept(read: Read) -> str:
    """A reading as a call for its passage alone would have given it."""
    return msgspec.json.encode(Readings([msgspec.structs.replace(read, passage=1)])).decode()


def _shown(item: Candidate, number: int, label: str) -> str:
    """A passage as the prompt shows it, its sentences numbered; of a summary those that it rests on."""
    lines = "\n".join(f"[{place}] {' '.join(span.text.split())}" for place, span in enumerate(item.spans, 1))
    if item.sources:
        lines = f"(A summary by a model, to be read along: {' '.join(item.passage.text.split())})\n{lines}"
    title = item.paper.title if number == 1 else ""  # they are of one paper
    return fenced("passage", lines, number=str(number), paper=label, title=title, section=item.passage.section)


def _trouble(said: Read, count: int) -> str:
    """What is wrong with the numbers of sentences."""
    wrong = [number for number in said.spans if not 1 <= number <= count]
    if wrong:
        return f"there is no sentence {wrong[0]}; the passage has the sentences 1 to {count}"
    if said.relevant and said.score and not said.spans:
        return "a relevant passage needs the numbers of the sentences that carry it"
    return ""


def _borne_out(summary: str, quotes: Sequence[str], item: Candidate) -> str:
    """A summary as the writer may see it: "" where it says what the passage does not, as a fooled reader's would.

    Nothing is lost then: the sentences speak for themselves.
    """
    around = [item.paper.title, item.passage.section, *(passage.text for passage, _ in item.own)]
    if hints(summary, quotes, around):
        return ""
    known = {stem for text in (*quotes, *around) for stem in _stems(text)}
    own = _stems(summary)
    return summary if len(own) < LEAST_WORDS or 2 * len(own & known) >= len(own) else ""


def _stems(text: str) -> set[str]:
    """The beginnings of the words of a text that say something."""
    return {word[:5] for word in re.findall(r"[^\W\d_]{4,}", text.lower()) if word not in STOP_WORDS}
