"""Embedders by name, and the models that the store knows."""

from __future__ import annotations

from conspectus.errors import SettingsError
from conspectus.models.addresses import ollama_address, openai_address
from conspectus.models.protocol import Embedder
from conspectus.models.store import ModelSpec, ModelStore
from conspectus.settings import ModelSettings, keys


def specs() -> dict[str, ModelSpec]:
    """The models that can be fetched, by name."""
    from conspectus.models import minilm

    return {minilm.SPEC.name: minilm.SPEC}


def embedder(settings: ModelSettings) -> Embedder:
    """The embedder that `settings.embedder` names; it loads or connects at first use.

    Raises:
        ModelMissingError: a local model that is not in the store.
        SettingsError: a name of no known form.
    """
    name = settings.embedder
    if name in specs():
        from conspectus.models.minilm import MiniLM

        spec = specs()[name]
        return MiniLM(ModelStore(settings.store or None).path(spec), settings.threads)
    from conspectus.models.remote import OllamaEmbedder, OpenAIEmbedder

    if name.startswith("ollama:") and name.removeprefix("ollama:"):
        return OllamaEmbedder(ollama_address(), name.removeprefix("ollama:"), timeout=settings.timeout)
    if name.startswith("openai:") and name.removeprefix("openai:"):
        key = keys.found(settings.api_key, "models.api_key", ("OPENAI_API_KEY",)).reveal()
        return OpenAIEmbedder(openai_address(), name.removeprefix("openai:"), key=key, timeout=settings.timeout)
    url, _, model = name.partition("#")
    if url.startswith(("http://", "https://")) and model:
        key = keys.found(settings.api_key, "models.api_key").reveal()
        return OpenAIEmbedder(url, model, key=key, timeout=settings.timeout)
    known = ", ".join([*(f"'{known}'" for known in specs()), "'openai:NAME'", "'ollama:NAME'", "'URL#NAME'"])
    raise SettingsError(f"There is no embedder '{name}'.", f"models.embedder may be {known}.")
