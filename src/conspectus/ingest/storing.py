"""What was read of files to the catalog, part by part: a part's way from the reader to its paper."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

import msgspec

from conspectus.core.errors import ConspectusError
from conspectus.ingest.blame import fault, is_its_own, sparing
from conspectus.ingest.forget import forget_files
from conspectus.ingest.ledger import is_gone, reason_of
from conspectus.ingest.linked import why_not
from conspectus.ingest.outcome import Outcome
from conspectus.ingest.prefetch import Made
from conspectus.ingest.reading import Part, Reading
from conspectus.ingest.store import Cuts, PaperStore, texts_of
from conspectus.models.protocol import Embedder
from conspectus.parse.pool import Batch
from conspectus.parse.protocol import BadRecord
from conspectus.parse.text.passages import has_text
from conspectus.records import ParsedPaper
from conspectus.settings import Settings
from conspectus.store import writer
from conspectus.store.catalog import Catalog
from conspectus.store.connection import writing
from conspectus.store.rows import Document, FileRow

NO_TEXT = "no text: there are only headings, references or running heads in it. It is kept as a record, not searched"
_BATCH = 64


class Storing:
    """Stores parts of files, for one run of `add`. What fails for a file's own sake costs this file, and no other."""

    def __init__(self, catalog: Catalog, embedder: Embedder, settings: Settings, outcome: Outcome) -> None:
        self._catalog = catalog
        self._papers = PaperStore.of(catalog, embedder, settings.passages)
        self._linked = settings.parse.linked
        self._roots = settings.sources.root_folders
        self._outcome = outcome

    def part(self, reading: Reading, batch: Batch) -> Part:
        """What a batch says that the catalog does not know yet."""
        documents: list[Document] = []
        with _costing(reading):
            if not reading.begun:  # from here on the file counts as unread until it is read to its end
                reading.begun = True
                reading.row = replace(reading.row, key=self._outcome.put(reading.row))
                reading.before = self._catalog.digests(reading.row.key)
            documents += self._documents(reading, batch)
        fraction = min(batch.done_fraction or 0.0, 0.99)  # of the bytes read, which runs ahead
        return Part(reading, documents, batch.done, batch.error, fraction)

    def texts(self, part: Part) -> Mapping[bytes, str]:
        """What can be embedded of a part before it is stored; what fails here fails again there."""
        try:
            if not part.reading.known:
                part.cuts = self._papers.cut_ahead(part.documents)
            return texts_of(part.cuts)
        except Exception as error:
            if not is_its_own(error):
                raise
            return {}

    def commit(self, part: Part, made: Made) -> None:
        """A part to the catalog, with the embeddings `made` meanwhile; after the last one the file is finished."""
        reading = part.reading
        if reading.fault is None:
            with _costing(reading):
                self._put(part, made)
        if part.last:
            if reading.fault:
                self._fail(reading, reading.fault)
            reading.forget()

    def _put(self, part: Part, made: Made) -> None:
        self._put_documents(part.reading, part.documents, part.cuts, made)
        if not part.last:
            return
        linked = self._linked_documents(part.reading)
        while some := list(islice(linked, _BATCH)):
            self._put_documents(part.reading, some, {}, {})
        if part.error is None:
            self._finish(part.reading)
        else:
            self._fail(part.reading, part.error)

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
            if item.files and self._linked and reading.held.hold(reading.ordinal, item):
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
                    self._outcome.named[path] = None
            reading.note(*(f"'{path}' is named by several papers and is none's own." for path in shared))
            yield from self._document(reading, ordinal, item)

    def _document(self, reading: Reading, ordinal: int, item: ParsedPaper) -> Iterator[Document]:
        digest = _digest(item, reading.row.reader)
        if (known := reading.before.get(digest)) is not None:
            reading.seen.setdefault(known, ordinal)
        elif digest not in reading.said:  # a record that stands twice in one file is one
            reading.said.add(digest)
            yield Document(reading.row.key, reading.row.path, reading.row.sha256, ordinal, digest, item)

    def _put_documents(self, reading: Reading, documents: Sequence[Document], cuts: Cuts, made: Made) -> None:
        """Store documents; of records, those that cannot be stored are refused, each for itself."""

        def put(numbers: Sequence[int]) -> None:
            reading.note(*self._papers.add([documents[number] for number in numbers], cuts, made))

        every = range(len(documents))
        if reading.one_paper:
            put(every)
            return
        for number, error in sparing(put, every).items():
            reading.refuse(f"record {documents[number].ordinal}", str(error))

    def _fail(self, reading: Reading, error: ConspectusError) -> None:
        by = " by OCR" if reading.read_by.startswith("pdf-ocr") else ""
        # A page of what was read before must not be shown from other bytes.
        row = replace(reading.row, sha256=reading.read_sha) if reading.one_paper else reading.row
        self._outcome.fail(row, reason_of(error), retry=error.retry, stored=row.key > 0, by=by)

    def _finish(self, reading: Reading) -> None:
        """The file is read: drop what it no longer says, and enter it in the ledger."""
        read = reading.ordinal - reading.refused
        gone = set(reading.before.values()) - reading.seen.keys()
        if reading.refused and gone:  # what cannot be read may be what is no longer found
            reading.notes.insert(0, f"{len(gone)} records that it had before are kept until all of it can be read.")
        notes = reading.told
        if not read:
            first = reading.notes[0] if reading.notes else "there is no record in it"
            self._outcome.fail(
                replace(reading.row, notes=notes), f"none of its records can be read: {first}", False, True
            )
            return
        moved = put_in_order(self._catalog, reading.row.key, reading.seen)
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


def put_in_order(catalog: Catalog, file_key: int, seen: Mapping[int, int]) -> dict[int, int]:
    """Give the documents of a file the numbers that they were `seen` with (document key -> number).

    Returns those that are left to be done, with their papers: where a paper has several documents of this file, their
    order decides what is said of it, and the two have to change at once.
    """
    places = catalog.places(file_key) if seen else []
    moved = {key: seen[key] for key, number, _ in places if seen.get(key, number) != number}
    if not moved:
        return {}
    several = Counter(paper for _, _, paper in places)
    left = {key: moved[key] for key, _, paper in places if key in moved and several[paper] > 1}
    with writing(catalog.engine) as connection:
        writer.number_documents(connection, {key: number for key, number in moved.items() if key not in left})
    return left
