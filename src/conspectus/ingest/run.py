"""`add`: files to a searchable library. Batches are parsed in processes, embedded, and committed in turn.

The texts of papers that are new to the catalog are embedded in a thread meanwhile. Those of files known before, of
papers that the catalog has and of papers that name files are embedded in the main thread, when they are committed.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec

from conspectus.catalog import apart, writer
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.engine import transact, writing
from conspectus.catalog.rows import Document, Draft, FileRow
from conspectus.core.disk import open_file
from conspectus.errors import ConspectusError, ServiceAwayError
from conspectus.ingest.blame import fault, is_its_own
from conspectus.ingest.derive import derive_missing
from conspectus.ingest.duplicates import duplicates
from conspectus.ingest.forget import forget_documents, forget_files
from conspectus.ingest.interrupt import Interruption
from conspectus.ingest.ledger import is_gone, ledger_row, reader_key, reason_of
from conspectus.ingest.linked import why_not
from conspectus.ingest.merge import linked_paths
from conspectus.ingest.order import put_in_order
from conspectus.ingest.plan import Cut, plan
from conspectus.ingest.prefetch import Ahead, Made
from conspectus.ingest.progress import ProgressCallback
from conspectus.ingest.reading import Part, Reading
from conspectus.ingest.rechunk import rechunk
from conspectus.ingest.store import cutter, texts_of, write
from conspectus.ingest.tally import Tally
from conspectus.models.protocol import Embedder
from conspectus.parse.grobid import Grobid
from conspectus.parse.passages import has_text
from conspectus.parse.pool import Batch, Job, Limits, ParsePool
from conspectus.parse.protocol import BadRecord, Reader
from conspectus.parse.registry import PdfReader, reader_for, supported
from conspectus.parse.xml.readers import GrobidReader
from conspectus.records import AddReport, LedgerRow, ParsedPaper
from conspectus.settings import Settings
from conspectus.sources.files import Found, find_files

FOLLOW_SECONDS = 60
"""After so long in one run the index follows, so that what was added can be found."""
FOLLOW_SHARE = 25
"""It takes at most one part in so many of the run's time."""
NO_TEXT = "no text: there are only headings, references or running heads in it. It is kept as a record, not searched"


