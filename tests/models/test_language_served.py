"""Language models over HTTP, against a server that says what a script tells it to."""

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.models.language import LanguageModel, Message, ModelReply, Request, Tokens, Tool, ToolCall
from conspectus.models.languages.registry import language_model
from conspectus.settings import load_settings
from helpers import HANG
from language_server import Answer, LanguageServer, Say, calls, error, request_text, serve_script
from talking import ask, stream

SCHEMA = {
    "type": "object",
    "properties": {"relevant": {"type": "boolean"}},
    "required": ["relevant"],
    "additionalProperties": False,
}
WORDS = Request((Message("system", "Be brief."), Message("user", "What is graphene?")))
OBJECT = Request(WORDS.messages, schema=SCHEMA)
SEARCH = Tool("search", "Search.", {"type": "object", "properties": {"words": {"type": "string"}}})
TOOLS = Request(WORDS.messages, tools=(SEARCH,))

Run = Callable[..., Any]


def made(server: LanguageServer, **settings: Any) -> LanguageModel:
    flags = {f"language.{name}": value for name, value in settings.items()}
    return language_model(server.url, load_settings(None, {"language.model": server.url, **flags}).language)


def test_words_and_an_object() -> None:
    """Else a model that answers as it should is of no use."""
    with serve_script(["Carbon.", Say(object={"relevant": True}, usage=(50, 9, 30))]) as server:
        model = made(server)
        words, answer = ask(model, WORDS, OBJECT)
        assert isinstance(model, LanguageModel)
        assert model.id == f"{server.url}#scripted"
    assert (words.text, words.finish, words.calls) == ("Carbon.", "stop", ())
    assert answer.text == '{"relevant": true}'
    assert answer.tokens == Tokens(50, 30, 9)
    assert answer.cost == 0 and answer.seconds > 0  # it runs here
    first, second = server.requests
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert (first["model"], first["max_tokens"], first["temperature"]) == ("scripted", 2000, 0.0)
    assert second["response_format"]["json_schema"]["schema"]["required"] == ["relevant"]


@pytest.mark.parametrize(
    ("takes", "way"),
    [({"native", "tool"}, "response_format"), ({"tool"}, "tools"), (set(), "")],
    ids=["native", "tool", "words"],
)
def test_an_object_is_asked_for_in_the_way_the_server_takes(takes: set[str], way: str) -> None:
    """Else every second server refuses, or is asked in vain with every passage."""
    with serve_script([{"relevant": False}] * 3, takes=frozenset(takes)) as server:
        model = made(server)
        replies = ask(model, OBJECT, OBJECT, OBJECT)
        refused = len([path for path in server.paths if path.endswith("/completions")]) - len(server.requests)
    assert [reply.text.replace(" ", "") for reply in replies] == ['{"relevant":false}'] * 3
    assert all(reply.calls == () and reply.finish == "stop" for reply in replies)
    assert refused == 2 - len(takes), "it is remembered what was refused"
    assert all({"response_format", "tools"} & set(body) == ({way} if way else set()) for body in server.requests)
    assert way or '"relevant"' in request_text(server.requests[0])


def test_a_refusal_for_something_else_teaches_nothing() -> None:
    """Else one bad prompt makes every later answer worse."""
    with serve_script([*[error(400, "bad request")] * 3, {"relevant": True}]) as server:
        model = made(server)
        with pytest.raises(ServiceError, match="bad request"):
            ask(model, OBJECT)
        ask(model, OBJECT)
    assert "response_format" in server.requests[0] and "tools" in server.requests[1]
    assert "response_format" in server.requests[3] and "tools" not in server.requests[3]


def test_ten_at_once_learn_it_once() -> None:
    """Else the second refusal of those that were under way is taken for a refusal of the next way, too."""

    async def run(model: LanguageModel) -> list[ModelReply]:
        found = await asyncio.gather(*(model.complete(OBJECT) for _ in range(10)))
        await model.close()
        return found

    with serve_script(lambda _: {"relevant": True}, takes=frozenset({"tool"})) as server:
        replies = asyncio.run(run(made(server)))
    assert {reply.text.replace(" ", "") for reply in replies} == {'{"relevant":true}'}
    assert all("tools" in body for body in server.requests)


