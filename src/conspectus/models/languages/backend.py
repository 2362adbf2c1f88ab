"""What is behind a language model: the connection, and what its server tells of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conspectus.core.errors import ServiceError
from conspectus.models.languages.failures import Service
from conspectus.settings import Secret

if TYPE_CHECKING:
    from pydantic_ai.models import Model


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a model. `context` is in tokens, 0: not known; `tools`: whether it takes them."""

    context: int = 0
    tools: bool = True


@dataclass(frozen=True, slots=True)
class Connection:
    """An open way to a model, for one event loop."""

    model: Model
    close: Callable[[], Awaitable[None]]


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
    """One kind of place where models are served. `id` and `facts` may ask the server, once; threads may call them.

    Attributes:
        place: provider and host: what shares limits.
        address: where requests are sent.
        doubtful: a server of unknown make, which may refuse what others take.
        free: calls cost no money.
        at_once: calls that it computes at a time, so that others do not wait where their time is counted; 0: not known.
    """

    place: str
    address: str
    doubtful = False
    free = False
    at_once = 0

    @property
    @abstractmethod
    def id(self) -> str:
        """See `LanguageModel.id`."""

    @property
    @abstractmethod
    def service(self) -> Service:
        """How errors name it."""

    @property
    @abstractmethod
    def model(self) -> str:
        """The model's name there."""

    @abstractmethod
    def facts(self) -> Facts:
        """What is known of it."""

    @abstractmethod
    def connect(self, *, long_limit: bool) -> Connection:
        """Open a way to it. `long_limit`: it calls the limit of an answer `max_completion_tokens`.

        Raises:
            ServiceError, ModelMissingError: it cannot be.
        """

    def close(self) -> None:
        """Give back what is not a connection."""
        return
