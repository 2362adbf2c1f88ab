"""Embedders by name, those built in and those that installed packages bring; and the models that the store knows."""

from __future__ import annotations

from conspectus.core import entry_points
from conspectus.core.errors import SettingsError
from conspectus.models import minilm
from conspectus.models.addresses import ollama_address, openai_address
from conspectus.models.checked import CheckedEmbedder
from conspectus.models.minilm import SPEC, MiniLM
from conspectus.models.protocol import Embedder
from conspectus.models.store import ModelSpec, ModelStore
from conspectus.settings import ModelSettings, keys

BUILT_IN = {
    "minilm": "conspectus.models.registry:_minilm",
    "openai": "conspectus.models.registry:_openai",
    "ollama": "conspectus.models.registry:_ollama",
    "http": "conspectus.models.registry:_served",
    "https": "conspectus.models.registry:_served",
}
_WITH_NAME = ("openai", "ollama", "http", "https")


def specs() -> dict[str, ModelSpec]:
    """The models that can be fetched, by name."""
    from conspectus.models.encoders import efficientnet

    return {spec.name: spec for spec in (minilm.SPEC, efficientnet.SPEC)}


def embedder(settings: ModelSettings) -> Embedder:
    """The embedder that `settings.embedder` names; it loads or connects at first use.

    A name is that of an entry point of the group `conspectus.embedders`, alone or with what follows it after a colon;
    the address of a server is one of `http` or `https`. What the entry point gives is called with the settings.

    Raises:
        ModelMissingError: a local model that is not in the store.
        SettingsError: a name of no known form.
        UnavailableError: the package that brings it cannot be loaded, or fails.
    """
    kind, _, rest = settings.embedder.partition(":")
    known = entry_points.offered("embedders", BUILT_IN)
    if kind in known and (rest or kind not in _WITH_NAME):
        made: Embedder = entry_points.make(known[kind], settings)
        return CheckedEmbedder(made) if known[kind].dist else made
    raise _unknown(settings.embedder)


def _minilm(settings: ModelSettings) -> Embedder:
    if settings.embedder != "minilm":
        raise _unknown(settings.embedder)
    return MiniLM(ModelStore(settings.store or None).path(SPEC), settings.threads)


def _openai(settings: ModelSettings) -> Embedder:
    from conspectus.models.remote import OpenAIEmbedder

    key = keys.found(settings.api_key, "models.api_key", ("OPENAI_API_KEY",)).reveal()
    model = settings.embedder.removeprefix("openai:")
    return OpenAIEmbedder(openai_address(), model, key=key, timeout=settings.timeout)


def _ollama(settings: ModelSettings) -> Embedder:
    from conspectus.models.remote import OllamaEmbedder

    return OllamaEmbedder(ollama_address(), settings.embedder.removeprefix("ollama:"), timeout=settings.timeout)


def _served(settings: ModelSettings) -> Embedder:
    url, _, model = settings.embedder.partition("#")
    if not (url.startswith(("http://", "https://")) and model):
        raise _unknown(settings.embedder)
    from conspectus.models.remote import OpenAIEmbedder

    key = keys.found(settings.api_key, "models.api_key").reveal()
    return OpenAIEmbedder(url, model, key=key, timeout=settings.timeout)


def _unknown(name: str) -> SettingsError:
    brought = entry_points.offered("embedders", BUILT_IN).keys() - BUILT_IN.keys()
    forms = ", ".join(f"'{form}'" for form in ("minilm", "openai:NAME", "ollama:NAME", "URL#NAME", *sorted(brought)))
    return SettingsError(f"There is no embedder '{name}'.", f"models.embedder may be {forms}.")
