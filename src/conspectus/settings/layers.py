"""The settings, each with its type, default and meaning; and where values come from, as (key, value, origin).

A library's own file, the user's configuration with its section for that library, and the environment.
"""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from conspectus.core.disk import read_file, user_path
from conspectus.core.errors import LibraryError, SettingsError, describe_os_error
from conspectus.settings.fields import LibraryScope
from conspectus.settings.groups import GROUPS
from conspectus.settings.secret import Secret
from conspectus.settings.user_folders import CONFIG, STATE, config_file

ALIASES = {"model": "language.model"}
"""Settings that may be written without their group."""
_YES_OR_NO = {"yes": True, "on": True, "no": False, "off": False}


@dataclass(frozen=True, slots=True)
class Key:
    """One setting as the reference shows it. `built_in`: the values that a library's own file may set, if not any."""

    name: str
    type: Any
    default: Any
    doc: str
    scope: LibraryScope
    built_in: tuple[Any, ...] = ()

    def is_harmless(self, value: Any) -> bool:
        """Whether a library's own file may set the value."""
        if self.scope is LibraryScope.LOWER:
            return bool(value <= self.default)
        return self.scope is LibraryScope.ANY or value in self.built_in


def attribute_of(key: str) -> str:
    """The field of its group that holds a setting: `crossref_url` of `sources.crossref.url`."""
    return key.partition(".")[2].replace(".", "_")


def _keys() -> dict[str, Key]:
    keys = {}
    for group, cls in GROUPS.items():
        hints = get_type_hints(cls, include_extras=True)
        for item in fields(cls):
            dotted = item.name.replace("_", ".", 1) if item.metadata.get("service") else item.name
            name = f"{group}.{dotted}"
            about = item.metadata
            built_in = about.get("built_in", ())
            keys[name] = Key(name, hints[item.name], item.default, about["doc"], about["scope"], built_in)
    return keys


KEYS = _keys()
_WITH_UNDERSCORE = {f"{key.partition('.')[0]}.{attribute_of(key)}": key for key in KEYS}
"""Settings by the names that they have as fields, and in the environment."""


def find_setting(key: str, origin: str) -> str:
    """The whole name of a setting.

    Raises:
        SettingsError: there is none; the nearest right name is given.
    """
    key = ALIASES.get(key, key)
    key = _WITH_UNDERSCORE.get(key, key)
    if key not in KEYS:
        raise _unknown(key, origin)
    return key


def _unknown(key: str, origin: str) -> SettingsError:
    near = difflib.get_close_matches(key, KEYS, n=1, cutoff=0.5)
    where = "" if origin == "flag" else f" (in {origin})"
    hint = f"Did you mean '{near[0]}'?" if near else "`conspectus config` lists the settings."
    return SettingsError(f"There is no setting '{key}'{where}.", hint)


def convert(key: str, value: Any, origin: str) -> Any:
    """A setting's value as its type; texts are read.

    Raises:
        SettingsError: it is of a wrong type, or out of bounds.
    """
    expected = KEYS[key].type
    if expected is Secret:
        return value if isinstance(value, Secret) else Secret(value)
    if expected is bool and isinstance(value, str):
        value = _YES_OR_NO.get(value.strip().lower(), value)
    try:
        return msgspec.convert(value, expected, strict=not isinstance(value, str))
    except msgspec.ValidationError as error:
        where = "" if origin == "flag" else f" (in {origin})"
        raise SettingsError(
            f"'{key}' cannot be {value!r}{where}: it must be {describe(expected)}.", f"It means: {KEYS[key].doc}."
        ) from error


def describe(kind: Any) -> str:
    """A setting's type in words: `a whole number, at least 1`."""
    bounds = ""
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(f"`{choice}`" for choice in get_args(kind))
    if get_origin(kind) is Annotated:
        kind, meta = get_args(kind)
        words = {"ge": "at least {}", "gt": "more than {}", "le": "at most {}"}
        bounds = "".join(
            ", " + text.format(getattr(meta, bound))
            for bound, text in words.items()
            if getattr(meta, bound) is not None
        )
    return {int: "a whole number", float: "a number", str: "text", bool: "true or false", Secret: "a secret"}[
        kind
    ] + bounds


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
