"""Addresses of services that several kinds of models share."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from conspectus.core.errors import SettingsError
from conspectus.core.http import is_address
from conspectus.settings import without_user

OLLAMA_PORT = 11434


def server(name: str, key: str) -> tuple[str, str] | None:
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
    named = os.environ.get("OLLAMA_HOST") or f"127.0.0.1:{OLLAMA_PORT}"
    if "://" in named:
        return named.rstrip("/")
    url = f"http://{named}".rstrip("/")
    return url if urlsplit(url).port else f"{url}:{OLLAMA_PORT}"


def openai_address() -> str:
    """OpenAI, or the address that `OPENAI_BASE_URL` puts in its place."""
    return (os.environ.get("OPENAI_BASE_URL") or OPENAI).rstrip("/")


OPENAI = "https://api.openai.com/v1"
