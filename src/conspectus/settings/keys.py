"""Keys and passwords: of a setting, of the environment, else of the system's keyring where its package is there."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from dataclasses import fields

from conspectus.core.errors import ServiceError
from conspectus.settings.groups import SourcesSettings
from conspectus.settings.secret import Secret

SERVICE = "conspectus"


def find_key(given: Secret, name: str, variables: Sequence[str] = ()) -> Secret:
    """The key that is given, else that of the first of the variables that is set, else the keyring's; empty: none.

    Args:
        given: by a setting.
        name: the setting's, under which the keyring has it (`keyring set conspectus language.api_key`); "": none.
        variables: of the environment, which the keyring may have by their names, too.
    """
    if given:
        return given
    if own := next(filter(None, map(os.environ.get, variables)), ""):
        return Secret(own)
    return next(filter(None, map(_read_keyring, filter(None, (name, *variables)))), Secret())


def find_service_key(settings: SourcesSettings, service: str) -> Secret:
    """The key for a service (`openalex`), as `find_key`; the variable of the environment is its setting's."""
    setting = next((item for item in fields(settings) if item.name == f"{service}_key"), None)
    given = getattr(settings, setting.name) if setting else Secret()
    return find_key(given, f"sources.{service}.key", (setting.metadata["variable"],) if setting else ())


def _read_keyring(name: str) -> Secret:
    """What the keyring has under `name`; empty where it has nothing, or there is no keyring.

    Raises:
        ServiceError: it cannot be opened.
    """
    if importlib.util.find_spec("keyring") is None:
        return Secret()
    import keyring
    from keyring.errors import KeyringError, NoKeyringError

    try:
        return Secret(keyring.get_password(SERVICE, name) or "")
    except NoKeyringError:
        return Secret()
    except KeyringError as error:
        raise ServiceError(
            f"The system's keyring cannot be read: {error}.", "Unlock it, or give the key in the environment."
        ) from error
