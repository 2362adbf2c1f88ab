"""What jobs tell as JSON, each event with its job, its number and its kind: a stream can be resumed after a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import cache, reduce
from operator import or_
from typing import Any

from conspectus.core.disk import is_full
from conspectus.core.errors import ConspectusError, DiskFullError
from conspectus.records import events
from conspectus.records.events import (
    Cancelled,
    Failed,
    Filed,
    Finished,
    JobEvent,
    JobLogEntry,
    PartialResult,
    Progress,
    RelayedEntry,
    Reset,
    Started,
)
from conspectus.wire import bodies, encode, shapes
from conspectus.wire.shapes import encoded, shape


@dataclass(frozen=True, slots=True)
class Problem:
    """An error: `type` is its class, `hint` the remedy; whether the same call may succeed later, HTTP and exit code."""

    type: str
    message: str
    hint: str = ""
    retry: bool = False
    status: int = 500
    exit_code: int = 1


def problem(error: BaseException) -> Problem:
    """An error as it is told; of one that should not be there no more than that: its text can hold anything.

    Whoever tells it so logs what it was.
    """
    if isinstance(error, OSError) and is_full(error):
        error = DiskFullError("A disk of the server is full.", "Make room there, then try again.")
    if isinstance(error, ConspectusError):
        kind = type(error).__name__
        return Problem(kind, error.message, error.hint, error.retry, error.status, error.exit_code)
    return Problem("UnexpectedError", "Something went wrong that should not have.", "The server's output says what.")


_PLACE: dict[str, Any] = {"job": str, "seq": int, "at": str}
_KINDS: dict[type, tuple[str, dict[str, Any]]] = {
    Started: ("started", {}),
    Progress: ("progress", {}),
    events.Notice: ("note", {}),
    Filed: ("file", {}),
    events.Searching: ("searching", {}),
    events.PassagesFound: ("found", {}),
    events.Reading: ("reading", {}),
    events.EvidenceGathered: ("evidence", {"evidence": shapes.EVIDENCE}),
    events.Acted: ("step", {}),
    events.Text: ("text", {}),
    events.Cited: ("citation", {"citation": shapes.CITATION}),
    events.StatementChecked: ("statement", {"statement": shapes.STATEMENT}),
    events.Done: ("answer", {"answer": shapes.ANSWER}),
    events.Claimed: ("claim", {}),
    events.StanceJudged: ("stance", {"stance": shapes.STANCE}),
    events.Concluded: ("consensus", {"consensus": shapes.CONSENSUS}),
    PartialResult: ("part", {"part": Any}),
    Finished: ("done", {"result": Any}),
    Failed: ("failed", {"error": Problem}),
    Cancelled: ("cancelled", {}),
    Reset: ("reset", {}),
}
"""Event -> its kind, and what of it is in JSON otherwise than the record is."""


@cache
def _types() -> Mapping[type, Any]:
    """Event -> its type in JSON."""
    return {
        event: shape(event, (*_PLACE, *(field.name for field in fields(event))), kind=kind, **_PLACE, **field_types)
        for event, (kind, field_types) in _KINDS.items()
    }


def event(entry: JobLogEntry) -> dict[str, Any]:
    """An event with its `kind`, the id of its `job`, its number `seq` there, and `at`, the time (ISO 8601, UTC)."""
    if isinstance(entry, RelayedEntry):
        return dict(entry.body)
    job_event: JobEvent = entry.event
    values = {field.name: getattr(job_event, field.name) for field in fields(job_event)}
    if isinstance(job_event, PartialResult | Finished):
        values = {name: encode.body(value) for name, value in values.items()}
    elif isinstance(job_event, Failed):
        values["error"] = problem(job_event.error)
    at = datetime.fromtimestamp(entry.at, UTC).isoformat(timespec="milliseconds")
    record: dict[str, Any] = encoded(
        {"job": entry.job, "seq": entry.seq, "at": at, **values}, _types()[type(job_event)]
    )
    return record


@cache
def job_status() -> Any:
    """The type of a job with what it told last."""
    return bodies.envelope("JobStatus", "job", bodies.JOB, event=reduce(or_, _types().values()) | None)


def components(types: Iterable[Any], ref_template: str, result_types: Sequence[Any] = ()) -> dict[str, dict[str, Any]]:
    """The schemas of types and of all that stands in them, by names; `JobEvent` is what `event` returns.

    `result_types`: what jobs give in the end, or on the way, beside `bodies.RESULTS`.
    """
    every = tuple(dict.fromkeys((*bodies.RESULTS, *result_types)))
    schemas, parts = shapes.components([*every, *types, reduce(or_, _types().values())], ref_template)
    results = {"anyOf": list(schemas[: len(every)])}
    parts["Finished"]["properties"]["result"] = results
    parts["PartialResult"]["properties"]["part"] = results
    parts["JobEvent"] = schemas[-1]
    if "JobStatus" in parts:
        last = [{"$ref": ref_template.format(name="JobEvent")}, {"type": "null"}]
        parts["JobStatus"]["properties"]["event"] = {"anyOf": last}
    return parts


def schema(ref_template: str = "#/$defs/{name}") -> dict[str, Any]:
    """The JSON Schema of what `event` returns, and of all that stands in it (`$defs`)."""
    parts = components([], ref_template)
    return {**parts.pop("JobEvent"), "$defs": parts}
