"""Keys and passwords: of a setting, of the environment, else of the system's keyring or the user's file of keys."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields

from conspectus.settings.groups import SourcesSettings
from conspectus.settings.key_store import read_key, read_keyring
from conspectus.settings.secret import Secret


def find_key(given: Secret, name: str, variables: Sequence[str] = (), place: str = "") -> Secret:
    """The key that is given, else that of the first of the variables that is set, else one that is kept; empty: none.

    Args:
        given: by a setting.
        name: the setting's, under which the keyring has it (`keyring set conspectus language.api_key`); "": none.
        variables: of the environment, which the keyring may have by their names, too.
        place: where the key goes, for a key that `models connect` kept.
    """
    if given:
        return given
    if own := next(filter(None, map(os.environ.get, variables)), ""):
        return Secret(own)
    if kept := read_key(place) if place else Secret():
        return kept
    return next(filter(None, map(read_keyring, filter(None, (name, *variables)))), Secret())


def find_service_key(settings: SourcesSettings, service: str) -> Secret:
    """The key for a service (`openalex`), as `find_key`; the variable of the environment is its setting's."""
    setting = next((item for item in fields(settings) if item.name == f"{service}_key"), None)
    given = getattr(settings, setting.name) if setting else Secret()
    return find_key(given, f"sources.{service}.key", (setting.metadata["variable"],) if setting else ())
