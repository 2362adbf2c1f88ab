"""Backends of language models: address, key and facts; providers at their compatible addresses."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from urllib.parse import urlsplit

from conspectus.core.errors import ServiceError
from conspectus.models.languages.chat_protocol import RequestForm
from conspectus.models.languages.failures import ServiceLabel
from conspectus.models.languages.providers import Provider
from conspectus.models.services import context_window
from conspectus.settings import Secret


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model. `context` is in tokens, 0: not known; `tools`: whether it takes them."""

    context: int = 0
    tools: bool = True


def sendable(key: Secret, where: str) -> Secret:
    """A key as it can be sent, without the space around it; `where` it is set.

    Raises:
        ServiceError: it has a sign that no key has.
    """
    text = key.reveal().strip()
    if not (text.isascii() and text.isprintable()):
        raise ServiceError("The key has a sign that no key has.", f"Copy it again into {where}.")
    return Secret(text)


class Backend(ABC):
    """A server of one language model. `id`, `facts` and `open` may ask it, once; any thread may call them.

    Attributes:
        place: provider and host: models of one place share its limits.
        url: requests go to `url/chat/completions`.
        key: sent with each request; empty: none is.
        form: how to ask it at first.
        doubtful: an unknown kind of server, which may refuse what others take.
        free: calls cost no money.
        at_once: calls that it computes at a time, so that others do not wait where their time is counted; 0: not known.
    """

    place: str
    url: str
    key: Secret
    form = RequestForm()
    doubtful = False
    free = False
    at_once = 0

    @property
    @abstractmethod
    def id(self) -> str:
        """See `LanguageModel.id`."""

    @property
    @abstractmethod
    def label(self) -> ServiceLabel:
        """How errors name it."""

    @property
    @abstractmethod
    def model(self) -> str:
        """The model's name there."""

    @abstractmethod
    def facts(self) -> ModelFacts:
        """What is known of the model."""

    def open(self) -> None:
        """Make it ready for requests; called before each event loop's first.

        Raises:
            ServiceError, ModelMissingError: it cannot be.
        """
        return

    def close(self) -> None:
        """Give back what `open` took."""
        return


_REASONS = re.compile(r"(?:ft:)?(?:o\d|gpt-[5-9])")
"""Models of OpenAI that refuse a temperature."""


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
        self.url = provider.url
        self.key = sendable(key, self._keys)
        self.place = f"{provider.name} {urlsplit(address).netloc}"
        self.form = RequestForm(mode=provider.mode, limit=provider.limit)
        self.doubtful = provider.doubtful
        if provider.name == "openai" and _REASONS.match(model):
            self.form = self.form.leave_out("temperature")
        self._id = f"{provider.name}:{model}" + ("" if address == provider.official else f"@{address}")
        if not self.key:
            raise ServiceError(
                f"There is no key for '{provider.name}:{model}'.",
                f"Connect it with its key (`models connect {provider.name} key=True`), or set the variable "
                f"{' or '.join(provider.keys)}, or the setting language.api_key.",
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
        return ModelFacts(context_window(self._model, self._provider.official))
