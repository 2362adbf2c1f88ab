"""Jobs: what runs, what it tells, ending it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from conspectus.core.text import json_text
from conspectus.server.exchange import FAILED, REF, TheBoard, answers, described, json_response
from conspectus.session.jobs import Journal
from conspectus.wire import bodies, events

router = APIRouter(tags=["jobs"])
RETRY = 1000
"""Milliseconds after which a browser asks again when the connection is lost."""


@router.get("/jobs", responses=answers("The jobs.", bodies.JOBS))
def list_jobs(board: TheBoard) -> Response:
    """The jobs that run and the last that ended, in the order in which they were begun."""
    return json_response("jobs", {"jobs": [described(job) for job in board.jobs()]})


@router.get("/jobs/{job:one}", responses=answers("The job, and its latest event.", events.job_status()))
def get_job(board: TheBoard, job: str) -> Response:
    """A job: its state, and its last event, which has the result of one that is done."""
    known_job = board.job(job)
    last = known_job.journal.after()[-1:]
    return json_response("job", {**described(known_job), "event": events.event(last[0]) if last else None})


@router.delete("/jobs/{job:one}", status_code=202, responses=answers("It is being cancelled.", bodies.BEGUN, 202))
def cancel_job(board: TheBoard, job: str) -> Response:
    """Have a job end soon; what was stored or paid for until then stays."""
    return json_response("job", described(board.cancel(job)), 202)


_EVENT = {"$ref": REF.format(name="JobEvent")}
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events; the `data` of each is a `JobEvent`, of the last (`end`) it is empty.",
        "content": {"text/event-stream": {"itemSchema": {"properties": {"data": {"contentSchema": _EVENT}}}}},
    },
    **FAILED,
}


async def closing() -> AsyncIterator[AsyncExitStack]:
    """Closes what a stream listens to when it is over: one whose caller went while it was sent to is not resumed."""
    async with AsyncExitStack() as stack:
        yield stack


Closing = Annotated[AsyncExitStack, Depends(closing)]


@router.get("/events", response_class=EventSourceResponse, responses=_STREAM)
async def all_events(
    board: TheBoard,
    closing: Closing,
    last_event_id: Annotated[str, Header(description="The `id` of the last event that came.")] = "",
    after: Annotated[str, Query(description="The same, for who cannot send the header.")] = "",
) -> AsyncIterator[ServerSentEvent]:
    """What all jobs tell, from now on or after an event, until the server ends: server-sent events.

    The first is `jobs`, with the jobs there are, or, where what was told after an event is no longer known, `reset`
    with the same: then look at the whole again. Then come the events of all jobs, each with its `job`. `end`, which
    comes when the server ends, is the last: come back later, after the last `id`.
    """
    place = last_event_id or after
    while True:
        if not place or not board.feed.knows(place):
            kind, place = "reset" if place else "jobs", board.feed.place
            jobs = json_text({"jobs": [described(job) for job in board.jobs()]})
            yield ServerSentEvent(raw_data=jobs, event=kind, id=place, retry=RETRY)
        async for sent in await closing.enter_async_context(aclosing(board.feed.follow(place))):
            if sent is None:
                break
            place = sent.place
            yield ServerSentEvent(raw_data=sent.text, event=sent.kind, id=place)


def journal(board: TheBoard, job: str) -> Journal:
    """What a job has told; asked for before the answer begins, so that one that is not known is an error."""
    return board.job(job).journal


@router.get("/jobs/{job:one}/events", response_class=EventSourceResponse, responses=_STREAM)
async def job_events(
    journal: Annotated[Journal, Depends(journal)],
    closing: Closing,
    last_event_id: Annotated[int | None, Header(description="The number of the last event that came.")] = None,
    after: Annotated[int, Query(ge=0, description="The same, for who cannot send the header.")] = 0,
) -> AsyncIterator[ServerSentEvent]:
    """What a job tells, from its beginning or after an event, until it ends: server-sent events.

    The `id` is an event's number in the job; its `event` the kind; `data` is its JSON. `end` is the last: then close.
    """
    entries = journal.afollow(last_event_id if last_event_id is not None else after)
    async for entry in await closing.enter_async_context(aclosing(entries)):
        event: dict[str, Any] = events.event(entry)
        yield ServerSentEvent(raw_data=json_text(event), event=event["kind"], id=str(entry.seq), retry=RETRY)
    yield ServerSentEvent(raw_data="{}", event="end")
