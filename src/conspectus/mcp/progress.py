"""Progress of a job, as the protocol reports it."""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar

from mcp.server.mcpserver import Context

from conspectus.records.events import Notice, Reading, StanceJudged, StatementChecked
from conspectus.records.jobs import JobEvent, Progress
from conspectus.session.jobs import Job

T = TypeVar("T")


async def follow(job: Job[T], ctx: Context[Any, Any]) -> T:
    """A job's result. Its events are reported as progress; a caller that gives up cancels it."""
    try:
        reported = 0
        async for event in job.aevents():
            if line := _progress_line(event):
                reported += 1
                await ctx.report_progress(reported, None, line)
        return await job
    except asyncio.CancelledError:
        job.cancel()
        raise


def _progress_line(event: JobEvent) -> str:
    """An event in a line; "" if it says nothing about progress."""
    match event:
        case Reading():
            return f"read {event.done} of {event.total} passages"
        case Progress():
            return f"{event.stage} {event.done / event.total:.0%}" if event.total else event.stage
        case StatementChecked():
            return event.statement.text
        case StanceJudged():
            return f"{event.stance.stance}: {event.stance.label}"
        case Notice():
            return event.text
        case _:
            return ""
