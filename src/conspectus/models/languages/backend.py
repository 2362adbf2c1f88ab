"""Where a language model is served: its address and key, and what its server says about it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from conspectus.core.errors import ServiceError
from conspectus.models.languages.request_forms import RequestForm
from conspectus.settings import Secret

SHOWN = 300
"""Characters of a server's own words that an error repeats."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model. `context` is in tokens, 0: not known; `tools`: whether it takes them."""

    context: int = 0
    tools: bool = True


@dataclass(frozen=True, slots=True)
class ServiceLabel:
    """A service as errors name it.

    Attributes:
        name: what is shown; holds no secret.
        key: where its key is set.
        secret: the key itself, so that no error repeats it.
        model: the setting or words that name the model.
        address: where it is.
    """

    name: str
    key: str
    secret: str
    model: str
    address: str

    def hide(self, text: str) -> str:
        """The text without the key, and not too long."""
        hidden = text.replace(self.secret, "***") if self.secret else text
        return hidden if len(hidden) <= SHOWN else hidden[:SHOWN] + " …"


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
