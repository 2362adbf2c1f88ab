"""Pictures of pages and figures that were drawn, kept to be shown again."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

KEPT = 48 * 2**20
"""Bytes."""


class Pictures:
    """The last pictures drawn."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}
        self._changing = threading.Lock()

    def of(self, tag: str, draw: Callable[[], Image]) -> bytes:
        """The picture as PNG."""
        with self._changing:
            found = self._kept.pop(tag, b"")
        if not found:
            held = io.BytesIO()
            draw().save(held, "PNG")
            found = held.getvalue()
        with self._changing:
            self._kept[tag] = found
            while sum(map(len, self._kept.values())) > KEPT:
                del self._kept[next(iter(self._kept))]
        return found
