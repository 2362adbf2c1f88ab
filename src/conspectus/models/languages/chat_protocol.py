"""OpenAI's chat completions: a request as JSON in the form that its server takes, and the reply, whole or streamed."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec

from conspectus.models.language import (
    Finish,
    ImagePart,
    Message,
    ModelReply,
    Request,
    Tokens,
    ToolCall,
    estimate_tokens,
)
from conspectus.models.languages.failures import BrokenAnswerError, RefusedError, UnreadableAnswerError, read_error
from conspectus.models.languages.reply_text import ReplyText

Mode = Literal["native", "tool", "prompted"]
"""How an object is asked for: by the server's own JSON Schema output, as a tool's arguments, or in words."""

NEXT: dict[Mode, Mode] = {"native": "tool", "tool": "prompted"}
REFUSALS = frozenset({400, 404, 405, 415, 422, 500, 501})
SCHEMA_WORDS = ("response_format", "response mime type", "json_schema", "schema", "grammar", "structured")
TOOL_WORDS = ("tool", "function call", "functions")
OPTIONAL = ("temperature", "stream_options")
"""Fields of a request that a server may do without."""


@dataclass(frozen=True, slots=True)
class RequestForm:
    """One way of asking.

    Attributes:
        mode: how an object is asked for.
        shows_schema: its schema is written into the prompt too.
        tools: tools are offered.
        limit: what the limit of an answer is called.
        without: fields that are left out.
    """

    mode: Mode = "native"
    shows_schema: bool = False
    tools: bool = True
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    without: frozenset[str] = frozenset()

    def leave_out(self, field: str) -> RequestForm:
        """The same without a field."""
        return replace(self, without=self.without | {field})


class ServerQuirks:
    """The form in which a server is asked now; it only gets simpler while a call lasts, so that learning ends.

    Args:
        form: to begin with.
        doubtful: an unknown kind of server, which may not say what it refuses.
    """

    def __init__(self, form: RequestForm, *, doubtful: bool) -> None:
        self.form = form
        self._doubtful = doubtful
        self._accepted_forms: set[RequestForm] = set()

    def learn(self, error: Exception, request: Request, form: RequestForm) -> bool:
        """Whether to ask again at once, in another form than `form`, which `error` refused."""
        if form != self.form:
            return True  # another call has learnt it meanwhile
        if isinstance(error, RefusedError) and (better := self._simpler(error, request)):
            self.form = better
            return True
        return False

    def forget(self, first: RequestForm) -> None:
        """Go back to the form that a call began with, where no form helped it: it was refused for something else."""
        if self.form not in self._accepted_forms:
            self.form = first

    def confirm(self, request: Request, reply: ModelReply, form: RequestForm) -> None:
        """Note that the server took `form`. One that answers a schema with plain words is shown it from then on."""
        self._accepted_forms.add(form)
        plain = request.schema is not None and reply.finish == "stop" and not reply.text.lstrip().startswith("{")
        if plain and self._doubtful:
            self.form = replace(self.form, shows_schema=True)

    def _simpler(self, error: RefusedError, request: Request) -> RequestForm | None:
        """The next form; None where the refusal was for something else."""
        form, words = self.form, error.words.lower()
        if error.status not in REFUSALS or error.is_too_long:
            return None
        if "max_completion_tokens" in words and form.limit == "max_tokens":
            return replace(form, limit="max_completion_tokens")
        for field in OPTIONAL:
            if field in words and field not in form.without:
                return form.leave_out(field)
        about_tools = any(word in words for word in TOOL_WORDS)
        about_schema = any(word in words for word in SCHEMA_WORDS)
        if request.tools and form.tools and about_tools and not about_schema:
            return replace(form, tools=False, mode="prompted" if form.mode == "tool" else form.mode)
        mute = self._doubtful and error.status in {400, 422, 501}
        if request.schema is None or not (about_schema or mute or (about_tools and form.mode == "tool")):
            return None
        mode = NEXT.get(form.mode)
        if mode == "tool" and not form.tools:
            mode = "prompted"
        return replace(form, mode=mode) if mode else None


MOST_TOKENS = 10**12
"""What no server counts; larger numbers are not believed."""
IN_WORDS = "Answer with one JSON object, and nothing before or after it. It has to fit this JSON Schema:\n"
JOINER = "\u200d"
_CONTROL = re.compile(
    r"<(?=\|[^\s<>|\"]{1,64}\|>|｜[^\s<>｜\"]{1,64}｜>|\|[a-z_]{1,32}>|[a-z_]{1,32}\|>|(?:start|end)_of_turn>)"
    r"|\[(?=\|(?:system|tool|assistant|user|endofturn)\|\]|/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS)\]"
    r"|TOOL_CALLS\]|e~\[)|\](?=~b\]|~!b\[)"
)
"""Where a word begins that a template of chats may take for a command, such as `<|im_start|>` or `[INST]`."""


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = None


class _Call(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None
    extra_content: Any = None


class _MessagePart(msgspec.Struct):
    """The message of an answer, or what a piece of a stream adds to it."""

    content: str | list[Any] | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    reasoning_content: Any = None
    reasoning: Any = None


class _Choice(msgspec.Struct):
    message: _MessagePart | None = None
    delta: _MessagePart | None = None
    finish_reason: str | None = None


class ChatFrame(msgspec.Struct):
    """A whole answer, or one event of a stream."""

    choices: list[_Choice] | None = None
    usage: Any = None
    error: Any = None


_decoder = msgspec.json.Decoder(ChatFrame, strict=True)


def read_frame(data: bytes | str) -> ChatFrame:
    """What a server sent.

    Raises:
        BrokenAnswerError: it was cut off, or says that the model failed.
        UnreadableAnswerError: it is something else.
    """
    try:
        frame = _decoder.decode(data)
    except (ValueError, RecursionError) as error:  # msgspec's errors are of the first kind
        try:
            frame = msgspec.convert(
                json.loads(data), ChatFrame
            )  # it takes half of a surrogate pair, which servers send
        except (ValueError, RecursionError):
            text = data.decode(errors="replace") if isinstance(data, bytes) else data
            if text.lstrip().startswith("{") and "truncated" in str(error):
                raise BrokenAnswerError("the answer stopped in its middle") from None
            is_json = text.lstrip().startswith(("{", "["))
            raise UnreadableAnswerError(str(error) if is_json else "it is not JSON") from None
    if frame.error:
        raise BrokenAnswerError(read_error({"error": frame.error})[0])
    return frame


def request_body(request: Request, model: str, form: RequestForm, effort: str, *, stream: bool) -> dict[str, Any]:
    """The JSON of a request. `effort`: how much the model is to reason; "": as it likes."""
    body: dict[str, Any] = {
        "model": model,
        "messages": _messages(request, form),
        form.limit: request.max_tokens,
        "temperature": request.temperature,
    }
    if effort:
        body["reasoning_effort"] = effort
    if stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    tools = [_tool(tool.name, tool.description, tool.schema) for tool in request.tools if form.tools]
    if request.schema is not None and form.mode == "native":
        schema = {"name": request.name, "schema": dict(request.schema), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif request.schema is not None and form.mode == "tool":
        only = {"type": "function", "function": {"name": request.name}}
        body["tool_choice"] = "required" if tools else only
        tools.append(_tool(request.name, "Give the answer.", request.schema))
    if tools:
        body["tools"] = tools
    return {name: value for name, value in body.items() if name not in form.without}


def _tool(name: str, description: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": name, "description": description, "parameters": dict(schema)}
    return {"type": "function", "function": function}


def _messages(request: Request, form: RequestForm) -> list[dict[str, Any]]:
    messages = []
    picture = request.picture
    for message in request.messages:
        messages.append(_message(message, picture if message.speaker == "user" else None))
        picture = None if message.speaker == "user" else picture
    if request.schema is not None and (form.shows_schema or form.mode == "prompted"):
        words = IN_WORDS + json.dumps(dict(request.schema))
        if messages[0]["role"] == "system":  # some templates take no second one
            messages[0]["content"] += f"\n\n{words}"
        else:
            messages.insert(0, {"role": "system", "content": words})
    return messages


def _message(message: Message, picture: ImagePart | None) -> dict[str, Any]:
    if message.speaker == "system":
        return {"role": "system", "content": message.text}
    if message.speaker == "tool":
        return {"role": "tool", "tool_call_id": message.answers, "content": defuse(message.text)}
    if message.speaker == "assistant":
        calls = {"tool_calls": [_sent_call(call) for call in message.calls]} if message.calls else {}
        return {"role": "assistant", "content": defuse(message.text) or None, **calls}
    if picture is None:
        return {"role": "user", "content": defuse(message.text)}
    url = f"data:{picture.media_type};base64,{b64encode(picture.data).decode()}"
    parts = [{"type": "text", "text": defuse(message.text)}, {"type": "image_url", "image_url": {"url": url}}]
    return {"role": "user", "content": parts}


def _sent_call(call: ToolCall) -> dict[str, Any]:
    """A call that the model made, as it is sent back; servers refuse arguments that are no JSON: those are wrapped."""
    try:
        is_object = isinstance(msgspec.json.decode(call.arguments or "{}"), dict)
    except (ValueError, RecursionError):
        is_object = False
    arguments = call.arguments or "{}" if is_object else json.dumps({"unreadable": call.arguments})
    sent = {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
    return sent | ({"extra_content": json.loads(call.extra)} if call.extra else {})


def defuse(text: str) -> str:
    """`text` with a joiner, which nobody sees, in each word that a server may take for a command of its template.

    Else a paper could speak to the model as the program does.
    """
    return _CONTROL.sub(lambda match: match[0] + JOINER, text)


class _PartialCall:
    """A call of a tool as far as it has come; `default_id` is for servers that give none."""

    def __init__(self, call: _Call, default_id: str) -> None:
        self.index = call.index
        self.id = call.id or ""
        self.default_id = default_id
        self.name = self.arguments = self.extra = ""

    def is_continued_by(self, call: _Call) -> bool:
        """Whether a piece belongs to it; Gemini gives all its calls the same index, and ids that differ."""
        return self.index == call.index and (not call.id or not self.id or call.id == self.id)

    def add(self, call: _Call) -> str:
        """Take in a piece; returns the arguments that it brings."""
        function = call.function or _Function()
        self.name += function.name if function.name and not self.name else ""
        raw_arguments = function.arguments
        arguments = (
            raw_arguments
            if isinstance(raw_arguments, str)
            else ""
            if raw_arguments is None
            else json.dumps(raw_arguments)
        )
        self.arguments += arguments
        if call.extra_content:
            self.extra = json.dumps(call.extra_content)
        return arguments

    def result(self) -> ToolCall:
        """The whole call."""
        return ToolCall(self.id or self.default_id, self.name, self.arguments, self.extra)


class ReplyBuilder:
    """Puts a reply together from what a server sends, whole or in pieces.

    Attributes:
        size: characters that came: of text, of thoughts and of arguments.
    """

    def __init__(self, request: Request) -> None:
        self.size = 0
        self._request = request
        self._text = ReplyText(None if request.schema is None else request.schema.get("required", ()))
        self._calls: list[_PartialCall] = []
        self._earlier = sum(len(message.calls) for message in request.messages)
        self._refusal = self._finish = ""
        self._usage: Any = None
        self._is_whole = False

    def add(self, frame: ChatFrame) -> str:
        """Take in a frame; returns the piece of the answer's text that can be shown."""
        self._usage = frame.usage or self._usage
        if not frame.choices:
            return ""
        choice = frame.choices[0]
        self._finish = choice.finish_reason or self._finish
        self._is_whole = self._is_whole or choice.message is not None
        message = choice.message or choice.delta or _MessagePart()
        text = message.content if isinstance(message.content, str) else _text_of(message.content or ())
        thoughts = (message.reasoning_content, message.reasoning)
        self.size += len(text) + sum(len(thought) for thought in thoughts if isinstance(thought, str))
        self._refusal += message.refusal or ""
        pieces = [self._text.feed(text)] if text else []
        for call in message.tool_calls or ():
            partial = next((earlier for earlier in reversed(self._calls) if earlier.is_continued_by(call)), None)
            if partial is None or self._is_whole:
                partial = _PartialCall(call, f"call_{self._earlier + len(self._calls)}")
                self._calls.append(partial)
            arguments = partial.add(call)
            self.size += len(arguments)
            if partial is self._answer:
                pieces.append(arguments)
        return "".join(pieces)

    def cut(self) -> None:
        """End it here: it is longer than was asked for."""
        self._finish = "length"

    def rest(self) -> str:
        """What can be shown only now that all has come."""
        return "" if self._answer else self._text.rest()

    def reply(self) -> ModelReply:
        """The reply, without cost and seconds.

        Raises:
            BrokenAnswerError: it did not come to its end, or the server says that the model failed.
            UnreadableAnswerError: nothing came that could be one.
        """
        reason = self._finish.lower()
        if not (self._finish or self._is_whole):
            raise BrokenAnswerError("the answer stopped in its middle")
        if reason == "error" or "malformed" in reason:
            raise BrokenAnswerError("the server says that the model failed")
        answer = self._answer
        text = answer.arguments if answer else self._text.finish()
        calls = tuple(call.result() for call in self._calls if call is not answer) if self._request.tools else ()
        finish: Finish = "tools" if calls else "stop"
        if self._refusal or reason == "content_filter":
            finish, text = "refused", text or self._refusal
        elif reason == "length":
            finish = "length"
        return ModelReply(text, calls, finish, self._tokens(text, calls))

    @property
    def _answer(self) -> _PartialCall | None:
        """The call whose arguments are the object that was asked for."""
        if self._request.schema is None:
            return None
        return next((call for call in self._calls if call.name == self._request.name), None)

    def _tokens(self, text: str, calls: tuple[ToolCall, ...]) -> Tokens:
        usage = self._usage if isinstance(self._usage, dict) else {}
        details = usage.get("prompt_tokens_details")
        cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else 0
        prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
        if prompt or completion:
            return Tokens(prompt, cached, completion)
        written = text + "".join(call.name + call.arguments for call in calls)
        return Tokens(self._request.tokens, 0, estimate_tokens(written), estimated=True)


def _text_of(parts: Any) -> str:
    """The text in a content of several parts; Mistral's thoughts are parts of their own."""
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < MOST_TOKENS else 0
