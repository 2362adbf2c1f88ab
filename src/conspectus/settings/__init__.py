"""One frozen tree of settings: `conspectus.toml` in the library < `CONSPECTUS_*` in the environment < flags.

A key is written `group.name`: in the file as `name = …` under `[group]`, in the environment as
`CONSPECTUS_GROUP_NAME`, on the command line as `--set group.name=…`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conspectus.core.disk import user_path
from conspectus.core.errors import SettingsError
from conspectus.core.http import is_address
from conspectus.settings.groups import (
    GROUPS,
    NO_MODEL,
    AgentSettings,
    AnswerSettings,
    BudgetSettings,
    CatalogSettings,
    ConsensusSettings,
    EvidenceSettings,
    LanguageSettings,
    ModelSettings,
    ParseSettings,
    PassageSettings,
    SearchSettings,
    Secret,
    SettingGroups,
    SourcesSettings,
    set_name,
    without_user,
)
from conspectus.settings.layers import from_environment
from conspectus.settings.names import ALIASES, KEYS, Key, convert, describe, known
from conspectus.settings.standing import Claim, refused, standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(SettingGroups):
    """All settings, checked.

    Attributes:
        origins: for each key that is not at its default, where it was set.
        left_out: what the library's folder says and does not count, because the library is not trusted.
    """

    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    left_out: tuple[Claim, ...] = field(default=(), compare=False)

    def rows(self) -> Iterator[tuple[str, Any, str]]:
        """(key, value, where it came from) of every setting, in order."""
        for key in KEYS:
            yield key, self.get(key), self.origins.get(key, "default")

    def get(self, key: str) -> Any:
        """The value of `group.name`."""
        group, _, name = key.partition(".")
        return getattr(getattr(self, group), name)

    def require(self, key: str) -> None:
        """Raises UntrustedError where the library's file sets `key`, and that does not count."""
        for claim in self.left_out:
            if claim.name == key:
                raise refused(claim)

    def changed(self, values: Mapping[str, Any]) -> Settings:
        """The same with other values, by `group.name`; each is checked.

        Raises:
            SettingsError: as `load_settings`.
        """
        groups: dict[str, dict[str, Any]] = {}
        for key, value in values.items():
            group, _, name = known(key, "flag").partition(".")
            groups.setdefault(group, {})[name] = convert(f"{group}.{name}", value, "flag")
        made = {group: replace(getattr(self, group), **new) for group, new in groups.items()}
        left_out = tuple(claim for claim in self.left_out if claim.name not in {known(key, "flag") for key in values})
        return replace(self, **made, origins={**self.origins, **dict.fromkeys(values, "flag")}, left_out=left_out)


def default_folder() -> Path:
    """The library's folder where none is named: `CONSPECTUS_LIBRARY`, else in the user's data folder."""
    from platformdirs import user_data_path

    named = os.environ.get("CONSPECTUS_LIBRARY")
    return user_path(named) if named else user_data_path("conspectus") / "library"


def load_settings(
    folder: Path | None = None,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """The settings for the library in `folder`, checked; of one that is not trusted, what may count (`standing`).

    Args:
        folder: the library's folder; None or without a `conspectus.toml`: no file is read.
        flags: `group.name` -> value, from the command line or from Python; text is converted.
        environ: the environment; None: the process's own.

    Raises:
        SettingsError: an unknown key (the nearest right name is given), a wrong type, a value out of bounds, or a key
            or password in the library's file.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    found = standing(folder)
    layers = [*found.settings, *from_environment(os.environ if environ is None else environ)]
    layers += [(key, value, "flag") for key, value in (flags or {}).items()]
    for name, value, origin in layers:
        key = known(name, origin)
        values[key] = convert(key, value, origin)
        origins[key] = origin
    groups = {
        group: cls(**{key.split(".")[1]: value for key, value in values.items() if key.startswith(group + ".")})
        for group, cls in GROUPS.items()
    }
    settings = Settings(
        **groups, origins=origins, left_out=tuple(claim for claim in found.left_out if claim.name not in values)
    )
    if settings.passages.overlap >= settings.passages.chars:
        raise SettingsError(
            f"passages.overlap ({settings.passages.overlap}) must be less than passages.chars "
            f"({settings.passages.chars}).",
            "Lower the first or raise the second.",
        )
    _check_address(settings, "parse.grobid_url", "http://localhost:8070")
    _check_address(settings, "sources.crossref_url", "https://api.crossref.org")
    return settings


def _check_address(settings: Settings, key: str, example: str) -> None:
    """Refuses what cannot be the address of a server."""
    if (address := settings.get(key)) and not is_address(address):
        shown = f"***@{address.rpartition('@')[2]}" if "@" in address else address  # what stands before may be secret
        raise SettingsError(f"{key} '{shown}' is not an address.", f"It looks like {example}.")
