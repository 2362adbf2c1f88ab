"""Addresses of services that several kinds of models share, and what their calls cost."""

from __future__ import annotations

import os
from ipaddress import ip_address
from urllib.parse import urlsplit

from conspectus.core.errors import SettingsError
from conspectus.core.http import is_address
from conspectus.models.language import Tokens
from conspectus.models.languages.providers import OPENAI
from conspectus.settings import without_user

OLLAMA_PORT = 11434


def split_address(name: str, key: str) -> tuple[str, str] | None:
    """The address and the model of `URL#NAME`; None where it is no address.

    Raises:
        SettingsError: it holds a user, a password or a query; `key` is the setting for what lets one in.
    """
    address, _, model = name.partition("#")
    if "@" in address or "?" in address:
        raise SettingsError(
            f"'{without_user(name.partition('?')[0])}' holds more than an address.",
            f"Write the server's address alone, and put its key into {key}.",
        )
    return (address.rstrip("/"), model.strip()) if is_address(address) else None


def ollama_address() -> str:
    """The Ollama server: `OLLAMA_HOST` as Ollama itself reads it, else this machine."""
    address = os.environ.get("OLLAMA_HOST") or f"127.0.0.1:{OLLAMA_PORT}"
    if "://" in address:
        return address.rstrip("/")
    url = f"http://{address}".rstrip("/")
    return url if urlsplit(url).port else f"{url}:{OLLAMA_PORT}"


def openai_address() -> str:
    """OpenAI, or the address that `OPENAI_BASE_URL` puts in its place."""
    return (os.environ.get("OPENAI_BASE_URL") or OPENAI).rstrip("/")


def price(tokens: Tokens, model: str, address: str) -> float | None:
    """US dollars; None where the list does not have the model at that address.

    The name alone is not enough: a server of the user may call its model as it likes.
    """
    if tokens.estimated or is_own(address):
        return None
    from genai_prices import Usage, calc_price

    usage = Usage(input_tokens=tokens.prompt, cache_read_tokens=tokens.cached or None, output_tokens=tokens.completion)
    try:
        return float(calc_price(usage, model, provider_api_url=address).total_price)
    except LookupError:
        return None


def context_window(model: str, address: str) -> int:
    """Tokens of the model's context, from the same list; 0 where it is not there."""
    if is_own(address):
        return 0
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, listed_model = get_snapshot().find_provider_model(model, None, None, address)
    except LookupError:
        return 0
    return listed_model.context_window or 0


def is_own(address: str) -> bool:
    """Whether an address is of this machine or network, of which the list has no prices: it need not be read."""
    host = urlsplit(address).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return host == "localhost"
