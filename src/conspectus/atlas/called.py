"""What else regions can be called: by the concepts of vocabularies that cover them, and by a language model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from conspectus.atlas.naming import Phrases, overlap
from conspectus.core.roles import Role
from conspectus.llm.client import LlmClient
from conspectus.llm.prompting import fenced
from conspectus.llm.wanted import Wanted

ROLE: Role = "summarise"
PROMPT = "regions"
COVERED = 0.15
"""Share of a region's texts that speak of a concept, or of what is below it, where the region may be called so."""
KIND_OF = 0.9
"""What a text that speaks of a kind of something counts, beside one that speaks of it: what says as much as one of its
kinds alone gives way to that."""
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
    above: dict[int, Counts] = {}
    found = Phrases()
    for region, concepts in texts:
        weights: Counts = {}
        for concept in concepts:
            if concept in labels:
                for label, weight in _above(concept, labels, parents, above).items():
                    weights[label] = max(weight, weights.get(label, 0))
        found.add(region, weights)
    return found


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


def by_concepts(phrases: Phrases, order: Sequence[int]) -> dict[int, str]:
    """Region -> the concept whose texts are the most like its own; regions without one are left out.

    One that another, before it in `order`, is called after, too, has its next one beside it.
    """
    found: dict[int, str] = {}
    terms = phrases.best(overlap, COVERED)
    for key in order:
        first, *others = terms.get(key) or ("",)
        ways = (first, *(f"{first}, {other}" for other in others), f"{first} ({len(found) + 1})")
        if first:
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
    wanted = Wanted(Names, lambda said: trouble(said.names, len(siblings)))
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
