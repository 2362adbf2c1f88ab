"""Papers classified by a language model: it names categories and deciding sentences by their numbers (S12)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import msgspec

from conspectus.core.errors import BudgetError, ConspectusError, ModelAnswerError, ServiceError
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import fenced
from conspectus.records import Paper, Passage, Span
from conspectus.records.models import Role
from conspectus.records.review import Category

ROLE: Role = "judge"
PROMPT = "classify"
MOST_CHARS = 6000
"""Of a paper that a model is shown: the abstract, and of a full text its beginning."""
WINDOW = 8
"""Papers in hand at the same time; how many calls there are at once is the models' own limit."""
ONE = "The paper has one category at most."
SEVERAL = "The paper may have several categories."


class ChosenCategory(msgspec.Struct):
    """A category by its number, with the number of the sentence that decided."""

    category: int
    sentence: int


class CategoriesReply(msgspec.Struct):
    """What the prompt `classify` gives."""

    categories: list[ChosenCategory]


@dataclass(frozen=True, slots=True)
class PaperSentences:
    """A paper and the sentences that a model is shown, each with the passage that it is in."""

    paper: Paper
    sentences: tuple[tuple[Passage, Span], ...]

    @classmethod
    def of(cls, paper: Paper, passages: Iterable[Passage]) -> PaperSentences:
        """The first `MOST_CHARS` characters of abstract and body; a sentence that two passages share counts once."""
        sentence_by_id: dict[str, tuple[Passage, Span]] = {}
        room = MOST_CHARS
        for passage in passages:
            for span in passage.spans if passage.kind in ("abstract", "body") else ():
                if span.id not in sentence_by_id:
                    room -= len(span.text)
                    if room < 0:
                        return cls(paper, tuple(sentence_by_id.values()))
                    sentence_by_id[span.id] = (passage, span)
        return cls(paper, tuple(sentence_by_id.values()))


Choices = tuple[tuple[int, Passage, Span], ...]
"""Places of categories, each with the sentence that decided."""
Tell = Callable[[PaperSentences, Choices | ConspectusError], None]


@dataclass(slots=True)
class CategoryReader:
    """Has a model classify papers, several at a time.

    Attributes:
        stopped: why no further paper is begun: the budget, or a service that has gone away.
    """

    client: LlmClient
    categories: Sequence[Category]
    several: bool
    stopped: ConspectusError | None = None

    async def run(self, papers: Iterable[PaperSentences], tell: Tell) -> None:
        """Tell what comes of each paper as it comes.

        Raises:
            ServiceError: the model cannot be asked, and has not answered before.
        """
        await self.client.prepare((ROLE,), (PROMPT,))
        running: set[asyncio.Task[None]] = set()
        try:
            for paper_text in papers:
                running.add(asyncio.create_task(self._read(paper_text, tell)))
                if len(running) >= WINDOW:
                    running = await _wait(running, asyncio.FIRST_COMPLETED)
                if self.stopped:
                    break
            await _wait(running, asyncio.ALL_COMPLETED)
        finally:
            for task in running:
                task.cancel()

    async def _read(self, paper_text: PaperSentences, tell: Tell) -> None:
        try:
            choices = await self._ask(paper_text)
        except (BudgetError, ServiceError) as error:
            if isinstance(error, BudgetError):
                self.stopped = error
            elif not isinstance(error, ModelAnswerError):
                if not self.client.meter.answered:
                    raise
                self.stopped = error if error.retry else self.stopped
            tell(paper_text, error)
        else:
            tell(paper_text, choices)

    async def _ask(self, paper_text: PaperSentences) -> Choices:
        listed = "\n".join(
            f"[{number}] {category.name}" + (f": {category.description}" if category.description else "")
            for number, category in enumerate(self.categories, 1)
        )
        lines = "\n".join(
            f"[{number}] {' '.join(span.text.split())}" for number, (_, span) in enumerate(paper_text.sentences, 1)
        )
        values = {
            "how_many": SEVERAL if self.several else ONE,
            "categories": fenced("categories", listed),
            "paper": fenced("paper", lines, title=paper_text.paper.title),
        }
        spec = OutputSpec(CategoriesReply, lambda reply: self._trouble(reply, len(paper_text.sentences)))
        reply = await self.client.ask(ROLE, PROMPT, values, spec, papers=[paper_text.paper.id])
        chosen = {item.category: item.sentence for item in reply.categories}
        return tuple((category - 1, *paper_text.sentences[sentence - 1]) for category, sentence in chosen.items())

    def _trouble(self, reply: CategoriesReply, sentences: int) -> str:
        """What is wrong with a reply: numbers that there are not, or more categories than one."""
        count = len(self.categories)
        for item in reply.categories:
            if not 1 <= item.category <= count:
                return f"there is no category {item.category}; there are the categories 1 to {count}"
            if not 1 <= item.sentence <= sentences:
                return f"there is no sentence {item.sentence}; the paper has the sentences 1 to {sentences}"
        if len({item.category for item in reply.categories}) > 1 and not self.several:
            return "it names several categories, and a paper has one at most"
        return ""


async def _wait(running: set[asyncio.Task[None]], until: str) -> set[asyncio.Task[None]]:
    """Wait for tasks; returns those that go on, and raises what the others raised."""
    if not running:
        return running
    done, left = await asyncio.wait(running, return_when=until)
    for task in done:
        task.result()
    return left
