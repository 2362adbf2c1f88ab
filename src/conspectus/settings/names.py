"""The settings there are: each with its type, its default, what it means, and what a library's file may set of it."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from conspectus.core.errors import SettingsError
from conspectus.settings.groups import GROUPS, LibraryScope
from conspectus.settings.secret import Secret

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
    found = {}
    for group, cls in GROUPS.items():
        hints = get_type_hints(cls, include_extras=True)
        for item in fields(cls):
            own = item.name.replace("_", ".", 1) if item.metadata.get("service") else item.name
            name = f"{group}.{own}"
            about = item.metadata
            built_in = about.get("built_in", ())
            found[name] = Key(name, hints[item.name], item.default, about["doc"], about["scope"], built_in)
    return found


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
    wanted = KEYS[key].type
    if wanted is Secret:
        return value if isinstance(value, Secret) else Secret(value)
    if wanted is bool and isinstance(value, str):
        value = _YES_OR_NO.get(value.strip().lower(), value)
    try:
        return msgspec.convert(value, wanted, strict=not isinstance(value, str))
    except msgspec.ValidationError as error:
        where = "" if origin == "flag" else f" (in {origin})"
        raise SettingsError(
            f"'{key}' cannot be {value!r}{where}: it must be {describe(wanted)}.", f"It means: {KEYS[key].doc}."
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
