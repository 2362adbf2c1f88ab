"""What directions need of other wings: phrases and concepts, papers of a query or of a region, topics of the map."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from conspectus.core.errors import NotFoundError
from conspectus.directions.label_terms import TermSources
from conspectus.directions.sources import DirectionSources
from conspectus.graph.entities import rate_generality, rate_phrases
from conspectus.graph.sql import count_mentions
from conspectus.map.fit import mine_phrases
from conspectus.map.stored_map import LISTED, read_map
from conspectus.papers.retriever import papers_that_say
from conspectus.records import Filters

if TYPE_CHECKING:
    from conspectus.session.session import Session

TOPIC_LEVEL = 1
"""Level of the regions that papers are compared within."""
_REGION = re.compile(r"region:(\d{1,9})")


def direction_sources(session: Session) -> DirectionSources:
    """The sources of an open library."""
    return DirectionSources(term_sources(session), partial(_select_papers, session), partial(_read_topics, session))


def term_sources(session: Session) -> TermSources:
    """What labels of directions are made of."""

    def rate_concepts() -> dict[int, float]:
        return rate_generality(session, count_mentions(session.catalog), Filters())

    return TermSources(mine_phrases, rate_concepts, rate_phrases)


def _select_papers(session: Session, text: str) -> list[int]:
    """The keys of the papers that a query finds, or that are in a region of the map (`region:3`).

    Raises:
        NotFoundError: there is no map, or no such region.
        UsageError: there is a mistake in the query's signs.
    """
    if (match := _REGION.fullmatch(text.strip())) is None:
        return papers_that_say(session, text)
    found, wanted = read_map(session, "papers"), int(match[1])
    inside = (found.region_ids == wanted).any(axis=1)
    if not inside.any():
        raise NotFoundError(f"The map has no region {wanted}.", LISTED)
    names = [paper for paper, chosen in zip(found.papers, inside.tolist(), strict=True) if chosen]
    return list(session.catalog.keys_of(names).values())


def _read_topics(session: Session) -> dict[int, int]:
    """The keys of papers -> their region of the map.

    Raises:
        NotFoundError: there is no map.
    """
    found = read_map(session, "papers")
    keys = session.catalog.keys_of(list(found.papers))
    regions = dict(zip(found.papers, found.region_ids[:, TOPIC_LEVEL].tolist(), strict=True))
    return {key: regions[name] for name, key in keys.items()}
