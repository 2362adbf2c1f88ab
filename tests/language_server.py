"""A local server with OpenAI's language that says what a script tells it to.

    with serve_script(["Hello.", {"relevant": True}, calls(("search", {"words": "graphene"}))]) as server:
        settings = {"language.model": server.url}

A script is a list, one answer for each request in the order they come, or a function from the request's JSON to an
answer (called from several threads). An answer is a text, a dict (the object that a schema asked for), or a `Say`.
"""

import contextlib
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from conspectus.models.language import Finish, ModelReply, Request, Tokens
from helpers import HANG
from loopback import QuietHandler, serve_handler

MODEL = "scripted"
PIECE = 7
"""Characters in a piece of a stream."""
ENDED = 418
"""The status when a script has no answer left: none that is tried again."""


@dataclass(frozen=True, slots=True)
class Say:
    """One answer.

    Attributes:
        usage: tokens of prompt, answer and, of the prompt, cached; None: the server counts none.
        status: with another than 200, `text` is the error's message and `headers` come with it.
        delay: seconds before anything is sent.
        over: seconds that the pieces of a stream are spread over; an answer in one piece comes after them.
        cut: characters of the body, or of a stream's text, after which the connection ends; -1: never.
        raw: a body that is sent as it is.
        finish: instead of what would fit.
        thoughts: sent as `reasoning_content`, before the text.
        endless: seconds between the pieces of a stream that gives its text again and again; -1: it ends.
    """

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any] | str], ...] = ()
    object: Mapping[str, Any] | None = None
    refusal: str = ""
    usage: tuple[int, int, int] | None = (100, 20, 0)
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0
    over: float = 0.0
    cut: int = -1
    raw: bytes | None = None
    finish: str = ""
    thoughts: str = ""
    endless: float = -1.0


Answer = str | Mapping[str, Any] | Say
Script = Sequence[Answer] | Callable[[dict[str, Any]], Answer]


def calls(*made: tuple[str, Mapping[str, Any] | str], text: str = "", **more: Any) -> Say:
    """The model calls tools: names with their arguments, as an object or as text that may be no JSON."""
    return Say(text, calls=made, **more)


def error(status: int, text: str = "no", **headers: str) -> Say:
    """A refusal by the server: `error(429, "slow down", retry_after="1")`."""
    return Say(text, status=status, headers=tuple((name.replace("_", "-"), value) for name, value in headers.items()))


@dataclass
class LanguageServer:
    """What it was asked, and how many asked at once.

    Attributes:
        url: with `/v1`.
        requests: bodies of the calls of `/chat/completions`, in the order they came.
        headers: theirs.
        paths: all that was asked for.
        most: calls in hand at the same time, at most.
        takes: the ways to ask for an object that are not refused: native, tool; words are always taken.
        key: what has to come as the key; "": none.
        busy: it does not say which models it has.
        left: answers during which the client closed the connection.
    """

    script: Script
    takes: frozenset[str] = frozenset({"native", "tool"})
    key: str = ""
    models: tuple[str, ...] = (MODEL,)
    props: Mapping[str, Any] | None = None
    busy: bool = False
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    most: int = 0
    now: int = 0
    left: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self, body: dict[str, Any], headers: Mapping[str, str]) -> Say:
        """The answer to a request, which is recorded."""
        if self.key and headers.get("authorization") != f"Bearer {self.key}":
            return error(401, "Incorrect API key provided")
        if "response_format" in body and "native" not in self.takes:
            return error(400, "response_format is not supported")
        if "tools" in body and "tool" not in self.takes:
            return error(400, "this server does not support tools")
        with self.lock:
            self.requests.append(body)
            self.headers.append(dict(headers))
            number = len(self.requests)
        if callable(self.script):
            return _say(self.script(body))
        if number > len(self.script):
            return error(ENDED, f"the script has {len(self.script)} answers, and this is request {number}")
        return _say(self.script[number - 1])


def request_text(body: Mapping[str, Any]) -> str:
    """All that a request says, for scripts and asserts."""
    return "\n".join(str(message.get("content") or "") for message in body["messages"])


@contextlib.contextmanager
def serve_script(script: Script, **settings: Any) -> Iterator[LanguageServer]:
    """A running server; see `LanguageServer` for `settings`."""
    known = LanguageServer(script, **settings)
    with serve_handler(_handler(known)) as address:
        known.url = f"{address}/v1"
        yield known


class InProcess:
    """A language model of the same script, without a server: where what lies between is not what is tested."""

    id = "scripted/1"
    context = 0
    calls_tools = True

    def __init__(self, script: Callable[[dict[str, Any]], Answer]) -> None:
        self._script = script

    async def complete(self, request: Request) -> ModelReply:
        wanted = {"response_format": {"json_schema": {"name": request.name}}} if request.schema else {}
        messages = [{"role": one.speaker, "content": one.text} for one in request.messages]
        say = _say(self._script({"messages": messages, **wanted}))
        text = json.dumps(say.object) if say.object is not None else say.refusal or say.text
        finish = "refused" if say.refusal else say.finish or "stop"
        return ModelReply(text, finish=cast(Finish, finish), tokens=Tokens(100, 0, 20))

    async def stream(self, request: Request) -> AsyncIterator[str | ModelReply]:
        reply = await self.complete(request)
        if reply.finish != "refused":
            for piece in _pieces(reply.text):
                yield piece
        yield reply

    async def close(self) -> None:
        pass


def _say(answer: Answer) -> Say:
    if isinstance(answer, Say):
        return answer
    return Say(answer) if isinstance(answer, str) else Say(object=answer)


