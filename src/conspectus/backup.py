"""Backups: one zip file with the catalog, the settings and a manifest of checksums. The index is built anew."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conspectus import disk
from conspectus._version import __version__
from conspectus.catalog import snapshot
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.schema import HEAD
from conspectus.errors import ConspectusError, InputError, UsageError
from conspectus.ingest.progress import Progress, ProgressCallback
from conspectus.records import Backup
from conspectus.settings import FILE_NAME

FORMAT = 1
MANIFEST, CATALOG = "manifest.json", "catalog.sqlite"
_BLOCK = 1 << 20


def free_name(folder: Path, prefix: str = "conspectus") -> Path:
    """A name with the time in it for a backup in `folder`, of no file there."""
    stem, number = f"{prefix}-{datetime.now().astimezone():%Y-%m-%d-%H%M%S}", 1
    while (path := folder / f"{stem}{f'-{number}' if number > 1 else ''}.zip").exists():
        number += 1
    return path


def write(catalog: Catalog, folder: Path, target: Path, progress: ProgressCallback) -> Backup:
    """Back the library in `folder` up to the file `target`; see `Library.backup`."""
    if target.exists():
        raise UsageError(f"'{target}' is there already.", "Choose another name; nothing was written.")
    with _beside(target) as scratch:
        copy = scratch / CATALOG
        counts = snapshot.save(catalog, copy, lambda done, total: progress(Progress("copying", done, total, "parts")))
        made = datetime.now(UTC).isoformat(timespec="seconds")
        manifest: dict[str, Any] = {"format": FORMAT, "version": __version__, "schema": HEAD, "made": made}
        manifest |= {"counts": counts, "files": {}}
        packed = scratch / "packed"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            manifest["files"][CATALOG] = _pack(archive, CATALOG, copy)
            if _is_portable(folder / FILE_NAME):
                manifest["files"][FILE_NAME] = _pack(archive, FILE_NAME, folder / FILE_NAME)
            archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
        _sync(packed)
        size = packed.stat().st_size
        packed.rename(target)
    return Backup(str(target.absolute()), made, counts, size / 1e6)


def _is_portable(settings: Path) -> bool:
    """Whether there are settings, and they name no catalog: its address may have a password, and is of one place."""
    return settings.is_file() and "catalog" not in tomllib.loads(settings.read_text("utf-8"))


def _pack(archive: zipfile.ZipFile, name: str, path: Path) -> dict[str, Any]:
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as target:
        while block := source.read(_BLOCK):
            digest.update(block)
            size += len(block)
            target.write(block)
    return {"sha256": digest.hexdigest(), "bytes": size}


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A backup, checked: what it says of itself, and its catalog and settings, as files in a scratch folder."""

    said: Backup
    catalog: Path
    sha256: str
    settings: Path | None


@contextmanager
def opened(path: Path, folder: Path) -> Iterator[Unpacked]:
    """A backup, unpacked in a scratch folder in `folder`, which is gone in the end.

    Raises:
        InputError: it is no backup, or damaged.
        LibraryTooNewError: a newer Conspectus made it.
    """
    if not path.is_file():
        raise InputError(f"There is no file '{path}'.", "Name a file that `conspectus backup` wrote.")
    with _beside(folder / CATALOG) as scratch:
        copy = scratch / CATALOG
        try:
            with zipfile.ZipFile(path) as archive:
                manifest = _manifest(archive, path)
                _unpack(archive, CATALOG, manifest["files"][CATALOG], copy)
                settings = scratch / FILE_NAME if FILE_NAME in manifest["files"] else None
                if settings:
                    _unpack(archive, FILE_NAME, manifest["files"][FILE_NAME], settings)
        except (zipfile.BadZipFile, EOFError, KeyError, ValueError, TypeError, NotImplementedError) as error:
            raise InputError(f"'{path}' is damaged, or no backup of Conspectus: {error}.", "Take another.") from error
        snapshot.check(copy)
        said = Backup(str(path), manifest["made"], manifest["counts"], path.stat().st_size / 1e6)
        yield Unpacked(said, copy, manifest["files"][CATALOG]["sha256"], settings)


def _manifest(archive: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    manifest = json.loads(archive.read(MANIFEST))
    if manifest["format"] != FORMAT:
        raise InputError(
            f"'{path}' is of another form (format {manifest['format']}, known: {FORMAT}).",
            "Upgrade: pip install --upgrade conspectus. Nothing was changed.",
        )
    return dict(manifest)


def _unpack(archive: zipfile.ZipFile, name: str, said: dict[str, Any], target: Path) -> None:
    digest, left = hashlib.sha256(), int(said["bytes"])
    with archive.open(name) as source, target.open("wb") as file:
        while block := source.read(min(_BLOCK, left + 1)):
            left -= len(block)
            if left < 0:
                raise ValueError(f"{name} is longer than it says")
            digest.update(block)
            file.write(block)
    if left or digest.hexdigest() != said["sha256"]:
        raise ValueError(f"the checksum of {name} is not right")


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
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


def put_settings(settings: Path, folder: Path) -> None:
    """Let the settings of a backup, on the same disk, be those of a library that has none of its own."""
    if not (folder / FILE_NAME).exists():
        _sync(settings)
        settings.replace(folder / FILE_NAME)


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
