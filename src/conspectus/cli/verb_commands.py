"""Commands made from declared verbs: options and arguments from the parameters, help from the docstrings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

import click

from conspectus.cli.app import VerbCommand as Command
from conspectus.cli.failure import typed
from conspectus.cli.options import read_input
from conspectus.cli.overview import RUNNERS
from conspectus.cli.progress import showing, step_back
from conspectus.cli.state import State
from conspectus.core.bounds import BOUNDS
from conspectus.core.errors import UsageError
from conspectus.faces.declare import (
    REQUIRED,
    Option,
    Parameter,
    Verb,
    VerbGroup,
    arguments,
    keyword_values,
    parameters,
    verbs_of,
    view_options,
)
from conspectus.faces.filters import make_budget
from conspectus.faces.results import body_of, call, find_view, show_result

_EXCLUDED = re.compile(r"-(?:[^\W\d_]|[\"“„(]).+", re.S)
F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
_SHORT = 2
"""Letters of an option such as `-k`."""
_DASH = "\ue000"
"""Stands for the dash of an excluded word while click looks for options."""


def make_command(verb: Verb, group: type[VerbGroup] | None = None) -> click.Command:
    """The command of a declared verb, with the flags of its group that call another verb instead."""
    verb_parameters = parameters(verb.function, "cli")
    view = find_view(verb)
    view_parameters = (
        [
            parameter
            for parameter in view_options(view)
            if all(parameter.name != other.name for other in verb_parameters)
        ]
        if view
        else []
    )
    others = {other.name: other for other in verbs_of(group) if other.flag_of == verb.full_name} if group else {}
    run = find_own_run(verb)
    run_parameters = view_options(run) if run else []
    params = [_click_parameter(parameter) for parameter in (*verb_parameters, *run_parameters, *view_parameters)]
    if others:
        for param in params:
            param.required = False  # the other verb may do without
    params += [click.Option([f"--{name}"], is_flag=True, help=other.summary) for name, other in others.items()]
    return (_WordsCommand if any(parameter.option.words for parameter in verb_parameters) else Command)(
        verb.name,
        callback=click.pass_obj(_own_callback(verb, run, run_parameters) if run else _callback(verb, others)),
        help=verb.help,
        params=params,
    )


def find_own_run(verb: Verb) -> Callable[..., int] | None:
    """The function `run_NAME` of a module of `cli.commands`, for a verb that the command line runs in its own way."""
    if verb.full_name not in RUNNERS:
        return None
    module = import_module(f"conspectus.cli.commands.{RUNNERS[verb.full_name]}")
    run: Callable[..., int] = getattr(module, f"run_{verb.name}")
    return run


def _own_callback(verb: Verb, run: Callable[..., int], run_parameters: Sequence[Parameter]) -> Callable[..., int]:
    def call_own(state: State, /, **values: Any) -> int:
        run_values = {parameter.name: values.pop(parameter.name) for parameter in run_parameters}
        return run(state, verb, values, **{name: value for name, value in run_values.items() if value is not None})

    return call_own


class _WordsCommand(Command):
    """Takes `-mouse` for an excluded word, not for options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words that are left."""
        short_options = tuple(name for param in self.params for name in param.opts if len(name) == _SHORT)
        return super().parse_args(ctx, [_as_word(arg, short_options) for arg in args])


def _as_word(arg: str, numbered: Sequence[str]) -> str:
    """`-mouse` as a word of the query; `-k5` is an option, if there is an option `-k`."""
    is_option = arg[:_SHORT] in numbered and arg[_SHORT:].lstrip("=")[:1].isdigit()
    return _DASH + arg[1:] if _EXCLUDED.fullmatch(arg) and not is_option else arg


def _callback(verb: Verb, others: Mapping[str, Verb]) -> Callable[..., int]:
    def run(state: State, /, **values: Any) -> int:
        flag = next((name for name in others if values.pop(name)), "")
        if flag:
            _refuse_others(others[flag], flag, values)
        elif others:
            _require(verb, values)
        return run_verb(state, others.get(flag, verb), values)

    return run


def options_of(make: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator: the options that a function such as `make_filters` declares, for a command written by hand."""

    def decorate(function: F) -> F:
        params: list[click.Parameter] = function.__dict__.setdefault("__click_params__", [])
        params.extend(_click_parameter(parameter) for parameter in reversed(parameters(make, "cli")))
        return function

    return decorate


def take_options(make: Callable[..., T], chosen: dict[str, Any]) -> T:
    """What `make` makes of the options of `options_of`; they are taken out of `chosen`."""
    values = {parameter.name: chosen.pop(parameter.name) for parameter in parameters(make, "cli")}
    return make(**arguments(make, "cli", {name: value for name, value in values.items() if value is not None}))


def limit_run(state: State, chosen: dict[str, Any]) -> None:
    """Make the options of `make_budget` settings of this run; they are taken out of `chosen`."""
    state.flags |= {name: str(limit) for name, limit in take_options(make_budget, chosen).items()}


