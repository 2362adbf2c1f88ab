"""`add`: parse files in child processes, embed new texts meanwhile, and commit batches in order.

`FileScanner` decides which files need reading. The texts of papers that are new to the catalog are embedded in a thread
(`batch_writer.EmbeddingQueue`); those of known papers and of papers that name files are embedded when they are
committed. The library's writer lock is held for each commit, so several runs go on at a time. `Interruption` lets what
is in hand finish after Ctrl-C.
"""

from __future__ import annotations

import _thread
import hashlib
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

from conspectus.core.disk import open_file
from conspectus.core.errors import ConspectusError, ServiceAwayError
from conspectus.core.job_context import emit
from conspectus.ingest.batch_writer import BatchWriter, EmbeddingQueue, Embeddings, FilePart, FileReading
from conspectus.ingest.derivations.registry import derive_missing, list_derivations
from conspectus.ingest.derivations.vectors import Vectors
from conspectus.ingest.error_attribution import as_input_error
from conspectus.ingest.executor import Executor
from conspectus.ingest.files import FoundFile, find_files
from conspectus.ingest.ledger import RunOutcome, is_gone, reader_key, reason_of
from conspectus.ingest.linked_files import why_not
from conspectus.ingest.paper_store import check_cut, rechunk
from conspectus.parse.files.grobid import Grobid
from conspectus.parse.process.pool import Limits, ReadingJob
from conspectus.parse.protocol import Reader
from conspectus.parse.registry import GrobidReader, PdfReader, reader_for, supported
from conspectus.records import AddReport
from conspectus.records.events import Progress
from conspectus.settings import Settings
from conspectus.store import writer
from conspectus.store.catalog import Catalog
from conspectus.store.connection import writing
from conspectus.store.late_indexes import MANY, set_indexes_aside
from conspectus.store.rows import FileRow

FOLLOW_SECONDS = 60
"""After so long in one run the index follows, so that what was added can be found."""
SHARE = 0.05
"""From so many new papers on, of those that were there, it is quicker to make the late indexes again at the end."""
FOLLOW_SHARE = 25
"""It takes at most one part in so many of the run's time."""