def _handler(known: LanguageServer) -> type[QuietHandler]:
    class Handler(QuietHandler):
        def do_GET(self) -> None:
            known.paths.append(self.path)
            if self.path == "/v1/models" and known.busy:
                self._json(429, {"error": {"message": "too many requests"}})
            elif self.path == "/v1/models":
                rows = [{"id": name, "object": "model"} for name in known.models]
                self._json(200, {"object": "list", "data": rows})
            elif self.path == "/props" and known.props is not None:
                self._json(200, known.props)
            else:
                self._json(404, {"error": {"message": "no such page"}})

        def do_POST(self) -> None:
            known.paths.append(self.path)
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if self.path != "/v1/chat/completions":
                return self._json(404, {"error": {"message": "no such page"}})
            with known.lock:
                known.now += 1
                known.most = max(known.most, known.now)
            try:
                say = known.next(body, {name.lower(): value for name, value in self.headers.items()})
                time.sleep(say.delay + (0 if body.get("stream") else say.over))
            finally:
                with known.lock:
                    known.now -= 1
            try:
                self._answer(body, say)
            except OSError:
                known.left += 1
            return None

        def _answer(self, body: dict[str, Any], say: Say) -> None:
            if say.raw is not None:
                self._send(say.status, say.raw, say.headers, say.cut)
            elif say.status != 200:
                self._json(say.status, {"error": {"message": say.text}}, say.headers)
            elif say.endless >= 0:
                self._drip(body, say)
            elif body.get("stream"):
                self._stream(body, say)
            else:
                self._send(200, json.dumps(_completion(body, say)).encode(), say.headers, say.cut)

        def _stream(self, body: dict[str, Any], say: Say) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            chunks = list(_chunks(body, say))
            began = time.monotonic()
            for number, chunk in enumerate(chunks, 1):
                time.sleep(max(0.0, began + say.over * number / len(chunks) - time.monotonic()))
                self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
                self.wfile.flush()
            if say.cut < 0:
                self.wfile.write(b"data: [DONE]\n\n")

        def _drip(self, body: dict[str, Any], say: Say) -> None:
            """The same piece for as long as somebody listens, and nothing hangs."""
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            end = time.monotonic() + HANG
            while time.monotonic() < end:
                delta = {"index": 0, "delta": {"role": "assistant", "content": say.text}, "finish_reason": None}
                chunk = _frame(body, "chat.completion.chunk", [delta])
                self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
                self.wfile.flush()
                time.sleep(say.endless)

        def _json(self, status: int, body: Any, headers: Sequence[tuple[str, str]] = ()) -> None:
            self._send(status, json.dumps(body).encode(), headers)

        def _send(self, status: int, raw: bytes, headers: Sequence[tuple[str, str]] = (), cut: int = -1) -> None:
            self.send_response(status)
            for name, value in {"content-type": "application/json", **dict(headers)}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw if cut < 0 else raw[:cut])

    return Handler


def _completion(body: dict[str, Any], say: Say) -> dict[str, Any]:
    text, made = _content(body, say)
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if made:
        message["tool_calls"] = made
    if say.refusal:
        message["refusal"] = say.refusal
    if say.thoughts:
        message["reasoning_content"] = say.thoughts
    choice = {"index": 0, "message": message, "finish_reason": _finish(say, made)}
    return _frame(body, "chat.completion", [choice]) | ({"usage": _usage(say)} if say.usage else {})


def _chunks(body: dict[str, Any], say: Say) -> Iterator[dict[str, Any]]:
    """The stream: the text in pieces, then the calls, whose arguments come in pieces too, then why it ended."""
    text, made = _content(body, say)
    text = text if say.cut < 0 else text[: say.cut]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in _pieces(say.thoughts)]
    deltas += [{"content": piece} for piece in _pieces(text)]
    deltas += [{"refusal": say.refusal}] if say.refusal else []
    for call in made:
        arguments = call["function"]["arguments"]
        deltas.append({"tool_calls": [call | {"function": call["function"] | {"arguments": ""}}]})
        for piece in _pieces(arguments if say.cut < 0 else arguments[: say.cut]):
            deltas.append({"tool_calls": [{"index": call["index"], "function": {"arguments": piece}}]})
    for delta in deltas:
        yield _frame(body, "chat.completion.chunk", [{"index": 0, "delta": delta, "finish_reason": None}])
    if say.cut < 0:
        last = {"index": 0, "delta": {}, "finish_reason": _finish(say, made)}
        yield _frame(body, "chat.completion.chunk", [last])
        if say.usage:
            yield _frame(body, "chat.completion.chunk", []) | {"usage": _usage(say)}


def _content(body: dict[str, Any], say: Say) -> tuple[str, list[dict[str, Any]]]:
    """Text and tool calls. An object goes out as the request asks for it: as text, or as a tool's arguments."""
    made, text = list(say.calls), say.text
    if say.object is not None:
        choice = body.get("tool_choice")
        if choice not in (None, "auto", "none"):
            named = choice["function"]["name"] if isinstance(choice, dict) else body["tools"][-1]["function"]["name"]
            made.append((named, say.object))
        else:
            text = json.dumps(say.object)
    return text, [
        {
            "index": number,
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for number, (name, given) in enumerate(made)
    ]


def _finish(say: Say, made: list[dict[str, Any]]) -> str:
    return say.finish or ("tool_calls" if made else "stop")


def _frame(body: dict[str, Any], kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": "chat-1", "object": kind, "created": 1, "model": body["model"], "choices": choices}


def _usage(say: Say) -> dict[str, Any]:
    assert say.usage is not None
    prompt, completion, cached = say.usage
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]
