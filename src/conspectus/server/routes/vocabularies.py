"""Vocabularies: lists, uploads, removing; their concepts; what is said of names."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, File, Query, UploadFile
from pydantic import Field
from starlette.responses import Response

from conspectus.core.disk import explained, replacing
from conspectus.library import Library
from conspectus.server.exchange import BEGAN, Body, Limit, TheBoard, TheLibrary, answers, begun, given, said
from conspectus.server.inbox import safe_name
from conspectus.wire import bodies, encode

router = APIRouter(tags=["vocabularies"])
FOLDER, GOLD = "vocabularies", "gold"
"""Of the library: where uploads are kept, by their names."""
given(bodies.ADDED_VOCABULARIES, bodies.LEARNT_NAMES)


@router.get("/vocabularies", responses=answers("The vocabularies.", bodies.VOCABULARIES))
def list_vocabularies(library: TheLibrary) -> Response:
    """The vocabularies, in the order in which they go before each other where they share a name."""
    return said("vocabulary.list", {"vocabularies": encode.plain(library.vocabularies())})


@router.post("/vocabularies", status_code=202, responses=BEGAN)
def add_vocabularies(
    library: TheLibrary,
    board: TheBoard,
    file: Annotated[list[UploadFile], File(description="Turtle, RDF/XML, OBO, MeSH's XML, tables, also packed …")],
    name: Annotated[
        str, Query(max_length=100, description="Of one vocabulary of all files; else each is its own")
    ] = "",
    subtree: Annotated[list[str], Query(description="Only at and below these ids or places in a tree")] = [],  # noqa: B006
    language: Annotated[list[str], Query(description="Of names: `en`, or `*` for all")] = ["en"],  # noqa: B006
) -> Response:
    """Add vocabularies, or other versions of them: a job. Files of one name take each other's place."""
    places = [_keep(library, one) for one in file]
    return begun(board.begin(library.add_vocabulary, places, name, subtree, language))


def _keep(library: Library, file: UploadFile, inside: str = FOLDER) -> Path:
    """An upload's copy in the library's folder, whole."""
    folder = library.folder / inside
    place = folder / safe_name(file.filename or "")
    with explained(folder):
        folder.mkdir(mode=0o700, exist_ok=True)
        with replacing(place) as part, part.open("xb") as copy:
            shutil.copyfileobj(file.file, copy)
            copy.flush()
            os.fsync(copy.fileno())
    return place


@router.delete("/vocabularies/{vocabulary:one}", responses=answers("What was removed.", bodies.VOCABULARY_REMOVED))
def remove_vocabulary(library: TheLibrary, vocabulary: str) -> Response:
    """Remove a vocabulary with all that is known of its concepts, and the files of it that were uploaded."""
    found = library.remove_vocabulary(vocabulary)
    for source in found.source.split(", "):
        if Path(source).parent == library.folder / FOLDER:
            Path(source).unlink(missing_ok=True)
    return said("vocabulary.remove", {"removed": encode.plain(found)})


@router.get("/concepts", responses=answers("Some concepts.", bodies.CONCEPTS))
def list_concepts(
    library: TheLibrary,
    q: Annotated[str, Query(max_length=500, description="What a name begins with", examples=["hippocamp"])] = "",
    vocabulary: Annotated[str, Query(description="Else all")] = "",
    after: Annotated[str, Query(max_length=2000, description="`next` of the list before")] = "",
    limit: Limit = 100,
    *,
    left_out: Annotated[bool, Query(description="Only by names that texts are not searched for")] = False,
) -> Response:
    """The concepts with a name that begins so, whatever its case, accents and punctuation, by name."""
    found = library.concepts(q, vocabulary, left_out=left_out, limit=limit, after=after)
    return said("vocabulary.search", encode.plain(found))


@router.get("/concepts/{concept:one}", responses=answers("What vocabularies say of it.", bodies.CONCEPT))
def get_concept(library: TheLibrary, concept: str) -> Response:
    """The concepts with an id: one, or one of each vocabulary that says something of it."""
    return said("vocabulary.show", {"concepts": encode.plain(library.concept(concept))})


class NameVerdict(Body):
    """What is said of a name: that texts are searched for it or not (null: nothing any more); of which concept."""

    name: str = Field(max_length=500, examples=["cell"])
    verdict: Literal["use", "leave"] | None = Field(examples=["leave"])
    concept: str = Field("", max_length=500, description="Its id; else whichever has the name")


@router.get("/name-rules", responses=answers("The rules.", bodies.NAME_RULES))
def list_name_rules(library: TheLibrary) -> Response:
    """What was said of names, or learnt, by name."""
    return said("vocabulary.name", {"rules": encode.plain(library.name_rules())})


@router.post("/name-rules/learn", status_code=202, responses=BEGAN)
def learn_names(
    library: TheLibrary,
    board: TheBoard,
    file: Annotated[list[UploadFile], File(description="JSON Lines, PubTator, or a table as it was sampled")],
    least: Annotated[float, Query(ge=0, le=1, description="Probability of a name; one of less is left")] = 0.5,
) -> Response:
    """Learn of gold which names to search for and which to leave; what was learnt before is replaced: a job."""
    return begun(board.begin(library.learn_names, [_keep(library, one, GOLD) for one in file], least))


@router.delete("/name-rules/learnt", responses=answers("All rules.", bodies.NAME_RULES))
def forget_learnt_names(library: TheLibrary) -> Response:
    """Take back all that was learnt of names, and the gold that was uploaded; what users said stays."""
    library.forget_learnt_names()
    shutil.rmtree(library.folder / GOLD, ignore_errors=True)
    return said("vocabulary.name", {"rules": encode.plain(library.name_rules())})


@router.post("/name-rules", responses=answers("All rules.", bodies.NAME_RULES))
def rule_name(library: TheLibrary, rule: NameVerdict) -> Response:
    """Say of a name that texts are searched for it or not, or take that back."""
    library.rule_name(rule.name, rule.verdict, rule.concept)
    return said("vocabulary.name", {"rules": encode.plain(library.name_rules())})
