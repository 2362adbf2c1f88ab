"""Where settings come from: the library's file and the environment, each as (key, value, origin), not yet checked."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conspectus.core.disk import read_file
from conspectus.core.errors import LibraryError, SettingsError

FILE_NAME = "conspectus.toml"
MOST_BYTES = 2**16
MOST_DOTS = 500
PREFIX = "CONSPECTUS_"
RESERVED = frozenset({"CONSPECTUS_LIBRARY", "CONSPECTUS_DATA", "CONSPECTUS_STATE", "CONSPECTUS_SERVER_TOKEN"})

Layer = tuple[str, Any, str]


def from_file(folder: Path | None) -> Iterator[Layer]:
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
            f"The library folder '{folder}' cannot be used: {error.strerror}.",
            "Give yourself the right to it, or choose another (`library=FOLDER`).",
        ) from error
    try:
        tree = tomllib.loads(_plain(read_file(path, MOST_BYTES).decode()))
    except RecursionError as error:
        raise SettingsError(f"'{path}' is not valid TOML: it is nested too deeply.", "No setting is.") from error
    except ValueError as error:  # of TOML, of UTF-8, of a number of thousands of digits
        raise SettingsError(f"'{path}' is not valid TOML: {error}.", "Mend that line.") from error
    except OSError as error:
        raise SettingsError(
            f"'{path}' cannot be read: {error.strerror}.", "Give yourself the right to read it."
        ) from error
    for group, table in tree.items():
        if not isinstance(table, dict):  # a setting without its group: whoever asks knows whether there is one
            yield group, table, str(path)
            continue
        for name, value in table.items():
            yield f"{group}.{name}", value, str(path)


def _plain(text: str) -> str:
    """The text; a key of thousands of parts, with which TOML's reader takes minutes, is none.

    Raises:
        ValueError: a line has more dots than a setting can have.
    """
    if any(line.count(".") > MOST_DOTS for line in text.splitlines()):
        raise ValueError(f"a line has more than {MOST_DOTS} dots")
    return text.replace("\r\n", "\n")


def from_environment(environ: Mapping[str, str]) -> Iterator[Layer]:
    """What the environment sets."""
    for variable, value in sorted(environ.items()):
        if variable.startswith(PREFIX) and variable not in RESERVED:
            group, _, name = variable.removeprefix(PREFIX).lower().partition("_")
            yield f"{group}.{name}" if name else group, value, variable
