"""Configurations: named settings and steps that are compared, and what can be checked before measuring."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from conspectus.core.errors import ConspectusError, UnavailableError, UsageError
from conspectus.evaluation.records import Configuration
from conspectus.models import registry as rerankers
from conspectus.models.languages import registry as languages
from conspectus.records import AskOptions
from conspectus.records.models import Role
from conspectus.settings import Settings, load_settings
from conspectus.settings.layers import find_setting

T = TypeVar("T")

BUILT_IN: Mapping[str, Mapping[str, str]] = {
    "default": {},
    "bm25": {"search.dense_weight": "0", "search.rerank": "0"},
    "dense": {"search.dense_weight": "1", "search.rerank": "0"},
    "hybrid": {"search.rerank": "0"},
    "rerank": {"search.rerank": "250", "search.candidates": "250"},
    "feedback": {"search.expand": "feedback"},
    "hyde": {"search.expand": "hyde"},
    "weights": {"search.keywords": "true", "search.recency": "true", "search.citations": "true"},
    "published": {
        "search.weighting": "published",
        "search.keywords": "true",
        "search.recency": "true",
        "search.citations": "true",
    },
    "diverse": {"search.mmr": "0.7"},
    "no-graph": {"search.graph": "no"},
    "graph": {"search.graph": "subgraph"},
    "pagerank": {"search.graph": "pagerank"},
}
"""The configurations that can be named without being described. `default` is as the settings are."""

OF_PAPERS = ("passages.", "models.embedder", "parse.")
"""Settings that decide what is in a library: a configuration that has them needs a library of its own."""


def configuration(text: str) -> Configuration:
    """Parse `NAME=key=value key=value …`, as `--config` takes it.

    Raises:
        UsageError: it has no name or no settings, or a setting that there is not.
    """
    name, equals, rest = text.partition("=")
    name = name.strip()
    try:
        pairs = [part.partition("=") for part in shlex.split(rest)]
    except ValueError as error:
        raise UsageError(f"The configuration '{text}' cannot be read: {error}.", _FORM) from error
    if not equals or not name or not pairs or "." in name or not all(pair[1] for pair in pairs):
        raise UsageError(f"'{text}' is no configuration.", _FORM)
    return Configuration(name, {find_setting(key, "flag"): value for key, _, value in pairs})


_FORM = "It looks like `config=low=search.rerank=0`, with more settings behind a space."


def select_configurations(
    compare: Sequence[str], user_configs: Iterable[Configuration] = ()
) -> tuple[Configuration, ...]:
    """The configurations to run, in order: those of `compare`, then those of `user_configs` that it does not name.

    With neither: `default` alone. An own one goes before a built-in one of its name.

    Raises:
        UsageError: a name that neither has, or the same name twice.
    """
    built_in = {name: Configuration(name, dict(values)) for name, values in BUILT_IN.items()}
    return select_by_name(compare, by_name(user_configs, ()), built_in)


def by_name(configs: Iterable[Configuration], reserved: Container[str]) -> dict[str, Configuration]:
    """The user's configurations by name; raises UsageError if a name is used twice or `reserved`."""
    mine: dict[str, Configuration] = {}
    for config in configs:
        if config.name in mine or config.name in reserved:
            raise UsageError(f"There are two configurations '{config.name}'.", "Give each a name of its own.")
        mine[config.name] = config
    return mine


def select_by_name(names: Sequence[str], mine: Mapping[str, T], built_in: Mapping[str, T]) -> tuple[T, ...]:
    """Select by name, then append the rest of `mine`; with neither, `default`. `mine` override built-in ones.

    Raises:
        UsageError: a name that neither has.
    """
    there = {**built_in, **mine}
    chosen_names = list(dict.fromkeys([*names, *mine])) or ["default"]
    for name in chosen_names:
        if name not in there:
            near = difflib.get_close_matches(name, there, n=1)
            there_are = f"There are: {', '.join(there)}; `config=NAME=group.name=value` makes another."
            hint = f"Did you mean '{near[0]}'?" if near else there_are
            raise UsageError(f"There is no configuration '{name}'.", hint)
    return tuple(there[name] for name in chosen_names)


def needs_own_library(config: Configuration) -> bool:
    """Whether it changes settings that decide what is in a library."""
    return any(key.startswith(OF_PAPERS) for key in config.overrides)


def settings_of(flags: Mapping[str, Any], configuration: Configuration, folder: Path | None = None) -> Settings:
    """The user's settings (with those of the library in `folder`), overridden by the configuration."""
    return load_settings(folder, {**flags, **configuration.overrides})


