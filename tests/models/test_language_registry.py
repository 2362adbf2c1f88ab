"""Language models by name: what each form means, where keys go, what is said of a wrong one."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conspectus.core.errors import ModelDamagedError, ModelMissingError, ServiceError, SettingsError
from conspectus.models.language import LanguageModel, Message, Request
from conspectus.models.languages.chat_model import ChatModel
from conspectus.models.languages.registry import FORMS, LanguageModels, is_served, language_model, parse_model_name
from conspectus.settings import LanguageSettings, load_settings
from language_server import serve_script

WORDS = Request((Message("user", "What is graphene?"),))


def settings(**given: Any) -> LanguageSettings:
    return load_settings(None, {f"language.{name}": value for name, value in given.items()}).language


def test_ids_say_who_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else answers of one model are taken from the cache for another's."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "sk-x")
    names = {
        "openai:gpt-5-mini": "openai:gpt-5-mini",
        "anthropic:claude-haiku-4-5": "anthropic:claude-haiku-4-5",
        "google:gemini-2.5-flash": "google:gemini-2.5-flash",
        "ollama:qwen3": "ollama:qwen3@http://127.0.0.1:11434",
        "http://127.0.0.1:8080/v1#m": "http://127.0.0.1:8080/v1#m",
    }
    assert {name: language_model(name, settings()).id for name in names} == names
    monkeypatch.setenv("OLLAMA_HOST", "gpu.example.org")
    assert language_model("ollama:qwen3", settings()).id == "ollama:qwen3@http://gpu.example.org:11434"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert language_model("openai:m", settings()).id == "openai:m@http://127.0.0.1:9/v1"


def test_what_is_known_of_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else prompts are made too long, and a budget in dollars never ends."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    assert language_model("openai:gpt-5-mini", settings()).context == 400_000
    assert language_model("openai:gpt-5-mini", settings(context=1000)).context == 1000
    assert language_model("openai:nobody-knows", settings()).context == 0


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("opnai:gpt-5-mini", "openai:gpt-5-mini"),
        ("gpt-5-mini", "openai:gpt-5-mini"),
        ("claude-haiku-4-5", "anthropic:claude-haiku-4-5"),
        ("claude:claude-haiku-4-5", "anthropic:claude-haiku-4-5"),
        ("Ollama:qwen3", "ollama:qwen3"),
        ("openai", "openai:NAME"),
        ("models/qwen.gguf", "local:models/qwen.gguf"),
        ("localhost:8080", "http://localhost:8080/v1"),
        ("localhost:8080/v1", "http://localhost:8080/v1"),
        ("openai:", "openai:NAME"),
        ("http://", ""),
        ("http://host:notaport/v1", ""),
        ("", ""),
        ("qwertz", ""),
    ],
)
def test_a_wrong_name_is_told_with_the_right_ones(name: str, near: str) -> None:
    """Else a user has to find the form of names by trying."""
    with pytest.raises(SettingsError) as caught:
        language_model(name, settings())
    assert f"'{name}'" in caught.value.message
    assert all(form in caught.value.hint for form in FORMS)
    assert (f"Did you mean '{near}'?" in caught.value.hint) if near else "Did you mean" not in caught.value.hint


def test_an_address_that_holds_a_secret_is_refused_and_not_repeated() -> None:
    """Else it is in ids, in the cache and in every error."""
    for name in ("http://me:hunter2@127.0.0.1:8080/v1#m", "http://127.0.0.1:8080/v1?key=hunter2#m"):
        with pytest.raises(SettingsError, match=r"language\.api_key") as caught:
            language_model(name, settings())
        assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("openai:gpt-5-mini", "OPENAI_API_KEY"),
        ("anthropic:claude-haiku-4-5", "ANTHROPIC_API_KEY"),
        ("google:gemini-2.5-flash", "GOOGLE_API_KEY or GEMINI_API_KEY"),
    ],
)
def test_a_missing_key_is_told(name: str, variable: str) -> None:
    """Else a user is not told where to put it."""
    with pytest.raises(ServiceError) as caught:
        language_model(name, settings())
    assert name in caught.value.message
    assert variable in caught.value.hint and "language.api_key" in caught.value.hint


def sent(model: LanguageModel) -> None:
    async def run() -> None:
        await model.complete(WORDS)
        await model.close()

    asyncio.run(run())


def test_keys_go_where_they_are_meant_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the key for one service is shown to another."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    with serve_script(lambda _: "Hi.") as one, serve_script(lambda _: "Hi.") as two:
        sent(language_model(one.url, settings(model=one.url)))
        sent(language_model(one.url, settings(model=one.url, api_key="sk-set")))
        sent(language_model(two.url, settings(model=one.url, judge=two.url, api_key="sk-set")))
        sent(language_model(two.url, settings(ask=one.url, judge=two.url, api_key="sk-set")))
        sent(language_model(two.url, settings(judge=two.url, api_key="sk-set")))
        monkeypatch.setenv("OPENAI_BASE_URL", two.url)
        sent(language_model("openai:m", settings(model=one.url, api_key="sk-set")))
        keys_one = [headers.get("authorization") for headers in one.headers]
        keys_two = [headers.get("authorization") for headers in two.headers]
    assert keys_one == [None, "Bearer sk-set"]
    assert keys_two == [None, None, "Bearer sk-set", "Bearer sk-openai"]


def test_a_key_goes_to_the_first_that_is_asked_and_to_no_later_one() -> None:
    """Else the key for `--model` is shown to the server of `--second-opinion`."""
    with serve_script(lambda _: "Hi.") as one, serve_script(lambda _: "Hi.") as two:

        def keys(*names: str, **given: Any) -> list[list[str | None]]:
            models = LanguageModels(settings(api_key="sk-set", **given))

            async def run() -> None:
                for name in names:
                    await models.get_model(name).complete(WORDS)
                await models.close()

            for server in (one, two):
                server.headers.clear()
            asyncio.run(run())
            return [[headers.get("authorization") for headers in server.headers] for server in (one, two)]

        yes, no = "Bearer sk-set", None
        assert keys(one.url, two.url, f"{one.url}#b") == [[yes, yes], [no]]
        assert keys(one.url, two.url, model="none") == [[yes], [no]]
        assert keys(one.url, two.url, model=two.url) == [[no], [yes]]
        assert keys(one.url, two.url, judge=two.url) == [[no], [yes]]
        assert keys(one.url, two.url, ask="none", judge=two.url) == [[no], [yes]]
        assert keys(one.url, two.url, ask=one.url, judge=two.url) == [[no], [no]]


def test_a_key_for_a_safe_way_is_not_sent_in_the_clear() -> None:
    """Else a wrong letter in an address shows the key to all on the way."""
    assert parse_model_name("https://h/v1").place != parse_model_name("http://h/v1").place
    assert parse_model_name("https://H/v1#a").place == parse_model_name("https://h/v2#b").place
    with serve_script(lambda _: "Hi.") as server:
        sent(language_model(server.url, settings(model=server.url.replace("http:", "https:"), api_key="sk-set")))
        assert [headers.get("authorization") for headers in server.headers] == [None]


def test_none_is_no_model() -> None:
    """Else who switches the model off in a setting is told that there is no model of that name."""
    assert settings(model="none").of("ask") == "" == settings(judge="none").of("judge")
    assert settings(model="openai:m", judge="none").of("judge") == "openai:m"
    models = LanguageModels(settings(model="none", judge="none"))
    assert models.of("ask") is None is models.of("judge")


def test_a_key_is_never_shown() -> None:
    """Else it is in the error that is pasted into a forum, also where a server repeats it."""
    from language_server import error

    with serve_script(lambda _: error(403, "the key sk-hidden is not allowed")) as server:
        model = language_model(server.url, settings(model=server.url, api_key="sk-hidden"))
        with pytest.raises(ServiceError, match=r"the key \*\*\* is not allowed") as caught:
            sent(model)
    shown = f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__suppress_context__} {model.id} {model!r}"
    assert "sk-hidden" not in shown and caught.value.__suppress_context__


def test_a_key_does_not_follow_a_redirect() -> None:
    """Else a server can send a key on to another."""
    from language_server import Say

    with serve_script(["Hi."]) as other:
        there = other.url + "/chat/completions"
        moved = Say(status=307, raw=b"{}", headers=(("location", there),))
        with serve_script([moved]) as server, pytest.raises(ServiceError):
            sent(language_model(f"{server.url}#m", settings(model=server.url, api_key="sk-x")))
        assert other.requests == []


def test_each_model_is_made_once() -> None:
    """Else every role loads the same file again, and each has limits of its own."""
    models = LanguageModels(settings(model="http://127.0.0.1:1/v1#a", judge="http://127.0.0.1:1/v1#b"))
    assert models.of("ask") is models.of("write") is not models.of("judge")
    asyncio.run(models.close())
    assert LanguageModels(settings()).of("ask") is None


def test_a_missing_file_or_package_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a user is shown an import error, or the program dies in llama.cpp."""
    with pytest.raises(ModelMissingError, match=r"none\.gguf"):
        language_model(f"local:{tmp_path / 'none.gguf'}", settings())
    (tmp_path / "no.gguf").write_bytes(b"not a model")
    with pytest.raises(ModelDamagedError, match="no GGUF file"):
        language_model(f"local:{tmp_path / 'no.gguf'}", settings())
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelMissingError) as caught:
        language_model(f"local:{tmp_path / 'no.gguf'}", settings())
    assert "pip install 'conspectus[local]'" in caught.value.hint


