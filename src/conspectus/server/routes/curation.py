"""What users keep about papers and answers: tags, collections, notes, edited fields, feedback."""

from __future__ import annotations

import io
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field, StrictInt
from starlette.responses import Response

from conspectus.records.curation import LONGEST_NAME, LONGEST_NOTE, Judgement
from conspectus.server.exchange import GONE, Body, TheLibrary, answers, file, said
from conspectus.wire import bodies, encode

router = APIRouter(tags=["curation"])
Name = Annotated[str, Field(max_length=10 * LONGEST_NAME)]
Text = Annotated[str, Field(max_length=10 * LONGEST_NOTE, description="Markdown")]
Papers = Annotated[list[str], Field(max_length=10_000)]
_TAGS = answers("All tags with the numbers of their papers.", bodies.TAGS)
_NOTE = answers("The note.", bodies.NOTE)


class Tagging(Body):
    """Papers, by any names, and the tags that are put on them or taken off."""

    papers: Papers = Field(examples=[["10.1000/p.0"]])
    add: list[Name] = Field([], examples=[["to read"]])
    remove: list[Name] = Field([])


class Collecting(Body):
    """The name of a collection, and papers, by any names, that are put into it."""

    name: Name = Field(examples=["Grid cells"])
    papers: Papers = Field([])


class CollectionChange(Body):
    """What is otherwise about a collection: its name, papers put in, papers taken out."""

    name: Name | None = Field(None, examples=["Place cells"])
    add: Papers = Field([])
    remove: Papers = Field([])


class NoteText(Body):
    """What a note says."""

    text: Text = Field(examples=["Compare with **Hafting 2005**."])


class NewNote(NoteText):
    """A note, and the paper, by any name, that it is about."""

    paper: str = Field(examples=["10.1000/p.0"])


class Editing(Body):
    """Fields of a paper's metadata that are written by hand, and fields that are to be as its files say again."""

    set: dict[str, str | StrictInt | list[str] | None] = Field(
        {}, examples=[{"title": "Grid cells", "year": 2005, "authors": ["Hafting, Torkel"]}]
    )
    revert: list[str] = Field([])


class Judging(Body):
    """What is thought of an answer, or of one of its statements; null takes back, what is left out stays as it was."""

    verdict: Judgement | None = Field(None, examples=["up"])
    comment: str | None = Field(None, max_length=10 * LONGEST_NOTE)
    statement: int = Field(0, ge=0, le=10**6, description="Its number, from 1; 0: the whole answer")


@router.get("/tags", responses=_TAGS)
def list_tags(library: TheLibrary) -> Response:
    """All tags with the numbers of their papers."""
    return said("collections.tags", {"tags": encode.plain(library.tags())})


@router.post("/tags", responses=_TAGS)
def tag_papers(library: TheLibrary, asked: Tagging) -> Response:
    """Put tags on papers and take some off, all or none; a tag that no paper has any more is gone."""
    return said("collections.tags", {"tags": encode.plain(library.change_tags(asked.papers, asked.add, asked.remove))})


@router.delete("/tags", status_code=204, responses=GONE)
def remove_tag(library: TheLibrary, name: Annotated[str, Query(max_length=10 * LONGEST_NAME)]) -> None:
    """Take a tag off all papers."""
    library.untag(name)


@router.get("/collections", responses=answers("All collections.", bodies.COLLECTIONS))
def list_collections(library: TheLibrary) -> Response:
    """All collections with the numbers of their papers; filters take their names and their ids."""
    return said("collections.list", {"collections": encode.plain(library.collections())})


@router.post("/collections", status_code=201, responses=answers("The collection.", bodies.COLLECTION, 201))
def make_collection(library: TheLibrary, asked: Collecting) -> Response:
    """Make a collection, or put papers into the one of this name."""
    return said("collections.add", {"collection": encode.plain(library.collect(asked.name, asked.papers))}, 201)


@router.patch("/collections/{name:one}", responses=answers("The collection.", bodies.COLLECTION))
def change_collection(library: TheLibrary, name: str, change: CollectionChange) -> Response:
    """Put papers into a collection, by its id or name, take papers out, give it another name; all or nothing."""
    found = library.change_collection(name, change.name, change.add, change.remove)
    return said("collections.add", {"collection": encode.plain(found)})


