"""What else regions can be called: by the concepts of vocabularies that cover them, and by a language model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import msgspec
import numpy as np
import numpy.typing as npt

from conspectus.core.roles import Role
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompting import fenced
from conspectus.map.phrase_names import Phrases

ROLE: Role = "summarise"
PROMPT = "regions"
COVERED = 0.15
"""Share of a region's texts that speak of a concept, or of what is below it, where the region may be called so."""
KIND_OF = 0.9
"""What a text that speaks of a kind of something counts, beside one that speaks of it: what says as much as one of its
kinds alone gives way to that."""
BETA = 1.5
"""So many times as much it counts that a region's texts speak of a concept as that others do not. With 1 it is too
often called after what few of its texts speak of, though fewer others; with 2 fewer names tell regions apart."""
MORE, IN_NAME = 1.03, 3
"""So many times as well two concepts must cover a region as the best alone, and three as two, to be its name."""
LONGEST = 60
"""Letters of a name."""
Parents = Mapping[int, Sequence[int]]
Counts = dict[str, float]
"""Label -> what a text counts that speaks of it."""


def covering(texts: Iterable[tuple[int, Iterable[int]]], labels: Mapping[int, str], parents: Parents) -> Phrases:
    """In how many texts of each region there are concepts, counted with all that these are kinds of.

    Args:
        texts: the region of each, and the concepts that it speaks of.
        labels: of the concepts that count.
        parents: concept -> those that it is a kind of.
    """
    found = Phrases()
    for region, weights in _weighed(texts, labels, parents):
        found.add(region, weights)
    return found


def where_covered(
    texts: Iterable[tuple[int, Iterable[int]]], labels: Mapping[int, str], parents: Parents, wanted: Iterable[str]
) -> dict[str, dict[int, float]]:
    """Label that is wanted -> the number of each text that speaks of its concept, or of a kind of it -> what it counts.

    Args:
        texts: the number of each instead of its region.
        labels, parents: see `covering`.
        wanted: labels.
    """
    found: dict[str, dict[int, float]] = {label: {} for label in wanted}
    for number, weights in _weighed(texts, labels, parents):
        for label in weights.keys() & found.keys():
            found[label][number] = weights[label]
    return found


def _weighed(
    texts: Iterable[tuple[int, Iterable[int]]], labels: Mapping[int, str], parents: Parents
) -> Iterator[tuple[int, Counts]]:
    above: dict[int, Counts] = {}
    for number, concepts in texts:
        weights: Counts = {}
        for concept in concepts:
            if concept in labels:
                for label, weight in _above(concept, labels, parents, above).items():
                    weights[label] = max(weight, weights.get(label, 0))
        yield number, weights


def _above(one: int, labels: Mapping[int, str], parents: Parents, known: dict[int, Counts]) -> Counts:
    """A concept and all that it is a kind of; vocabularies may go in circles."""
    if one not in known:
        found, step, weight = {one: 1.0}, {one}, 1.0
        while step:
            weight *= KIND_OF
            step = {parent for each in step for parent in parents.get(each, ())} - found.keys()
            found |= dict.fromkeys(step, weight)
        known[one] = {labels[each]: weight for each, weight in found.items() if each in labels}
    return known[one]


def coverage(own: float, region: float, having: float, texts: float) -> float:  # noqa: ARG001 - as the others
    """How well a concept covers a region: the F-measure, with `BETA`, of finding its texts by that."""
    return (1 + BETA**2) * own / (BETA**2 * region + having)


def one_to_three(
    terms: Sequence[str], said: Mapping[str, Mapping[int, float]], own: npt.NDArray[np.bool_]
) -> tuple[str, ...]:
    """The concept that covers a region best, or two or three if each more makes them by `MORE` better together.

    A concept alone is held against two as if each of its kinds were said by its name: two kinds of one do not beat it.

    Args:
        terms: the concepts that cover it, the best first.
        said: `where_covered`.
        own: of each text whether it is the region's.
    """
    rows = np.unique(np.array([row for term in terms for row in said[term]], np.int64))
    counts = {term: np.zeros(len(rows)) for term in terms}
    for term, count in counts.items():
        count[np.searchsorted(rows, list(said[term]))] = list(said[term].values())
    region, mine = float(own.sum()), own[rows]

    def covered(labels: Sequence[str]) -> float:
        return by(np.max([counts[label] for label in labels], axis=0))

    def by(has: npt.NDArray[np.float64]) -> float:
        return coverage(float(has[mine].sum()), region, float(has.sum()), len(own))

    best, least = tuple(terms[:1]), max((by(np.ceil(counts[term])) for term in terms), default=0.0)
    for width in range(2, IN_NAME + 1):
        wider = max(combinations(terms, width), key=covered, default=())
        if not wider or covered(wider) < MORE * least:
            break
        best, least = wider, covered(wider)
    return best


def by_concepts(
    best: Mapping[int, Sequence[str]], terms: Mapping[int, Sequence[str]], order: Sequence[int]
) -> dict[int, str]:
    """Region -> its `one_to_three` concepts; regions without one are left out.

    One that another, before it in `order`, is called after, too, has its next one beside it.
    """
    found: dict[int, str] = {}
    for key in order:
        if own := tuple(best.get(key, ())):
            wider = ((*own, other) for other in terms[key] if other not in own)
            ways = (*map(", ".join, (own, *wider)), f"{', '.join(own)} ({len(found) + 1})")
            found[key] = next(way for way in ways if way not in found.values())
    return found


@dataclass(frozen=True, slots=True)
class Group:
    """A region as a model is told of it."""

    key: int
    terms: Sequence[str]
    titles: Sequence[str]


class Names(msgspec.Struct):
    """What the prompt `regions` gives."""

    names: list[str]


async def by_model(client: LlmClient, siblings: Sequence[Group], language: str) -> dict[int, str]:
    """Region -> its name, of regions that lie within the same one, as a language model calls them."""
    told = "\n\n".join(_told(number, one) for number, one in enumerate(siblings, start=1))
    wanted = OutputSpec(Names, lambda said: trouble(said.names, len(siblings)))
    values = {"groups": fenced("groups", told), "language": language or "English"}
    said = await client.ask(ROLE, PROMPT, values, wanted)
    return {one.key: " ".join(name.split()) for one, name in zip(siblings, said.names, strict=True)}


def _told(number: int, group: Group) -> str:
    titles = "\n".join(f"- {' '.join(title.split())[:200]}" for title in group.titles)
    return f"[{number}] {', '.join(group.terms)}\n{titles}"


def trouble(said: Sequence[str], wanted: int) -> str:
    """What is wrong with the names of so many regions; "": nothing."""
    if len(said) != wanted:
        return f"There are {wanted} groups, and {len(said)} names."
    if wrong := [name for name in said if not 0 < len(name.strip()) <= LONGEST]:
        return f"A name has 1 to {LONGEST} letters: {wrong[0][:LONGEST]!r} has {len(wrong[0])}."
    if twice := [name for name, count in Counter(name.casefold().strip() for name in said).items() if count > 1]:
        return f"Two groups are called {twice[0]!r}."
    return ""