def test_tools_are_called_and_answered() -> None:
    """Else an agent cannot search."""
    made_calls = calls(("search", {"words": "moss"}), ("search", "{broken"), text="I look.")
    with serve_script([made_calls, "Done."]) as server:
        model = made(server)
        (first,) = ask(model, TOOLS)
        turns = (
            *TOOLS.messages,
            Message("assistant", first.text, calls=first.calls),
            *(Message("tool", f"found {call.id}", answers=call.id) for call in first.calls),
        )
        (second,) = ask(model, Request(turns, tools=(SEARCH,)))
    assert first.finish == "tools" and first.text == "I look."
    assert first.calls[0] == ToolCall("call_0", "search", '{"words": "moss"}')
    assert first.calls[1].arguments == "{broken", "it is not for this layer to judge"
    assert (second.text, second.finish, model.calls_tools) == ("Done.", "stop", True)
    offered = server.requests[0]["tools"][0]["function"]
    assert (offered["name"], offered["parameters"]["properties"]) == ("search", SEARCH.schema["properties"])
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "tool"]
    assert server.requests[1]["messages"][3]["tool_call_id"] == "call_0"
    sent = [json.loads(call["function"]["arguments"]) for call in server.requests[1]["messages"][2]["tool_calls"]]
    assert sent == [{"words": "moss"}, {"unreadable": "{broken"}], "servers refuse what is no JSON"


def test_a_server_that_refuses_tools_is_known_to() -> None:
    """Else the agent fails where the fixed pipeline would have answered."""
    with serve_script(["Words."], takes=frozenset()) as server:
        model = made(server)
        assert model.calls_tools
        (reply,) = ask(model, TOOLS)
        assert (reply.text, reply.calls, model.calls_tools) == ("Words.", (), False)


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        (Say(refusal="I cannot."), "refused"),
        (Say("", finish="content_filter"), "refused"),
        (Say("Car", finish="length"), "length"),
    ],
)
def test_why_it_ended(said: Answer, finish: str) -> None:
    """Else a refusal or half an answer is taken for a whole one."""
    with serve_script([said, said]) as server:
        model = made(server)
        (reply,) = ask(model, WORDS)
        streamed = stream(model, WORDS)[-1]
    assert reply.finish == finish
    assert isinstance(streamed, ModelReply) and streamed.finish == finish and streamed.text == reply.text


def test_tokens_that_are_not_counted_are_estimated() -> None:
    """Else a budget of tokens never ends with such a server, or a guess is taken for a count."""
    with serve_script([Say("a" * 40, usage=None)]) as server:
        (reply,) = ask(made(server), WORDS)
    assert reply.tokens.estimated and reply.tokens.completion == 10
    assert reply.tokens.prompt == pytest.approx(len("Be brief.What is graphene?") / 4, abs=1)


@pytest.mark.parametrize("takes", [{"native", "tool"}, {"tool"}, set()], ids=["native", "tool", "words"])
def test_an_object_streams_as_json(takes: set[str]) -> None:
    """Else an answer is not shown as it is written."""
    with serve_script([{"relevant": True}], takes=frozenset(takes)) as server:
        *pieces, reply = stream(made(server), OBJECT)
    assert len(pieces) > 1 and isinstance(reply, ModelReply)
    assert "".join(str(piece) for piece in pieces) == reply.text
    assert reply.text.replace(" ", "") == '{"relevant":true}'


def test_words_around_an_object_are_left_out() -> None:
    """Else small models, which fence and explain, never give a valid object."""
    fenced = 'Sure! Here it is:\n```json\n{"relevant": true, "why": "a } in a \\"text\\""}\n```\nAnything else?'
    with serve_script([fenced, fenced]) as server:
        model = made(server)
        (reply,) = ask(model, OBJECT)
        *pieces, streamed = stream(model, OBJECT)
    assert reply.text == '{"relevant": true, "why": "a } in a \\"text\\""}' == "".join(map(str, pieces))
    assert isinstance(streamed, ModelReply) and streamed.text == reply.text


