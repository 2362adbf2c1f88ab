"""Files in hand, and how each part of one gets from the reader to its papers, with its texts embedded in a thread."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from types import TracebackType
from typing import Generic, Self, TypeVar

import msgspec

from conspectus.core.errors import ConspectusError, InputError
from conspectus.ingest.error_attribution import as_input_error, is_document_error, run_one_by_one
from conspectus.ingest.ledger import RunOutcome, is_gone, reason_of
from conspectus.ingest.linked_files import HeldRecords, why_not
from conspectus.ingest.paper_store import Cuts, PaperStore, forget_files, texts_of
from conspectus.models.protocol import Embedder, Embedding
from conspectus.parse.process.pool import ParsedBatch
from conspectus.parse.protocol import BadRecord
from conspectus.parse.text.passages import has_text
from conspectus.records import ParsedPaper
from conspectus.settings import Settings
from conspectus.store import writer
from conspectus.store.catalog import Catalog
from conspectus.store.connection import writing
from conspectus.store.rows import FileRow, StoredDocument

NO_TEXT = "no text: there are only headings, references or running heads in it. It is kept as a record, not searched"
_BATCH = 64


class BatchWriter:
    """Stores parts of files, for one run of `add`. What fails for a file's own sake costs this file, and no other."""

    def __init__(self, catalog: Catalog, embedder: Embedder, settings: Settings, outcome: RunOutcome) -> None:
        self._catalog = catalog
        self._papers = PaperStore.of(catalog, embedder, settings.passages)
        self._linked = settings.parse.linked
        self._roots = settings.sources.root_folders
        self._outcome = outcome

    @property
    def grown(self) -> int:
        """By how many papers the catalog has grown through what was stored."""
        return self._papers.tally["papers"]

    def part(self, reading: FileReading, batch: ParsedBatch) -> FilePart:
        """What a batch says that the catalog does not know yet."""
        documents: list[StoredDocument] = []
        with _costing(reading):
            if not reading.begun:  # from here on the file counts as unread until it is read to its end
                reading.begun = True
                reading.row = replace(reading.row, machine=batch.machine)
                reading.row = replace(reading.row, key=self._outcome.put(reading.row))
                reading.before = self._catalog.digests(reading.row.key)
                reading.last = max(reading.before.values(), default=0)
            documents += self._documents(reading, batch)
        fraction = min(batch.done_fraction or 0.0, 0.99)  # of the bytes read, which runs ahead
        return FilePart(reading, documents, batch.done, batch.error, fraction)

    def texts(self, part: FilePart) -> Mapping[bytes, str]:
        """What can be embedded of a part before it is stored; what fails here fails again there."""
        try:
            part.cuts = self._papers.cut_ahead(part.documents)
            return texts_of(part.cuts)
        except Exception as error:
            if not is_document_error(error):
                raise
            return {}

    def commit(self, part: FilePart, embeddings: Embeddings) -> None:
        """A part to the catalog, with the embeddings made meanwhile; after the last one the file is finished."""
        reading = part.reading
        if reading.fault is None:
            with _costing(reading):
                self._claim(part)
                self._put(part, embeddings)
                reading.committed = True
        if part.last:
            if reading.fault:
                self._fail(reading, reading.fault)
            reading.forget()

    def _claim(self, part: FilePart) -> None:
        """See that the ledger's row is still this reading's: other runs go on between two commits.

        Raises:
            InputError: another run took the file out, or has read other bytes of it.
        """
        reading = part.reading
        row, state = reading.row, self._catalog.file_state(reading.row.path)
        if state is None and not reading.committed:  # a file of the same bytes was taken for this one, moved
            reading.row = replace(row, key=self._outcome.put(row))
            part.documents = [replace(document, file_key=reading.row.key) for document in part.documents]
        elif state != (row.key, row.sha256, row.reader):
            reading.row = replace(row, key=0)  # of which nothing is written any more
            raise InputError("Another process removed it, or read it again, while it was being read.", "Add it again.")

    def _put(self, part: FilePart, embeddings: Embeddings) -> None:
        self._put_documents(part.reading, part.documents, part.cuts, embeddings)
        if not part.last:
            return
        linked = self._linked_documents(part.reading)
        while batch := list(islice(linked, _BATCH)):
            self._put_documents(part.reading, batch, {}, {})
        if part.error is None:
            self._finish(part.reading)
        else:
            self._fail(part.reading, part.error)

    def _documents(self, reading: FileReading, batch: ParsedBatch) -> Iterator[StoredDocument]:
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
            if item.files and self._linked and reading.held_records.hold(reading.ordinal, item):
                continue
            paper = replace(item, files=()) if item.files else item
            yield from self._document(reading, 0 if reading.one_paper else reading.ordinal, paper)

    def _linked_documents(self, reading: FileReading) -> Iterator[StoredDocument]:
        """The papers that name files; those files are added later in this run."""
        for ordinal, item, paths, shared in reading.held_records.settle(reading.row.path):
            name = item.metadata.external_id or item.metadata.title
            for path in paths:
                if reason := why_not(reading.row.path, path, self._roots):
                    reading.note(f"'{path}', which '{name}' names, {reason}.")
                else:
                    self._outcome.named_files[path] = None
            reading.note(*(f"'{path}' is named by several papers and is none's own." for path in shared))
            yield from self._document(reading, ordinal, item)

    def _document(self, reading: FileReading, ordinal: int, item: ParsedPaper) -> Iterator[StoredDocument]:
        digest = _digest(item, reading.row.reader)
        if (known := reading.before.get(digest)) is not None:
            reading.number_by_key.setdefault(known, ordinal)
        elif digest not in reading.digests:  # a record that stands twice in one file is one
            reading.digests.add(digest)
            yield StoredDocument(reading.row.key, reading.row.path, reading.row.sha256, ordinal, digest, item)

    def _put_documents(
        self, reading: FileReading, new: Sequence[StoredDocument], cuts: Cuts, embeddings: Embeddings
    ) -> None:
        """Store documents, but for those that another run has stored of the same file meanwhile.

        Of records, those that cannot be stored are refused, each for itself.
        """
        reading.stored |= (later := self._catalog.digests(reading.row.key, reading.last))
        reading.last = max(later.values(), default=reading.last)
        reading.number_by_key |= {
            reading.stored[document.digest]: document.ordinal for document in new if document.digest in reading.stored
        }
        documents = [document for document in new if document.digest not in reading.stored]

        def put(numbers: Sequence[int]) -> None:
            reading.note(*self._papers.add([documents[number] for number in numbers], cuts, embeddings))

        every = range(len(documents))
        if reading.one_paper:
            put(every)
            return
        for number, error in run_one_by_one(put, every).items():
            reading.refuse(f"record {documents[number].ordinal}", str(error))

    def _fail(self, reading: FileReading, error: ConspectusError) -> None:
        by = " by OCR" if reading.read_by.startswith("pdf-ocr") else ""
        # A page of what was read before must not be shown from other bytes.
        row = replace(reading.row, sha256=reading.read_sha) if reading.one_paper else reading.row
        self._outcome.fail(row, reason_of(error), retry=error.retry, stored=row.key > 0, by=by)

    def _finish(self, reading: FileReading) -> None:
        """The file is read: drop what it no longer says, and enter it in the ledger."""
        read = reading.ordinal - reading.refused
        gone = set(reading.before.values()) - reading.number_by_key.keys()
        if reading.refused and gone:  # what cannot be read may be what is no longer found
            reading.notes.insert(
                0, f"{len(gone)} records that it had before are kept until the whole file can be read."
            )
        notes = reading.all_notes
        if not read:
            first = reading.notes[0] if reading.notes else "there is no record in it"
            self._outcome.fail(
                replace(reading.row, notes=notes), f"none of its records can be read: {first}", False, True
            )
            return
        moved = put_in_order(self._catalog, reading.row.key, reading.number_by_key)
        gone = set() if reading.refused else gone
        self._papers.forget(gone, moved)
        reason = f"{reading.refused} of {reading.ordinal} records refused" if reading.refused else ""
        if reading.silent:
            silent = f"{reading.silent} of {reading.ordinal} papers have no text"
            reason = "; ".join(filter(None, [reason, NO_TEXT if reading.one_paper else silent]))
        row = replace(reading.row, state="stored", reason=reason, notes=notes, papers=read)
        self._forget_moved(row)  # before the file counts as read: a killed run would never come back to it
        self._outcome.read(row, known=reading.known)

    def _forget_moved(self, row: FileRow) -> None:
        """A file of the same bytes that is no longer there was moved to where this one is."""
        others = [other for other in self._catalog.files_with(row.sha256) if other.path != row.path]
        for other in others:
            if is_gone(other.path):
                forget_files(self._papers, [other], papers=True)
            elif other.papers and other.path not in self._outcome.fresh:
                self._outcome.twins.setdefault(row.path, other.path)


