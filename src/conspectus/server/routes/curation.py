"""What users keep about papers and answers: tags, collections, notes, edited fields, feedback."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from conspectus.server.exchange import TheLibrary, answers, file, json_response
from conspectus.wire import bodies, encode

router = APIRouter(tags=["curation"])


@router.get(
    "/papers/{paper:name}/kept", responses=answers("Its tags, collections, notes and edited fields.", bodies.KEPT)
)
def get_user_data(library: TheLibrary, paper: str) -> Response:
    """All that users keep about a paper."""
    known = library.paper(paper)
    kept = {"notes": library.collections.notes(known.id), "edits": library.edits(known.id)}
    return json_response(
        "kept", {"tags": list(known.tags), "collections": list(known.collections), **encode.plain(kept)}
    )


_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}


@router.get("/feedback/export", response_class=Response, responses=file("The file.", *_TYPES.values()))
def export_feedback(
    library: TheLibrary, to: Annotated[Literal["csv", "jsonl"], Query(alias="format")] = "csv"
) -> Response:
    """All feedback on answers, each entry with the words that it is about, as a file."""
    text = library.answers.export_feedback(to=to).text
    headers = {"content-disposition": f'attachment; filename="feedback.{to}"'}
    return Response(text, headers=headers, media_type=_TYPES[to])
