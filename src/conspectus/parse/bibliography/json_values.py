"""Values in JSON that a stranger wrote: of the kind that is expected, or empty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def text(value: Any) -> str:
    """A text, or the first of a list of them, or a number; "" for anything else."""
    if isinstance(value, list):
        value = value[0] if value else ""
    return (
        value if isinstance(value, str) else str(value) if isinstance(value, int | float) and value is not True else ""
    )


def value_at(value: Any, path: str) -> Any:
    """What is at `path` (`journal.name`) within objects; None where there is nothing."""
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def text_at(value: Any, path: str) -> str:
    """The `text` at `path`."""
    return text(value_at(value, path))


def list_at(value: Any, path: str) -> list[Any]:
    """The list at `path`."""
    found = value_at(value, path)
    return found if isinstance(found, list) else []


def objects_at(value: Any, path: str) -> list[Mapping[str, Any]]:
    """The objects in the list at `path`."""
    return objects_in(list_at(value, path))


def objects_in(values: Iterable[Any]) -> list[Mapping[str, Any]]:
    """Those of the values that are objects."""
    return [value for value in values if isinstance(value, Mapping)]