def test_a_file_is_asked_by_no_more_than_it_computes_for(tmp_path: Path) -> None:
    """Else calls wait in llama.cpp, where waiting counts, and run out of time."""
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    many = language_model(f"local:{tmp_path / 'm.gguf'}", settings())
    few = language_model(f"local:{tmp_path / 'm.gguf'}", settings(concurrency=2))
    assert isinstance(many, ChatModel) and isinstance(few, ChatModel)
    assert (many._limiter.concurrency, few._limiter.concurrency) == (4, 2)


def test_nothing_heavy_is_imported_before_a_call() -> None:
    """Else every command waits seconds for packages it does not use."""
    code = (
        "import sys, conspectus\n"
        "from conspectus.models.languages.registry import language_model\n"
        "from conspectus.settings import LanguageSettings\n"
        "language_model('http://127.0.0.1:1/v1#m', LanguageSettings())\n"
        "import json; print(json.dumps([n for n in ('pydantic', 'genai_prices', 'xllamacpp') if n in sys.modules]))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(found.stdout) == []


def test_parts_of_a_name() -> None:
    """Else a model with a colon in its name cannot be named."""
    assert parse_model_name("ollama:qwen3:8b").model == "qwen3:8b"
    found = parse_model_name("https://example.org/v1/#org/model:tag")
    assert (found.address, found.model) == ("https://example.org/v1", "org/model:tag")


@pytest.mark.parametrize("name", ["http://localhost:1/v1#m", "openai:gpt-5-mini"])
def test_a_key_that_cannot_be_sent_is_told_before_anything_is(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever copied a placeholder with `…` would be sent to look at the network."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ServiceError, match="The key has a sign that no key has") as caught:
        language_model(name, load_settings(None, {"language.model": name, "language.api_key": "sk-…"}).language)
    assert "language.api_key" in caught.value.hint and "sk-" not in str(caught.value)
    spaced = load_settings(None, {"language.model": name, "language.api_key": " sk-x\n"}).language
    assert language_model(name, spaced)


@pytest.mark.parametrize(
    "name", ["openai:gpt-4o", "google:gemini-2.5-pro", "ollama:qwen2.5:7b", "openai:ft:gpt-4o:a::b"]
)
def test_a_name_at_a_provider_leads_nowhere_else(name: str) -> None:
    """Programs could not choose among the models whose addresses are set here."""
    assert is_served(name)


@pytest.mark.parametrize(
    "name",
    ["", "openai:", "local:x.gguf", "onnx:x", "ollama:http://h", "google:../x", "http://h/v1", "x:y", "openai:a\n"],
)
def test_an_address_or_a_file_is_no_name_at_a_provider(name: str) -> None:
    """A request would have the server send papers anywhere, or read its files."""
    assert not is_served(name)
