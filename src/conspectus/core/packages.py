"""Packages: what installed ones bring by entry points, and whether those that are needed have a version that fits.

What is built in comes through the same door as what a package brings."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, requires, version
from typing import Any

from conspectus.core.errors import ConspectusError, UnavailableError
from conspectus.core.version import __version__

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
    points = {name: EntryPoint(name, value, full) for name, value in built_in.items()}
    for point in _installed(full):
        if point.name in points:
            _log_duplicate(package(point), point.name, full)
        else:
            points[point.name] = point
    return points


def claimed(group: str, name: str) -> EntryPoint | None:
    """What an installed package brings by this name."""
    return next((point for point in _installed(PREFIX + group) if point.name == name), None)


def load(point: EntryPoint) -> Any:
    """The object that an entry point names.

    Raises:
        UnavailableError: it cannot be imported; the error names the package.
    """
    try:
        return point.load()
    except (Exception, SystemExit) as error:  # whatever a package of somebody else does when it is imported
        raise _broken(point, "loaded", error) from error


def make(point: EntryPoint, *given: Any, **named: Any) -> Any:
    """What the object that an entry point names gives when it is called.

    Raises:
        UnavailableError: it cannot be imported, or a package's fails; the error names the package.
        ConspectusError: it says what is wrong.
    """
    maker = load(point)
    try:
        return maker(*given, **named)
    except ConspectusError:
        raise
    except (Exception, SystemExit) as error:
        if point.dist is None:
            raise
        raise _broken(point, "used", error) from error


def _broken(point: EntryPoint, what: str, error: BaseException) -> UnavailableError:
    return UnavailableError(
        f"'{point.name}' ({point.group}) of the package '{package(point)}' cannot be {what}: "
        f"{type(error).__name__}: {error}.",
        "Update that package, or remove it.",
    )


def package(point: EntryPoint) -> str:
    """The name and version of the package that brings an entry point."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else "conspectus"


@lru_cache
def _log_duplicate(brings: str, name: str, group: str) -> None:
    """Log what is left out, once."""
    log = logging.getLogger("conspectus")
    log.warning("The package '%s' brings another '%s' (%s), which is left out.", brings, name, group)


@lru_cache
def _installed(group: str) -> tuple[EntryPoint, ...]:
    return tuple(sorted(entry_points(group=group), key=lambda point: (point.name, point.value)))


SHOWN = ("tantivy", "faiss-cpu", "onnxruntime")


_version = cache(version)


def running() -> str:
    """This program, Python, SQLite and the engines, with their versions."""
    import platform
    import sqlite3

    versions = [
        f"conspectus {__version__}",
        f"{platform.python_implementation()} {platform.python_version()}",
        f"SQLite {sqlite3.sqlite_version}",
        *(f"{name} {_version(name)}" for name in SHOWN),
    ]
    return ", ".join(versions)


def unfit() -> list[str]:
    """The packages that are missing or of a version that this program does not go with."""
    from packaging.requirements import Requirement

    try:
        needed = [Requirement(line) for line in requires("conspectus") or ()]
    except PackageNotFoundError:  # run from its sources
        return []
    faults = []
    for need in needed:
        if need.marker is not None and not need.marker.evaluate({"extra": ""}):
            continue  # of an extra, or of another system
        try:
            known = _version(need.name)
        except PackageNotFoundError:
            faults.append(f"{need.name} is missing")
        else:
            if not need.specifier.contains(known, prereleases=True):
                faults.append(f"{need.name} is {known}, needed {need.specifier}")
    return faults
