"""Declare a verb once: a typed method becomes a command, an HTTP route, a tool for language models, and documentation.

A wing's verbs are the methods of its `VerbGroup`, each with the decorator `verb`:

    class MapVerbs(VerbGroup, name="map"):
        \"""Map of the library: regions of papers with similar meaning.\"""

        @verb(http="GET /map/gaps", tool="gaps")
        def gaps(self, *, level: Annotated[int, Option("Level of regions; 0 is the largest.", ge=0, le=2)] = 1) -> Gaps:
            \"""List regions of the map that have no review, large and growing regions first.\"""

Parameters before `*` are positional on the command line, the others are options. Each face reads the parameters with
`parameters` and calls the method with what `arguments` returns.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    Protocol,
    TypedDict,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

if TYPE_CHECKING:
    from conspectus.library import Library
    from conspectus.session.session import Session

Face = Literal["cli", "http", "mcp"]
F = TypeVar("F", bound=Callable[..., Any])
_SECTIONS = re.compile(r"^(?:Args|Raises|Returns|Yields|Shell):$", re.M)
_SHELL = re.compile(r"^Shell:\n((?:[ ]+\S.*\n?)+)", re.M)
"""The part of a docstring that only the command's help has."""
REQUIRED = inspect.Parameter.empty
"""The default of a parameter that has none."""
PICTURE = "picture"


@dataclass(frozen=True, slots=True)
class Option:
    """What a parameter means, for the help of every face.

    Attributes:
        help: one sentence.
        ge, le: least and greatest number.
        max_length: of a text, or of each text of a list, over HTTP.
        max_items: of a list, over HTTP.
        metavar: name of the value in the command's help.
        flag: the option's name on the command line, without `--`, if it is not the parameter's.
        short: its one-letter form there, without `-`.
        off: name of the option that says no, of one that says yes or no; "": `no-` and its name.
        bare: the value of the option on the command line if it stands there without one; None: it needs one.
        on: the only value that the option has on the command line, where it is a flag.
        served_le: greatest number over HTTP and as a tool, if it is not `le`.
        words: whether several words on the command line are one text.
        query: the parameter's name over HTTP, if it is not the same.
        read: makes the value from text; raises `UsageError`. The faces then take text.
        upload: over HTTP it is a file (of a list: files) that is sent: the folder of the library that keeps them, or
            `PICTURE` for one that is only looked at.
        standard_input: whether `-` on the command line means what standard input says.
        faces: which faces offer it; elsewhere it has `absent`, or its default.
        absent: the value on faces that do not offer it.
        example: a value for the description of the HTTP interface.
    """

    help: str = ""
    ge: float | None = None
    le: float | None = None
    max_length: int | None = None
    max_items: int | None = None
    metavar: str = ""
    flag: str = ""
    short: str = ""
    off: str = ""
    bare: str | None = None
    on: str = ""
    served_le: float | None = None
    words: bool = False
    query: str = ""
    read: Callable[[str], Any] | None = None
    upload: str = ""
    standard_input: bool = False
    faces: tuple[Face, ...] = ("cli", "http", "mcp")
    absent: Any = REQUIRED
    example: Any = None


