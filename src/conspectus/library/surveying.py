"""What the map tells of a field: its regions, gaps, trends, impact."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from conspectus.catalog import atlas as kept
from conspectus.catalog.facets import filtered_paper_keys
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.library.mapping import LISTED, atlas
from conspectus.library.retrieving import papers_that_say
from conspectus.records import Filters
from conspectus.records.atlas import LEVELS, Atlas, Gap, Impact, Mapped, Topic, Trend
from conspectus.session.session import Session

Years = tuple[int | None, int | None]


def topics(
    session: Session,
    region: int | None = None,
    *,
    of: Mapped = "papers",
    level: int = 1,
    year: Years | None = None,
    make: bool = True,
) -> tuple[Topic, ...]:
    """The regions of a level of the map, the largest first, with how they grow, and papers of theirs.

    Args:
        region: only this one, and those that lie within it.
        of: which map.
        level: 0 for the largest regions, 2 for the smallest.
        year: (first, last), either may be None: only papers of these years count, also for the growth.
        make: False: the map is taken as it is.

    Raises:
        NotFoundError: it has no such region, or there is no map, and none is to be made.
        UsageError: there is no such level, or `region` is no number; and as `atlas`.
    """
    from conspectus.atlas.topics import topic

    _check(level)
    found = atlas(session, of, make=make)
    wanted = found.at(level)
    if region is not None:
        _check_number(region)
        wanted = tuple(one for one in found.regions if region in (one.id, one.parent))
        if not wanted:
            raise NotFoundError(f"The map has no region {region}.", LISTED)
    shown = of_years(found.years, year)
    among = None if shown is None else np.flatnonzero(shown)
    return tuple(topic(found, one, among) for one in wanted)


def _check(level: int) -> None:
    if not 0 <= level < LEVELS:
        raise UsageError(f"There is no level {level} of regions.", f"Levels go from 0 to {LEVELS - 1}.")


def _check_number(region: object) -> None:
    if not isinstance(region, Integral):
        raise UsageError(f"{region!r} is no number of a region.", LISTED)


def gaps(session: Session, *, level: int = 1, year: Years | None = None, make: bool = True) -> tuple[Gap, ...]:
    """The regions of the map that nobody has put together: those without a review first, the large and growing first.

    A paper is a review by its publication type, the name of its venue, its title, or its abstract.

    Args:
        level: of the regions; 0 for the largest.
        year: (first, last), either may be None: only papers and reviews of these years count, also for the growth, and
            regions without any are left out.
        make: False: the map is taken as it is.

    Raises:
        UsageError: there is no such level; and as `atlas`.
        NotFoundError: there is no map, and none is to be made.
    """
    from conspectus.atlas.surveying import gaps as of_map

    _check(level)
    found = atlas(session, make=make)
    return of_map(found, reviews(session, found), level, of_years(found.years, year))


def of_years(years: Any, wanted: Years | None) -> Any:
    """Of each year whether it is one of those: bool, in the shape of `years`; None where all are wanted.

    Raises:
        UsageError: the range ends before it begins.
    """
    first, last = Filters(year=wanted).year or (None, None)
    if first is None and last is None:
        return None
    return (years >= max(first or 1, 1)) & (years <= (9999 if last is None else last))


def reviews(session: Session, found: Atlas) -> Any:
    """Of each text of a map, whether its paper is a review: bool [texts]."""
    from conspectus.atlas.surveying import is_review

    ids = list(dict.fromkeys(found.papers))
    named: set[str] = set()
    for start in range(0, len(ids), kept.BATCH):
        for paper, said in kept.read_metadata(session.catalog, ids[start : start + kept.BATCH]).items():
            if is_review(str(said.extra.get("type", "")), said.venue, said.title, said.abstract):
                named.add(paper)
    return np.array([paper in named for paper in found.papers], bool)


def trends(
    session: Session,
    words: str = "",
    *,
    topic: int | None = None,
    author: str = "",
    year: Years | None = None,
    make: bool = True,
) -> Trend:
    """Papers by years, and their share of the library's, with 95 % intervals.

    Args:
        words: of papers that have them as a phrase, or as a keyword; or a query with signs, as of `search`.
        topic: of those in a region of the map of papers.
        author: of those by somebody.
        year: (first, last), either may be None: of these years alone.
        make: False: the map is taken as it is.

    Raises:
        UsageError: not exactly one of these is given, `topic` is no number, or a mistake in the signs.
        NotFoundError: no paper is by the author, the map has no such region, or there is none and none is to be made.
    """
    from conspectus.atlas.surveying import trend

    if (bool(words.strip()) + (topic is not None) + bool(author.strip())) != 1:
        raise UsageError("A trend is one of words, of a topic, or of an author.", "Give one of them.")
    catalog = session.catalog
    years, name = kept.years_of(catalog, None), words
    if topic is not None:
        _check_number(topic)
        found = atlas(session, make=make)
        region = next((one for one in found.regions if one.id == topic), None)
        if region is None:
            raise NotFoundError(f"The map has no region {topic}.", LISTED)
        mine, name = found.years[found.region_ids[:, region.level] == topic], region.name
    else:
        keys = (
            filtered_paper_keys(catalog, Filters(author=(author,))).tolist()
            if author
            else papers_that_say(session, words)
        )
        if author and not keys:
            raise NotFoundError(f"No paper of the library is by '{author}'.", "Give the family name, or all of it.")
        mine, name = kept.years_of(catalog, keys), author or words
    if (shown := of_years(years, year)) is not None:
        mine, years = mine[of_years(mine, year)], years[shown]
    rows = trend(mine, years)
    return Trend(name, len(mine), rows, max(rows, key=lambda one: one.share).year if rows else None)


def impact(session: Session, words: str, *, year: Years | None = None, make: bool = True) -> Impact:
    """How many papers have words (a facility, a method), since when, in which regions, and how widely these spread.

    Args:
        words: as of `trends`.
        year: (first, last), either may be None: only papers of these years count, also of those in a region.
        make: False: the map is taken as it is.

    Raises:
        NotFoundError: no paper of the map has them, or there is no map, and none is to be made.
        UsageError: they are empty, or have a mistake in the signs; and as `atlas`.
    """
    from conspectus.atlas.surveying import impact as on_map

    found = atlas(session, make=make)
    named = set(session.catalog.ids_of(papers_that_say(session, words)).values())
    chosen = np.array([paper in named for paper in found.papers], bool)
    shown = of_years(found.years, year)
    if not chosen.any():
        raise NotFoundError(f"No paper of the map says '{words}'.", "`search` finds what is near.")
    if shown is not None and not (chosen & shown).any():
        raise NotFoundError(f"No paper of the map says '{words}' in these years.", "Give more years, or none.")
    return on_map(found, chosen, words, shown)
