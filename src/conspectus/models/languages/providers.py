"""The providers of language models: the one table of their addresses and keys. All speak OpenAI's chat completions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider.

    Attributes:
        name: before the colon in a model's name.
        title: as people know it.
        keys: environment variables for its key.
        variable: the environment variable for another address.
        official: its own address.
        path: where the OpenAI-compatible side lies below the address.
        mode: how an object is asked for at first.
        limit: what the limit of an answer is called.
        doubtful: some of its models refuse what others take.
    """

    name: str
    title: str
    keys: tuple[str, ...]
    variable: str
    official: str
    path: str = ""
    mode: Literal["native", "tool"] = "native"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    doubtful: bool = False

    @property
    def address(self) -> str:
        """Where it is, or where the user's variable puts it."""
        return (os.environ.get(self.variable) or self.official).rstrip("/")

    @property
    def url(self) -> str:
        """The OpenAI-compatible side."""
        return self.address + self.path


def _compatible(name: str, title: str, official: str, path: str) -> Provider:
    """A provider that is asked as any compatible server is."""
    variable = name.upper()
    return Provider(name, title, (f"{variable}_API_KEY",), f"{variable}_BASE_URL", official, path, doubtful=True)


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider("openai", "OpenAI", ("OPENAI_API_KEY",), "OPENAI_BASE_URL", OPENAI, limit="max_completion_tokens"),
        Provider(
            "anthropic",
            "Anthropic",
            ("ANTHROPIC_API_KEY",),
            "ANTHROPIC_BASE_URL",
            "https://api.anthropic.com",
            "/v1",
            mode="tool",  # it ignores `response_format` there
        ),
        Provider(
            "google",
            "Google Gemini",
            ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
            "GOOGLE_GEMINI_BASE_URL",
            "https://generativelanguage.googleapis.com",
            "/v1beta/openai",
        ),
        _compatible("mistral", "Mistral", "https://api.mistral.ai", "/v1"),
        _compatible("openrouter", "OpenRouter", "https://openrouter.ai", "/api/v1"),
        _compatible("deepseek", "DeepSeek", "https://api.deepseek.com", "/v1"),
        _compatible("groq", "Groq", "https://api.groq.com", "/openai/v1"),
        _compatible("together", "Together AI", "https://api.together.xyz", "/v1"),
    )
}
