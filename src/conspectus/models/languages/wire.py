"""Requests and replies as pydantic-ai has them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from conspectus.models.language import PICTURE_TOKENS, Finish, Message, Picture, Reply, Request, Tokens, ToolCall

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

Mode = Literal["native", "tool", "prompted"]
"""How an object is asked for: by the server's own JSON Schema output, as a tool's arguments, or in words."""

CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Whole:
    """The whole answer, at the end of a stream."""

    response: ModelResponse


def estimate(text: str) -> int:
    """Tokens in `text`, about: a token has four characters."""
    return -(-len(text) // CHARS_PER_TOKEN)


def prompt_estimate(request: Request) -> int:
    """Tokens of a prompt with its schema, tools and picture, about."""
    said = [message.text + "".join(call.arguments for call in message.calls) for message in request.messages]
    asked = [tool.name + tool.description + json.dumps(dict(tool.schema)) for tool in request.tools]
    schema = json.dumps(dict(request.schema)) if request.schema is not None else ""
    return estimate("".join([*said, *asked, schema])) + (PICTURE_TOKENS if request.picture else 0)


def messages(request: Request) -> list[ModelMessage]:
    """The turns; those between two of the assistant's are one request."""
    from pydantic_ai.messages import ModelRequest

    names = {call.id: call.name for message in request.messages for call in message.calls}
    found: list[ModelMessage] = []
    picture = request.picture
    for message in request.messages:
        if message.speaker == "assistant":
            found.append(_said(message))
            continue
        part = _part(message, names, picture)
        picture = None if message.speaker == "user" else picture
        if found and isinstance(found[-1], ModelRequest):
            found[-1] = replace(found[-1], parts=[*found[-1].parts, part])
        else:
            found.append(ModelRequest(parts=[part]))
    return found


def _part(message: Message, names: dict[str, str], picture: Picture | None) -> ModelRequestPart:
    from pydantic_ai.messages import BinaryContent, SystemPromptPart, ToolReturnPart, UserPromptPart

    if message.speaker == "system":
        return SystemPromptPart(message.text)
    if message.speaker == "tool":
        name = names.get(message.answers, "tool")
        return ToolReturnPart(tool_name=name, content=message.text, tool_call_id=message.answers)
    if picture is None:
        return UserPromptPart(message.text)
    return UserPromptPart([message.text, BinaryContent(picture.data, media_type=picture.media_type)])


def _said(message: Message) -> ModelResponse:
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

    calls = [ToolCallPart(call.name, call.arguments, tool_call_id=call.id) for call in message.calls]
    return ModelResponse(parts=[*([TextPart(message.text)] if message.text else []), *calls])


def parameters(request: Request, mode: Mode, *, tools: bool, shown: bool) -> ModelRequestParameters:
    """What is asked for. `tools`: offer them; `shown`: write the schema into the prompt too."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.profiles import DEFAULT_PROMPTED_OUTPUT_TEMPLATE

    offered = [_tool(tool.name, tool.schema, tool.description) for tool in request.tools if tools]
    if request.schema is None:
        return ModelRequestParameters(function_tools=offered)
    schema = dict(request.schema)
    if mode == "tool":
        answer = replace(_tool(request.name, schema, "Give the answer."), kind="output")
        return ModelRequestParameters(
            function_tools=offered, output_mode="tool", output_tools=[answer], allow_text_output=False
        )
    return ModelRequestParameters(
        function_tools=offered,
        output_mode=mode,
        output_object=OutputObjectDefinition(schema, name=request.name),
        prompted_output_template=DEFAULT_PROMPTED_OUTPUT_TEMPLATE if shown or mode == "prompted" else None,
    )


def _tool(name: str, schema: Mapping[str, Any], description: str) -> ToolDefinition:
    from pydantic_ai.tools import ToolDefinition

    return ToolDefinition(name=name, parameters_json_schema=dict(schema), description=description)


def reply(request: Request, response: ModelResponse) -> Reply:
    """What came back, without cost and seconds."""
    from pydantic_ai.messages import TextPart, ToolCallPart

    offered = {tool.name for tool in request.tools}
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    made = [part for part in response.parts if isinstance(part, ToolCallPart)]
    answers = [part for part in made if _is_answer(part.tool_name, request)]
    if answers:
        text = _written(answers[0].args)
    elif request.schema is not None:
        text = bare_json(text)
    calls = tuple(
        ToolCall(part.tool_call_id, part.tool_name, _written(part.args)) for part in made if part not in answers
    )
    finish = _finish(response, calls)
    if finish == "refused" and not text:
        text = str((response.provider_details or {}).get("refusal") or "")
    if not offered:
        calls = ()  # the model made up a tool
    return Reply(text, calls, finish if calls or finish != "tools" else "stop", _tokens(request, response, text, calls))


def _is_answer(name: str, request: Request) -> bool:
    return request.schema is not None and name == request.name


def _finish(response: ModelResponse, calls: tuple[ToolCall, ...]) -> Finish:
    if response.finish_reason == "content_filter":
        return "refused"
    if response.finish_reason == "length":
        return "length"
    return "tools" if calls else "stop"


def _tokens(request: Request, response: ModelResponse, text: str, calls: tuple[ToolCall, ...]) -> Tokens:
    usage = response.usage
    if usage.input_tokens or usage.output_tokens:
        return Tokens(usage.input_tokens, usage.cache_read_tokens, usage.output_tokens)
    written = text + "".join(call.name + call.arguments for call in calls)
    return Tokens(prompt_estimate(request), 0, estimate(written), estimated=True)


def bare_json(text: str) -> str:
    """The object in `text`, without the fence or the words that small models put around it; else `text`."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start or (start == 0 and end == len(text) - 1):
        return text
    inside = text[start : end + 1]
    try:
        json.loads(inside)
    except (ValueError, RecursionError):
        return text
    return inside


