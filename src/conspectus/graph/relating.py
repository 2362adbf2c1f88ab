"""What sentences state of two entities, as a language model reads it (K7): it chooses numbers, code copies words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec

from conspectus.core.errors import ConspectusError
from conspectus.graph.reading import ROLE, Reader, numbered
from conspectus.llm.output_spec import OutputSpec, SpanNumbers
from conspectus.llm.prompting import fenced
from conspectus.records import Paper, Passage

PROMPT = "relate"
MOST = 40
"""Entities of a passage that are asked about: those that most of its sentences speak of."""


class Stated(msgspec.Struct):
    """Two entities by their numbers, `second` 0: one alone; and the sentences."""

    first: Annotated[int, msgspec.Meta(ge=1, le=MOST)]
    second: Annotated[int, msgspec.Meta(ge=0, le=MOST)]
    spans: Annotated[SpanNumbers, msgspec.Meta(extra_json_schema={"minItems": 1})]


class Relations(msgspec.Struct):
    """What the prompt `relate` gives."""

    relations: list[Stated]


@dataclass(frozen=True, slots=True)
class Spoken:
    """A passage and what it speaks of: concept -> its label, and the ids of the sentences that do."""

    paper: Paper
    passage: Passage
    entities: Mapping[int, tuple[str, frozenset[str]]]


@dataclass(frozen=True, slots=True)
class Relation:
    """Two concepts, or one (`other` None), and the ids of the sentences that say something of them."""

    passage: str
    concept: int
    other: int | None
    spans: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a paper: its relations, and how many were left out; or why there are none."""

    paper: str
    relations: tuple[Relation, ...] = ()
    left_out: int = 0
    error: ConspectusError | None = None


class Relater(Reader):
    """Reads what passages state."""

    async def read(self, works: Mapping[str, Sequence[Spoken]], put: Callable[[Outcome], None]) -> None:
        """Tell what came of each paper, by its id."""
        await asyncio.gather(*(self._paper(name, spoken, put) for name, spoken in works.items()))

    async def _paper(self, name: str, spoken: Sequence[Spoken], put: Callable[[Outcome], None]) -> None:
        results = await asyncio.gather(*map(self._passage, spoken), return_exceptions=True)
        errors = [one for one in results if isinstance(one, BaseException)]
        if errors:
            put(Outcome(name, error=self.met(errors)))
            return
        found = [one for one in results if isinstance(one, tuple)]
        relations = dict.fromkeys(one for group, _ in found for one in group)
        put(Outcome(name, tuple(relations), sum(left_out for _, left_out in found)))

    async def _passage(self, spoken: Spoken) -> tuple[list[Relation], int]:
        """What a passage states, and how much was left out as of sentences that speak of neither."""
        if self.stopped:
            raise self.stopped
        order = sorted(spoken.entities, key=lambda key: -len(spoken.entities[key][1]))[:MOST]
        spans = spoken.passage.spans
        wanted = OutputSpec(Relations, lambda said: _trouble(said, len(order), len(spans)))
        said = await self.client.ask(ROLE, PROMPT, _values(spoken, order), wanted, papers=[spoken.paper.id])
        found = []
        for one in said.relations:
            first, second = order[one.first - 1], order[one.second - 1] if one.second else None
            names = tuple(spans[number - 1].id for number in sorted(set(one.spans)))
            speak = spoken.entities[first][1] | (spoken.entities[second][1] if second else frozenset())
            if speak.intersection(names):
                found.append(Relation(spoken.passage.id, first, second, names))
        return found, len(said.relations) - len(found)


def _values(spoken: Spoken, order: Sequence[int]) -> dict[str, str]:
    entities = "\n".join(f"{n}. {' '.join(spoken.entities[key][0].split())}" for n, key in enumerate(order, 1))
    paper, passage = spoken.paper, spoken.passage
    return {
        "passage": numbered(passage.spans, paper, passage.section),
        "entities": fenced("entities", entities),
    }


def _trouble(said: Relations, entities: int, spans: int) -> str:
    """What is wrong: numbers that are not there, or an entity with itself."""
    for one in said.relations:
        if not (one.first <= entities and one.second <= entities):
            return f"There are {entities} entities, and no number {max(one.first, one.second)}."
        if one.first == one.second:
            return f"Entity {one.first} stands with itself."
        wrong = [number for number in one.spans if not 1 <= number <= spans]
        if wrong or not one.spans:
            return f"There are {spans} sentences, and no number {wrong[0]}." if wrong else "A relation has no sentence."
    return ""
