"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from conspectus.cli.remedies import typed
from conspectus.cli.state import State
from conspectus.core.errors import UsageError

if TYPE_CHECKING:
    from conspectus.records import Filters

F = TypeVar("F", bound=Callable[..., Any])

_FILTERS = ("year", "venue", "author", "keyword", "full_text", "tag", "collection")
_KINDS = "passage_kind"
_BUDGET = ("cost", "tokens", "seconds")


def stack(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Decorator: all of these options, in this order."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


class Years(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4, not before
    """Years as `years_of` reads them: the first and last year, either may be None."""

    name = "years"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A pair of years."""
        if isinstance(value, tuple):
            return value
        from conspectus.records.filters import years_of

        try:
            return years_of(value)
        except UsageError as error:
            self.fail(f"{error.message} {typed(error.hint)}", param, ctx)


def shared_options(*, after_verb: bool) -> list[click.Parameter]:
    """The options every verb knows; they may stand before the verb or after it."""
    return [
        click.Option(
            ["--library"],
            type=click.Path(file_okay=False, readable=False, path_type=Path),
            metavar="DIR",
            help="The library's folder (else CONSPECTUS_LIBRARY, else one in your data folder).",
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


def filter_options(*, kinds: bool = True, kind_option: str = "--kind") -> Callable[[F], F]:
    """Decorator: the options that `filters_of` makes `Filters` of.

    Args:
        kinds: also which kind of passage.
        kind_option: what that option is called.
    """
    choice = click.Choice(["abstract", "body", "caption", "table", "summary"])
    kind = click.option(kind_option, _KINDS, multiple=True, type=choice, help="Kind of passage. Repeatable.")
    return stack(
        click.option("--year", type=Years(), metavar="YEARS", help="2005..2015, 2010, 2005.. or ..2015."),
        click.option("--venue", multiple=True, metavar="NAME", help="Journal or conference. Repeatable: any of them."),
        click.option("--author", multiple=True, metavar="NAME", help="Family name or whole name. Repeatable."),
        click.option("--keyword", multiple=True, metavar="WORD", help="Keyword or key phrase. Repeatable."),
        click.option("--full-text/--abstract-only", default=None, help="Papers with full text only, or without."),
        click.option("--tag", multiple=True, metavar="NAME", help="Papers with this tag. Repeatable: any of them."),
        click.option("--collection", multiple=True, metavar="NAME", help="Papers in this collection. Repeatable."),
        *([kind] if kinds else []),
    )


def filters_of(chosen: dict[str, Any]) -> Filters:
    """The filters that the options of `filter_options` mean; these are taken out of `chosen`."""
    from conspectus.records import Filters

    found = {name: chosen.pop(name) for name in (*_FILTERS, _KINDS) if name in chosen}
    return Filters(**{"kind" if name == _KINDS else name: value for name, value in found.items()})


quotes_option = click.option(
    "--quotes", is_flag=True, help="Show each statement with its quotes below it, instead of prose."
)
use_option = click.option(
    "--use",
    type=click.Choice(["raw", "summary", "both"]),
    help="Search papers' own passages, what `summarise` made of them, or both (else the setting search.use).",
)

count_option = click.option(
    "-k", "--k", type=click.IntRange(1, 1_000_000), metavar="N", help="How many papers (else the setting search.k)."
)


budget_options = stack(
    click.option(
        "--max-cost", type=click.FloatRange(min=0), metavar="USD", help="Stop at this cost and keep what is done."
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(min=0),
        metavar="N",
        help="Stop at this number of tokens, of prompts and replies together.",
    ),
    click.option("--max-seconds", type=click.FloatRange(min=0), metavar="S", help="Stop after this many seconds."),
)
"""What one answer may take, for `budgeted`."""


def budgeted(state: State, chosen: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, without those of `budget_options`, which are settings for this run."""
    limits = {name: chosen.pop(f"max_{name}") for name in _BUDGET}
    state.flags |= {f"budget.{name}": str(limit) for name, limit in limits.items() if limit is not None}
    return {name: value for name, value in chosen.items() if value is not None}


graph_option = click.option(
    "--graph", is_flag=True, help="Search also by the entities that the question names and what connects them."
)
_WEIGHTS = click.Choice(["keywords", "recency", "citations"])
ranking_options = stack(
    click.option(
        "--weight", "weights", multiple=True, type=_WEIGHTS, help="Give papers a slight preference by this. Repeatable."
    ),
    click.option("--prefer", multiple=True, metavar="WORD", help="Prefer papers with this keyword. Repeatable."),
    click.option(
        "--weighting",
        type=click.Choice(["additive", "published"]),
        help="How weights are applied: added (the default), or as pathfinder published them.",
    ),
    click.option(
        "--expand",
        type=click.Choice(["feedback", "hyde", "rephrase"]),
        help="Search also by the best passages found, or by texts that a language model writes.",
    ),
    graph_option,
    click.option(
        "--mmr", type=click.FloatRange(0, 1), metavar="LAMBDA", help="Below 1: prefer papers unlike those above."
    ),
    click.option("--auto", is_flag=True, help="Use the settings that suit the kind of question."),
    click.option("--outliers", is_flag=True, help="Say which papers are far from the others found."),
)
"""How papers are ranked, for `preferred`."""


def ranking_of(chosen: dict[str, Any], **others: Any) -> list[str]:
    """Those options of `ranking_options`, and of `others`, that were given, as they are written."""
    names = ("weights", "prefer", "weighting", "expand", "mmr", "graph", "auto", "outliers")
    given = {name: chosen[name] for name in names} | others
    return [
        f"--{'weight' if name == 'weights' else name}"
        for name, value in given.items()
        if value is not None and value is not False and value != ()
    ]


def preferred(state: State, chosen: dict[str, Any]) -> tuple[str, ...]:
    """The keywords of `--prefer`; the other options of `ranking_options` become settings for this run."""
    on = (*chosen.pop("weights"), *(["outliers"] if chosen.pop("outliers") else []))
    state.flags |= {f"search.{name}": "true" for name in on}
    given = {name: chosen.pop(name) for name in ("weighting", "expand", "mmr")}
    given["graph"] = "subgraph" if chosen.pop("graph") else None
    state.flags |= {f"search.{name}": str(value) for name, value in given.items() if value is not None}
    return tuple(chosen.pop("prefer"))