class Adder:
    """One run of `add`, beside which others may go on.

    Args:
        executor: reads files and embeds texts; all else is done here.
        lock: holds the library's writer lock for one commit; held within itself it does nothing.
        follow: brings the index up to the catalog; called under the lock.
        searched_model: the id of the model by whose vectors the library is searched; "" for none.
    """

    def __init__(
        self,
        catalog: Catalog,
        executor: Executor,
        settings: Settings,
        lock: Callable[[], AbstractContextManager[None]],
        follow: Callable[[], None],
        searched_model: Callable[[], str] = lambda: "",
    ) -> None:
        self._catalog = catalog
        self._executor = executor
        self._settings = settings
        self._lock = lock
        self._follow = follow
        self._searched_model = searched_model
        self._outcome = RunOutcome(catalog, lock)
        self._looking = FileScanner(catalog, settings, self._outcome)
        self._storing = BatchWriter(catalog, executor.embedder, settings, self._outcome)
        self._tally = Tally()
        self._known = catalog.counts()["papers"]
        self._keeps_indexes = True
        self._followed, self._following = time.monotonic(), 0.0

    def run(self, names: Sequence[str | Path]) -> AddReport:
        """Read what is new or changed among `names`; rows, in order of the files, are from before the index follows."""
        with self._lock():
            rechunk(self._catalog, self._executor.embedder, self._settings.passages)
        kinds = list_derivations(self._executor.embedder)
        is_searched = self._searched_model() in ("", self._executor.embedder.id)  # else another run has gone over to it
        derive_missing(self._catalog, [kind for kind in kinds if is_searched or kind.name != Vectors.name], self._lock)
        listed = list(find_files(names, supported, self._catalog.path.parent, self._settings.sources.root_folders))
        files = [item for item in listed if item.supported]
        with self._lock():
            self._looking.forget_failed({item.path for item in files})
        todo = self._look(files)
        self._read([reading for reading in todo if not reading.one_paper])  # what they say of the others counts
        place = {item.path: number for number, item in enumerate(files)}
        more = list(find_files([path for path in self._outcome.named_files if path not in place], supported))
        self._read([*(reading for reading in todo if reading.one_paper), *self._look(more)])
        derive_missing(self._catalog, [derivation for derivation in kinds if not derivation.with_paper], self._lock)
        place |= {item.path: number for number, item in enumerate(more, len(place))}
        endings = (Path(item.path).suffix.lower() or "without ending" for item in listed if not item.supported)
        return self._outcome.report(place, Counter(endings))

    @property
    def new_papers(self) -> int:
        """By how many papers the library has grown through this run."""
        return max(self._storing.grown, 0)

    def _look(self, files: Sequence[FoundFile]) -> list[FileReading]:
        readings = self._looking.look(files)
        self._tally.expect(readings)
        return readings

    def _read(self, todo: Sequence[FileReading]) -> None:
        parse = self._settings.parse
        remote = [reading for reading in todo if reading.remote]
        self._round([reading for reading in todo if not reading.remote], parse.timeout)
        if remote:
            self._read_remote(remote, Grobid(parse.grobid_url, parse.timeout, parse.grobid_wait))

    def _read_remote(self, readings: Sequence[FileReading], server: Grobid) -> None:
        """Files for a server; when it is away, what `parse.grobid_away` says."""
        parse = self._settings.parse
        seconds = parse.timeout + parse.grobid_wait
        lost = self._round(readings, seconds, server) if server.alive() else list(readings)
        if parse.grobid_away == "wait":
            more = True
            while lost and more and server.wait():
                before, lost = len(lost), self._round(lost, seconds, server)
                more = len(lost) < before
        reason = f"The GROBID server at {server.address} did not answer"
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

    def _round(
        self, readings: Sequence[FileReading], seconds: float, server: Grobid | None = None
    ) -> list[FileReading]:
        """Read and store; those that could not be read because their server is away are given back."""
        if not readings:
            return []
        limits = Limits(seconds, self._settings.parse.memory)
        todo = {reading.row.path: reading for reading in readings}
        lost: list[FileReading] = []
        with (
            self._executor.reading_pool(len(todo), limits) as pool,
            EmbeddingQueue[FilePart](self._executor.embedder, self._executor.lanes) as ahead,
            Interruption() as interruption,
        ):
            try:
                for batch in pool.run(self._jobs(list(todo.values()), lost, server)):
                    reading = todo[batch.job.path]
                    if server and isinstance(batch.error, ServiceAwayError):
                        lost.append(reading)
                        continue
                    with interruption.hold():
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

    def _jobs(
        self, readings: Sequence[FileReading], lost: list[FileReading], server: Grobid | None
    ) -> Iterator[ReadingJob]:
        """The jobs; once the server has been away and is not back, the rest is lost without asking."""
        known, gone = 0, False
        for reading in readings:
            if server and not gone and len(lost) > known:
                known, gone = len(lost), not server.alive()
            if gone:
                lost.append(reading)
            else:
                row = reading.row
                yield ReadingJob(row.path, reading.order, row.reader, row.size, row.sha256)

    def _store(self, ahead: EmbeddingQueue[FilePart], waits: Iterable[None], interruption: Interruption) -> None:
        """Commit parts of files in their order; none is out of the queue and not committed when Ctrl-C is heard."""
        for _ in waits:
            with self._lock(), interruption.hold():
                check_cut(self._catalog, self._settings.passages)
                self._commit(*ahead.take())
            if time.monotonic() - self._followed > max(FOLLOW_SECONDS, FOLLOW_SHARE * self._following):
                began = time.monotonic()
                with self._lock():
                    self._follow()
                self._followed = time.monotonic()
                self._following = self._followed - began

    def _commit(self, part: FilePart, embeddings: Embeddings) -> None:
        self._storing.commit(part, embeddings)
        self._tally.read(part)
        if self._keeps_indexes and self._tally.papers > max(MANY, self._known * SHARE):
            set_indexes_aside(self._catalog)
            self._keeps_indexes = False
        emit(self._tally.news("adding", Path(part.reading.row.path).name))


class Tally:
    """Bytes, files and papers, of those to be read and of those that were.

    Notice is bytes, so that the time left is right for large files and small ones.
    """

    def __init__(self) -> None:
        self._bytes = self._files = 0
        self._done_bytes = self._done_files = 0
        self.papers = 0
        self._within: dict[str, float] = {}

    def expect(self, readings: Iterable[FileReading]) -> None:
        """More files are to be read."""
        for reading in readings:
            self._files += 1
            self._bytes += _size(reading)

    def read(self, part: FilePart) -> None:
        """A part of a file was stored."""
        path, size = part.reading.row.path, _size(part.reading)
        self.papers += len(part.documents)
        self._within[path] = part.fraction * size
        if part.last:
            del self._within[path]
            self._done_files += 1
            self._done_bytes += size

    def news(self, stage: str, detail: str) -> Progress:
        """Where the run is."""
        done = self._done_bytes + int(sum(self._within.values()))
        return Progress(stage, done, self._bytes, "bytes", detail, (self._done_files, self._files), self.papers)


def _size(reading: FileReading) -> int:
    """The file's bytes; an empty one takes some time too."""
    return max(1, reading.row.size)


