"""Paths that a verb takes: one alone, or several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

Paths = Sequence[str | Path] | str | Path


def names_of(paths: Paths) -> list[str | Path]:
    """Files and folders, of which one may be given alone."""
    return [paths] if isinstance(paths, str | Path) else list(paths)
