"""What only a terminal has: `remove` asks before it removes, `audit` reads a file or standard input."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import click

from conspectus.cli.options import read_input
from conspectus.cli.state import State
from conspectus.cli.verb_commands import run_verb
from conspectus.core.disk import user_path
from conspectus.core.errors import InputError
from conspectus.core.text import pluralize
from conspectus.faces.declare import Option, Verb
from conspectus.faces.printer import is_terminal, one_line


def run_remove(
    state: State,
    verb: Verb,
    values: dict[str, Any],
    *,
    yes: Annotated[bool, Option("Do not ask for confirmation.")] = False,
) -> int:
    """Remove papers, on a terminal after a question."""
    if not yes and is_terminal(sys.stdin) and is_terminal(sys.stderr):
        with state.library() as library:
            paper_by_id = {paper.id: paper for paper in map(library.paper, values["papers"])}
        for paper in paper_by_id.values():
            click.echo(f"{paper.id}  {one_line(paper.heading)}", err=True)
        is_sure = click.confirm(f"Remove {pluralize(len(paper_by_id), 'paper')} from the library?", err=True)
        values = {"papers": tuple(paper_by_id) if is_sure else ()}
    return run_verb(state, verb, values)


def run_audit(
    state: State,
    verb: Verb,
    values: dict[str, Any],
    *,
    strict: Annotated[bool, Option("Exit with 1 if any reference is wrong or was not found.")] = False,
) -> int:
    """Check the references of a file that is there, or of standard input."""
    if values["references"] == "-":
        from conspectus.parse.references.lists import MAX_TEXT

        source: Any = read_input(MAX_TEXT) + "\n"
    else:
        source = user_path(values["references"])
        if not source.exists():
            raise InputError(f"There is no file '{source}'.", "Check its name; `-` reads standard input.")
    return run_verb(state, verb, values | {"references": source, "strict": strict})