class FileScanner:
    """Looks at files, for one run of `add`."""

    def __init__(self, catalog: Catalog, settings: Settings, outcome: RunOutcome) -> None:
        self._catalog = catalog
        self._parse = settings.parse
        self._outcome = outcome

    def look(self, files: Sequence[FoundFile]) -> list[FileReading]:
        """Those of the files that are to be read; what becomes of the others is told."""
        ledger = {row.path: row for row in self._catalog.file_rows([item.path for item in files])}
        return [reading for item in files if (reading := self._look(item, ledger.get(item.path)))]

    def forget_failed(self, named_paths: Container[str]) -> None:
        """Drop ledger rows that no paper rests on and whose file is gone, but for those named in this call.

        What is being read on another machine cannot be seen from here, and stays.
        """
        elsewhere = self._catalog.is_shared
        gone = [
            row.key
            for row in self._catalog.file_rows()
            if not row.papers
            and row.path not in named_paths
            and not (elsewhere and row.state == "queued")
            and is_gone(row.path)
        ]
        if gone:
            with writing(self._catalog.engine) as connection:
                writer.drop_files(connection, gone)

    def _look(self, found_file: FoundFile, known: FileRow | None) -> FileReading | None:
        """What is to be read of a file; None where it needs no reading, which is then reported."""
        if found_file.problem:
            self._outcome.fail(
                known or FileRow(found_file.path), found_file.problem, retry=False, stored=known is not None
            )
            return None
        try:
            reader = self._reader(Path(found_file.path))
            key = reader_key(reader.name, reader.version)
            settled = known is not None and known.state in ("stored", "indexed") and known.reader == key
            if known and settled and (known.size, known.mtime_ns) == (found_file.size, found_file.mtime_ns):
                self._note_unchanged(known, reader.one_paper)
                return None
            with open_file(found_file.path) as file:
                sha = hashlib.file_digest(file, "sha256").hexdigest()
        except Exception as error:  # noqa: BLE001 - whatever its first bytes do, they do it to this file alone
            failure = error if isinstance(error, ConspectusError | OSError) else as_input_error(error)
            self._outcome.fail(
                known or FileRow(found_file.path), reason_of(failure), retry=isinstance(error, OSError), stored=True
            )
            return None
        row = replace(
            known or FileRow(found_file.path),
            size=found_file.size,
            mtime_ns=found_file.mtime_ns,
            sha256=sha,
            reader=key,
        )
        if known and settled and known.sha256 == sha:
            self._outcome.put(row)
            self._note_unchanged(row, reader.one_paper)
            return None
        fresh = replace(row, state="queued", reason="", notes=())
        order = reader.order if isinstance(reader, GrobidReader) else reader.name
        return FileReading(
            fresh,
            known is not None and known.papers > 0,
            reader.one_paper,
            order,
            known.reader if known else "",
            known.sha256 if known and known.papers else sha,
        )

    def _reader(self, path: Path) -> Reader:
        parse = self._parse
        reader = reader_for(path, ocr=parse.ocr == "auto")
        if parse.grobid_url and isinstance(reader, PdfReader):
            return GrobidReader(parse.grobid_url, parse.timeout, parse.grobid_wait)
        return reader

    def _note_unchanged(self, row: FileRow, one_paper: bool) -> None:
        if not one_paper and self._parse.linked:  # what it names may be new, changed, or there again
            for document in self._catalog.linking(row.key):
                paths = document.linked
                self._outcome.named_files |= dict.fromkeys(path for path in paths if not why_not(row.path, path))
        self._outcome.note_unchanged(row)


GRACE = 0.7
"""Seconds from the first Ctrl-C, after which it counts as a second one."""


class Interruption:
    """A context manager that lets Ctrl-C wait for what is done in `hold`. Where it is not Python's own, it stays so."""

    def __init__(self) -> None:
        self._is_asked = self._holding = False
        self._timer = threading.Timer(GRACE, _thread.interrupt_main)
        self._timer.daemon = True
        self._before: object = None

    def __enter__(self) -> Self:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._note_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        if self._before is not None:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """What is done in here is done to its end; the first Ctrl-C is raised after it."""
        was_asked, self._holding = self._is_asked, True
        try:
            yield
        finally:
            self._holding = False
        if self._is_asked and not was_asked:
            raise KeyboardInterrupt

    def _note_signal(self, _number: int, _frame: FrameType | None) -> None:
        asked_before, self._is_asked = self._is_asked, True
        if not asked_before:
            self._timer.start()
        if asked_before or not self._holding:
            raise KeyboardInterrupt


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """What is done in the main thread in here ends after `seconds` as by Ctrl-C."""
    timer = threading.Timer(seconds, _thread.interrupt_main)
    timer.daemon = True
    if threading.current_thread() is threading.main_thread():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