@dataclass(frozen=True, slots=True)
class OptionsOf:
    """Marks a parameter that a function makes from its own options: `Annotated[Filters, OptionsOf(filters)]`."""

    make: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as the faces see it.

    Attributes:
        name: of the keyword argument.
        type: without `Annotated` and without `None`; of a list, the type of its items.
        is_list: whether it has several values.
        optional: whether `None` is a value.
        option: what it means.
        default: `REQUIRED` if there is none.
        positional: whether it stands without `--` on the command line; never, if its option has a short form.
    """

    name: str
    type: Any
    is_list: bool
    optional: bool
    option: Option
    default: Any
    positional: bool


@dataclass(frozen=True, slots=True)
class Verb:
    """A declared verb.

    Attributes:
        function: the method.
        namespace: attribute of the library that has the method; "" for the library itself.
        full_name: on the command line: `map gaps`, or `search`, or `review rank add`.
        methods, path: of its HTTP routes; () and "" if it has none.
        tool: name of the tool for language models; "" if it is none.
        key: name of the only field of its JSON; "" if the result is an object itself.
        job: whether it is long work: a job over HTTP (its result is an object), with progress on every face.
        writes: whether it changes the library; a server that only reads has no such route, a tool says so.
        creates: whether the command makes the library if there is none.
        optional: whether the command works without a library, on an empty one that is gone afterwards.
        settings_only: whether the command leaves the library closed: settings are all that the verb uses.
        online: whether it asks services on the internet: a tool only where `sources.online` is true.
        status: of the HTTP answer.
        command: whether it is on the command line.
        exit_code: makes the command's exit code from the result, 0 if there is none; keyword-only parameters get what
            the command was given. `failures_code` suits reports of what failed.
        live: whether the command shows an answer while it is being written, instead of bars.
        schema: what the schema of its JSON calls it, if not its full name.
        flag_of: the command that calls this verb instead of its own, if it is given `--NAME`.
    """

    function: Callable[..., Any]
    namespace: str = ""
    full_name: str = ""
    methods: tuple[str, ...] = ()
    path: str = ""
    tool: str = ""
    key: str = ""
    job: bool = False
    writes: bool = False
    creates: bool = False
    optional: bool = False
    settings_only: bool = False
    online: bool = False
    status: int = 200
    command: bool = True
    exit_code: Callable[..., int] | None = None
    live: bool = False
    schema: str = ""
    flag_of: str = ""

    @property
    def group(self) -> str:
        """Its group on the command line; "" for verbs on top."""
        return self.full_name.partition(" ")[0] if " " in self.full_name else ""

    @property
    def name(self) -> str:
        """Its name in the group: `gaps`, or `rank add`."""
        return self.full_name.partition(" ")[2] or self.full_name

    @property
    def schema_name(self) -> str:
        """What the schema of its JSON, `conspectus.NAME/1`, calls it: `map.gaps`."""
        return self.schema or self.full_name.replace(" ", ".")

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def description(self) -> str:
        """Its docstring as far as people read it: without arguments, errors and what it returns."""
        return _SECTIONS.split(inspect.getdoc(self.function) or "")[0].strip()

    @property
    def help(self) -> str:
        """The description with the section `Shell`, of use on the command line alone."""
        shell = _SHELL.search(inspect.getdoc(self.function) or "")
        return f"{self.description}\n\n{inspect.cleandoc(shell[1])}" if shell else self.description

    @property
    def result(self) -> Any:
        """The type of its result."""
        return type_hints(self.function).get("return")


class FailureReport(Protocol):
    """A result that names the inputs that failed."""

    @property
    def failed(self) -> object:
        """Those inputs, or how many."""
        ...


class RunReport(FailureReport, Protocol):
    """The result of a run that may end early."""

    @property
    def stopped(self) -> str:
        """Why it did; "" if it did not."""
        ...


def failures_code(report: FailureReport) -> int:
    """Exit code 1 if some inputs failed."""
    return int(bool(report.failed))


def run_code(report: RunReport) -> int:
    """Exit code 1 if some inputs failed or the run ended early."""
    return int(bool(report.failed or report.stopped))


def keyword_values(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the values that the function has keyword-only parameters for."""
    keywords = (
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    )
    return {name: values[name] for name in keywords if name in values}


class VerbGroup:
    """A wing's verbs over an open library; `library.map` is one. A group without a name is a part of `Library` itself.

    Args:
        library: stays open as long as the verbs are used.
    """

    group: ClassVar[str] = ""
    """Attribute of the library, and group on the command line; "" for verbs of the library itself."""
    about: ClassVar[Mapping[str, str]] = {}
    """Groups of the command line that have verbs of the library itself, each with what it is in one line."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def __init_subclass__(cls, *, name: str = "", about: Mapping[str, str] | None = None, **extra: Any) -> None:
        super().__init_subclass__(**extra)
        if name:
            cls.group = name
        if about:
            cls.about = about

    @property
    def owner(self) -> Library:
        """The open library that has these verbs."""
        return self._library

    @property
    def session(self) -> Session:
        """What the verbs work on: catalog, index, models, settings."""
        return self.owner.session


class VerbOptions(TypedDict, total=False):
    """What a declaration may say of a verb, as the attributes of `Verb` describe it."""

    tool: str
    key: str
    job: bool
    writes: bool
    creates: bool
    optional: bool
    settings_only: bool
    online: bool
    status: int
    exit_code: Callable[..., int]
    live: bool
    schema: str


def verb(
    name: str = "", *, http: str = "", command: bool = True, flag_of: str = "", **options: Unpack[VerbOptions]
) -> Callable[[F], F]:
    """Decorator: declare a method of a `VerbGroup` as a verb; the method itself stays as it is.

    Args:
        name: on the command line, in the group of its class; "": the method's, with hyphens. With a space it is the
            whole name, group and all.
        http: `METHOD /path`, with `{parameter}` for those in the path; "": no route. `GET|POST /path` is a route for
            more than an address can hold, too: parameters are then sent as a body.
        command: whether it is on the command line.
        flag_of: a command of the group that calls this verb instead of its own, if it is given `--NAME`; the verb has
            no command itself.
        options: as the attributes of `Verb` say.
    """
    methods, _, path = http.partition(" ")

    def declare(function: F) -> F:
        function.__verb__ = Verb(  # type: ignore[attr-defined]
            function,
            full_name=name or function.__name__.replace("_", "-"),
            methods=tuple(methods.split("|")) if path else (),
            path=path,
            command=command and not flag_of,
            flag_of=flag_of,
            **options,
        )
        return function

    return declare


def verbs_of(group: type[VerbGroup]) -> Iterator[Verb]:
    """The declared verbs of a group, in the order of the source."""
    for function in vars(group).values():
        declared_verb: Verb | None = getattr(function, "__verb__", None)
        if declared_verb is not None:
            has_group = " " in declared_verb.full_name or not group.group
            name = declared_verb.full_name if has_group else f"{group.group} {declared_verb.full_name}"
            yield replace(declared_verb, namespace=group.group, full_name=name)


@cache
def type_hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function as types, with what `Annotated` adds."""
    return get_type_hints(function, include_extras=True)