@router.delete("/collections/{name:one}", status_code=204, responses=GONE)
def remove_collection(library: TheLibrary, name: str) -> None:
    """Delete a collection, by its id or name; its papers stay."""
    library.remove_collection(name)


@router.get("/notes", responses=answers("Notes.", bodies.NOTES))
def list_notes(library: TheLibrary, paper: str = "") -> Response:
    """The notes about a paper, or all, in the order in which they were written."""
    return said("collections.notes", {"notes": encode.plain(library.notes(paper))})


@router.post("/notes", status_code=201, responses=answers("The note.", bodies.NOTE, 201))
def add_note(library: TheLibrary, asked: NewNote) -> Response:
    """Keep a note about a paper."""
    return said("collections.note", {"note": encode.plain(library.note(asked.paper, asked.text))}, 201)


@router.patch("/notes/{name:one}", responses=_NOTE)
def edit_note(library: TheLibrary, name: str, asked: NoteText) -> Response:
    """Give a note another text."""
    return said("collections.note", {"note": encode.plain(library.edit_note(name, asked.text))})


@router.delete("/notes/{name:one}", status_code=204, responses=GONE)
def remove_note(library: TheLibrary, name: str) -> None:
    """Delete a note."""
    library.remove_note(name)


@router.get(
    "/papers/{name:name}/kept", responses=answers("Its tags, collections, notes and edited fields.", bodies.KEPT)
)
def get_kept(library: TheLibrary, name: str) -> Response:
    """All that users keep about a paper."""
    paper = library.paper(name)
    found = {"notes": library.notes(paper.id), "edits": library.edits(paper.id)}
    return said("kept", {"tags": list(paper.tags), "collections": list(paper.collections), **encode.plain(found)})


@router.patch("/papers/{name:name}", responses=answers("The paper, and what was written by hand.", bodies.EDITED))
def edit_paper(library: TheLibrary, name: str, asked: Editing) -> Response:
    """Write fields of a paper's metadata by hand, or revert them; search, filters and exports follow."""
    paper = library.edit(name, asked.set, asked.revert)
    return said("papers.edit", {"paper": encode.brief(paper), "edits": encode.plain(library.edits(paper.id))})


@router.get("/removals", responses=answers("What can be undone.", bodies.REMOVALS))
def list_removals(library: TheLibrary) -> Response:
    """Papers removed since the server began, the newest first."""
    return said("removals", {"removals": encode.plain(library.removals())})


@router.post("/removals/{name:one}/undo", responses=answers("The paper.", bodies.UNDONE))
def undo_removal(library: TheLibrary, name: str) -> Response:
    """Bring a removed paper back as it was, by the removal's id or the paper's, or `last`."""
    return said("undo", {"paper": encode.brief(library.undo_remove(name))})


@router.get("/feedback", responses=answers("What was said of answers.", bodies.FEEDBACK))
def list_feedback(library: TheLibrary, answer: str = "") -> Response:
    """What users said of an answer, or of all that are kept."""
    return said("answers.feedback", {"feedback": encode.plain(library.feedback(answer))})


_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}


@router.get("/feedback/export", response_class=Response, responses=file("The file.", *_TYPES.values()))
def export_feedback(
    library: TheLibrary, to: Annotated[Literal["csv", "jsonl"], Query(alias="format")] = "csv"
) -> Response:
    """All that users said of answers, each with the words that it is about, as a file."""
    text = io.StringIO(newline="")
    library.export_feedback(to, text)
    headers = {"content-disposition": f'attachment; filename="feedback.{to}"'}
    return Response(text.getvalue(), headers=headers, media_type=_TYPES[to])


@router.post("/answers/{name:one}/feedback", responses=answers("What is said of the answer.", bodies.FEEDBACK))
def judge_answer(library: TheLibrary, name: str, asked: Judging) -> Response:
    """Say what you think of an answer, or of one of its statements."""
    given: dict[str, Any] = {one: value or "" for one, value in asked if one in asked.model_fields_set - {"statement"}}
    found = library.judge(name, statement=asked.statement, **given)
    return said("answers.feedback", {"feedback": encode.plain(found)})
