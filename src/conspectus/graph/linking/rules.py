"""What users and gold say of surfaces: forms to look for, and names that mostly mean something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
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
"""Times that a form has to be met before it is believed."""
LEAST = 0.5
"""The least probability of a surface to be right."""
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


def learn(
    names: Iterable[Named],
    papers: Sequence[Paper],
    rules: Rules = NO_RULES,
    *,
    least: float = LEAST,
    judged: Collection[int] | None = None,
) -> Rules:
    """`rules`, with the forms that gold has and the names do not, and without what is mostly wrong.

    A form is added that gold has twice (an acronym: in two papers) and that was missed. A surface is left where it is
    less than `least` probable to be right: (times right + share of its method that is right) / (times met + 1). Both
    are counted over `papers`.

    Args:
        judged: the concepts that gold would have, where it is silent on others; None: all.
    """
    from conspectus.graph.linking.linker import Linker

    names = list(names)
    more = Rules((*rules.use, *missed(Linker(names, rules), papers)), rules.leave)
    sure = probabilities(Linker(names, more), papers, judged)
    return Rules(more.use, (*more.leave, *(pair for pair, one in sure.items() if one < least)))


def missed(linker: Linker, papers: Iterable[Paper]) -> list[Pair]:
    """The forms that gold has twice or more, and that the linker does not find."""
    counted: Counter[Pair] = Counter()
    within: Counter[Pair] = Counter()
    for texts, gold in papers:
        here: Counter[Pair] = Counter()
        for text, matches, spans in zip(texts, linker.link(texts), gold, strict=True):
            found = {(match.start, match.stop, match.concept) for match in matches}
            here.update((text[start:end], concept) for start, end, concept in set(spans) - found)
        counted.update(here)
        within.update({(linker.key(surface), concept) for surface, concept in here})
    return [
        (surface, concept)
        for (surface, concept), times in _by_key(linker, counted).items()
        if times >= HITS and (within[linker.key(surface), concept] > 1 or not _of_a_paper(surface))
    ]


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


def probabilities(linker: Linker, papers: Iterable[Paper], judged: Collection[int] | None = None) -> dict[Pair, float]:
    """How probable what the linker finds in gold is to be right, by surfaces, as their keys, and concepts."""
    hits, right = Counter[Pair | str](), Counter[Pair | str]()
    methods: dict[Pair, str] = {}
    for texts, gold in papers:
        for text, matches, spans in zip(texts, linker.link(texts), gold, strict=True):
            for match in matches if judged is None else (one for one in matches if one.concept in judged):
                pair = linker.key(text[match.start : match.stop]).strip(), match.concept
                methods[pair] = match.method
                for what in (pair, match.method):
                    hits[what] += 1
                    right[what] += (match.start, match.stop, match.concept) in spans
    return {pair: (right[pair] + right[way] / hits[way]) / (hits[pair] + 1) for pair, way in methods.items()}