def size(event: ModelResponseStreamEvent) -> int:
    """Characters that an event brings, shown or not: of text, of thoughts and of arguments."""
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent

    if isinstance(event, PartStartEvent):
        part: Any = event.part
        return _length(part, "content") + _length(part, "args")
    if isinstance(event, PartDeltaEvent):
        return _length(event.delta, "content_delta") + _length(event.delta, "args_delta")
    return 0


def _length(part: Any, name: str) -> int:
    found = getattr(part, name, None)
    return len(_written(found)) if isinstance(found, (str, dict)) else 0


class Pieces:
    """Turns a stream's events into pieces of the answer's text.

    With a schema, what stands before and after the object is left out.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self._answers: set[int] = set()
        self._trim = _Object() if request.schema is not None else None

    def of(self, event: ModelResponseStreamEvent) -> Iterator[str]:
        """The pieces in one event."""
        from pydantic_ai.messages import (
            PartDeltaEvent,
            PartStartEvent,
            TextPart,
            TextPartDelta,
            ToolCallPart,
            ToolCallPartDelta,
        )

        if isinstance(event, PartStartEvent):
            if isinstance(event.part, TextPart):
                yield from self._text(event.part.content)
            elif isinstance(event.part, ToolCallPart) and _is_answer(event.part.tool_name, self._request):
                self._answers.add(event.index)
                yield from _arguments(event.part.args)
        elif isinstance(event, PartDeltaEvent):
            if isinstance(event.delta, TextPartDelta):
                yield from self._text(event.delta.content_delta)
            elif isinstance(event.delta, ToolCallPartDelta) and event.index in self._answers:
                yield from _arguments(event.delta.args_delta)

    def _text(self, text: str) -> Iterator[str]:
        piece = self._trim.feed(text) if self._trim else text
        if piece:
            yield piece


class _Object:
    """Lets the first JSON object of a text through, and nothing else."""

    def __init__(self) -> None:
        self._depth = 0
        self._done = self._string = self._escaped = False

    def feed(self, text: str) -> str:
        kept = []
        for char in text:
            if self._done or (self._depth == 0 and char != "{"):
                continue
            kept.append(char)
            self._step(char)
        return "".join(kept)

    def _step(self, char: str) -> None:
        if self._string:
            self._string = self._escaped or char != '"'
            self._escaped = char == "\\" and not self._escaped
        elif char == '"':
            self._string = True
        elif char == "{":
            self._depth += 1
        elif char == "}":
            self._depth -= 1
            self._done = self._depth == 0


def _arguments(args: Any) -> Iterator[str]:
    if args:
        yield _written(args)


def _written(args: Any) -> str:
    """Arguments as the model wrote them, whether they are JSON or not; some servers send them read."""
    return args if isinstance(args, str) else json.dumps({} if args is None else args)
