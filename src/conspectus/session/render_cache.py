"""Figures that were drawn, kept in the user's cache of the library.

A folder for each file that figures were read from, by its hash; in it a PNG for each drawing. What no paper was read
from any more goes when the library was written, and of too many bytes those that were not asked for longest.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.core.disk import replacing
from conspectus.parse.process.wire import Drawing
from conspectus.settings.user_folders import library_cache
from conspectus.store.figures import files_with_papers

if TYPE_CHECKING:
    from PIL.Image import Image

    from conspectus.session.session import Session

FOLDER = "drawings"
MOST_BYTES = 2**30
_AFTER = 0.9
"""What is left of the most bytes when there are more: so that not each new one has all looked through."""
_FAST = 3
"""How hard PNGs are packed: a tenth larger than usual, in a third of the time."""


@dataclass(frozen=True, slots=True)
class FigureDrawing:
    """A drawing of a file with the hash `source`: what is drawn of which `path`."""

    source: str
    path: Path
    drawing: Drawing

    @property
    def name(self) -> str:
        """A hash of all that decides what the picture shows: page, box and scale, or name and age of a picture file."""
        drawing, file_state = self.drawing, tuple[object, ...]()
        if drawing.picture == "":
            with suppress(OSError):  # gone meanwhile, as who draws it will tell
                at = self.path.stat()
                file_state = self.path.name, at.st_size, at.st_mtime_ns
        description = repr((drawing.page, drawing.part, round(drawing.scale, 6), drawing.picture, file_state))
        return hashlib.sha256(f"{self.source}\0{description}".encode()).hexdigest()[:32]


class RenderCache:
    """Those of one folder, `most` bytes of them."""

    def __init__(self, folder: Path, most: int = MOST_BYTES) -> None:
        self.folder, self._most = folder, most
        self._changing = threading.Lock()
        self._bytes: int | None = None

    def place(self, drawn: FigureDrawing) -> Path:
        """Where a drawing is kept, if it is."""
        return self.folder / drawn.source / f"{drawn.name}.png"

    def find(self, drawn: FigureDrawing) -> Image | None:
        """A drawing that is kept."""
        from PIL import Image

        try:
            path = self.place(drawn)
            with Image.open(path, formats=["PNG"]) as image:
                image.load()
            os.utime(path)
        except (OSError, ValueError, SyntaxError):  # not there, or cut short
            return None
        return image.convert("RGB")

    def keep(self, drawn: FigureDrawing, image: Image) -> Path:
        """Keep a drawing; returns where.

        Raises:
            OSError: it cannot be written.
        """
        path = self.place(drawn)
        for folder in (self.folder, path.parent):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with replacing(path) as part:
            image.save(part, "PNG", compress_level=_FAST)
            size = part.stat().st_size
        with self._changing:
            self._bytes = self._total() if self._bytes is None else self._bytes + size
            if self._bytes > self._most:
                self._evict_oldest()
        return path

    def sources(self) -> list[str]:
        """The hashes of the files of which drawings are kept."""
        with suppress(OSError):
            return [path.name for path in self.folder.iterdir() if path.is_dir() and not path.is_symlink()]
        return []

    def drop(self, sources: Collection[str]) -> None:
        """Let go of the drawings of files, by their hashes."""
        for name in sources:
            shutil.rmtree(self.folder / name, ignore_errors=True)
        if sources:
            self._bytes = None

    def _every(self) -> Iterator[tuple[Path, os.stat_result]]:
        for path in self.folder.glob("*/*"):
            with suppress(OSError):  # gone meanwhile
                yield path, path.stat()

    def _total(self) -> int:
        return sum(file_stat.st_size for _, file_stat in self._every())

    def _evict_oldest(self) -> None:
        """The oldest go, until there are few enough."""
        every = sorted(self._every(), key=lambda entry: entry[1].st_mtime_ns)
        left = sum(file_stat.st_size for _, file_stat in every)
        for path, file_stat in every:
            if left <= self._most * _AFTER:
                break
            path.unlink(missing_ok=True)
            left -= file_stat.st_size
        self._bytes = left


def render_cache(session: Session) -> RenderCache:
    """Those of the library."""
    return session.parts.of(partial(RenderCache, library_cache(session.folder) / FOLDER), FOLDER)


def sweep_render_cache(session: Session) -> None:
    """Let go of the drawings of files that no paper was read from any more."""
    cache = render_cache(session)
    if names := cache.sources():
        cache.drop(set(names) - files_with_papers(session.catalog, names))


def is_read(session: Session, drawn: FigureDrawing) -> bool:
    """Whether a paper was still read from the file."""
    return bool(files_with_papers(session.catalog, [drawn.source]))
