"""What can be told of a configuration before anything is measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conspectus.core.errors import ConspectusError, UnavailableError
from conspectus.core.roles import Role
from conspectus.evals.libraries import settings_of
from conspectus.evals.records import Configuration
from conspectus.models.languages import names as languages
from conspectus.models.rerankers import names as rerankers
from conspectus.settings import Settings


def check(configuration: Configuration, flags: Mapping[str, Any], folder: Path | None = None) -> Settings:
    """The settings of a configuration, with which papers can be ranked as far as that can be known now.

    Raises:
        SettingsError: a value that a setting cannot have, a reranker or a language model that there is not.
        UnavailableError: the language model is the reranker, and none is set.
        ModelMissingError: a file or a package of the reranker is missing.
        ServiceError: its key is missing.
    """
    try:
        settings = settings_of(flags, configuration, folder)
        name = settings.search.reranker
        kind = rerankers.parse(name).kind
        if kind not in (rerankers.LATE, rerankers.NONE, rerankers.JUDGE):
            rerankers.reranker(name, settings.models)  # it loads or connects later
    except ConspectusError as error:
        raise _of(configuration, error) from error
    if kind == rerankers.JUDGE:
        _has(settings, "judge", "search.reranker=judge", configuration)
    return settings


def check_search(configuration: Configuration, flags: Mapping[str, Any], folder: Path | None = None) -> Settings:
    """`check` for searches, which cannot do without what `search.expand` needs.

    Raises:
        SettingsError, ModelMissingError, ServiceError: as `check`.
        UnavailableError: a language model is needed, and none is set.
    """
    settings = check(configuration, flags, folder)
    if settings.search.expand in ("hyde", "rephrase"):
        _has(settings, "ask", f"search.expand={settings.search.expand}", configuration)
    return settings


def _has(settings: Settings, role: Role, what: str, configuration: Configuration) -> None:
    """Tell where no language model has a role that is needed, or one of no known form."""
    if not (name := settings.language.of(role)):
        raise UnavailableError(
            f"The configuration '{configuration.name}' ({what}) needs a language model, and none is set.",
            f"Set language.model or language.{role}: `language.model=NAME`.",
        )
    try:
        languages.parse(name)
    except ConspectusError as error:
        raise _of(configuration, error) from error


def _of(configuration: Configuration, error: ConspectusError) -> ConspectusError:
    """The error, told of a configuration."""
    return type(error)(f"The configuration '{configuration.name}': {error.message}", error.hint)
