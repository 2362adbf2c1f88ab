"""Names that regions can have: the concepts of a vocabulary that cover them, or a language model's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import msgspec
import numpy as np
import numpy.typing as npt

from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import fenced
from conspectus.records.models import Role

TERMS = 8
"""Concepts of a region, of which its name is made."""
IN_NAME = 2
STEM, SHORTEST = 5, 4
"""Characters by which words are taken to be forms of one another; of shorter ones all, if so many."""


class ConceptCounts:
    """In how many texts each concept is, by region; a text may count for less than one."""

    def __init__(self) -> None:
        self._counts_by_region: dict[int, Counter[str]] = {}
        self._sizes: Counter[int] = Counter()

    def add(self, region: int, labels: Mapping[str, float]) -> None:
        """A text of a region has these, for as much as is said."""
        self._counts_by_region.setdefault(region, Counter()).update(labels)
        self._sizes[region] += 1

    def above(self, parents: Mapping[int, int]) -> ConceptCounts:
        """The same of the regions that these lie in."""
        parent_counts = ConceptCounts()
        for region, counts in self._counts_by_region.items():
            parent_counts._counts_by_region.setdefault(parents[region], Counter()).update(counts)
            parent_counts._sizes[parents[region]] += self._sizes[region]
        return parent_counts

    def best(self, least: float) -> dict[int, tuple[str, ...]]:
        """Region -> the concepts that cover it best, none a form of one before.

        `least`: the share of a region's texts that have it.
        """
        of_all: Counter[str] = Counter()
        for counts in self._counts_by_region.values():
            of_all.update(counts)
        return {region: self._best(region, of_all, least) for region in self._counts_by_region}

    def _best(self, region: int, of_all: Mapping[str, float], least: float) -> tuple[str, ...]:
        label_counts, size = self._counts_by_region[region], self._sizes[region]
        often = [label for label, count in label_counts.items() if count >= least * size and (count > 1 or size == 1)]
        covered = {label: coverage(label_counts[label], size, of_all[label]) for label in often}
        return _drop_forms(sorted(covered, key=lambda label: (-covered[label], label)))


def _drop_forms(phrases: Sequence[str]) -> tuple[str, ...]:
    """The first that have no word in common, nor a form of it, and none the other's abbreviation."""
    distinct_phrases: list[str] = []
    seen: set[str] = set()
    for phrase in phrases:
        stems = {word[:STEM].casefold().removesuffix("s") for word in phrase.replace("-", " ").split() if len(word) > 1}
        is_said = any(_are_forms(stem, seen_stem) for stem in stems for seen_stem in seen) or any(
            _stands_for(phrase, other) or _stands_for(other, phrase) for other in distinct_phrases
        )
        if stems and not is_said:
            distinct_phrases.append(phrase)
            seen |= stems
        if len(distinct_phrases) == TERMS:
            break
    return tuple(distinct_phrases)


def _are_forms(stem: str, other: str) -> bool:
    """Whether the beginnings of two words are the same, as far as both go."""
    short, long = sorted((stem, other), key=len)
    return stem == other or (len(short) >= SHORTEST and long.startswith(short))


def _stands_for(short: str, phrase: str) -> bool:
    """Whether something is the first letters of a phrase's words."""
    return short.casefold() == "".join(word[0] for word in phrase.casefold().replace("-", " ").split())


ROLE: Role = "summarise"
PROMPT = "regions"
COVERED = 0.15
"""Share of a region's texts that mention a concept, or of what is below it, where the region may be called so."""
KIND_OF = 0.9
"""What a text that mentions a kind of something counts, beside one that mentions it: what says as much as one of its
kinds alone gives way to that."""
BETA = 1.5
"""So many times as much it counts that a region's texts mention a concept as that others do not. With 1 it is too
often called after what few of its texts mention, though fewer others; with 2 fewer names tell regions apart."""
MORE = 1.03
"""So many times as well two concepts must cover a region as the best alone, to be its name."""
LONGEST = 60
"""Letters of a name."""
Parents = Mapping[int, Sequence[int]]
Counts = dict[str, float]
"""Label -> what a text counts that mentions it."""


def cover_texts(
    texts: Iterable[tuple[int, Iterable[int]]], labels: Mapping[int, str], parents: Parents
) -> ConceptCounts:
    """In how many texts of each region there are concepts, counted with all that these are kinds of.

    Args:
        texts: the region of each, and the concepts that it mentions.
        labels: of the concepts that count.
        parents: concept -> those that it is a kind of.
    """
    counts = ConceptCounts()
    for region, weights in _weigh_concepts(texts, labels, parents):
        counts.add(region, weights)
    return counts