def run_verb(state: State, verb: Verb, values: Mapping[str, Any], **extra: Any) -> int:
    """Call a verb with what was given on the command line, and print its result; returns the exit code.

    Args:
        state: of this run.
        verb: what to call.
        values: by the names of its parameters on the command line.
        extra: further arguments, of parameters that the command line does not offer.
    """
    if verb.job:
        step_back()
    verb_arguments = _chosen_values(verb, values) | extra
    view_values = {name: value for name, value in values.items() if value is not None} | verb_arguments
    opening = state.library(create=verb.creates, optional=verb.optional, settings_only=verb.settings_only)
    with showing(state, answer=verb.live), opening as library:
        result = call(library, verb, verb_arguments)
    tell_result(state, verb, result, view_values)
    return verb.exit_code(result, **keyword_values(verb.exit_code, view_values)) if verb.exit_code else 0


def tell_result(state: State, verb: Verb, result: Any, values: Mapping[str, Any]) -> None:
    """Print what a verb gave."""
    state.tell(
        lambda: body_of(verb, result),
        lambda out: show_result(out, verb, result, values),
        schema=verb.schema_name,
    )


def _refuse_others(verb: Verb, flag: str, values: Mapping[str, Any]) -> None:
    """Refuse options that the verb of a flag does not have.

    Raises:
        click.UsageError: one was given.
    """
    context = click.get_current_context()
    names = {parameter.name for parameter in parameters(verb.function, "cli")}
    for param in context.command.params:
        name = param.name or ""
        if name in values and name not in names and values[name] is not False and values[name] not in (None, ()):
            raise click.UsageError(f"{param.opts[0]} does not go with --{flag}; leave it out.", context)


def _require(verb: Verb, values: Mapping[str, Any]) -> None:
    """See that what the verb needs was given.

    Raises:
        click.MissingParameter: it was not.
    """
    context = click.get_current_context()
    required_names = {parameter.name for parameter in parameters(verb.function, "cli") if parameter.default is REQUIRED}
    for param in context.command.params:
        if param.name in required_names and values[param.name] in (None, ()):
            raise click.MissingParameter(ctx=context, param=param)


def _chosen_values(verb: Verb, values: Mapping[str, Any]) -> dict[str, Any]:
    """What was given on the command line; options that were not given keep their defaults."""
    chosen_values: dict[str, Any] = {}
    for parameter in parameters(verb.function, "cli"):
        value = values[parameter.name]
        if value is None:
            continue
        if parameter.option.words and isinstance(value, tuple):
            value = " ".join(value).replace(_DASH, "-")
            if not value and parameter.default is not REQUIRED:
                continue
        if parameter.option.standard_input and value == "-":
            value = read_input(parameter.option.max_length or BOUNDS.query.most)
        chosen_values[parameter.name] = list(value) if isinstance(value, tuple) and parameter.is_list else value
    return arguments(verb.function, "cli", chosen_values)


def _click_parameter(parameter: Parameter) -> click.Parameter:
    option, is_list = parameter.option, parameter.is_list
    kind = _click_type(parameter.type, option)
    metavar = option.metavar or None
    if parameter.positional:
        return click.Argument(
            [parameter.name],
            type=kind,
            nargs=-1 if is_list or option.words else 1,
            required=parameter.default is REQUIRED,
            metavar=f"[{metavar}]" if metavar and parameter.default is not REQUIRED else metavar,
        )
    name = f"--{option.flag or parameter.name.replace('_', '-')}"
    if option.on:
        return click.Option([name, parameter.name], flag_value=option.on, default=None, help=option.help)
    if parameter.type is bool:
        is_plain = parameter.default is False and not parameter.optional
        flags = name if is_plain else f"{name}/--{option.off or f'no-{name[2:]}'}"
        return click.Option([*_short(option), flags, parameter.name], is_flag=True, default=None, help=option.help)
    is_required = parameter.default is REQUIRED
    bare: dict[str, Any] = {} if option.bare is None else {"is_flag": False, "flag_value": option.bare}
    if not is_required:
        bare["default"] = None  # for click this is a value, too
    text = f"{option.help} Repeatable." if is_list else option.help
    shows_default = isinstance(parameter.default, int | float) and not isinstance(parameter.default, bool)
    return click.Option(
        [*_short(option), name, parameter.name],
        type=kind,
        multiple=is_list,
        required=is_required,
        **bare,
        metavar=metavar,
        help=f"{text}  [default: {parameter.default}]" if shows_default else text,
    )


def _short(option: Option) -> list[str]:
    return [f"-{option.short}"] if option.short else []


def _click_type(kind: Any, option: Option) -> Any:
    if option.read is not None:
        return _FromText(option)
    if get_origin(kind) is Literal:
        return click.Choice([str(value) for value in get_args(kind) if value != ""])
    if kind in (int, float):
        number_type: Any = click.IntRange if kind is int else _Number
        return number_type(option.ge, option.le) if (option.ge, option.le) != (None, None) else kind
    return click.Path(path_type=Path) if kind is Path else str


class _Number(click.FloatRange):
    """A number in a range; `nan`, which is in none, is refused, too."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or wrong use."""
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


class _FromText(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4, not before
    """A value that a function makes from text."""

    def __init__(self, option: Option) -> None:
        self.name = (option.metavar or "text").lower()
        self._read = option.read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value."""
        if not isinstance(value, str) or self._read is None:
            return value
        if not value.strip():
            self.fail("The value is empty. Give one, or leave the option out.", param, ctx)
        try:
            return self._read(value)
        except UsageError as error:
            self.fail(f"{error.message} {typed(error.hint)}", param, ctx)
