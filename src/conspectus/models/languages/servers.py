"""Servers of one's own: any that speaks OpenAI's protocol, Ollama, and llama.cpp in this process for a GGUF file."""

from __future__ import annotations

import gc
import importlib.util
import re
import secrets
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from conspectus.core import http
from conspectus.core.disk import open_file
from conspectus.core.errors import (
    ModelDamagedError,
    ModelMissingError,
    ServiceAwayError,
    ServiceError,
    describe_os_error,
)
from conspectus.core.http import RETRY
from conspectus.models.languages.backends import Backend, ModelFacts, sendable
from conspectus.models.languages.chat_protocol import RequestForm
from conspectus.models.languages.failures import RefusedError, ServiceLabel, describe_failure
from conspectus.models.services import context_window
from conspectus.models.store import fingerprint
from conspectus.settings import LanguageSettings, Secret

QUESTION_TIMEOUT = 5.0
"""Seconds for what a server says of itself."""
MOST_FACTS = 4 * 2**20
"""Bytes of it."""
OLLAMA_CONTEXT = 4096
"""What an Ollama server gives a model unless it is told otherwise; it cuts longer prompts without a word."""


class CompatibleBackend(Backend):
    """A model behind `URL/chat/completions`, as llama.cpp, vLLM, LM Studio and others serve it.

    Without a name it is the first that `URL/models` lists, asked once.
    """

    doubtful = True

    def __init__(self, url: str, model: str, key: Secret) -> None:
        self.url = url.rstrip("/")
        self._model_name = model
        self.key = sendable(key, "language.api_key")
        self._facts: ModelFacts | None = None
        self._lock = threading.Lock()
        self.place = f"url {urlsplit(self.url).netloc}"
        self.free = http.is_here(self.url) and not key  # a server with a key may ask a paid one

    @property
    def id(self) -> str:
        """`URL#name`."""
        return f"{self.url}#{self.model}"

    @property
    def label(self) -> ServiceLabel:
        """See `Backend`."""
        name = f"{self.url}#{self._model_name}" if self._model_name else self.url
        model = f"'{self._model_name}'" if self._model_name else "which may be written after the address as '#NAME'"
        return ServiceLabel(f"'{name}'", "language.api_key", self.key.reveal(), model, self.url)

    @property
    def model(self) -> str:
        """The name given, else the server's first."""
        with self._lock:
            if not self._model_name:
                self._model_name = self._ask_name()
            return self._model_name

    def facts(self) -> ModelFacts:
        """What the server tells, asked once; nothing where it tells nothing."""
        model = self.model
        with self._lock:
            if self._facts is None:
                self._facts = self._ask_facts(model)
            return self._facts

    def open(self) -> None:
        """See `Backend`: the model's name is asked now, where none was given."""
        _ = self.model

    def _ask_facts(self, model: str) -> ModelFacts:
        if known := context_window(model, self.url):
            return ModelFacts(known)
        props = self._query(self.url.removesuffix("/v1") + "/props")
        slots = _as_dict(props.get("default_generation_settings"))
        caps = _as_dict(props.get("chat_template_caps"))
        if context := _as_number(slots.get("n_ctx")):
            return ModelFacts(context, bool(caps.get("supports_tool_calls", caps.get("supports_tools", True))))
        listed = self._query(f"{self.url}/models").get("data")
        rows = [_as_dict(row) for row in listed] if isinstance(listed, list) else []
        mine = next((row for row in rows if row.get("id") == model), {})
        fields = ("max_model_len", "context_length", "max_context_length", "context_window")
        return ModelFacts(next(filter(None, (_as_number(mine.get(field)) for field in fields)), 0))

    def _ask_name(self) -> str:
        """The first of the models that the server lists; one that is busy is asked again."""
        url = f"{self.url}/models"
        reply = self._exchange(url)
        if RETRY.may_pass(reply.status) or reply.status in {401, 403}:
            raise describe_failure(RefusedError(reply.status, reply.body, {}), self.label, QUESTION_TIMEOUT).error
        listed = reply.json() if reply.ok else None
        if not isinstance(listed, dict):
            what = f"'{url}' answered with HTTP {reply.status} and no list of models."
            raise ServiceError(what, f"Check the address {self.url}: it often ends in /v1.")
        rows = listed.get("data")
        name = _as_dict(rows[0]).get("id") if isinstance(rows, list) and rows else None
        if not isinstance(name, str):
            what = f"{self.label.name} names no model at '{url}'."
            raise ServiceError(what, "Write the model's name after the address: URL#NAME.")
        return name

    def _query(self, url: str, body: dict[str, str] | None = None) -> dict[str, Any]:
        """What the server says about itself; nothing if it says nothing: that is not needed."""
        try:
            reply = self._exchange(url, body, tries=1)
        except ServiceAwayError:
            return {}
        return _as_dict(reply.json()) if reply.ok else {}

    def _exchange(self, url: str, body: dict[str, str] | None = None, tries: int = RETRY.tries) -> http.HttpReply:
        headers = {"Authorization": f"Bearer {self.key.reveal()}"} if self.key else {}
        method = "GET" if body is None else "POST"
        try:
            return http.exchange(
                method, url, timeout=QUESTION_TIMEOUT, headers=headers, body=body, most=MOST_FACTS, tries=tries
            )
        except http.NoAnswerError as error:
            what = f"{self.label.name} cannot be reached: {str(error).rstrip('.')}."
            hint = f"Check that the server at {self.url} runs and the network is there, then try again."
            raise ServiceAwayError(what, hint) from None


