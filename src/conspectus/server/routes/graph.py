"""Entities: what papers speak of, where, and of what together."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from conspectus.library.graphing import DEEPEST
from conspectus.records.graph import LinkMethod
from conspectus.server import models
from conspectus.server.exchange import BEGAN, Body, TheBoard, TheFilters, TheLibrary, answers, begun, given, said
from conspectus.wire import bodies, encode

router = APIRouter(tags=["graph"])
ENTITIES = answers("The entities.", bodies.ENTITIES)
Top = Annotated[int, Query(ge=1, le=10_000, description="How many, at most")]
Rare = Annotated[bool, Query(description="Those first that fewest sentences speak of")]
General = Annotated[bool, Query(description="Also everyday words of which all papers speak alike")]
given(bodies.LINKED, bodies.RELATED)


@router.get("/graph", responses=answers("What is said around entities, or between them.", bodies.SUBGRAPH))
def graph(
    library: TheLibrary,
    filters: TheFilters,
    name: Annotated[list[str], Query(min_length=1, max_length=10, description="Names or ids", examples=[["neuron"]])],
    depth: Annotated[int, Query(ge=1, le=DEEPEST, description="Hops, at most")] = 2,
    k: Annotated[int, Query(ge=1, le=1000, description="Neighbours of each, or paths between two, at most")] = 10,
    examples: Annotated[int, Query(ge=0, le=100, description="Sentences of each edge, at most")] = 1,
) -> Response:
    """The neighbours of an entity, or the ways between several, each edge with its sentences."""
    found = library.graph(name, depth=depth, k=k, examples=examples, filters=filters)
    return said("graph.show", encode.body(found))


@router.get("/graph/discover", responses=answers("Where it may be worth looking.", bodies.DISCOVERY))
def discover(
    library: TheLibrary,
    filters: TheFilters,
    name: Annotated[str, Query(description="A name or an id", examples=["migraine"])],
    until: Annotated[
        int | None, Query(ge=1, le=9999, description="Papers up to this year; later ones are told")
    ] = None,
    k: Annotated[int, Query(ge=1, le=1000, description="How many")] = 20,
    examples: Annotated[int, Query(ge=0, le=100, description="Sentences of each hop, at most")] = 1,
    *,
    apart: Annotated[bool, Query(description="None that a paper speaks of beside it")] = False,
) -> Response:
    """Entities that no sentence joins to one, though both are joined to what they share, with the sentences of that."""
    found = library.discover(name, until=until, k=k, examples=examples, apart=apart, filters=filters)
    return said("graph.discover", encode.body(found))


@router.get("/entities", responses=ENTITIES)
def list_entities(
    library: TheLibrary,
    filters: TheFilters,
    top: Top = 50,
    vocabulary: Annotated[str, Query(max_length=100, description="Only those of this one")] = "",
    *,
    rare: Rare = False,
    general: General = False,
) -> Response:
    """The entities that most, or fewest, sentences speak of."""
    found = library.entities(top=top, rare=rare, general=general, vocabulary=vocabulary, filters=filters)
    return said("graph.entities", {"entities": encode.plain(found)})


@router.get("/papers/{name:name}/entities", responses=ENTITIES)
def paper_entities(library: TheLibrary, name: str, top: Top = 50, *, rare: Rare = False) -> Response:
    """The entities that most, or fewest, of a paper's sentences speak of."""
    return said("graph.entities", {"entities": encode.plain(library.entities(name, top=top, rare=rare))})


@router.get("/papers/{name:name}/mentions", responses=answers("Where they are spoken of.", bodies.MENTIONS))
def paper_mentions(library: TheLibrary, name: str) -> Response:
    """Where a paper's sentences speak of entities, in reading order."""
    return said("graph.entities", {"mentions": encode.plain(library.mentions(name))})


@router.get("/mentions", responses=answers("What they speak of.", bodies.SPOKEN))
def spoken_of(
    library: TheLibrary,
    span: Annotated[
        list[str], Query(max_length=200, description="Ids of sentences; those not here are passed over")
    ] = [],  # noqa: B006
) -> Response:
    """What sentences of any papers speak of, one after the other; `linked`: whether any of the library's does."""
    found = library.mentions(spans=span)
    return said("graph.mentions", {"linked": library.is_linked(), "mentions": encode.plain(found)})


class Linking(Body):
    """Whether a language model reads the papers, too."""

    model: str | None = Field(
        None, examples=[""], description='a language model\'s name; "": that for the role `summarise`; null: none'
    )


@router.post("/link", status_code=202, responses=BEGAN)
def link(
    library: TheLibrary,
    board: TheBoard,
    asked: Linking | None = None,
    method: Annotated[
        LinkMethod | None,
        Query(description="`fuzzy`: misprints, too; `semantic`: also what is near a name"),
    ] = None,
) -> Response:
    """Find the entities of the library's vocabularies in the papers that nobody has gone through: a job."""
    wanted = asked or Linking(model=None)
    if wanted.model is not None:
        models.check(library, wanted)
    return begun(board.begin(library.link, **wanted.model_dump(), method=method or ""))


class Relating(Body):
    """By whom the papers are read."""

    model: str = Field("", description="instead of the one for the role `summarise`")
    again: bool = Field(False, examples=[True], description="Nothing is taken from earlier calls")


@router.post("/relate", status_code=202, responses=BEGAN)
def relate(library: TheLibrary, board: TheBoard, asked: Relating) -> Response:
    """Have a language model read which sentences state something of two entities: a job."""
    models.check(library, asked)
    return begun(board.begin(library.relate, **asked.model_dump()))
