"""Evidence: the passages found for a question, each read by a model for what it says on it (P3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from conspectus.core.errors import BudgetError, ConspectusError, ServiceError
from conspectus.evidence.candidates import ReadingQueue, Tell
from conspectus.evidence.reader import SHARE, EvidenceReader, PassageToRead
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec, schema_of
from conspectus.llm.prompts import MOST_CHARS, fenced
from conspectus.records import Evidence
from conspectus.records.events import EvidenceGathered, Reading
from conspectus.records.paper import label_papers
from conspectus.settings import EvidenceSettings

FIRST, NEXT = 0.3, 0.35
"""Of the passages that may be read, those read together at first, and then each time."""
GOOD = 7
"""Relevance from which on a piece of evidence is good; as many of these as will be kept are enough."""
FEW = 1 / 3
"""Of the last passages read, so many at most are at least half as relevant as the best one where reading ends."""
NEAR = 2
"""Pieces whose relevance differs by less are about as relevant."""


class Phrasings(msgspec.Struct):
    """What the prompt `rephrase` gives."""

    phrasings: list[str]


@dataclass(frozen=True, slots=True)
class Gathering:
    """All evidence found, and how it was come by.

    Attributes:
        evidence: the most relevant first, ties by the score of the search.
        read: ids of the passages that a model read.
        papers: ids of their papers.
        searched: the phrasings searched by.
        unread: what kept a model from reading a passage.
        over: the budget was used up before all were read.
    """

    evidence: tuple[Evidence, ...] = ()
    read: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    unread: tuple[ServiceError, ...] = ()
    over: BudgetError | None = None

    def __add__(self, other: Gathering) -> Gathering:
        """Both. A passage read for another question counts again where it brings other sentences."""
        return Gathering(
            tuple(sorted([*self.evidence, *self.new_in(other)], key=_order)),
            _merged(self.read, other.read),
            _merged(self.papers, other.papers),
            _merged(self.searched, other.searched),
            self.unread + other.unread,
            self.over or other.over,
        )

    def new_in(self, other: Gathering) -> tuple[Evidence, ...]:
        """The evidence of another gathering that has sentences which this one has not."""
        known: dict[str, set[str]] = {}
        for item in self.evidence:
            known.setdefault(item.passage_id, set()).update(span.id for span in item.spans)
        return tuple(
            item for item in other.evidence if not {span.id for span in item.spans} <= known.get(item.passage_id, set())
        )


async def phrasings(client: LlmClient, question: str, count: int) -> list[str]:
    """Other ways to ask the question, at most `count`."""
    if not count:
        return []
    values = {"question": fenced("question", question), "count": str(count)}
    schema = schema_of(Phrasings)
    schema["properties"]["phrasings"]["maxItems"] = count
    rephrased = await client.ask("ask", "rephrase", values, OutputSpec(Phrasings, schema=schema), share=SHARE)
    wordings = dict.fromkeys(" ".join(text.split()) for text in rephrased.phrasings)
    return [text for text in wordings if text and text.lower() != question.lower()][:count]


Widen = Callable[[], Awaitable[Sequence[PassageToRead]]]
"""Finds what other phrasings of a question bring."""


async def gather(
    client: LlmClient,
    question: str,
    passages: Sequence[PassageToRead],
    settings: EvidenceSettings,
    tell: Tell,
    room: int = MOST_CHARS,
    widen: Widen | None = None,
) -> Gathering:
    """Read passages for a question, `settings.read` at most, the most promising first and several at the same time.

    Reading ends where there is as much good evidence as will be kept, or some and the last passages read brought little
    more. `room` is how many characters of passages a call has room for. `widen` is asked for more passages when the
    first were not enough.

    Raises:
        ServiceError: none of them could be read.
    """
    done = 0

    def report(reading: list[Evidence] | ConspectusError) -> None:
        nonlocal done
        if isinstance(reading, list):
            done += 1
            tell(Reading(done, max(total, done), client.usage))
            for piece in reading:
                if piece.score >= settings.least:
                    tell(EvidenceGathered(piece))

    beginning = max(int(settings.read * FIRST), 1)
    queue = ReadingQueue(list(passages), beginning)
    total = min(len(passages), settings.read)
    reader = EvidenceReader(client, question, label_papers(item.paper for item in passages), room, report)
    results: list[tuple[PassageToRead, list[Evidence] | ConspectusError]] = []
    while len(results) < settings.read and not _is_enough([result for _, result in results], settings):
        if widen and results:
            queue.widen(await widen())
            reader = replace(reader, labels=label_papers(item.paper for item in queue.passages))
            widen = None
        size = beginning if not results else max(int(settings.read * NEXT), 1)
        batch = queue.take(min(size, settings.read - len(results)))
        if not batch:
            break
        total = max(total, len(results) + len(batch))
        read = [
            [piece for piece in reading if piece.score >= settings.least] if isinstance(reading, list) else reading
            for reading in await reader.read(batch)
        ]
        results += zip(batch, read, strict=True)
        queue.learn(batch, {item.passage.id for item, pieces in zip(batch, read, strict=True) if pieces})
    return _gathering(results)


def _gathering(results: Sequence[tuple[PassageToRead, list[Evidence] | ConspectusError]]) -> Gathering:
    unread: list[ServiceError] = []
    over = None
    for _, result in results:
        if isinstance(result, BudgetError):
            over = result
        elif isinstance(result, ServiceError):
            unread.append(result)
        elif isinstance(result, ConspectusError):
            raise result
    if unread and len(unread) == len(results):
        raise unread[0]
    read = [item for item, result in results if isinstance(result, list)]
    return Gathering(
        tuple(sorted((piece for _, result in results if isinstance(result, list) for piece in result), key=_order)),
        tuple(item.passage.id for item in read),
        tuple(dict.fromkeys(item.paper.id for item in read)),
        (),
        tuple(unread),
        over,
    )


def _is_enough(results: Sequence[list[Evidence] | ConspectusError], settings: EvidenceSettings) -> bool:
    """Whether the passages not yet read need not be, or cannot be."""
    if any(isinstance(result, ConspectusError) and not isinstance(result, ServiceError) for result in results):
        return True
    if results and all(isinstance(result, ServiceError) for result in results):
        return True
    best = max((_best(reading) for reading in results), default=0)
    if (
        sum(piece.score >= GOOD for reading in results if isinstance(reading, list) for piece in reading)
        >= settings.keep
    ):
        return True
    last = results[-max(int(settings.read * NEXT), 1) :]
    if best < GOOD or any(isinstance(reading, ConspectusError) for reading in last):
        return False
    return sum(2 * _best(reading) >= best for reading in last) <= FEW * len(last)


def _best(reading: list[Evidence] | ConspectusError) -> float:
    return max((piece.score for piece in reading), default=0) if isinstance(reading, list) else 0


def select(gathered: Sequence[Evidence], settings: EvidenceSettings) -> tuple[Evidence, ...]:
    """The evidence to answer from, the best first, numbered and labelled; each sentence in one piece only.

    Of pieces that are about as relevant, those of papers with fewer than `settings.per_paper` chosen go first.
    """
    waiting = sorted(gathered, key=_order)
    chosen: list[Evidence] = []
    count: Counter[str] = Counter()
    seen: set[str] = set()

    def worth(item: Evidence) -> float:
        return item.score - (NEAR if count[item.paper.id] >= settings.per_paper else 0)

    while waiting and len(chosen) < settings.keep:
        item = waiting.pop(max(range(len(waiting)), key=lambda place: (worth(waiting[place]), -place)))
        spans = tuple(span for span in item.spans if span.id not in seen)
        if spans:
            seen.update(span.id for span in spans)
            count[item.paper.id] += 1
            chosen.append(replace(item, spans=spans))
    chosen.sort(key=_order)
    labels = label_papers(item.paper for item in chosen)
    return tuple(replace(item, id=f"e{n}", label=labels[item.paper.id]) for n, item in enumerate(chosen, 1))


def _order(item: Evidence) -> tuple[float, float, str]:
    return -item.score, -item.retrieval, item.passage_id


def _merged(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(first + second))
