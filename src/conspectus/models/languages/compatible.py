"""Servers of one's own: any that speaks OpenAI's language, and Ollama."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from conspectus.core import http
from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.retry import RETRY
from conspectus.models.languages.backend import Backend, Connection, Facts, sendable
from conspectus.models.languages.failures import Service
from conspectus.models.languages.prices import window
from conspectus.models.languages.providers import P, asked_once, client
from conspectus.models.languages.wire import UNSPLIT
from conspectus.settings import Secret

if TYPE_CHECKING:
    from pydantic_ai.models import Model

QUESTION_TIMEOUT = 5.0
"""Seconds for what a server says of itself."""
MOST_FACTS = 4 * 2**20
"""Bytes of it."""
OLLAMA_CONTEXT = 4096
"""What an Ollama server gives a model unless it is told otherwise; it cuts longer prompts without a word."""


class CompatibleModel(Backend):
    """A model behind `URL/chat/completions`, as llama.cpp, vLLM, LM Studio and others serve it.

    Without a name it is the first that `URL/models` lists, asked once.
    """

    doubtful = True

    def __init__(self, url: str, model: str, key: Secret) -> None:
        self.address = url.rstrip("/")
        self._named = model
        self._key = sendable(key, "language.api_key")
        self._facts: Facts | None = None
        self._lock = threading.Lock()
        self.place = f"url {urlsplit(self.address).netloc}"

    @property
    def id(self) -> str:
        """`URL#name`."""
        return f"{self.address}#{self.model}"

    @property
    def service(self) -> Service:
        """See `Backend`."""
        name = f"{self.address}#{self._named}" if self._named else self.address
        model = f"'{self._named}'" if self._named else "which may be written after the address as '#NAME'"
        return Service(f"'{name}'", "language.api_key", self._key.reveal(), model, self.address)

    @property
    def model(self) -> str:
        """The name given, else the server's first."""
        with self._lock:
            if not self._named:
                self._named = self._first()
            return self._named

    def facts(self) -> Facts:
        """What the server tells, asked once; nothing where it tells nothing."""
        model = self.model
        with self._lock:
            if self._facts is None:
                self._facts = self._ask_facts(model)
            return self._facts

    def connect(self, *, long_limit: bool) -> Connection:
        """See `Backend`."""
        http = client()
        return Connection(self._make(self.model, http, long_limit=long_limit), http.aclose)

    def _make(self, name: str, http: Any, *, long_limit: bool) -> Model:
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.profiles.openai import OpenAIModelProfile
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

        profile = OpenAIModelProfile(
            supports_json_object_output=False,  # the last way of asking has to be one that every server takes
            openai_chat_supports_max_completion_tokens=long_limit,
            openai_chat_streaming_requires_finish_reason=True,  # else half a stream looks like a whole one
            thinking_tags=UNSPLIT,
        )
        provider = _unnamed(
            OpenAICompatibleProvider(
                "server", base_url=self.address, api_key=self._key.reveal() or None, http_client=http, profile=profile
            )
        )
        return OpenAIChatModel(name, provider=provider)

    def _ask_facts(self, model: str) -> Facts:
        if known := window(model, self.address):
            return Facts(known)
        props = self._told(self.address.removesuffix("/v1") + "/props")
        slots = _dict(props.get("default_generation_settings"))
        caps = _dict(props.get("chat_template_caps"))
        if context := _number(slots.get("n_ctx")):
            return Facts(context, bool(caps.get("supports_tool_calls", caps.get("supports_tools", True))))
        listed = self._told(f"{self.address}/models").get("data")
        rows = [_dict(row) for row in listed] if isinstance(listed, list) else []
        mine = next((row for row in rows if row.get("id") == model), {})
        fields = ("max_model_len", "context_length", "max_context_length", "context_window")
        return Facts(next(filter(None, (_number(mine.get(field)) for field in fields)), 0))

    def _first(self) -> str:
        listed = self._listed()
        names = [_dict(row).get("id") for row in listed] if isinstance(listed, list) else []
        if not names or not isinstance(names[0], str):
            what = f"{self.service.name} names no model at '{self.address}/models'."
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
        headers = {"Authorization": f"Bearer {self._key.reveal()}"} if self._key else {}
        method = "GET" if body is None else "POST"
        try:
            return http.exchange(
                method, url, timeout=QUESTION_TIMEOUT, headers=headers, body=body, most=MOST_FACTS, tries=tries
            )
        except http.NoAnswerError as error:
            what = f"{self.service.name} cannot be reached: {str(error).rstrip('.')}."
            hint = f"Check that the server at {self.address} runs and the network is there, then try again."
            raise ServiceAwayError(what, hint) from None

    def _listed(self) -> Any:
        """The models that the server has; one that is busy is asked again."""
        url = f"{self.address}/models"
        reply = self._exchange(url)
        refused = f"{self.service.name} refused: HTTP {reply.status}, {self.service.hide(reply.words())!r}."
        if RETRY.may_pass(reply.status):
            raise ServiceAwayError(refused, "Try later.")
        if reply.status in {401, 403}:
            raise ServiceError(refused, f"Check the key: {self.service.key}.")
        found = reply.json() if reply.ok else None
        if not isinstance(found, dict):
            what = f"'{url}' answered with HTTP {reply.status} and no list of models."
            raise ServiceError(what, f"Check the address {self.address}: it often ends in /v1.")
        return found.get("data")


