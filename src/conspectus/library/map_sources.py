"""What the map needs of other wings and of exports."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.core.characters import json_text
from conspectus.core.output import writing_to
from conspectus.directions.stored_directions import read_direction
from conspectus.graph.mention_finder import concepts_in
from conspectus.map.named_overlays import MapSources
from conspectus.papers.retriever import papers_that_say
from conspectus.records.atlas import Atlas

if TYPE_CHECKING:
    from conspectus.library.facade import Library


def map_sources(library: Library) -> MapSources:
    """The sources of an open library's map."""
    session = library.session
    return MapSources(
        find_papers=partial(papers_that_say, session),
        read_direction=partial(read_direction, session),
        find_entities=partial(concepts_in, session, whole=True, mentioned=False),
        search=lambda words, k: library.search(words, k, use="raw"),
        read_answer=lambda name: library.answers.show(name).answer,
        write_file=partial(_write_file, session.folder.name),
    )


def _write_file(name: str, found: Atlas, path: Path) -> str:
    """Write the map as a page or as JSON; returns a notice, or "" if there is none."""
    from dataclasses import replace

    from conspectus.wire import encode, map_file

    is_page = path.suffix.lower() == ".html"
    if is_page:
        text = map_file.map_file(found, name)
    else:
        text = json_text({"schema": "conspectus.map.show/1", **encode.body(replace(found, with_points=True))})
    with writing_to(path) as stream:
        stream.write(text)
    return map_file.STILL if is_page and map_file.is_still() else ""
