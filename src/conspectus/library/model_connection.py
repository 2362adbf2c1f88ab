"""Connecting language models: found or named, tested with a small question, then set in the user's configuration.

Whatever a library's own files say has no part in it; keys are kept by `settings.keys`, never in a library.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from conspectus.core.errors import ConspectusError, ModelMissingError, SettingsError
from conspectus.core.job_context import Notice, emit
from conspectus.evidence.reader import PROMPT, Readings
from conspectus.library.library_folder import CHANGING, edited, read_settings_file, write_settings_file
from conspectus.llm.budget import CallUsage
from conspectus.llm.client import LlmClient, RoleModels
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import Prompts, fenced
from conspectus.models import hub
from conspectus.models.language import ModelReply, Tokens
from conspectus.models.languages import offers
from conspectus.models.languages.model_recommendations import RECOMMENDED, recommended_models
from conspectus.models.languages.model_titles import model_title
from conspectus.models.languages.providers import PROVIDERS
from conspectus.models.languages.registry import LanguageModels, ModelName, parse_model_name
from conspectus.models.languages.servers import check_llama_cpp
from conspectus.models.services import price
from conspectus.models.store import ModelStore
from conspectus.records import Usage
from conspectus.records.events import Progress
from conspectus.records.models import ModelConnection, ModelOffer, ModelTest, OfferedModel, RecommendedModel, Role
from conspectus.settings import BudgetSettings, LanguageSettings, Secret, Settings, load_settings, set_name
from conspectus.settings.keys import forget_key, keep_key, keys_file, list_places, read_key
from conspectus.settings.layers import SECTION, section_origin
from conspectus.settings.user_folders import config_file, prompts_folder

LONGEST_KEY = 1000
QUESTION_PROMPT_TOKENS = 6000
QUESTION_CALLS = 6
"""What a question takes, about: benchmarks/tokens.py measures 5,853 tokens of prompts in 5.7 calls."""
TEST_TOKENS = 2000
"""Of the answer to the test; a model that reasons needs more than what it says."""
SLOW = 20.0
"""Seconds of the test from which on a question takes minutes."""
SMALL_CONTEXT = 8192
"""Tokens below which fewer passages fit a call than the program would send."""
_QUESTION = "How does the firing of grid cells depend on the animal's position?"
_SENTENCES = (
    "Rats were trained to run in a box of one square metre.",
    "Grid cells fired wherever the animal's position coincided with a vertex of a regular hexagonal grid.",
    "Food was given at random places.",
)
_BEARING = 2
"""The number of the sentence that answers the question."""


class NoCallCache:
    """Keeps nothing: the answer to a test is of no library."""

    def find_replies(self, digests: Sequence[str]) -> Mapping[str, ModelReply]:  # noqa: ARG002 - of `CallCache`
        """None."""
        return {}

    def keep(self, digest: str, reply: ModelReply, papers: Sequence[str]) -> None:
        """Let it go."""

    def spend(self, spent: CallUsage) -> None:
        """Let it go."""


def list_offers(settings: Settings, folder: Path, name: str, key: Secret) -> ModelConnection:
    """The models of a provider, an address or a repository; without a name what runs here, and the providers.

    A key that a provider took is kept.

    Raises:
        ServiceError: it refused the key, or does not answer.
        SettingsError: a name of no known form, or a provider's key is missing.
        NotFoundError: there is no such repository.
    """
    roles = roles_of(settings)
    if not name:
        found_here = (*offers.find_servers(), *offers.provider_offers())
        return ModelConnection(found_here, None, roles, recommended=_recommended(settings))
    if provider := PROVIDERS.get(name):
        model_name = ModelName(name, "")
        if key:
            _check_key(model_name, folder)
        if not (provider_key := key or _known_key(settings.language, model_name, provider.keys)):
            raise SettingsError(
                f"{provider.title} needs a key.", f"Give one, or set {provider.keys[0]} in the environment."
            )
        offer = offers.ask_provider(provider, provider_key)
        return ModelConnection((offer,), None, roles, keep_key(name, key) if key else "")
    if name.startswith(hub.PREFIX):
        return ModelConnection((_repository_offer(name, settings),), None, roles)
    model_name = parse_model_name(name)
    return ModelConnection(
        (offers.ask_address(model_name.address, key or _known_key(settings.language, model_name)),), None, roles
    )


def _recommended(settings: Settings) -> tuple[RecommendedModel, ...]:
    """The list of small models, and which of them have been fetched."""
    store = ModelStore(settings.models.store or None).root
    places = {model.name: hub.parse_hub_name(model.name) for model in RECOMMENDED}
    return recommended_models(
        frozenset(name for name, (repository, path) in places.items() if repository.place(store, path).is_file())
    )


def is_place(name: str) -> bool:
    """Whether a name is of a place that has models, and not of a model."""
    if name.startswith(hub.PREFIX):
        return not hub.parse_hub_name(name)[1]
    return not name or name in PROVIDERS or (name.startswith(("http://", "https://")) and "#" not in name)


def connect(
    settings: Settings, folder: Path, name: str, key: Secret, role: Role | None, *, untested: bool = False
) -> tuple[ModelConnection, Settings]:
    """Test a model unless `untested`, keep its key and set it for a role (None: all that have none of their own).

    Returns:
        what came of it, and the settings that hold now. A model that fails its test changes nothing.

    Raises:
        SettingsError: a name of no known form, or a setting elsewhere that goes before the configuration.
        ServiceError, ModelMissingError: it does not answer as it has to.
    """
    if name.startswith(hub.PREFIX):
        check_llama_cpp()
        name = f"local:{fetch_from_hub(settings, name)[1]}"
    model_name = parse_model_name(name)
    if key:
        _check_key(model_name, folder)
    language = _language_for(settings, name, model_name, key, role)
    tested = None if untested else test_model(name, language)
    earlier = read_key(model_name.place)
    key_place = keep_key(model_name.place, key) if key else ""
    try:
        changed = write_models(settings, folder, {f"language.{role or 'model'}": name})
    except ConspectusError:
        if earlier:
            keep_key(model_name.place, earlier)
        elif key:
            forget_key(model_name.place)
        raise
    return ModelConnection((), tested, roles_of(changed), key_place), changed


def disconnect(settings: Settings, folder: Path, role: Role | None) -> tuple[ModelConnection, Settings]:
    """Set no model for a role (None: for none of them), and delete the keys of those that no role has any longer.

    Raises:
        SettingsError: a model is set elsewhere than in the user's configuration, or the file of keys cannot be read.
            Nothing was changed.
    """
    before = _places(settings)
    known = {*before, *PROVIDERS, *list_places()} if role is None else before
    names = [role] if role else ["model", *get_args(Role)]
    changed = write_models(settings, folder, {f"language.{name}": None for name in names})
    for place in known - _places(changed):
        forget_key(place)
    return ModelConnection((), None, roles_of(changed)), changed


def roles_of(settings: Settings) -> dict[str, str]:
    """The model of each role; "" where there is none."""
    return {role: settings.language.of(role) for role in get_args(Role)}


def fetch_from_hub(settings: Settings, name: str) -> tuple[hub.HubFile, Path]:
    """A model of the hub in the store, fetched with progress unless it is there. Raises as `hub.fetch_hub_file`."""
    file = hub.find_hub_file(name)
    store = ModelStore(settings.models.store or None).root
    if not file.is_here(store):
        licence = f"licence {file.licence}" if file.licence else "no licence is given"
        emit(Notice(f"Fetching {file.name}: {file.megabytes:,} MB, {licence}, SHA-256 {file.sha256}."))

    def tell(done: int, total: int) -> None:
        emit(Progress("fetching", done / 1e6, total / 1e6, "MB", file.path))

    return file, hub.fetch_hub_file(file, store, tell)


def test_model(name: str, language: LanguageSettings) -> ModelTest:
    """How a model reads a passage for a question, as the program will ask it.

    Raises:
        ServiceError, ModelMissingError: it does not answer, or not in the form that is needed.
    """
    emit(Progress("testing", 0, 1, "questions", model_title(name)))
    models = LanguageModels(language)

    async def run() -> tuple[Readings, Usage, int]:
        client = LlmClient(
            RoleModels(models, name), Prompts(prompts_folder()), NoCallCache(), language, BudgetSettings()
        )
        try:
            context = await client.context("summarise")
            reply = await client.ask("summarise", PROMPT, _test_values(), OutputSpec(Readings, _why_useless))
            return reply, client.usage, context
        finally:
            await models.close()

    with ThreadPoolExecutor(1) as pool:  # there may be an event loop in this thread
        reply, usage, context = pool.submit(copy_context().run, asyncio.run, run()).result()
    emit(Progress("testing", 1, 1, "questions", model_title(name)))
    return ModelTest(
        name,
        usage.seconds,
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.estimated,
        _question_cost(parse_model_name(name), usage),
        context,
        (*_advice(reply, usage.seconds), *_context_advice(parse_model_name(name), context)),
    )


def _test_values() -> dict[str, str]:
    lines = "\n".join(f"[{number}] {text}" for number, text in enumerate(_SENTENCES, 1))
    passage = fenced("passage", lines, number="1", paper="Example 2005", title="Cells in the entorhinal cortex")
    return {"question": fenced("question", _QUESTION), "passages": passage, "words": "20"}


def _why_useless(reply: Readings) -> str:
    numbers = {number for reading in reply.readings for number in reading.spans}
    if not numbers <= set(range(1, len(_SENTENCES) + 1)):
        return f"the passage has the sentences 1 to {len(_SENTENCES)}"
    return "" if reply.readings else "there are no readings"


def _advice(reply: Readings, seconds: float) -> tuple[str, ...]:
    advice = []
    if not any(reading.relevant and _BEARING in reading.spans for reading in reply.readings):
        advice.append(
            "It answered in the right form, but missed the sentence that answers the question. "
            "A larger model will give better answers."
        )
    if seconds > SLOW:
        minutes = max(1, round(QUESTION_CALLS * seconds / 60))
        advice.append(f"It is slow here: a question takes several such calls, {minutes} min or so.")
    return tuple(advice)


def _context_advice(name: ModelName, context: int) -> tuple[str, ...]:
    if not 0 < context < SMALL_CONTEXT:
        return ()
    remedy = {
        "ollama": "Start Ollama with OLLAMA_CONTEXT_LENGTH=16384, or set num_ctx in the model's Modelfile.",
        "local": "Set language.context to more, if the memory allows it.",
    }.get(name.kind, "Start its server with a larger context.")
    return (f"The model has {context:,} tokens of context, so that it reads little at a time. {remedy}",)


def _question_cost(name: ModelName, usage: Usage) -> float | None:
    """US dollars of a question, about: the prompts as measured, the answers as long as that of the test."""
    if usage.cost == 0:
        return 0.0
    provider = PROVIDERS.get(name.kind)
    address = provider.url if provider else name.address
    tokens = Tokens(QUESTION_PROMPT_TOKENS, 0, QUESTION_CALLS * usage.completion_tokens)
    return price(tokens, name.model, address) if address and not usage.estimated else None


def _language_for(
    settings: Settings, name: str, model_name: ModelName, key: Secret, role: Role | None
) -> LanguageSettings:
    """The settings that a model is tested with: with no key but its own.

    Raises:
        SettingsError: `language.api_key`, which belongs to another place, would go to this one.
    """
    language = settings.language
    current_model = set_name(language.model)
    is_same = not current_model or _place_of(current_model) == model_name.place
    if language.api_key and not is_same and role is None:
        raise SettingsError(
            f"language.api_key belongs to '{current_model}', and would be sent to '{model_name.place}' from now on.",
            f"Remove language.api_key, which {settings.origins.get('language.api_key', 'your settings')} sets; then "
            "connect the model with its key.",
        )
    api_key = key or (language.api_key if is_same else Secret())
    max_tokens = min(language.max_tokens, TEST_TOKENS)
    return replace(
        language,
        model=name,
        ask="",
        summarise="",
        write="",
        agent="",
        judge="",
        vision="",
        api_key=api_key,
        max_tokens=max_tokens,
    )


def _check_key(model_name: ModelName, folder: Path) -> None:
    """Refuse a key that would not be used, or that would be kept in a library."""
    if model_name.kind == "local":
        raise SettingsError("A model in a file needs no key.", "Leave it out.")
    provider = PROVIDERS.get(model_name.kind)
    if variable := next(filter(os.environ.get, provider.keys if provider else ()), ""):
        raise SettingsError(
            f"{variable} is set in the environment and goes before a key that is kept here.",
            f"Unset {variable}, or connect the model without a key.",
        )
    if Path(os.path.realpath(keys_file())).is_relative_to(os.path.realpath(folder)):
        raise SettingsError(
            f"Keys are kept next to your configuration, and '{config_file()}' is inside a library.",
            "Move your configuration out of the library.",
        )


def _known_key(language: LanguageSettings, model_name: ModelName, variables: Sequence[str] = ()) -> Secret:
    """The key for a place that was set or kept before."""
    from conspectus.settings import keys

    current_model = set_name(language.model)
    api_key = language.api_key if current_model and _place_of(current_model) == model_name.place else Secret()
    return keys.find_key(api_key, "", variables, model_name.place)


def _places(settings: Settings) -> set[str]:
    """Where the models of the settings are."""
    language = settings.language
    names = {set_name(getattr(language, name)) for name in ("model", *get_args(Role))}
    return {_place_of(name) for name in names if name} - {""}


def _place_of(name: str) -> str:
    """Where a model of the settings is; "" where it is no language model, or its name has no known form."""
    try:
        return parse_model_name(name).place
    except SettingsError:  # which is mended by connecting another
        return ""


def _repository_offer(name: str, settings: Settings) -> ModelOffer:
    repository, _ = hub.parse_hub_name(name)
    files = hub.list_hub_files(repository)
    if not files:
        raise ModelMissingError(
            f"'{repository.title}' has no model in one GGUF file.", "Look for a repository whose name ends in GGUF."
        )
    store = ModelStore(settings.models.store or None).root
    models = tuple(
        OfferedModel(file.name, file.path, file.megabytes, file.licence, file.is_here(store)) for file in files
    )
    return ModelOffer("hub", f"{hub.PREFIX}{repository.title}", repository.title, models)


def write_models(settings: Settings, folder: Path, changes: Mapping[str, str | None]) -> Settings:
    """Write names of models into the user's configuration, for all libraries; the settings that hold then.

    What the configuration sets for this library alone gives way to it.

    Raises:
        SettingsError: the environment or the command line sets one of them otherwise. Nothing was changed.
    """
    path = config_file()
    flags: dict[str, Any] = {key: settings.get(key) for key, by in settings.origins.items() if by == "flag"}
    with CHANGING:
        before = text = read_settings_file(path)
        for key, name in changes.items():
            text = edited(text, ("language",), key.partition(".")[2], name)
            if settings.origins.get(key) == section_origin(path, folder):
                text = edited(text, (SECTION, str(folder)), key, None)
        try:
            if text != before:
                write_settings_file(path, text)
            changed = load_settings(folder, flags)
            _check_holds(changed, changes)
        except BaseException:
            if text != before:
                write_settings_file(path, before)
            raise
    return changed


def _check_holds(changed: Settings, changes: Mapping[str, str | None]) -> None:
    for key, name in changes.items():
        if set_name(changed.get(key)) != (name or ""):
            where = changed.origins.get(key, "default")
            raise SettingsError(f"'{key}' is set by {where}, which wins over what is set here.", "Change it there.")
