"""Addresses of services that several kinds of models share."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

OLLAMA_PORT = 11434


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
