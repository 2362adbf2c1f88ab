"""What a verb gives, the same on every face: the call, the JSON and its type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, get_args, get_origin

from conspectus.faces.declare import Verb

if TYPE_CHECKING:
    from collections.abc import Callable

    from conspectus.library import Library


def verb_method(library: Library, verb: Verb) -> Callable[..., Any]:
    """The bound method of an open library that a verb was declared as."""
    group = getattr(library, verb.namespace) if verb.namespace else library
    method: Callable[..., Any] = getattr(group, verb.function.__name__)
    return method


def call(library: Library, verb: Verb, given: Mapping[str, Any]) -> Any:
    """Call a verb of an open library. What comes one after the other is read to the end while it is open."""
    result = verb_method(library, verb)(**given)
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