def test_a_server_that_ignores_the_schema_is_shown_it() -> None:
    """Else a server that takes a schema and does not keep to it can never be used."""
    with serve_script(["Yes, it is.", "Yes.", {"relevant": True}]) as server:
        replies = ask(made(server), WORDS, OBJECT, OBJECT)
    assert replies[1].text == "Yes.", "nothing is made up"
    assert '"relevant"' not in request_text(server.requests[1]) and '"relevant"' in request_text(server.requests[2])


def test_twenty_calls_at_ten_at_a_time() -> None:
    """Else reading 20 passages takes 20 times as long as one."""

    async def run(model: LanguageModel) -> None:
        await asyncio.gather(*(model.complete(OBJECT) for _ in range(20)))
        await model.close()

    ten = threading.Barrier(10, timeout=HANG)

    def answer(_: dict[str, Any]) -> Say:
        ten.wait()
        return Say(object={"relevant": True})

    with serve_script(answer) as server:
        model = made(server, concurrency=10)
        ask(model)
        asyncio.run(run(model))
    assert server.most == 10


def test_another_event_loop_may_follow() -> None:
    """Else a second question in the same Python session fails with 'event loop is closed'."""
    with serve_script(["one", "two"]) as server:
        model = made(server)
        first = asyncio.run(model.complete(WORDS))
        second = asyncio.run(model.complete(WORDS))
        asyncio.run(model.close())
    assert (first.text, second.text) == ("one", "two")


def test_errors_that_stay_are_told_at_once() -> None:
    """Else a wrong key is tried for minutes."""
    with serve_script([error(400, "This model's maximum context length is 4096 tokens")], key="right") as server:
        with pytest.raises(ServiceError, match="401") as caught:
            ask(made(server, api_key="sk-wrong"), WORDS)
        assert "language.api_key" in caught.value.hint and not caught.value.retry
        with pytest.raises(ServiceError, match="maximum context length") as caught:
            ask(made(server, api_key="right"), WORDS)
        assert "too long" in caught.value.hint
        assert len(server.requests) == 1


def test_a_stream_that_hangs_is_left(no_waiting: list[float]) -> None:
    """Else an answer that never comes is waited for."""
    with serve_script([Say("late", delay=HANG), "Carbon."]) as server:
        *pieces, _ = stream(made(server, timeout=2), WORDS)
    assert "".join(map(str, pieces)) == "Carbon." and len(no_waiting) == 1


def test_a_stream_without_end_is_left_in_time(no_waiting: list[float]) -> None:
    """Else a server that gives a word now and then holds an answer for ever."""
    dripping = serve_script(lambda _: Say("blah ", endless=0.05))
    with dripping as server, pytest.raises(ServiceAwayError, match=r"within 0\.5 s") as caught:
        stream(made(server, timeout=0.5), WORDS)
    assert "language.timeout" in caught.value.hint
    assert no_waiting == [] and len(server.requests) == 1, "what was shown is not shown twice"


