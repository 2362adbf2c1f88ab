"""OpenAI, Anthropic and Google, by the user's key."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from conspectus.core.errors import ModelMissingError, ServiceError
from conspectus.models.addresses import OPENAI
from conspectus.models.languages.backend import Backend, Connection, Facts, sendable
from conspectus.models.languages.failures import Service
from conspectus.models.languages.prices import window
from conspectus.models.languages.wire import UNSPLIT
from conspectus.settings import Secret

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model
    from pydantic_ai.providers import Provider as AnyProvider

P = TypeVar("P", bound="AnyProvider[Any]")
MOST_ANSWER = 4 * 2**20
"""Bytes of an answer, or of one event of a stream: more than ten times what a model writes at most."""
MOST_STREAM = 32 * 2**20
"""Bytes of a stream, which says a few hundred with each token."""


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider: its variables for key and address, its own address, what has to be installed, how it is made."""

    name: str
    keys: tuple[str, ...]
    base: str
    official: str
    package: str
    make: Callable[[str, str, str, AsyncClient], Model]

    @property
    def address(self) -> str:
        """Where it is, or where the user's variable puts it."""
        return (os.environ.get(self.base) or self.official).rstrip("/")


def client() -> AsyncClient:
    """A new HTTP client, for one event loop."""
    from conspectus.core.transport import BoundedClient

    return BoundedClient(MOST_ANSWER, 600.0, MOST_STREAM)


def asked_once(provider: P) -> P:
    """The provider, its client made to ask once only: the tries are ours.

    (`max_retries` in the settings of a request makes a new client for each.)
    """
    provider.client.max_retries = 0
    return provider


def _openai(name: str, address: str, key: str, http: AsyncClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles import merge_profile
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider

    whole = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True, thinking_tags=UNSPLIT)
    provider = asked_once(OpenAIProvider(base_url=address, api_key=key, http_client=http))
    return OpenAIChatModel(name, provider=provider, profile=lambda known: merge_profile(known, whole))


def _anthropic(name: str, address: str, key: str, http: AsyncClient) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    provider = asked_once(AnthropicProvider(base_url=address, api_key=key, http_client=http))
    return AnthropicModel(name, provider=provider)


def _google(name: str, address: str, key: str, http: AsyncClient) -> Model:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleModel(name, provider=GoogleProvider(base_url=address, api_key=key, http_client=http))


PROVIDERS = {
    "openai": Provider("openai", ("OPENAI_API_KEY",), "OPENAI_BASE_URL", OPENAI, "openai", _openai),
    "anthropic": Provider(
        "anthropic",
        ("ANTHROPIC_API_KEY",),
        "ANTHROPIC_BASE_URL",
        "https://api.anthropic.com",
        "anthropic",
        _anthropic,
    ),
    "google": Provider(
        "google",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        "GOOGLE_GEMINI_BASE_URL",
        "https://generativelanguage.googleapis.com",
        "google.genai",
        _google,
    ),
}


class ProvidedModel(Backend):
    """A model of one of them.

    Raises:
        ServiceError: there is no key.
        ModelMissingError: its package is not installed.
    """

    def __init__(self, provider: Provider, model: str, key: Secret) -> None:
        self._provider = provider
        self._model = model
        self.address = provider.address
        self._key = sendable(key, " or ".join([*provider.keys, "language.api_key"]))
        self.place = f"{provider.name} {urlsplit(self.address).netloc}"
        _check_installed(provider)
        if not self._key:
            raise ServiceError(
                f"There is no key for '{provider.name}:{model}'.",
                f"Set the variable {' or '.join(provider.keys)}, or the setting language.api_key.",
            )

    @property
    def id(self) -> str:
        """`provider:name`; with the address where it is not the provider's own."""
        name = f"{self._provider.name}:{self._model}"
        return name if self.address == self._provider.official else f"{name}@{self.address}"

    @property
    def service(self) -> Service:
        """See `Backend`."""
        named = " or ".join([*self._provider.keys, "language.api_key"])
        speaks = "OpenAI" if self._provider.name == "openai" else self._provider.name.capitalize()
        return Service(f"'{self.id}'", named, self._key.reveal(), f"'{self._model}'", self.address, speaks)

    @property
    def model(self) -> str:
        """See `Backend`."""
        return self._model

    def facts(self) -> Facts:
        """What the price list says; nobody is asked."""
        return Facts(window(self._model, self._provider.official))

    def connect(self, *, long_limit: bool) -> Connection:  # noqa: ARG002 - the providers' own names are known
        """See `Backend`."""
        http = client()
        return Connection(self._provider.make(self._model, self.address, self._key.reveal(), http), http.aclose)


def _check_installed(provider: Provider) -> None:
    try:
        there = importlib.util.find_spec(provider.package) is not None
    except ModuleNotFoundError:
        there = False
    if not there:
        raise ModelMissingError(
            f"The models of {provider.name} need a package that is not installed.",
            f"Install it: pip install 'conspectus[{provider.name}]'",
        )
