"""Errors of the operating system in words for people: what happened, without its numbers."""

from __future__ import annotations

import errno
import re
import socket
import ssl
from collections.abc import Iterator

_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
_WORDS = {
    errno.ECONNREFUSED: "no program answers there",
    errno.ETIMEDOUT: "it did not answer in time",
    errno.EHOSTUNREACH: "the network does not reach it",
    errno.ENETUNREACH: "the network does not reach it",
    errno.ECONNRESET: "the connection was broken off",
    errno.EPIPE: "the connection was broken off",
    errno.ENOENT: "there is no such file or folder",
    errno.EACCES: "you have no permission for it",
    errno.EPERM: "you have no permission for it",
    errno.EISDIR: "it is a folder",
    errno.ENOTDIR: "a part of its path is no folder",
    errno.ENOSPC: "the disk is full",
    errno.EROFS: "its disk can only be read",
    errno.EMFILE: "too many files are open",
    errno.ENAMETOOLONG: "its name is too long",
}
_NOT_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST")


def describe_os_error(error: BaseException, host: str = "") -> str:
    """What happened, to follow a colon.

    Args:
        error: of the operating system, or of a library that was raised because of one.
        host: that was to be reached, if one was.
    """
    causes = [*_causes(error)]
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            return f"no computer has the name '{host}'" if host else "no computer has that name"
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not accepted ({cause.verify_message.rstrip('.')})"
        if isinstance(cause, ssl.SSLError) and cause.reason in _NOT_TLS:
            return "it does not speak HTTPS; the address may begin with http://"
        if isinstance(cause, OSError) and cause.errno in _WORDS:
            return _WORDS[cause.errno]
    said = next((cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror), "")
    return _NUMBER.sub("", said or str(error)).rstrip(".") or type(error).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error, what it was raised because of, and the parts of groups."""
    following: BaseException | None = error
    for _ in range(10):
        if following is None:
            return
        yield following
        if isinstance(following, BaseExceptionGroup):
            for part in following.exceptions:
                yield from _causes(part)
        following = following.__cause__ or following.__context__
