"""What directions need of other wings; the library hands it in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conspectus.directions.label_terms import TermSources


@dataclass(frozen=True, slots=True)
class DirectionSources:
    """What other wings find for directions.

    Attributes:
        terms: what labels are made of.
        select_papers: the keys of the papers of a query, a collection, or a region of the map.
        read_topics: the region of the map that each paper is in, by the papers' keys; without a map it raises
            `NotFoundError`.
    """

    terms: TermSources
    select_papers: Callable[[str], list[int]]
    read_topics: Callable[[], Mapping[int, int]]
