"""The facade: `Library` and what each of its verbs does."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conspectus.library.facade import Library

__all__ = ["Library"]


def __getattr__(name: str) -> Any:
    """`Library`, imported when it is asked for: the help of a verb needs none of what its verbs need."""
    if name == "Library":
        from conspectus.library.facade import Library

        return Library
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
