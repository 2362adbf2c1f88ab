"""One frozen tree of settings. Later layers win: library's own file, user's configuration, environment, flags.

A key is written `group.name`: in a file as `name = …` under `[group]`, in the environment as `CONSPECTUS_GROUP_NAME`,
on the command line as `--set group.name=…`. Addresses, keys, programs, paths and larger limits are never taken from a
library's own file (`LibraryScope`): whoever made that file decides nothing about where this user's texts and keys go.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conspectus.core.disk import user_path
from conspectus.core.errors import SettingsError, UsageError
from conspectus.core.http import is_address
from conspectus.settings.fields import LibraryScope
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
    SettingGroups,
    SourcesSettings,
    set_name,
)
from conspectus.settings.layers import (
    ALIASES,
    KEYS,
    Key,
    Layer,
    attribute_of,
    convert,
    describe,
    find_setting,
    from_environment,
    from_library,
    from_user,
    section_heading,
)
from conspectus.settings.secret import Secret, without_user
from conspectus.settings.user_folders import config_file


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(SettingGroups):
    """All settings, checked.

    Attributes:
        origins: for each key that is not at its default, where it was set.
        ignored: for each key that the library's own file sets and may not, that file. The value is not read.
    """

    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    ignored: Mapping[str, str] = field(default_factory=dict, compare=False)

    def rows(self) -> Iterator[tuple[str, Any, str]]:
        """(key, value, where it came from) of every setting, in order."""
        for key in KEYS:
            yield key, self.get(key), self.origins.get(key, "default")

    def get(self, key: str) -> Any:
        """The value of `group.name`."""
        return getattr(getattr(self, key.partition(".")[0]), attribute_of(key))

    def with_values(self, values: Mapping[str, Any]) -> Settings:
        """The same with other values, by `group.name`; each is checked.

        Raises:
            SettingsError: as `load_settings`.
        """
        groups: dict[str, dict[str, Any]] = {}
        for key, value in values.items():
            name = find_setting(key, "flag")
            groups.setdefault(name.partition(".")[0], {})[attribute_of(name)] = convert(name, value, "flag")
        replaced = {group: replace(getattr(self, group), **new) for group, new in groups.items()}
        changed = {find_setting(key, "flag") for key in values}
        ignored = {key: file for key, file in self.ignored.items() if key not in changed}
        return replace(self, **replaced, origins={**self.origins, **dict.fromkeys(values, "flag")}, ignored=ignored)


def explain_ignored(settings: Settings) -> tuple[str, str]:
    """Which settings of the library's own file are ignored, and what to do; empty texts if none is."""
    if not settings.ignored:
        return "", ""
    names, file = ", ".join(settings.ignored), next(iter(settings.ignored.values()))
    return (
        f"'{file}' sets {names}. This is ignored: a library's folder does not set it.",
        f"If you want it, write it into your configuration '{config_file()}', below "
        f"[{section_heading(Path(file).parent)}].",
    )


def place_of(folder: str | os.PathLike[str]) -> Path:
    """A library's folder by the name that a user gave it; absolute, so that it stays when the process changes folders.

    Raises:
        UsageError: no folder can be called so.
    """
    name = os.fspath(folder)
    if "\0" in name:  # no system call takes it
        raise UsageError(f"The name of a library's folder cannot be {name!r}.", "Leave the NUL character out.")
    return Path(os.path.abspath(user_path(name)))  # noqa: PTH100 - links stay


def default_folder() -> Path:
    """The library's folder where none is named: `CONSPECTUS_LIBRARY`, else in the user's data folder."""
    from platformdirs import user_data_path

    folder = os.environ.get("CONSPECTUS_LIBRARY")
    return user_path(folder) if folder else user_data_path("conspectus") / "library"


def load_settings(
    folder: Path | None = None,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """The settings for the library in `folder`, checked.

    Args:
        folder: the library's folder; None or without a `conspectus.toml`: no file is read.
        flags: `group.name` -> value, from the command line or from Python; text is converted.
        environ: the environment; None: the process's own.

    Raises:
        SettingsError: an unknown key (the nearest right name is given), a wrong type, or a value out of bounds.
    """
    allowed, ignored = library_layer(folder)
    layers = [*allowed, *from_user(folder), *from_environment(os.environ if environ is None else environ)]
    layers += [(key, value, "flag") for key, value in (flags or {}).items()]
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name, value, origin in layers:
        key = find_setting(name, origin)
        values[key] = convert(key, value, origin)
        origins[key] = origin
    groups = {
        group: cls(**{attribute_of(key): value for key, value in values.items() if key.startswith(group + ".")})
        for group, cls in GROUPS.items()
    }
    ignored = {key: file for key, file in ignored.items() if key not in values}
    settings = Settings(**groups, origins=origins, ignored=ignored)
    if settings.passages.overlap >= settings.passages.chars:
        raise SettingsError(
            f"passages.overlap ({settings.passages.overlap}) must be less than passages.chars "
            f"({settings.passages.chars}).",
            "Lower the first or raise the second.",
        )
    _check_address(settings, "parse.grobid_url", "http://localhost:8070")
    for key in KEYS:
        if key.startswith("sources.") and key.endswith("url"):
            _check_address(settings, key, str(KEYS[key].default))
    return settings


def library_layer(folder: Path | None) -> tuple[list[Layer], dict[str, str]]:
    """What the library's own file sets and may set; and the keys that it sets and may not, with the file."""
    allowed, ignored = list[Layer](), dict[str, str]()
    for name, value, origin in from_library(folder):
        key = find_setting(name, origin)
        is_name = KEYS[key].scope is LibraryScope.BUILT_IN  # what it may not set may be of any type
        if KEYS[key].is_harmless(value if is_name else convert(key, value, origin)):
            allowed.append((key, value, origin))
        else:
            ignored[key] = origin
    return allowed, ignored


def _check_address(settings: Settings, key: str, example: str) -> None:
    """Refuses what cannot be the address of a server."""
    if (address := settings.get(key)) and not is_address(address):
        masked = f"***@{address.rpartition('@')[2]}" if "@" in address else address  # what stands before may be secret
        raise SettingsError(f"{key} '{masked}' is not an address.", f"It looks like {example}.")
