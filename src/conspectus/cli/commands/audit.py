"""`audit` reads a file or standard input; as a text nothing is taken on the command line."""

from __future__ import annotations

from typing import Annotated, Any

from conspectus.cli.options import read_input
from conspectus.cli.state import State
from conspectus.cli.verb_commands import run_verb
from conspectus.core.disk import user_path
from conspectus.core.errors import InputError
from conspectus.faces.declare import Option, Verb


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