def check_configuration(configuration: Configuration, flags: Mapping[str, Any], folder: Path | None = None) -> Settings:
    """Load the settings of a configuration, and check what can be known before papers are ranked.

    Raises:
        SettingsError: a value that a setting cannot have, a reranker or a language model that there is not.
        UnavailableError: the language model is the reranker, and none is set.
        ModelMissingError: a file or a package of the reranker is missing.
        ServiceError: its key is missing.
    """
    try:
        settings = settings_of(flags, configuration, folder)
        name = settings.search.reranker
        kind = rerankers.parse_reranker(name).kind
        if kind not in (rerankers.LATE, rerankers.NONE, rerankers.JUDGE):
            rerankers.make_reranker(name, settings.models)  # it loads or connects later
    except ConspectusError as error:
        raise _name_configuration(configuration, error) from error
    if kind == rerankers.JUDGE:
        _require_model(settings, "judge", "search.reranker=judge", configuration)
    return settings


def check_search(configuration: Configuration, flags: Mapping[str, Any], folder: Path | None = None) -> Settings:
    """`check_configuration` for searches, which also need what `search.expand` needs.

    Raises:
        SettingsError, ModelMissingError, ServiceError: as `check`.
        UnavailableError: a language model is needed, and none is set.
    """
    settings = check_configuration(configuration, flags, folder)
    if settings.search.expand in ("hyde", "rephrase"):
        _require_model(settings, "ask", f"search.expand={settings.search.expand}", configuration)
    return settings


def _require_model(settings: Settings, role: Role, what: str, configuration: Configuration) -> None:
    """Raise if no language model has this role, or its name has no known form."""
    if not (name := settings.language.of(role)):
        raise UnavailableError(
            f"The configuration '{configuration.name}' ({what}) needs a language model, and none is set.",
            f"Set language.model or language.{role}: `language.model=NAME`.",
        )
    try:
        languages.parse_model_name(name)
    except ConspectusError as error:
        raise _name_configuration(configuration, error) from error


def _name_configuration(configuration: Configuration, error: ConspectusError) -> ConspectusError:
    """The error with the configuration's name in its message."""
    return type(error)(f"The configuration '{configuration.name}': {error.message}", error.hint)


How = Literal["ask", "passages", "vanilla", "blind"]


@dataclass(frozen=True, slots=True)
class AnswerConfig:
    """How questions are answered.

    Attributes:
        configuration: its name, and the settings that it has otherwise.
        about: one sentence for the reader of a result.
        how: `ask` as the verb does; `passages`: no model reads them, they go into the prompt for the answer as they
            are; `vanilla`: that, by the question alone, and nothing is checked by a model; `blind`: the model alone.
        options: of `ask`.
        shows_options: whether the options to choose from are part of the question.
        needs_model: whether it is nothing without a language model.
    """

    configuration: Configuration
    about: str
    how: How = "ask"
    options: AskOptions = AskOptions()
    shows_options: bool = True
    needs_model: bool = True

    @property
    def name(self) -> str:
        """The name of its configuration."""
        return self.configuration.name


def _config(name: str, about: str, overrides: Mapping[str, str] | None = None, **more: object) -> AnswerConfig:
    return AnswerConfig(Configuration(name, overrides or {}), about, **more)  # type: ignore[arg-type] # fields of Way


_ALL = (
    _config("default", "as `ask` answers with the settings as they are", needs_model=False),
    _config("agent", "a model chooses what to do next", options=AskOptions(agent=True)),
    _config("quick", "half is read, and the statements are not judged", options=AskOptions(depth="quick")),
    _config("thorough", "twice as much is read", options=AskOptions(depth="thorough")),
    _config("one-citation", "written from the one best piece of evidence", {"evidence.keep": "1"}),
    _config("no-evidence", "no evidence step: the passages found go into the prompt as they are", how="passages"),
    _config("vanilla", "one search, the passages found in the prompt, no evidence step and no judge", how="vanilla"),
    _config("no-options", "asked as an open question; the answer is held against the options", shows_options=False),
    _config("no-graph", "as `ask` does, without the graph of entities", {"search.graph": "no"}, needs_model=False),
    _config(
        "graph", "with what the graph finds between the entities named", {"search.graph": "subgraph"}, needs_model=False
    ),
    _config(
        "pagerank", "with a walk on the graph from the entities named", {"search.graph": "pagerank"}, needs_model=False
    ),
    _config("blind", "the model alone, without papers", how="blind"),
    _config(
        "extractive", "made of quotes, without a language model", options=AskOptions(model="none"), needs_model=False
    ),
)
ANSWER_CONFIGS: Mapping[str, AnswerConfig] = {config.name: config for config in _ALL}
"""The built-in configurations."""


def select_answer_configs(names: Sequence[str], user_configs: Iterable[Configuration] = ()) -> tuple[AnswerConfig, ...]:
    """The configurations to run, in order: those of `names`, then those of `user_configs` that it does not name.

    An own one is `default` with other settings. With neither: `default` alone.

    Raises:
        UsageError: a name that neither has, the same name twice, or one of `user_configs` with a built-in name.
    """
    return select_by_name(
        names,
        {name: _own_config(config) for name, config in by_name(user_configs, ANSWER_CONFIGS).items()},
        ANSWER_CONFIGS,
    )


def _own_config(config: Configuration) -> AnswerConfig:
    about = ", ".join(f"{key}={value}" for key, value in config.overrides.items())
    return AnswerConfig(config, f"as `ask` answers with {about}", needs_model=False)
