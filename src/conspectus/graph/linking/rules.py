"""What users and gold say of surfaces: forms to look for, and names that mostly mean something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conspectus.graph.linking.words import is_acronym

if TYPE_CHECKING:
    from conspectus.graph.linking.linker import Linker
    from conspectus.graph.linking.naming import Named

Pair = tuple[str, int]
"""A surface and a concept."""
Span = tuple[int, int, int]
"""Start and end of a mention in its text, in characters, and its concept."""
Paper = tuple[Sequence[str], Sequence[Sequence[Span]]]
"""The texts of a paper, and the mentions of each."""
HITS = 2
"""Times that something has to be met before it is believed."""
SHORT = 4
"""Characters; a shorter form, or an acronym, is believed where two papers have it."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What is added to the names, and what is taken away.

    Attributes:
        use: surfaces that mean a concept, listed by its vocabulary or not.
        leave: surfaces that do not mean a concept; 0 or less as the concept: none at all.
    """

    use: tuple[Pair, ...] = ()
    leave: tuple[Pair, ...] = ()


NO_RULES = Rules()


def learn(names: Iterable[Named], papers: Sequence[Paper], rules: Rules = NO_RULES) -> Rules:
    """`rules`, with the forms that gold has and the names do not, and without what is mostly wrong.

    A form is added that gold has twice (an acronym: in two papers) and that was missed; a surface is left where it was
    met twice or more and is right in less than half of the cases. Both are counted over `papers`.
    """
    from conspectus.graph.linking.linker import Linker

    names = list(names)
    missed = _missed(Linker(names, rules), papers)
    more = Rules((*rules.use, *(pair for pair, times in missed.items() if times >= HITS)), rules.leave)
    return Rules(more.use, (*more.leave, *_wrong(Linker(names, more), papers)))


def _missed(linker: Linker, papers: Iterable[Paper]) -> Counter[Pair]:
    counted: Counter[Pair] = Counter()
    within: Counter[Pair] = Counter()
    for texts, gold in papers:
        here: Counter[Pair] = Counter()
        for text, matches, spans in zip(texts, linker.link(texts), gold, strict=True):
            found = {(match.start, match.stop, match.concept) for match in matches}
            here.update((text[start:end], concept) for start, end, concept in set(spans) - found)
        counted.update(here)
        within.update({(linker.key(surface), concept) for surface, concept in here})
    return Counter(
        {
            (surface, concept): times
            for (surface, concept), times in _by_key(linker, counted).items()
            if within[linker.key(surface), concept] > 1 or not _of_a_paper(surface)
        }
    )


def _of_a_paper(surface: str) -> bool:
    """Whether a form is so short that another paper may well mean something else by it."""
    return is_acronym(surface) or len(surface) < SHORT


def _by_key(linker: Linker, counted: Counter[Pair]) -> Counter[Pair]:
    """Surfaces of one key counted as one, under the commonest of them."""
    sums: Counter[tuple[str, int]] = Counter()
    shown: dict[tuple[str, int], str] = {}
    for (surface, concept), times in counted.most_common():
        sums[linker.key(surface), concept] += times
        shown.setdefault((linker.key(surface), concept), surface)
    return Counter({(shown[key, concept], concept): times for (key, concept), times in sums.items()})


def _wrong(linker: Linker, papers: Iterable[Paper]) -> list[Pair]:
    hits: Counter[Pair] = Counter()
    right: Counter[Pair] = Counter()
    for texts, gold in papers:
        for text, matches, spans in zip(texts, linker.link(texts), gold, strict=True):
            for match in matches:
                pair = linker.key(text[match.start : match.stop]), match.concept
                hits[pair] += 1
                right[pair] += (match.start, match.stop, match.concept) in spans
    return [
        (key.strip(), concept)
        for (key, concept), times in hits.items()
        if times >= HITS and right[key, concept] * 2 < times
    ]
