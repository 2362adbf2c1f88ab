"""What a verb gives, the same on every face: the call, the JSON and its type, and how it looks in words."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, get_args, get_origin

from conspectus.faces.declare import Verb, keyword_values
from conspectus.faces.printer import Printer, one_line

if TYPE_CHECKING:
    from conspectus.library import Library


def verb_method(library: Library, verb: Verb) -> Callable[..., Any]:
    """The bound method of an open library that a verb was declared as."""
    group = getattr(library, verb.namespace) if verb.namespace else library
    method: Callable[..., Any] = getattr(group, verb.function.__name__)
    return method


def call(library: Library, verb: Verb, arguments: Mapping[str, Any]) -> Any:
    """Call a verb of an open library. What comes one after the other is read to the end while it is open."""
    result = verb_method(library, verb)(**arguments)
    return tuple(result) if isinstance(result, Iterator) else result


def body_of(verb: Verb, result: Any) -> dict[str, Any]:
    """The JSON of a verb's result, without its schema."""
    from conspectus.wire import encode

    body: Any = encode.body(result)
    return {verb.key: body} if verb.key else body


@cache
def result_type(verb: Verb) -> Any:
    """The type of a verb's JSON, with its schema's name, for descriptions of interfaces."""
    from conspectus.wire import bodies

    title = "".join(part.capitalize() for part in verb.full_name.replace("-", " ").split()) + "Result"
    if verb.key:
        return bodies.envelope(title, verb.schema_name, **{verb.key: encoded_type(verb.result)})
    return bodies.envelope(title, verb.schema_name, job_result_type(verb))


def job_result_type(verb: Verb) -> Any:
    """The type of a record's JSON without its schema's name, as the last event of a job has it."""
    return verb.result if verb.key or verb.result in (int, str) else _record_type(verb.result)


@cache
def _record_type(record: type) -> Any:
    """One for a record, whichever verbs return it."""
    from conspectus.wire.shapes import SHAPES, shape

    return SHAPES.get(record) or shape(record)


def encoded_type(kind: Any) -> Any:
    """The JSON type of a record, or of several."""
    from conspectus.wire.shapes import SHAPES, list_of

    if get_origin(kind) in (tuple, list, Iterator):
        return list_of(encoded_type(get_args(kind)[0]))
    return SHAPES.get(kind, kind)


def json_schema(verb: Verb) -> dict[str, Any]:
    """The JSON Schema of a verb's JSON, with all that it refers to."""
    from conspectus.wire import shapes

    (root,), parts = shapes.components([result_type(verb)], "#/$defs/{name}")
    name = root["$ref"].rpartition("/")[2]
    return {**parts[name], "$defs": {other: part for other, part in parts.items() if other != name}}


def show_result(out: Printer, verb: Verb, result: Any, values: Mapping[str, Any]) -> None:
    """Print a result: by the function of the wing's `views` that has the verb's name, else as a table."""
    view = find_view(verb)
    if view is None:
        _show_table(out, result)
        return
    view(out, result, **keyword_values(view, values))


def find_view(verb: Verb) -> Callable[..., None] | None:
    """The function `NAME` of `views` for `verbs`, and of `x_views` for `x_verbs`; else `GROUP_NAME` of `views`."""
    package, _, module = verb.function.__module__.rpartition(".")
    name = verb.function.__name__
    full_name = f"{verb.group}_{name}" if verb.group else name
    views_module = f"{module.removesuffix('verbs')}views"
    for place, function_name in (("views", full_name), (views_module, name)):
        if find_spec(f"{package}.{place}"):
            view: Callable[..., None] | None = getattr(import_module(f"{package}.{place}"), function_name, None)
            if view:
                return view
    return None


def _show_table(out: Printer, result: Any) -> None:
    """Records as rows of their plain fields; a single record as `name: value`."""
    if isinstance(result, list | tuple):
        for record in result:
            cells = [one_line(str(value)) for value in _plain_fields(record).values()]
            out.row(cells, "  ".join(cells))
        if not result:
            out.empty("None.")
        return
    for name, value in _plain_fields(result).items():
        out.line((f"{name.replace('_', ' ')}: ", "dim"), one_line(str(value)))


def _plain_fields(record: Any) -> dict[str, Any]:
    if not is_dataclass(record):
        return {"": record}
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return {name: value for name, value in values.items() if isinstance(value, str | int | float | bool)}


def text_of(verb: Verb, result: Any, values: Mapping[str, Any]) -> str:
    """What is printed for a result where nobody looks at a terminal."""
    stream = io.StringIO()
    show_result(Printer(stream), verb, result, values)
    return stream.getvalue()
