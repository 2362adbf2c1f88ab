"""What packages bring: objects named by entry points. What is built in comes through the same door."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from conspectus.errors import UnavailableError

PREFIX = "conspectus."
"""What the names of all groups begin with: `conspectus.readers`."""


def offered(group: str, built_in: Mapping[str, str]) -> dict[str, EntryPoint]:
    """The entry points of a group by name: what is built in, in its order, then what installed packages bring.

    A name that is built in stays what it is; a package that claims it is left out, and that is logged.

    Args:
        group: its name after `PREFIX`.
        built_in: name -> `module:object`.
    """
    full = PREFIX + group
    found = {name: EntryPoint(name, value, full) for name, value in built_in.items()}
    for point in _installed(full):
        if point.name in found:
            logging.getLogger("conspectus").warning(
                "The package '%s' brings another '%s' (%s), which is left out.", package(point), point.name, full
            )
        else:
            found[point.name] = point
    return found


def load(point: EntryPoint) -> Any:
    """The object that an entry point names.

    Raises:
        UnavailableError: it cannot be imported; the error names the package.
    """
    try:
        return point.load()
    except Exception as error:  # whatever a package of somebody else does when it is imported
        raise UnavailableError(
            f"'{point.name}' ({point.group}) of the package '{package(point)}' cannot be loaded: "
            f"{type(error).__name__}: {error}.",
            "Update that package, or remove it.",
        ) from error


def package(point: EntryPoint) -> str:
    """The name and version of the package that brings an entry point."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else "conspectus"


@lru_cache
def _installed(group: str) -> tuple[EntryPoint, ...]:
    return tuple(sorted(entry_points(group=group), key=lambda point: (point.name, point.value)))
