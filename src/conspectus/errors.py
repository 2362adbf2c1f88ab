"""One tree of errors. Each says what happened to which thing, and in `hint` what to do.

ConspectusError                     exit code 1
├── UsageError                      2   a wrong argument, an unknown key, an id that does not exist
│   ├── SettingsError
│   ├── UntrustedError                  a library from elsewhere names a place, and nobody said that it may
│   └── NotFoundError
├── InputError                      1   a file or record that cannot be read
│   ├── EncryptedError                  a file that asks for a password
│   ├── EmptyTextError                  nothing to read in it (a scan, an empty file)
│   └── LimitError                      it took more time, memory or size than allowed
├── UnavailableError                3   a model or service is missing or refused
│   ├── ModelMissingError
│   ├── ModelDamagedError
│   ├── ModelMismatchError
│   └── ServiceError                    `retry` says whether trying again can help
│       ├── ServiceAwayError                it does not answer now
│       └── ModelAnswerError                a language model answered twice with what cannot be used, or refused
├── LibraryError                    4   the library is damaged or too new
│   ├── LibraryTooNewError
│   ├── LibraryReadOnlyError            it can be read, not written
│   └── LibraryDamagedError
├── BusyError                       1   another process holds the library's writer lock
└── BudgetError                     1   what an answer may take is used up
"""

from __future__ import annotations


class ConspectusError(Exception):
    """The root: catch this to catch everything that Conspectus raises on purpose."""

    exit_code = 1
    retry = False
    """Whether the same call may succeed later with nothing changed by the user."""

    def __init__(self, message: str, hint: str = "") -> None:
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


class SettingsError(UsageError):
    """An unknown setting, or a value out of bounds."""


class UntrustedError(UsageError):
    """What was asked needs something that a library's folder says, and the library is not trusted."""


class NotFoundError(UsageError):
    """A paper, passage, span or file that is named but does not exist."""


class InputError(ConspectusError):
    """A file or a record that cannot be read."""


class EncryptedError(InputError):
    """A file that asks for a password."""


class EmptyTextError(InputError):
    """A file without text: a scan, an empty file."""


class LimitError(InputError):
    """Reading took more time, memory or size than the settings allow."""


class UnavailableError(ConspectusError):
    """A model or a service is missing or refused."""

    exit_code = 3


class ModelMissingError(UnavailableError):
    """A model that is not in the model store."""


class ModelDamagedError(UnavailableError):
    """A model whose files are not what they should be."""


class ModelMismatchError(UnavailableError):
    """The library's vectors were made by another model than the one set."""


class ServiceError(UnavailableError):
    """A service did not answer, or refused."""

    def __init__(self, message: str, hint: str = "", *, retry: bool = False) -> None:
        super().__init__(message, hint)
        self.retry = retry

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.hint), {"retry": self.retry}


class ServiceAwayError(ServiceError):
    """A service that does not answer now; trying again later can help."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint, retry=True)


class ModelAnswerError(ServiceError):
    """A language model that answered twice with something that cannot be used, or refused to answer."""


class BudgetError(ConspectusError):
    """The money, tokens or seconds that an answer may take are used up."""


class LibraryError(ConspectusError):
    """The library itself is not well."""

    exit_code = 4


class LibraryTooNewError(LibraryError):
    """The library was written by a newer version of Conspectus."""


class LibraryReadOnlyError(LibraryError):
    """The library can be read, but not written: by its rights, its medium, or because its server is a copy."""


class LibraryDamagedError(LibraryError):
    """Something in the library contradicts itself; `conspectus doctor` says what."""


class BusyError(ConspectusError):
    """Another process is writing to the library."""

    retry = True
