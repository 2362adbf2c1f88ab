"""The folder `online` of a library: what services said of papers, as JSON Lines that `add` reads, and full texts.

`SERVICE-xx.jsonl` has the records of a service whose keys have a digest that begins with xx, a line each. A record that
is fetched again takes the place of the one before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from conspectus.core.disk import replacing, sync
from conspectus.core.errors import LibraryError, describe_os_error
from conspectus.parse.bibliography.record_lines import record_line
from conspectus.records import Metadata
from conspectus.services.identifiers import identifiers_of
from conspectus.store.catalog import Catalog
from conspectus.store.connection import writing
from conspectus.store.removal import RemovedRows, fit_file
from conspectus.store.rows import StoredDocument
from conspectus.store.schema import documents as document_table
from conspectus.store.schema import files as file_table
from conspectus.store.writer import drop_files

NAME = "online"
_IN_USE = 3600.0
"""Seconds for which a file that was fetched may wait for its record."""
KEY, FOUND_FOR = "record", "found_for"
"""Keys of a record's `extra`: what it is called here, and the search or question that brought it first."""


@dataclass(frozen=True, slots=True)
class TakenOut:
    """What was taken out of the folder: lines by the file that they stood in, and files with their bytes."""

    lines: Mapping[Path, Sequence[str]]
    files: Mapping[Path, bytes]

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(map(len, self.files.values())) + sum(len(line) for lines in self.lines.values() for line in lines)


