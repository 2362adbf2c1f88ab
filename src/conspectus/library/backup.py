"""Backups: one zip file with the catalog, the settings and a manifest of checksums. The index is built anew."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import asdict

from conspectus.core import disk
from conspectus.core.disk import FAULTS, is_encrypted, is_fault, open_file
from conspectus.core.errors import (
    ConspectusError,
    EncryptedError,
    InputError,
    LibraryDamagedError,
    NotFoundError,
    SettingsError,
    UsageError,
    describe_os_error,
)
from conspectus.core.job_context import emit
from conspectus.core.version import __version__
from conspectus.records import Backup
from conspectus.records.events import Progress
from conspectus.settings import library_layer
from conspectus.settings.layers import FILE_NAME
from conspectus.store import snapshot
from conspectus.store.catalog import Catalog
from conspectus.store.schema import SCHEMA_VERSION
from conspectus.store.sqlite import SqliteStore

FORMAT = 1
MANIFEST, CATALOG = "manifest.json", "catalog.sqlite"
REPLACED = "before-restore"
"""Begins the names of backups of papers that a restore replaced."""
_BLOCK = 1 << 20
_MOST_SAID = 1 << 20
"""Bytes of a manifest; it has a few hundred."""
_FAULTS: tuple[type[Exception], ...] = (OSError, msgspec.DecodeError, *FAULTS)


class _Packed(msgspec.Struct, frozen=True):
    """What the manifest says of a file."""

    sha256: str
    bytes: Annotated[int, msgspec.Meta(ge=0)]


class _Counts(msgspec.Struct, frozen=True):
    """As `Catalog.counts`."""

    papers: int
    full_text: int
    passages: int
    files: int
    failed: int
    summaries: int


class _Form(msgspec.Struct, frozen=True):
    """What the manifests of all versions have."""

    format: int


class _Manifest(_Form, frozen=True):
    """What a backup says of itself."""

    version: str
    schema: int
    made: str
    counts: _Counts
    files: dict[str, _Packed]


def free_name(folder: Path, prefix: str = "conspectus", ending: str = ".zip") -> Path:
    """A name with the time in it for a backup in `folder`, of no file there."""
    stem, number = f"{prefix}-{datetime.now().astimezone():%Y-%m-%d-%H%M%S}", 1
    while (path := folder / f"{stem}{f'-{number}' if number > 1 else ''}{ending}").exists():
        number += 1
    return path


def set_aside(folder: Path) -> Path:
    """Give a library's catalog, which cannot be opened, another name; returns it. Its index goes: it is made again."""
    target = free_name(folder, "damaged", ".sqlite")
    for ending in ("-wal", "-shm", ""):
        path = folder / f"{CATALOG}{ending}"
        if path.exists():
            path.rename(f"{target}{ending}")
    shutil.rmtree(folder / SqliteStore.index_name, ignore_errors=True)
    return target


def write(catalog: Catalog, folder: Path, target: Path, *, damaged: bool = False) -> Backup:
    """Back the library in `folder` up to the file `target`; see `Library.backup`. `damaged`: also a damaged one."""
    if target.exists():
        raise UsageError(f"'{target}' is there already.", "Choose another name; nothing was written.")
    with _scratch_folder(target) as scratch:
        copy = scratch / CATALOG
        copy.touch(0o600)
        snapshot.save(catalog, copy, lambda done, total: emit(Progress("copying", done, total, "parts")))
        if not damaged:
            snapshot.check_copy(catalog, copy)
        try:
            counts = snapshot.counts_of(copy)
        except LibraryDamagedError:
            if not damaged:
                raise
            counts = dict.fromkeys(_Counts.__struct_fields__, 0)  # nobody can say
        date = datetime.now(UTC).isoformat(timespec="seconds")
        files: dict[str, _Packed] = {}
        packed = scratch / "packed"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            files[CATALOG] = _pack(archive, CATALOG, copy)
            if portable := _is_portable(folder):
                files[FILE_NAME] = _pack(archive, FILE_NAME, folder / FILE_NAME)
            manifest = _Manifest(FORMAT, __version__, SCHEMA_VERSION, date, _Counts(**counts), files)
            archive.writestr(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1))
        packed.chmod(0o600)  # it holds all that the library does
        disk.sync(packed)
        size = packed.stat().st_size
        packed.rename(target)
        try:
            disk.sync(target.parent)  # else a power cut can take its name
        except OSError:
            target.unlink()  # the same command would find it there
            raise
    without = () if portable or not (folder / FILE_NAME).exists() else (FILE_NAME,)
    return Backup(str(target.absolute()), date, counts, size / 1e6, without)


def _is_portable(folder: Path) -> bool:
    """Whether there are settings, all of which a library's file may set: others may be keys."""
    try:
        layers, ignored = library_layer(folder)
    except SettingsError:
        return False
    return bool(layers) and not ignored


