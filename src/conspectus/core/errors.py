"""One tree of errors. Each says what happened to which thing, and in `hint` what to do.

                                    exit  HTTP
ConspectusError                     1     500
├── UsageError                      2     400  a wrong argument, an unknown key, an id that does not exist
│   ├── SettingsError
│   ├── ForbiddenError                    403  a library or a request names a model or file that the user has not named
│   └── NotFoundError                     404
├── InputError                      1     422  a file or record that cannot be read
│   ├── EncryptedError                         a file that asks for a password
│   ├── EmptyTextError                         nothing to read in it (a scan, an empty file)
│   └── LimitError                        413  it took more time, memory or size than allowed
├── UnavailableError                3     503  a model or service is missing or refused
│   ├── ModelMissingError
│   ├── ModelDamagedError
│   ├── ModelMismatchError                409
│   └── ServiceError                      502  `retry` says whether trying again can help
│       ├── ServiceAwayError              503  it does not answer now
│       └── ModelAnswerError                   a language model answered twice with what cannot be used
│           └── ModelRefusalError              it refused to answer
├── LibraryError                    4     500  the library is damaged or too new
│   ├── LibraryTooNewError
│   ├── LibraryReadOnlyError              403  it can be read, not written
│   ├── DiskFullError                     507  its disk is full, or the user's share of it
│   └── LibraryDamagedError
├── BusyError                       1     503  somebody else holds the library's writer lock
├── StoppedError                    1     409  a job that was cancelled
└── BudgetError                     1     429  what an answer may take is used up
"""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Iterator

_LONGEST, _SHOWN = 10_000, 1_000
"""Characters of a message, and of each end of one that is longer: it may repeat a name of a million letters."""


class ConspectusError(Exception):
    """The root: catch this to catch everything that Conspectus raises on purpose."""

    exit_code = 1
    status = 500
    """What a server answers with."""
    retry = False
    """Whether the same call may succeed later with nothing changed by the user."""

    def __init__(self, message: str, hint: str = "") -> None:
        if len(message) > _LONGEST:
            message = f"{message[:_SHOWN]} … {message[-_SHOWN:]}"
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.hint)


class UsageError(ConspectusError):
    """A wrong argument."""

    exit_code = 2
    status = 400


class SettingsError(UsageError):
    """An unknown setting, or a value out of bounds."""


class ForbiddenError(UsageError):
    """A library, or a request over the network, names a model or a file that this user has not named."""

    status = 403


class NotFoundError(UsageError):
    """A paper, passage, span or file that is named but does not exist."""

    status = 404


class InputError(ConspectusError):
    """A file or a record that cannot be read."""

    status = 422


class EncryptedError(InputError):
    """A file that asks for a password."""


class EmptyTextError(InputError):
    """A file without text: a scan, an empty file."""


class LimitError(InputError):
    """Reading took more time, memory or size than the settings allow."""

    status = 413


class UnavailableError(ConspectusError):
    """A model or a service is missing or refused."""

    exit_code = 3
    status = 503


class ModelMissingError(UnavailableError):
    """A model that is not in the model store."""


class ModelDamagedError(UnavailableError):
    """A model whose files are not what they should be."""


class ModelMismatchError(UnavailableError):
    """The library's vectors were made by another model than the one set."""

    status = 409


class ServiceError(UnavailableError):
    """A service did not answer, or refused."""

    status = 502

    def __init__(self, message: str, hint: str = "", *, retry: bool = False) -> None:
        super().__init__(message, hint)
        self.retry = retry

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.hint), {"retry": self.retry}


class ServiceAwayError(ServiceError):
    """A service that does not answer now; trying again later can help."""

    status = 503

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint, retry=True)


class ModelAnswerError(ServiceError):
    """A language model that answered twice with something that cannot be used, or refused to answer."""


class ModelRefusalError(ModelAnswerError):
    """A language model refused to answer a prompt."""


class BudgetError(ConspectusError):
    """The money, tokens or seconds that an answer may take are used up."""

    status = 429


class StoppedError(ConspectusError):
    """A job was cancelled before its end."""

    status = 409


class LibraryError(ConspectusError):
    """The library itself is not well."""

    exit_code = 4


class LibraryTooNewError(LibraryError):
    """The library was written by a newer version of Conspectus."""


class LibraryReadOnlyError(LibraryError):
    """The library can be read, but not written: by its rights, its medium, or because its server is a copy."""

    status = 403


class DiskFullError(LibraryError):
    """There is no room on the disk that is written to; what was done before is kept."""

    status = 507


class LibraryDamagedError(LibraryError):
    """Something in the library contradicts itself; `conspectus doctor` says what."""


class BusyError(ConspectusError):
    """Another process, or another job of this one, is writing to the library."""

    status = 503
    retry = True


def closed() -> UsageError:
    """What is raised where a library that is closed is asked for something."""
    return UsageError("The library is closed.", "Open it again: Library(FOLDER).")


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
    import ssl

    if isinstance(error, UnicodeDecodeError):
        return f"it is not a text in {error.encoding.upper()}"
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
    message = next((cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror), "")
    return _NUMBER.sub("", message or str(error)).rstrip(".") or type(error).__name__


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
