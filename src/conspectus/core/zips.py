"""What can be wrong with a zip file, for all who read one."""

from __future__ import annotations

import zipfile
import zlib

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
