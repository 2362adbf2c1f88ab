"""How well the library is searched: measuring it as a job, what was measured, before and after."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from conspectus.core.errors import NotFoundError
from conspectus.evaluation import (
    QuestionOptions,
    Result,
    ResultStore,
    compare,
    lowest,
    measure_graph,
    measure_self,
    select_configurations,
    work_folder,
)
from conspectus.evaluation.records import ResultComparison, ResultHead, ScoredQuestion
from conspectus.evaluation.results import head_of
from conspectus.library import Library
from conspectus.server.exchange import (
    BEGAN,
    RequestBody,
    TheBoard,
    TheLibrary,
    accepted,
    answers,
    json_response,
    register_job_results,
)
from conspectus.wire import bodies, encode
from conspectus.wire.shapes import list_of, shape

router = APIRouter(tags=["evaluation"])
RUN = shape(ResultHead, title="EvaluationRun")
_NAMES = tuple(field.name for field in fields(Result) if field.name != "questions")
_RUNS = bodies.envelope("EvaluationRuns", "eval.show", results=list_of(RUN))
_RUN = bodies.envelope(
    "EvaluationResult", "eval.show", result=shape(Result, _NAMES, title="Evaluation"), failures=list_of(ScoredQuestion)
)
_COMPARED = bodies.envelope("EvaluationCompared", "eval.diff", first=RUN, second=RUN, comparison=ResultComparison)
register_job_results(RUN, list_of(RUN))
ID = Annotated[str, Query(max_length=40, examples=["ev-1a2b3c4d"])]


class Measuring(RequestBody):
    """How the library is to be measured: questions are made of its own papers, and nobody judges."""

    questions: int = Field(50, ge=1, le=1000, description="Of each kind, at most", examples=[50])
    by: Literal["words", "model", "both", ""] = Field("words", description="By rule, by a language model, or both")
    configurations: list[str] = Field(["default"], max_length=20, description="By their names", examples=[["default"]])
    seed: int = 0
    multi_entity: bool = Field(False, description="Also of entities that no sentence joins")
    graph: bool = Field(
        False, description="Without and with the graph, not by configurations; kept for `search.graph=auto`"
    )


@router.post("/eval/self", status_code=202, responses=BEGAN)
def evaluate(library: TheLibrary, board: TheBoard, asked: Measuring) -> Response:
    """Measure the search of the library with questions made of its papers: a job, each of whose parts is a result."""
    making = QuestionOptions(asked.questions, asked.by, multi_entity=asked.multi_entity)
    if asked.graph:
        return accepted(board.begin(measure_graph, library, _store(), making, asked.seed))
    return accepted(
        board.begin(measure_self, library, _store(), select_configurations(asked.configurations), making, asked.seed)
    )


@router.get("/eval/runs", responses=answers("The results, the newest first.", _RUNS))
def list_runs(library: TheLibrary) -> Response:
    """What was measured of this library, the newest first; also what the command line measured."""
    return json_response("eval.show", {"results": encode.plain(_runs(library))})


@router.get("/eval/runs/{name:one}", responses=answers("The result.", _RUN))
def get_run(library: TheLibrary, name: str, failures: Annotated[int, Query(ge=0, le=1000)] = 20) -> Response:
    """A result, with the settings as they were then and the questions with the lowest score."""
    run = _run(library, name)
    result = {name: value for name, value in encode.plain(run).items() if name in _NAMES}
    return json_response("eval.show", {"result": result, "failures": encode.plain(lowest(run, failures))})


@router.get("/eval/compare", responses=answers("What differs.", _COMPARED))
def compare_runs(library: TheLibrary, first: ID, second: ID) -> Response:
    """A result held against another, question by question; `warnings` say what keeps them from being compared."""
    base, other = _run(library, first), _run(library, second)
    body = encode.plain({"first": head_of(base), "second": head_of(other), "comparison": compare(base, other)})
    return json_response("eval.diff", body)


def _store() -> ResultStore:
    return ResultStore(work_folder() / "results")


def _runs(library: Library) -> list[ResultHead]:
    """Those of this library: others are none of who asks here."""
    folder = str(library.folder)
    return [head for head in _store().heads() if head.kind == "self" and head.library and head.library.folder == folder]


def _run(library: Library, name: str) -> Result:
    if name not in {head.id for head in _runs(library)}:
        raise NotFoundError(f"There is no result '{name}' of this library.", "`GET /eval/runs` lists them.")
    return _store().get(name)
