"""Entities that models found and wait for review, and entities that are taken for others; all of it can be undone."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from conspectus.library import Library
from conspectus.records.graph import EntityState
from conspectus.server.exchange import Body, Limit, TheLibrary, answers, said
from conspectus.wire import bodies, encode

router = APIRouter(tags=["graph"])
REVIEWED = answers("The entity as it is now.", bodies.NEW_ENTITY)
MERGES = answers("All that was merged, the newest first.", bodies.MERGES)


class NamedEntity(Body):
    """An entity."""

    entity: str = Field(
        min_length=1, max_length=500, description="Its id, or a name that only one has", examples=["X:1"]
    )


class Merging(NamedEntity):
    """An entity, and what it is taken for."""

    into: str = Field(min_length=1, max_length=500, description="Its id, or a name that only one has", examples=["X:2"])


@router.get("/entities/review", responses=answers("Some of the list.", bodies.NEW_ENTITIES))
def review(
    library: TheLibrary,
    state: Annotated[EntityState, Query(description="Those that wait (`new`), or what was said of them")] = "new",
    limit: Limit = 100,
    offset: Annotated[int, Query(ge=0, le=10**9, description="How many are passed over")] = 0,
    examples: Annotated[int, Query(ge=0, le=100, description="Sentences of each, at most")] = 1,
) -> Response:
    """Entities that a language model found and no vocabulary has, most frequent first."""
    found = library.new_entities(state, limit=limit, offset=offset, examples=examples)
    return said("graph.review", encode.body(found))


@router.post("/entities/accept", responses=REVIEWED)
def accept(library: TheLibrary, named: NamedEntity) -> Response:
    """Accept an entity that a model found: from the next `link` on texts are searched for its names, too."""
    return _reviewed(library, named.entity, "accept")


@router.post("/entities/reject", responses=REVIEWED)
def reject(library: TheLibrary, named: NamedEntity) -> Response:
    """Reject an entity that a model found: no paper speaks of it any more, and it does not come back."""
    return _reviewed(library, named.entity, "reject")


@router.post("/entities/undo", responses=REVIEWED)
def undo(library: TheLibrary, named: NamedEntity) -> Response:
    """Let an entity that was accepted or rejected wait again."""
    return _reviewed(library, named.entity, "undo")


def _reviewed(library: Library, entity: str, verdict: str) -> Response:
    return said("graph.review", {"reviewed": encode.body(library.review_entity(entity, verdict))})


@router.get("/entities/merges", responses=MERGES)
def merges(library: TheLibrary) -> Response:
    """The entities that users take to be others, the newest first."""
    return _merges(library)


@router.post("/entities/merge", responses=MERGES)
def merge(library: TheLibrary, asked: Merging) -> Response:
    """Take an entity for another one wherever papers speak of it; nothing that was found is changed."""
    library.merge_entities(asked.entity, asked.into)
    return _merges(library)


@router.post("/entities/unmerge", responses=MERGES)
def unmerge(library: TheLibrary, named: NamedEntity) -> Response:
    """Let an entity that was merged into another one be itself again."""
    library.unmerge_entity(named.entity)
    return _merges(library)


def _merges(library: Library) -> Response:
    return said("graph.merge", {"merges": encode.plain(library.entity_merges())})
