"""Asking: answers, consensus and summaries as jobs; what was asked; conversations."""

from __future__ import annotations

import io
from dataclasses import fields
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from conspectus.records import Filters
from conspectus.records.answering import AnswerKind, AskOptions, Depth
from conspectus.records.filters import years_of
from conspectus.server.exchange import (
    BEGAN,
    TheBoard,
    TheLibrary,
    answers,
    array,
    begun,
    obj,
    said,
    schema_of,
)
from conspectus.wire import encode, shapes

router = APIRouter(tags=["answers"])
TYPES = {
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "bib": "application/x-bibtex; charset=utf-8",
}
To = Annotated[Literal["md", "html", "json", "bib"], Query(alias="format")]


class Asking(BaseModel):
    """A question, which papers it is asked of, and how it is to be answered; as the options of `conspectus ask`."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(examples=["Do grid cells depend on the theta rhythm?"])
    year: str = Field("", description="`2005..2015`, `2010`, `2005..` or `..2015`")
    venue: tuple[str, ...] = ()
    author: tuple[str, ...] = ()
    keyword: tuple[str, ...] = ()
    full_text: bool | None = None
    model: str = ""
    use: Literal["", "raw", "summary", "both"] = ""
    cache: bool = True

    def filters(self) -> Filters:
        """Which papers."""
        years = years_of(self.year) if self.year else None
        return Filters(years, self.venue, self.author, self.keyword, full_text=self.full_text)


class Question(Asking):
    """`Asking` for `POST /ask`."""

    kind: AnswerKind = "multi"
    level: str = ""
    language: str = Field("", description="of the answer: a name or a code; else that of the question")
    depth: Depth = "standard"
    agent: bool = False
    strict: bool = False
    background: bool = False
    second_opinion: str = ""
    conversation: str = ""
    auto: bool = False

    def options(self) -> Any:
        """What `Library.ask` is given besides; what is as usual is left to it."""
        usual = AskOptions()
        given = {field.name: getattr(self, field.name) for field in fields(AskOptions)}
        return {name: value for name, value in given.items() if value != getattr(usual, name)}


class Agreement(Asking):
    """`Asking` for `POST /consensus`."""

    k: int | None = Field(None, ge=1, le=200)
    claim: str = ""


@router.post("/ask", status_code=202, responses=BEGAN)
def ask(library: TheLibrary, board: TheBoard, asked: Question) -> Response:
    """Answer a question with statements, each cited and checked, or say why not: a job."""
    return begun(board.begin(library.ask, asked.question, asked.filters(), **asked.options()))


@router.post("/consensus", status_code=202, responses=BEGAN)
def consensus(library: TheLibrary, board: TheBoard, asked: Agreement) -> Response:
    """How far the papers found agree with what is asked: a job."""
    return begun(
        board.begin(
            library.consensus,
            asked.question,
            asked.k,
            asked.filters(),
            claim=asked.claim,
            model=asked.model,
            use=asked.use,
            cache=asked.cache,
        )
    )


@router.post("/summaries", status_code=202, responses=BEGAN)
def summarise(
    library: TheLibrary,
    board: TheBoard,
    papers: Annotated[list[str], Body(embed=True)],
    model: Annotated[str, Body()] = "",
) -> Response:
    """Have a language model write summary passages of papers: a job."""
    return begun(board.begin(library.summarise, papers, model=model))


_ROW = answers("The answers that are kept.", obj(answers=array({"type": "object"})))
_ANSWER = answers("The answer.", schema_of(shapes.ANSWER))


@router.get("/answers", responses=_ROW)
def listed(library: TheLibrary, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> Response:
    """The answers that the library keeps, the newest first."""
    return said("answers", {"answers": encode.plain(library.answers(limit))})


@router.get("/answers/{name}", responses=_ANSWER)
def answer(library: TheLibrary, name: str) -> Response:
    """An answer, its quotes copied from the library as it is now."""
    return said("ask", encode.answer(library.answer(name)))


@router.delete("/answers/{name}", status_code=204)
def remove_answer(library: TheLibrary, name: str) -> None:
    """Remove an answer."""
    library.remove_answer(name)


@router.post("/answers/{name}/rerun", status_code=202, responses=BEGAN)
def rerun(library: TheLibrary, board: TheBoard, name: str) -> Response:
    """Ask again what was asked, and say what has changed: a job."""
    job = board.begin(library.rerun, name)
    return begun(job)


@router.get("/answers/{name}/export", response_class=Response)
def export_answer(library: TheLibrary, name: str, to: To = "md", *, pictures: bool = True) -> Response:
    """An answer as a file; `html` is a page that needs nothing else."""
    text = io.StringIO()
    found = library.export_answer(name, to, text, pictures=pictures and to == "html")
    return as_file(text.getvalue(), f"{found.id}.{to}", to)


def as_file(text: str, name: str, to: str) -> Response:
    """A text to be saved, never shown as a page of this server."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, headers=headers, media_type=TYPES[to])


@router.get("/conversations", responses=answers("The conversations that are kept."))
def conversations(library: TheLibrary, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> Response:
    """The conversations, those first that went on last."""
    return said("conversations", {"conversations": encode.plain(library.conversations(limit))})


@router.post("/conversations", status_code=201, responses=answers("Its id.", obj(id={"type": "string"}), 201))
def converse(library: TheLibrary, title: Annotated[str, Body(embed=True, max_length=500)] = "") -> Response:
    """Begin a conversation: `POST /ask` with its id goes on with it."""
    return said("conversations", {"id": library.converse(title)}, 201)


@router.get("/conversations/{name}", responses=answers("The conversation with its answers."))
def conversation(library: TheLibrary, name: str) -> Response:
    """A conversation with its answers."""
    return said("conversations", {"conversation": encode.conversation(library.conversation(name))})


@router.patch("/conversations/{name}", responses=answers("The conversation."))
def rename(library: TheLibrary, name: str, title: Annotated[str, Body(embed=True, max_length=500)]) -> Response:
    """Give a conversation another title."""
    return said("conversations", {"renamed": encode.plain(library.rename_conversation(name, title))})


@router.delete("/conversations/{name}", status_code=204)
def remove_conversation(library: TheLibrary, name: str) -> None:
    """Remove a conversation with all its answers."""
    library.remove_conversation(name)
