"""Servers of one's own: any that speaks OpenAI's language, and Ollama."""

from __future__ import annotations

import threading
from typing import Any
from urllib.parse import urlsplit

from conspectus.core import http
from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.retry import RETRY
from conspectus.models.languages.backend import Backend, ModelFacts, ServiceLabel, sendable
from conspectus.models.languages.prices import window
from conspectus.models.languages.request_forms import RequestForm
from conspectus.settings import Secret

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
        self._named = model
        self.key = sendable(key, "language.api_key")
        self._facts: ModelFacts | None = None
        self._lock = threading.Lock()
        self.place = f"url {urlsplit(self.url).netloc}"

    @property
    def id(self) -> str:
        """`URL#name`."""
        return f"{self.url}#{self.model}"

    @property
    def label(self) -> ServiceLabel:
        """See `Backend`."""
        name = f"{self.url}#{self._named}" if self._named else self.url
        model = f"'{self._named}'" if self._named else "which may be written after the address as '#NAME'"
        return ServiceLabel(f"'{name}'", "language.api_key", self.key.reveal(), model, self.url)

    @property
    def model(self) -> str:
        """The name given, else the server's first."""
        with self._lock:
            if not self._named:
                self._named = self._first()
            return self._named

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
        if known := window(model, self.url):
            return ModelFacts(known)
        props = self._told(self.url.removesuffix("/v1") + "/props")
        slots = _dict(props.get("default_generation_settings"))
        caps = _dict(props.get("chat_template_caps"))
        if context := _number(slots.get("n_ctx")):
            return ModelFacts(context, bool(caps.get("supports_tool_calls", caps.get("supports_tools", True))))
        listed = self._told(f"{self.url}/models").get("data")
        rows = [_dict(row) for row in listed] if isinstance(listed, list) else []
        mine = next((row for row in rows if row.get("id") == model), {})
        fields = ("max_model_len", "context_length", "max_context_length", "context_window")
        return ModelFacts(next(filter(None, (_number(mine.get(field)) for field in fields)), 0))

    def _first(self) -> str:
        listed = self._listed()
        names = [_dict(row).get("id") for row in listed] if isinstance(listed, list) else []
        if not names or not isinstance(names[0], str):
            what = f"{self.label.name} names no model at '{self.url}/models'."
            raise ServiceError(what, "Write the model's name after the address: URL#NAME.")
        return names[0]

    def _told(self, url: str, body: dict[str, str] | None = None) -> dict[str, Any]:
        """What the server says of itself; nothing where it does not: that is known to be said, not needed."""
        try:
            reply = self._exchange(url, body, tries=1)
        except ServiceAwayError:
            return {}
        return _dict(reply.json()) if reply.ok else {}

    def _exchange(self, url: str, body: dict[str, str] | None = None, tries: int = RETRY.tries) -> http.Reply:
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

    def _listed(self) -> Any:
        """The models that the server has; one that is busy is asked again."""
        url = f"{self.url}/models"
        reply = self._exchange(url)
        refused = f"{self.label.name} refused: HTTP {reply.status}, {self.label.hide(reply.words())!r}."
        if RETRY.may_pass(reply.status):
            raise ServiceAwayError(refused, "Try later.")
        if reply.status in {401, 403}:
            raise ServiceError(refused, f"Check the key: {self.label.key}.")
        found = reply.json() if reply.ok else None
        if not isinstance(found, dict):
            what = f"'{url}' answered with HTTP {reply.status} and no list of models."
            raise ServiceError(what, f"Check the address {self.url}: it often ends in /v1.")
        return found.get("data")


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
        return f"ollama:{self._named}@{self._root}"

    @property
    def label(self) -> ServiceLabel:
        """See `Backend`."""
        model = f"'{self._named}' (fetch it: ollama pull {self._named})"
        return ServiceLabel(f"'{self.id}'", "language.api_key", self.key.reveal(), model, f"{self._root} (OLLAMA_HOST)")

    def _ask_facts(self, model: str) -> ModelFacts:
        shown = self._told(f"{self._root}/api/show", {"model": model})
        able = shown.get("capabilities")
        tools = "tools" in able if isinstance(able, list) else True
        sizes = [value for name, value in _dict(shown.get("model_info")).items() if name.endswith(".context_length")]
        most = _number(sizes[0]) if sizes else 0
        given = _set_context(str(shown.get("parameters", "")))
        given = given or self._loaded(model) or OLLAMA_CONTEXT
        return ModelFacts(min(most, given) if most else given, tools)

    def _loaded(self, model: str) -> int:
        """The context that the server gives the model now, if it holds it."""
        rows = self._told(f"{self._root}/api/ps").get("models")
        found = [_dict(row) for row in rows] if isinstance(rows, list) else []
        mine = next((row for row in found if row.get("model") in {model, f"{model}:latest"}), {})
        return _number(mine.get("context_length"))


def _set_context(parameters: str) -> int:
    """The `num_ctx` that a model's own file sets; 0: none."""
    for line in parameters.splitlines():
        match line.split():
            case ["num_ctx", number] if number.isdigit():
                return int(number)
    return 0


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
