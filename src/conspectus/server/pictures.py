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
        self._cache: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def of(self, tag: str, draw: Callable[[], Image]) -> bytes:
        """The picture as PNG."""
        with self._lock:
            png = self._cache.pop(tag, b"")
        if not png:
            buffer = io.BytesIO()
            draw().save(buffer, "PNG")
            png = buffer.getvalue()
        with self._lock:
            self._cache[tag] = png
            while sum(map(len, self._cache.values())) > KEPT:
                del self._cache[next(iter(self._cache))]
        return png
