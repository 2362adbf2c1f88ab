"""`add`: files to a searchable library. Batches are parsed in processes, embedded, and committed in turn.

The texts of papers that are new to the catalog are embedded in a thread meanwhile. Those of files known before, of
papers that the catalog has and of papers that name files are embedded in the main thread, when they are committed.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from conspectus.core.errors import ServiceAwayError
from conspectus.core.job_context import emit
from conspectus.ingest.derivations.registry import derivations
from conspectus.ingest.derive import derive_missing
from conspectus.ingest.interrupt import Interruption
from conspectus.ingest.ledger import reader_key
from conspectus.ingest.looking import Looking
from conspectus.ingest.outcome import Outcome
from conspectus.ingest.prefetch import Ahead, Made
from conspectus.ingest.reading import Part, Reading
from conspectus.ingest.rechunk import rechunk
from conspectus.ingest.storing import Storing
from conspectus.models.protocol import Embedder
from conspectus.parse.files.grobid import Grobid
from conspectus.parse.pool import Job, Limits, ParsePool
from conspectus.parse.registry import PdfReader, supported
from conspectus.records import AddReport
from conspectus.records.jobs import Progress
from conspectus.settings import Settings
from conspectus.sources.files import Found, find_files
from conspectus.store.catalog import Catalog

FOLLOW_SECONDS = 60
"""After so long in one run the index follows, so that what was added can be found."""
FOLLOW_SHARE = 25
"""It takes at most one part in so many of the run's time."""


class Adder:
    """One run of `add`. The caller holds the library's writer lock; `follow` brings the index up to the catalog."""

    def __init__(
        self,
        catalog: Catalog,
        embedder: Embedder,
        settings: Settings,
        follow: Callable[[], None],
    ) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._settings = settings
        self._follow = follow
        self._outcome = Outcome(catalog)
        self._looking = Looking(catalog, settings, self._outcome)
        self._storing = Storing(catalog, embedder, settings, self._outcome)
        self._tally = Tally()
        self._followed, self._following = time.monotonic(), 0.0

    def run(self, names: Sequence[str | Path]) -> AddReport:
        """Read what is new or changed among `names`; rows, in order of the files, are from before the index follows."""
        rechunk(self._catalog, self._embedder, self._settings.passages)
        kinds = derivations(self._embedder)
        derive_missing(self._catalog, kinds)
        listed = list(find_files(names, supported, self._catalog.path.parent, self._settings.sources.root_folders))
        found = [item for item in listed if item.supported]
        self._looking.forget_failed({item.path for item in found})
        todo = self._look(found)
        self._read([reading for reading in todo if not reading.one_paper])  # what they say of the others counts
        place = {item.path: number for number, item in enumerate(found)}
        more = list(find_files([path for path in self._outcome.named if path not in place], supported))
        self._read([*(reading for reading in todo if reading.one_paper), *self._look(more)])
        derive_missing(self._catalog, [one for one in kinds if not one.with_paper])
        place |= {item.path: number for number, item in enumerate(more, len(place))}
        endings = (Path(item.path).suffix.lower() or "without ending" for item in listed if not item.supported)
        return self._outcome.report(place, Counter(endings))

    def _look(self, found: Sequence[Found]) -> list[Reading]:
        readings = self._looking.look(found)
        self._tally.expect(readings)
        return readings

    def _read(self, todo: Sequence[Reading]) -> None:
        parse = self._settings.parse
        remote = [reading for reading in todo if reading.remote]
        self._round([reading for reading in todo if not reading.remote], parse.timeout)
        if remote:
            self._read_remote(remote, Grobid(parse.grobid_url, parse.timeout, parse.grobid_wait))

    def _read_remote(self, readings: Sequence[Reading], server: Grobid) -> None:
        """Files for a server; when it is away, what `parse.grobid_away` says."""
        parse = self._settings.parse
        seconds = parse.timeout + parse.grobid_wait
        lost = self._round(readings, seconds, server) if server.alive() else list(readings)
        if parse.grobid_away == "wait":
            more = True
            while lost and more and server.wait():
                before, lost = len(lost), self._round(lost, seconds, server)
                more = len(lost) < before
        reason = f"The GROBID server at {server.shown} did not answer"
        if parse.grobid_away == "embedded":
            pdf = PdfReader(ocr=parse.ocr == "auto")
            for reading in lost:
                reading.order = pdf.name
                reading.row = replace(reading.row, reader=reader_key(pdf.name, pdf.version))
                reading.substitute = f"{reason}; this file was read by the embedded reader."
            self._round(lost, parse.timeout)
            return
        for reading in lost:
            self._outcome.fail(reading.row, f"{reason}. Check that it runs, then add again.", retry=True, stored=True)

    def _round(self, readings: Sequence[Reading], seconds: float, server: Grobid | None = None) -> list[Reading]:
        """Read and store; those that could not be read because their server is away are given back."""
        if not readings:
            return []
        parse = self._settings.parse
        workers = parse.workers or min(os.cpu_count() or 1, 8)
        todo = {reading.row.path: reading for reading in readings}
        lost: list[Reading] = []
        with (
            ParsePool(min(workers, len(todo)), Limits(seconds, parse.memory)) as pool,
            Ahead[Part](self._embedder) as ahead,
            Interruption() as interruption,
        ):
            try:
                for batch in pool.run(self._jobs(list(todo.values()), lost, server)):
                    reading = todo[batch.job.path]
                    if server and isinstance(batch.error, ServiceAwayError):
                        lost.append(reading)
                        continue
                    with interruption.held():
                        part = self._storing.part(reading, batch)
                        ahead.put(part, self._storing.texts(part))
                    self._store(ahead, ahead.ready(), interruption)
                self._store(ahead, ahead.rest(), interruption)
            except KeyboardInterrupt:
                hint = "Ctrl-C again leaves it"
                emit(self._tally.news("finishing what is in hand", hint))
                self._store(ahead, ahead.rest(), interruption)
                raise
        return lost

    def _jobs(self, readings: Sequence[Reading], lost: list[Reading], server: Grobid | None) -> Iterator[Job]:
        """The jobs; once the server has been away and is not back, the rest is lost without asking."""
        known, gone = 0, False
        for reading in readings:
            if server and not gone and len(lost) > known:
                known, gone = len(lost), not server.alive()
            if gone:
                lost.append(reading)
            else:
                yield Job(reading.row.path, reading.order)

    def _store(self, ahead: Ahead[Part], waits: Iterable[None], interruption: Interruption) -> None:
        """Commit parts of files in their order; none is out of the queue and not committed when Ctrl-C is heard."""
        for _ in waits:
            with interruption.held():
                self._commit(*ahead.take())
            if time.monotonic() - self._followed > max(FOLLOW_SECONDS, FOLLOW_SHARE * self._following):
                began = time.monotonic()
                self._follow()
                self._followed = time.monotonic()
                self._following = self._followed - began

    def _commit(self, part: Part, made: Made) -> None:
        self._storing.commit(part, made)
        self._tally.read(part)
        emit(self._tally.news("adding", Path(part.reading.row.path).name))


class Tally:
    """Bytes, files and papers, of those to be read and of those that were.

    Notice is bytes, so that the time left is right for large files and small ones.
    """

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