def parameters(function: Callable[..., Any], face: Face) -> list[Parameter]:
    """The parameters of a verb that a face offers, those of `OptionsOf` in place of the one that they make."""
    found_parameters: list[Parameter] = []
    for parameter, kind, markers in _declared(function):
        if group := _marker(markers, OptionsOf):
            found_parameters += parameters(group.make, face)
        elif face in (option := _marker(markers, Option) or Option()).faces:
            found_parameters.append(_describe(parameter, kind, option, face))
    return found_parameters


def _describe(parameter: inspect.Parameter, kind: Any, option: Option, face: Face) -> Parameter:
    base, optional = _without_none(kind)
    item_type = None if option.read else _without_none(_item_type(base))[0]
    if face != "cli" and option.served_le is not None:
        option = replace(option, le=option.served_le)
    is_positional = parameter.kind is not inspect.Parameter.KEYWORD_ONLY and not option.short
    return Parameter(
        parameter.name, item_type or base, item_type is not None, optional, option, parameter.default, is_positional
    )


def view_options(view: Callable[..., Any]) -> list[Parameter]:
    """The options of the command line that only change how a result is printed: those that its view declares."""
    options: list[Parameter] = []
    for parameter in inspect.signature(view).parameters.values():
        with suppress(NameError):  # a type that only type checkers know
            hint = eval(parameter.annotation, view.__globals__)  # noqa: S307 - the program's own annotation
            kind, markers = _split_annotated(hint)
            if option := _marker(markers, Option):
                options.append(_describe(parameter, kind, option, "cli"))
    return options


def arguments(function: Callable[..., Any], face: Face, values: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments of a verb for what a face was given, by the names of `parameters`.

    A value of None counts as not given, if the parameter has no None.

    Raises:
        UsageError: a text that no value can be made from.
    """
    keywords: dict[str, Any] = {}
    for parameter, kind, markers in _declared(function):
        if group := _marker(markers, OptionsOf):
            keywords[parameter.name] = group.make(**arguments(group.make, face, values))
            continue
        option = _marker(markers, Option) or Option()
        if face in option.faces and parameter.name in values:
            value = values[parameter.name]
            if value is not None or _without_none(kind)[1]:
                keywords[parameter.name] = _value(value, option)
        elif face not in option.faces and option.absent is not REQUIRED:
            keywords[parameter.name] = option.absent
    return keywords


def _value(value: Any, option: Option) -> Any:
    if option.read is not None and isinstance(value, str):
        return option.read(value)
    return tuple(value) if isinstance(value, list) else value


def _declared(function: Callable[..., Any]) -> Iterator[tuple[inspect.Parameter, Any, tuple[Any, ...]]]:
    """The parameters of a function with their types and markers."""
    hints = type_hints(function)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name != "self":
            yield parameter, *_split_annotated(hints[parameter.name])


def _split_annotated(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type and what `Annotated` adds to it, or to a part of `… | None`."""
    if get_origin(kind) is Annotated:
        base, *markers = get_args(kind)
        return base, tuple(markers)
    if get_origin(kind) in (Union, UnionType):
        parts = [_split_annotated(part) for part in get_args(kind)]
        return Union[tuple(part for part, _ in parts)], tuple(marker for _, markers in parts for marker in markers)  # noqa: UP007
    return kind, ()


M = TypeVar("M")


def _marker(markers: tuple[Any, ...], kind: type[M]) -> M | None:
    return next((marker for marker in markers if isinstance(marker, kind)), None)


def _without_none(kind: Any) -> tuple[Any, bool]:
    """A type without `None`, and whether that was among its values. Several `Literal`s become one."""
    if get_origin(kind) not in (Union, UnionType):
        return kind, False
    parts = get_args(kind)
    other_types = tuple(part for part in parts if part is not NoneType)
    if all(get_origin(part) is Literal for part in other_types):
        return Literal[tuple(value for part in other_types for value in get_args(part))], len(other_types) < len(parts)
    return (other_types[0] if len(other_types) == 1 else Union[other_types]), len(other_types) < len(parts)  # noqa: UP007 - built at run time


def _item_type(kind: Any) -> Any:
    """The type of a list's items; None where it is no list. `str | Sequence[str]` is a list."""
    parts = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return next((get_args(part)[0] for part in parts if get_origin(part) in (tuple, list, Sequence)), None)
