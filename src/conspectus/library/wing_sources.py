"""What directions, collections of images and the map need of other wings."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.output import writing_to
from conspectus.core.text import json_text, line
from conspectus.directions.label_terms import TermSources
from conspectus.directions.sources import DirectionSources
from conspectus.directions.stored_directions import read_direction
from conspectus.figures.image_similarity import picture_of
from conspectus.graph.entities import rate_generality, rate_phrases
from conspectus.graph.mention_finder import concepts_in
from conspectus.graph.sql import count_mentions
from conspectus.images.verbs import ImageSources, Sheet
from conspectus.map.fit import mine_phrases
from conspectus.map.named_overlays import MapSources
from conspectus.map.stored_map import LISTED, read_map
from conspectus.papers.retriever import papers_that_say
from conspectus.records import Filters
from conspectus.records.atlas import Atlas
from conspectus.records.images import ImageGroup, ImageGroups, ImageMap

if TYPE_CHECKING:
    from conspectus.library.facade import Library
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
        if text.strip().startswith("region:"):
            raise UsageError(f"'{line(text)[:50]}' is no region of the map: a region is a number.", LISTED)
        return papers_that_say(session, text)
    atlas, region = read_map(session, "papers"), int(match[1])
    inside = (atlas.region_ids == region).any(axis=1)
    if not inside.any():
        raise NotFoundError(f"The map has no region {region}.", LISTED)
    names = [paper for paper, is_inside in zip(atlas.papers, inside.tolist(), strict=True) if is_inside]
    return list(session.catalog.keys_of(names).values())


def _read_topics(session: Session) -> dict[int, int]:
    """The keys of papers -> their region of the map.

    Raises:
        NotFoundError: there is no map.
    """
    atlas = read_map(session, "papers")
    keys = session.catalog.keys_of(list(atlas.papers))
    regions = dict(zip(atlas.papers, atlas.region_ids[:, TOPIC_LEVEL].tolist(), strict=True))
    return {key: regions[name] for name, key in keys.items()}


def image_sources(session: Session) -> ImageSources:
    """The sources of an open library's images."""
    from conspectus.map.projection import project

    return ImageSources(
        read_picture=partial(picture_of, session),
        project=project,
        make_sheet=partial(_make_sheet, session),
    )


def _make_sheet(session: Session, sheet: Sheet) -> str:
    from conspectus.images import sql as image_sql
    from conspectus.wire import html

    if isinstance(sheet, ImageMap):
        rows = html.tiles(sheet)
        thumbnails = image_sql.thumbnails(session.catalog, [sheet.images[row] for row in rows])
        return html.image_map(sheet, rows, thumbnails)
    groups = sheet.groups if isinstance(sheet, ImageGroups) else [ImageGroup(len(sheet.hits), sheet.hits)]
    ids = [hit.image.id for group in groups for hit in group.images]
    return html.contact_sheet(sheet, groups, image_sql.thumbnails(session.catalog, ids))


def map_sources(library: Library) -> MapSources:
    """The sources of an open library's map."""
    session = library.session
    return MapSources(
        find_papers=partial(papers_that_say, session),
        read_direction=partial(read_direction, session),
        find_entities=partial(concepts_in, session, whole_text=True, mentioned=False),
        search=lambda words, k: library.search(words, k, use="raw"),
        read_answer=lambda name: library.answers.show(name).answer,
        write_file=partial(_write_file, session.folder.name),
    )


def _write_file(name: str, atlas: Atlas, path: Path) -> str:
    """Write the map as a page or as JSON; returns a notice, or "" if there is none."""
    from dataclasses import replace

    from conspectus.wire import encode, html

    is_page = path.suffix.lower() == ".html"
    if is_page:
        text = html.map_file(atlas, name)
    else:
        text = json_text({"schema": "conspectus.map.show/1", **encode.body(replace(atlas, with_points=True))})
    with writing_to(path) as stream:
        stream.write(text)
    return html.STILL if is_page and html.is_still() else ""
