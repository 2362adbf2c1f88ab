"""What it means for the user when the operating system does not write."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conspectus.errors import LibraryError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_AGAIN = "then run the same command again; nothing that was done is lost."

_RUST = re.compile(r"os error (\d+)|\bcode: (\d+)")
"""How tantivy, which raises a ValueError, tells the number."""


@contextmanager
def explained(place: Path) -> Iterator[None]:
    """Within, what keeps Python, numpy, tantivy or faiss from writing in `place` is told as a `LibraryError`."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        number = number_of(error)
        if number is None:  # our own mistake
            raise
        raise meaning(place, number) from error


def meaning(place: Path | str, number: int) -> LibraryError:
    """The error for the operating system's `number` (0: not known) about writing in `place`."""
    if number in _FULL:
        return LibraryError(f"The disk of '{place}' is full.", f"Make room, {_AGAIN}")
    why = os.strerror(number) if number else "it was written only in part"
    if number in _FORBIDDEN:
        return LibraryError(
            f"'{place}' cannot be written: {why}.", "Give yourself the right to write there, or choose another place."
        )
    if number in (errno.ENOENT, errno.ENOTDIR):
        return LibraryError(f"'{place}' cannot be written: {why}.", "Make its folder, or choose another place.")
    if number in (errno.EMFILE, errno.ENFILE):
        return LibraryError(f"'{place}' cannot be written: {why}.", f"Raise the limit (ulimit -n), {_AGAIN}")
    return LibraryError(
        f"'{place}' cannot be written: {why}.",
        f"Look whether its disk is full or failing (the system's log may say more), {_AGAIN}",
    )


def sync(path: Path) -> None:
    """Have the disk keep a file's bytes, or a folder's names, for good.

    Raises:
        OSError: it does not. Drives that cannot keep a folder's names, as some of other machines, are let be.
    """
    folder = path.is_dir()
    if folder and os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)  # Windows asks for the right to write
    try:
        os.fsync(handle)
    except OSError as error:
        if not folder or error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)


def number_of(error: Exception) -> int | None:
    """The operating system's number in an error; 0: it is not known; None: it is no error of writing."""
    if isinstance(error, OSError):
        return error.errno or 0
    said = str(error)
    if found := _RUST.search(said):
        return int(found[1] or found[2])
    if "io::Error" in said:  # of a thread of tantivy
        return 0
    if isinstance(error, RuntimeError):  # faiss gives the words alone
        return next((number for number in errno.errorcode if f"({os.strerror(number)})" in said), None)
    return None
