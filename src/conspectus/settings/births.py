"""When a file was made: what Python does not tell on Linux before 3.15."""

from __future__ import annotations

import os
import struct
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

_AT_FDCWD = -100
_AT_SYMLINK_NOFOLLOW = 0x100
_STATX_BTIME = 0x800
_SIZE = 256
_MOMENT = struct.Struct("=qI")
_BORN_AT = 80
"""Where `stx_btime` begins in `struct statx`, which the kernel has promised to keep."""


def birth_time(path: Path, found: os.stat_result) -> int:
    """Nanoseconds, about, since 1970 when the file at `path`, not what it links to, was made; 0: nobody says.

    `found` is what `lstat` said of it.
    """
    moment = getattr(found, "st_birthtime", None)
    if moment is not None:
        return int(moment * 1e6) * 1000
    if os.name == "nt":
        return found.st_ctime_ns
    return _by_statx(path) if sys.platform == "linux" else 0


def _by_statx(path: Path) -> int:
    call = _statx()
    room = bytearray(_SIZE)
    if call is None:
        return 0
    import ctypes

    buffer = (ctypes.c_char * _SIZE).from_buffer(room)
    if call(_AT_FDCWD, os.fsencode(path), _AT_SYMLINK_NOFOLLOW, _STATX_BTIME, buffer):
        return 0
    (mask,) = struct.unpack_from("=I", room)
    seconds, rest = _MOMENT.unpack_from(room, _BORN_AT)
    return int(seconds) * 1_000_000_000 + int(rest) if mask & _STATX_BTIME else 0


@cache
def _statx() -> Any:
    """The C library's function; None in one that has none."""
    import ctypes

    with suppress(OSError, AttributeError):
        call = ctypes.CDLL(None).statx
        call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p]
        return call
    return None
