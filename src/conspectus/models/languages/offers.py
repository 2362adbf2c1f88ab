"""Where language models can be had: servers that run on this machine, and providers; the models that each lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from conspectus.core import http
from conspectus.core.errors import ConspectusError, ServiceAwayError, ServiceError
from conspectus.models.languages.providers import PROVIDERS, Provider
from conspectus.models.services import OLLAMA_PORT, is_own, ollama_address
from conspectus.records.models import ModelOffer, OfferedModel
from conspectus.settings import Secret, keys

HERE = "127.0.0.1"
TIMEOUT = 1.5
"""Seconds in which a server on this machine says what it has."""
PROVIDER_TIMEOUT = 20.0
_MOST_BYTES = 2**20
_PROVIDER_BYTES = 2**23
MOST_MODELS = 500
_LONGEST_NAME = 200
_NO_CHAT = re.compile(r"embed|rerank|whisper|transcribe|\btts\b|dall-e|-image|imagen|veo-|realtime|moderation", re.I)
"""Models that cannot answer; connecting one would be refused by its test."""


@dataclass(frozen=True, slots=True)
class ServerKind:
    """A program that serves language models on a port of its own, below `path`."""

    title: str
    port: int
    path: str = "/v1"


SERVERS = (
    ServerKind("Ollama", OLLAMA_PORT),
    ServerKind("LM Studio", 1234),
    ServerKind("llama.cpp", 8080),
    ServerKind("vLLM", 8000),
)


def find_servers() -> tuple[ModelOffer, ...]:
    """The servers of language models that run on this machine, asked at the same time; only this machine is asked."""
    address = urlsplit(ollama_address())
    kinds = [*SERVERS]
    if address.hostname and is_own(ollama_address()) and http.is_here(ollama_address()) and address.port != OLLAMA_PORT:
        kinds[0] = ServerKind("Ollama", address.port or OLLAMA_PORT)
    with ThreadPoolExecutor(len(kinds)) as pool:
        calls = [pool.submit(copy_context().run, _ask_server, kind) for kind in kinds]
        return tuple(offer for call in calls if (offer := call.result()) and offer.models)


def provider_offers() -> tuple[ModelOffer, ...]:
    """The providers, and whether there is a key for each. Nobody is asked."""
    return tuple(
        ModelOffer(
            "provider",
            provider.name,
            provider.title,
            has_key=_has_key(provider),
            variable=provider.keys[0],
        )
        for provider in PROVIDERS.values()
    )


def _has_key(provider: Provider) -> bool:
    """Whether there is a key; not where it cannot be read now, as in a keyring that is locked."""
    try:
        return bool(keys.find_key(Secret(), "", provider.keys, provider.name))
    except ConspectusError:
        return False


def ask_provider(provider: Provider, key: Secret) -> ModelOffer:
    """A provider with the models that a key gives.

    Raises:
        ServiceError: it refused the key, or did not answer with models.
    """
    headers = {"Authorization": f"Bearer {key.reveal()}"}
    if provider.name == "anthropic":  # its list is not on its compatible side
        headers = {"x-api-key": key.reveal(), "anthropic-version": "2023-06-01"}
    names = list_models(provider.url, headers, provider.title, PROVIDER_TIMEOUT, _PROVIDER_BYTES)
    plain = dict.fromkeys(name.removeprefix("models/") for name in names)
    models = tuple(OfferedModel(f"{provider.name}:{name}", name) for name in plain)
    return ModelOffer("provider", provider.name, provider.title, models, True, provider.keys[0])


def ask_address(url: str, key: Secret) -> ModelOffer:
    """A compatible server with its models. Raises as `ask_provider`."""
    headers = {"Authorization": f"Bearer {key.reveal()}"} if key else {}
    names = list_models(url, headers, url, PROVIDER_TIMEOUT, _PROVIDER_BYTES)
    return ModelOffer("server", url, url, tuple(OfferedModel(f"{url}#{name}", name) for name in names), bool(key))


def list_models(url: str, headers: dict[str, str], title: str, timeout: float, most: int) -> tuple[str, ...]:
    """The names of the models that `url/models` lists. Raises as `ask_provider`."""
    try:
        reply = http.once("GET", f"{url}/models", timeout=timeout, headers=headers, most=most, direct=http.is_here(url))
    except http.NoAnswerError as error:
        raise ServiceAwayError(
            f"{title} cannot be reached: {str(error).rstrip('.')}.", "Check the address and the network."
        ) from None
    if reply.status in (401, 403):
        raise ServiceError(f"{title} refused the key (HTTP {reply.status}).", "Copy the key again.")
    if not reply.ok:
        raise ServiceError(f"{title} answered with HTTP {reply.status}.", "Check the address: it often ends in /v1.")
    if (listed := reply.json()) is None:
        raise ServiceError(
            f"The reply of {title} is not JSON, so it is no server of language models.",
            "Check the address: it often ends in /v1.",
        )
    return tuple(_names(listed))


def _ask_server(kind: ServerKind) -> ModelOffer | None:
    """A server of this machine; None where there is none, or it is another program."""
    root = f"http://{HERE}:{kind.port}"
    url = root + kind.path
    try:
        names = list_models(url, {}, kind.title, TIMEOUT, _MOST_BYTES)
    except ServiceError:
        return None
    is_ollama = kind.title == "Ollama" and _same_server(root, ollama_address())
    models = tuple(OfferedModel(f"ollama:{name}" if is_ollama else f"{url}#{name}", name) for name in names)
    return ModelOffer("server", url, kind.title, models)


def _same_server(first: str, second: str) -> bool:
    """Whether both are of one port of this machine."""
    return http.is_here(second) and urlsplit(first).port == urlsplit(second).port


def _names(listed: Any) -> Iterator[str]:
    """The names in an answer, which any program may have sent: short ones that an address can have behind it."""
    rows = listed.get("data") if isinstance(listed, dict) else listed if isinstance(listed, list) else None
    count = 0
    for row in rows if isinstance(rows, list) else ():
        name = row.get("id") if isinstance(row, dict) else None
        if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME or _NO_CHAT.search(name):
            continue
        if name.isprintable() and name == name.strip() and not set(name) & set("@?#"):
            count += 1
            yield name
        if count == MOST_MODELS:
            return
