"""How a setting is declared: its default, its text, and which values of it a library's own file may set."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from functools import partial
from typing import Any

from conspectus.settings.secret import Secret


class LibraryScope(Enum):
    """Which values of a setting a library's own file may set. Each setting has one, by the function that makes it.

    Attributes:
        ANY: all; the setting shapes what is found and shown, leads nowhere, and has no model asked more.
        LOWER: the default and less; it limits how much models are asked, or how long is waited.
        BUILT_IN: the names of what is built in; others are addresses, keys, programs, files, or have a model asked.
    """

    ANY = "any"
    LOWER = "lower"
    BUILT_IN = "built in"


def setting(text: str, default: Any, scope: LibraryScope = LibraryScope.ANY) -> Any:
    """A field of a group of settings, with what it means."""
    return field(default=default, metadata={"doc": text, "scope": scope})


limit_setting = partial(setting, scope=LibraryScope.LOWER)
"""A setting that a library's own file may only lower."""


def user_setting(text: str, default: Any, *built_in: Any) -> Any:
    """A setting of which a library's own file may set the default and the values `built_in` only."""
    metadata = {"doc": text, "scope": LibraryScope.BUILT_IN, "built_in": (default, *built_in)}
    return field(default=default, metadata=metadata)


def service_address(text: str, address: str) -> Any:
    """The address of a service; of the field `SERVICE_url` the setting is `GROUP.SERVICE.url`."""
    return service_setting(text, f"https://{address}" if "://" not in address else address)


def service_key(title: str, variable: str) -> Any:
    """The key for a service, which an environment variable may hold too."""
    text = f"key for {title}; empty: `{variable}` of the environment, or the keyring's"
    return service_setting(text, Secret(), variable=variable)


def service_setting(text: str, default: Any, **more: Any) -> Any:
    """A setting of a service that papers come from."""
    metadata = {"doc": text, "scope": LibraryScope.BUILT_IN, "built_in": (default,), "service": True}
    return field(default=default, metadata=metadata | more)