def test_who_listens_slowly_is_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else an answer that is read in a pager ends with an error."""
    now = [0.0]
    monkeypatch.setattr("conspectus.models.languages.chat_model.time", SimpleNamespace(perf_counter=lambda: now[0]))

    async def run(model: LanguageModel) -> list[str | ModelReply]:
        found = []
        async for piece in model.stream(WORDS):
            now[0] += HANG
            found.append(piece)
        await model.close()
        return found

    with serve_script(["Carbon, in a layer of one atom."]) as server:
        *pieces, reply = asyncio.run(run(made(server, timeout=HANG)))
    assert "".join(map(str, pieces)) == getattr(reply, "text", "") == "Carbon, in a layer of one atom."


@pytest.mark.parametrize("request_", [WORDS, OBJECT], ids=["words", "object"])
def test_a_stream_that_knows_no_limit_is_ended_as_too_long(request_: Request) -> None:
    """Else a server that does not heed the limit fills the memory and the screen."""
    short = replace(request_, max_tokens=20)
    with serve_script(lambda _: Say("blah ", endless=0.0)) as server:
        model = made(server, timeout=60)
        *pieces, reply = stream(model, short)
    assert isinstance(reply, ModelReply) and reply.finish == "length"
    assert 160 < len(reply.text) < 200
    assert "".join(map(str, pieces)) == (reply.text if request_ is WORDS else "")


CHOICE: dict[str, Any] = {"index": 0, "message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}
FRAME: dict[str, Any] = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [CHOICE]}
CALL: dict[str, Any] = {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}


def with_message(**message: Any) -> dict[str, Any]:
    return FRAME | {"choices": [CHOICE | {"message": {"role": "assistant"} | message}]}


STRANGE: list[Any] = [
    b"",
    b"null",
    b"[]",
    b'"text"',
    b"{}",
    b"\xff\xfe",
    b"[" * 5000,
    b'{"choices": NaN}',
    {"error": {"message": "overloaded"}},
    {"error": "no"},
    FRAME | {"choices": []},
    FRAME | {"choices": None},
    FRAME | {"choices": [None]},
    FRAME | {"choices": {}},
    FRAME | {"choices": [{}]},
    FRAME | {"choices": [CHOICE | {"message": None}]},
    FRAME | {"choices": [CHOICE | {"finish_reason": "because"}]},
    FRAME | {"choices": [CHOICE | {"finish_reason": None}]},
    FRAME | {"created": "yesterday", "model": None, "usage": {"prompt_tokens": "many"}},
    FRAME | {"usage": {"prompt_tokens": -5, "completion_tokens": 10**30}},
    with_message(content=None),
    with_message(content=["a", {"b": 1}]),
    with_message(content=5),
    with_message(content="x", tool_calls=5),
    with_message(tool_calls=[None]),
    with_message(tool_calls=[{}]),
    with_message(tool_calls=[CALL | {"id": None}]),
    with_message(tool_calls=[CALL | {"function": {"name": None, "arguments": None}}]),
    with_message(tool_calls=[CALL | {"function": {"name": "rm", "arguments": 5}}]),
    with_message(tool_calls=[CALL | {"type": "custom"}]),
    with_message(refusal=5),
    with_message(reasoning=5, content="x"),
    b'{"choices": [{"message": {"content": "\\ud83d"}, "finish_reason": "stop"}]}',
]


@pytest.mark.parametrize("body", STRANGE, ids=range(len(STRANGE)))
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
def test_whatever_a_server_answers_is_a_reply_or_an_error_of_the_service(
    body: Any, streamed: bool, no_waiting: list[float]
) -> None:
    """Else a strange server ends the program with a stack of calls."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    if streamed:
        delta = raw.replace(b'"message"', b'"delta"')
        say = Say(raw=b"data: " + delta + b"\n\ndata: [DONE]\n\n", headers=(("content-type", "text/event-stream"),))
    else:
        say = Say(raw=raw)
    for request in (WORDS, OBJECT, TOOLS):
        with serve_script(lambda _: say) as server:
            try:
                found = stream(made(server), request)[-1] if streamed else ask(made(server), request)[0]
            except ServiceError as error:
                assert server.url in error.message and error.hint
            else:
                assert isinstance(found, ModelReply) and isinstance(found.text, str)
                assert all(isinstance(call.arguments, str) and isinstance(call.name, str) for call in found.calls)


