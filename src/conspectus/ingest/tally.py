"""How far a run of `add` is: in bytes of its files, so that the time left is right for large ones and small ones."""

from __future__ import annotations

from collections.abc import Iterable

from conspectus.ingest.reading import Part, Reading
from conspectus.records.jobs import Progress


class Tally:
    """Bytes, files and papers, of those to be read and of those that were."""

    def __init__(self) -> None:
        self._bytes = self._files = 0
        self._done_bytes = self._done_files = self._papers = 0
        self._within: dict[str, float] = {}

    def expect(self, readings: Iterable[Reading]) -> None:
        """More files are to be read."""
        for reading in readings:
            self._files += 1
            self._bytes += _size(reading)

    def read(self, part: Part) -> None:
        """A part of a file was stored."""
        path, size = part.reading.row.path, _size(part.reading)
        self._papers += len(part.documents)
        self._within[path] = part.fraction * size
        if part.last:
            del self._within[path]
            self._done_files += 1
            self._done_bytes += size

    def news(self, stage: str, detail: str) -> Progress:
        """Where the run is."""
        done = self._done_bytes + int(sum(self._within.values()))
        return Progress(stage, done, self._bytes, "bytes", detail, (self._done_files, self._files), self._papers)


def _size(reading: Reading) -> int:
    """The file's bytes; an empty one takes some time too."""
    return max(1, reading.row.size)
