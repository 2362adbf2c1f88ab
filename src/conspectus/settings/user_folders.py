"""The user's own folders and files: configuration, prompts, state. Nothing in them comes from a library's folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from conspectus.core import disk

CONFIG, STATE = "CONSPECTUS_CONFIG", "CONSPECTUS_STATE"
"""Variables that name another configuration file and another state folder."""


def config_file() -> Path:
    """The user's configuration."""
    if chosen := os.environ.get(CONFIG):
        return disk.user_path(chosen)
    from platformdirs import user_config_path

    return user_config_path("conspectus") / "config.toml"


def prompts_folder() -> Path:
    """The folder of the user's own prompts, next to the configuration."""
    return config_file().parent / "prompts"


def state_folder() -> Path:
    """The folder of what the program remembers for this user on this machine."""
    if chosen := os.environ.get(STATE):
        return Path(chosen)
    from platformdirs import user_state_path

    return user_state_path("conspectus")


def library_cache(library: Path) -> Path:
    """The folder of what can be made again from the library in this folder; it may be deleted at any time."""
    return state_folder() / "caches" / _digest(os.path.realpath(library))


def remember(kind: str, name: str, record: Mapping[str, Any]) -> None:
    """Keep a record under a name until it is replaced; does nothing where the state folder cannot be written."""
    path = _path(kind, name)
    with suppress(OSError):
        path.parent.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        with disk.replacing(path) as part:  # others read all of it or nothing
            part.touch(0o600, exist_ok=False)
            part.write_text(json.dumps(record), "utf-8")


def recall(kind: str, name: str) -> Mapping[str, Any]:
    """The record that `remember` kept; empty if there is none."""
    try:
        record = json.loads(_path(kind, name).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def lock_file(kind: str, name: str) -> Path:
    """The file of the lock of a record; its folder need not exist."""
    return _path(kind, name).with_suffix(".lock")


def _path(kind: str, name: str) -> Path:
    return state_folder() / kind / f"{_digest(name)}.json"


def _digest(name: str) -> str:
    return blake2b(os.fsencode(name), digest_size=16).hexdigest()
