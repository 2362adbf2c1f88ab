"""What two configurations make of a question, as a judge is shown it: answers, or the passages that they find."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

from conspectus.evals.answering import Outcome, answer, each
from conspectus.evals.datasets.answer_registry import AnswerSet, Asked
from conspectus.evals.sampling import Measuring, library_for
from conspectus.evals.ways import Way
from conspectus.export.answer import cited
from conspectus.library import Library
from conspectus.llm.client import LlmClient
from conspectus.records import Answer, Filters

NONE = "(It could not be answered. )"


@dataclass(frozen=True, slots=True)
class Contender:
    """What a judge is shown.

    Attributes:
        papers: the ids of those whose words are in the text.
        there: whether there is an answer, or any passage.
        name: the answer's id, or those of the passages.
    """

    text: str
    papers: tuple[str, ...]
    there: bool
    name: str
    kind: Literal["answer", "passages"]


def contenders(way: Way, one: AnswerSet, how: Measuring, passages: int) -> list[Outcome[Contender]]:
    """What a configuration makes of each question; with `passages` so many that it finds, else its answer.

    Raises:
        ServiceError: a model cannot be asked.
    """
    with library_for(one, way, how) as library:

        async def make(question: Asked, client: LlmClient) -> Contender:
            filters = Filters(author=(question.author,)) if question.author else Filters()
            if passages:
                return await asyncio.to_thread(_searched, library, question.text, filters, passages)
            return _answered(await answer(library, way, question.text, filters, client))

        return each(library, one.questions, make, f"{one.name}, {way.name}")


def _answered(found: Answer) -> Contender:
    text = found.text if found.answered else f"(It could not be answered. {found.reason})"
    return Contender(text, tuple(paper.id for paper in cited([found])), found.answered, found.id, "answer")


def _searched(library: Library, question: str, filters: Filters, count: int) -> Contender:
    """The best passage of each of the first papers, numbered, under the paper's title."""
    hits = library.search(question, count, filters, plain=True).hits
    texts = [f"[{number}] {hit.paper.title}\n{hit.passage.text}" for number, hit in enumerate(hits, 1)]
    papers = tuple(hit.paper.id for hit in hits)
    return Contender("\n\n".join(texts), papers, bool(hits), " ".join(hit.passage.id for hit in hits), "passages")