class OllamaBackend(CompatibleBackend):
    """A model of an Ollama server, by its OpenAI-compatible side."""

    def __init__(self, address: str, model: str, key: Secret) -> None:
        super().__init__(f"{address}/v1", model, key)
        self._root = address
        self.free = not model.endswith("-cloud") and not (urlsplit(address).hostname or "").endswith("ollama.com")
        self.form = RequestForm(mode="native" if self.free else "tool")  # its cloud takes a schema and ignores it
        self.place = f"ollama {urlsplit(address).netloc}"

    @property
    def id(self) -> str:
        """`ollama:name@address`."""
        return f"ollama:{self._model_name}@{self._root}"

    @property
    def label(self) -> ServiceLabel:
        """See `Backend`."""
        model = f"'{self._model_name}' (fetch it: ollama pull {self._model_name})"
        return ServiceLabel(f"'{self.id}'", "language.api_key", self.key.reveal(), model, f"{self._root} (OLLAMA_HOST)")

    def _ask_facts(self, model: str) -> ModelFacts:
        reply = self._query(f"{self._root}/api/show", {"model": model})
        able = reply.get("capabilities")
        tools = "tools" in able if isinstance(able, list) else True
        sizes = [value for name, value in _as_dict(reply.get("model_info")).items() if name.endswith(".context_length")]
        most = _as_number(sizes[0]) if sizes else 0
        match = re.search(r"^num_ctx\s+(\d{1,9})\s*$", str(reply.get("parameters", "")), re.MULTILINE)
        context = int(match[1]) if match else self._loaded_context(model) or OLLAMA_CONTEXT
        return ModelFacts(min(most, context) if most else context, tools)

    def _loaded_context(self, model: str) -> int:
        """The context that the server gives the model now, if it holds it."""
        rows = self._query(f"{self._root}/api/ps").get("models")
        loaded_models = [_as_dict(row) for row in rows] if isinstance(rows, list) else []
        mine = next((row for row in loaded_models if row.get("model") in {model, f"{model}:latest"}), {})
        return _as_number(mine.get("context_length"))


def _as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _as_number(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


MAGIC = b"GGUF"
SLOTS = 4
"""Calls that llama.cpp computes next to each other, at most; each has the whole context."""
CONTEXT = 8192
"""Tokens of a context, where neither the setting nor the file asks for less: its memory grows with it."""


class LocalBackend(CompatibleBackend):
    """A model in a file; it is loaded at its first call, and its memory is given back when it is closed.

    Raises:
        ModelMissingError: the file or the package is not there.
        ModelDamagedError: the file is no GGUF file.
    """

    doubtful = False
    free = True

    def __init__(self, path: Path, settings: LanguageSettings) -> None:
        _check(path)
        self._path = path
        self._settings = settings
        self._server: Any = None
        self._loading = threading.Lock()
        self._hash = fingerprint([path])
        super().__init__("http://127.0.0.1", path.name, Secret())
        self.place = f"local {self._hash}"
        self.at_once = min(SLOTS, settings.concurrency)

    @property
    def id(self) -> str:
        """`local:` with the file's name and a hash of its size, beginning and end."""
        return f"local:{self._path.name}/{self._hash}"

    @property
    def label(self) -> ServiceLabel:
        """See `Backend`."""
        return ServiceLabel(f"'local:{self._path}'", "", self.key.reveal(), f"'{self._path}'", "this process")

    def facts(self) -> ModelFacts:
        """What llama.cpp tells; the file is loaded for it."""
        self._start()
        return super().facts()

    def open(self) -> None:
        """See `Backend`. Loads the file."""
        self._start()

    def close(self) -> None:
        """Stop llama.cpp and give its memory back."""
        with self._loading:
            self._server = None
            gc.collect()  # its end is the end of its only reference

    def _start(self) -> None:
        with self._loading:
            if self._server is None:
                self.key = Secret(secrets.token_urlsafe(32))
                self._server = self._load()
                self.url = f"{self._server.listening_address}/v1"

    def _load(self) -> Any:
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(self._path)
        params.hostnames, params.port = ["127.0.0.1"], 0
        params.api_keys = [self.key.reveal()]
        params.n_parallel = self.at_once
        params.n_ctx = self.at_once * (self._settings.context or CONTEXT)
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._settings.threads or -1
        params.cpuparams.poll = params.cpuparams_batch.poll = 0  # threads that wait leave the processor to others
        params.ui = False
        params.verbosity = -1  # it writes to the terminal
        try:
            return xllamacpp.Server(params)
        except Exception as error:
            what = f"llama.cpp cannot load '{self._path}': {error}."
            raise ServiceError(what, "The file may be damaged, too new for it, or too large for the memory.") from error


def check_llama_cpp() -> None:
    """See that llama.cpp, which runs models in files, is installed.

    Raises:
        ModelMissingError: it is not.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise ModelMissingError(
            "Models in files need llama.cpp, which is not installed.", "Install it: pip install 'conspectus[local]'"
        )


def _check(path: Path) -> None:
    check_llama_cpp()
    try:
        with open_file(path) as file:
            magic = file.read(len(MAGIC))
    except OSError as error:
        raise ModelMissingError(
            f"The language model '{path}' cannot be read: {describe_os_error(error)}.",
            "Write the path of a GGUF file: local:FILE.gguf",
        ) from error
    if magic != MAGIC:
        raise ModelDamagedError(f"'{path}' is no GGUF file.", "Write the path of a GGUF file: local:FILE.gguf")