def _pack(archive: zipfile.ZipFile, name: str, path: Path) -> _Packed:
    digest, size = hashlib.sha256(), 0
    with open_file(path) as source, archive.open(name, "w", force_zip64=True) as target:
        while block := source.read(_BLOCK):
            digest.update(block)
            size += len(block)
            target.write(block)
    return _Packed(digest.hexdigest(), size)


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A backup, checked: what it says of itself, and its catalog and settings, as files in a scratch folder."""

    backup: Backup
    catalog: Path
    sha256: str
    settings: Path | None


@contextmanager
def opened(path: Path, folder: Path) -> Iterator[Unpacked]:
    """A backup, unpacked in a scratch folder in `folder`, which is gone in the end.

    Call it with the writer lock: scratch folders of a restore that was killed are removed first.

    Raises:
        InputError: there is no such file, it cannot be read, or it is damaged, encrypted or no backup.
        LibraryTooNewError: a newer Conspectus made it.
    """
    for leftover in leftovers(folder):
        shutil.rmtree(leftover, ignore_errors=True)
    with _scratch_folder(folder / CATALOG) as scratch:
        copy, settings = scratch / CATALOG, scratch / FILE_NAME
        with _archive(path) as archive:
            manifest = _manifest(archive, path)
            catalog = manifest.files[CATALOG]
            _unpack(archive, CATALOG, catalog, copy)
            if packed := manifest.files.get(FILE_NAME):
                _unpack(archive, FILE_NAME, packed, settings)
        snapshot.check(copy)
        left = snapshot.strip(copy)
        backup = Backup(str(path), manifest.made, asdict(manifest.counts), path.stat().st_size / 1e6, left)
        yield Unpacked(backup, copy, catalog.sha256, settings if packed else None)


@contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """The zip file of a backup; what is wrong with it is told."""
    try:
        if not path.is_file():
            raise InputError(f"There is no file '{path}'.", "Name a file that `library backup` wrote.")
        file = open_file(path)
    except OSError as error:
        raise InputError(f"'{path}' cannot be read: {describe_os_error(error)}.", "Check path and rights.") from error
    with file:
        try:
            with zipfile.ZipFile(file) as archive:
                if any(map(is_encrypted, archive.infolist())):
                    hint = "Unpack it with the password, pack its files into a zip file without one, and restore that."
                    raise EncryptedError(f"'{path}' is protected with a password.", hint)
                yield archive
        except _FAULTS as error:
            if isinstance(error, OSError) and not is_fault(error):
                raise  # the disk that it is unpacked to
            raise InputError(f"'{path}' is damaged, or no backup of Conspectus: {error}.", snapshot.ANOTHER) from error


def _manifest(archive: zipfile.ZipFile, path: Path) -> _Manifest:
    with archive.open(MANIFEST) as file:
        content = file.read(_MOST_SAID + 1)
    if len(content) > _MOST_SAID:
        raise ValueError(f"{MANIFEST} is too long")
    form = msgspec.json.decode(content, type=_Form).format
    if form != FORMAT:
        raise InputError(
            f"'{path}' is of another form (format {form}, known: {FORMAT}).",
            "Upgrade: pip install --upgrade conspectus. Nothing was changed.",
        )
    return msgspec.json.decode(content, type=_Manifest)


def leftovers(folder: Path) -> list[Path]:
    """List the scratch folders that killed restores left in a library's folder."""
    return list(folder.glob(f".{CATALOG}.*"))


def replaced_backups(folder: Path) -> dict[str, float]:
    """Name -> megabytes of the backups that `library restore` made of the papers it replaced, oldest first."""
    return {path.name: path.stat().st_size / 1e6 for path in sorted(folder.glob(f"{REPLACED}-*.zip")) if path.is_file()}


def remove_replaced_backup(folder: Path, name: str) -> str:
    """Delete one of `replaced_backups`; returns its name.

    Raises:
        NotFoundError: the library's folder has no such backup.
        LibraryError: it cannot be deleted.
    """
    if name not in replaced_backups(folder):
        raise NotFoundError(
            f"The library '{folder}' has no backup '{name}' of replaced papers.", "`status` lists those that there are."
        )
    try:
        (folder / name).unlink()
    except OSError as error:
        raise disk.meaning(folder / name, error.errno or 0) from error
    return name


def _unpack(archive: zipfile.ZipFile, name: str, entry: _Packed, target: Path) -> None:
    digest, left = hashlib.sha256(), entry.bytes
    target.touch(0o600)
    with archive.open(name) as source, target.open("wb") as file:
        while block := source.read(min(_BLOCK, left + 1)):
            left -= len(block)
            if left < 0:
                raise ValueError(f"{name} is longer than it says")
            digest.update(block)
            file.write(block)
    if left or digest.hexdigest() != entry.sha256:
        raise ValueError(f"the checksum of {name} is not right")


@contextmanager
def _scratch_folder(target: Path) -> Iterator[Path]:
    """A scratch folder on the disk of `target`, gone in the end; what the disk says is told."""
    try:
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise disk.meaning(target.parent, error.errno or 0) from error
    try:
        yield scratch
    except ConspectusError:
        raise
    except OSError as error:
        raise disk.meaning(target, error.errno or 0) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def is_needed(settings: Path, folder: Path) -> bool:
    """Whether a library has no settings of its own, so that those of a backup are to be taken.

    Raises:
        SettingsError: those of the backup are not valid.
    """
    library_layer(settings.parent)
    return not (folder / FILE_NAME).exists()


def put_settings(settings: Path, folder: Path) -> None:
    """Let the settings of a backup, on the same disk, be those of a library."""
    disk.sync(settings)
    settings.chmod(0o600)
    settings.replace(folder / FILE_NAME)