class OnlineFolder:
    """The records and full texts that a library has from services. Who writes holds the library's writer lock.

    Args:
        library: the library's folder.
    """

    def __init__(self, library: Path) -> None:
        self.path = library / NAME
        self.files = self.path / "files"

    def keep(
        self, records: Iterable[Metadata], found_for: str = "", files: Mapping[str, Path] | None = None
    ) -> list[Path]:
        """Write records; returns the files to add: those that have them.

        Args:
            records: with `extra["service"]`.
            found_for: what brought them; of one that is there already, what brought it first stays.
            files: key of a record -> its full text, a file in `files`; one that is known stays.

        Raises:
            LibraryError: they cannot be written.
        """
        by_file: dict[Path, dict[str, Metadata]] = {}
        for record in records:
            key = record_key(record)
            by_file.setdefault(self._file_of(key), {})[key] = record
        try:
            self.path.mkdir(0o700, exist_ok=True)
            for path, keyed in by_file.items():
                self._put(path, keyed, found_for, files or {})
            if by_file:
                sync(self.path)
        except OSError as error:
            raise LibraryError(
                f"'{self.path}' cannot be written: {describe_os_error(error)}.",
                "See that it is a folder of yours with room on it.",
            ) from error
        return list(by_file)

    def _put(self, path: Path, records: Mapping[str, Metadata], found_for: str, files: Mapping[str, Path]) -> None:
        before = _read(path)
        lines = {key: line for key, line in before.items() if key not in records}
        for key, record in records.items():
            known = json.loads(before[key]) if key in before else {}
            brought = str(known.get(FOUND_FOR) or found_for)
            names = _files_of(known)
            if key in files:
                names = list(dict.fromkeys([*names, files[key].relative_to(self.path).as_posix()]))
            extra = {**record.extra, KEY: key} | ({FOUND_FOR: brought} if brought else {})
            # what it is called is its DOI, or the like; its service's own name is the key
            own_id = "" if identifiers_of(record) else record.external_id
            lines[key] = record_line(replace(record, external_id=own_id, extra=extra), names)
        ordered = [lines[key] for key in dict.fromkeys([*before, *records])]  # each where it was, new ones at the end
        if ordered != list(before.values()):
            _write(path, ordered)

    def take_out(self, catalog: Catalog, documents: Iterable[StoredDocument]) -> TakenOut:
        """Take the records of documents out, full texts that are documents, and those that only these records name."""
        lines: dict[Path, list[str]] = {}
        texts: set[Path] = set()
        for document in documents:
            path = self._place(document.path)
            if path.parent == self.files:
                texts.add(path)
            elif path.parent == self.path and path.is_file():
                key = document.parsed.metadata.extra.get(KEY)
                before = _read(path)
                if isinstance(key, str) and key in before:
                    lines.setdefault(path, []).append(before.pop(key))
                    _write(path, list(before.values()))
        texts |= self._unread(catalog, (line for removed in lines.values() for line in removed))
        files = {path: path.read_bytes() for path in texts if path.is_file() and not path.is_symlink()}
        for path in files:
            path.unlink()
        return TakenOut(lines, files)

    def forget(self, catalog: Catalog, paths: Iterable[str]) -> None:
        """Delete those of the files that are here, and the full texts that only their records name."""
        ours = [path for path in map(self._place, paths) if path.parent in (self.path, self.files)]
        lines = [line for path in ours if path.parent == self.path for line in _read(path).values()]
        for path in ours:
            path.unlink(missing_ok=True)
        for path in self._unread(catalog, lines):
            path.unlink(missing_ok=True)

    def _unread(self, catalog: Catalog, lines: Iterable[str]) -> set[Path]:
        """The full texts named by records that were taken out, and by no other, of which no paper is made.

        Their rows in the ledger, which say that they could not be read, go.
        """
        names = {name for line in lines for name in _files_of(json.loads(line))}
        if not (names := names - set(self._names())):
            return set()
        texts = {path for name in names if (path := self._place(f"{NAME}/{name}")).parent == self.files}
        rows = [row for row in catalog.file_rows() if self._place(row.path) in texts]
        with writing(catalog.engine) as connection:
            drop_files(connection, [row.key for row in rows if not row.papers])
        return texts - {self._place(row.path) for row in rows if row.papers}

    def _names(self) -> Iterator[str]:
        """The full texts that records name."""
        for shard in self.path.glob("*.jsonl"):
            yield from (name for line in _read(shard).values() for name in _files_of(json.loads(line)))

    def rows_to_restore(self, catalog: Catalog, rows: RemovedRows) -> RemovedRows:
        """Rows of a removed paper as they fit the files of records, which may have been read again without it."""
        for row in rows.named_rows.get(file_table, ()):
            now = next(iter(catalog.file_rows([row["path"]])), None)
            if now and now.sha256 != row["sha256"] and self._place(now.path).parent == self.path:
                last = max((number for _, number, _ in catalog.places(now.key)), default=0)
                then = sorted(
                    stored["ordinal"] for stored in rows.own_rows[document_table] if stored["file_key"] == row["key"]
                )
                rows = fit_file(rows, now.path, now.sha256, {old: last + at for at, old in enumerate(then, 1)})
        return rows

    def put_back(self, removal: TakenOut) -> None:
        """Undo `take_out`."""
        for path, lines in removal.lines.items():
            before = _read(path)
            _write(path, [*before.values(), *(line for line in lines if line not in before.values())])
        for path, content in removal.files.items():
            if not path.exists():
                with replacing(path) as part:
                    part.write_bytes(content)

    def leftovers(self, ledger: Iterable[str], now: float) -> list[Path]:
        """Full texts that nothing names, fetched by runs that were killed more than an hour ago.

        Args:
            ledger: paths of the files that the library has read.
            now: seconds since 1970.
        """
        names = {Path(path).name for path in (*ledger, *self._names())}
        files = (path for path in self.files.glob("*") if path.is_file() and not path.is_symlink())
        return [path for path in files if path.name not in names and path.stat().st_mtime < now - _IN_USE]

    def _place(self, path: str) -> Path:
        """Where a document's file lies: the library's folder may have been moved, or have another name."""
        parts = path.replace("\\", "/").split("/")
        if NAME not in parts:
            return Path(path)
        behind = parts[len(parts) - parts[::-1].index(NAME) :]
        return self.path.joinpath(*behind) if ".." not in behind else Path(path)

    def _file_of(self, key: str) -> Path:
        digest = blake2b(key.encode(), digest_size=1).hexdigest()
        return self.path / f"{key.partition(' ')[0]}-{digest}.jsonl"


def record_key(record: Metadata) -> str:
    """What a record of a service is called: `pubmed 123`."""
    number = record.external_id or next(map(str, identifiers_of(record)), "") or record.title
    return f"{record.extra['service']} {number}"


def _files_of(record: Mapping[str, object]) -> list[str]:
    listed = record.get("files")
    return [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []


def _read(path: Path) -> dict[str, str]:
    """Key -> line, in their order; a line that is none of ours is left out."""
    lines_by_key: dict[str, str] = {}
    if path.is_symlink() or not path.is_file():
        return lines_by_key
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                key = json.loads(line).get(KEY)
            except (ValueError, AttributeError, RecursionError):
                continue
            if isinstance(key, str):
                lines_by_key[key] = line.rstrip("\n") + "\n"
    return lines_by_key


def _write(path: Path, lines: Sequence[str]) -> None:
    """Replace a file; one without lines goes."""
    if not lines:
        path.unlink(missing_ok=True)
        return
    with replacing(path) as part:
        with part.open("w", encoding="utf-8") as file:
            file.writelines(lines)
        part.chmod(0o600)
        sync(part)
