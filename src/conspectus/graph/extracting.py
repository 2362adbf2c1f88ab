"""Entities as a language model finds them (K3), with what names find, and which of both it takes for such (K4).

Its answers are names, which code finds in the passage, and numbers of a list: no word of its own is kept.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import msgspec

from conspectus.core.errors import ConspectusError, ModelAnswerError
from conspectus.core.grouped import grouped
from conspectus.graph.candidate_rows import Candidate, longest_candidates
from conspectus.graph.linking.words import is_acronym
from conspectus.graph.reading import ROLE, Reader, numbered
from conspectus.graph.recalling import MODEL, Resolve, chosen
from conspectus.graph.vocabularies.cleaning import left_out
from conspectus.llm.output_spec import OutputSpec, SpanNumbers
from conspectus.llm.prompting import fenced
from conspectus.records import Paper, Passage, Span
from conspectus.records.graph import LOCAL
from conspectus.store.rows import local_name

EXTRACT, FILTER = "extract", "filter"
MOST = 200
"""Names in one answer, and lines of one list; what stands behind these in the list is taken as names found it."""
LONGEST = 200
"""Characters of a name."""
EVERYDAY = 500
"""One of the so many most frequent words of everyday texts is no entity by itself that no vocabulary has."""
_NEW = f"{LOCAL}:"
_BETWEEN = re.compile(r"[\s‐-―-]++")


class Extracted(msgspec.Struct):
    """What the prompt `extract` gives: names as they stand in the passage."""

    entities: Annotated[list[str], msgspec.Meta(extra_json_schema={"maxItems": MOST})]


class Right(msgspec.Struct):
    """What the prompt `filter` gives: the numbers of lines of its list."""

    right: SpanNumbers


@dataclass(frozen=True, slots=True)
class Stretch:
    """A passage, and those of its sentences that stand in none before."""

    passage: Passage
    spans: Sequence[Span]


@dataclass(frozen=True, slots=True)
class Work:
    """A paper to be read.

    Attributes:
        named: where names stand, by the sentences' own names.
        resolve: what words mean that the model names.
    """

    paper: Paper
    stretches: Sequence[Stretch]
    named: Mapping[str, Sequence[Candidate]]
    resolve: Resolve


@dataclass(slots=True)
class Outcome:
    """What came of a paper; `error`: why it could not be read.

    Attributes:
        candidates: its words that names or the model found, and whether they count.
        failed: passage -> why what the model said of it cannot be used; the names there count alone.
        found: places where the model found an entity and no name was.
        absent: names that the model gave and that stand nowhere in their passage.
        general: those that name nothing: numbers, single letters, everyday words.
    """

    paper: str
    candidates: list[Candidate] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    found: int = 0
    absent: int = 0
    general: int = 0
    error: ConspectusError | None = None

    @property
    def refused(self) -> int:
        """Places where a name was found and the model read none of the entities that have it."""
        return sum(not one.kept for one in self.candidates)


@dataclass(slots=True)
class Extractor(Reader):
    """Reads what passages speak of.

    Args:
        labels: of entities, by their ids.
        everyday: words by their ranks in everyday texts, 1 for the most frequent.
    """

    labels: Callable[[Collection[str]], Mapping[str, str]] = field(kw_only=True)
    everyday: Mapping[str, int] = field(kw_only=True)

    async def read(self, works: Mapping[str, Work], put: Callable[[Outcome], None]) -> None:
        """Tell what came of each paper, by its id."""
        await asyncio.gather(*(self._paper(name, work, put) for name, work in works.items()))

    async def _paper(self, name: str, work: Work, put: Callable[[Outcome], None]) -> None:
        outcome = Outcome(name)
        asked = (self._stretch(work, stretch, outcome) for stretch in work.stretches)
        results = await asyncio.gather(*asked, return_exceptions=True)
        errors = [one for one in results if isinstance(one, BaseException)]
        put(Outcome(name, error=self.met(errors)) if errors else outcome)

    async def _stretch(self, work: Work, stretch: Stretch, outcome: Outcome) -> None:
        """Put to an outcome what a passage speaks of."""
        named = [one for span in stretch.spans for one in work.named.get(local_name(span.id), ())]
        try:
            outcome.candidates += await self._asked(work, stretch, named, outcome)
        except ModelAnswerError as error:
            outcome.failed[stretch.passage.id] = error.message
            outcome.candidates += named

    async def _asked(
        self, work: Work, stretch: Stretch, named: Sequence[Candidate], outcome: Outcome
    ) -> list[Candidate]:
        if self.stopped:
            raise self.stopped
        papers = [work.paper.id]
        values = {"passage": numbered(stretch.spans, work.paper, stretch.passage.section)}
        wanted = OutputSpec(Extracted, lambda said: _too_many(said.entities))
        said = await self.client.ask(ROLE, EXTRACT, values, wanted, papers=papers)
        known, own = united(named, self._found(said, stretch, outcome), work.resolve)
        own = [one for one in own if not self._is_everyday(one, outcome)]
        if not (lines := list(_lines([*known, *own]))[:MOST]):
            return []
        values["entities"] = fenced("entities", self._listed(lines))
        right = OutputSpec(Right, lambda said: _wrong(said.right, len(lines)))
        judged = await self.client.ask(ROLE, FILTER, values, right, papers=papers)
        known, own = filtered(known, own, lines, judged.right)
        outcome.found += len(own)
        return [*known, *own]

    def _found(self, said: Extracted, stretch: Stretch, outcome: Outcome) -> Iterator[Candidate]:
        """Where the names stand; those that stand nowhere, and those that name nothing, are counted."""
        for name in dict.fromkeys(" ".join(one.split()) for one in said.entities):
            if left_out(name):
                outcome.general += 1
            elif places := list(located(name, stretch)):
                yield from places
            else:
                outcome.absent += 1

    def _is_everyday(self, one: Candidate, outcome: Outcome) -> bool:
        is_new = one.entity.startswith(_NEW)
        common = is_new and one.text.islower() and self.everyday.get(one.text, EVERYDAY + 1) <= EVERYDAY
        outcome.general += common
        return common

    def _listed(self, lines: Sequence[tuple[str, str]]) -> str:
        labels = self.labels({entity for _, entity in lines if not entity.startswith(_NEW)})
        said = (
            f'{number}. "{text}"' + (f": {' '.join(labels[entity].split())}" if entity in labels else "")
            for number, (text, entity) in enumerate(lines, 1)
        )
        return "\n".join(said)


def located(name: str, stretch: Stretch) -> Iterator[Candidate]:
    """Where a name stands in sentences: whole words; case counts in acronyms, spaces and hyphens are one."""
    parts = [re.escape(part) for part in _BETWEEN.split(name) if part]
    if not parts or len(name) > LONGEST:
        return
    case, words = "" if is_acronym(name) else "(?i)", _BETWEEN.pattern.join(parts)
    found = re.compile(rf"{case}(?<!\w){words}(?!\w)")
    for span in stretch.spans:
        for match in found.finditer(span.text):
            start, stop = match.span()
            place = local_name(stretch.passage.id), local_name(span.id), start, stop
            yield Candidate(*place, match[0], "", 0.0, MODEL)


def united(
    named: Iterable[Candidate], found: Iterable[Candidate], resolve: Resolve
) -> tuple[list[Candidate], list[Candidate]]:
    """What names found, by `MODEL` where the model found it too, and the longest of what only the model found."""
    said = {one.place: one for one in longest_candidates(found)}
    known = {one.place: replace(one, method=MODEL) if one.place in said else one for one in named}
    return list(known.values()), [resolve(one) for place, one in said.items() if place not in known]


def filtered(
    known: Iterable[Candidate], own: Iterable[Candidate], lines: Iterable[tuple[str, str]], right: Iterable[int]
) -> tuple[list[Candidate], list[Candidate]]:
    """The same by what is right of the lines: refused names as such, of the model's own what counts (eq. 1)."""
    asked = list(lines)
    taken = {asked[number - 1] for number in right}

    def judged(one: Candidate) -> Candidate:
        senses = [(one.text, sense) for sense in _senses(one)]
        if not any(sense in asked for sense in senses):
            return one
        named = next((entity for text, entity in senses if (text, entity) in taken), "")
        return chosen(one, named) if named else replace(one, kept=False)

    known, own = list(map(judged, known)), list(map(judged, own))
    counting = set(longest_candidates(one for one in (*known, *own) if one.kept))
    return known, [one for one in own if one in counting]


def _lines(union: Iterable[Candidate]) -> Iterator[tuple[str, str]]:
    """(words, what they may stand for), each once, in the order of the passage's words."""
    senses = grouped((one.text, sense) for one in union for sense in _senses(one))
    return ((text, sense) for text, found in senses.items() for sense in dict.fromkeys(found))


def _senses(one: Candidate) -> list[str]:
    return [one.entity, *(entity for entity, _ in one.others)]


def _too_many(names: Sequence[str]) -> str:
    return f"{len(names)} names are too many; give {MOST} at most." if len(names) > MOST else ""


def _wrong(numbers: Sequence[int], lines: int) -> str:
    wrong = [number for number in numbers if not 1 <= number <= lines]
    return f"The list has {lines} lines, and no number {wrong[0]}." if wrong else ""
