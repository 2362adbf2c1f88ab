"""Requests and replies as pydantic-ai has them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from conspectus.models.language import PICTURE_TOKENS, Finish, Message, Picture, Reply, Request, Tokens, ToolCall
from conspectus.models.languages.reply_text import ReplyText

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

Mode = Literal["native", "tool", "prompted"]
"""How an object is asked for: by the server's own JSON Schema output, as a tool's arguments, or in words."""

CHARS_PER_TOKEN = 4
UNSPLIT = ("\ufdd1", "\ufdd2")
"""pydantic-ai's marks of thoughts in text, set to what no text has: it cuts streams at marks only where a chunk is
nothing but a mark, and then takes the answer for thoughts."""


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
    else:
        reader = _reader(request)
        reader.feed(text)
        text = reader.finish()
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


def _reader(request: Request) -> ReplyText:
    """What reads the text of a reply to a request."""
    return ReplyText(None if request.schema is None else request.schema.get("required", ()))


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
    """Turns the events of a stream into pieces of the answer's text, without thoughts; see `ReplyText`."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._answers: set[int] = set()
        self._reader = _reader(request)

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

    def rest(self) -> Iterator[str]:
        """What could not be shown before the end of the stream."""
        if not self._answers and (rest := self._reader.rest()):
            yield rest

    def _text(self, text: str) -> Iterator[str]:
        if piece := self._reader.feed(text):
            yield piece


def _arguments(args: Any) -> Iterator[str]:
    if args:
        yield _written(args)


def _written(args: Any) -> str:
    """Arguments as the model wrote them, whether they are JSON or not; some servers send them read."""
    return args if isinstance(args, str) else json.dumps({} if args is None else args)
