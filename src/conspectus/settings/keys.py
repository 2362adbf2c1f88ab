"""Keys and passwords: of a setting, the environment, the system's keyring or a file that only the user can read.

A key is kept by the place that it goes to, so that it is sent to no other.
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from conspectus.core.disk import explain_write_errors, read_file, replacing, sync
from conspectus.core.errors import ServiceError, SettingsError
from conspectus.settings.groups import SourcesSettings
from conspectus.settings.secret import Secret
from conspectus.settings.user_folders import config_file

SERVICE = "conspectus"
_MOST_BYTES = 2**16
_OTHERS = 0o077
"""Rights of others to a file."""


def keys_file() -> Path:
    """The file of keys, next to the user's configuration; used where there is no keyring."""
    return config_file().with_name("keys.json")


def read_key(place: str) -> Secret:
    """The key kept for a place; empty if there is none.

    Raises:
        ServiceError: the keyring cannot be opened.
        SettingsError: others can read the file of keys, or it is damaged.
    """
    return read_keyring(_entry(place)) or Secret(_read_file().get(place, ""))


def keep_key(place: str, key: Secret) -> str:
    """Keep a key for a place, instead of an earlier one; returns where: `keyring` or the path of the file.

    Raises:
        SettingsError: the file of keys is damaged, or others can read it.
        UsageError: it cannot be written.
    """
    others = {name: text for name, text in _read_file().items() if name != place}
    if _write_keyring(_entry(place), key):
        if others != _read_file():
            _write_file(others)
        return "keyring"
    _write_file({**others, place: key.reveal()})
    return str(keys_file())


def forget_key(place: str) -> bool:
    """Delete the key kept for a place; returns whether there was one. Raises as `keep_key` and `read_key`."""
    stored_keys = _read_file()
    if place in stored_keys:
        _write_file({name: text for name, text in stored_keys.items() if name != place})
    return _delete_from_keyring(_entry(place)) or place in stored_keys


def list_places() -> frozenset[str]:
    """The places that the file of keys has keys for. Raises as `keep_key`."""
    return frozenset(_read_file())


def read_keyring(name: str) -> Secret:
    """What the system's keyring has under `name`; empty where it has nothing, or there is no keyring.

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


def _entry(place: str) -> str:
    """The name of a place's key in the keyring, which no setting and no variable has."""
    return f"language model {place}"


def _write_keyring(name: str, key: Secret) -> bool:
    """Whether the keyring has the key now. One that is not there, is locked or forgets it keeps none."""
    if importlib.util.find_spec("keyring") is None:
        return False
    import keyring

    try:
        keyring.set_password(SERVICE, name, key.reveal())
        return bool(keyring.get_password(SERVICE, name) == key.reveal())
    except Exception:  # noqa: BLE001 - backends of other packages raise what they like, and the message may hold the key
        return False


def _delete_from_keyring(name: str) -> bool:
    """Whether the keyring had a key, which is gone now; ServiceError where it would not let it go."""
    if importlib.util.find_spec("keyring") is None:
        return False
    import keyring
    from keyring.errors import KeyringError

    if not read_keyring(name):  # backends tell this in different ways
        return False
    try:
        keyring.delete_password(SERVICE, name)
    except KeyringError as error:
        raise ServiceError(
            f"The system's keyring kept the key: {error}.", f"Unlock it, and delete '{name}' of '{SERVICE}' there."
        ) from error
    return True


def _read_file() -> Mapping[str, str]:
    path = keys_file()
    try:
        facts = path.stat()
        if os.name == "posix" and (facts.st_mode & _OTHERS or facts.st_uid != os.getuid()):
            raise SettingsError(
                f"The keys in '{path}' are not used: others can read or change the file.",
                f"Make it yours alone: chmod 600 '{path}'",
            )
        stored_keys = json.loads(read_file(path, _MOST_BYTES))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        raise SettingsError(
            f"The file of keys '{path}' cannot be read.", "Delete it, and connect your models again."
        ) from None  # its text holds the keys
    is_whole = isinstance(stored_keys, dict) and all(isinstance(text, str) for text in stored_keys.values())
    if not is_whole:
        raise SettingsError(f"The file of keys '{path}' is damaged.", "Delete it, and connect your models again.")
    return stored_keys  # type: ignore[no-any-return]


def _write_file(stored_keys: Mapping[str, str]) -> None:
    path = keys_file()
    with explain_write_errors(path, "Give yourself the right to write there."):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not stored_keys:
            path.unlink(missing_ok=True)
            return
        with replacing(path) as part:
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(stored_keys, file, indent=1, ensure_ascii=False)
            sync(part)


def find_key(set_key: Secret, name: str, variables: Sequence[str] = (), place: str = "") -> Secret:
    """The key that is given, else that of the first of the variables that is set, else one that is kept; empty: none.

    Args:
        set_key: by a setting.
        name: the setting's, under which the keyring has it (`keyring set conspectus language.api_key`); "": none.
        variables: of the environment, which the keyring may have by their names, too.
        place: where the key goes, for a key that `models connect` kept.
    """
    if set_key:
        return set_key
    if from_environment := next(filter(None, map(os.environ.get, variables)), ""):
        return Secret(from_environment)
    if stored_key := read_key(place) if place else Secret():
        return stored_key
    return next(filter(None, map(read_keyring, filter(None, (name, *variables)))), Secret())


def find_service_key(settings: SourcesSettings, service: str) -> Secret:
    """The key for a service (`openalex`), as `find_key`; the variable of the environment is its setting's."""
    setting = next((item for item in fields(settings) if item.name == f"{service}_key"), None)
    setting_value = getattr(settings, setting.name) if setting else Secret()
    return find_key(setting_value, f"sources.{service}.key", (setting.metadata["variable"],) if setting else ())