@pytest.mark.parametrize(
    "say",
    [
        Say(raw=b"\xff\xfe"),
        Say(raw=b"<html>"),
        Say(raw=b"{no json}"),
        Say(raw=b"plain", headers=(("content-encoding", "gzip"),)),
    ],
    ids=["bytes", "page", "braces", "gzip"],
)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
def test_what_cannot_be_read_is_told_at_once(say: Say, streamed: bool, no_waiting: list[float]) -> None:
    """Else a wrong address is asked four times, and the user is sent to look at the network."""
    if streamed and not say.headers:
        raw = b"data: " + (say.raw or b"") + b"\n\n"
        say = replace(say, raw=raw, headers=(("content-type", "text/event-stream"),))
    with serve_script(lambda _: say) as server:
        model = made(server)
        with pytest.raises(ServiceError, match="did not answer as a server of language models does") as caught:
            _ = stream(model, WORDS) if streamed else ask(model, WORDS)
    assert no_waiting == [] and not caught.value.retry
    assert server.url in caught.value.hint and "network" not in caught.value.hint


@pytest.mark.parametrize("body", [b'{"choices": [{"mess', b'{"choices": [{}', b'{"choices": "\xc3'])
def test_what_was_cut_off_is_asked_again(body: bytes, no_waiting: list[float]) -> None:
    """Else a hiccup is taken for a server of the wrong kind."""
    with serve_script([Say(raw=body), "whole"]) as server:
        (reply,) = ask(made(server), WORDS)
    assert reply.text == "whole" and len(no_waiting) == 1


def test_a_sentence_has_one_full_stop(no_waiting: list[float]) -> None:
    """Else errors look as careless as they read."""
    with serve_script([]) as server:
        model = language_model(f"{server.url}#m", load_settings(None, {}).language)
        nameless = language_model(server.url, load_settings(None, {}).language)
    for away in (model, nameless):
        with pytest.raises(ServiceAwayError, match="cannot be reached") as caught:
            ask(away, WORDS)
        assert ".." not in caught.value.message


def test_half_a_stream_before_anything_was_shown_is_asked_again(no_waiting: list[float]) -> None:
    """Else a hiccup ends an answer that was not begun; and what was shown is not shown twice."""
    with serve_script([Say("never", cut=0), "whole", Say("half of it", cut=4)]) as server:
        model = made(server)
        *pieces, reply = stream(model, WORDS)
        assert "".join(map(str, pieces)) == "whole" == getattr(reply, "text", "")
        with pytest.raises(ServiceAwayError, match="broke off"):
            stream(model, WORDS)
        assert len(server.requests) == 3


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
def test_an_error_in_an_answer_that_began_well_is_reported_in_its_words(
    streamed: bool, no_waiting: list[float]
) -> None:
    """Else a user is told that a server broke off, and not why."""
    error = b'{"error": {"message": "the GPU is out of memory", "code": 500}}'
    if streamed:
        piece = b'{"choices": [{"delta": {"content": "Carbon"}}]}'
        raw = b"data: %s\n\ndata: %s\n\n" % (piece, error)
        say = Say(raw=raw, headers=(("content-type", "text/event-stream"),))
    else:
        say = Say(raw=error)
    with serve_script(lambda _: say) as server, pytest.raises(ServiceAwayError, match="the GPU is out of memory"):
        _ = stream(made(server), WORDS) if streamed else ask(made(server), WORDS)
    assert len(server.requests) == (1 if streamed else 4)


def test_content_in_parts_is_read_without_its_thoughts() -> None:
    """Else an answer of Mistral's models, whose thoughts are parts of their own, is none."""
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "Carbon."}]
    with serve_script([Say(raw=json.dumps(with_message(content=parts)).encode())]) as server:
        (reply,) = ask(made(server), WORDS)
    assert reply.text == "Carbon."


def test_a_line_separator_in_a_stream_is_text() -> None:
    """Else an answer with U+2028, which JSON allows, is cut there and cannot be read."""
    chunk = '{"choices": [{"delta": {"content": "one\u2028two"}, "finish_reason": "stop"}]}'
    say = Say(raw=f"data: {chunk}\n\n".encode(), headers=(("content-type", "text/event-stream"),))
    with serve_script([say]) as server:
        *_, reply = stream(made(server), WORDS)
    assert isinstance(reply, ModelReply) and reply.text == "one\u2028two"