@contextmanager
def _costing(reading: FileReading) -> Iterator[None]:
    """Within, what fails for a file's own sake costs this file, and no other."""
    try:
        yield
    except Exception as error:
        if not is_document_error(error):
            raise
        reading.fault = as_input_error(error)


def _digest(parsed: ParsedPaper, reader: str) -> bytes:
    return hashlib.blake2b(reader.encode() + b"\0" + msgspec.msgpack.encode(parsed), digest_size=16).digest()


def put_in_order(catalog: Catalog, file_key: int, number_by_key: Mapping[int, int]) -> dict[int, int]:
    """Give the documents of a file the numbers that they were seen with (`number_by_key`).

    Returns those that are left to be done, with their papers: where a paper has several documents of this file, their
    order decides what is said of it, and the two have to change at once.
    """
    places = catalog.places(file_key) if number_by_key else []
    moved = {key: number_by_key[key] for key, number, _ in places if number_by_key.get(key, number) != number}
    if not moved:
        return {}
    several = Counter(paper for _, _, paper in places)
    left = {key: moved[key] for key, _, paper in places if key in moved and several[paper] > 1}
    with writing(catalog.engine) as connection:
        writer.number_documents(connection, {key: number for key, number in moved.items() if key not in left})
    return left


T = TypeVar("T")

