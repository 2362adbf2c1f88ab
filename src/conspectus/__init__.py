"""Conspectus: ask, survey and map a body of scientific literature, every statement traceable to its sentence."""

from __future__ import annotations

import os

from conspectus.core.version import __version__

# Read when the first library that has OpenMP's threads is loaded: else they wait for one another by spinning, and what
# takes a second takes twenty beside another program that works.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

TYPE_CHECKING = False  # `typing` takes longer to import than all that `--help` needs of this package
if TYPE_CHECKING:
    from typing import Any

    from conspectus.core.errors import ConspectusError
    from conspectus.library import Library
    from conspectus.records import Answer, Filters, Paper, Passage, SearchResult, Span
    from conspectus.settings import Settings, load_settings

_HOME = {
    "ConspectusError": "errors",
    "Library": "library",
    "Answer": "records",
    "Filters": "records",
    "Paper": "records",
    "Passage": "records",
    "SearchResult": "records",
    "Span": "records",
    "Settings": "settings",
    "load_settings": "settings",
}

__all__ = [
    "Answer",
    "ConspectusError",
    "Filters",
    "Library",
    "Paper",
    "Passage",
    "SearchResult",
    "Settings",
    "Span",
    "__version__",
    "load_settings",
]


def __getattr__(name: str) -> Any:
    """Imported at first use, so that `conspectus --help` does not wait for what it does not need."""
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module 'conspectus' has no attribute '{name}'")
    return getattr(import_module(f"conspectus.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
