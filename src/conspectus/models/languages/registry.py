"""Language models by name, each made once; and a ping of each."""

from __future__ import annotations

import asyncio
import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args
from urllib.parse import urlsplit

from conspectus.core.disk import user_path
from conspectus.core.errors import ConspectusError, SettingsError
from conspectus.models.language import LanguageModel, Message, Request
from conspectus.models.languages.providers import PROVIDERS
from conspectus.models.services import ollama_address, split_address
from conspectus.records.models import Role
from conspectus.settings import LanguageSettings, Secret, keys, set_name

if TYPE_CHECKING:
    from conspectus.models.languages.backends import Backend
    from conspectus.models.languages.chat_model import RateLimits
    from conspectus.models.pairs import OnnxEntailment

KINDS = (*PROVIDERS, "ollama", "local")
"""What stands before the colon of a name."""
_SERVED = re.compile(rf"(?:{'|'.join(KINDS[:-1])}):[\w:-][\w.:-]*+(?:/[\w-][\w.:-]*+){{0,2}}")
FORMS = (
    *(f"{kind}:NAME" for kind in KINDS[:-1]),
    *("http://HOST:PORT/v1", "http://HOST:PORT/v1#NAME", "local:FILE.gguf"),
)
FAMILIES = {"gpt": "openai", "o1": "openai", "o3": "openai", "o4": "openai", "claude": "anthropic", "gemini": "google"}


@dataclass(frozen=True, slots=True)
class ModelName:
    """A language model's name, taken apart: `kind` is a provider or `url`; `address` only for the latter."""

    kind: str
    model: str
    address: str = ""

    @property
    def place(self) -> str:
        """Who is asked, and whether in the clear: a key is for one place."""
        if not self.address:
            return self.kind
        parts = urlsplit(self.address)
        return f"{self.kind} {parts.scheme}://{parts.netloc.lower()}"


def is_served(name: str) -> bool:
    """Whether it is a model by the name that a provider has for it: no address, and no file of this machine.

    Such a one may be named by who is asked over the network: where its provider is, is set on this machine alone.
    """
    return _SERVED.fullmatch(name) is not None


def parse_model_name(name: str) -> ModelName:
    """The parts of a name.

    Raises:
        SettingsError: it has no known form.
    """
    if name.startswith(("http://", "https://")):
        if parts := split_address(name, "language.api_key"):
            return ModelName("url", parts[1], parts[0])
        raise _unknown_model(name)
    kind, colon, model = name.partition(":")
    if colon and kind in KINDS and model.strip():
        return ModelName(kind, model.strip())
    raise _unknown_model(name)


def language_model(
    name: str,
    settings: LanguageSettings,
    limits: RateLimits | None = None,
    keyed: str | None = None,
) -> LanguageModel:
    """The language model that `name` names; it connects, or loads, at its first call.

    Args:
        name: as `language.model` is written.
        settings: limits and the key.
        limits: shared by the models of a library, so that those of one provider have its limits together.
        keyed: the only place that the key goes to, "" for none; None: as if this model were the first that is asked.

    Raises:
        SettingsError: a name of no known form.
        ServiceError: a provider's key is missing.
        ModelMissingError: a file, or what runs it, is missing.
    """
    from conspectus.models.languages.chat_model import ChatModel, RateLimits

    model_name = parse_model_name(name)
    if keyed is None:
        keyed = _place_of_key(settings, model_name)
    return ChatModel(_backend(model_name, settings, keyed=model_name.place == keyed), settings, limits or RateLimits())


class LanguageModels:
    """The language models of one library, each made once; they share the limits of their providers.

    `language.api_key` goes to one place for as long as this lives: see `_keyed`.

    Args:
        settings: names, limits and the key.
        given: models by names that are theirs, which are not made here, nor closed.
    """

    def __init__(self, settings: LanguageSettings, ready_models: Mapping[str, LanguageModel] | None = None) -> None:
        from conspectus.models.languages.chat_model import RateLimits

        self._settings = settings
        self._limits = RateLimits()
        self._ready_models = ready_models or {}
        self._opened_models: dict[str, LanguageModel] = {}
        self._keyed: str | None = None
        self._entailment: OnnxEntailment | None = None

    def of(self, role: Role) -> LanguageModel | None:
        """The model for a role; None where none is set. Raises as `language_model`."""
        name = self._settings.of(role)
        return self.get_model(name) if name else None

    def get_model(self, name: str) -> LanguageModel:
        """The model of a name; where settings name none, the first asked for has the key. See `language_model`."""
        if name in self._ready_models:
            return self._ready_models[name]
        if name not in self._opened_models:
            if self._keyed is None:
                self._keyed = _place_of_key(self._settings, parse_model_name(name))
            self._opened_models[name] = language_model(name, self._settings, self._limits, self._keyed)
        return self._opened_models[name]

    def entailment(self) -> OnnxEntailment | None:
        """The model of entailment that judges statements; None where a language model does, or nobody.

        Raises:
            ModelMissingError: its folder or a file in it is not there.
        """
        folder = self._settings.entailment
        if folder and self._entailment is None:
            from conspectus.models.pairs import OnnxEntailment

            self._entailment = OnnxEntailment(user_path(folder))
        return self._entailment

    async def close(self) -> None:
        """Give connections and memory back."""
        while self._opened_models:
            await self._opened_models.popitem()[1].close()


