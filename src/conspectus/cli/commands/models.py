"""What only a terminal has of `models connect`: a key is typed or read, never an argument."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import click

from conspectus.cli.options import read_input
from conspectus.cli.state import State
from conspectus.cli.verb_commands import run_verb
from conspectus.core.errors import UsageError
from conspectus.faces.declare import Option, Verb
from conspectus.library.model_connection import LONGEST_KEY
from conspectus.settings import Secret


def run_connect(
    state: State,
    verb: Verb,
    values: dict[str, Any],
    *,
    asks_key: Annotated[bool, Option("Ask for its key, or read it from standard input.", flag="key")] = False,
) -> int:
    """Connect a model, or list models."""
    return run_verb(state, verb, values, key=Secret(_read_key(values["name"] or "")) if asks_key else Secret())


def _read_key(name: str) -> str:
    """A key as it is typed, which is not shown, or as standard input gives it."""
    if sys.stdin.isatty():
        return str(click.prompt(f"Key for {name}", hide_input=True, err=True)).strip()
    if not (key := read_input(LONGEST_KEY).strip()):
        raise UsageError("No key was given.", "Write it to standard input, or leave --key out.")
    return key
