"""Where settings come from, each as (key, value, origin), not yet checked.

A library's own file, the user's configuration with its section for that library, and the environment.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conspectus.core.disk import read_file, user_path
from conspectus.core.errors import LibraryError, SettingsError
from conspectus.core.os_errors import describe_os_error
from conspectus.settings.names import KEYS
from conspectus.settings.user_folders import CONFIG, STATE, config_file

FILE_NAME = "conspectus.toml"
MOST_BYTES = 2**16
MOST_DOTS = 500
PREFIX = "CONSPECTUS_"
RESERVED = frozenset({"CONSPECTUS_LIBRARY", "CONSPECTUS_DATA", CONFIG, STATE, "CONSPECTUS_SERVER_TOKEN"})
SECTION = "library"
"""The table of the user's configuration that holds a section for each library, by its folder."""

Layer = tuple[str, Any, str]


def from_library(folder: Path | None) -> Iterator[Layer]:
    """What the library's own file sets.

    Raises:
        SettingsError: it is not TOML, or cannot be read.
        LibraryError: the folder cannot be looked into.
    """
    path = folder / FILE_NAME if folder else None
    try:
        if path is None or not path.exists():
            return
    except OSError as error:
        raise LibraryError(
            f"The library folder '{folder}' cannot be used: {describe_os_error(error)}.",
            "Give yourself the right to it, or choose another (`library=FOLDER`).",
        ) from error
    yield from _settings_of(_read_toml(path), str(path))


def from_user(folder: Path | None) -> Iterator[Layer]:
    """What the user's configuration sets for all libraries, then what its section for the library in `folder` sets.

    Raises:
        SettingsError: it is not TOML, or cannot be read.
    """
    path = config_file()
    if not path.exists():
        return
    tree = _read_toml(path)
    sections = tree.pop(SECTION, {})
    yield from _settings_of(tree, str(path))
    if folder is None or not isinstance(sections, dict):
        return
    for name, section in sections.items():
        if isinstance(section, dict) and os.path.realpath(user_path(name)) == os.path.realpath(folder):
            yield from _settings_of(section, section_origin(path, name))


def section_heading(folder: Path | str) -> str:
    """How the section for the library in `folder` begins in the user's configuration, without its brackets."""
    return f"{SECTION}.{json.dumps(str(folder), ensure_ascii=False)}"


def section_origin(path: Path, folder: Path | str) -> str:
    """The origin of what that section sets."""
    return f"{path} [{section_heading(folder)}]"


def from_environment(environ: Mapping[str, str]) -> Iterator[Layer]:
    """What the environment sets."""
    for variable, value in sorted(environ.items()):
        if variable.startswith(PREFIX) and variable not in RESERVED:
            group, _, name = variable.removeprefix(PREFIX).lower().partition("_")
            yield f"{group}.{name}" if name else group, value, variable


def _settings_of(tree: Mapping[str, Any], origin: str) -> Iterator[Layer]:
    for group, table in tree.items():
        if not isinstance(table, dict):  # a setting without its group, such as `model`
            yield group, table, origin
            continue
        for name, value in table.items():
            if isinstance(value, dict) and f"{group}.{name}" not in KEYS:  # of a service: `[sources.crossref]`
                yield from ((f"{group}.{name}.{inner}", inner_value, origin) for inner, inner_value in value.items())
            else:
                yield f"{group}.{name}", value, origin


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        text = read_file(path, MOST_BYTES).decode().replace("\r\n", "\n")
        if any(line.count(".") > MOST_DOTS for line in text.splitlines()):
            raise ValueError(f"a line has more than {MOST_DOTS} dots")  # the TOML reader takes minutes for such keys
        return tomllib.loads(text)
    except RecursionError as error:
        raise SettingsError(f"'{path}' is not valid TOML: it is nested too deeply.", "No setting is.") from error
    except ValueError as error:  # of TOML, of UTF-8, of a number of thousands of digits
        raise SettingsError(f"'{path}' is not valid TOML: {error}.", "Mend that line.") from error
    except OSError as error:
        raise SettingsError(
            f"'{path}' cannot be read: {describe_os_error(error)}.", "Give yourself the right to read it."
        ) from error