class OllamaModel(CompatibleModel):
    """A model of an Ollama server, by its OpenAI-compatible side."""

    def __init__(self, address: str, model: str, key: Secret) -> None:
        super().__init__(f"{address}/v1", model, key)
        self._root = address
        self.free = not model.endswith("-cloud") and not (urlsplit(address).hostname or "").endswith("ollama.com")
        self.place = f"ollama {urlsplit(address).netloc}"

    @property
    def id(self) -> str:
        """`ollama:name@address`."""
        return f"ollama:{self._named}@{self._root}"

    @property
    def service(self) -> Service:
        """See `Backend`."""
        model = f"'{self._named}' (fetch it: ollama pull {self._named})"
        return Service(f"'{self.id}'", "language.api_key", self._key.reveal(), model, f"{self._root} (OLLAMA_HOST)")

    def _make(self, name: str, http: Any, *, long_limit: bool) -> Model:  # noqa: ARG002 - Ollama takes the short one
        from pydantic_ai.models.ollama import OllamaModel as Made
        from pydantic_ai.profiles import merge_profile
        from pydantic_ai.profiles.openai import OpenAIModelProfile
        from pydantic_ai.providers.ollama import OllamaProvider

        key = self._key.reveal() or "none"
        provider = _unnamed(OllamaProvider(base_url=self.address, api_key=key, http_client=http))
        ours = OpenAIModelProfile(
            supports_json_schema_output=self.free,  # its cloud takes a schema and does not keep to it
            openai_chat_supports_max_completion_tokens=False,
            openai_chat_streaming_requires_finish_reason=True,
            thinking_tags=UNSPLIT,
        )
        return Made(name, provider=provider, profile=lambda known: merge_profile(known, ours))

    def _ask_facts(self, model: str) -> Facts:
        shown = self._told(f"{self._root}/api/show", {"model": model})
        able = shown.get("capabilities")
        tools = "tools" in able if isinstance(able, list) else True
        sizes = [value for name, value in _dict(shown.get("model_info")).items() if name.endswith(".context_length")]
        most = _number(sizes[0]) if sizes else 0
        given = _set_context(str(shown.get("parameters", "")))
        given = given or self._loaded(model) or OLLAMA_CONTEXT
        return Facts(min(most, given) if most else given, tools)

    def _loaded(self, model: str) -> int:
        """The context that the server gives the model now, if it holds it."""
        rows = self._told(f"{self._root}/api/ps").get("models")
        found = [_dict(row) for row in rows] if isinstance(rows, list) else []
        mine = next((row for row in found if row.get("model") in {model, f"{model}:latest"}), {})
        return _number(mine.get("context_length"))


def _unnamed(provider: P) -> P:
    """The provider, for a server that is not OpenAI's: it is not told what the environment says of an account there."""
    made = asked_once(provider)
    made.client.organization = made.client.project = None
    return made


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