def rows_by_concept(
    texts: Iterable[tuple[int, Iterable[int]]],
    labels: Mapping[int, str],
    parents: Parents,
    wanted_labels: Iterable[str],
) -> dict[str, dict[int, float]]:
    """Label that is wanted -> the number of each text that mentions its concept, or of a kind of it -> what it counts.

    Args:
        texts: the number of each instead of its region.
        labels, parents: see `cover_texts`.
        wanted_labels: labels.
    """
    weights_by_label: dict[str, dict[int, float]] = {label: {} for label in wanted_labels}
    for number, weights in _weigh_concepts(texts, labels, parents):
        for label in weights.keys() & weights_by_label.keys():
            weights_by_label[label][number] = weights[label]
    return weights_by_label


def _weigh_concepts(
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


def _above(concept: int, labels: Mapping[int, str], parents: Parents, known: dict[int, Counts]) -> Counts:
    """A concept and all that it is a kind of; vocabularies may go in circles."""
    if concept not in known:
        weights, step, weight = {concept: 1.0}, {concept}, 1.0
        while step:
            weight *= KIND_OF
            step = {parent for each in step for parent in parents.get(each, ())} - weights.keys()
            weights |= dict.fromkeys(step, weight)
        known[concept] = {labels[each]: weight for each, weight in weights.items() if each in labels}
    return known[concept]


def coverage(overlap: float, region: float, having: float) -> float:
    """How well a concept covers a region: the F-measure, with `BETA`, of finding its texts by that."""
    return (1 + BETA**2) * overlap / (BETA**2 * region + having)


def one_or_two(
    terms: Sequence[str], weights_by_term: Mapping[str, Mapping[int, float]], in_region: npt.NDArray[np.bool_]
) -> tuple[str, ...]:
    """The concept that covers a region best, or two if they cover it `MORE` times as well together.

    A concept alone is held against two as if each of its kinds were said by its name: two kinds of one do not beat it.

    Args:
        terms: the concepts that cover it, the best first.
        weights_by_term: what `rows_by_concept` returns.
        in_region: of each text whether it is the region's.
    """
    rows = np.unique(np.array([row for term in terms for row in weights_by_term[term]], np.int64))
    counts = {term: np.zeros(len(rows)) for term in terms}
    for term, count in counts.items():
        count[np.searchsorted(rows, list(weights_by_term[term]))] = list(weights_by_term[term].values())
    region, mine = float(in_region.sum()), in_region[rows]

    def covered(labels: Sequence[str]) -> float:
        return by(np.max([counts[label] for label in labels], axis=0))

    def by(has: npt.NDArray[np.float64]) -> float:
        return coverage(float(has[mine].sum()), region, float(has.sum()))

    least = max((by(np.ceil(counts[term])) for term in terms), default=0.0)
    two = max(combinations(terms, IN_NAME), key=covered, default=())
    return two if two and covered(two) >= MORE * least else tuple(terms[:1])


def name_by_concepts(
    best: Mapping[int, Sequence[str]], terms: Mapping[int, Sequence[str]], order: Sequence[int]
) -> dict[int, str]:
    """Region -> its `one_or_two` concepts; regions without one are left out.

    One that another, before it in `order`, is called after, too, has another of its concepts beside the first.
    """
    names: dict[int, str] = {}
    for key in order:
        if concepts := tuple(best.get(key, ())):
            others = ((concepts[0], other) for other in terms[key] if other not in concepts)
            ways = (*map(" and ".join, (concepts, *others)), f"{' and '.join(concepts)} ({len(names) + 1})")
            names[key] = next(way for way in ways if way not in names.values())
    return names


@dataclass(frozen=True, slots=True)
class SiblingRegion:
    """A region as a model is told of it."""

    key: int
    terms: Sequence[str]
    titles: Sequence[str]


class NamesReply(msgspec.Struct):
    """What the prompt `regions` gives."""

    names: list[str]


async def name_by_model(client: LlmClient, siblings: Sequence[SiblingRegion], language: str) -> dict[int, str]:
    """Region -> its name, of regions that lie within the same one, as a language model calls them."""
    groups = "\n\n".join(_describe_group(number, sibling) for number, sibling in enumerate(siblings, start=1))
    output = OutputSpec(NamesReply, lambda reply: find_fault(reply.names, len(siblings)))
    values = {"groups": fenced("groups", groups), "language": language or "English"}
    reply = await client.ask(ROLE, PROMPT, values, output)
    return {sibling.key: " ".join(name.split()) for sibling, name in zip(siblings, reply.names, strict=True)}


def _describe_group(number: int, group: SiblingRegion) -> str:
    titles = "\n".join(f"- {' '.join(title.split())[:200]}" for title in group.titles)
    return f"[{number}] {', '.join(group.terms)}\n{titles}"


def find_fault(names: Sequence[str], region_count: int) -> str:
    """What is wrong with the names of so many regions; "": nothing."""
    if len(names) != region_count:
        return f"There are {region_count} groups, and {len(names)} names."
    if wrong := [name for name in names if not 0 < len(name.strip()) <= LONGEST]:
        return f"A name has 1 to {LONGEST} letters: {wrong[0][:LONGEST]!r} has {len(wrong[0])}."
    if twice := [name for name, count in Counter(name.casefold().strip() for name in names).items() if count > 1]:
        return f"Two groups are called {twice[0]!r}."
    return ""
