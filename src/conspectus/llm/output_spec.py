"""What a call of a language model has to give: a type, its JSON Schema, and what a value of it has to pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from conspectus.core.characters import cleaned_deep, written

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OutputSpec(Generic[T]):
    """What a call has to give: a type, and a check that returns what is wrong with a value of it, or "".

    `schema` goes before the type's own JSON Schema where a setting says more. It never depends on what is asked:
    servers keep what they make of a schema, and the beginning of a prompt, for the next call.
    """

    kind: type[T]
    check: Callable[[T], str] = lambda _: ""
    schema: Mapping[str, Any] | None = None


SpanNumbers = Annotated[
    list[Annotated[int, msgspec.Meta(extra_json_schema={"minimum": 1})]],
    msgspec.Meta(extra_json_schema={"maxItems": 60}),
]
"""Numbers of sentences, from 1. The bounds help servers that keep to schemas; a check holds them against the text."""


def read(text: str, kind: type[T]) -> T:
    """What a model said, cleaned, as a value of a type. Raises one of `UNREADABLE`."""
    return msgspec.convert(cleaned_deep(msgspec.json.decode(text), written), type=kind, strict=False)


UNREADABLE = (msgspec.DecodeError, msgspec.ValidationError, UnicodeError, RecursionError)


def schema_of(kind: type[Any], *, optional: bool = False) -> dict[str, Any]:
    """The JSON Schema of a type, without references to elsewhere: small servers do not follow them.

    With `optional` what has a default may be left out.
    """
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="{name}")
    return _closed(schema, parts, ("title", "description") if optional else ("title", "description", "default"))  # type: ignore[no-any-return]


def _closed(schema: Any, parts: Mapping[str, Any], without: Collection[str]) -> Any:
    """A schema with its references filled in, `without` some of its words, and no further properties allowed."""
    if isinstance(schema, list):
        return [_closed(part, parts, without) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _closed(parts[schema["$ref"]], parts, without)
    found = {key: _closed(value, parts, without) for key, value in schema.items() if key not in without}
    if found.get("type") != "object":
        return found
    required = list(found["properties"]) if "default" in without else found["required"]
    return {**found, "required": required, "additionalProperties": False}
