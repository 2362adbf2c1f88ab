"""What was made last of a library, held so that it is not made anew for each question."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
KEPT = 16


class Held:
    """The last things that were asked for, by names that tell when they are no longer true."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Any, ...], Any] = {}
        self._changing = threading.Lock()

    def of(self, make: Callable[[], T], *name: Any) -> T:
        """What has this name, made where it is not there."""
        with self._changing:
            if name in self._kept:
                found: T = self._kept.pop(name)
                self._kept[name] = found
                return found
        made = make()
        with self._changing:
            self._kept[name] = made
            while len(self._kept) > KEPT:
                del self._kept[next(iter(self._kept))]
        return made
