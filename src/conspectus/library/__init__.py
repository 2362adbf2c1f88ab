"""The facade: `Library` and what each of its verbs does."""

from conspectus.library.facade import Library

__all__ = ["Library"]
