"""Which versions of what this program runs on, and whether they are those it needs."""

from __future__ import annotations

import platform
import sqlite3
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

from conspectus.core.version import __version__

SHOWN = ("tantivy", "faiss-cpu", "onnxruntime")


_version = cache(version)


def running() -> str:
    """This program, Python, SQLite and the engines, with their versions."""
    found = [
        f"conspectus {__version__}",
        f"{platform.python_implementation()} {platform.python_version()}",
        f"SQLite {sqlite3.sqlite_version}",
        *(f"{name} {_version(name)}" for name in SHOWN),
    ]
    return ", ".join(found)


def unfit() -> list[str]:
    """The packages that are missing or of a version that this program does not go with."""
    try:
        needed = [Requirement(line) for line in requires("conspectus") or ()]
    except PackageNotFoundError:  # run from its sources
        return []
    found = []
    for need in needed:
        if need.marker is not None and not need.marker.evaluate({"extra": ""}):
            continue  # of an extra, or of another system
        try:
            known = _version(need.name)
        except PackageNotFoundError:
            found.append(f"{need.name} is missing")
        else:
            if not need.specifier.contains(known, prereleases=True):
                found.append(f"{need.name} is {known}, needed {need.specifier}")
    return found
