"""Options that several verbs share, and what is given on standard input: never more of it than can be used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from conspectus.cli.state import State
from conspectus.core.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])


def stack(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Decorator: all of these options, in this order."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def shared_options(*, after_verb: bool) -> list[click.Parameter]:
    """The options every verb knows; they may stand before the verb or after it."""
    return [
        click.Option(
            ["--library"],
            type=click.Path(file_okay=False, readable=False, path_type=Path),
            metavar="DIR",
            help="The library's folder (default: CONSPECTUS_LIBRARY, or one in your data folder).",
            expose_value=False,
            callback=_into("library_option"),
        ),
        click.Option(
            ["--set", "settings"],
            multiple=True,
            metavar="GROUP.NAME=VALUE",
            help="Change a setting for this run (`conspectus config` lists them). Repeatable.",
            expose_value=False,
            callback=_settings,
            hidden=after_verb,
        ),
        _flag("json", "Print one JSON object instead of text."),
        _flag("quiet", "Show no progress.", hidden=after_verb),
        _flag("debug", "Show the traceback of an error.", hidden=after_verb),
    ]


def _flag(name: str, text: str, *, hidden: bool = False) -> click.Option:
    return click.Option([f"--{name}"], is_flag=True, help=text, expose_value=False, callback=_into(name), hidden=hidden)


def _into(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def keep(ctx: click.Context, _: click.Parameter, value: Any) -> None:
        if value:
            setattr(ctx.ensure_object(State), name, value)

    return keep


def _settings(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> None:
    for value in values:
        key, equals, text = value.partition("=")
        if not equals:
            raise click.BadParameter(f"'{value}' is not of the form group.name=value.", ctx, param)
        ctx.ensure_object(State).flags[key.strip()] = text


quotes_option = click.option(
    "--quotes", is_flag=True, help="Show each statement with its quotes below it, instead of prose."
)
use_option = click.option(
    "--use",
    type=click.Choice(["raw", "summary", "both"]),
    help="Search papers' own passages, their summaries, or both (default: the setting search.use).",
)

graph_option = click.option(
    "--graph", is_flag=True, help="Also search by the entities that the question names and what connects them."
)


_BYTES = 4
"""Of a character in UTF-8, at most."""


def read_input(most: int) -> str:
    """All of standard input, as UTF-8.

    Raises:
        UsageError: it has more than `most` characters. What is behind them is not read.
    """
    raw = sys.stdin.buffer.read(_BYTES * most + 1)
    text = raw.decode("utf-8", "replace")
    if len(raw) > _BYTES * most or len(text) > most:
        raise UsageError(
            f"Standard input has more than {most:,} characters, which are the most that are taken.",
            "Give the part that matters, or name a file.",
        )
    return text
