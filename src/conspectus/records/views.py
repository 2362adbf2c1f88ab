"""How records show themselves, in a notebook or as text: made by `wire`, which stands above them."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def pick_fields(record: object, *names: str) -> dict[str, Any]:
    """These fields of a record, by their names."""
    return {name: getattr(record, name) for name in names}


def show_record(module: str, view: str, record: object) -> str:
    """A record as this function of this module of `wire` shows it; the module is loaded by the first that is shown."""
    text: str = getattr(import_module(f"conspectus.wire.{module}"), view)(record)
    return text
