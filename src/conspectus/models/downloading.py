"""Programs that fetch files into a folder, ended where a file there grows larger than it may."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

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
        said = [line.decode(errors="replace").strip() for line in errors if line.startswith(b"ERROR")]
        raise ServiceError((said[-1] if said else f"it ended with exit code {code}") + ".")


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