MOST_TEXTS = 256
"""So many texts may wait to be embedded or written, or half as many a lane; then reading has to wait."""
MOST_WAITING = 64
"""So many things may wait, though they have few texts."""
LET_GO = 0.5
"""Seconds to wait for the text in hand where nobody wants it any more."""
_POLL_SECONDS = 0.2

Embeddings = dict[bytes, Embedding]
"""Digest of a text -> its embedding."""


@dataclass(slots=True)
class _Waiting(Generic[T]):
    thing: T
    embeddings: Future[Embeddings]
    texts: int


class EmbeddingQueue(Generic[T]):
    """A queue of things with their texts, which are embedded meanwhile; a context manager. For one thread.

    Texts of as many things as there are `lanes` are embedded at a time.
    """

    def __init__(self, embedder: Embedder, lanes: int = 1) -> None:
        self._embedder = embedder
        self._most_texts = max(MOST_TEXTS, MOST_TEXTS // 2 * lanes)
        self._waiting: deque[_Waiting[T]] = deque()
        self._texts = 0
        self._thread = ThreadPoolExecutor(lanes, "ahead")
        self._stopping = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._thread.shutdown(wait=False, cancel_futures=True)
        running = [waiting.embeddings for waiting in self._waiting if not waiting.embeddings.cancelled()]
        wait(running, LET_GO)  # until the text in hand is embedded; a server that takes longer is left to itself

    def put(self, thing: T, texts: Mapping[bytes, str]) -> None:
        """Queue a thing; `texts`, by their digests, are embedded in a thread."""
        future: Future[Embeddings] = Future()
        if texts:
            future = self._thread.submit(self._embed, texts)
        else:
            future.set_result({})
        self._waiting.append(_Waiting(thing, future, len(texts)))
        self._texts += len(texts)

    def ready(self) -> Iterator[None]:
        """Once for each thing to `take` now: those that wait for nothing, and what is too much to wait."""
        while self._waiting and (self._full or self._waiting[0].embeddings.done()):
            self._wait()
            yield

    def rest(self) -> Iterator[None]:
        """Once for each thing that is left, when it can be taken."""
        while self._waiting:
            self._wait()
            yield

    def take(self) -> tuple[T, Embeddings]:
        """The first thing with its embeddings. Who is interrupted before this call has lost nothing."""
        first = self._waiting.popleft()
        self._texts -= first.texts
        return first.thing, first.embeddings.result()

    @property
    def _full(self) -> bool:
        return self._texts > self._most_texts or len(self._waiting) > MOST_WAITING

    def _wait(self) -> None:
        while not wait([self._waiting[0].embeddings], _POLL_SECONDS).done:  # else Windows could not interrupt it
            pass

    def _embed(self, texts: Mapping[bytes, str]) -> Embeddings:
        try:
            return self._embed_each(texts)
        except Exception as error:
            if not is_document_error(error):
                raise
            return {}  # it fails again where it can be said of which document

    def _embed_each(self, texts: Mapping[bytes, str]) -> Embeddings:
        embeddings: Embeddings = {}
        for digest, embedding in zip(texts, self._embedder.embed(list(texts.values())), strict=True):
            if self._stopping.is_set():
                raise CancelledError
            embeddings[digest] = embedding
        return embeddings


SHOWN_NOTES = 20


@dataclass(slots=True)
class FileReading:
    """A file in hand: its ledger row, what it said before, and how far it is read.

    `order` tells a child process which reader; `substitute` says why it is not the one that was wanted. `read_by` and
    `read_sha` are the reader of before and the bytes that it read. Of `ordinal` papers `refused` were not stored, and
    `silent` have no text; a `fault` keeps all that is left from being stored. `stored` are documents of this run, and
    of others that read the same file, by digests; those with keys up to `last` are known. `committed`: a part was.
    """

    row: FileRow
    known: bool
    one_paper: bool
    order: str
    read_by: str = ""
    read_sha: str = ""
    substitute: str = ""
    begun: bool = False
    before: dict[bytes, int] = field(default_factory=dict)
    number_by_key: dict[int, int] = field(default_factory=dict)
    digests: set[bytes] = field(default_factory=set)
    stored: dict[bytes, int] = field(default_factory=dict)
    last: int = 0
    committed: bool = False
    ordinal: int = 0
    refused: int = 0
    silent: int = 0
    fault: InputError | None = None
    notes: list[str] = field(default_factory=list)
    unkept: int = 0
    held_records: HeldRecords = field(default_factory=HeldRecords)

    @property
    def remote(self) -> bool:
        """Whether a server reads it."""
        return self.order.startswith("grobid ")

    def forget(self) -> None:
        """Let go of what grows with the file: the run keeps its readings to the end."""
        self.before, self.number_by_key, self.digests, self.stored, self.held_records = {}, {}, set(), {}, HeldRecords()

    def refuse(self, where: str, reason: str) -> None:
        """Count a record that is not stored, and keep why."""
        self.refused += 1
        self.note(f"{where}: {reason}")

    def note(self, *texts: str) -> None:
        """Keep what the user is told: the first of it, and how many more there were."""
        kept_texts = texts[: max(0, SHOWN_NOTES - len(self.notes))]
        self.notes += kept_texts
        self.unkept += len(texts) - len(kept_texts)

    @property
    def all_notes(self) -> tuple[str, ...]:
        """What the user is told of the file."""
        more = f"There were {self.unkept} more notes, which are not kept."
        return (*self.notes, more) if self.unkept else tuple(self.notes)


@dataclass(slots=True)
class FilePart:
    """Some of what a file says that is new: to be embedded and written. After the last part the file is finished.

    `cuts`: paper id -> a paper that is new, with the passages that it is cut into.
    """

    reading: FileReading
    documents: list[StoredDocument]
    last: bool
    error: ConspectusError | None
    fraction: float
    cuts: Cuts = field(default_factory=dict)
