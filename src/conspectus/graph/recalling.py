"""What a language model said of a paper's words, held against what names find there now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from conspectus.graph.candidate_rows import Candidate

MODEL = "model"
"""How those were found whose words a model named, whether or not they are a name."""
Resolve = Callable[[Candidate], Candidate]
"""What words that a model found mean by the vocabularies of now."""


def recalled(fresh: Sequence[Candidate], before: Iterable[Candidate], resolve: Resolve) -> list[Candidate]:
    """What names find, as a model judged the same words before; and what it found itself."""
    said = {one.place: one for one in before}
    known = [_as_said(one, said.get(one.place)) for one in fresh]
    places = {one.place for one in fresh}
    own = (one for one in said.values() if one.method == MODEL and one.kept and one.place not in places)
    return [*known, *map(resolve, own)]


def _as_said(one: Candidate, before: Candidate | None) -> Candidate:
    if before is None:
        return one
    one = replace(one, method=MODEL if before.method == MODEL else one.method)
    return chosen(one, before.entity) if before.kept else replace(one, kept=one.entity != before.entity)


def chosen(one: Candidate, entity: str) -> Candidate:
    """The candidate in the sense of one of those that its words can have; as it is where that is none of them."""
    senses = dict([(one.entity, one.score), *one.others])
    if (score := senses.pop(entity, None)) is None:
        return one
    return replace(one, entity=entity, score=score, others=tuple(senses.items()))
