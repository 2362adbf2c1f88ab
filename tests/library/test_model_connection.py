"""Connecting language models: found, tested, set; keys that nobody sees again."""

import asyncio
import hashlib
import json
import logging
import os
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conspectus import Library, load_settings
from conspectus.cli.app import app
from conspectus.core.errors import ModelDamagedError, NotFoundError, ServiceError, SettingsError
from conspectus.library import model_connection
from conspectus.models import hub
from conspectus.models.languages import offers
from conspectus.models.languages.registry import language_model
from conspectus.server.access import Access
from conspectus.settings import Secret
from conspectus.settings.keys import keys_file
from conspectus.settings.user_folders import config_file
from helpers import open_library, write_jsonl
from language_server import LanguageServer, error, serve_script
from loopback import QuietHandler, serve_handler
from serving import collect_notices, make_client

KEY = "sk-never-shown-0123456789"
READ = {"readings": [{"passage": 1, "relevant": True, "score": 9, "spans": [2], "summary": ""}]}
PAPER = {"id": "p0", "title": "Grid cells", "abstract": "Grid cells fire in a lattice.", "year": 2001}


@pytest.fixture(autouse=True)
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration of the test's own, and no server of this machine."""
    monkeypatch.setenv("CONSPECTUS_CONFIG", str(tmp_path / "conf" / "config.toml"))
    monkeypatch.setattr(offers, "SERVERS", ())
    monkeypatch.setattr(offers, "find_servers", lambda: ())
    return tmp_path / "conf" / "config.toml"


@pytest.fixture
def server() -> Iterator[LanguageServer]:
    with serve_script(lambda _: READ, key=KEY, models=("small", "large", "text-embedding-3")) as running:
        yield running


def connect(library: Library, name: str, **options: Any) -> Any:
    return library.models.connect(name, **options)


def bytes_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_model_is_tested_and_set(tmp_path: Path, server: LanguageServer) -> None:
    """A model that is connected would answer no question, or only after the program is started again."""
    with open_library(tmp_path / "lib") as library:
        made = connect(library, f"{server.url}#small", key=Secret(KEY))
        assert made.tested.prompt_tokens == 100
        assert made.tested.question_cost is None
        assert made.roles["write"] == library.settings.language.model == f"{server.url}#small"
        assert made.roles["vision"] == ""
        connect(library, f"{server.url}#large", role="judge")
        assert library.settings.language.of("judge") == f"{server.url}#large"
    reopened = load_settings(tmp_path / "lib").language
    assert reopened.of("write") == f"{server.url}#small"
    assert language_model(reopened.model, reopened)._backend.key.reveal() == KEY  # type: ignore[attr-defined]
    assert not list((tmp_path / "lib").glob("conspectus.toml"))


def test_a_model_that_was_set_for_the_library_alone_gives_way(tmp_path: Path, server: LanguageServer) -> None:
    """A model that was once typed into the settings would win for ever, and the dialog would refuse every other."""
    with open_library(tmp_path / "lib") as library:
        library.configure({"language.model": "ollama:other", "search.k": 7})
        connect(library, f"{server.url}#small", key=Secret(KEY))
        assert library.settings.language.model == f"{server.url}#small"
        assert library.settings.search.k == 7


def test_a_name_that_cannot_be_read_is_mended_by_connecting(tmp_path: Path, server: LanguageServer) -> None:
    """A typo in the configuration would keep every model from being connected, and itself from being taken out."""
    config_file().parent.mkdir()
    config_file().write_text('[language]\nmodel = "gtp-5"\n', "utf-8")
    with open_library(tmp_path / "lib") as library:
        connect(library, f"{server.url}#small", key=Secret(KEY), role="judge")
        assert library.models.disconnect().roles["write"] == ""


def test_a_model_is_connected_from_a_notebook(tmp_path: Path, server: LanguageServer) -> None:
    """A notebook has an event loop of its own, in which no other can run."""

    async def cell(library: Library) -> Any:
        return connect(library, f"{server.url}#small", key=Secret(KEY))

    with open_library(tmp_path / "lib") as library:
        assert asyncio.run(cell(library)).tested


