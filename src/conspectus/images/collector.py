"""Images come into a collection: what is new or changed among files is read, made vectors of, and stored in batches."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from conspectus.core.disk import read_text
from conspectus.core.errors import ConspectusError, InputError, UnavailableError, describe_os_error
from conspectus.core.job_context import emit
from conspectus.core.text import cell_separator, line
from conspectus.images import sql as image_sql
from conspectus.images.sql import NewImage, ReadFile
from conspectus.ingest.files import FoundFile, find_files
from conspectus.models.protocol import Encoder
from conspectus.parse.process.images import READER, SUFFIXES, decode_picture
from conspectus.parse.process.pool import WORKER, Limits, ParsedBatch, ParsePool, ReadingJob
from conspectus.parse.process.wire import ImagePage
from conspectus.records.events import Progress
from conspectus.records.images import ImagesReport
from conspectus.records.reports import LedgerRow
from conspectus.store.catalog import Catalog
from conspectus.store.codec import half
from conspectus.store.connection import split_chunks, writing

if TYPE_CHECKING:
    from PIL.Image import Image

BATCH = 64
"""Images whose vectors are made, and that are stored, at a time: what a kill loses."""
THUMBNAIL = 160
"""Pixels of its longer side."""
_BETWEEN = re.compile(r"[^0-9A-Za-z\u0080-\U0010ffff]+")


class Collector:
    """Takes images into a collection, in one run.

    Args:
        catalog: whose writer lock is held.
        encoder: what makes their vectors.
        collection: its name.
        limits: what reading a file may take.
        workers: how many files are read at a time.
    """

    def __init__(self, catalog: Catalog, encoder: Encoder, collection: str, limits: Limits, workers: int) -> None:
        self._catalog, self._encoder, self._limits, self._workers = catalog, encoder, limits, workers
        self._name = collection
        self._key = image_sql.collection_key(catalog, collection)
        self._failed: list[LedgerRow] = []
        self._outcomes: Counter[str] = Counter()
        self._begun: dict[str, str] = {}
        self._waiting: list[tuple[FoundFile, ImagePage, Image]] = []
        self._read: list[ReadFile] = []
        self._pages: dict[str, list[int]] = {}

    def run(self, names: Sequence[str | Path], roots: Sequence[str], *, prune: bool = False) -> ImagesReport:
        """Add what is new or changed there; `prune`: take out what is gone from there."""
        listed = list(find_files(names, lambda path: path.suffix.lower() in SUFFIXES, self._catalog.path.parent, roots))
        file_by_path = {file.path: file for file in listed if file.supported and not file.problem}
        gone = self._find_missing_files(names, file_by_path)
        lost = {path for _, path in gone}
        for file in listed:
            if file.problem and file.path not in lost:
                self._fail(file.path, file.problem)
        todo = list(self._select_changed(file_by_path.values()))
        self._take(todo, file_by_path)
        if prune and gone:
            with writing(self._catalog.engine) as connection:
                image_sql.remove_files(connection, [key for key, _ in gone])
        return ImagesReport(
            collection=self._name,
            added=self._outcomes["added"],
            updated=self._outcomes["updated"],
            unchanged=self._outcomes["unchanged"],
            failed=tuple(self._failed),
            gone=tuple(sorted(lost)),
            removed=len(gone) if prune else 0,
            passed_over=Counter(Path(file.path).suffix.lower() for file in listed if not file.supported),
        )

    def _select_changed(self, files: Iterable[FoundFile]) -> Iterator[FoundFile]:
        for chunk in split_chunks(list(files)):
            known = image_sql.files_of(self._catalog, self._key, [file.path for file in chunk]) if self._key else {}
            for file in chunk:
                known_file = known.get(file.path)
                if known_file and (known_file.size, known_file.mtime_ns, known_file.encoders) == (
                    file.size,
                    file.mtime_ns,
                    (self._encoder.id,),
                ):
                    self._outcomes["unchanged"] += 1
                else:
                    self._begun[file.path] = "updated" if known_file else "added"
                    yield file

    def _find_missing_files(
        self, names: Sequence[str | Path], file_by_path: Mapping[str, FoundFile]
    ) -> list[tuple[int, str]]:
        """Files that the collection has from there, and that are there no more; of a folder that is gone, none."""
        if self._key is None:
            return []
        every = {str(Path(name).absolute()) for name in names}
        existing_names = tuple(name for name in every if Path(name).exists())
        there = (pair for pair in image_sql.paths_of(self._catalog, self._key) if pair[1] not in file_by_path)
        return [
            (key, path)
            for key, path in there
            if (path in every or _lies_under(path, existing_names)) and not Path(path).is_file()
        ]

    def _take(self, todo: Sequence[FoundFile], file_by_path: Mapping[str, FoundFile]) -> None:
        jobs = (ReadingJob(file.path, READER) for file in todo)
        done = 0
        with ParsePool(self._workers, self._limits, (*WORKER, "draws")) as pool:
            for batch in pool.run(jobs):
                self._hear(batch, file_by_path[batch.job.path])
                if len(self._waiting) >= BATCH or len(self._read) >= BATCH:
                    self._store()
                done += batch.done
                emit(Progress("adding images", done, len(todo), "files", Path(batch.job.path).name))
        self._store()

    def _hear(self, batch: ParsedBatch, file: FoundFile) -> None:
        """A picture of a file, or its end."""
        error = batch.error
        if isinstance(error, UnavailableError):
            raise error
        for page in batch.images:
            try:
                self._waiting.append((file, page, decode_picture(page)))
                self._pages.setdefault(file.path, []).append(page.page)
            except InputError as wrong:
                error = error or wrong
        if batch.done:
            self._end(file, error)

    def _end(self, file: FoundFile, error: ConspectusError | None) -> None:
        outcome = self._begun.pop(file.path)
        pages = tuple(self._pages.pop(file.path, ()))
        if error is None and not pages:
            error = InputError("There is no picture in it.")
        if error is not None:
            remark = f" The {len(pages)} pages before that are there." if pages else ""
            self._fail(file.path, f"{error}{remark}")
            file = replace(file, mtime_ns=image_sql.UNFINISHED)
        else:
            self._outcomes[outcome] += 1
        self._read.append(ReadFile(file.path, file.size, file.mtime_ns, pages))

    def _fail(self, path: str, reason: str) -> None:
        self._failed.append(LedgerRow(path, "failed", line(reason)))

    def _store(self) -> None:
        """What waits becomes rows, in one transaction."""
        if not self._waiting and not self._read:
            return
        vectors = self._encoder.images(image for _, _, image in self._waiting)
        new = [
            _new(file, page, image, vector) for (file, page, image), vector in zip(self._waiting, vectors, strict=True)
        ]
        with writing(self._catalog.engine) as connection:
            if self._key is None and new:
                self._key = image_sql.put_collection(connection, self._name)
            if self._key is not None:
                image_sql.save_images(connection, self._key, self._encoder.id, new, self._read)
        self._waiting.clear()
        self._read.clear()


def describe(catalog: Catalog, collection: str, table: Path) -> int:
    """Let a CSV table say what is known of the images whose file its column `file` names; returns of how many.

    A name is that of a file, or the end of a path.

    Raises:
        InputError: it cannot be read, or has no such column.
    """
    key, cells_by_end = image_sql.collection_key(catalog, collection), _table(table)
    described = 0
    for chunk in split_chunks(list(image_sql.paths_of(catalog, key)) if key else []):
        facts = {path: facts for _, path in chunk if (facts := _matching(path, cells_by_end))}
        with writing(catalog.engine) as connection:
            keys = {image_key: facts[path] for path in facts for image_key in image_sql.find_keys(catalog, path, key)}
            image_sql.put_facts(connection, keys, "csv")
            described += len(keys)
    return described


def _table(path: Path) -> dict[str, list[tuple[str, str]]]:
    """The end of a file's path -> (column, value) of its row."""
    hint = "Save it as CSV in UTF-8, with a first line of names, one of which is `file`."
    try:
        text = read_text(path)
        rows = list(csv.DictReader(io.StringIO(text), delimiter=cell_separator(text)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"The table '{path}' cannot be read: {describe_os_error(error)}.", hint) from error
    if rows and "file" not in rows[0]:
        raise InputError(f"The table '{path}' has no column `file`.", hint)
    return {row["file"].replace("\\", "/"): _cells(row) for row in rows if row["file"]}


def _cells(row: Mapping[str | None, object]) -> list[tuple[str, str]]:
    cells = ((name, value) for name, value in row.items() if name and name != "file" and isinstance(value, str))
    return [(line(name), line(value)[:300]) for name, value in cells if name.strip() and value.strip()]


def _matching(path: str, cells_by_end: Mapping[str, list[tuple[str, str]]]) -> list[tuple[str, str]]:
    parts = path.replace("\\", "/").split("/")
    ends = ("/".join(parts[start:]) for start in range(len(parts)))
    return next((cells_by_end[end] for end in ends if end in cells_by_end), [])


def difference_hash(image: Image) -> bytes:
    """16 bytes that say where a picture gets lighter, rightwards and downwards, on a grid of 8 × 8: alike ones differ
    in few bits (N. Krawetz's dHash, in both directions).
    """
    from PIL.Image import Resampling

    grey = image.convert("L")
    rows, columns = (np.asarray(grey.resize(size, Resampling.BOX), np.int16) for size in ((9, 8), (8, 9)))
    return np.packbits([np.diff(rows, axis=1) > 0, np.diff(columns, axis=0) > 0]).tobytes()


def _new(file: FoundFile, page: ImagePage, image: Image, vector: npt.NDArray[np.float32]) -> NewImage:
    small, buffer = image.copy(), io.BytesIO()
    small.thumbnail((THUMBNAIL, THUMBNAIL))
    small.save(buffer, "JPEG", quality=75)
    return NewImage(
        path=file.path,
        page=page.page,
        width=page.width,
        height=page.height,
        sha256=page.sha256,
        note=line(page.note),
        facts=[*_names(Path(file.path)), *((line(name)[:64], line(value)[:300]) for name, value in page.facts)],
        hash=difference_hash(image),
        thumbnail=buffer.getvalue(),
        vector=half(vector),
    )


def _names(path: Path) -> Iterator[tuple[str, str]]:
    """What the name of a file says: itself, its folder, and its parts."""
    yield "file", path.name
    yield "folder", path.parent.name
    yield from (("part", part) for part in _BETWEEN.split(path.stem) if part)


def _lies_under(path: str, names: Iterable[str]) -> bool:
    return any(path == name or path.startswith(name.rstrip("/\\") + ("\\" if "\\" in name else "/")) for name in names)