class Adder:
    """One run of `add`. The caller holds the library's writer lock; `follow` brings the index up to the catalog."""

    def __init__(
        self,
        catalog: Catalog,
        embedder: Embedder,
        settings: Settings,
        progress: ProgressCallback,
        follow: Callable[[], None],
    ) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._settings = settings
        self._progress = progress
        self._follow = follow
        self._named: dict[str, None] = {}
        self._roots = settings.sources.root_folders
        self._rows: dict[str, list[LedgerRow]] = {"added": [], "updated": [], "unchanged": [], "failed": []}
        self._fresh: dict[str, str] = {}
        self._twins: dict[str, str] = {}
        self._tally = Tally()
        self._followed, self._following = time.monotonic(), 0.0
        self._cut: Cut = cutter(settings.passages)

    def run(self, names: Sequence[str | Path]) -> AddReport:
        """Read what is new or changed among `names`; rows, in order of the files, are from before the index follows."""
        rechunk(self._catalog, self._embedder, self._settings.passages, self._progress)
        derive_missing(self._catalog, self._progress)
        listed = list(find_files(names, supported, self._catalog.path.parent, self._roots))
        found = [item for item in listed if item.supported]
        passed_over = Counter(
            Path(item.path).suffix.lower() or "without ending" for item in listed if not item.supported
        )
        ledger = {row.path: row for row in self._catalog.file_rows([item.path for item in found])}
        self._forget_failed(ledger)
        todo = [reading for item in found if (reading := self._look(item, ledger.get(item.path)))]
        self._tally.expect(todo)
        self._read([reading for reading in todo if not reading.one_paper])  # what they say of the others counts
        place = {item.path: number for number, item in enumerate(found)}
        more = list(find_files([path for path in self._named if path not in place], supported))
        ledger = {row.path: row for row in self._catalog.file_rows([item.path for item in more])}
        named = [reading for item in more if (reading := self._look(item, ledger.get(item.path)))]
        self._tally.expect(named)
        self._read([*(reading for reading in todo if reading.one_paper), *named])
        place |= {item.path: number for number, item in enumerate(more, len(place))}
        rows = {name: sorted(told, key=lambda row: place[row.path]) for name, told in self._rows.items()}
        again = duplicates(self._catalog, {row.path: self._fresh[row.path] for row in rows["added"]}, self._twins)
        rows["duplicates"] = [replace(row, reason=again[row.path]) for row in rows["added"] if row.path in again]
        rows["added"] = [row for row in rows["added"] if row.path not in again]
        return AddReport(**{name: tuple(told) for name, told in rows.items()}, passed_over=dict(passed_over))

    def _forget_failed(self, named: Mapping[str, FileRow]) -> None:
        """Drop ledger rows that no paper rests on and whose file is gone, but for those named in this call."""
        gone = [
            row.key
            for row in self._catalog.file_rows()
            if not row.papers and row.path not in named and is_gone(row.path)
        ]
        if gone:
            with writing(self._catalog.engine) as connection:
                writer.drop_files(connection, gone)

    def _look(self, found: Found, known: FileRow | None) -> Reading | None:
        """What is to be read of a file; None where it needs no reading, which is then reported."""
        if found.problem:
            self._fail(known or FileRow(found.path), found.problem, retry=False, stored=known is not None)
            return None
        try:
            reader = self._reader(Path(found.path))
            key = reader_key(reader.name, reader.version)
            settled = known is not None and known.state in ("stored", "indexed") and known.reader == key
            if known and settled and (known.size, known.mtime_ns) == (found.size, found.mtime_ns):
                self._unchanged(known, reader.one_paper)
                return None
            with open_file(found.path) as file:
                sha = hashlib.file_digest(file, "sha256").hexdigest()
        except Exception as error:  # noqa: BLE001 - whatever its first bytes do, they do it to this file alone
            told = error if isinstance(error, ConspectusError | OSError) else fault(error)
            self._fail(known or FileRow(found.path), reason_of(told), retry=isinstance(error, OSError), stored=True)
            return None
        row = replace(known or FileRow(found.path), size=found.size, mtime_ns=found.mtime_ns, sha256=sha, reader=key)
        if known and settled and known.sha256 == sha:
            self._put(row)
            self._unchanged(row, reader.one_paper)
            return None
        fresh = replace(row, state="queued", reason="", notes=())
        order = reader.order if isinstance(reader, GrobidReader) else reader.name
        return Reading(
            fresh,
            known is not None and known.papers > 0,
            reader.one_paper,
            order,
            known.reader if known else "",
            known.sha256 if known and known.papers else sha,
        )

    def _reader(self, path: Path) -> Reader:
        parse = self._settings.parse
        reader = reader_for(path, ocr=parse.ocr == "auto")
        if parse.grobid_url and isinstance(reader, PdfReader):
            return GrobidReader(parse.grobid_url, parse.timeout, parse.grobid_wait)
        return reader

    def _unchanged(self, row: FileRow, one_paper: bool) -> None:
        if not one_paper and self._settings.parse.linked:  # what it names may be new, changed, or there again
            for document in self._catalog.linking(row.key):
                paths = linked_paths(document)
                self._named |= dict.fromkeys(path for path in paths if not why_not(row.path, path))
        self._rows["unchanged"].append(ledger_row(replace(row, state="unchanged")))

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
            self._fail(reading.row, f"{reason}. Check that it runs, then add again.", retry=True, stored=True)

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
                        part = self._part(reading, batch)
                        ahead.put(part, self._texts(part))
                    self._store(ahead, ahead.ready(), interruption)
                self._store(ahead, ahead.rest(), interruption)
            except KeyboardInterrupt:
                hint = "Ctrl-C again leaves it"
                self._progress(self._tally.news("finishing what is in hand", hint))
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

    def _part(self, reading: Reading, batch: Batch) -> Part:
        """What a batch says that the catalog does not know yet."""
        documents: list[Document] = []
        with _costing(reading):
            if not reading.begun:  # from here on the file counts as unread until it is read to its end
                reading.begun = True
                reading.row = replace(reading.row, key=self._put(reading.row))
                reading.before = self._catalog.digests(reading.row.key)
            documents += self._documents(reading, batch)
        fraction = min(batch.done_fraction or 0.0, 0.99)  # of the bytes read, which runs ahead
        return Part(reading, documents, batch.done, batch.error, fraction)

    def _texts(self, part: Part) -> Mapping[bytes, str]:
        """What can be embedded of a part before it is stored; what fails here fails again there."""
        try:
            return {} if part.reading.known else texts_of(self._catalog, part.documents, self._cut)
        except Exception as error:
            if not is_its_own(error):
                raise
            return {}

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
        reading, path = part.reading, part.reading.row.path
        if reading.fault is None:
            with _costing(reading):
                self._put_part(part, made)
        if part.last:
            if reading.fault:
                self._finish(reading, reading.fault)
            reading.forget()
        self._tally.read(part)
        self._progress(self._tally.news("adding", Path(path).name))

    def _put_part(self, part: Part, made: Made) -> None:
        self._put_documents(part.reading, part.documents, made)
        if part.last:
            linked = self._linked_documents(part.reading)
            while some := list(islice(linked, 64)):
                self._put_documents(part.reading, some)
            self._finish(part.reading, part.error)

    def _documents(self, reading: Reading, batch: Batch) -> Iterator[Document]:
        """The batch's papers that the file did not speak of before; those that name files wait for the file's end."""
        for item in batch.items:
            reading.ordinal += 1
            if isinstance(item, BadRecord):
                reading.refuse(item.where, item.reason)
                continue
            reading.silent += not has_text(item)
            if reading.substitute:
                item = replace(item, warnings=(reading.substitute, *item.warnings))  # noqa: PLW2901
            reading.note(*item.warnings)
            if item.files and self._settings.parse.linked and reading.held.hold(reading.ordinal, item):
                continue
            paper = replace(item, files=()) if item.files else item
            yield from self._document(reading, 0 if reading.one_paper else reading.ordinal, paper)

    def _linked_documents(self, reading: Reading) -> Iterator[Document]:
        """The papers that name files; those files are added later in this run."""
        for ordinal, item, paths, shared in reading.held.settled(reading.row.path):
            name = item.metadata.external_id or item.metadata.title
            for path in paths:
                if reason := why_not(reading.row.path, path, self._roots):
                    reading.note(f"'{path}', which '{name}' names, {reason}.")
                else:
                    self._named[path] = None
            reading.note(*(f"'{path}' is named by several papers and is none's own." for path in shared))
            yield from self._document(reading, ordinal, item)

    def _document(self, reading: Reading, ordinal: int, item: ParsedPaper) -> Iterator[Document]:
        digest = _digest(item, reading.row.reader)
        if (known := reading.before.get(digest)) is not None:
            reading.seen.setdefault(known, ordinal)
        elif digest not in reading.said:  # a record that stands twice in one file is one
            reading.said.add(digest)
            yield Document(reading.row.key, reading.row.path, reading.row.sha256, ordinal, digest, item)

    def _put_documents(self, reading: Reading, documents: Sequence[Document], made: Made | None = None) -> None:
        """Store documents; of records, those that cannot be stored are refused, each for itself."""
        try:
            self._plan(reading, documents, made)
        except Exception as error:
            if not is_its_own(error) or reading.one_paper:
                raise
            for document in documents:
                self._put_alone(reading, document, made)

    def _plan(self, reading: Reading, documents: Sequence[Document], made: Made | None) -> None:
        planned = plan(self._catalog, documents, self._cut)
        learn = partial(apart.learn_names, names=planned.names)
        write(self._catalog, self._embedder, planned.drafts, made, learn)
        reading.note(*planned.notes)

    def _put_alone(self, reading: Reading, document: Document, made: Made | None) -> None:
        try:
            self._plan(reading, [document], made)
        except Exception as error:
            if not is_its_own(error):
                raise
            reading.refuse(f"record {document.ordinal}", str(fault(error)))

    def _write(self, drafts: Sequence[Draft], made: Made | None = None) -> None:
        write(self._catalog, self._embedder, drafts, made)

    def _finish(self, reading: Reading, error: ConspectusError | None) -> None:
        """The file is read: drop what it no longer says, and enter it in the ledger."""
        if error is not None:
            by = " by OCR" if reading.read_by.startswith("pdf-ocr") else ""
            # A page of what was read before must not be shown from other bytes.
            row = replace(reading.row, sha256=reading.read_sha) if reading.one_paper else reading.row
            self._fail(row, reason_of(error), retry=error.retry, stored=row.key > 0, by=by)
            return
        read = reading.ordinal - reading.refused
        gone = set(reading.before.values()) - reading.seen.keys()
        if reading.refused and gone:  # what cannot be read may be what is no longer found
            reading.notes.insert(0, f"{len(gone)} records that it had before are kept until all of it can be read.")
        notes = tuple(reading.notes)
        if not read:
            first = reading.notes[0] if reading.notes else "there is no record in it"
            self._fail(replace(reading.row, notes=notes), f"none of its records can be read: {first}", False, True)
            return
        moved = put_in_order(self._catalog, reading.row.key, reading.seen)
        gone = set() if reading.refused else gone
        forget_documents(self._catalog, self._embedder, gone, self._cut, moved)
        reason = f"{reading.refused} of {reading.ordinal} records refused" if reading.refused else ""
        if reading.silent:
            silent = f"{reading.silent} of {reading.ordinal} papers have no text"
            reason = "; ".join(filter(None, [reason, NO_TEXT if reading.one_paper else silent]))
        row = replace(reading.row, state="stored", reason=reason, notes=notes, papers=read)
        self._forget_moved(row)  # before the file counts as read: a killed run would never come back to it
        self._put(row)
        self._fresh[row.path] = row.sha256
        self._rows["updated" if reading.known else "added"].append(ledger_row(row))

    def _forget_moved(self, row: FileRow) -> None:
        """A file of the same bytes that is no longer there was moved to where this one is."""
        others = [other for other in self._catalog.files_with(row.sha256) if other.path != row.path]
        for other in others:
            if is_gone(other.path):
                forget_files(self._catalog, self._embedder, [other], self._cut, papers=True)
            elif other.papers and other.path not in self._fresh:
                self._twins.setdefault(row.path, other.path)

    def _fail(self, row: FileRow, reason: str, retry: bool, stored: bool, by: str = "") -> None:
        if row.papers:
            reason = f"{reason.rstrip('.')}. What was read of it before{by} is kept."
        failed = replace(row, state="failed", reason=reason, retry=retry)
        if stored:
            self._put(failed)
        self._rows["failed"].append(ledger_row(failed))

    def _put(self, row: FileRow) -> int:
        return transact(self._catalog.engine, lambda connection: writer.put_file(connection, row))


@contextmanager
def _costing(reading: Reading) -> Iterator[None]:
    """Within, what fails for a file's own sake costs this file, and no other."""
    try:
        yield
    except Exception as error:
        if not is_its_own(error):
            raise
        reading.fault = fault(error)


def _digest(parsed: ParsedPaper, reader: str) -> bytes:
    return hashlib.blake2b(reader.encode() + b"\0" + msgspec.msgpack.encode(parsed), digest_size=16).digest()
