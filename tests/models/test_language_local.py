"""A real small model: in this process from its file, and behind a llama.cpp server. What it says does not matter."""

import asyncio
import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from conspectus.core.errors import ServiceError
from conspectus.models.language import LanguageModel, Message, ModelReply, Request
from conspectus.models.languages.chat_model import ChatModel
from conspectus.models.languages.registry import language_model
from conspectus.models.languages.servers import LocalBackend
from conspectus.settings import load_settings

pytestmark = [pytest.mark.llm, pytest.mark.slow]

SCHEMA = {
    "type": "object",
    "properties": {
        "relevant": {"type": "boolean"},
        "score": {"type": "integer", "minimum": 0, "maximum": 10},
        "spans": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 3}, "maxItems": 3},
    },
    "required": ["relevant", "score", "spans"],
    "additionalProperties": False,
}
TURNS = (Message("system", "Be brief."), Message("user", "Is graphene made of carbon? [1] It is. [2] It is not."))
WORDS = Request(TURNS, max_tokens=12)
OBJECT = Request(TURNS, schema=SCHEMA, max_tokens=120)


def made(name: str) -> LanguageModel:
    flags = {"language.context": 1024, "language.concurrency": 2, "language.threads": 1, "language.timeout": 300}
    return language_model(name, load_settings(None, flags).language)


def check(reply: ModelReply) -> None:
    found = json.loads(reply.text)
    assert set(found) == {"relevant", "score", "spans"} and isinstance(found["relevant"], bool)
    assert 0 <= found["score"] <= 10 and all(1 <= span <= 3 for span in found["spans"])
    assert reply.tokens.prompt > 10 and reply.tokens.completion > 5 and not reply.tokens.estimated


def test_a_file_answers_in_this_process(smollm_file: Path) -> None:
    """Else nobody without a network and a key has a language model."""
    model = made(f"local:{smollm_file}")
    assert isinstance(model, ChatModel)

    async def run() -> None:
        assert model.id.startswith("local:SmolLM2-135M-Instruct.Q4_1.gguf/")
        assert model.context == 1024
        words = await model.complete(WORDS)
        assert words.text and words.cost == 0.0 and words.finish in {"length", "stop"}
        for reply in await asyncio.gather(model.complete(OBJECT), model.complete(OBJECT)):
            check(reply)
        *pieces, last = [piece async for piece in model.stream(OBJECT)]
        assert (
            len(pieces) > 3 and isinstance(last, ModelReply) and "".join(map(str, pieces)).strip() == last.text.strip()
        )
        check(last)
        with pytest.raises(ServiceError, match="context") as caught:
            await model.complete(Request((Message("user", "word " * 3000),)))
        assert "too long" in caught.value.hint and not caught.value.retry
        refused_without_the_key(model)
        await model.close()

    asyncio.run(run())
    asyncio.run(again(model))


def refused_without_the_key(model: ChatModel) -> None:
    """Else everybody on the machine can use the model, and read what is asked of it."""
    backend = model._backend
    assert isinstance(backend, LocalBackend) and backend.url.startswith("http://127.0.0.1:")
    for page in ("/chat/completions", "/../slots", "/models"):
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(urllib.request.Request(backend.url + page, data=b"{}"))
        assert caught.value.code == 401
        caught.value.close()


async def again(model: ChatModel) -> None:
    """After it was closed a call loads it anew."""
    assert model._backend._server is None  # type: ignore[attr-defined]
    assert (await model.complete(WORDS)).text
    await model.close()


def test_a_llama_cpp_server_of_ones_own(smollm_url: str) -> None:
    """Else the most common local server is not understood."""
    model = made(smollm_url)

    async def run() -> None:
        assert "SmolLM2" in model.id
        assert (await model.complete(WORDS)).text
        for _ in range(3):
            check(await model.complete(OBJECT))
        *pieces, last = [piece async for piece in model.stream(WORDS)]
        assert isinstance(last, ModelReply) and "".join(map(str, pieces)) == last.text
        await model.close()

    asyncio.run(run())
    flags = {"language.model": smollm_url}
    assert language_model(smollm_url, load_settings(None, flags).language).context == 4096


def test_a_file_that_llama_cpp_cannot_load(tmp_path: Path) -> None:
    """Else the program ends in llama.cpp without a word."""
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 1000)
    model = made(f"local:{broken}")
    with pytest.raises(ServiceError, match="cannot load") as caught:
        asyncio.run(model.complete(WORDS))
    assert str(broken) in caught.value.message and "damaged" in caught.value.hint
