"""Asking: answers, consensus and summaries as jobs; answers and conversations as files."""

from __future__ import annotations

import io
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field, create_model
from starlette.responses import Response

from conspectus.faces.declare import arguments, parameters
from conspectus.faces.filters import make_question_filters
from conspectus.records import AskOptions, Filters, Use
from conspectus.server import access
from conspectus.server.exchange import (
    BEGAN,
    After,
    Limit,
    RequestBody,
    TheBoard,
    TheLibrary,
    accepted,
    answers,
    file,
    json_response,
    paged,
)
from conspectus.server.verb_routes import body_fields
from conspectus.services.pool import check_online
from conspectus.wire import bodies

router = APIRouter(tags=["answers"])
TYPES = {
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "bib": "application/x-bibtex; charset=utf-8",
    "ris": "application/x-research-info-systems; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
}
To = Annotated[Literal["md", "html", "json", "bib", "ris", "csv"], Query(alias="format")]


class Asking(RequestBody):
    """A question, which papers it is asked of, and how it is to be answered; as the options of `conspectus ask`."""

    question: str = Field(min_length=1, examples=["Do grid cells depend on the theta rhythm?"])
    model: str = Field("", description="of every role; `none`: quotes only; else as the settings say")
    use: Use | Literal[""] = Field("", description="Papers' own passages, summaries, or both")
    cache: bool = Field(True, description="false: the model is asked also what it has answered before")

    def filters(self) -> Filters:
        """Which papers."""
        values = {name: getattr(self, name) for name in self.model_fields_set}
        return make_question_filters(**arguments(make_question_filters, "http", values))


_USUAL = get_type_hints(AskOptions)
_OPTIONS: dict[str, Any] = {field.name: (_USUAL[field.name], field.default) for field in fields(AskOptions)}
if TYPE_CHECKING:
    Question = Asking
else:
    Question = create_model(
        "Question",
        __base__=Asking,
        __doc__="A question, and the options of an answer.",
        **body_fields(parameters(make_question_filters, "http")),
        **_OPTIONS,
    )


def _options(request: BaseModel) -> Any:
    """The options of an answer that a request names; what it does not say is left to the library."""
    return {name: value for name, value in request if name in _OPTIONS and name in request.model_fields_set}


@router.post("/ask", status_code=202, responses=BEGAN)
def ask(library: TheLibrary, board: TheBoard, asked: Question) -> Response:
    """Answer a question with cited and checked statements, or explain why there is no answer: a job."""
    access.check(library, asked)
    if getattr(asked, "online", None):  # whoever runs the server allows it, not who asks
        check_online(library.settings.sources, None)
    return accepted(board.begin(library.ask, asked.question, asked.filters(), **_options(asked)))


@router.get("/summaries", responses=answers("A page of the papers that have summaries.", bodies.WITH_SUMMARIES))
def list_summarised(
    library: TheLibrary,
    after: After = "",
    limit: Limit = 100,
) -> Response:
    """The papers that have summaries, in the order they were added, by pages as `GET /papers`."""
    return json_response("summaries", paged(library.summarised(after=after), limit))


@router.get("/answers/{name:one}/export", response_class=Response, responses=file("The file.", *TYPES.values()))
def export_answer(library: TheLibrary, name: str, to: To = "md", *, pictures: bool = True) -> Response:
    """An answer as a file; `html` is a page that needs nothing else; `bib`, `ris` and `csv` are the papers it cites."""
    text = io.StringIO()
    answer = library.export_answer(name, to, text, pictures=pictures and to == "html")
    return as_file(text.getvalue(), f"{answer.id}.{to}", to)


def as_file(text: str, name: str, to: str) -> Response:
    """A text to be saved, never shown as a page of this server."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, headers=headers, media_type=TYPES[to])


@router.get("/conversations/{name:one}/export", response_class=Response, responses=file("The file.", *TYPES.values()))
def export_conversation(library: TheLibrary, name: str, to: To = "md", *, pictures: bool = True) -> Response:
    """A conversation as a file, as an answer is."""
    text = io.StringIO()
    conversation = library.export_conversation(name, to, text, pictures=pictures and to == "html")
    return as_file(text.getvalue(), f"{conversation.conversation.id}.{to}", to)