def test_a_question_is_answered_within_a_small_context(tmp_path: Path) -> None:
    """With Ollama's 4,096 tokens the prompt would be cut off in silence, and the answer be about half of it."""
    long = " ".join(f"Grid cells of rat {n} fire in a lattice of {n} cm." for n in range(400))

    small = {"default_generation_settings": {"n_ctx": 4096}}
    with serve_script(lambda _: {"readings": []}, props=small) as running, open_library(tmp_path / "lib") as library:
        library.add([write_jsonl(tmp_path / "p.jsonl", [PAPER | {"text": long}])])
        with suppress(ServiceError):  # it says nothing that can be used
            library.ask("Where do grid cells fire?", model=f"{running.url}#scripted")
        tokens = [len(json.dumps(body["messages"])) / 4 + body["max_tokens"] for body in running.requests]
    assert tokens
    assert max(tokens) <= 4096


def test_a_model_that_fails_its_test_changes_nothing(tmp_path: Path, server: LanguageServer) -> None:
    """A typo would leave a library that answers nothing, with a wrong key."""
    with open_library(tmp_path / "lib") as library:
        with pytest.raises(ServiceError, match="Incorrect API key"):
            connect(library, f"{server.url}#small", key=Secret("sk-wrong"))
        assert not config_file().exists()
        assert not keys_file().exists()
        assert library.settings.language.model == ""


@pytest.mark.parametrize("word", ["nothing", {"readings": []}, {"readings": [{**READ["readings"][0], "spans": [9]}]}])
def test_a_model_that_cannot_give_the_form_is_refused(tmp_path: Path, word: Any) -> None:
    """Every question would fail after the model was connected."""
    with (
        serve_script(lambda _: word) as running,
        open_library(tmp_path / "lib") as library,
        pytest.raises(ServiceError, match="unusable reply"),
    ):
        connect(library, f"{running.url}#small")


def test_a_model_that_failed_its_test_is_set_if_wished(tmp_path: Path) -> None:
    """Somebody who has no other model, or knows better, could not use it from the page."""
    with serve_script(lambda _: "nothing") as running, open_library(tmp_path / "lib") as library:
        made = connect(library, f"{running.url}#small", untested=True)
        assert made.tested is None and library.settings.language.model == f"{running.url}#small"


def test_a_model_that_misses_the_sentence_is_told_of(tmp_path: Path) -> None:
    """A model too weak for the work would be taken for a good one."""
    weak = {"readings": [{"passage": 1, "relevant": False, "score": 0, "spans": [], "summary": ""}]}
    with serve_script(lambda _: weak) as running, open_library(tmp_path / "lib") as library:
        assert any("missed the sentence" in advice for advice in connect(library, f"{running.url}#s").tested.advice)


def test_a_key_is_seen_by_nobody(tmp_path: Path, server: LanguageServer, caplog: pytest.LogCaptureFixture) -> None:
    """Who gets the library, a log, an answer of the server or a report of a failure would have the key."""
    caplog.set_level(logging.DEBUG)
    with open_library(tmp_path / "lib") as library:
        library.add([write_jsonl(tmp_path / "p.jsonl", [PAPER])])
        client = make_client(library)
        seen = []
        for body in (
            {"name": server.url, "key": KEY},
            {"name": f"{server.url}#small", "key": KEY},
            {"name": f"{server.url}#small", "key": f"{KEY} {KEY}"},
            {"name": f"{server.url}#small", "key": KEY, "role": "none of them"},
            {"name": f"{server.url}#small", "key": KEY * 100},
        ):
            reply = client.post("/api/v1/models/connect", json=body)
            seen.append(reply.text)
            if reply.status_code == 202:
                seen += [str(notice) for notice in collect_notices(client, reply.json()["job"])]
        assert library.settings.language.model == f"{server.url}#small"
        seen += [client.get(f"/api/v1/{path}").text for path in ("settings", "jobs", "doctor", "metrics", "usage")]
        output = tmp_path / "lines.jsonl"
        library.export("library", output)
        library.backup(tmp_path / "backup.zip")
        seen += [repr(library.settings), repr(load_settings(library.folder))]
    seen += [caplog.text, repr([record.__dict__ for record in caplog.records])]
    kept = keys_file()
    assert json.loads(kept.read_text("utf-8")) == {f"url {server.url.removesuffix('/v1')}": KEY}
    kept.unlink()
    state = Path(os.environ["CONSPECTUS_STATE"])
    everything = "".join(seen).encode() + bytes_below(tmp_path) + bytes_below(state)
    assert KEY.encode() not in everything
    assert b"sk-never" not in everything


