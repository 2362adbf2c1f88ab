"""What directions need of other wings; the library hands it in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conspectus.directions.build import MinePhrases


@dataclass(frozen=True, slots=True)
class DirectionSources:
    """What other wings find for directions.

    Attributes:
        mine_phrases: the phrases of papers.
        select_papers: the keys of the papers of a query, a collection, or a region of the map.
        read_topics: the region of the map that each paper is in, by the papers' keys; without a map it raises
            `NotFoundError`.
    """

    mine_phrases: MinePhrases
    select_papers: Callable[[str], list[int]]
    read_topics: Callable[[], Mapping[int, int]]
