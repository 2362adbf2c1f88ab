"""What only a terminal has of `add`: it can go on as files change, and read with a cluster."""

from __future__ import annotations

from typing import Annotated, Any

from conspectus.cli.interrupts import is_terminated
from conspectus.cli.progress import showing, step_back
from conspectus.cli.state import State
from conspectus.cli.verb_commands import run_verb, tell_result
from conspectus.faces.declare import Option, Verb


def run_add(
    state: State,
    verb: Verb,
    values: dict[str, Any],
    *,
    watch: Annotated[bool, Option("Keep running and add changes as they happen; stop with Ctrl-C.")] = False,
    cluster: Annotated[
        str | None,
        Option(
            "Read with workers of a Dask scheduler: tcp://HOST:8786 (default: parse.cluster).",
            metavar="ADDRESS",
        ),
    ] = None,
) -> int:
    """Add files, once or until Ctrl-C."""
    if cluster is not None:
        state.flags["parse.cluster"] = cluster
    if not watch:
        return run_verb(state, verb, values)
    step_back()
    first = True
    try:
        with showing(state) as pause, state.library(create=True) as library:
            for report in library.watch(values["paths"]):
                pause()
                if first or report.added or report.updated or report.failed or report.duplicates:
                    tell_result(state, verb, report, values)
                if first and not state.json:
                    state.out.line("Watching; Ctrl-C ends it.")
                first = False
    except KeyboardInterrupt:
        if first or is_terminated():
            raise
    return 0
