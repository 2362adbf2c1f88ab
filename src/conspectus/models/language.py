"""What a language model is: the one thing that the rest of the program knows about them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, runtime_checkable

Speaker = Literal["system", "user", "assistant", "tool"]
Finish = Literal["stop", "length", "tools", "refused"]


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that a model may call. `schema` is the JSON Schema of its arguments, an object."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to call a tool.

    Attributes:
        arguments: JSON as the model wrote it, not yet checked.
        extra: JSON of what the server wants back with the call (Gemini signs its thoughts); "": nothing.
    """

    id: str
    name: str
    arguments: str
    extra: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. `calls` are an assistant's; `answers` is the id of the call that a tool's turn answers."""

    speaker: Speaker
    text: str
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""


CHARS_PER_TOKEN = 4
"""About, in any language; for estimates."""
PICTURE_TOKENS = 2500
"""What a picture of about 1,500 x 1,500 pixels counts as, at most, with those providers that say how they count."""


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture as it is sent: the bytes of a file, and of what type (`image/png`, `image/jpeg`) they are."""

    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a model in one call.

    Attributes:
        schema: JSON Schema of an object that the answer has to be; None: free text.
        name: what the object is called where a server wants a name for it.
        tools: what may be called instead of an answer.
        max_tokens: of the answer.
        temperature: 0..2.
        picture: shown with the first turn of the user's.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    name: str = "answer"
    tools: tuple[Tool, ...] = ()
    max_tokens: int = 2000
    temperature: float = 0.0
    picture: ImagePart | None = None

    @property
    def tokens(self) -> int:
        """Tokens of the prompt with its schema, tools and picture, about."""
        parts = [message.text + "".join(call.arguments for call in message.calls) for message in self.messages]
        parts += [tool.name + tool.description + json.dumps(dict(tool.schema)) for tool in self.tools]
        parts += [json.dumps(dict(self.schema))] if self.schema is not None else []
        return estimate_tokens("".join(parts)) + (PICTURE_TOKENS if self.picture else 0)


def estimate_tokens(text: str) -> int:
    """Tokens of a text, about."""
    return -(-len(text) // CHARS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of one or many calls: of prompts, those of them that the server had cached, and of answers.

    `estimated`: at least one server did not count them, so that they were reckoned from characters.
    """

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    estimated: bool = False

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.prompt + other.prompt,
            self.cached + other.cached,
            self.completion + other.completion,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered: text (with a schema: JSON, not yet checked), or the tools it wants called.

    `cost` is in US dollars, None where the price is not known; `seconds` what the server took, without waiting for a
    turn or between tries.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    tokens: Tokens = field(default_factory=Tokens)
    cost: float | None = None
    seconds: float = 0.0

    def part_of(self, count: int) -> ModelReply:
        """The same with the share that one of `count` things has of what it took."""
        tokens = replace(
            self.tokens,
            prompt=self.tokens.prompt // count,
            cached=self.tokens.cached // count,
            completion=self.tokens.completion // count,
        )
        cost = None if self.cost is None else self.cost / count
        return replace(self, tokens=tokens, cost=cost, seconds=self.seconds / count)


@runtime_checkable
class LanguageModel(Protocol):
    """A language model, wherever it runs; used from one event loop.

    Calls are held to the limits set, and tried again where that can help; what is raised is final.
    """

    @property
    def id(self) -> str:
        """Provider and name; with its address, where it is a server of the user. Answers are cached by it."""

    @property
    def context(self) -> int:
        """Tokens that prompt and answer may have together; 0 where that is not known."""

    @property
    def calls_tools(self) -> bool:
        """Whether it can be given tools. False is learnt, too, from a server that refused them."""

    async def complete(self, request: Request) -> ModelReply:
        """The whole answer.

        Raises:
            ServiceAwayError: no answer after several tries; trying again later can help.
            ServiceError: it refused: a wrong key, an unknown name, a prompt that is too long.
        """

    def stream(self, request: Request) -> AsyncIterator[str | ModelReply]:
        """Pieces of the answer's text as they come, then the whole `ModelReply`. Raises as `complete`."""

    async def close(self) -> None:
        """Give connections and memory back."""
