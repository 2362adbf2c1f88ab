"""What it means for the user when the operating system does not write, or a zip file cannot be read."""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import secrets
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from conspectus.core.errors import DiskFullError, LibraryError, LibraryReadOnlyError, UsageError, describe_os_error

_FULL = (errno.ENOSPC, errno.EDQUOT)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_AGAIN = "then run the same command again; nothing that was done is lost."

MOST_TEXT = 2**24
"""Bytes of a file of settings, a prompt, a manifest."""

_RUST = re.compile(r"os error (\d+)|\bcode: (\d+)")
"""How tantivy, which raises a ValueError, tells the number."""


def user_path(name: str | os.PathLike[str]) -> Path:
    """The path that a user's name of a file or folder means; `~` and `~somebody` are homes.

    Raises:
        UsageError: it begins with the home of nobody known.
    """
    try:
        return Path(name).expanduser()
    except RuntimeError as error:
        home = Path(name).parts[0]
        raise UsageError(
            f"'{os.fspath(name)}' cannot be found: nobody known is at home in '{home}'.",
            f"Write the full path, or './{home}' if the file has this name.",
        ) from error


def possible_path(name: str | os.PathLike[str]) -> Path:
    """`user_path` for what may be no path at all: where the home is of nobody known it stays as it is written."""
    return Path(os.path.expanduser(name))  # noqa: PTH111 - that of Path raises


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


@contextmanager
def explain_write_errors(place: str | os.PathLike[str], remedy: str = "Choose another file.") -> Iterator[None]:
    """Within, what keeps Python from writing what a user named, `place`, is told as a `UsageError` with a remedy."""
    try:
        yield
    except OSError as error:
        if is_full(error):
            raise meaning(os.fspath(place), error.errno or 0) from error
        raise UsageError(f"'{os.fspath(place)}' cannot be written: {describe_os_error(error)}.", remedy) from error


def meaning(place: Path | str, number: int) -> LibraryError:
    """The error for the operating system's `number` (0: not known) about writing in `place`."""
    if number in _FULL:
        return DiskFullError(f"The disk of '{place}' is full.", f"Make room, {_AGAIN}")
    why = os.strerror(number) if number else "it was written only in part"
    if number in _FORBIDDEN:
        return LibraryReadOnlyError(
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


def is_private(folder: Path) -> bool:
    """Whether nobody but its owner may enter a folder; False on systems where modes do not say."""
    return os.name == "posix" and not folder.stat().st_mode & 0o077


def keep_private(path: Path) -> None:
    """Let what was made in a private folder be its owner's alone too, so that it stays so where it is moved to."""
    with suppress(OSError):  # another's file, or one that is gone again: the folder keeps others out
        if is_private(path.parent):
            path.chmod(path.stat().st_mode & 0o700)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The name of a file beside `path` to be written, which takes its place in the end: whole or not at all."""
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        yield part
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink()


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


def is_full(error: OSError) -> bool:
    """Whether there was no room on a disk, or none that the user may take."""
    return error.errno in _FULL


def number_of(error: Exception) -> int | None:
    """The operating system's number in an error; 0: it is not known; None: it is no error of writing."""
    if isinstance(error, OSError):
        return error.errno or 0
    message = str(error)
    if match := _RUST.search(message):
        return int(match[1] or match[2])
    if "io::Error" in message:  # of a thread of tantivy
        return 0
    if isinstance(error, RuntimeError):  # faiss gives the words alone
        return next((number for number in errno.errorcode if f"({os.strerror(number)})" in message), None)
    return None


def open_file(path: str | os.PathLike[str]) -> io.BufferedReader:
    """A file, opened to be read.

    Raises:
        OSError: it cannot be opened, or is none: a pipe, which would be waited for without end, a device, a folder.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):  # of what was opened: a name can change what it means
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return os.fdopen(handle, "rb")


def is_irregular(error: OSError) -> bool:
    """Whether `open_file` raised it for what is no file, or `read_file` for what is too large."""
    return error.errno in (errno.EINVAL, errno.EFBIG)


def read_file(path: str | os.PathLike[str], most: int = 2**30) -> bytes:
    """The bytes of a file of at most `most`; raises OSError as `open_file`, or where it is larger."""
    with open_file(path) as file:
        content = file.read() if os.fstat(file.fileno()).st_size <= most else None
    if content is None:
        raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes", str(path))
    return content


def read_text(path: str | os.PathLike[str]) -> str:
    """A small file's text in UTF-8, or in UTF-16 if it begins so, its line ends as `\\n`.

    Raises as `read_file`, and UnicodeDecodeError.
    """
    content = read_file(path, MOST_TEXT)
    is_utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if is_utf_16 else "utf-8-sig").replace("\r\n", "\n")


FAULTS: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    KeyError,  # a name that it does not have
    RuntimeError,  # encrypted, or packed in a way that this Python does not know
    ValueError,
)
"""What `zipfile` raises for a file that is damaged, lacks a name, or cannot be unpacked; see also `is_fault`."""

try:
    from lzma import LZMAError
except ImportError:  # then no file that needs it can be unpacked, which is a RuntimeError
    pass
else:
    FAULTS += (LZMAError,)


def is_fault(error: Exception) -> bool:
    """Whether the file is to blame, not the disk: bz2, too, raises an OSError, but without a number."""
    return isinstance(error, FAULTS) or (isinstance(error, OSError) and error.errno is None)


def is_encrypted(info: zipfile.ZipInfo) -> bool:
    """Whether a password is needed for a file in it."""
    return bool(info.flag_bits & 1)