def test_the_file_of_keys_is_its_owners_alone(tmp_path: Path, server: LanguageServer) -> None:
    """Others on the machine could read the key."""
    with open_library(tmp_path / "lib") as library:
        connect(library, f"{server.url}#small", key=Secret(KEY))
        assert stat.S_IMODE(keys_file().stat().st_mode) == 0o600
        keys_file().chmod(0o644)
        with pytest.raises(SettingsError, match="others can read"):
            connect(library, f"{server.url}#large")


def refuse_deletion(*_: str) -> None:
    errors = sys.modules["keyring.errors"]
    raise errors.KeyringError("It is locked")


def test_a_keyring_has_the_key_where_there_is_one(
    tmp_path: Path, server: LanguageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key would lie in a file although the system can keep it locked."""
    package = tmp_path / "packages" / "keyring"
    package.mkdir(parents=True)
    (package / "errors.py").write_text(
        "class KeyringError(Exception): pass\nclass NoKeyringError(KeyringError): pass\n", "utf-8"
    )
    (package / "__init__.py").write_text(
        "kept = {}\ndef get_password(*name): return kept.get(name)\n"
        "def set_password(service, name, key): kept[service, name] = key\n"
        "def delete_password(*name): del kept[name]\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(package.parent))
    for name in [name for name in sys.modules if name.partition(".")[0] == "keyring"]:
        monkeypatch.delitem(sys.modules, name)
    with open_library(tmp_path / "lib") as library:
        assert connect(library, f"{server.url}#small", key=Secret(KEY)).key == "keyring"
        assert not keys_file().exists()
        assert connect(library, f"{server.url}#large").tested
        kept = sys.modules["keyring"].kept
        assert list(kept.values()) == [KEY]
        monkeypatch.setattr(sys.modules["keyring"], "delete_password", refuse_deletion)
        with pytest.raises(ServiceError, match="keyring kept the key: It is locked"):
            library.models.disconnect()
        monkeypatch.setattr(sys.modules["keyring"], "delete_password", lambda *name: kept.pop(name))
        assert list(kept.values()) == [KEY]
        library.models.disconnect()
        assert not kept
    for name in [name for name in sys.modules if name.partition(".")[0] == "keyring"]:
        del sys.modules[name]


def test_disconnect_takes_models_and_keys_back(tmp_path: Path, server: LanguageServer) -> None:
    """A key would stay on a machine that is given away."""
    config_file().parent.mkdir()
    config_file().write_text("# mine\n[search]\nk = 7\n", "utf-8")
    with open_library(tmp_path / "lib") as library:
        connect(library, f"{server.url}#small", key=Secret(KEY))
        connect(library, f"{server.url}#large", role="judge")
        library.models.disconnect(role="judge")
        assert keys_file().exists()
        assert set(library.models.disconnect().roles.values()) == {""}
        assert not keys_file().exists()
    assert "# mine" in config_file().read_text("utf-8")
    assert load_settings(tmp_path / "lib").search.k == 7


def test_a_key_of_another_place_goes_nowhere_else(
    tmp_path: Path, server: LanguageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key of one provider would be sent to the next model that is connected."""
    config_file().parent.mkdir()
    config_file().write_text('[language]\nmodel = "http://127.0.0.2:9/v1#m"\napi_key = "other"\n', "utf-8")
    with open_library(tmp_path / "lib") as library:
        with pytest.raises(SettingsError, match="belongs to"):
            connect(library, f"{server.url}#small", key=Secret(KEY))
        monkeypatch.setenv("OPENAI_API_KEY", "environment")
        with pytest.raises(SettingsError, match="OPENAI_API_KEY is set"):
            connect(library, "openai:gpt-5-mini", key=Secret(KEY))
    assert not server.requests


def test_keys_are_not_kept_in_a_library(
    tmp_path: Path, server: LanguageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who gets a copy of the library would get the key."""
    monkeypatch.setenv("CONSPECTUS_CONFIG", str(tmp_path / "lib" / "config.toml"))
    with open_library(tmp_path / "lib") as library, pytest.raises(SettingsError, match="inside a library"):
        connect(library, f"{server.url}#small", key=Secret(KEY))


def test_what_the_environment_sets_is_not_overruled_in_silence(
    tmp_path: Path, server: LanguageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page would say that a model is set, and another one would answer."""
    monkeypatch.setenv("CONSPECTUS_LANGUAGE_MODEL", "ollama:other")
    with open_library(tmp_path / "lib") as library, pytest.raises(SettingsError, match="CONSPECTUS_LANGUAGE_MODEL"):
        connect(library, f"{server.url}#small", key=Secret(KEY))
    assert not config_file().exists() or "small" not in config_file().read_text("utf-8")
    assert not keys_file().exists()


class Refusing(QuietHandler):
    """A provider that knows no key."""

    def do_GET(self) -> None:
        self.send(401, b"{}", {})


def test_a_providers_models_are_listed_with_its_key(
    tmp_path: Path, server: LanguageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows the names of a provider's models."""
    monkeypatch.setenv("MISTRAL_BASE_URL", server.url.removesuffix("/v1"))
    with open_library(tmp_path / "lib") as library:
        with pytest.raises(SettingsError, match="needs a key"):
            connect(library, "mistral")
        with serve_handler(Refusing) as address, pytest.raises(ServiceError, match="refused the key"):
            monkeypatch.setenv("GROQ_BASE_URL", address)
            connect(library, "groq", key=Secret(KEY))
        assert not keys_file().exists()
        (offer,) = connect(library, "mistral", key=Secret(KEY)).offers
        assert [model.name for model in offer.models] == ["mistral:small", "mistral:large"]
        assert connect(library, "mistral:small").roles["ask"] == "mistral:small"
        assert next(row for row in connect(library, "").offers if row.name == "mistral").has_key


@pytest.mark.parametrize(
    "access",
    [
        Access(port=80, read_only=True),
        Access(port=80, token="t" * 20),
        Access(host="0.0.0.0", port=80, token="t" * 20),
        Access(port=80, names=("papers.example.org",)),
    ],
)
@pytest.mark.parametrize("path", ["connect", "disconnect"])
def test_a_server_for_others_connects_nothing(tmp_path: Path, access: Access, path: str) -> None:
    """Whoever reaches the server could have it send papers to their own machine."""
    with open_library(tmp_path / "lib") as library:
        client = make_client(library, access)
        headers = {"authorization": f"Bearer {access.token}"} if access.token else {}
        reply = client.post(f"/api/v1/models/{path}", json={}, headers=headers)
        assert reply.status_code == 403
        assert client.get("/api/v1/health").json()["private"] is False
        assert make_client(library).get("/api/v1/health").json()["private"] is True


def hostile(reply: bytes, headers: dict[str, str]) -> type[QuietHandler]:
    class Handler(QuietHandler):
        def do_GET(self) -> None:
            self.send(302 if "location" in headers else 200, reply, headers)

    return Handler


@pytest.mark.parametrize(
    ("reply", "headers"),
    [
        (b"<html>", {}),
        (b"[" * 100_000, {}),
        (b'{"data": [{"id": 7}, {}, null, {"id": "a\\u0000b"}, {"id": "x@y"}, {"id": "http://u:p@h?#"}]}', {}),
        (b'{"data": "all"}', {}),
        (json.dumps({"data": [{"id": "n" * 300}]}).encode(), {}),
        (b" " * (2**20 + 9), {}),
        (b"", {"location": "http://192.0.2.1/"}),
        (json.dumps({"data": [{"id": "\x1b[31mred"}]}).encode(), {}),
    ],
)
def test_another_program_on_the_port_is_no_server(
    monkeypatch: pytest.MonkeyPatch, reply: bytes, headers: dict[str, str]
) -> None:
    """Whatever listens on port 8000 could hang the dialog, or write into the terminal."""
    monkeypatch.undo()
    with serve_handler(hostile(reply, headers)) as address:
        kinds = (offers.ServerKind("vLLM", int(address.rpartition(":")[2])),)
        monkeypatch.setattr(offers, "SERVERS", kinds)
        assert offers.find_servers() == ()


def test_servers_of_this_machine_are_found_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that hangs would hide the one that answers."""
    monkeypatch.undo()
    monkeypatch.setattr(offers, "TIMEOUT", 0.5)
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        serve_script([], models=("qwen3", "nomic-embed-text")) as running,
    ):
        port = int(running.url.removesuffix("/v1").rpartition(":")[2])
        kinds = (offers.ServerKind("Ollama", port), offers.ServerKind("vLLM", silent.getsockname()[1]))
        monkeypatch.setattr(offers, "SERVERS", kinds)
        (found,) = offers.find_servers()
        assert [model.name for model in found.models] == [f"{running.url}#qwen3"]
        monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{port}")
        (found,) = offers.find_servers()
        assert [model.name for model in found.models] == ["ollama:qwen3"]


def test_answers_fit_a_small_context(tmp_path: Path) -> None:
    """A server with 4,096 tokens refuses what may take more, so that no question would be answered."""
    small = {"default_generation_settings": {"n_ctx": 4096}}
    with serve_script(lambda _: READ, props=small) as running, open_library(tmp_path / "lib") as library:
        made = connect(library, f"{running.url}#small")
        assert made.tested.context == 4096
        assert "4,096 tokens of context" in made.tested.advice[0]
        assert running.requests[0]["max_tokens"] == 4096 // 3


def test_on_the_command_line_without_a_library(tmp_path: Path, server: LanguageServer) -> None:
    """The first thing that somebody does would need a library, or show the key."""
    start = ["--library", str(tmp_path / "none"), "models"]
    run = CliRunner()
    done = run.invoke(app, [*start, "connect", f"{server.url}#small", "--key"], input=f"{KEY}\n")
    assert done.exit_code == 0, done.output
    assert "Set for all roles: small (this computer, port " in done.stdout
    assert KEY not in done.output
    done = run.invoke(app, [*start, "connect"])
    assert "openai" in done.stdout
    assert run.invoke(app, [*start, "disconnect"]).exit_code == 0
    assert not (tmp_path / "none").exists()


MODEL = b"GGUF" + bytes(range(256)) * 9000


class Hub(QuietHandler):
    """A hub with one repository."""

    content = MODEL
    asked: list[str]

    def do_GET(self) -> None:
        type(self).asked.append(self.headers.get("range", ""))
        if self.path.startswith("/api/models/ada/small-GGUF"):
            blob = {"sha256": hashlib.sha256(MODEL).hexdigest()}
            rows = [
                {"rfilename": "small.Q4.gguf", "size": len(MODEL), "lfs": blob},
                {"rfilename": "small-00001-of-00002.gguf", "size": 5, "lfs": blob},
                {"rfilename": "../../evil.gguf", "size": 5, "lfs": blob},
                {"rfilename": "README.md", "size": 5},
                {"rfilename": 7, "size": "x", "lfs": None},
            ]
            body = {"siblings": rows, "cardData": {"license": "apache-2.0"}}
            return self.send(200, json.dumps(body).encode(), {})
        if self.path != "/ada/small-GGUF/resolve/main/small.Q4.gguf":
            return self.send(404, b"", {})
        start = int(self.headers.get("range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))
        return self.send(206 if start else 200, self.content[start:], {})


@pytest.fixture
def served_hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[type[Hub]]:
    handler = type("OneHub", (Hub,), {"asked": []})
    with serve_handler(handler) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        monkeypatch.setenv("CONSPECTUS_MODELS_STORE", str(tmp_path / "store"))
        yield handler


def test_a_model_of_the_hub_is_fetched_and_checked(served_hub: type[Hub], tmp_path: Path) -> None:
    """Somebody without a server has no model; a download that broke off would begin again."""
    settings = load_settings(None)
    with open_library(tmp_path / "lib") as library:
        (offer,) = connect(library, "hf:ada/small-GGUF").offers
        (model,) = offer.models
        assert (model.name, model.licence, model.megabytes) == ("hf:ada/small-GGUF/small.Q4.gguf", "apache-2.0", 2)
    file = hub.find_hub_file(model.name)
    part = file.place(tmp_path / "store").parent / f".{file.sha256[:16]}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(MODEL[:1000])
    _, path = model_connection.fetch_from_hub(settings, model.name)
    assert path.read_bytes() == MODEL
    assert "bytes=1000-" in served_hub.asked
    asked = len(served_hub.asked)
    model_connection.fetch_from_hub(settings, model.name)
    assert len(served_hub.asked) == asked + 1  # what it is, and no bytes
    done = CliRunner().invoke(app, ["models", "fetch", model.name, "--json"])
    assert json.loads(done.stdout)["models"][0]["sha256"] == file.sha256


def test_a_download_that_broke_off_goes_on_later(served_hub: type[Hub], tmp_path: Path) -> None:
    """Gigabytes would come again from the beginning."""
    content, served_hub.content = MODEL, MODEL[: len(MODEL) // 2]
    with pytest.raises(ServiceError, match=r"ended after|was not fetched"):
        model_connection.fetch_from_hub(load_settings(None), "hf:ada/small-GGUF/small.Q4.gguf")
    served_hub.content = content
    model_connection.fetch_from_hub(load_settings(None), "hf:ada/small-GGUF/small.Q4.gguf")
    assert f"bytes={len(MODEL) // 2}-" in served_hub.asked


def test_other_bytes_than_announced_are_refused(served_hub: type[Hub], tmp_path: Path) -> None:
    """A file that somebody changed on the way would be run."""
    served_hub.content = MODEL[:-1] + b"x"
    with pytest.raises(ModelDamagedError, match="other bytes"):
        model_connection.fetch_from_hub(load_settings(None), "hf:ada/small-GGUF/small.Q4.gguf")
    assert not list((tmp_path / "store").rglob("*.gguf"))
    assert not list((tmp_path / "store").rglob("*.part"))
    with pytest.raises(NotFoundError, match="no model"):
        hub.find_hub_file("hf:ada/small-GGUF/other.gguf")


@pytest.mark.parametrize(
    "name", ["hf:", "hf:a", "hf:a/b/c.bin", "hf:../b/c.gguf", "hf:a/b/../c.gguf", "hf:a/b/c d.gguf"]
)
def test_a_name_that_is_none_of_the_hub_is_refused(name: str) -> None:
    """A name could lead out of the store's folder."""
    with pytest.raises(SettingsError, match="no model of the hub"):
        hub.parse_hub_name(name)


def test_the_key_is_in_no_error(tmp_path: Path) -> None:
    """A server that repeats the key would put it on the page."""
    with (
        serve_script(lambda _: error(400, f"bad key {KEY}")) as running,
        open_library(tmp_path / "lib") as library,
        pytest.raises(ServiceError) as caught,
    ):
        connect(library, f"{running.url}#small", key=Secret(KEY))
    assert KEY not in str(caught.value) + caught.value.hint


def test_a_known_price_is_the_cost_of_a_question(tmp_path: Path) -> None:
    """Nobody would know what a question costs before the bill comes."""
    usage = model_connection.Usage(prompt_tokens=500, completion_tokens=50)
    name = model_connection.parse_model_name("openai:gpt-5-mini")
    cost = model_connection._question_cost(name, usage)
    assert cost is not None
    assert 0.001 < cost < 0.01
    free = model_connection.parse_model_name("ollama:qwen3")
    assert model_connection._question_cost(free, model_connection.Usage(cost=0.0)) == 0.0
    unknown = model_connection.parse_model_name("http://127.0.0.1:9/v1#m")
    assert model_connection._question_cost(unknown, usage) is None
