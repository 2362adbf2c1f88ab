"""Passages found, with the papers' own in the place of summaries: only those are read for quotes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from conspectus.search.asked import Asked
from conspectus.search.candidates import Scored
from conspectus.search.retrieve import Retriever
from conspectus.search.sources import traced


@dataclass(frozen=True, slots=True)
class Followed:
    """Papers' own passages, best first.

    Attributes:
        found: a passage to which a summary led stands where the summary stood, with its own cosine.
        only: of those to which nothing but a summary led, the ids of the sentences that it rests on.
        models: that wrote the summaries.
    """

    found: list[Scored]
    only: Mapping[int, frozenset[str]] = field(default_factory=dict)
    models: tuple[str, ...] = ()


def follow(retriever: Retriever, asked: Asked, found: Sequence[Scored]) -> Followed:
    """What the passages found are, or lead to."""
    if retriever.use == "raw":
        return Followed(list(found))
    led = traced(retriever.catalog, [scored.key for scored in found])
    own = {scored.key for scored in found} - led.keys()
    only: dict[int, frozenset[str]] = {}
    for one in led.values():
        for source in one.sources:
            only[source.key] = only.get(source.key, frozenset()) | {span.id for span in source.spans}
    cosines = retriever.cosines(asked.vector, [key for key in only if key not in own])
    followed: dict[int, Scored] = {}
    for scored in found:
        if scored.key not in led:
            followed[scored.key] = scored  # in the place that a summary may have led it to
            continue
        for source in led[scored.key].sources:
            if source.key in cosines:
                followed.setdefault(source.key, Scored(source.key, scored.score, {"cosine": cosines[source.key]}))
    return Followed(
        list(followed.values()),
        {key: spans for key, spans in only.items() if key not in own},
        tuple(dict.fromkeys(one.summary.model for one in led.values())),
    )
