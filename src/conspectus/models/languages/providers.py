"""OpenAI, Anthropic and Google, by the user's key; each is reached at its OpenAI-compatible address."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from conspectus.core.errors import ServiceError
from conspectus.models.addresses import OPENAI
from conspectus.models.languages.backend import Backend, ModelFacts, ServiceLabel, sendable
from conspectus.models.languages.prices import window
from conspectus.models.languages.request_forms import RequestForm
from conspectus.settings import Secret

_REASONS = re.compile(r"(?:ft:)?(?:o\d|gpt-[5-9])")
"""Models of OpenAI that refuse a temperature."""


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider.

    Attributes:
        keys: environment variables for its key.
        variable: the environment variable for another address.
        official: its own address.
        path: where the OpenAI-compatible side lies below the address.
        form: how it is asked.
    """

    name: str
    keys: tuple[str, ...]
    variable: str
    official: str
    path: str
    form: RequestForm

    @property
    def address(self) -> str:
        """Where it is, or where the user's variable puts it."""
        return (os.environ.get(self.variable) or self.official).rstrip("/")


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider(
            "openai", ("OPENAI_API_KEY",), "OPENAI_BASE_URL", OPENAI, "", RequestForm(limit="max_completion_tokens")
        ),
        Provider(
            "anthropic",
            ("ANTHROPIC_API_KEY",),
            "ANTHROPIC_BASE_URL",
            "https://api.anthropic.com",
            "/v1",
            RequestForm(mode="tool"),  # it ignores `response_format` there
        ),
        Provider(
            "google",
            ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
            "GOOGLE_GEMINI_BASE_URL",
            "https://generativelanguage.googleapis.com",
            "/v1beta/openai",
            RequestForm(),
        ),
    )
}


class ProviderBackend(Backend):
    """A model of a provider.

    Raises:
        ServiceError: there is no key.
    """

    def __init__(self, provider: Provider, model: str, key: Secret) -> None:
        self._provider = provider
        self._model = model
        self._keys = " or ".join([*provider.keys, "language.api_key"])
        address = provider.address
        self.url = address + provider.path
        self.key = sendable(key, self._keys)
        self.place = f"{provider.name} {urlsplit(address).netloc}"
        self.form = provider.form
        if provider.name == "openai" and _REASONS.match(model):
            self.form = self.form.leave_out("temperature")
        self._id = f"{provider.name}:{model}" + ("" if address == provider.official else f"@{address}")
        if not self.key:
            raise ServiceError(
                f"There is no key for '{provider.name}:{model}'.",
                f"Set the variable {' or '.join(provider.keys)}, or the setting language.api_key.",
            )

    @property
    def id(self) -> str:
        """`provider:name`; with the address where it is not the provider's own."""
        return self._id

    @property
    def label(self) -> ServiceLabel:
        """See `Backend`."""
        return ServiceLabel(f"'{self._id}'", self._keys, self.key.reveal(), f"'{self._model}'", self.url)

    @property
    def model(self) -> str:
        """See `Backend`."""
        return self._model

    def facts(self) -> ModelFacts:
        """What the price list says; nobody is asked."""
        return ModelFacts(window(self._model, self._provider.official))
