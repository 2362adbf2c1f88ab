"""The output that a call of a language model must give: a type, its JSON Schema, and checks of the reply."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from conspectus.core.errors import ModelAnswerError, ModelRefusalError
from conspectus.core.text import clean_model_text, cleaned_deep
from conspectus.models.language import Message, ModelReply

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


def read_value(text: str, kind: type[T]) -> T:
    """What a model said, cleaned, as a value of a type. Raises one of `UNREADABLE`."""
    return msgspec.convert(cleaned_deep(msgspec.json.decode(text), clean_model_text), type=kind, strict=False)


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
    closed = {key: _closed(value, parts, without) for key, value in schema.items() if key not in without}
    if closed.get("type") != "object":
        return closed
    required = list(closed["properties"]) if "default" in without else closed["required"]
    return {**closed, "required": required, "additionalProperties": False}


SHOWN = 300
"""Characters of a useless answer that an error shows."""


class UselessAnswerError(Exception):
    """An answer that cannot be used, and why."""


def check_reply(reply: ModelReply, output: OutputSpec[T]) -> T:
    """The value in a reply.

    Raises:
        UselessAnswerError: there is none that can be used.
    """
    if reply.finish == "refused":
        raise UselessAnswerError("it refuses to answer")
    if reply.finish == "length":
        raise UselessAnswerError("it is too long and breaks off; be shorter")
    try:
        value = read_value(reply.text, output.kind)
    except UNREADABLE as error:
        raise UselessAnswerError(f"it is not the JSON asked for ({error})") from error
    if trouble := output.check(value):
        raise UselessAnswerError(trouble)
    return value


def ask_again(reply: ModelReply, useless: UselessAnswerError) -> tuple[Message, Message]:
    """The two turns that ask for a better answer."""
    complaint = f"That cannot be used: {useless}. Answer again, with nothing but the JSON object that was asked for."
    return Message("assistant", reply.text or "(nothing)"), Message("user", complaint)


def useless_twice(model: str, name: str, useless: UselessAnswerError, reply: ModelReply) -> ModelAnswerError:
    """The error for a model that cannot answer the prompt `name`."""
    if reply.finish == "refused":
        reason = f": {reply.text[:SHOWN]!r}" if reply.text else ""
        return ModelRefusalError(
            f"The model '{model}' refused the prompt '{name}'{reason}.", "Use other words, or another model."
        )
    return ModelAnswerError(
        f"The model '{model}' gave an unusable reply twice (prompt '{name}'): {useless}.",
        f"It said {reply.text[:SHOWN]!r}. A stronger model may do better. Passages already read are kept.",
    )
