"""What a language model answered, held against what was asked for."""

from __future__ import annotations

from typing import TypeVar

from conspectus.core.errors import ModelAnswerError, ModelRefusalError
from conspectus.llm.output_spec import UNREADABLE, OutputSpec, read
from conspectus.models.language import Message, Reply

T = TypeVar("T")
SHOWN = 300
"""Characters of a useless answer that an error shows."""


class UselessAnswerError(Exception):
    """An answer that cannot be used, and why."""


def check_reply(reply: Reply, output: OutputSpec[T]) -> T:
    """The value in a reply.

    Raises:
        UselessAnswerError: there is none that can be used.
    """
    if reply.finish == "refused":
        raise UselessAnswerError("it refuses to answer")
    if reply.finish == "length":
        raise UselessAnswerError("it is too long and breaks off; be shorter")
    try:
        value = read(reply.text, output.kind)
    except UNREADABLE as error:
        raise UselessAnswerError(f"it is not the JSON asked for ({error})") from error
    if trouble := output.check(value):
        raise UselessAnswerError(trouble)
    return value


def ask_again(reply: Reply, useless: UselessAnswerError) -> tuple[Message, Message]:
    """The two turns that ask for a better answer."""
    said = f"That cannot be used: {useless}. Answer again, with nothing but the JSON object that was asked for."
    return Message("assistant", reply.text or "(nothing)"), Message("user", said)


def useless_twice(model: str, name: str, useless: UselessAnswerError, reply: Reply) -> ModelAnswerError:
    """The error for a model that cannot answer the prompt `name`."""
    if reply.finish == "refused":
        said = f": {reply.text[:SHOWN]!r}" if reply.text else ""
        return ModelRefusalError(
            f"The model '{model}' refused the prompt '{name}'{said}.", "Ask otherwise, or choose another model."
        )
    return ModelAnswerError(
        f"The model '{model}' answered the prompt '{name}' twice with something that cannot be used: {useless}.",
        f"It said {reply.text[:SHOWN]!r}. A stronger model may do better; what was read is kept.",
    )