def _backend(name: ModelName, settings: LanguageSettings, *, keyed: bool) -> Backend:
    """What is behind a name; `keyed`: `language.api_key` is for it."""
    key, setting = (settings.api_key, "language.api_key") if keyed else (Secret(), "")
    if name.kind == "local":
        from conspectus.models.languages.servers import LocalBackend

        return LocalBackend(user_path(name.model), settings)
    from conspectus.models.languages.backends import ProviderBackend
    from conspectus.models.languages.servers import CompatibleBackend, OllamaBackend

    if name.kind == "url":
        return CompatibleBackend(name.address, name.model, keys.find_key(key, setting, place=name.place))
    if name.kind == "ollama":
        return OllamaBackend(ollama_address(), name.model, keys.find_key(key, setting, place=name.place))
    provider = PROVIDERS[name.kind]
    return ProviderBackend(provider, name.model, keys.find_key(key, setting, provider.keys, name.place))


def _place_of_key(settings: LanguageSettings, model_name: ModelName) -> str:
    """The place that `language.api_key` is for; "" where there is no telling.

    That of `language.model`, else the only one of the roles, else, where settings name no model, the one first asked.
    """
    if model := set_name(settings.model):
        return parse_model_name(model).place
    roles = filter(None, (settings.of(role) for role in get_args(Role)))
    places = {parse_model_name(name).place for name in roles} or {model_name.place}
    return places.pop() if len(places) == 1 else ""


def _unknown_model(name: str) -> SettingsError:
    forms = ", ".join(f"'{form}'" for form in FORMS)
    near = _guess_model(name)
    hint = f"Did you mean '{near}'? " if near else ""
    return SettingsError(f"There is no language model '{name}'.", f"{hint}language.model may be {forms}.")


def _guess_model(name: str) -> str:
    """The right name that was probably meant; "" where there is no telling."""
    kind, colon, model = name.partition(":")
    if colon and model.partition("/")[0].isdigit():
        return f"http://{name}" if "/" in name else f"http://{name}/v1"
    if colon and model and (close := difflib.get_close_matches(kind.lower(), [*KINDS, "gemini", "claude"], 1)):
        kind = {"gemini": "google", "claude": "anthropic"}.get(close[0], close[0])
        return f"{kind}:{model}"
    if name.lower().endswith(".gguf"):
        return f"local:{name}"
    if close := difflib.get_close_matches(name.lower(), KINDS, 1):
        return f"{close[0]}:{'FILE.gguf' if close[0] == 'local' else 'NAME'}"
    family = next((family for start, family in FAMILIES.items() if name.lower().startswith(start)), "")
    return f"{family}:{name}" if family else ""


QUESTION = Request((Message("user", "Answer with the word: ready"),), max_tokens=16)
TIMEOUT = 30.0
"""Seconds; a model that has to be loaded first needs some."""


@dataclass(frozen=True, slots=True)
class ModelPing:
    """How the model of a name answered: `detail` says it in words; `remedy` is empty where it answered."""

    name: str
    detail: str
    remedy: str = ""


def ping_models(
    names: Sequence[str], settings: LanguageSettings, ready_models: Mapping[str, LanguageModel] | None = None
) -> list[ModelPing]:
    """Ask each model once, in an event loop of its own: not for use in one. `ready_models` as `LanguageModels`."""
    models = LanguageModels(replace(settings, timeout=min(settings.timeout, TIMEOUT)), ready_models)

    async def run() -> list[ModelPing]:
        try:
            return list(await asyncio.gather(*(_ping(models, name) for name in names)))
        finally:
            await models.close()

    return asyncio.run(run())


async def _ping(models: LanguageModels, name: str) -> ModelPing:
    try:
        model = models.get_model(name)
        reply = await model.complete(QUESTION)
        context = await asyncio.to_thread(lambda: model.context)
    except ConspectusError as error:
        return ModelPing(name, error.message, error.hint or "Look at the settings of language models: docs/models.md.")
    size = f", {context} tokens of context" if context else ""
    return ModelPing(name, f"{model.id} answered in {reply.seconds:.1f} s{size}")
