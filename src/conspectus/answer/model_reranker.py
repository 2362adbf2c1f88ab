"""A language model as reranker (F6): passages judged in batches, from 0 to 10, for what is searched for.

`judge_reranker` makes one that has the protocol `models.protocol.Reranker`, so that a search does not know it from
others:

    reranker = judge_reranker(engine, models, prompts, catalog, settings)
    reranker.scores(query, texts, papers)  # from any thread but the engine's own

In a coroutine of the engine itself, `judged` is awaited.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import msgspec
import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.llm.call_cache import caching_client
from conspectus.llm.client import LlmClient, RoleModels
from conspectus.llm.event_loop import AnswerLoop
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import Prompts, chars_left, fenced
from conspectus.models.protocol import Reranker
from conspectus.models.wrappers import CachingReranker
from conspectus.records.models import Role
from conspectus.settings import Settings
from conspectus.store.catalog import Catalog

PROMPT = "rerank"
ROLE: Role = "judge"
BATCH = 10
"""Passages in a call, at most."""
MOST_CHARS = 4000
"""Of a passage, the rest is left out; passages have about 1,400, abstracts up to so many."""
LEAST_CHARS = 400
"""Of a passage, also where a model's context has no room for it: the model then says so itself."""
_NUMBERED = 8
"""Characters that the number of a passage takes."""
BEST = 10.0


class PassageScore(msgspec.Struct):
    """What the prompt `rerank` says of one passage."""

    number: Annotated[int, msgspec.Meta(extra_json_schema={"minimum": 1, "maximum": BATCH})]
    score: Annotated[float, msgspec.Meta(extra_json_schema={"minimum": 0, "maximum": BEST})]


class PassageScores(msgspec.Struct):
    """What the prompt `rerank` gives."""

    scores: Annotated[list[PassageScore], msgspec.Meta(extra_json_schema={"minItems": 1, "maxItems": BATCH})]


async def score_passages(
    client: LlmClient, query: str, texts: Sequence[str], papers: Sequence[str] = (), room: int = 0
) -> FloatArray:
    """How much each text bears on the query, float32 [texts], 0..1: what a model says from 0 to 10, by 10.

    Args:
        client: asks the model for the role `judge`; its budget holds for all calls together.
        query: what is searched for.
        texts: the passages.
        papers: the id of the paper of each; what is kept of the calls goes with them.
        room: characters of passages that a call has room for; 0: not known.

    Raises:
        ServiceError: the model cannot be asked, or said twice what cannot be used. Nothing stands in for its score.
        BudgetError: the budget does not reach for all.
        UnavailableError: no language model has the role.
    """
    scores = np.zeros(len(texts), np.float32)

    async def score_batch(places: range) -> None:
        excerpts = [texts[place][: _most(room)] for place in places]
        paper_ids = sorted({papers[place] for place in places}) if papers else []
        scores[places.start : places.stop] = await _marks(client, query, excerpts, paper_ids)

    try:
        async with asyncio.TaskGroup() as group:  # one that fails ends the others: half an order is none
            for places in _batches(texts, room):
                group.create_task(score_batch(places))
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return scores


@dataclass(frozen=True, slots=True)
class JudgeReranker:
    """See `Reranker`. Scores are 0..1, and may depend on what else is in a batch. A search has an answer's budget.

    Calls are kept in the library like all others: who searches again pays nothing.
    """

    engine: AnswerLoop
    models: RoleModels
    prompts: Prompts
    catalog: Catalog
    settings: Settings

    @property
    def id(self) -> str:
        """`judge:` with the model's id and the prompt's version."""
        return f"{ROLE}:{self.models.of(ROLE).id} {self.prompts.get(PROMPT).id}"

    def scores(self, query: str, texts: Sequence[str], papers: Sequence[str] = ()) -> FloatArray:
        """See `Reranker`; raises as `score_passages`. Not from the engine's own event loop, which it waits for."""
        if not texts:
            return np.empty(0, np.float32)

        async def job(tell: Callable[[FloatArray], None]) -> None:
            tell(await self._request_scores(query, texts, papers))

        scores: FloatArray
        *_, scores = self.engine.events(job)
        return scores

    async def _request_scores(self, query: str, texts: Sequence[str], papers: Sequence[str]) -> FloatArray:
        # Words whose paper is not known could not be taken out with it.
        language = self.settings.language if papers else replace(self.settings.language, cache=False)
        settings = replace(self.settings, language=language)
        async with caching_client(self.catalog, self.models, self.prompts, settings) as client:
            await client.prepare([ROLE], [PROMPT])
            context = language.context or await asyncio.to_thread(lambda: self.models.of(ROLE).context)
            return await score_passages(client, query, texts, papers, room_of(context, language.max_tokens))


def judge_reranker(
    engine: AnswerLoop, models: RoleModels, prompts: Prompts, catalog: Catalog, settings: Settings
) -> Reranker:
    """The reranker `judge` of a library: the language model for that role, asked in the engine's loop."""
    return CachingReranker(JudgeReranker(engine, models, prompts, catalog, settings))


def room_of(context: int, answer_tokens: int) -> int:
    """Characters of passages that fit a model's context beside the prompt and the answer; 0 where it is not known."""
    if not context:
        return 0
    return max(LEAST_CHARS, chars_left(context, answer_tokens))


def _batches(texts: Sequence[str], room: int) -> Iterator[range]:
    """Which passages go into a call: as many as there is room for, at most `BATCH`, at least one."""
    start = taken = 0
    for place, text in enumerate(texts):
        length = min(len(text), _most(room)) + _NUMBERED
        if place > start and (place - start == BATCH or (room and taken + length > room)):
            yield range(start, place)
            start, taken = place, 0
        taken += length
    if texts:
        yield range(start, len(texts))


def _most(room: int) -> int:
    """Characters of a passage that are shown."""
    return min(MOST_CHARS, room) if room else MOST_CHARS


async def _marks(client: LlmClient, query: str, texts: Sequence[str], papers: Sequence[str]) -> list[float]:
    lines = "\n\n".join(f"[{number}] {' '.join(text.split())}" for number, text in enumerate(texts, 1))
    values = {
        "question": fenced("question", query),
        "passages": fenced("passages", lines),
        "count": str(len(texts)),
    }
    spec = OutputSpec(PassageScores, lambda reply: _trouble(reply, len(texts)))
    reply = await client.ask(ROLE, PROMPT, values, spec, papers=papers)
    return [mark.score / BEST for mark in sorted(reply.scores, key=lambda mark: mark.number)]


def _trouble(reply: PassageScores, count: int) -> str:
    """What is wrong with the marks: not one for each passage, or beyond 0 to 10."""
    numbers = sorted(mark.number for mark in reply.scores)
    if numbers != list(range(1, count + 1)):
        return f"it has scores of the passages {numbers}, and needs one of each of 1 to {count}"
    beyond = [mark.score for mark in reply.scores if not 0 <= mark.score <= BEST]
    return f"{beyond[0]:g} is no score from 0 to 10" if beyond else ""
